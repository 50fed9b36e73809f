"""Intervals of one proportion, and of the difference of two independent ones."""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, sqrt

from afere.stats.interval import Interval, check_count, check_level, two_sided

__all__ = ["TwoProportions", "clopper_pearson", "two_proportions", "wilson"]

_HALVINGS = 80


def wilson(successes: float, n: float, level: float = 0.95) -> Interval:
    """Give Wilson's score interval of a proportion (Wilson 1927), without continuity correction.

    With p = successes/n and z the normal quantile: (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²))
    / (1 + z²/n). At 0 and n successes the outer end is exactly 0 or 1.

    Raises ValueError where n is 0 (nothing to estimate) or a count is none.
    """
    x, total = _proportion(successes, n)
    z = two_sided(level)
    p = x / total
    centre = p + z * z / (2 * total)
    half = z * sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    lower = 0.0 if x == 0 else (centre - half) / scale
    upper = 1.0 if x == total else (centre + half) / scale
    return Interval(estimate=p, lower=lower, upper=upper, level=level, method="wilson")


def clopper_pearson(
    successes: float,
    n: float,
    level: float = 0.95,
    side: str = "two-sided",
) -> Interval:
    """Give the exact binomial interval of a proportion (Clopper and Pearson 1934).

    Limits are beta quantiles: lower of Beta(x, n-x+1), upper of Beta(x+1, n-x). `side` is
    `two-sided`, or `upper` or `lower` for one limit at that level, the other being 0 or 1.

    Raises ValueError where n is 0, a count is none, or the side is unknown.
    """
    from scipy.special import betaincinv

    x, total = _proportion(successes, n)
    check_level(level)
    if side not in {"two-sided", "upper", "lower"}:
        raise ValueError(f"side is two-sided, upper or lower, not {side}")
    tail = (1 - level) / 2 if side == "two-sided" else 1 - level
    lower, upper = 0.0, 1.0
    if side != "upper" and x > 0:
        lower = float(betaincinv(x, total - x + 1, tail))
    if side != "lower" and x < total:
        upper = float(betaincinv(x + 1, total - x, 1 - tail))
    return Interval(
        estimate=x / total,
        lower=lower,
        upper=upper,
        level=level,
        method="clopper_pearson",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoProportions:
    """The drop from one group of items to another, independent one: before minus after."""

    drop: float
    newcombe: Interval
    miettinen_nurminen: Interval
    fisher_p: float


def two_proportions(
    before_right: float,
    before_n: float,
    after_right: float,
    after_n: float,
    level: float = 0.95,
) -> TwoProportions:
    """Compare the share right in two independent groups of items; the drop is before minus after.

    Newcombe 1998 (method 10 of the independent case): square-and-add of the two Wilson
    intervals. Miettinen and Nurminen 1985: score interval with the factor N/(N-1). Fisher's exact
    test, two-sided by probability.

    Raises ValueError where a group is empty or a count is none.
    """
    x1, n1 = _proportion(before_right, before_n)
    x2, n2 = _proportion(after_right, after_n)
    first, second = wilson(x1, n1, level), wilson(x2, n2, level)
    drop = first.estimate - second.estimate
    below = sqrt((first.estimate - first.lower) ** 2 + (second.upper - second.estimate) ** 2)
    above = sqrt((first.upper - first.estimate) ** 2 + (second.estimate - second.lower) ** 2)
    newcombe = Interval(
        estimate=drop,
        lower=max(drop - below, -1.0),
        upper=min(drop + above, 1.0),
        level=level,
        method="newcombe",
    )
    return TwoProportions(
        drop=drop,
        newcombe=newcombe,
        miettinen_nurminen=_miettinen_nurminen(x1, n1, x2, n2, level),
        fisher_p=_fisher(x1, n1, x2, n2),
    )


def _proportion(successes: float, n: float) -> tuple[int, int]:
    x, total = check_count("successes", successes), check_count("n", n)
    if total == 0:
        raise ValueError("a proportion of no items is not estimable")
    if x > total:
        raise ValueError(f"{x} successes of {total} are too many")
    return x, total


def _miettinen_nurminen(x1: int, n1: int, x2: int, n2: int, level: float) -> Interval:
    z = two_sided(level)
    drop = x1 / n1 - x2 / n2

    def beyond(delta: float) -> float:
        """Score statistic for a true difference delta; falls as delta rises."""
        p2 = _constrained(x1, n1, x2, n2, delta)
        p1 = min(max(p2 + delta, 0.0), 1.0)
        total = n1 + n2
        variance = (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * total / (total - 1)
        return (drop - delta) / sqrt(variance) if variance > 0 else 0.0

    lower = _bisect(lambda delta: beyond(delta) > z, -1.0, drop)
    upper = _bisect(lambda delta: beyond(delta) >= -z, drop, 1.0)
    return Interval(
        estimate=drop,
        lower=lower,
        upper=upper,
        level=level,
        method="miettinen_nurminen",
    )


def _constrained(x1: int, n1: int, x2: int, n2: int, delta: float) -> float:
    """Give the p2 that makes the data likeliest when p1 - p2 = delta: a root of its score."""
    low, high = max(0.0, -delta), min(1.0, 1.0 - delta)
    tiny = 1e-15

    def rising(p2: float) -> bool:
        p1 = p2 + delta
        slope = x1 / max(p1, tiny) - (n1 - x1) / max(1 - p1, tiny)
        slope += x2 / max(p2, tiny) - (n2 - x2) / max(1 - p2, tiny)
        return slope > 0

    return _bisect(rising, low, high)


def _bisect(before: Callable[[float], bool], low: float, high: float) -> float:
    """Find where a condition that holds on the left stops holding."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if before(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _fisher(x1: int, n1: int, x2: int, n2: int) -> float:
    """Two-sided by probability, in whole numbers: no rounding breaks a tie."""
    right = x1 + x2
    seen = comb(n1, x1) * comb(n2, x2)
    ways = (
        comb(n1, i) * comb(n2, right - i) for i in range(max(0, right - n2), min(n1, right) + 1)
    )
    extreme = sum(way for way in ways if way <= seen)
    return extreme / comb(n1 + n2, right)
