"""The verdict in sentences: what was found, what would decide it, what a gate makes of it."""

from dataclasses import dataclass

from afere.domain import Comparison, Policy, RunSummary, VerdictKind
from afere.report.harmless import cut, harmless, one_line
from afere.report.words import ENGLISH, Words, decimals_apart, message

__all__ = [
    "Names",
    "difference_decimals",
    "gate_line",
    "interval_of_difference",
    "margin_sentence",
    "names",
    "needed_sentences",
    "points_of_difference",
    "verdict_sentence",
]

_NAME = 60
_PASSED, _FAILED, _INVALID = 0, 1, 3
Limits = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Names:
    """What the two sides are called: harmless, short, and never the same."""

    baseline: str
    candidate: str


def names(comparison: Comparison) -> Names:
    """Name the two sides: by model, and where that is one name, by series or run as well."""
    sides = (comparison.baseline, comparison.candidate)
    for name in (_by_model, _by_series, _by_run):
        found = Names(*(name(side) for side in sides))
        if found.baseline != found.candidate:
            return found
    return Names(f"{_by_run(sides[0])} (baseline)", f"{_by_run(sides[1])} (candidate)")


def verdict_sentence(comparison: Comparison, *, words: Words = ENGLISH) -> str:
    """Say the verdict in one plain sentence, its name first."""
    if comparison.verdict is VerdictKind.INVALID:
        return words.say("invalid: {why}", why=_why(comparison, words))
    if comparison.difference is None or comparison.interval is None:
        return words.say(
            "{verdict}: {why}",
            verdict=words.verdict(comparison.verdict),
            why=_why(comparison, words),
        )
    low, high = comparison.interval
    if comparison.verdict is VerdictKind.EQUIVALENT:
        return _equivalent(comparison, words)
    if comparison.verdict is VerdictKind.UNDECIDED:
        if not low <= 0 <= high:
            return words.say("undecided: {why}", why=_why(comparison, words))
        return _undecided(comparison, words)
    return _decided(comparison, words)


def needed_sentences(comparison: Comparison, *, words: Words = ENGLISH) -> tuple[str, ...]:
    """Say what would decide an undecided comparison; nothing for another verdict."""
    if comparison.verdict is not VerdictKind.UNDECIDED:
        return ()
    return (
        _items_needed(comparison, words),
        *_equivalence_needed(comparison, words),
        _rounds_needed(comparison, words),
    )


def margin_sentence(comparison: Comparison, *, words: Words = ENGLISH) -> str:
    """Name the margin, and that it is the default where it is."""
    template = message("A difference below {margin} was set beforehand not to matter (--margin).")
    if comparison.margin == Policy().margin:
        template = message(
            "A difference below {margin} is taken not to matter (the default; --margin)."
        )
    return words.say(template, margin=words.margin(comparison.margin))


def gate_line(
    comparison: Comparison,
    gate: str,
    exit_code: int,
    *,
    words: Words = ENGLISH,
) -> str:
    """Give the reason for a CI log in one line: `gate not-worse passed: equivalent: …`.

    gate: as in `--gate`. exit_code: what the gate came to (0, 1, 3 or 4).
    """
    template = {
        _PASSED: message("gate {gate} passed: {verdict}"),
        _FAILED: message("gate {gate} failed: {verdict}"),
        _INVALID: message("gate {gate} cannot be judged: {verdict}"),
    }.get(exit_code, message("gate {gate} not decided: {verdict}"))
    verdict = harmless(verdict_sentence(comparison, words=words))
    return words.say(template, gate=harmless(gate), verdict=verdict)


def interval_of_difference(comparison: Comparison, *, words: Words = ENGLISH) -> str:
    """Write difference and interval: `-3.2 points (95 % interval -5.4 to -1.1)`."""
    if comparison.difference is None:
        return "–"
    points = points_of_difference(comparison, words)
    if comparison.interval is None:
        return words.say("{n} points", n=points)
    return words.say(
        "{points} points ({interval})",
        points=points,
        interval=_interval(comparison, comparison.interval, words, sign=True),
    )


def points_of_difference(comparison: Comparison, words: Words) -> str:
    """Write the difference alone, with its sign and without the word: `-3.2`."""
    if comparison.difference is None:
        return "–"
    decimals = difference_decimals(comparison)
    return words.points(comparison.difference, decimals=decimals, sign=True)


def difference_decimals(comparison: Comparison) -> int:
    """Give the decimals at which the limits keep apart from 0 and from the margin."""
    limits = comparison.interval or ()
    return decimals_apart(limits, (0.0, comparison.margin, -comparison.margin))


def _by_model(side: RunSummary) -> str:
    return cut(harmless(side.model), _NAME)


def _by_series(side: RunSummary) -> str:
    return f"{_by_model(side)}@{one_line(side.series, _NAME)}" if side.series else _by_model(side)


def _by_run(side: RunSummary) -> str:
    return f"{_by_series(side)} ({one_line(side.run, _NAME)})"


def _why(comparison: Comparison, words: Words) -> str:
    return words.tell(comparison.why).strip() or words.say("no reason was given")


def _interval(comparison: Comparison, limits: Limits, words: Words, *, sign: bool = False) -> str:
    decimals = difference_decimals(comparison)
    low, high = (words.points(limit, decimals=decimals, sign=sign) for limit in limits)
    return words.say(
        "{level} interval {low} to {high}",
        level=words.level(comparison.level),
        low=low,
        high=high,
    )


def _decided(comparison: Comparison, words: Words) -> str:
    """`worse: B answers 3.2 points fewer of these items right than A (95 % interval …)`."""
    low, high = comparison.interval or (0.0, 0.0)
    difference = comparison.difference or 0.0
    worse = comparison.verdict is VerdictKind.WORSE
    template = {
        (False, False): message("better: {sentence}"),
        (True, False): message("worse: {sentence}"),
        (False, True): message("better, but by less than the margin of {margin}: {sentence}"),
        (True, True): message("worse, but by less than the margin of {margin}: {sentence}"),
    }[worse, comparison.within_margin]
    sides = names(comparison)
    said = (
        message(
            "{candidate} answers {points} points more of these items right than {baseline} "
            "({limits})"
        ),
        message(
            "{candidate} answers {points} points fewer of these items right than {baseline} "
            "({limits})"
        ),
    )
    if worse:
        low, high, difference = -high, -low, -difference
    sentence = words.say(
        said[worse],
        candidate=sides.candidate,
        baseline=sides.baseline,
        points=words.points(difference, decimals=difference_decimals(comparison)),
        limits=_interval(comparison, (low, high), words),
    )
    return words.say(template, sentence=sentence, margin=words.margin(comparison.margin))


def _equivalent(comparison: Comparison, words: Words) -> str:
    sides = names(comparison)
    return words.say(
        "equivalent: {candidate} and {baseline} differ by less than the margin of {margin} "
        "on items like these: {difference}",
        candidate=sides.candidate,
        baseline=sides.baseline,
        margin=words.margin(comparison.margin),
        difference=interval_of_difference(comparison, words=words),
    )


def _undecided(comparison: Comparison, words: Words) -> str:
    sides, difference = names(comparison), comparison.difference or 0.0
    limits = comparison.interval or (0.0, 0.0)
    if difference == 0:
        template = message(
            "undecided: {candidate} and {baseline} answer the same share of these items right, "
            "but that they are equivalent is not shown ({limits} points, margin {margin})"
        )
    elif difference > 0:
        template = message(
            "undecided: {candidate} answers {points} points more of these items right than "
            "{baseline}, which may be chance ({limits})"
        )
    else:
        template = message(
            "undecided: {candidate} answers {points} points fewer of these items right than "
            "{baseline}, which may be chance ({limits})"
        )
    return words.say(
        template,
        candidate=sides.candidate,
        baseline=sides.baseline,
        points=words.points(abs(difference), decimals=difference_decimals(comparison)),
        limits=_interval(comparison, limits, words, sign=True),
        margin=words.margin(comparison.margin),
    )


def _items_needed(comparison: Comparison, words: Words) -> str:
    even, powered = comparison.needed.items_even, comparison.needed.items_80_power
    if even is None and powered is None:
        return words.say("How many items would decide it cannot be told from this comparison.")
    if powered is None:
        return words.say(
            "About {n} items like these would decide it with an even chance.",
            n=words.count(even or 0),
        )
    if even is None:
        return words.say(
            "About {n} items like these would decide it with 80 % power.", n=words.count(powered)
        )
    return words.say(
        "If the difference is what it seems, about {even} items like these would show it with an "
        "even chance, about {powered} with 80 % power: choose the number before you look again.",
        even=words.count(even),
        powered=words.count(powered),
    )


def _equivalence_needed(comparison: Comparison, words: Words) -> tuple[str, ...]:
    items = comparison.needed.items_equivalence
    if items is None:
        return ()
    return (
        words.say(
            "If nothing differs, about {n} items like these would show equivalence within "
            "{margin} with 80 % power.",
            n=words.count(items),
            margin=words.margin(comparison.margin),
        ),
    )


def _rounds_needed(comparison: Comparison, words: Words) -> str:
    if comparison.needed.rounds_help:
        return words.say("More rounds of the same items could decide it too.")
    if min(comparison.baseline.rounds, comparison.candidate.rounds) == 1:
        return words.say("Whether more rounds would help cannot be told from one round.")
    return words.say("More rounds of the same items would not decide it.")
