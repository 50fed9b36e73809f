"""One round, the same items: intervals and tests of a difference of two paired proportions.

Counts: `both` right, `only_baseline`, `only_candidate`, `neither`; the difference is candidate
minus baseline, (only_candidate - only_baseline)/n.
"""

from dataclasses import dataclass
from math import comb, exp, lgamma, log, sqrt

from afere.stats.interval import Interval, check_count, two_sided
from afere.stats.proportions import wilson

__all__ = ["McNemar", "bonett_price", "mcnemar", "newcombe_paired", "tango"]

_HALVINGS = 60
_EDGE = 1e-12
_EXACT_UP_TO = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """Two-sided p values of McNemar's test."""

    exact: float
    mid_p: float


def tango(
    both: float,
    only_baseline: float,
    only_candidate: float,
    neither: float,
    level: float = 0.95,
) -> Interval:
    """Give Tango's score interval of the paired difference (Tango 1998).

    Limits are the D where (b - c - nD)/sqrt(n(2q + D(1-D))) is ± the normal quantile, b being
    `only_candidate`, c `only_baseline`, and q the estimate of c's cell under D: with A = 2n,
    B = -b - c + (2n - b + c)D, C = -cD(1-D), q = (sqrt(B² - 4AC) - B)/2A. Found by halving.
    Without discordant items the limits are ±z²/(n + z²); with n of n one way that end is ±1.

    Raises ValueError where there is no item or a count is none.
    """
    return tango_at(both, only_baseline, only_candidate, neither, two_sided(level), level)


def tango_at(  # noqa: PLR0913, PLR0917 - the four cells of a table, and how far
    both: float,
    only_baseline: float,
    only_candidate: float,
    neither: float,
    critical: float,
    level: float,
) -> Interval:
    """Give Tango's interval at a critical value (a sequential look has its own)."""
    _, c, b, n = _table(both, only_baseline, only_candidate, neither)
    estimate = (b - c) / n
    lower = -1.0 if c == n else _lower_limit(b, c, n, critical)
    upper = 1.0 if b == n else -_lower_limit(c, b, n, critical)
    return Interval(estimate=estimate, lower=lower, upper=upper, level=level, method="tango")


def newcombe_paired(
    both: float,
    only_baseline: float,
    only_candidate: float,
    neither: float,
    level: float = 0.95,
) -> Interval:
    """Give Newcombe's interval of the paired difference (Newcombe 1998, paired method 10).

    Square-and-add of the Wilson limits of the two proportions, with the correlation phi of the
    table, its numerator lessened by n/2 where positive (not below 0). A cross-check.

    Raises ValueError where there is no item or a count is none.
    """
    a, c, b, n = _table(both, only_baseline, only_candidate, neither)
    d = n - a - b - c
    candidate, baseline = wilson(a + b, n, level), wilson(a + c, n, level)
    phi = _phi(a, b, c, d)
    estimate = (b - c) / n
    below = _square_and_add(
        candidate.estimate - candidate.lower,
        baseline.upper - baseline.estimate,
        phi,
    )
    above = _square_and_add(
        candidate.upper - candidate.estimate,
        baseline.estimate - baseline.lower,
        phi,
    )
    return Interval(
        estimate=estimate,
        lower=max(estimate - below, -1.0),
        upper=min(estimate + above, 1.0),
        level=level,
        method="newcombe",
    )


def bonett_price(
    both: float,
    only_baseline: float,
    only_candidate: float,
    neither: float,
    level: float = 0.95,
) -> Interval:
    """Give the adjusted Wald interval of the paired difference (Bonett and Price 2012).

    One item is added to each discordant cell: with N = n + 2, p1 = (b+1)/N, p2 = (c+1)/N the
    limits are p1 - p2 ± z sqrt((p1 + p2 - (p1-p2)²)/N), cut at -1 and 1. A cross-check.

    Raises ValueError where there is no item or a count is none.
    """
    _, c, b, n = _table(both, only_baseline, only_candidate, neither)
    first, second = (b + 1) / (n + 2), (c + 1) / (n + 2)
    centre = first - second
    half = two_sided(level) * sqrt((first + second - centre * centre) / (n + 2))
    return Interval(
        estimate=(b - c) / n,
        lower=max(centre - half, -1.0),
        upper=min(centre + half, 1.0),
        level=level,
        method="bonett_price",
    )


def mcnemar(only_baseline: float, only_candidate: float) -> McNemar:
    """Give McNemar's exact two-sided p, and its mid-p (Fagerland, Lydersen and Laake 2013).

    With m the smaller of the discordant counts and t their sum: exact = min(1, 2 P(X <= m)) for
    X binomial (t, 1/2); mid-p = exact less P(X = m); at equal counts 1 - P(X = m)/2, and 1
    without discordant items.
    """
    c, b = (
        check_count("only_baseline", only_baseline),
        check_count("only_candidate", only_candidate),
    )
    total, least = b + c, min(b, c)
    if total == 0:
        return McNemar(exact=1.0, mid_p=1.0)
    point, below = _half_binomial(least, total)
    if b == c:
        return McNemar(exact=1.0, mid_p=1 - point / 2)
    return McNemar(exact=min(1.0, 2 * below), mid_p=min(1.0, 2 * below - point))


def _table(both: float, only_baseline: float, only_candidate: float, neither: float) -> list[int]:
    """Give a, c, b and n as whole numbers."""
    a, d = check_count("both", both), check_count("neither", neither)
    c, b = (
        check_count("only_baseline", only_baseline),
        check_count("only_candidate", only_candidate),
    )
    n = a + b + c + d
    if n == 0:
        raise ValueError("a difference over no items is not estimable")
    return [a, c, b, n]


def _lower_limit(b: int, c: int, n: int, critical: float) -> float:
    """Find where the score is the critical value, below the estimate; the upper end mirrors it."""
    low, high = -1 + _EDGE, (b - c) / n
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _score(b, c, n, middle) > critical:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _score(b: int, c: int, n: int, delta: float) -> float:
    """Standardised distance of the data from a true difference delta; falls as delta rises."""
    second = -b - c + (2 * n - b + c) * delta
    third = -c * delta * (1 - delta)
    root = sqrt(max(second * second - 8 * n * third, 0.0))
    # the two forms are equal; each is used where it does not subtract near-equal numbers
    cell = (root - second) / (4 * n) if second <= 0 else -2 * third / (root + second)
    variance = n * (2 * cell + delta * (1 - delta))
    return (b - c - n * delta) / sqrt(variance) if variance > 1e-14 else 0.0  # noqa: PLR2004 - zero but for rounding


def _phi(a: int, b: int, c: int, d: int) -> float:
    product = (a + b) * (c + d) * (a + c) * (b + d)
    if product == 0:
        return 0.0
    apart, n = a * d - b * c, a + b + c + d
    if apart > 0:
        return max(apart - n / 2, 0.0) / sqrt(product)
    return apart / sqrt(product)


def _square_and_add(first: float, second: float, phi: float) -> float:
    return sqrt(max(first * first - 2 * phi * first * second + second * second, 0.0))


def _half_binomial(m: int, total: int) -> tuple[float, float]:
    """Give P(X = m) and P(X <= m) for X binomial (total, 1/2)."""
    if total <= _EXACT_UP_TO:
        point = comb(total, m) / 2**total
    else:
        parts = lgamma(total + 1) - lgamma(m + 1) - lgamma(total - m + 1)
        point = exp(parts - total * log(2))
    term = below = point
    for i in range(m, 0, -1):
        term *= i / (total - i + 1)
        below += term
        if term < below * 1e-18:
            break
    return point, below
