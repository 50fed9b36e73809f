"""Calibration by bins: whether what is said at 0.9 is right nine times in ten.

Confidence is that of the chosen answer, `right` whether it was. Bins are [low, high), the last one
closed at both ends; every row is in exactly one. A gap is mean confidence minus accuracy.
"""

from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np

from afere.stats.interval import Floats, Integers, Numbers, as_floats

__all__ = [
    "Bins",
    "EqualMass",
    "bins_at",
    "bins_of_equal_mass",
    "ece_sweep",
    "equal_edges",
    "rated_rows",
]

MOST_SWEPT = 2_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bins:
    """Rows in bins: `edges` has one entry more than the others.

    n: rows in each bin; right: of these the right ones; confidence: the sum of their confidences.
    """

    edges: Floats
    n: Integers
    right: Integers
    confidence: Floats

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.n.sum())

    @property
    def gaps(self) -> Floats:
        """Mean confidence minus accuracy of each bin; NaN where a bin is empty."""
        with np.errstate(invalid="ignore"):
            return np.asarray((self.confidence - self.right) / self.n, dtype=np.float64)

    @property
    def contributions(self) -> Floats:
        """What each bin adds to the ECE."""
        return np.abs(self.confidence - self.right) / self.rows

    @property
    def ece(self) -> float:
        """The expected calibration error: sum over bins of n/N times the gap's size."""
        return float(self.contributions.sum())

    @property
    def signed(self) -> float:
        """The mean of confidence minus right: above 0 where confidence is too high."""
        return float((self.confidence.sum() - self.right.sum()) / self.rows)

    @property
    def mce(self) -> float:
        """The largest gap of a bin that holds rows."""
        return float(np.nanmax(np.abs(self.gaps)))

    @property
    def rmsce(self) -> float:
        """The root of the mean squared gap."""
        filled = self.n > 0
        return sqrt(float((self.n[filled] * self.gaps[filled] ** 2).sum()) / self.rows)

    @property
    def debiased_squared(self) -> float:
        """The squared error less what chance adds to it; it may be below 0.

        Kumar, Liang and Ma 2019: sum of n/N (gap² - a(1-a)/(n-1)) with a the accuracy; a bin of
        one row adds 0.
        """
        several = self.n > 1
        n, gaps = self.n[several], self.gaps[several]
        accuracy = self.right[several] / n
        parts = n * (gaps**2 - accuracy * (1 - accuracy) / (n - 1))
        return float(parts.sum()) / self.rows

    @property
    def debiased(self) -> float:
        """The root of the positive part of `debiased_squared`."""
        return sqrt(max(self.debiased_squared, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualMass:
    """Bins of as equal numbers of rows as ties allow; `asked` may be more than were made."""

    bins: Bins
    asked: int

    @property
    def made(self) -> int:
        """How many bins there are."""
        return len(self.bins.n)


def equal_edges(bins: int) -> tuple[float, ...]:
    """Give the edges i/n of n bins of equal width, each correctly rounded: 7/10 is 0.7."""
    if bins < 1:
        raise ValueError(f"bins is a whole number from 1, not {bins}")
    return tuple(place / bins for place in range(bins + 1))


def bins_at(confidence: Numbers, right: Numbers, edges: Numbers) -> Bins:
    """Put rows into bins between own edges.

    Raises ValueError where edges do not rise strictly from at most 0 to at least 1, and for a
    confidence outside 0 to 1.
    """
    confidences, rights = rated_rows(confidence, right)
    return _binned(confidences, rights, _checked(edges))


def bins_of_equal_mass(confidence: Numbers, right: Numbers, bins: int) -> EqualMass:
    """Put rows into bins of equal numbers; rows of one confidence are never separated.

    Cuts are those of `numpy.array_split` on the rising order, each moved to the nearer end of the
    tied rows that it would separate, so that fewer bins than asked may be made.
    """
    confidences, rights = rated_rows(confidence, right)
    order = np.argsort(confidences, kind="stable")
    return _equal_mass(_Sorted(confidences[order], rights[order]), bins)


def ece_sweep(confidence: Numbers, right: Numbers) -> EqualMass:
    """Give the largest number of equal-mass bins whose accuracies do not fall.

    Roelofs and others 2022: bins rise from one, and the search stops before the first number whose
    accuracies fall somewhere; at most 2,000 are tried.
    """
    confidences, rights = rated_rows(confidence, right)
    order = np.argsort(confidences, kind="stable")
    rows = _Sorted(confidences[order], rights[order])
    best = _equal_mass(rows, 1)
    for bins in range(2, min(len(confidences), MOST_SWEPT) + 1):
        cuts = rows.cuts(bins)
        accuracy = np.diff(rows.right_before[cuts]) / np.diff(cuts)
        if (np.diff(accuracy) < 0).any():
            break
        best = _equal_mass(rows, bins)
    return best


def rated_rows(confidence: Numbers, right: Numbers) -> tuple[Floats, Floats]:
    """Give confidences and whether each was right as arrays; raises ValueError for what is neither.

    A confidence is a finite number from 0 to 1; `right` is 0 or 1.
    """
    confidences, rights = as_floats("confidence", confidence), as_floats("right", right)
    if confidences.size != rights.size:
        raise ValueError(f"{confidences.size} confidences and {rights.size} answers")
    if not confidences.size:
        raise ValueError("there is no row to measure")
    if confidences.min() < 0 or confidences.max() > 1:
        place = int(np.flatnonzero((confidences < 0) | (confidences > 1))[0])
        raise ValueError(f"confidence is {confidences[place]} at place {place}: outside 0 to 1")
    if not ((rights == 0) | (rights == 1)).all():
        raise ValueError("right is 0 or 1 (false or true)")
    return confidences + 0.0, rights  # -0.0 becomes 0.0


class _Sorted:
    """Rows in rising order of confidence, with running counts."""

    def __init__(self, confidence: Floats, right: Floats) -> None:
        self.confidence, self.right = confidence, right
        self.right_before = np.concatenate([[0], np.cumsum(right)])

    def cuts(self, bins: int) -> Integers:
        """Give where bins begin, and the number of rows at the end."""
        rows = len(self.confidence)
        sizes = np.full(min(bins, rows), rows // bins if bins <= rows else 1)
        sizes[: rows % bins if bins <= rows else 0] += 1
        cuts = np.cumsum(sizes)[:-1]
        tied = self.confidence[cuts - 1] == self.confidence[cuts]
        if tied.any():
            values = self.confidence[cuts[tied]]
            first = np.searchsorted(self.confidence, values, side="left")
            after = np.searchsorted(self.confidence, values, side="right")
            nearer = cuts[tied] - first <= after - cuts[tied]
            cuts[tied] = np.where(nearer, first, after)
            cuts = np.unique(cuts)
            cuts = cuts[(cuts > 0) & (cuts < rows)]
        return np.concatenate([[0], cuts, [rows]]).astype(np.int64)


def _equal_mass(rows: _Sorted, bins: int) -> EqualMass:
    if bins < 1:
        raise ValueError(f"bins is a whole number from 1, not {bins}")
    cuts = rows.cuts(bins)
    starts = cuts[:-1]
    made = Bins(
        edges=np.concatenate([rows.confidence[starts], rows.confidence[-1:]]),
        n=np.diff(cuts),
        right=np.add.reduceat(rows.right, starts).astype(np.int64),
        confidence=np.add.reduceat(rows.confidence, starts),
    )
    return EqualMass(bins=made, asked=bins)


def _checked(edges: Numbers) -> Floats:
    found = np.asarray(edges, dtype=np.float64).ravel()
    if found.size < 2 or not all(isfinite(edge) for edge in found):  # noqa: PLR2004 - both ends
        raise ValueError("edges are at least two finite numbers")
    if not (np.diff(found) > 0).all():
        raise ValueError(f"edges rise strictly, and {found.tolist()} do not")
    if found[0] > 0 or found[-1] < 1:
        raise ValueError(
            f"edges begin at 0 or below and end at 1 or above, not at {found[0]:g} and "
            f"{found[-1]:g}: every row is in a bin"
        )
    return found


def _binned(confidence: Floats, right: Floats, edges: Floats) -> Bins:
    count = len(edges) - 1
    place = np.searchsorted(edges[1:-1], confidence, side="right")
    n = np.bincount(place, minlength=count)
    if int(n.sum()) != len(confidence):
        raise AssertionError("a row is in no bin or in two")  # never: the promise of this module
    return Bins(
        edges=edges,
        n=n,
        right=np.bincount(place, weights=right, minlength=count).astype(np.int64),
        confidence=np.bincount(place, weights=confidence, minlength=count).astype(np.float64),
    )
