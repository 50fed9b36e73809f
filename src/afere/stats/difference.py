"""The paired difference of two models, with all that a verdict needs."""

from dataclasses import dataclass
from math import lcm, sqrt

import numpy as np

from afere.stats.estimate import (
    Shown,
    Values,
    all_binary,
    independent,
    shared,
    shown_interval,
    variance_of,
    weights_of,
)
from afere.stats.flips import sign_flip_sums, weighted_sign_flip
from afere.stats.interval import Floats, Integers
from afere.stats.noise import rerun_variance
from afere.stats.paired import mcnemar
from afere.stats.pairs import Pairs
from afere.stats.resampling import generator

__all__ = ["Counts", "Difference", "paired_difference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Items by which side has them right in more than half of the rounds; ties are `split`."""

    both_right: int
    only_baseline: int
    only_candidate: int
    both_wrong: int
    split: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A paired difference, candidate minus baseline, and what is known of its spread.

    lower, upper: None where there is nothing to estimate (all items in one group).
    variance: sampling variance of the estimate over items like these.
    noise: variances of the two means when the same items are asked again, None for one round.
    without_noise: the interval that endless rounds would leave, None for one round.
    p_value: mid-p of McNemar for one round, else the sign-flip test; p_exact: without mid-p.
    groups: how many, None where items are independent; wider: whether the independent interval
    was the wider one and stands here.
    only_baseline, only_candidate: places of the items.
    """

    items: int
    estimate: float
    lower: float | None
    upper: float | None
    level: float
    method: str
    draws: int
    variance: float
    noise: tuple[float | None, float | None]
    without_noise: tuple[float, float] | None
    p_value: float | None
    p_exact: float | None
    counts: Counts
    groups: int | None
    too_few_groups: bool
    wider: bool
    only_baseline: list[int]
    only_candidate: list[int]


def paired_difference(
    data: Pairs,
    *,
    macro: bool,
    level: float,
    margin: float,
    seed: int,
) -> Difference:
    """Estimate the difference over items that have every row, with the interval of its verdict.

    macro: every category weighs the same; else every item does. The margin only tells where more
    random draws are worth their time. Raises ValueError without items.
    """
    if not data.items:
        raise ValueError("a difference over no items is not estimable")
    rounds = data.baseline.shape[1], data.candidate.shape[1]
    binary = all_binary(data.baseline) and all_binary(data.candidate)
    first, second = data.baseline.mean(axis=1), data.candidate.mean(axis=1)
    strata = data.categories if macro and data.categories is not None else None
    if strata is not None and len(strata.names) == 1:
        strata = None
    values = Values(
        _on_grid(second - first, rounds) if binary else second - first,
        rounds,
        binary,
        strata,
        shared(data.groups),
    )
    weights = weights_of(values)  # in the order of the rows, as the noise needs them
    noise = (
        rerun_variance(data.baseline, weights, data.variants[0]),
        rerun_variance(data.candidate, weights, data.variants[1]),
    )
    values = values.ordered()
    alone = independent(values, level, seed, (0.0, margin, -margin))
    shown, cluster = shown_interval(values, alone, level)
    variance = variance_of(values)
    spread = max(variance, (cluster.standard_error or 0.0) ** 2 if cluster else 0.0)
    p_value, p_exact = _tests(values, weights_of(values), seed)
    return Difference(
        items=data.items,
        estimate=alone.estimate,
        # a posterior shrunk towards 0 may leave its own estimate out; so widened it holds more
        lower=None if shown.lower is None else min(shown.lower, alone.estimate),
        upper=None if shown.upper is None else max(shown.upper, alone.estimate),
        level=level,
        method=shown.method,
        draws=alone.draws,
        variance=spread,
        noise=noise,
        without_noise=_without_noise(alone.estimate, shown, spread, noise),
        p_value=p_value,
        p_exact=p_exact,
        counts=_counts(first, second),
        groups=cluster.groups if cluster else None,
        too_few_groups=cluster.too_few_groups if cluster else False,
        wider=bool(cluster) and shown.method == alone.method,
        only_baseline=np.flatnonzero((first > 0.5) & (second < 0.5)).tolist(),  # noqa: PLR2004 - half of the rounds
        only_candidate=np.flatnonzero((first < 0.5) & (second > 0.5)).tolist(),  # noqa: PLR2004 - half of the rounds
    )


def _on_grid(data: Floats, rounds: tuple[int, int]) -> Floats:
    """Take away rounding, so that equal differences are equal numbers."""
    steps = lcm(*rounds)
    return np.rint(data * steps) / steps


def _without_noise(
    estimate: float,
    shown: Shown,
    variance: float,
    noise: tuple[float | None, float | None],
) -> tuple[float, float] | None:
    lower, upper = shown.lower, shown.upper
    if lower is None or upper is None or None in noise or variance == 0:
        return None
    left = sqrt(max(0.0, 1 - sum(each or 0.0 for each in noise) / variance))
    return estimate - (estimate - lower) * left, estimate + (upper - estimate) * left


def _tests(values: Values, weights: Floats, seed: int) -> tuple[float | None, float | None]:
    """Give p value and exact p; the unit that is flipped is the item or the group."""
    data, groups = values.data, values.groups
    if values.binary and values.strata is None:
        if values.rounds == (1, 1) and groups is None:
            test = mcnemar(int((data < 0).sum()), int((data > 0).sum()))
            return test.mid_p, test.exact
        steps = lcm(*values.rounds) if isinstance(values.rounds, tuple) else values.rounds
        whole = np.rint(data * steps).astype(np.int64)
        p = sign_flip_sums(whole if groups is None else _sums(groups.codes, whole))
        return p, p
    if groups is not None:
        moved = np.asarray(np.bincount(groups.codes, weights=data * weights), dtype=np.float64)
        data, weights = moved, np.ones(moved.size)
    return weighted_sign_flip(data, weights, generator(seed, "flips")), None


def _sums(codes: Integers, whole: Integers) -> Integers:
    return np.rint(np.bincount(codes, weights=whole)).astype(np.int64)


def _counts(first: Floats, second: Floats) -> Counts:
    half = 0.5
    split = (first == half) | (second == half)
    return Counts(
        both_right=int(((first > half) & (second > half)).sum()),
        only_baseline=int(((first > half) & (second < half)).sum()),
        only_candidate=int(((first < half) & (second > half)).sum()),
        both_wrong=int(((first < half) & (second < half)).sum()),
        split=int(split.sum()),
    )
