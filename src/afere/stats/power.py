"""How many items a question needs, and what a number of items can show."""

from dataclasses import dataclass
from math import ceil, isinf, sqrt

import numpy as np

from afere.stats.interval import check_count, check_level, check_share, normal_quantile, two_sided

__all__ = [
    "McNemarPower",
    "RequiredItems",
    "detectable_difference",
    "detectable_difference_rounds",
    "items_for_margin",
    "items_to_decide",
    "mcnemar_power",
    "required_items",
    "required_items_equivalence",
    "required_items_rounds",
]

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiredItems:
    """Numbers of items, exact and rounded up; None where no number is enough.

    even: where the interval would leave out 0 at the rates given (a coin toss for a new sample);
    planned: for the power asked.
    """

    even: float | None
    planned: float | None
    items_even: int | None
    items: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemarPower:
    """The chance that each form of McNemar's test rejects."""

    asymptotic: float
    exact: float
    mid_p: float


def required_items(
    difference: float,
    discordance: float,
    level: float = 0.95,
    power: float = 0.8,
) -> RequiredItems:
    """Give the items needed to show a difference d at a discordant share q (Connor 1987).

    planned = (z_a sqrt(q) + z_b sqrt(q - d²))²/d², z_a two-sided at the level and z_b at the
    power; even = z_a² q/d², where Tango's interval leaves out 0. None at a difference of 0.

    `discordance` may be the mean square of the items' differences over several rounds: it is the
    same number at one round. Raises ValueError where it is smaller than the squared difference.
    """
    check_share("discordance", discordance)
    check_share("power", power)
    if not abs(difference) <= 1:
        raise ValueError(f"a difference lies between -1 and 1, not at {difference}")
    if difference == 0:
        return RequiredItems(even=None, planned=None, items_even=None, items=None)
    if discordance - difference * difference < -_ROUNDING:
        raise ValueError(f"a difference of {difference} needs a discordance above {discordance}")
    return _planned(difference, discordance, level, power)


def required_items_rounds(  # noqa: PLR0913 - the variances of a design
    difference: float,
    between: float,
    within: tuple[float, float],
    rounds: tuple[int, int],
    *,
    level: float = 0.95,
    power: float = 0.8,
) -> RequiredItems:
    """Give the items needed over several rounds (Miller 2024, equation 9).

    (z_a + z_b)² (w² + sA²/kA + sB²/kB)/d² with w² the variance between items of the true
    differences (`between`) and s² the variance within an item (`within`, baseline first).
    """
    if difference == 0:
        return RequiredItems(even=None, planned=None, items_even=None, items=None)
    spread = _spread(between, within, rounds)
    z, z_power = two_sided(level), normal_quantile(power)
    square = difference * difference
    return _rounded(z * z * spread / square, (z + z_power) ** 2 * spread / square)


def required_items_equivalence(
    discordance: float,
    margin: float,
    level: float = 0.95,
    power: float = 0.8,
) -> RequiredItems:
    """Give the items needed to show equivalence when the true difference is 0.

    (z_a + z_(1-(1-power)/2))² q/m²: both ends have to lie inside the margin. None at margin 0.
    """
    check_share("discordance", discordance)
    check_share("margin", margin)
    if margin == 0:
        return RequiredItems(even=None, planned=None, items_even=None, items=None)
    return _equivalent(discordance, margin, level, power)


def items_to_decide(  # noqa: PLR0913, PLR0917 - what was seen, and what is asked
    items: int,
    difference: float,
    variance: float,
    margin: float,
    level: float = 0.95,
    power: float = 0.8,
) -> tuple[RequiredItems, RequiredItems]:
    """Give the items that would show the difference seen, and those for equivalence at 0.

    The formulas of `required_items` and `required_items_equivalence` with the discordance
    q = n · variance + d², `variance` being that of the estimate over the n items seen; so they
    serve macro averages and groups of items, too.
    """
    nothing = RequiredItems(even=None, planned=None, items_even=None, items=None)
    q = items * variance + difference * difference
    shown = nothing if difference == 0 else _planned(difference, q, level, power)
    same = nothing if margin == 0 else items_for_margin(q, margin, level, power)
    return shown, same


def items_for_margin(
    discordance: float,
    margin: float,
    level: float = 0.95,
    power: float = 0.8,
) -> RequiredItems:
    """Give `required_items_equivalence`, and no fewer than a margin needs without any difference.

    With no discordant item Tango's interval ends at z²/(n + z²): n has to be above z²(1 - m)/m.
    """
    needed = _equivalent(discordance, margin, level, power)
    z = two_sided(level)
    least = z * z * (1 - margin) / margin
    if needed.planned is None:
        return needed
    return _rounded(max(needed.even or 0.0, least), max(needed.planned or 0.0, least))


def detectable_difference(
    n: float,
    discordance: float,
    level: float = 0.95,
    power: float = 0.8,
) -> float | None:
    """Give the smallest difference that n items show with that power at a discordant share.

    The d with (z_a sqrt(q) + z_b sqrt(q - d²))² = n d², which has the closed form of a quadratic
    in d; None where not even d = q is enough (every discordant item on one side).

    Raises ValueError without items.
    """
    items = check_count("n", n)
    check_share("discordance", discordance)
    if items == 0:
        raise ValueError("no items show nothing")
    z, z_power = two_sided(level), normal_quantile(power)
    root = sqrt(discordance)
    # sqrt(n) d - z_a sqrt(q) = z_b sqrt(q - d²), squared
    a = items + z_power * z_power
    b = -2 * sqrt(items) * z * root
    c = (z * z - z_power * z_power) * discordance
    smallest = (-b + sqrt(max(b * b - 4 * a * c, 0.0))) / (2 * a)
    return smallest if smallest <= discordance else None


def detectable_difference_rounds(  # noqa: PLR0913 - the variances of a design
    n: float,
    between: float,
    within: tuple[float, float],
    rounds: tuple[int, int],
    *,
    level: float = 0.95,
    power: float = 0.8,
) -> float:
    """Give the smallest difference that n items show over several rounds (Miller 2024)."""
    items = check_count("n", n)
    if items == 0:
        raise ValueError("no items show nothing")
    z = two_sided(level) + normal_quantile(power)
    return z * sqrt(_spread(between, within, rounds) / items)


def mcnemar_power(
    n: float,
    difference: float,
    discordance: float,
    level: float = 0.95,
) -> McNemarPower:
    """Give the power of McNemar's tests by enumeration.

    The sum over t of P(t of n items are discordant) times the chance that a binomial
    (t, (q + d)/2q) split is rejected.
    """
    from scipy.special import bdtr, gammaln, xlogy

    items = check_count("n", n)
    check_level(level)
    check_share("discordance", discordance)
    if not abs(difference) <= discordance or discordance == 0:
        raise ValueError(f"a difference of {difference} needs a discordance of at least its size")
    alpha, z = 1 - level, two_sided(level)
    up = (discordance + difference) / (2 * discordance)
    powers = np.zeros(3)
    for t in range(1, items + 1):
        log_seen = gammaln(items + 1) - gammaln(t + 1) - gammaln(items - t + 1)
        log_seen += xlogy(t, discordance) + xlogy(items - t, 1 - discordance)
        seen = float(np.exp(log_seen))
        if seen < 1e-15:  # noqa: PLR2004 - adds nothing
            continue
        b = np.arange(t + 1)
        logs = gammaln(t + 1) - gammaln(b + 1) - gammaln(t - b + 1)
        split = np.exp(logs + xlogy(b, up) + xlogy(t - b, 1 - up))
        half = np.exp(logs - t * np.log(2))
        least = np.minimum(b, t - b)
        exact = np.minimum(1.0, 2 * bdtr(least.astype(float), t, 0.5))
        rejected = np.array(
            [
                (2 * b - t) ** 2 / t > z * z,
                exact <= alpha,
                np.where(2 * b == t, 1.0, exact - half) <= alpha,
            ],
        )
        powers += seen * (rejected @ split)
    asymptotic, exact_power, mid = (float(each) for each in powers)
    return McNemarPower(asymptotic=asymptotic, exact=exact_power, mid_p=mid)


def _spread(between: float, within: tuple[float, float], rounds: tuple[int, int]) -> float:
    if min(between, *within) < 0 or min(rounds) < 1:
        raise ValueError("variances are not negative and rounds are at least 1")
    return between + within[0] / rounds[0] + within[1] / rounds[1]


def _planned(difference: float, discordance: float, level: float, power: float) -> RequiredItems:
    z, z_power = two_sided(level), normal_quantile(power)
    square = difference * difference
    if square == 0:  # so small that no number of items is enough
        return RequiredItems(even=None, planned=None, items_even=None, items=None)
    spread = max(discordance - square, 0.0)
    planned = (z * sqrt(discordance) + z_power * sqrt(spread)) ** 2 / square
    return _rounded(z * z * discordance / square, planned)


def _equivalent(discordance: float, margin: float, level: float, power: float) -> RequiredItems:
    z, z_power = two_sided(level), normal_quantile((1 + power) / 2)
    square = margin * margin
    if square == 0:  # so small that no number of items is enough
        return RequiredItems(even=None, planned=None, items_even=None, items=None)
    return _rounded(z * z * discordance / square, (z + z_power) ** 2 * discordance / square)


def _rounded(even: float, planned: float) -> RequiredItems:
    return RequiredItems(
        even=even,
        planned=planned,
        items_even=None if isinf(even) else ceil(even - _ROUNDING),
        items=None if isinf(planned) else ceil(planned - _ROUNDING),
    )
