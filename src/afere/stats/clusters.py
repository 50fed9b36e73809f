"""The interval of a mean over items that share a passage."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from afere.stats.interval import Floats, Integers, Numbers, as_floats, check_level, student_quantile

__all__ = [
    "FEWEST_GROUPS",
    "ClusterInterval",
    "Weighted",
    "cluster_interval",
    "effective_clusters",
    "pseudo_clusters",
    "weighted_clusters",
]

FEWEST_GROUPS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterInterval:
    """A mean with its clustered standard error; None where one group leaves nothing to estimate.

    plain_standard_error: as if items were independent; larger_standard_error: the larger of both,
    which is the one to report. too_few_groups: under 8, where the interval decides nothing.
    """

    mean: float
    groups: int
    degrees_of_freedom: int
    standard_error: float | None
    standard_error_without_factor: float | None
    plain_standard_error: float | None
    larger_standard_error: float | None
    lower: float | None
    upper: float | None
    level: float
    too_few_groups: bool


@dataclass(frozen=True, slots=True, eq=False)
class Weighted:
    """Differences with the weight of each in the mean, and its residual.

    middle, away: of the range of the numbers, and how far from it pseudo-groups lie.
    """

    differences: Floats
    weights: Floats
    residuals: Floats
    plain_variance: float
    middle: float = 0.0
    away: float = 1 / 3


def cluster_interval(
    differences: Numbers,
    groups: Sequence[object] | NDArray[np.int64],
    level: float = 0.95,
) -> ClusterInterval:
    """Give the interval of a mean whose items come in groups (Miller 2024, with the factor).

    SE² = G/(G-1) · (1/n²) · sum over groups of (sum of residuals)², limits mean ± t(G-1) · SE,
    not cut at -1 and 1. An item without a group is a group of one: give it a name of its own.

    Raises ValueError without items, for NaN, and where groups and items do not match in number.
    """
    data = as_floats("differences", differences)
    codes = _codes(groups)
    if not data.size:
        raise ValueError("a mean over no items is not estimable")
    if codes.size != data.size:
        raise ValueError(f"{data.size} differences and {codes.size} groups do not match")
    n = data.size
    residuals = data - data.mean()
    plain = float(residuals @ residuals) / (n - 1) / n if n > 1 else float("nan")
    weighted = Weighted(data, np.full(n, 1 / n), residuals, plain)
    return weighted_clusters(weighted, codes, level)


def weighted_clusters(data: Weighted, codes: Integers, level: float) -> ClusterInterval:
    """Give the clustered interval of a weighted mean: e_g is the sum of weight times residual."""
    check_level(level)
    sums = np.bincount(codes, weights=data.weights * data.residuals)
    groups = int(np.unique(codes).size)
    mean = float(data.differences @ data.weights)
    plain = sqrt(data.plain_variance) if data.plain_variance >= 0 else None
    if groups < 2:  # noqa: PLR2004 - one group has no spread
        return ClusterInterval(
            mean=mean,
            groups=groups,
            degrees_of_freedom=0,
            standard_error=None,
            standard_error_without_factor=None,
            plain_standard_error=plain,
            larger_standard_error=None,
            lower=None,
            upper=None,
            level=level,
            too_few_groups=True,
        )
    without = sqrt(float(sums @ sums))
    error = without * sqrt(groups / (groups - 1))
    half = student_quantile((1 + level) / 2, groups - 1) * error
    return ClusterInterval(
        mean=mean,
        groups=groups,
        degrees_of_freedom=groups - 1,
        standard_error=error,
        standard_error_without_factor=without,
        plain_standard_error=plain,
        larger_standard_error=max(error, plain or 0.0),
        lower=mean - half,
        upper=mean + half,
        level=level,
        too_few_groups=groups < FEWEST_GROUPS,
    )


def pseudo_clusters(data: Weighted, codes: Integers, level: float) -> tuple[float, float]:
    """Give the clustered limits with two pseudo-groups, whose means lie ±1/3 round the middle.

    Where hardly any group differs, the spread of the others hides how far groups may lie apart
    and the clustered error is too small, 0 at worst. With M = G + 2, pseudo-groups of an average
    group's weight and e_g as in `cluster_interval`: SE² = (G² sum e_g² + 2/9 + 2 G d²/M)
    / (M (M - 1)), d being the distance of the mean from the middle; the centre is drawn there by
    G/M, t has M - 1 degrees of freedom. The middle is 0 for differences, and for scores, whose
    range is half as wide, 1/2 with pseudo-groups at 1/3 and 2/3.
    """
    sums = np.bincount(codes, weights=data.weights * data.residuals)
    groups = int(np.unique(codes).size)
    more, away = groups + 2, data.away
    mean = float(data.differences @ data.weights) - data.middle
    spread = groups**2 * float(sums @ sums) + 2 * away**2 + 2 * groups * mean**2 / more
    half = student_quantile((1 + level) / 2, more - 1) * sqrt(spread / (more * (more - 1)))
    centre = data.middle + mean * groups / more
    return centre - half, centre + half


def effective_clusters(data: Weighted, codes: Integers, level: float) -> tuple[float, float]:
    """Give the clustered limits with as many degrees of freedom as groups of one size would leave.

    Where a few groups hold most items, their residuals alone make the error, and t(G - 1) is too
    short. The effective number is G* = 1 / sum of (weight of a group)², which is G for groups of
    one size (Carter, Schnepel and Steigerwald 2017, for errors equal within a group):
    mean ± t(G* - 1) · sqrt(G*/(G* - 1)) · sqrt(sum e_g²), with one degree of freedom at least.
    """
    sums = np.bincount(codes, weights=data.weights * data.residuals)
    shares = np.bincount(codes, weights=data.weights)
    effective = max(1 / float(shares @ shares), 2.0)
    error = sqrt(float(sums @ sums) * effective / (effective - 1))
    mean = float(data.differences @ data.weights)
    half = student_quantile((1 + level) / 2, effective - 1) * error
    return mean - half, mean + half


def _codes(groups: Sequence[object] | NDArray[np.int64]) -> Integers:
    if isinstance(groups, np.ndarray):
        return np.unique(groups, return_inverse=True)[1].astype(np.int64).ravel()
    names: dict[object, int] = {}
    return np.array([names.setdefault(name, len(names)) for name in groups], dtype=np.int64)
