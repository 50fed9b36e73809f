"""Looks at how keys and categories are spread over a suite."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import sqrt

from afere.domain import Item, Sentence
from afere.suites.problem import Problem

__all__ = ["skewed", "small_categories"]

_FEWEST_KEYS = 12  # fewer keys than this lean to a side by chance alone
_FEWEST_IN_CATEGORY = 10
_ONE_ANSWER = 0.75
_NORMAL_99 = 2.326  # standard normal quantile of 0.99
_NAMED = 5


def skewed(items: Sequence[Item]) -> Iterator[Problem]:
    """Say when right letters or labels lean to one side more than chance would have it."""
    choices = [item for item in items if item.expect.kind == "choice"]
    found: Counter[int] = Counter()
    due: dict[int, float] = defaultdict(float)
    for item in choices:
        letters = list(item.options)
        for place in range(len(letters)):
            due[place] += 1 / len(letters)
        if item.expect.key in letters:
            found[letters.index(item.expect.key)] += 1
    if len(choices) >= _FEWEST_KEYS and _chi_square(found, due) > _critical(len(due) - 1):
        place, count = found.most_common(1)[0]
        message = Sentence(
            "{count} of {total} right options stand in place {place}: ask with --rotate",
            count=count,
            total=len(choices),
            place=place + 1,
        )
        yield Problem(severity="warning", item=None, code="skewed_keys", message=message)
    yield from _one_label(items)


def _one_label(items: Sequence[Item]) -> Iterator[Problem]:
    keys: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for item in items:
        if item.expect.kind == "label":
            keys[tuple(sorted(item.labels))][str(item.expect.key)] += 1
    for counts in keys.values():
        label, count = counts.most_common(1)[0]
        total = counts.total()
        if total >= _FEWEST_KEYS and count > _ONE_ANSWER * total:
            message = Sentence(
                "always answering {label} would be right {count} times of {total}",
                label=label,
                count=count,
                total=total,
            )
            yield Problem(severity="warning", item=None, code="skewed_keys", message=message)


def _chi_square(found: Counter[int], due: dict[int, float]) -> float:
    return sum((found[place] - expected) ** 2 / expected for place, expected in due.items())


def _critical(degrees: int) -> float:
    """Give the 99 % point of chi-square by the approximation of Wilson and Hilferty (1931)."""
    part = 2 / (9 * max(degrees, 1))
    return max(degrees, 1) * float((1 - part + _NORMAL_99 * sqrt(part)) ** 3)


def small_categories(items: Sequence[Item]) -> Iterator[Problem]:
    """Name the categories that hold too few items to say anything of their own."""
    counts = Counter(item.category for item in items if item.category is not None)
    small = [name for name, count in counts.items() if count < _FEWEST_IN_CATEGORY]
    if not small:
        return
    names = ", ".join(small[:_NAMED]) + (", …" if len(small) > _NAMED else "")
    message = Sentence(
        "{small} of {total} categories have fewer than {fewest} items ({names}): "
        "their own scores say little",
        small=len(small),
        total=len(counts),
        fewest=_FEWEST_IN_CATEGORY,
        names=names,
    )
    yield Problem(severity="warning", item=None, code="small_categories", message=message)
