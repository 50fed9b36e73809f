"""Where the errors of a run lie: by group and by place in the suite."""

from collections.abc import Mapping

from afere.domain import ErrorPlaces
from afere.report.harmless import cut, harmless
from afere.report.words import Words

__all__ = ["place_sentences"]

_NAME = 60
_GROUPS = 3


def place_sentences(name: str, places: ErrorPlaces, words: Words) -> list[str]:
    """Name the groups that hold more than their share, and the stretch where errors are densest."""
    texts = []
    heavy = _heaviest(places.groups)
    if heavy:
        texts.append(
            words.say(
                "Errors of {model} by group: {groups}.",
                model=name,
                groups=words.listing(
                    words.say(
                        "{group} {errors} of {items}",
                        group=cut(harmless(group), _NAME),
                        errors=words.number(errors, 1),
                        items=words.count(items),
                    )
                    for group, items, errors in heavy
                ),
            )
        )
    stretch = places.densest
    if stretch is not None:
        texts.append(
            words.say(
                "Errors of {model} lie densest from {first} to {last}: {share_of_errors} of them "
                "on {share_of_items} of the items (found by looking: exploratory).",
                model=name,
                first=cut(harmless(stretch.first), _NAME),
                last=cut(harmless(stretch.last), _NAME),
                share_of_errors=words.percent(stretch.share_of_errors),
                share_of_items=words.percent(stretch.share_of_items),
            )
        )
    return texts


def _heaviest(groups: Mapping[str, tuple[int, float]]) -> list[tuple[str, int, float]]:
    """Give the groups with the most errors an item, of those that hold more than their share."""
    items = sum(count for count, _ in groups.values())
    errors = sum(total for _, total in groups.values())
    heavy = [
        (name, count, total)
        for name, (count, total) in groups.items()
        if count > 1 and total * items > errors * count
    ]
    return sorted(heavy, key=lambda each: (-each[2] / each[1], each[0]))[:_GROUPS]
