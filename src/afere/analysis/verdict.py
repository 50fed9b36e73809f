"""The verdict of an interval, and its reason in one plain sentence."""

from dataclasses import dataclass

from afere import stats
from afere.domain import LostBounds, RunSummary, Sentence, VerdictKind

__all__ = ["Reasons", "interval_verdict", "names_of", "reason"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasons:
    """All that the reason of a verdict is made of.

    names: of baseline and candidate; ungraded: those without a graded row.
    """

    names: tuple[str, str]
    difference: stats.Difference | None
    verdict: VerdictKind
    within: bool
    margin: float
    level: float
    excluded: int
    items: int
    bounds: LostBounds | None
    ungraded: tuple[str, ...]


def interval_verdict(interval: tuple[float, float], margin: float) -> tuple[VerdictKind, bool]:
    """Give the verdict of an interval [L, U] under a margin m, and whether it is within it.

    L > 0 better; U < 0 worse; else -m < L and U < m equivalent; else undecided; all strict.
    Better and worse are `within_margin` where the whole interval lies inside the margin too.
    """
    low, high = interval
    inside = -margin < low and high < margin
    if low > 0:
        return VerdictKind.BETTER, inside
    if high < 0:
        return VerdictKind.WORSE, inside
    if inside:
        return VerdictKind.EQUIVALENT, False
    return VerdictKind.UNDECIDED, False


def names_of(baseline: RunSummary, candidate: RunSummary) -> tuple[str, str]:
    """Give the names by which the two sides are told apart."""
    if baseline.model != candidate.model:
        return baseline.model, candidate.model
    if baseline.series != candidate.series:
        return (
            f"{baseline.model}@{baseline.series}" if baseline.series else baseline.model,
            f"{candidate.model}@{candidate.series}" if candidate.series else candidate.model,
        )
    return f"{baseline.model} (baseline)", f"{candidate.model} (candidate)"


def reason(facts: Reasons) -> Sentence:
    """Say why the verdict is what it is, without the verdict's own word."""
    if facts.verdict is VerdictKind.INVALID or facts.difference is None:
        return _why_invalid(facts)
    if facts.verdict is VerdictKind.UNDECIDED:
        return _why_undecided(facts, facts.difference)
    if facts.verdict is VerdictKind.EQUIVALENT:
        return _why_equivalent(facts, facts.difference)
    return _why_different(facts, facts.difference)


def _why_different(facts: Reasons, difference: stats.Difference) -> Sentence:
    better = facts.verdict is VerdictKind.BETTER
    direction = 1 if better else -1
    ends = sorted(direction * end for end in (difference.lower or 0.0, difference.upper or 0.0))
    template = (
        "{candidate} answers {points} points {more_or_fewer} of these items than {baseline} "
        "({level} % interval {low} to {high})"
    ).replace("{more_or_fewer}", "more" if better else "fewer")
    if facts.within:
        template += ", but by less than the margin of {margin} points"
    return Sentence(template, **_numbers(facts, direction * difference.estimate, *ends))


def _why_equivalent(facts: Reasons, difference: stats.Difference) -> Sentence:
    return Sentence(
        "{candidate} and {baseline} differ by less than the margin of {margin} points "
        "(difference {points}, {level} % interval {low} to {high})",
        **_numbers(facts, difference.estimate, difference.lower, difference.upper),
    )


def _why_undecided(facts: Reasons, difference: stats.Difference) -> Sentence:
    if difference.items == 1:
        return Sentence("one item decides nothing")
    if difference.too_few_groups:
        return Sentence(
            "the items come in {groups} groups, and fewer than 8 groups decide nothing",
            groups=difference.groups,
        )
    return Sentence(
        "{items} items leave it open whether {candidate} is better or worse than {baseline} "
        "(difference {points} points, {level} % interval {low} to {high}, margin {margin})",
        items=difference.items,
        **_numbers(facts, difference.estimate, difference.lower, difference.upper),
    )


def _why_invalid(facts: Reasons) -> Sentence:
    if facts.ungraded:
        return Sentence("{model} has no graded answer", model=facts.ungraded[0])
    if facts.difference is None or facts.bounds is None:
        return Sentence(
            "none of the {items} pairs has every answer on both sides",
            items=facts.items,
        )
    return Sentence(
        "{excluded} of {items} pairs were lost, and could turn the verdict: with all of them "
        "against {candidate} it is {lo}, with all of them for it {hi}",
        excluded=facts.excluded,
        items=facts.items,
        candidate=facts.names[1],
        lo=facts.bounds.lo_verdict.value,
        hi=facts.bounds.hi_verdict.value,
    )


def _numbers(
    facts: Reasons,
    estimate: float,
    low: float | None,
    high: float | None,
) -> dict[str, object]:
    """Give the names and numbers of a sentence, in points, with as many places as they need."""
    low, high = low or 0.0, high or 0.0
    width = high - low
    places = 1 if width >= 0.005 else 2 if width >= 0.0005 else 3  # noqa: PLR2004 - half a point
    return {
        "baseline": facts.names[0],
        "candidate": facts.names[1],
        "points": _points(estimate, places),
        "low": _points(low, places),
        "high": _points(high, places),
        "margin": _short(100 * facts.margin),
        "level": _short(100 * facts.level),
    }


def _points(fraction: float, places: int) -> float:
    return round(100 * fraction, places) + 0.0  # no negative zero


def _short(value: float) -> int | float:
    rounded = round(value, 6)
    return int(rounded) if rounded == int(rounded) else rounded
