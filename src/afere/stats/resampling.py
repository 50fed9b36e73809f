"""Intervals of means from random draws: Dirichlet posteriors and the stratified bootstrap.

Only counts of distinct values enter, never the order of rows, so that the cost does not depend on
the number of items and shuffled rows give the same limits. Where a limit lies within the Monte
Carlo error of a value on which a verdict turns (`settle`), more is drawn before it is given.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from typing import TypeAlias

import numpy as np

from afere.stats.interval import Floats, Interval, Numbers, as_floats, check_level

__all__ = [
    "Rounds",
    "Spread",
    "difference_values",
    "dirichlet_mean",
    "dirichlet_of",
    "dirichlet_score",
    "dirichlet_strata",
    "dirichlet_strata_of",
    "generator",
    "score_values",
    "spread_on",
    "stratified_bootstrap",
    "stratified_bootstrap_of",
]

Rounds: TypeAlias = int | tuple[int, int]

DRAWS, MOST_DRAWS = 10_000, 640_000
RESAMPLES, MOST_RESAMPLES = 2_000, 128_000
_PSEUDO_ITEMS = 2.0
_CHUNK = 200_000
_OFF_GRID = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Distinct values with their counts, and the prior weight of each."""

    values: Floats
    counts: Floats
    prior: Floats

    @property
    def items(self) -> float:
        """Count the items."""
        return float(self.counts.sum())

    @property
    def mean(self) -> float:
        """Give the plain mean of the items."""
        return float(self.values @ self.counts / self.counts.sum())


def generator(seed: int, *names: str) -> np.random.Generator:
    """Make a random generator from a seed and names; equal arguments give equal draws."""
    return np.random.default_rng([seed, *(_stable(name) for name in names)])


def dirichlet_mean(  # noqa: PLR0913 - the data and how to draw
    differences: Numbers,
    rounds: Rounds,
    level: float,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
    settle: Sequence[float] = (),
) -> Interval:
    """Give the interval of a mean difference over several rounds from a Dirichlet posterior.

    With k rounds an item's difference (candidate minus baseline) is one of the V = 2k + 1 values
    -1, -1 + 1/k, …, 1. With C their counts, theta ~ Dirichlet(C + 2/V): two pseudo-items spread
    evenly; the limits are the equal-tailed quantiles of theta · v, the estimate the plain mean.
    `rounds` is k, or (k baseline, k candidate): then the values are the distinct i/kA - j/kB.
    A Bayesian bootstrap (Rubin 1981) with a prior that keeps its coverage where items agree.

    Raises ValueError without items, for NaN, and for differences off the grid of the rounds.
    """
    spread = spread_on(difference_values(rounds), as_floats("differences", differences))
    return dirichlet_of(spread, level, rng, draws=draws, settle=settle)


def dirichlet_score(
    scores: Numbers,
    rounds: int,
    level: float,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
) -> Interval:
    """Give the interval of one model's mean over several rounds; scores are the items' means.

    As `dirichlet_mean`, over the k + 1 values 0, 1/k, …, 1 with prior 2/(k + 1) each.
    """
    spread = spread_on(score_values(rounds), as_floats("scores", scores))
    return dirichlet_of(spread, level, rng, draws=draws)


def dirichlet_strata(  # noqa: PLR0913 - the data and how to draw
    strata: Mapping[str, Numbers],
    rounds: Rounds,
    level: float,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
    settle: Sequence[float] = (),
) -> Interval:
    """Give the interval of the mean over strata of their mean differences, a posterior each.

    Each stratum has its own Dirichlet with two pseudo-items: 1/2, 1, 1/2 over -1, 0, 1 for one
    round, spread evenly for several. Draw by draw the strata's means are averaged.

    Raises ValueError without strata, for an empty one, for NaN and for differences off the grid.
    """
    values = difference_values(rounds)
    prior = np.array([0.5, 1.0, 0.5]) if rounds in {1, (1, 1)} else None
    spreads = {
        name: spread_on(values, as_floats(name, differences), prior)
        for name, differences in strata.items()
    }
    return dirichlet_strata_of(spreads, level, rng, draws=draws, settle=settle)


def stratified_bootstrap(
    strata: Mapping[str, Numbers],
    level: float,
    resamples: int,
    rng: np.random.Generator,
    *,
    settle: Sequence[float] = (),
) -> Interval:
    """Give the percentile interval of the mean over strata of their means (Efron 1979).

    Each stratum is resampled at its own size; resampling n items with replacement is one
    multinomial draw over the distinct values. Each stratum has its own generator, made from a
    draw of `rng` and the stratum's name, so that a further stratum does not shift the others.
    Limits are the smallest values with at least the tail's share of the resamples.

    Where all items tie the width is 0, which is no ground for a verdict.
    Raises ValueError without strata, for an empty one and for NaN.
    """
    spreads = {name: _distinct(as_floats(name, each)) for name, each in strata.items()}
    return stratified_bootstrap_of(spreads, level, resamples, rng, settle=settle)


def difference_values(rounds: Rounds) -> Floats:
    """Give the values that an item's difference can take, in rising order."""
    first, second = rounds if isinstance(rounds, tuple) else (rounds, rounds)
    if first < 1 or second < 1:
        raise ValueError("rounds are at least 1")
    if first == second:
        return np.arange(-first, first + 1) / first
    steps = {j * first - i * second for i, j in product(range(first + 1), range(second + 1))}
    return np.array(sorted(steps)) / (first * second)


def score_values(rounds: int) -> Floats:
    """Give the values that an item's mean can take, in rising order."""
    if rounds < 1:
        raise ValueError("rounds are at least 1")
    return np.arange(rounds + 1) / rounds


def spread_on(
    values: Floats,
    data: Floats,
    prior: Floats | None = None,
    *,
    strict: bool = True,
) -> Spread:
    """Count data on a grid of values; the prior is two pseudo-items, evenly spread unless given.

    Data off the grid are refused, or where not `strict` become values of their own without prior.
    """
    if not data.size:
        raise ValueError("a mean over no items is not estimable")
    weights = np.full(values.size, _PSEUDO_ITEMS / values.size) if prior is None else prior
    places = np.clip(np.searchsorted(values, data), 1, values.size - 1)
    places = places - (data - values[places - 1] < values[places] - data)
    off = np.abs(values[places] - data) > _OFF_GRID
    counts = np.bincount(places[~off], minlength=values.size).astype(np.float64)
    if not off.any():
        return Spread(values, counts, weights)
    if strict:
        raise ValueError(f"{data[off][0]} is no mean that these rounds can give")
    others = _distinct(data[off])
    return Spread(
        np.concatenate([values, others.values]),
        np.concatenate([counts, others.counts]),
        np.concatenate([weights, others.prior]),
    )


def dirichlet_of(
    spread: Spread,
    level: float,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
    settle: Sequence[float] = (),
) -> Interval:
    """Give the Dirichlet interval of counted values."""
    lower, upper, used = _settled(
        lambda size: _posterior_means(spread, size, rng),
        level,
        settle,
        sizes=(draws, MOST_DRAWS),
    )
    return Interval(
        estimate=spread.mean,
        lower=lower,
        upper=upper,
        level=level,
        method="dirichlet",
        draws=used,
    )


def dirichlet_strata_of(
    spreads: Mapping[str, Spread],
    level: float,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
    settle: Sequence[float] = (),
) -> Interval:
    """Give the Dirichlet interval of the mean over strata of counted values."""
    generators = _generator_each(spreads, rng)

    def draw(size: int) -> Floats:
        means = [_posterior_means(spreads[name], size, generators[name]) for name in spreads]
        return np.asarray(sum(means) / len(means))

    lower, upper, used = _settled(draw, level, settle, sizes=(draws, MOST_DRAWS))
    return Interval(
        estimate=_mean_of_means(spreads),
        lower=lower,
        upper=upper,
        level=level,
        method="dirichlet_strata",
        draws=used,
    )


def stratified_bootstrap_of(
    spreads: Mapping[str, Spread],
    level: float,
    resamples: int,
    rng: np.random.Generator,
    *,
    settle: Sequence[float] = (),
) -> Interval:
    """Give the stratified percentile interval of counted values."""
    generators = _generator_each(spreads, rng)

    def draw(size: int) -> Floats:
        means = [_resampled_means(spreads[name], size, generators[name]) for name in spreads]
        return np.asarray(sum(means) / len(means))

    lower, upper, used = _settled(draw, level, settle, sizes=(resamples, MOST_RESAMPLES))
    return Interval(
        estimate=_mean_of_means(spreads),
        lower=lower,
        upper=upper,
        level=level,
        method="stratified_bootstrap",
        draws=used,
    )


def _stable(name: str) -> int:
    return int.from_bytes(sha256(name.encode("utf-8", "surrogatepass")).digest()[:8], "big")


def _generator_each(
    spreads: Mapping[str, Spread],
    rng: np.random.Generator,
) -> dict[str, np.random.Generator]:
    if not spreads:
        raise ValueError("a mean over no strata is not estimable")
    seed = int(rng.integers(2**62))
    return {name: generator(seed, name) for name in spreads}


def _mean_of_means(spreads: Mapping[str, Spread]) -> float:
    return float(np.mean([spread.mean for spread in spreads.values()]))


def _distinct(data: Floats) -> Spread:
    """Count distinct values; those that differ by rounding alone are one."""
    if not data.size:
        raise ValueError("a mean over no items is not estimable")
    ordered = np.sort(data)
    starts = np.flatnonzero(np.diff(np.round(ordered, 9), prepend=-np.inf))
    counts = np.diff(starts, append=ordered.size).astype(np.float64)
    return Spread(ordered[starts], counts, np.zeros(starts.size))


def _posterior_means(spread: Spread, size: int, rng: np.random.Generator) -> Floats:
    shapes = spread.counts + spread.prior
    step = max(1, _CHUNK * 8 // shapes.size)
    parts = []
    for start in range(0, size, step):
        weights = rng.standard_gamma(shapes, size=(min(step, size - start), shapes.size))
        parts.append((weights @ spread.values) / weights.sum(axis=1))
    return np.concatenate(parts)


def _resampled_means(spread: Spread, size: int, rng: np.random.Generator) -> Floats:
    total = int(spread.counts.sum())
    drawn = rng.multinomial(total, spread.counts / spread.counts.sum(), size=size)
    return np.asarray(drawn @ spread.values / total)


def _settled(
    draw: Callable[[int], Floats],
    level: float,
    settle: Sequence[float],
    *,
    sizes: tuple[int, int],
) -> tuple[float, float, int]:
    """Draw until no limit lies within its Monte Carlo error of a value that matters.

    The error is four standard errors of the limit's rank among the draws (its binomial law).
    """
    check_level(level)
    size, most = sizes
    tail = (1 - level) / 2
    sample = np.sort(draw(size))
    while sample.size < most and _unsettled(sample, tail, settle):
        sample = np.sort(np.concatenate([sample, draw(3 * sample.size)]))
    lower = float(np.quantile(sample, tail, method="inverted_cdf"))
    upper = float(np.quantile(sample, 1 - tail, method="inverted_cdf"))
    return lower, upper, sample.size


def _unsettled(ordered: Floats, tail: float, settle: Sequence[float]) -> bool:
    """Tell whether a value that matters lies among the different draws that the limit may be."""
    n = ordered.size
    spread = 4 * np.sqrt(n * tail * (1 - tail)) + 1
    for rank in (n * tail, n * (1 - tail)):
        low = ordered[max(0, int(rank - spread))]
        high = ordered[min(n - 1, int(rank + spread))]
        if low < high and any(low <= value <= high for value in settle):
            return True
    return False
