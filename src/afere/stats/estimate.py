"""One interval for a mean, or for the difference of two, chosen by the shape of the data.

| rounds | weights | items | interval |
|---|---|---|---|
| one, right or wrong | equal | independent | Tango's score interval (one model: Wilson's) |
| several, right or wrong | equal | independent | Dirichlet |
| any, partial scores | equal | independent | t with two pseudo-items of ±2/3 |
| any | by category, each of 40 items or more | independent | stratified percentile bootstrap |
| any | by category, some smaller | independent | Dirichlet a category, and t over all: hull |
| any, of hundreds of values | by category | independent | t with pseudo-items a category |
| any | over more than 1,000 categories | independent | t with pseudo-items over all |
| any | any | in groups | the widest of four clustered limits, see `shown_interval` |

Where fewer than 20 items in all differ from the rest of their category, the bootstrap's interval is
too narrow (all alike it has no width): the Dirichlet of smaller categories stands in.
"""

from dataclasses import dataclass, replace
from math import fsum, lcm, sqrt

import numpy as np

from afere.stats.clusters import (
    ClusterInterval,
    Weighted,
    effective_clusters,
    pseudo_clusters,
    weighted_clusters,
)
from afere.stats.interval import Floats, Interval, student_quantile
from afere.stats.paired import tango
from afere.stats.pairs import Labels
from afere.stats.proportions import wilson
from afere.stats.resampling import (
    RESAMPLES,
    Rounds,
    Spread,
    difference_values,
    dirichlet_of,
    dirichlet_strata_of,
    generator,
    score_values,
    spread_on,
    stratified_bootstrap_of,
)

__all__ = [
    "Shown",
    "Values",
    "all_binary",
    "independent",
    "shared",
    "shown_interval",
    "total_of",
    "variance_of",
    "weights_of",
]

SMALL_STRATUM = 40
FEW_MOVING = 20
MANY_VALUES = 500
MANY_STRATA = 1000
_PSEUDO = 2 / 3


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """One number an item, with what decides how its mean is estimated.

    rounds: how many columns stand behind each number: one count for a model's scores, a pair for
    the differences of two. binary: whether each column is right or wrong alone.
    """

    data: Floats
    rounds: Rounds
    binary: bool
    strata: Labels | None
    groups: Labels | None

    def ordered(self) -> "Values":
        """Give the same numbers in an order of their own, where their sums would depend on it."""
        named = [labels.codes for labels in (self.groups, self.strata) if labels is not None]
        if not named:  # whole counts and exact sums depend on no order
            return self
        order = np.lexsort((self.data, *named))
        return replace(
            self,
            data=self.data[order],
            strata=self.strata and Labels(self.strata.codes[order], self.strata.names),
            groups=self.groups and Labels(self.groups.codes[order], self.groups.names),
        )

    @property
    def steps(self) -> int:
        """Into how many equal steps the grid divides 1, so that binary data are whole numbers."""
        return self.rounds if isinstance(self.rounds, int) else lcm(*self.rounds)

    @property
    def grid(self) -> Floats:
        """The values that a number can take."""
        if isinstance(self.rounds, int):
            return score_values(self.rounds)
        return difference_values(self.rounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The interval that stands: limits None where there is nothing to estimate."""

    lower: float | None
    upper: float | None
    method: str


def all_binary(table: Floats) -> bool:
    """Tell whether every score is 0 or 1."""
    return bool(((table == 0) | (table == 1)).all())


def shared(groups: Labels | None) -> Labels | None:
    """Give the groups where some item shares one."""
    if groups is None or np.unique(groups.codes).size == groups.codes.size:
        return None
    return groups


def weights_of(values: Values) -> Floats:
    """Give the weight of each item in the mean: alike, or alike within categories that are."""
    if values.strata is None:
        return np.full(values.data.size, 1 / values.data.size)
    sizes = np.bincount(values.strata.codes)
    return np.asarray(1 / (sizes[values.strata.codes] * len(values.strata.names)))


def total_of(values: Values) -> float:
    """Add the numbers up; the order of the items does not change the sum, not even by rounding."""
    if values.binary:
        return float(_whole(values).sum()) / values.steps
    return fsum(values.data)


def _whole(values: Values) -> Floats:
    """Give binary data as whole numbers of steps, whose sums are exact in any order."""
    return np.rint(values.data * values.steps)


def _strata_means(values: Values) -> Floats:
    """Give each item the mean of its stratum."""
    if values.strata is None:
        return np.full(values.data.size, total_of(values) / values.data.size)
    codes = values.strata.codes
    sums = np.bincount(codes, weights=values.data)
    return np.asarray((sums / np.bincount(codes))[codes])


def variance_of(values: Values) -> float:
    """Give the sampling variance of the mean with independent items (denominator n)."""
    if values.strata is None and values.binary:
        whole, n = _whole(values), values.data.size
        once, squares = int(whole.sum()), int(whole @ whole)
        return (n * squares - once * once) / values.steps**2 / n**3
    apart = (values.data - _strata_means(values)) ** 2
    if values.strata is None:
        return fsum(apart) / values.data.size**2
    codes, sizes = values.strata.codes, np.bincount(values.strata.codes)
    inside = np.bincount(codes, weights=apart) / sizes
    return float((inside / sizes).sum()) / sizes.size**2


def independent(
    values: Values,
    level: float,
    seed: int,
    settle: tuple[float, ...],
) -> Interval:
    """Give the interval for independent items; `settle` are values on which a verdict turns."""
    if values.strata is not None:
        return _stratified(values, values.strata, level, seed, settle)
    if values.binary and values.rounds == 1:
        return wilson(float(values.data.sum()), values.data.size, level)
    if values.binary and values.rounds == (1, 1):
        b, c = int((values.data > 0).sum()), int((values.data < 0).sum())
        return tango(0, c, b, values.data.size - b - c, level)
    if values.binary:
        spread = spread_on(values.grid, values.data, strict=False)
        return dirichlet_of(spread, level, generator(seed, "mean"), settle=settle)
    return _pseudo_t(values, level)


def _stratified(
    values: Values,
    strata: Labels,
    level: float,
    seed: int,
    settle: tuple[float, ...],
) -> Interval:
    prior = np.array([0.5, 1.0, 0.5]) if values.rounds == (1, 1) else None
    if len(strata.names) > MANY_STRATA:
        return _weighted_pseudo_t(values, level)
    if not values.binary and np.unique(np.round(values.data, 9)).size > MANY_VALUES:
        return _hull(_pseudo_t(values, level), _weighted_pseudo_t(values, level))
    spreads: dict[str, Spread] = {
        name: spread_on(values.grid, values.data[kept], prior, strict=False)
        for name, kept in zip(strata.names, strata.places(), strict=True)
    }
    rng = generator(seed, "strata")
    smallest = min(spread.items for spread in spreads.values())
    moving = sum(spread.items - float(spread.counts.max()) for spread in spreads.values())
    if smallest >= SMALL_STRATUM and moving >= FEW_MOVING:
        return stratified_bootstrap_of(spreads, level, RESAMPLES, rng, settle=settle)
    drawn = dirichlet_strata_of(spreads, level, rng, settle=settle)
    return _hull(drawn, _weighted_pseudo_t(values, level))


def _hull(interval: Interval, other: Interval) -> Interval:
    """Widen an interval by what another holds besides.

    Two pseudo-items in each of many small strata pull the mean to the middle and hide the spread
    of single items; weighted as one sample, two pseudo-items in all do neither.
    """
    low, high = min(interval.lower, other.lower), max(interval.upper, other.upper)
    return replace(interval, lower=low, upper=high)


def _weighted_pseudo_t(values: Values, level: float) -> Interval:
    """Give t over all items by their weights, strata aside, with two pseudo-items of mean weight.

    With w' the weights of items and pseudo-items made to sum to 1, m = sum w' d and n' = 1/sum w'²:
    variance n'/(n' - 1) sum w'² (d - m)², n' - 1 degrees of freedom. Of equal weights this is the t
    of independent items with two pseudo-items.
    """
    middle, away = (0.5, 0.5) if isinstance(values.rounds, int) else (0.0, _PSEUDO)
    weights, n = weights_of(values), values.data.size
    total = 1 + 2 / n
    each = np.concatenate([weights, [1 / n, 1 / n]]) / total
    data = np.concatenate([values.data, [middle - away, middle + away]])
    centre = fsum(each * data)
    size = 1 / fsum(each**2)
    variance = fsum((each * (data - centre)) ** 2) * size / (size - 1)
    half = student_quantile((1 + level) / 2, size - 1) * sqrt(variance)
    return Interval(
        estimate=fsum(weights * values.data),
        lower=max(centre - half, middle - 1.0 if middle == 0 else 0.0),
        upper=min(centre + half, 1.0),
        level=level,
        method="pseudo_t_weighted",
    )


def _pseudo_t(values: Values, level: float) -> Interval:
    """Give t over the items and two pseudo-items, for numbers on no grid.

    The pseudo-items are ±2/3 for a difference, 0 and 1 for a score; with strata, each has two of
    its own and the degrees of freedom are Satterthwaite's.
    """
    middle, away = (0.5, 0.5) if isinstance(values.rounds, int) else (0.0, _PSEUDO)
    strata = [values.data]
    if values.strata is not None:
        strata = [values.data[kept] for kept in values.strata.places()]
    parts = [_pseudo_part(data, middle, away) for data in strata]
    variance = sum(part[1] for part in parts)
    freedom = variance**2 / sum(part[1] ** 2 / (part[2] - 1) for part in parts)
    centre = sum(part[0] for part in parts) / len(parts)
    half = student_quantile((1 + level) / 2, freedom) * sqrt(variance) / len(parts)
    return Interval(
        estimate=sum(fsum(data) / data.size for data in strata) / len(strata),
        lower=max(centre - half, middle - 1.0 if middle == 0 else 0.0),
        upper=min(centre + half, 1.0),
        level=level,
        method="pseudo_t" if values.strata is None else "pseudo_t_strata",
    )


def _pseudo_part(data: Floats, middle: float, away: float) -> tuple[float, float, int]:
    """Give mean, variance of the mean and number of the items with two pseudo-items."""
    n = data.size + 2
    centre = (fsum(data) + 2 * middle) / n
    squares = fsum((data - centre) ** 2)
    squares += (middle + away - centre) ** 2 + (middle - away - centre) ** 2
    return centre, squares / (n - 1) / n, n


def shown_interval(
    values: Values,
    alone: Interval,
    level: float,
) -> tuple[Shown, ClusterInterval | None]:
    """Give the interval that stands, and the clustered one where items come in groups.

    In groups it is the widest of four: the clustered one, the same with fewer degrees of freedom
    (where groups are of unequal size) or with two pseudo-groups (where hardly any group differs),
    and the one of independent items (where answers within a group are less alike than chance).
    """
    if values.groups is None:
        return Shown(lower=alone.lower, upper=alone.upper, method=alone.method), None
    score = isinstance(values.rounds, int)
    weighted = Weighted(
        values.data,
        weights_of(values),
        values.data - _strata_means(values),
        variance_of(values),
        middle=0.5 if score else 0.0,
        away=1 / 6 if score else 1 / 3,
    )
    cluster = weighted_clusters(weighted, values.groups.codes, level)
    if cluster.lower is None or cluster.upper is None:
        return Shown(lower=None, upper=None, method="cluster_t"), cluster
    lowest = 0.0 if score else -1.0
    ends = {
        "cluster_t": (cluster.lower, cluster.upper),
        "cluster_effective_t": effective_clusters(weighted, values.groups.codes, level),
        "cluster_pseudo_t": pseudo_clusters(weighted, values.groups.codes, level),
        alone.method: (alone.lower, alone.upper),
    }
    method = max(ends, key=lambda name: ends[name][1] - ends[name][0])
    low, high = ends[method]
    return Shown(lower=max(low, lowest), upper=min(high, 1.0), method=method), cluster
