"""The record of an interval, and the checks that every function makes at its door."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Floats",
    "Integers",
    "Interval",
    "Numbers",
    "as_floats",
    "check_count",
    "check_level",
    "check_share",
    "normal_quantile",
    "student_quantile",
    "two_sided",
]

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = Sequence[float] | NDArray[np.float64] | NDArray[np.int64] | memoryview


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An estimate with its two-sided limits, all as fractions.

    method: the name of the method that made it.
    draws: how many random draws the limits rest on, 0 where they are computed.
    """

    estimate: float
    lower: float
    upper: float
    level: float
    method: str
    draws: int = 0


def check_level(level: float) -> None:
    """Raise ValueError unless the level lies between 0 and 1, both left out."""
    if not 0 < level < 1:
        raise ValueError(f"level is a fraction between 0 and 1, not {level}; 95 % is 0.95")


def check_share(name: str, value: float) -> None:
    """Raise ValueError unless a named value lies between 0 and 1, both included."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} is a fraction between 0 and 1, not {value}")


def check_count(name: str, value: float) -> int:
    """Give a count as a whole number; raises ValueError for anything else."""
    if not isfinite(value) or value < 0 or value != int(value):
        raise ValueError(f"{name} is a count of items, not {value}")
    return int(value)


def as_floats(name: str, values: Numbers) -> Floats:
    """Give finite numbers as an array of one dimension; raises ValueError for NaN and infinity."""
    array = np.asarray(values, dtype=np.float64).ravel()
    if not np.isfinite(array).all():
        place = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name} holds {array[place]} at place {place}; leave missing values out")
    return array


def normal_quantile(probability: float) -> float:
    """Give the standard normal quantile."""
    return NormalDist().inv_cdf(probability)


def two_sided(level: float) -> float:
    """Give the critical value of a two-sided normal interval: 1.96 at 0.95."""
    check_level(level)
    return normal_quantile((1 + level) / 2)


def student_quantile(probability: float, freedom: float) -> float:
    """Give the quantile of Student's t."""
    from scipy.special import stdtrit  # starts slowly, and only some comparisons need it

    return float(stdtrit(freedom, probability))
