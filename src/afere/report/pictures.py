"""Where the marks of a picture stand: in percent of its width, so that its text never shrinks.

Nothing is estimated here: numbers of the records are only placed on a scale.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from afere.domain import Comparison, RunSummary
from afere.report.words import Words

__all__ = [
    "DifferencePicture",
    "Dot",
    "Scale",
    "ScoreStrip",
    "Tick",
    "difference_picture",
    "score_scale",
    "score_strip",
]

_PADDING = 0.07
_MOST_TICKS = 6
_EDGE = 3.0  # percent of the width at either side where a tick's label would be cut
_NEAR_EDGE = 25.0
_SAME_PLACE = 1.2  # percent of the width: dots nearer than this are stacked
Limits = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of an axis: its place and what is written there."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Scale:
    """A stretch of numbers drawn over the whole width."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Give the place of a value in percent of the width, cut at the edges."""
        place = 100 * (value - self.low) / (self.high - self.low)
        return round(min(max(place, 0.0), 100.0), 3)

    def ticks(self, write: Callable[[float], str]) -> tuple[Tick, ...]:
        """Give round numbers within the scale, not too near its edges."""
        step = _round_step((self.high - self.low) / _MOST_TICKS)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        values = (number * step for number in range(first, last + 1))
        ticks = (Tick(self.at(value), write(round(value, 12))) for value in values)
        return tuple(tick for tick in ticks if _EDGE <= tick.at <= 100 - _EDGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferencePicture:
    """The difference with its interval against zero and the margin."""

    point: float
    low: float
    high: float
    zero: float
    margin_low: float
    margin_high: float
    margin_anchor: str
    point_anchor: str
    ticks: tuple[Tick, ...]


@dataclass(frozen=True, slots=True)
class Dot:
    """One round's score: its place, its storey where several stand at one place, its value."""

    at: float
    storey: int
    round: int
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreStrip:
    """A score with its interval and its rounds on a shared scale."""

    point: float | None
    low: float | None
    high: float | None
    dots: tuple[Dot, ...]
    storeys: int


def difference_picture(comparison: Comparison, words: Words) -> DifferencePicture | None:
    """Place the difference, its interval, zero and the margin; None where there is no interval."""
    if comparison.difference is None or comparison.interval is None:
        return None
    low, high = comparison.interval
    margin = comparison.margin
    scale = _padded((low, high, comparison.difference, -margin, margin, 0.0))
    zero, point = scale.at(0.0), scale.at(comparison.difference)
    return DifferencePicture(
        point=point,
        low=scale.at(low),
        high=scale.at(high),
        zero=zero,
        margin_low=scale.at(-margin),
        margin_high=scale.at(margin),
        margin_anchor=_anchor(zero),
        point_anchor=_anchor(point),
        ticks=scale.ticks(lambda value: _points(value, words)),
    )


def score_scale(sides: Iterable[RunSummary]) -> Scale:
    """Give one scale on which the scores, intervals and rounds of all sides have room."""
    values = [
        value
        for side in sides
        for value in (side.score, *(side.interval or ()), *side.per_round)
        if value is not None
    ]
    scale = _padded(values or (0.0, 1.0))
    return Scale(max(scale.low, 0.0), min(scale.high, 1.0))


def score_strip(
    scale: Scale,
    score: float | None,
    interval: Limits | None,
    per_round: Sequence[float | None] = (),
) -> ScoreStrip:
    """Place a score, its interval and its rounds on a scale."""
    dots = _dots(scale, per_round)
    return ScoreStrip(
        point=None if score is None else scale.at(score),
        low=None if interval is None else scale.at(interval[0]),
        high=None if interval is None else scale.at(interval[1]),
        dots=dots,
        storeys=1 + max((dot.storey for dot in dots), default=-1),
    )


def _padded(values: Iterable[float]) -> Scale:
    values = tuple(values)
    low, high = min(values), max(values)
    padding = _PADDING * (high - low) or 0.01
    return Scale(low - padding, high + padding)


def _round_step(least: float) -> float:
    """Give the smallest of 1, 2, 5 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _anchor(place: float) -> str:
    if place < _NEAR_EDGE:
        return "start"
    return "end" if place > 100 - _NEAR_EDGE else "middle"


def _points(value: float, words: Words) -> str:
    number = f"{100 * value:+.4g}" if value else "0"
    return words.written(number)


def _dots(scale: Scale, per_round: Sequence[float | None]) -> tuple[Dot, ...]:
    dots: list[Dot] = []
    for number, value in enumerate(per_round, start=1):
        if value is None:
            continue
        place = scale.at(value)
        taken = {dot.storey for dot in dots if abs(dot.at - place) < _SAME_PLACE}
        storey = next(floor for floor in range(len(dots) + 1) if floor not in taken)
        dots.append(Dot(place, storey, number, value))
    return tuple(dots)
