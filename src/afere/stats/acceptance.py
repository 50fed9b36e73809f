"""Which rows a threshold accepts, one of each group: groups are units, rows are not."""

import numpy as np

from afere.stats.interval import Floats, Integers, Numbers

__all__ = ["Looks", "accepted_at", "one_of_each", "units_accepted", "units_of"]

Looks = tuple[Integers, Integers]


def units_of(groups: Numbers | None, rows: int) -> int:
    """Count the units: groups where there are any, else rows."""
    return rows if groups is None else len(np.unique(np.asarray(groups)))


def accepted_at(
    confidence: Numbers,
    right: Numbers,
    thresholds: Numbers,
    groups: Numbers | None = None,
    ranks: Numbers | None = None,
) -> Looks:
    """Count accepted units and errors among them at each threshold.

    Rows of at least the threshold's confidence are accepted. With groups (whole numbers, one a
    row), the accepted row of the smallest rank stands for its group.
    """
    confidences = np.asarray(confidence, dtype=np.float64)
    wrong = 1 - np.asarray(right, dtype=np.float64)
    asked = np.asarray(thresholds, dtype=np.float64)
    if groups is None:
        order = np.argsort(-confidences, kind="stable")
        accepted = np.searchsorted(-confidences[order], -asked, side="right")
        before = np.concatenate([[0.0], np.cumsum(wrong[order])])
        return accepted.astype(np.int64), before[accepted].astype(np.int64)
    order = np.lexsort((np.asarray(ranks), np.asarray(groups)))
    ordered, errors = confidences[order], wrong[order]
    names = np.asarray(groups)[order]
    looks = [_first(names, ordered >= threshold) for threshold in asked]
    return (
        np.array([len(first) for first in looks], dtype=np.int64),
        np.array([int(errors[first].sum()) for first in looks], dtype=np.int64),
    )


def units_accepted(
    confidence: Numbers,
    threshold: float,
    groups: Numbers | None = None,
    ranks: Numbers | None = None,
) -> Integers:
    """Give the places of the accepted rows, of each group the one of the smallest rank."""
    accepted = np.flatnonzero(np.asarray(confidence) >= threshold)
    if groups is None:
        return accepted
    return accepted[one_of_each(np.asarray(groups)[accepted], np.asarray(ranks)[accepted])]


def one_of_each(groups: Numbers, ranks: Numbers) -> Integers:
    """Give the places of the row of the smallest rank in each group, rising."""
    order = np.lexsort((np.asarray(ranks), np.asarray(groups)))
    names = np.asarray(groups)[order]
    return np.sort(order[_first(names, np.ones(len(names), dtype=bool))])


def _first(
    names: Floats | Integers, kept: "np.ndarray[tuple[int], np.dtype[np.bool_]]"
) -> Integers:
    """Give the places of the first kept row of each run of one name."""
    places = np.flatnonzero(kept)
    there = names[places]
    return places[np.concatenate([[True], there[1:] != there[:-1]])] if len(places) else places
