"""How far a calibration error would move with other rows like these: the bootstrap."""

from collections.abc import Sequence

import numpy as np

from afere.stats.interval import Floats, Integers, Interval, Numbers, check_level
from afere.stats.reliability import bins_at, rated_rows

__all__ = ["ece_difference", "ece_interval"]

MOST_BLOCKS = 2_000
RESAMPLES = 2_000


def ece_interval(  # noqa: PLR0913, PLR0917 - rows, edges, and how they are drawn
    confidence: Numbers,
    right: Numbers,
    edges: Numbers,
    rng: np.random.Generator,
    level: float = 0.95,
    groups: Numbers | None = None,
) -> Interval:
    """Give the percentile interval of the ECE: rows are drawn again, or whole groups.

    More than 2,000 units are first put into 2,000 blocks by chance, which are drawn in their
    place. The ECE of few rows is too large by itself, and so are the ends of its interval.
    """
    rows = _Rows(confidence, right, edges)
    drawn = _drawn([rows], _units(groups, rows.count), rng)[0]
    return _interval(rows.ece, drawn, level)


def ece_difference(  # noqa: PLR0913, PLR0917 - two columns a side, edges, and how they are drawn
    first: tuple[Numbers, Numbers],
    second: tuple[Numbers, Numbers],
    edges: Numbers,
    rng: np.random.Generator,
    level: float = 0.95,
    groups: Numbers | None = None,
) -> Interval:
    """Give the interval of the first's ECE minus the second's on the same rows, drawn together."""
    sides = [_Rows(confidence, right, edges) for confidence, right in (first, second)]
    if sides[0].count != sides[1].count:
        raise ValueError("both sides need the same rows in the same order")
    drawn = _drawn(sides, _units(groups, sides[0].count), rng)
    return _interval(sides[0].ece - sides[1].ece, drawn[0] - drawn[1], level)


class _Rows:
    """The bin of each row, and its confidence minus right."""

    def __init__(self, confidence: Numbers, right: Numbers, edges: Numbers) -> None:
        confidences, rights = rated_rows(confidence, right)
        bins = bins_at(confidences, rights, edges)
        self.count, self.bins, self.ece = len(rights), len(bins.n), bins.ece
        self.place = np.searchsorted(bins.edges[1:-1], confidences, side="right")
        self.away = confidences - rights


def _units(groups: Numbers | None, rows: int) -> Integers:
    if groups is None:
        return np.arange(rows)
    return np.unique(np.asarray(groups), return_inverse=True)[1].astype(np.int64)


def _drawn(sides: Sequence[_Rows], units: Integers, rng: np.random.Generator) -> list[Floats]:
    """Give the ECE of each side in every resample; all sides share their draws."""
    count = int(units.max()) + 1
    if count > MOST_BLOCKS:
        units = (rng.permutation(count) % MOST_BLOCKS)[units]
        count = MOST_BLOCKS
    weights = rng.multinomial(count, np.full(count, 1 / count), size=RESAMPLES).astype(np.float64)
    rows = weights @ np.bincount(units, minlength=count)
    found = []
    for side in sides:
        cell = units * side.bins + side.place
        sums = np.bincount(cell, weights=side.away, minlength=count * side.bins)
        drawn = np.abs(weights @ sums.reshape(count, side.bins)).sum(axis=1)
        found.append(drawn / np.maximum(rows, 1))
    return found


def _interval(estimate: float, drawn: Floats, level: float) -> Interval:
    check_level(level)
    tail = (1 - level) / 2
    lower, upper = np.quantile(drawn, [tail, 1 - tail])
    return Interval(
        estimate=estimate,
        lower=float(lower),
        upper=float(upper),
        level=level,
        method="bootstrap",
        draws=RESAMPLES,
    )
