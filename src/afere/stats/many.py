"""More than two: adjusted p values, Cochran's Q, and the set that holds the best."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from afere.stats.interval import Floats, check_level

__all__ = ["CochranQ", "cochran_q", "holm", "model_confidence_set"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CochranQ:
    """Cochran's Q with its p; None where no item differs between the columns."""

    q: float | None
    degrees_of_freedom: int
    p: float | None
    shares: tuple[float, ...]


def holm(p_values: Sequence[float]) -> list[float]:
    """Give Holm's step-down adjusted p values in the order given (Holm 1979).

    The i-th smallest of m is multiplied by m - i + 1; the results are made to rise and cut at 1.

    Raises ValueError for a p below 0, above 1 or NaN.
    """
    for p in p_values:
        if not 0 <= p <= 1:
            raise ValueError(f"a p value lies between 0 and 1; {p} does not")
    m = len(p_values)
    adjusted, largest = [0.0] * m, 0.0
    for rank, place in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (m - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def cochran_q(table: Sequence[Sequence[float]] | Floats) -> CochranQ:
    """Test whether columns are right equally often on the same items (Cochran 1950).

    Items in rows, models or positions of the right option in columns, 1 = right. With C the
    column sums, R the row sums, N their total and k columns: Q = (k-1)(k sum C² - N²)
    / (k N - sum R²), chi-square with k - 1 degrees of freedom.

    Raises ValueError for anything but zeros and ones and for fewer than two columns.
    """
    data = np.asarray(table, dtype=np.float64)
    if data.ndim != 2 or not data.size or data.shape[1] < 2:  # noqa: PLR2004 - a table of two
        raise ValueError("a table has items in rows and at least two columns")
    if not np.isin(data, (0.0, 1.0)).all():
        raise ValueError("Cochran's Q takes zeros and ones alone")
    k = data.shape[1]
    columns, rows, total = data.sum(axis=0), data.sum(axis=1), float(data.sum())
    below = k * total - float(rows @ rows)
    shares = tuple(float(share) for share in columns / data.shape[0])
    if below == 0:
        return CochranQ(q=None, degrees_of_freedom=k - 1, p=None, shares=shares)
    from scipy.special import chdtrc

    q = (k - 1) * (k * float(columns @ columns) - total * total) / below
    return CochranQ(q=q, degrees_of_freedom=k - 1, p=float(chdtrc(k - 1, q)), shares=shares)


def model_confidence_set(
    scores: Floats,
    level: float,
    rng: np.random.Generator,
    resamples: int = 2_000,
) -> list[bool]:
    """Tell for each column whether it could be the best (Hansen, Lunde and Nason 2011).

    Items in rows, models in columns. While the columns left are not all alike at 1 - level, the
    one furthest behind is left out: T_max of the studentised distance of each mean from the mean
    of all, its law by resampling items (a multinomial draw over distinct rows).

    Raises ValueError for NaN and without items.
    """
    check_level(level)
    if scores.ndim != 2 or not scores.size or not np.isfinite(scores).all():  # noqa: PLR2004 - a table
        raise ValueError("scores are a table of items in rows and models in columns")
    rows, counts = np.unique(np.round(scores, 9), axis=0, return_counts=True)
    n = scores.shape[0]
    drawn = rng.multinomial(n, counts / n, size=resamples) @ rows / n
    means = counts @ rows / n
    left = list(range(scores.shape[1]))
    while len(left) > 1:
        distance = means[left] - means[left].mean()
        moved = drawn[:, left] - drawn[:, left].mean(axis=1, keepdims=True) - distance
        error = np.sqrt((moved**2).mean(axis=0))
        moving = error > 0
        if not moving.any():
            break
        seen = -distance[moving] / error[moving]
        law = (-moved[:, moving] / error[moving]).max(axis=1)
        if float((law >= seen.max()).mean()) >= 1 - level:
            break
        left.remove(left[int(np.flatnonzero(moving)[int(seen.argmax())])])
    return [model in left for model in range(scores.shape[1])]
