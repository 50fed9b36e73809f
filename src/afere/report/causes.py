"""What drives a difference, in sentences and rows: categories, outcomes, errors, dates."""

from collections.abc import Mapping

from afere.domain import (
    Behind,
    Comparison,
    Drivers,
    Exposure,
)
from afere.report.harmless import one_line
from afere.report.places import place_sentences
from afere.report.sides import both, listed
from afere.report.verdicts import names
from afere.report.words import Words, decimals_apart, message

__all__ = [
    "CATEGORY_ALIGN",
    "category_difference",
    "category_head",
    "category_rows",
    "cause_sentences",
    "exposure_sentences",
    "price_row",
]

_NAME = 60
CATEGORY_ALIGN = "lrrrrr"
Limits = tuple[float, float]


def category_head(comparison: Comparison, words: Words) -> tuple[str, ...]:
    """Head the rows of the categories."""
    return (
        *words.each("category", "items", "baseline", "candidate", "points"),
        words.say("{level} interval", level=words.level(comparison.level)),
    )


def category_rows(
    comparison: Comparison,
    behind: Behind,
    words: Words,
) -> list[tuple[str, ...]]:
    """Give each category, the one with the greatest loss first; none where there is but one."""
    found = behind.drivers.categories
    if len(found) <= 1:
        return []
    losses = sorted(
        found, key=lambda name: (found[name].difference is None, found[name].difference or 0.0)
    )
    rows = []
    for name in losses:
        points, interval = category_difference(behind.drivers, name, words)
        scores = (side.categories.get(name) for side in both(comparison))
        rows.append(
            (
                one_line(name, _NAME) or words.say("(no category)"),
                words.count(found[name].items),
                *(words.percent(each.score if each else None) for each in scores),
                points,
                interval,
            )
        )
    return rows


def category_difference(drivers: Drivers, name: str, words: Words) -> tuple[str, str]:
    """Give a category's difference in points and its interval."""
    category = drivers.categories.get(name)
    if category is None or category.difference is None:
        return "–", "–"
    decimals = decimals_apart(category.interval or (), (0.0,))
    points = words.points(category.difference, decimals=decimals, sign=True)
    return points, _span(category.interval, decimals, words)


def cause_sentences(comparison: Comparison, behind: Behind, words: Words) -> list[str]:
    """Say what stands behind the difference, the likeliest cause first."""
    drivers = behind.drivers
    texts = [words.tell(text) for text in drivers.remarks]
    texts += _outcomes_instead(drivers, words)
    texts += _agreement(drivers, words)
    texts += _flipping(drivers, words)
    called = names(comparison)
    for name, places in zip((called.baseline, called.candidate), drivers.places, strict=True):
        texts += place_sentences(name, places, words)
    return texts


def exposure_sentences(comparison: Comparison, behind: Behind, words: Words) -> list[str]:
    """Say how each model does on items that it may have been trained on, with what limits that."""
    texts = [
        text
        for exposure in behind.exposures
        for text in _exposure(exposure, comparison.level, words)
    ]
    return texts + [words.tell(note) for note in behind.notes]


def price_row(behind: Behind, words: Words) -> list[tuple[str, str, str]]:
    """Give the price of one right answer on each side, where one is known."""
    ours, theirs = behind.drivers.cost_per_right
    if ours is None and theirs is None:
        return []
    name = words.say("price of a right answer")
    return [(name, words.price(ours), words.price(theirs))]


def _span(limits: Limits | None, decimals: int, words: Words) -> str:
    if limits is None:
        return "–"
    low, high = (words.points(limit, decimals=decimals, sign=True) for limit in limits)
    return words.say("{low} to {high}", low=low, high=high)


def _counted(outcomes: Mapping[str, int], words: Words) -> str:
    return words.listing(
        words.outcomes(outcome, count)
        for outcome, count in sorted(outcomes.items(), key=lambda each: (-each[1], each[0]))
    )


def _outcomes_instead(drivers: Drivers, words: Words) -> list[str]:
    texts = []
    if drivers.lost_to:
        texts.append(
            words.say(
                "Where only the baseline is right, the candidate's answers are: {outcomes}.",
                outcomes=_counted(drivers.lost_to, words),
            )
        )
    if drivers.won_from:
        texts.append(
            words.say(
                "Where only the candidate is right, the baseline's answers are: {outcomes}.",
                outcomes=_counted(drivers.won_from, words),
            )
        )
    return texts


def _agreement(drivers: Drivers, words: Words) -> list[str]:
    agreed, missed = drivers.agreement, drivers.both_wrong_items
    if not missed:
        return []
    texts = [
        words.many(
            "Both miss {n} item ({expected} if their errors had nothing in common; with the same "
            "answer: {same}): {ids}",
            "Both miss {n} items ({expected} if their errors had nothing in common; with the same "
            "answer: {same}): {ids}",
            n=agreed.both_wrong,
            expected=words.number(agreed.expected, 1),
            same=words.count(agreed.same_answer),
            ids=listed(missed, words),
        )
    ]
    if agreed.phi is not None:
        texts.append(
            words.say(
                "Correlation of their errors: {phi} (1: the same items; 0: unrelated).",
                phi=words.number(agreed.phi, 2),
            )
        )
    return texts


def _flipping(drivers: Drivers, words: Words) -> list[str]:
    texts = []
    for template, ids in zip(
        (
            message("Not the same in every round, baseline: {ids}"),
            message("Not the same in every round, candidate: {ids}"),
        ),
        drivers.flipping,
        strict=True,
    ):
        if ids:
            texts.append(words.say(template, ids=listed(ids, words)))
    return texts


def _exposure(exposure: Exposure, level: float, words: Words) -> list[str]:
    template = message(
        "{model}: {seen} right on the {n_seen} items dated up to its cut-off {cutoff}, {unseen} on "
        "the {n_unseen} later ones; difference: {difference}."
    )
    if exposure.by != "cutoff":
        template = message(
            "{model}: {seen} right on the {n_seen} items marked public, {unseen} on the {n_unseen} "
            "others; difference: {difference}."
        )
    model = one_line(exposure.model, _NAME)
    texts = [
        words.say(
            template,
            model=model,
            cutoff=exposure.cutoff or "–",
            seen=words.percent(exposure.seen.score),
            n_seen=words.count(exposure.seen.items),
            unseen=words.percent(exposure.unseen.score),
            n_unseen=words.count(exposure.unseen.items),
            difference=_difference(exposure.drop, exposure.interval, level, words),
        )
    ]
    if exposure.reference is not None and exposure.beyond_reference is not None:
        beyond = (exposure.beyond_reference, exposure.beyond_interval)
        texts.append(
            words.say(
                "{model}: beyond the difference that {reference} has on the same items: "
                "{difference}.",
                model=model,
                reference=one_line(exposure.reference, _NAME),
                difference=_difference(*beyond, level, words),
            )
        )
    if exposure.undated:
        texts.append(
            words.many(
                "{n} item is left out: its date does not tell.",
                "{n} items are left out: their dates do not tell.",
                n=exposure.undated,
            )
        )
    return texts + [f"{model}{words.colon}{words.tell(text)}" for text in exposure.warnings]


def _difference(
    difference: float | None,
    limits: Limits | None,
    level: float,
    words: Words,
) -> str:
    """Write a difference with its sign: `+1.6 points (95 % interval -11.4 to +14.5)`."""
    if difference is None:
        return words.say("not estimable")
    decimals = decimals_apart(limits or (), (0.0,))
    points = words.points(difference, decimals=decimals, sign=True)
    if limits is None:
        return words.say("{n} points", n=points)
    low, high = (words.points(limit, decimals=decimals, sign=True) for limit in limits)
    return words.say(
        "{points} points ({interval})",
        points=points,
        interval=words.say(
            "{level} interval {low} to {high}", level=words.level(level), low=low, high=high
        ),
    )
