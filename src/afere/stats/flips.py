"""The exact sign-flip test of paired differences over several rounds."""

from math import erfc, gcd, sqrt

import numpy as np

from afere.stats.interval import Floats, Integers, Numbers, as_floats

__all__ = ["sign_flip", "sign_flip_sums", "weighted_sign_flip"]

_OFF_GRID = 1e-6
_DIRECT = 20_000_000
_TAIL = 1e-40
_MANY_SIZES = 1_000


def sign_flip(differences: Numbers, rounds: int = 1) -> float:
    """Give the two-sided p of the sign-flip permutation test of a mean difference of 0.

    The share of all sign patterns of the differences whose absolute sum is at least the one seen.
    Differences are whole numbers (difference times rounds), or fractions on the grid 1/rounds
    when `rounds` is given: ties have to be exact. Zeros change nothing. For one round it is
    McNemar's exact p.

    The law of the sum is built from counts: of n items with |a| = j the sum is j(2X - n) with X
    binomial (n, 1/2); the laws of the sizes j are convolved.

    Raises ValueError for NaN, and for differences off the grid.
    """
    scaled = as_floats("differences", differences) * rounds
    whole = np.rint(scaled)
    if scaled.size and float(np.abs(scaled - whole).max()) > _OFF_GRID:
        raise ValueError(f"differences are not multiples of 1/{rounds}; ties would not be exact")
    return sign_flip_sums(whole.astype(np.int64))


def sign_flip_sums(sums: Integers) -> float:
    """Give the p for whole numbers, one an exchangeable unit (an item, or a cluster's sum)."""
    sizes, counts = np.unique(np.abs(sums[sums != 0]), return_counts=True)
    if not sizes.size:
        return 1.0
    unit = gcd(*(int(size) for size in sizes))
    law, lowest = np.ones(1), 0
    for size, count in zip(sizes // unit, counts, strict=True):
        law, lowest = _convolve(law, lowest, *_flips_of(int(size), int(count)))
    seen = abs(int(sums.sum())) // unit
    values = np.abs(lowest + 2 * np.arange(law.size))
    return float(min(1.0, law[values >= seen].sum()))


def weighted_sign_flip(
    differences: Floats,
    weights: Floats,
    rng: np.random.Generator,
    flips: int = 20_000,
) -> float:
    """Give the p of the sign-flip test of a weighted mean by random flips, counts drawn at once.

    (1 + patterns at least as extreme) / (1 + patterns drawn); for macro averages, whose weights
    are off every grid. Over a thousand sizes the sum is taken as normal.
    """
    moved = np.round(np.abs(differences) * weights, 12)
    sizes, counts = np.unique(moved[moved > 0], return_counts=True)
    if not sizes.size:
        return 1.0
    seen = abs(float(differences @ weights))
    if sizes.size > _MANY_SIZES:  # so many different sizes have a normal sum
        return erfc(seen / sqrt(2 * float(counts @ (sizes * sizes))))
    ups = rng.binomial(counts, 0.5, size=(flips, sizes.size))
    sums = np.abs((2 * ups - counts) @ sizes)
    return float((1 + np.count_nonzero(sums >= seen - 1e-12)) / (1 + flips))


def _flips_of(size: int, count: int) -> tuple[Floats, int]:
    """Give the law of `count` signs times `size` in steps of 2, and its lowest value."""
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, count + 1)))))
    binomial = np.exp(logs[-1] - logs - logs[::-1] - count * np.log(2))
    kept = np.flatnonzero(binomial > _TAIL)
    first, last = int(kept[0]), int(kept[-1])
    law = np.zeros((last - first) * size + 1)
    law[::size] = binomial[first : last + 1]
    return law, size * (2 * first - count)


def _convolve(first: Floats, low: int, second: Floats, low2: int) -> tuple[Floats, int]:
    if first.size * second.size <= _DIRECT:
        return np.convolve(first, second), low + low2
    length = first.size + second.size - 1
    padded = 1 << (length - 1).bit_length()
    product = np.fft.irfft(np.fft.rfft(first, padded) * np.fft.rfft(second, padded), padded)
    return np.maximum(product[:length], 0.0), low + low2
