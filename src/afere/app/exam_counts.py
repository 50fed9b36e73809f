"""What of an exam a run's suite holds, as `exam build` wrote it into the suite's metadata."""

from collections.abc import Iterable, Mapping

from afere.domain import Run
from afere.report import ExamCounts

__all__ = ["exam_counts"]

MOST_REASONS = 40


def exam_counts(runs: Iterable[Run]) -> list[ExamCounts]:
    """Give the counts of each exam; of several runs of it, with the smallest number asked."""
    found: dict[str, ExamCounts] = {}
    for run in runs:
        counts = _counts(run)
        if counts is not None:
            known = found.setdefault(run.suite.hash, counts)
            found[run.suite.hash] = min(known, counts, key=lambda each: each.asked)
    return list(found.values())


def _counts(run: Run) -> ExamCounts | None:
    """Give the counts of the audit; None where there are none, or they do not fit the suite.

    A suite is a file that anybody may have written or changed: counts that do not add up, or are
    not those of the items at hand, are not told. The most frequent reason comes first.
    """
    told = run.suite.metadata.get("audit")
    if not isinstance(told, Mapping):
        return None
    expected, kept, left = (told.get(name) for name in ("expected", "kept", "left_out"))
    if not isinstance(left, Mapping) or len(left) > MOST_REASONS:
        return None
    if not all(map(_is_count, (expected, kept, *left.values()))):
        return None
    if kept != len(run.suite.items) or kept + sum(left.values()) != expected:
        return None
    return ExamCounts(
        name=run.suite.name,
        expected=int(expected),
        kept=int(kept),
        asked=len(run.plan.items),
        left_out=dict(sorted(left.items(), key=lambda each: (-each[1], each[0]))),
    )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
