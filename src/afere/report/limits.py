"""What a comparison does not prove, chosen from the comparison itself."""

from collections.abc import Callable

from afere.domain import Behind, Comparison, Outcome, RunStatus, RunSummary, VerdictKind
from afere.report.executed import reminder
from afere.report.harmless import one_line
from afere.report.words import ENGLISH, Words

__all__ = ["unproven", "unproven_by_one"]

_FEW_ITEMS = 100
_NAME, _NAMED = 40, 5
_SHIPPED = frozenset({"first-steps", "swap-20", "swap-20-en", "swap-20-zh", "code-3"})
_SAME_ANYWAY = frozenset({"model", "run", "base_url"})


def unproven(
    comparison: Comparison,
    behind: Behind | None = None,
    *,
    words: Words = ENGLISH,
) -> tuple[str, ...]:
    """Give the sentences that hold for this comparison; never empty.

    behind: what is known of the runs' suite; without it nothing is said of it.
    """
    found = [remark(comparison, words) for remark in _REMARKS]
    if behind is not None:
        found += [remark(behind, words) for remark in _SUITE_REMARKS]
    return tuple(remark for remark in found if remark)


def unproven_by_one(summary: RunSummary, words: Words = ENGLISH) -> tuple[str, ...]:
    """Give the sentences that hold for a run alone; never empty."""
    texts = [
        words.say("It speaks of items like these, asked and read in this way: not of other tasks."),
        words.say(
            "One model alone: whether another is better takes a comparison on the same items."
        ),
    ]
    if summary.rounds == 1:
        texts.append(
            words.say("One round: how far a rerun of these items would differ was not measured.")
        )
    if summary.items < _FEW_ITEMS:
        texts.append(
            words.say(
                "{n} items are few: small differences cannot be seen with them.",
                n=words.count(summary.items),
            )
        )
    if summary.suite in _SHIPPED:
        texts.append(
            words.say(
                "{suite} is a start and no benchmark: items from your own work say more.",
                suite=summary.suite,
            )
        )
    if summary.status is RunStatus.INCOMPLETE:
        texts.append(
            words.say(
                "The score of an incomplete run also measures the network, not the model alone."
            )
        )
    if summary.executed is not None:
        texts.append(reminder(words))
    return tuple(texts)


def _other_tasks(_: Comparison, words: Words) -> str:
    return words.say(
        "It speaks of items like these, asked and read in this way: not of other tasks."
    )


def _holds_zero(comparison: Comparison, words: Words) -> str:
    if comparison.interval is None or not comparison.interval[0] <= 0 <= comparison.interval[1]:
        return ""
    if comparison.verdict is VerdictKind.EQUIVALENT:
        return words.say(
            "Equivalent means a difference below {margin}, not none.",
            margin=words.margin(comparison.margin),
        )
    return words.say("The interval holds 0: neither a difference nor that there is none is shown.")


def _one_round(comparison: Comparison, words: Words) -> str:
    if min(comparison.baseline.rounds, comparison.candidate.rounds) > 1:
        return ""
    return words.say("One round: how far a rerun of these items would differ was not measured.")


def _few_items(comparison: Comparison, words: Words) -> str:
    items = comparison.paired.items
    if items >= _FEW_ITEMS:
        return ""
    if items == 1:
        return words.say("One item decides nothing.")
    return words.say(
        "{n} items are few: small differences cannot be seen with them.", n=words.count(items)
    )


def _shipped(comparison: Comparison, words: Words) -> str:
    if comparison.suite not in _SHIPPED:
        return ""
    return words.say(
        "{suite} is a start and no benchmark: items from your own work say more.",
        suite=comparison.suite,
    )


def _executed(comparison: Comparison, words: Words) -> str:
    sides = (comparison.baseline, comparison.candidate)
    return reminder(words) if any(side.executed is not None for side in sides) else ""


def _groups(comparison: Comparison, words: Words) -> str:
    if comparison.groups is None:
        return ""
    return words.many(
        "The items share one text or source: they count as one group.",
        "Items share texts or sources: {n} groups, not the single items, carry the interval.",
        n=comparison.groups,
    )


def _more_differs(comparison: Comparison, words: Words) -> str:
    differing = [one_line(name, _NAME) for name in comparison.differing if name not in _SAME_ANYWAY]
    if not differing:
        return ""
    return words.say(
        "More than the model differs ({names}): the difference is that of the whole set-up.",
        names=words.listing(differing[:_NAMED] + ["…"] * (len(differing) > _NAMED)),
    )


def _token_limit(comparison: Comparison, words: Words) -> str:
    cut_short = [
        side.outcomes.get(Outcome.TRUNCATED, 0)
        for side in (comparison.baseline, comparison.candidate)
    ]
    if cut_short[0] == cut_short[1]:
        return ""
    return words.say(
        "The token limit cut {baseline} answers of the baseline and {candidate} of the candidate: "
        "part of the difference may be the limit (max_tokens), not the answers.",
        baseline=words.count(cut_short[0]),
        candidate=words.count(cut_short[1]),
    )


def _lost(comparison: Comparison, words: Words) -> str:
    sides = (comparison.baseline, comparison.candidate)
    if all(side.status is RunStatus.COMPLETE for side in sides):
        return ""
    return words.say("Rows are missing: the difference is that of the items asked on both sides.")


def _latency(comparison: Comparison, words: Words) -> str:
    sides = (comparison.baseline, comparison.candidate)
    if any(side.latency.p50 is None for side in sides):
        return ""
    return words.say("Latency holds the provider's queue, and is no part of the verdict.")


def _not_rotated(comparison: Comparison, words: Words) -> str:
    sides = (comparison.baseline, comparison.candidate)
    if not any(side.letters for side in sides) or all(side.positions for side in sides):
        return ""
    return words.say(
        "Options were not rotated: a liking for a letter may be part of the score (run --rotate)."
    )


def _no_cutoff(behind: Behind, words: Words) -> str:
    if not behind.no_cutoff:
        return ""
    return words.say(
        "No cut-off date is known of {models}: whether the items were in the training data cannot "
        "be told.",
        models=words.listing(one_line(name, _NAME) for name in behind.no_cutoff),
    )


def _public(behind: Behind, words: Words) -> str:
    if not behind.public_items:
        return ""
    return words.many(
        "{n} item is public: the models may have been trained on it.",
        "{n} items are public: the models may have been trained on them.",
        n=behind.public_items,
    )


def _left_out(behind: Behind, words: Words) -> str:
    if not behind.left_out:
        return ""
    return words.many(
        "Text alone was asked: {n} question of the exam is left out.",
        "Text alone was asked: {n} questions of the exam are left out.",
        n=behind.left_out,
    )


def _one_source(behind: Behind, words: Words) -> str:
    if not behind.source:
        return ""
    return words.say(
        "All items are from one source ({source}): another may say otherwise.",
        source=one_line(behind.source, _NAME),
    )


_SUITE_REMARKS: tuple[Callable[[Behind, Words], str], ...] = (
    _no_cutoff,
    _public,
    _left_out,
    _one_source,
)
_REMARKS: tuple[Callable[[Comparison, Words], str], ...] = (
    _other_tasks,
    _holds_zero,
    _one_round,
    _few_items,
    _shipped,
    _groups,
    _more_differs,
    _token_limit,
    _not_rotated,
    _lost,
    _latency,
    _executed,
)
