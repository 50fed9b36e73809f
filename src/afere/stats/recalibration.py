"""Maps from a stated confidence to one that holds, fitted on rows whose answers are known.

Confidences are cut to [1e-6, 1 - 1e-6] before their logit is taken.
"""

from dataclasses import dataclass

import numpy as np

from afere.stats.interval import Floats, Numbers
from afere.stats.reliability import rated_rows
from afere.stats.scoring import isotonic, levels_of

__all__ = ["METHODS", "Fitted", "fit_recalibration", "recalibrated"]

METHODS = ("temperature", "platt", "isotonic", "venn-abers")
CLIP = 1e-6
MOST_LEVELS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """A map: logit(c) * slope + intercept (temperature is 1 / slope), or values at levels.

    levels: confidences, rising; values: what isotonic gives there. For Venn-Abers `values` and
    `others` are p0 and p1 below the first level, at it, between it and the next, and so on.
    """

    method: str
    slope: float | None = None
    intercept: float | None = None
    levels: tuple[float, ...] = ()
    values: tuple[float, ...] = ()
    others: tuple[float, ...] = ()


def fit_recalibration(method: str, confidence: Numbers, right: Numbers) -> Fitted:
    """Fit a map by one of `METHODS`.

    temperature: the slope alone, by likelihood (Guo and others 2017). platt: slope and intercept,
    unpenalised (Platt 1999, on the logit). isotonic: pool adjacent violators. venn-abers: the
    isotonic fits with the row itself added as wrong and as right (Vovk, Petej and Fedorova 2015);
    more than 2,000 distinct confidences are first merged into as many blocks of neighbours.

    Raises ValueError where there is nothing to fit: all right, all wrong, or told apart perfectly.
    """
    confidences, rights = rated_rows(confidence, right)
    levels, n, good = levels_of(confidences, rights)
    if not 0 < good.sum() < n.sum():
        same = "right" if good.sum() else "wrong"
        raise ValueError(f"nothing to fit: every row is {same}")
    match method:
        case "temperature":
            return Fitted(method=method, slope=_slope(_logit(levels), n, good), intercept=0.0)
        case "platt":
            slope, intercept = _line(_logit(levels), n, good)
            return Fitted(method=method, slope=slope, intercept=intercept)
        case "isotonic":
            return _stairs(levels, isotonic(good / n, n))
        case "venn-abers":
            return _venn_abers(*_merged(levels, n, good))
    raise ValueError(f"{method} is none of {', '.join(METHODS)}")


def recalibrated(fitted: Fitted, confidence: Numbers) -> Floats:
    """Map confidences; Venn-Abers gives p1 / (1 - p0 + p1), the minimax choice for log loss."""
    given = np.asarray(confidence, dtype=np.float64)
    if fitted.slope is not None:
        from scipy.special import expit

        mapped = expit(_logit(given) * fitted.slope + (fitted.intercept or 0.0))
        return np.asarray(mapped, dtype=np.float64)
    levels, values = np.asarray(fitted.levels), np.asarray(fitted.values)
    if not fitted.others:
        return np.asarray(np.interp(given, levels, values), dtype=np.float64)
    place = np.searchsorted(levels, given, side="left") + np.searchsorted(
        levels, given, side="right"
    )
    low, high = values[place], np.asarray(fitted.others)[place]
    return np.asarray(high / (1 - low + high), dtype=np.float64)


def _logit(confidence: Floats) -> Floats:
    cut = np.clip(confidence, CLIP, 1 - CLIP)
    return np.asarray(np.log(cut) - np.log1p(-cut), dtype=np.float64)


def _slope(x: Floats, n: Floats, good: Floats) -> float:
    from scipy.optimize import brentq
    from scipy.special import expit

    def rising(slope: float) -> float:
        return float((x * (good - n * expit(slope * x))).sum())

    if (good[x > 0] == n[x > 0]).all() and not good[x < 0].any():
        raise ValueError("nothing to fit: every answer above 0.5 is right, every one below wrong")
    if rising(0.0) <= 0:
        raise ValueError("nothing to fit: right answers have no more confidence than wrong ones")
    high = 1.0
    while rising(high) > 0:
        high *= 2
    return float(brentq(rising, 0.0, high, xtol=1e-14, rtol=1e-14))


def _line(x: Floats, n: Floats, good: Floats) -> tuple[float, float]:
    from scipy.optimize import minimize
    from scipy.special import expit

    _refuse_separable(x, n, good)

    def loss(at: Floats) -> tuple[float, Floats]:
        z = at[0] * x + at[1]
        value = float((n * np.logaddexp(0, z) - good * z).sum())
        miss = n * expit(z) - good
        return value / n.sum(), np.array([(x * miss).sum(), miss.sum()]) / n.sum()

    def curvature(at: Floats) -> Floats:
        p = expit(at[0] * x + at[1])
        w = n * p * (1 - p) / n.sum()
        return np.array([[(w * x * x).sum(), (w * x).sum()], [(w * x).sum(), w.sum()]])

    start = np.array([1.0, 0.0])
    found = minimize(loss, start, jac=True, hess=curvature, method="trust-exact", tol=1e-12)
    if found.x[0] <= 0:
        raise ValueError("nothing to fit: right answers have no more confidence than wrong ones")
    return float(found.x[0]), float(found.x[1])


def _refuse_separable(x: Floats, n: Floats, good: Floats) -> None:
    rights, wrongs = x[good > 0], x[good < n]
    if rights.min() >= wrongs.max() or rights.max() <= wrongs.min():
        raise ValueError("nothing to fit: a single cut tells right from wrong")


def _stairs(levels: Floats, fitted: Floats) -> Fitted:
    """Keep the ends of each step: between two of them the map is straight."""
    same = fitted[1:] == fitted[:-1]
    inner = np.concatenate([[False], same]) & np.concatenate([same, [False]])
    return Fitted(
        method="isotonic",
        levels=tuple(levels[~inner].tolist()),
        values=tuple(fitted[~inner].tolist()),
    )


def _merged(levels: Floats, n: Floats, good: Floats) -> tuple[Floats, Floats, Floats]:
    if len(levels) <= MOST_LEVELS:
        return levels, n, good
    starts = np.linspace(0, len(levels), MOST_LEVELS, endpoint=False).astype(np.int64)
    merged = np.add.reduceat(n, starts)
    return (
        np.add.reduceat(levels * n, starts) / merged,
        merged,
        np.add.reduceat(good, starts),
    )


def _venn_abers(levels: Floats, n: Floats, good: Floats) -> Fitted:
    """Fit with the row itself added, at every level and in every gap."""
    low, high = [], []
    for place in range(2 * len(levels) + 1):
        at, inside = divmod(place, 2)
        weights, rights = n.copy(), good.copy()
        if inside:
            weights[at] += 1
        else:
            weights, rights = np.insert(weights, at, 1.0), np.insert(rights, at, 0.0)
        low.append(float(isotonic(rights / weights, weights)[at]))
        rights[at] += 1
        high.append(float(isotonic(rights / weights, weights)[at]))
    return Fitted(
        method="venn-abers",
        levels=tuple(levels.tolist()),
        values=tuple(low),
        others=tuple(high),
    )
