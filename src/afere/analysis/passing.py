"""Suites of code: pass@k and all-of-k, and how the answers were executed."""

from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from afere import stats
from afere.analysis.cells import Cells
from afere.domain import EXECUTED_KINDS, Executed, Outcome, PassRate, Row, Suite

__all__ = ["executed_of", "passing_of"]

Rates = Mapping[str, PassRate]


def passing_of(  # noqa: PLR0913 - a run, how its items weigh, and the one known value
    cells: Cells,
    *,
    first: PassRate,
    categories: stats.Labels | None,
    groups: stats.Labels | None,
    level: float,
    seed: int,
) -> tuple[Rates, Rates]:
    """Give pass@k and all-of-k by k: 1, what the suite declares, and the number of rounds.

    Items of fewer than k graded rounds are left out of that k. first: pass@1, which is the score.
    Empty where the suite is none of code and declares no `pass_at`.
    """
    plan, suite = cells.run.plan, cells.run.suite
    if plan.variants > 1 or not (suite.pass_at or _is_code(suite, plan.items)):
        return {}, {}
    counts = [_right_of(rows) for _, rows in cells.of_items()]

    def rate(estimate: Callable[[int, int, int], float], k: int) -> PassRate:
        values = array(
            "d",
            (
                estimate(right, rounds, k) if rounds >= k else float("nan")
                for right, rounds in counts
            ),
        )
        table = stats.score_table("scores", values, 1)
        mean = stats.mean_score(table, categories=categories, groups=groups, level=level, seed=seed)
        known = mean.lower is not None and mean.upper is not None
        interval = (mean.lower or 0.0, mean.upper or 0.0) if known else None
        return PassRate(items=mean.items, score=mean.score, interval=interval)

    tries = sorted({k for k in (*suite.pass_at, plan.rounds) if 1 < k <= plan.rounds})
    return (
        {"1": first, **{str(k): rate(stats.pass_at_k, k) for k in tries}},
        {str(k): rate(stats.all_of_k, k) for k in tries},
    )


def executed_of(rows: Sequence[Row]) -> Executed | None:
    """Sum up the executed answers among rows; None where there are none."""
    grades = [row.grade for row in rows if row.grade.sandbox is not None]
    if not grades:
        return None
    return Executed(
        answers=len(grades),
        sandbox=dict(sorted(Counter(grade.sandbox or "" for grade in grades).items())),
        weak=sum(grade.integrity == "weak" for grade in grades),
        failures=dict(Counter(grade.failure for grade in grades if grade.failure).most_common()),
    )


def _is_code(suite: Suite, asked: Sequence[str]) -> bool:
    kinds = {item.id: item.expect.kind for item in suite.items}
    return all(kinds.get(item) in EXECUTED_KINDS for item in asked)


def _right_of(rows: Sequence[Row | None]) -> tuple[int, int]:
    counted = [row for row in rows if row is not None and row.grade.outcome.counts]
    return sum(row.grade.outcome is Outcome.RIGHT for row in counted), len(counted)
