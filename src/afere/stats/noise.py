"""How much of a score is the noise between rounds of the same model on the same items."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from afere.stats.interval import Floats

__all__ = ["Noise", "floor_of", "noise_floor", "noise_of", "rerun_variance", "rounds_together"]

CRITICAL = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Noise between rounds and spread between items; None where one round cannot tell.

    within_variance: mean over items of the variance over rounds (n-1).
    between_variance: variance of the item means less within/k, never below 0 here; the raw value
    stands beside it.
    standard_error_same_items: of the score when the same items are asked again;
    standard_error_new_items: when other items like these are.
    noise_floor: 1.96 times the first; two runs of one model differ by sqrt(2) times that.
    """

    within_variance: float | None
    variance_of_item_means: float | None
    between_variance: float | None
    between_variance_raw: float | None
    standard_error_same_items: float | None
    standard_error_new_items: float | None
    noise_floor: float | None
    estimable: bool


def noise_floor(scores: Sequence[Sequence[float]] | Floats) -> Noise:
    """Split the spread of scores (items in rows, rounds in columns) into noise and items.

    One-way random effects: sw² = mean of the items' variances over rounds, sb² = Var(item means)
    - sw²/k; SE of a rerun = sqrt(sw²/(n k)), of new items sqrt(sb²/n + sw²/(n k)). The standard
    deviation of the k round totals is not used: at three rounds it has two degrees of freedom.

    Raises ValueError for NaN and without items.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not table.size:  # noqa: PLR2004 - items and rounds
        raise ValueError("scores are a table of items in rows and rounds in columns")
    if not np.isfinite(table).all():
        raise ValueError("scores hold a value that is no number; leave lost items out")
    return noise_of(table)


def floor_of(*variances: float | None) -> float | None:
    """Give 1.96 standard errors of a sum of variances, None where one is not known."""
    known = [variance for variance in variances if variance is not None]
    return CRITICAL * sqrt(sum(known)) if len(known) == len(variances) else None


def noise_of(table: Floats) -> Noise:
    """Give the noise of a checked table."""
    n, k = table.shape
    means_variance = float(table.mean(axis=1).var(ddof=1)) if n > 1 else None
    if k < 2:  # noqa: PLR2004 - one round has no spread
        return Noise(
            within_variance=None,
            variance_of_item_means=means_variance,
            between_variance=None,
            between_variance_raw=None,
            standard_error_same_items=None,
            standard_error_new_items=None,
            noise_floor=None,
            estimable=False,
        )
    within = float(table.var(axis=1, ddof=1).mean())
    same = sqrt(within / (n * k))
    raw = None if means_variance is None else means_variance - within / k
    return Noise(
        within_variance=within,
        variance_of_item_means=means_variance,
        between_variance=None if raw is None else max(raw, 0.0),
        between_variance_raw=raw,
        standard_error_same_items=same,
        standard_error_new_items=None if means_variance is None else sqrt(means_variance / n),
        noise_floor=CRITICAL * same,
        estimable=True,
    )


def rounds_together(
    scores: Sequence[float] | Floats,
    rounds: int,
    variants: int = 1,
) -> float | None:
    """Give the p of rounds that differ by no more than the noise of their items explains.

    scores: item by item, round by round, variant by variant; NaN where lost (such items are left
    out). With independent items the variance of the k round means is sw²/n, so that
    (k - 1) Var(round means) n / sw² is chi-square with k - 1 degrees of freedom. None with fewer
    than two rounds or no noise.
    """
    cells = np.asarray(scores, dtype=np.float64).reshape(-1, rounds, variants)
    table = cells.transpose(0, 2, 1).reshape(-1, rounds)
    whole = table[np.isfinite(table).all(axis=1)]
    n, k = whole.shape
    if n < 2 or k < 2:  # noqa: PLR2004 - nothing to compare
        return None
    within = float(whole.var(axis=1, ddof=1).mean())
    if within == 0:
        return None
    from scipy.special import chdtrc

    return float(chdtrc(k - 1, (k - 1) * float(whole.mean(axis=0).var(ddof=1)) * n / within))


def rerun_variance(table: Floats, weights: Floats, variants: int = 1) -> float | None:
    """Give the variance of a weighted mean of item means when the same items are asked again.

    Columns are rounds, each with its variants beside one another; NaN marks lost rows. Variants
    (rotations of the options) differ by design and are no noise: the variance is taken over the
    rounds of each. An item with a single counted round takes the mean variance of the others.
    None where no item has two rounds.
    """
    n, columns = table.shape
    if columns // variants < 2:  # noqa: PLR2004 - one round has no spread
        return None
    there = np.isfinite(table)
    if variants == 1 and there.all():
        apart = table - (np.einsum("ij->i", table) / columns)[:, None]
        return _weighted(weights, np.einsum("ij,ij->i", apart, apart) / (columns - 1) / columns)
    cells = table.reshape(n, columns // variants, variants)
    there = there.reshape(cells.shape)
    counts = there.sum(axis=1)
    sums = np.where(there, cells, 0.0).sum(axis=1)
    means = sums / np.maximum(counts, 1)
    squares = np.where(there, (cells - means[:, None, :]) ** 2, 0.0).sum(axis=1)
    known = counts >= 2  # noqa: PLR2004 - one round has no spread
    if not known.any():
        return None
    variances = np.where(known, squares / np.maximum(counts - 1, 1), 0.0)
    variances = np.where(known, variances, float(variances[known].mean()))
    rows = np.maximum(counts.sum(axis=1), 1)
    # the item's mean over all its rows: each variant adds its count times its variance
    item_variance = (counts * variances).sum(axis=1) / rows**2
    return _weighted(weights, item_variance)


def _weighted(weights: Floats, variances: Floats) -> float:
    return float(np.sort(weights**2 * variances).sum())  # sorted: rows may come in any order
