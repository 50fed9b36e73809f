"""How good stated confidences are as forecasts: proper scores, their parts, and smooth errors."""

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from afere.stats.interval import Floats, Integers, Numbers
from afere.stats.reliability import Bins, bins_at, rated_rows

__all__ = [
    "BrierParts",
    "Corp",
    "CorpBand",
    "HosmerLemeshow",
    "auroc",
    "brier",
    "brier_parts",
    "corp",
    "corp_band",
    "hosmer_lemeshow",
    "log_loss",
    "smooth_ece",
]

MOST_BLOCKS = 20_000
_GRID = 8192


def brier(confidence: Numbers, right: Numbers) -> float:
    """Give the mean squared difference of confidence and right (Brier 1950)."""
    confidences, rights = rated_rows(confidence, right)
    return float(((confidences - rights) ** 2).mean())


def log_loss(confidence: Numbers, right: Numbers, clip: float | None = None) -> float:
    """Give the mean of -log of what was given to what came; infinite where that was 0.

    clip: confidences are first cut to [clip, 1 - clip].
    """
    confidences, rights = rated_rows(confidence, right)
    if clip is not None:
        confidences = np.clip(confidences, clip, 1 - clip)
    given = np.where(rights == 1, confidences, 1 - confidences)
    return inf if (given == 0).any() else float(-np.log(given).mean())


def auroc(confidence: Numbers, right: Numbers) -> float | None:
    """Give how often a right answer has more confidence than a wrong one, ties half.

    None where all are right or all wrong.
    """
    confidences, rights = rated_rows(confidence, right)
    positives = int(rights.sum())
    negatives = len(rights) - positives
    if not positives or not negatives:
        return None
    levels, place = np.unique(confidences, return_inverse=True)
    n = np.bincount(place, minlength=len(levels))
    good = np.bincount(place, weights=rights, minlength=len(levels))
    bad = n - good
    below = np.cumsum(bad) - bad
    return float((good * (below + bad / 2)).sum() / (positives * negatives))


@dataclass(frozen=True, slots=True, kw_only=True)
class BrierParts:
    """The Brier score taken apart by bins (Murphy 1973, with both terms within bins).

    brier = reliability - resolution + uncertainty + within_variance - within_covariance.
    """

    reliability: float
    resolution: float
    uncertainty: float
    within_variance: float
    within_covariance: float


def brier_parts(confidence: Numbers, right: Numbers, edges: Numbers) -> BrierParts:
    """Take the Brier score apart over bins between edges (Stephenson and others 2008)."""
    confidences, rights = rated_rows(confidence, right)
    bins = bins_at(confidences, rights, edges)
    place = np.searchsorted(bins.edges[1:-1], confidences, side="right")
    mean, accuracy = _means(bins)
    base = float(rights.mean())
    weight = bins.n / bins.rows
    away, missed = confidences - mean[place], rights - accuracy[place]
    return BrierParts(
        reliability=float((weight * (mean - accuracy) ** 2).sum()),
        resolution=float((weight * (accuracy - base) ** 2).sum()),
        uncertainty=base * (1 - base),
        within_variance=float((away**2).mean()),
        within_covariance=float(2 * (missed * away).mean()),
    )


def _means(bins: Bins) -> tuple[Floats, Floats]:
    """Give mean confidence and accuracy of each bin, 0 where it is empty."""
    n = np.maximum(bins.n, 1)
    return bins.confidence / n, bins.right / n


@dataclass(frozen=True, slots=True, kw_only=True)
class HosmerLemeshow:
    """A test of calibration: nothing was fitted, so it has as many degrees of freedom as groups."""

    statistic: float
    degrees_of_freedom: int
    p: float


def hosmer_lemeshow(confidence: Numbers, right: Numbers, groups: int = 10) -> HosmerLemeshow:
    """Test whether each group of equal mass has as many right answers as its confidences say.

    Hosmer and Lemeshow 1980, for forecasts that were not fitted to these rows. A large table
    rejects everything: read the gaps instead.
    """
    from scipy.special import gammaincc

    from afere.stats.reliability import bins_of_equal_mass

    bins = bins_of_equal_mass(confidence, right, groups).bins
    mean = bins.confidence / bins.n
    spread = bins.n * mean * (1 - mean)
    gap = (bins.right - bins.confidence) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(spread > 0, gap / spread, np.where(gap > 0, inf, 0.0))
    statistic, freedom = float(parts.sum()), len(bins.n)
    p = 0.0 if statistic == inf else float(gammaincc(freedom / 2, statistic / 2))
    return HosmerLemeshow(statistic=statistic, degrees_of_freedom=freedom, p=p)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corp:
    """The Brier score taken apart without bins (Dimitriadis, Gneiting and Jordan 2021).

    score = miscalibration - discrimination + uncertainty. levels: the distinct confidences, n the
    rows of each, fitted the share that is right there by the isotonic fit.
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float
    levels: Floats
    n: Floats
    fitted: Floats

    def at(self, confidence: Numbers) -> Floats:
        """Give the fit at confidences; between two levels it is straight."""
        asked = np.asarray(confidence, dtype=np.float64)
        return np.asarray(np.interp(asked, self.levels, self.fitted), dtype=np.float64)


def corp(confidence: Numbers, right: Numbers) -> Corp:
    """Fit accuracy as a rising function of confidence (pool adjacent violators), and score it."""
    confidences, rights = rated_rows(confidence, right)
    levels, n, good = levels_of(confidences, rights)
    fitted = isotonic(good / n, n)
    base = float(good.sum() / n.sum())

    def score(forecast: Floats | float) -> float:
        parts = good * (forecast - 1) ** 2 + (n - good) * np.square(forecast)
        return float(parts.sum() / n.sum())

    whole, best, flat = score(levels), score(fitted), score(base)
    return Corp(
        score=whole,
        miscalibration=whole - best,
        discrimination=flat - best,
        uncertainty=flat,
        levels=levels,
        n=n,
        fitted=fitted,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CorpBand:
    """Where the isotonic fit lies if the confidences are honest: pointwise limits at levels.

    blocks: how many levels the band was drawn on; whole: whether these are all distinct ones.
    """

    levels: Floats
    lower: Floats
    upper: Floats
    blocks: int
    whole: bool


def corp_band(
    confidence: Numbers,
    rng: np.random.Generator,
    *,
    draws: int = 200,
    level: float = 0.9,
    most: int = MOST_BLOCKS,
) -> CorpBand:
    """Draw answers that are right as often as said, fit each, and give the pointwise limits.

    More than `most` distinct confidences are merged into that many blocks of neighbours.
    """
    confidences, _ = rated_rows(confidence, np.zeros(np.size(np.asarray(confidence))))
    levels, counts = np.unique(confidences, return_counts=True)
    whole = len(levels) <= most
    if not whole:
        starts = np.linspace(0, len(levels), most, endpoint=False).astype(np.int64)
        sums = np.add.reduceat(levels * counts, starts)
        counts = np.add.reduceat(counts, starts)
        levels = sums / counts
    shown = _shown(len(levels))
    fits = np.empty((draws, len(shown)))
    for number in range(draws):
        drawn = rng.binomial(counts, np.clip(levels, 0, 1))
        fits[number] = isotonic(drawn / counts, counts.astype(np.float64))[shown]
    tail = (1 - level) / 2
    lower, upper = np.quantile(fits, [tail, 1 - tail], axis=0)
    return CorpBand(levels=levels[shown], lower=lower, upper=upper, blocks=len(levels), whole=whole)


def _shown(count: int, most: int = 200) -> Integers:
    """Give the places at which a curve is shown: all of a few, else spread with both ends."""
    if count <= most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, most).round().astype(np.int64))


def levels_of(confidence: Floats, right: Floats) -> tuple[Floats, Floats, Floats]:
    """Give the distinct confidences, rising, with rows and right answers of each."""
    levels, place, counts = np.unique(confidence, return_inverse=True, return_counts=True)
    good = np.bincount(place, weights=right, minlength=len(levels)).astype(np.float64)
    return levels, counts.astype(np.float64), good


def isotonic(values: Floats, weights: Floats) -> Floats:
    """Give the rising sequence nearest to values in weighted squares."""
    from scipy.optimize import isotonic_regression  # starts slowly

    return np.asarray(isotonic_regression(values, weights=weights).x, dtype=np.float64)


def smooth_ece(confidence: Numbers, right: Numbers) -> float:
    """Give the smooth calibration error (Błasiok and Nakkiran 2023).

    Residuals are smoothed over confidence by a Gaussian kernel reflected at 0 and 1, and the mean
    size of the smoothed residual is taken; the kernel's width is where that error equals it. It is
    computed on 8,192 cells by the cosine transform, in which reflected smoothing is a product.
    """
    from scipy.fft import dct, idct

    confidences, rights = rated_rows(confidence, right)
    place = np.minimum((confidences * _GRID).astype(np.int64), _GRID - 1)
    residual = np.bincount(place, weights=confidences - rights, minlength=_GRID) / len(rights)
    spectrum = dct(residual, norm="ortho")
    waves = (np.pi * np.arange(_GRID)) ** 2 / 2

    def error(width: float) -> float:
        smoothed = idct(spectrum * np.exp(-waves * width**2), norm="ortho")
        return float(np.abs(smoothed).sum())

    low, high = 1.0 / _GRID, 1.0
    if error(low) <= low:
        return error(low)
    for _ in range(30):
        middle = sqrt(low * high)
        if error(middle) > middle:
            low = middle
        else:
            high = middle
    return error(high)
