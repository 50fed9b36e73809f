"""Difference in differences: what a model lost after a date, against its reference."""

from dataclasses import dataclass, replace
from math import sqrt

from afere.stats.interval import Interval, Numbers, as_floats, check_level, student_quantile

__all__ = ["DifferenceInDifferences", "difference_in_differences", "with_limits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceInDifferences:
    """Before minus after, with Welch's interval; None where a side has too little to estimate."""

    estimate: float
    standard_error: float | None
    degrees_of_freedom: float | None
    lower: float | None
    upper: float | None
    p: float | None
    level: float


def difference_in_differences(
    before: Numbers,
    after: Numbers,
    level: float = 0.95,
) -> DifferenceInDifferences:
    """Compare item differences (model minus reference) before a date with those after it.

    Welch 1947: SE² = s1²/n1 + s2²/n2, degrees of freedom by Satterthwaite, limits by t.

    Raises ValueError for NaN and where a side is empty.
    """
    check_level(level)
    first, second = as_floats("before", before), as_floats("after", after)
    if not first.size or not second.size:
        raise ValueError("one side of the date has no items: not estimable")
    estimate = float(first.mean() - second.mean())
    if min(first.size, second.size) < 2:  # noqa: PLR2004 - one item has no spread
        return _nothing(estimate, level)
    parts = float(first.var(ddof=1)) / first.size, float(second.var(ddof=1)) / second.size
    total = sum(parts)
    if total == 0:
        return _nothing(estimate, level)
    from scipy.special import stdtr

    freedom = total**2 / (parts[0] ** 2 / (first.size - 1) + parts[1] ** 2 / (second.size - 1))
    error = sqrt(total)
    half = student_quantile((1 + level) / 2, freedom) * error
    return DifferenceInDifferences(
        estimate=estimate,
        standard_error=error,
        degrees_of_freedom=freedom,
        lower=estimate - half,
        upper=estimate + half,
        p=float(2 * stdtr(freedom, -abs(estimate) / error)),
        level=level,
    )


def with_limits(estimated: DifferenceInDifferences, interval: Interval) -> DifferenceInDifferences:
    """Give the same estimate with the limits of another method."""
    return replace(estimated, lower=interval.lower, upper=interval.upper)


def _nothing(estimate: float, level: float) -> DifferenceInDifferences:
    return DifferenceInDifferences(
        estimate=estimate,
        standard_error=None,
        degrees_of_freedom=None,
        lower=None,
        upper=None,
        p=None,
        level=level,
    )
