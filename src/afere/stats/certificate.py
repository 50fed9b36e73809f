"""A threshold with a promise: how it is chosen by power, and what certifies it.

An error rate among accepted cases is certified at `max_error` with `confidence` when so few errors
among so many accepted would come with a probability of at most 1 - confidence if the true rate
were `max_error`: the one-sided Clopper-Pearson bound lies at or below it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2

import numpy as np

from afere.stats.interval import Floats, Integers, Numbers, check_count, check_level
from afere.stats.risk import RiskCoverage

__all__ = [
    "Candidate",
    "Certified",
    "accepted_for_power",
    "accepted_needed",
    "certifies",
    "errors_allowed",
    "fixed_sequence",
    "power_candidates",
    "power_pick",
    "search_all_rows",
    "sequence_from_top",
    "sequence_of",
    "spread_thresholds",
    "upper_bound",
]

MOST_CANDIDATES = 60
QUANTILES = 21
LAXEST_POWER = 0.9
_TOLERANCE = 1e-15


def upper_bound(errors: int, accepted: int, confidence: float = 0.95) -> float:
    """Give the one-sided Clopper-Pearson bound of the error rate; 1 where nothing was accepted."""
    from scipy.special import betaincinv

    k, n = check_count("errors", errors), check_count("accepted", accepted)
    check_level(confidence)
    if k > n:
        raise ValueError(f"{k} errors among {n} accepted are too many")
    return 1.0 if k == n else float(betaincinv(k + 1, n - k, confidence))


def certifies(errors: int, accepted: int, max_error: float, confidence: float = 0.95) -> bool:
    """Tell whether so many errors certify the promise."""
    return accepted > 0 and bool(_cdf(errors, accepted, max_error) <= 1 - confidence + _TOLERANCE)


def errors_allowed(accepted: int, max_error: float, confidence: float = 0.95) -> int:
    """Give the most errors with which so many accepted certify; -1 where even none would not."""
    return int(_allowed(np.array([accepted]), max_error, confidence)[0])


def accepted_needed(
    max_error: float,
    confidence: float = 0.95,
    errors: int = 0,
) -> int:
    """Give the fewest accepted cases that certify with so many errors: 59 for 5 % without any."""
    _check(max_error, confidence)
    low, high = errors, errors + 1
    while not certifies(errors, high, max_error, confidence):
        low, high = high, 2 * high
    while low + 1 < high:
        middle = (low + high) // 2
        if certifies(errors, middle, max_error, confidence):
            high = middle
        else:
            low = middle
    return high


def accepted_for_power(
    max_error: float,
    true_error: float,
    confidence: float = 0.95,
    power: float = 0.8,
) -> int | None:
    """Give how many accepted cases certify with that chance if the true error rate is as guessed.

    It holds for every larger number too. None where the guess is not below the promise, or more
    than ten million cases would be needed.
    """
    _check(max_error, confidence)
    check_level(power)
    if not 0 <= true_error < max_error:
        return None
    size = 1024
    while size <= 16_777_216:  # noqa: PLR2004 - more is no plan
        n = np.arange(1, size + 1)
        enough = _power(n, true_error, max_error, confidence) >= power
        # at twice the last failure the chance no longer falls below: it rises with n but for steps
        last = int(n[~enough][-1]) if (~enough).any() else 0
        if last * 2 < size:
            return last + 1
        size *= 4
    return None


def _power(n: Integers, true_error: float, max_error: float, confidence: float) -> Floats:
    allowed = _allowed(n, max_error, confidence)
    chance = _cdf(np.maximum(allowed, 0), n, true_error)
    return np.where(allowed < 0, 0.0, chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A threshold seen on the tuning part.

    expected: how many reserved cases it would accept; allowed: the errors that would still
    certify these, -1 if none would; power: the chance to certify; value: power times coverage.
    """

    threshold: float
    accepted: int
    errors: int
    expected: int
    allowed: int
    power: float
    value: float


def spread_thresholds(confidence: Numbers, most: int = MOST_CANDIDATES) -> Floats:
    """Give the confidences at which blocks of ties end, falling; up to 60, evenly by rank."""
    levels, counts = np.unique(-np.asarray(confidence, dtype=np.float64), return_counts=True)
    accepted = np.cumsum(counts)
    if len(levels) > most:
        ranks = np.linspace(1, int(accepted[-1]), most)
        levels = levels[np.unique(np.searchsorted(accepted, ranks, side="left"))]
    return -levels + 0.0


def power_candidates(  # noqa: PLR0913, PLR0917 - three columns, two sizes, the promise
    thresholds: Numbers,
    accepted: Numbers,
    errors: Numbers,
    size: int,
    reserved: int,
    max_error: float,
    confidence: float = 0.95,
) -> tuple[Candidate, ...]:
    """Look at thresholds as they did on the tuning part of `size` cases.

    The error rate at each has the Jeffreys posterior Beta(k + 1/2, m - k + 1/2), taken at its 21
    quantiles (i + 1/2)/21; power is the mean chance that `reserved` cases then certify.
    """
    from scipy.special import betaincinv

    _check(max_error, confidence)
    m, k = np.asarray(accepted, dtype=np.int64), np.asarray(errors, dtype=np.int64)
    expected = np.rint(reserved * m / size).astype(np.int64)  # half to even, as Python rounds
    allowed = _allowed(expected, max_error, confidence)
    quantiles = (np.arange(QUANTILES) + 0.5) / QUANTILES
    rates = betaincinv((k + 0.5)[:, None], (m - k + 0.5)[:, None], quantiles[None, :])
    chance = _cdf(np.maximum(allowed, 0)[:, None], expected[:, None], rates).mean(axis=1)
    power = np.where(allowed < 0, 0.0, chance)
    columns = (m, k, expected, allowed, power, power * m / size)
    return tuple(
        Candidate(
            threshold=float(threshold),
            accepted=int(each[0]),
            errors=int(each[1]),
            expected=int(each[2]),
            allowed=int(each[3]),
            power=float(each[4]),
            value=float(each[5]),
        )
        for threshold, each in zip(np.asarray(thresholds), zip(*columns, strict=True), strict=True)
    )


def power_pick(candidates: Sequence[Candidate]) -> Candidate | None:
    """Choose the threshold of the largest power times coverage; None where nothing can certify."""
    best = max(candidates, key=lambda each: each.value)
    return best if best.value > 0 else None


def sequence_of(candidates: Sequence[Candidate]) -> tuple[float, ...]:
    """Give the falling thresholds to test in turn: from the laxest whose power is at least 0.9."""
    if power_pick(candidates) is None:
        return ()
    safe = [place for place, each in enumerate(candidates) if each.power >= LAXEST_POWER]
    powers = [each.power for each in candidates]
    start = safe[-1] if safe else powers.index(max(powers))
    return tuple(each.threshold for each in candidates[start:])


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """A threshold that was certified, with the error budget that its search left it."""

    threshold: float
    accepted: int
    errors: int
    budget: float


def fixed_sequence(
    looks: Sequence[tuple[float, int, int]],
    max_error: float,
    confidence: float = 0.95,
) -> Certified | None:
    """Test (threshold, accepted, errors) in turn, and stop at the first that does not certify.

    Learn then test (Angelopoulos and others 2021) with a sequence fixed beforehand: each test may
    use the whole error budget. Gives the last that certified, None where the first did not.
    """
    best = None
    for threshold, accepted, errors in looks:
        if not certifies(errors, accepted, max_error, confidence):
            break
        best = Certified(
            threshold=threshold, accepted=accepted, errors=errors, budget=1 - confidence
        )
    return best


def sequence_from_top(
    curve: RiskCoverage,
    max_error: float,
    confidence: float = 0.95,
) -> Certified | None:
    """Go down from the top over ends of blocks on all rows, while each certifies.

    It begins at the first block end that could certify at all: the sequence does not depend on
    what was right, so no row need be reserved.
    """
    _check(max_error, confidence)
    least = accepted_needed(max_error, confidence)
    start = int(np.searchsorted(curve.accepted, least, side="left"))
    certified = (
        _cdf(curve.errors[start:], curve.accepted[start:], max_error) <= 1 - confidence + _TOLERANCE
    )
    failed = np.flatnonzero(~certified)
    last = start + (int(failed[0]) if failed.size else len(certified)) - 1
    if last < start:
        return None
    return Certified(
        threshold=float(curve.thresholds[last]),
        accepted=int(curve.accepted[last]),
        errors=int(curve.errors[last]),
        budget=1 - confidence,
    )


def search_all_rows(
    curve: RiskCoverage,
    max_error: float,
    confidence: float = 0.95,
) -> Certified | None:
    """Search all rows by halving over ends of blocks; each step pays its share of the budget.

    Selection with guaranteed risk (Geifman and El-Yaniv 2017): the budget 1 - confidence is
    divided by ceil(log2 rows), the most steps that a search takes.
    """
    _check(max_error, confidence)
    steps = max(1, ceil(log2(curve.rows))) if curve.rows > 1 else 1
    budget = (1 - confidence) / steps
    low, high, best = 0, len(curve.accepted) - 1, None
    for _ in range(steps):
        if low > high:
            break
        middle = (low + high) // 2
        accepted, errors = int(curve.accepted[middle]), int(curve.errors[middle])
        if certifies(errors, accepted, max_error, 1 - budget):
            best = Certified(
                threshold=float(curve.thresholds[middle]),
                accepted=accepted,
                errors=errors,
                budget=budget,
            )
            low = middle + 1
        else:
            high = middle - 1
    return best


def _allowed(n: Integers, max_error: float, confidence: float) -> Integers:
    """Give the most errors that certify each n, -1 where none would."""
    from scipy.special import bdtrik

    n = np.asarray(n, dtype=np.int64)
    delta = 1 - confidence
    guess = np.full(n.shape, -1, dtype=np.int64)
    some = n > 0
    if some.any():
        found = np.floor(bdtrik(delta, n[some], max_error))
        guess[some] = np.where(np.isfinite(found), found, -1).astype(np.int64) + 1
    for _ in range(4):  # the inverse is near; the sum decides
        over = (guess >= 0) & (_cdf(np.maximum(guess, 0), n, max_error) > delta + _TOLERANCE)
        if not over.any():
            break
        guess[over] -= 1
    return guess


def _cdf(errors: object, accepted: object, rate: object) -> Floats:
    """Give the chance of at most so many errors."""
    from scipy.special import bdtr

    return np.asarray(bdtr(errors, accepted, rate), dtype=np.float64)


def _check(max_error: float, confidence: float) -> None:
    check_level(confidence)
    if not 0 < max_error < 1:
        raise ValueError(f"max_error is a fraction between 0 and 1, not {max_error}; 5 % is 0.05")
