"""How runs that are under way get on: for a terminal that is watched, and for the live page."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from afere.domain import Outcome
from afere.report.blocks import Line, Report, Table
from afere.report.harmless import one_line
from afere.report.words import ENGLISH, Words

__all__ = ["RunProgress", "progress_cells", "progress_heads", "progress_line", "progress_report"]

_NAME = 40
_SILENT = 30.0  # seconds without an answer that are worth a word
_MINUTE, _HOUR, _LONG = 60, 3600, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """One run that has begun and not ended.

    done: of `rows`, those with an answer or a failure. rate: answers a second of late; left:
    seconds at that rate; None where there is none. silent: seconds since the last answer.
    waiting: requests that were sent in the last minute, where more were sent than answered.
    cost: in US dollars so far; None without a price.
    """

    run: str
    suite: str
    model: str
    done: int
    rows: int
    outcomes: Mapping[str, int]
    started: str
    silent: float
    rate: float | None
    left: float | None
    waiting: int
    cost: float | None
    tokens: int | None

    def to_dict(self) -> dict[str, object]:
        """Give the fields as plain JSON data."""
        return asdict(self)


def progress_report(running: Sequence[RunProgress], *, words: Words = ENGLISH) -> Report:
    """Tell every run that is under way in a row; what to type where there is none."""
    if not running:
        nothing = words.say("Nothing is running. What is done: afere runs")
        return Report(((Line(nothing),),))
    rows = [progress_cells(each, words) for each in running]
    return Report(((Table(head=progress_heads(words), rows=rows, align="lllrrrrrl"),),))


def progress_heads(words: Words) -> tuple[str, ...]:
    """Head the cells."""
    return words.each(
        "model", "suite", "run", "answers", "speed", "left", "failed", "cost", "state"
    )


def progress_cells(progress: RunProgress, words: Words) -> tuple[str, ...]:
    """Give a run's cells, empty where there is nothing to say."""
    lost = sum(
        progress.outcomes.get(outcome, 0)
        for outcome in (Outcome.ENDPOINT_ERROR, Outcome.GRADER_ERROR)
    )
    return (
        one_line(progress.model, _NAME),
        one_line(progress.suite, _NAME),
        progress.run,
        _share(progress, words),
        _speed(progress.rate, words),
        "" if progress.left is None else _duration(progress.left, words),
        words.count(lost) if lost else "",
        "" if progress.cost is None else words.price(progress.cost),
        _state(progress, words),
    )


def progress_line(progress: RunProgress, *, words: Words = ENGLISH) -> str:
    """Tell a run in a line, for a log."""
    model, suite, _, share, speed, left, lost, cost, state = progress_cells(progress, words)
    parts = [words.say("{n} answers", n=share)]
    parts += [part for part in (speed, cost) if part]
    if left:
        parts.append(words.say("{time} left", time=left))
    if lost:
        parts.append(words.say("{n} failed", n=lost))
    told = words.listing([*parts, state] if state else parts)
    return words.say("{model} on {suite}: {told}", model=model, suite=suite, told=told)


def _share(progress: RunProgress, words: Words) -> str:
    return f"{words.count(progress.done)}/{words.count(progress.rows)}"


def _speed(rate: float | None, words: Words) -> str:
    if rate is None:
        return ""
    if rate >= 1:
        return words.say("{n} a second", n=words.number(rate, 1))
    return words.say("{n} a minute", n=words.number(rate * _MINUTE, 1))


def _state(progress: RunProgress, words: Words) -> str:
    if progress.silent < _SILENT:
        return ""
    since = words.say("no answer for {time}", time=_duration(progress.silent, words))
    if not progress.waiting:
        return since
    tried = words.many(
        "{n} request in the last minute", "{n} requests in the last minute", n=progress.waiting
    )
    return words.listing([since, tried])


def _duration(seconds: float, words: Words) -> str:
    if seconds < _LONG:
        return words.say("{n} s", n=words.number(seconds, 0))
    if seconds < _LONG * _MINUTE:
        return words.say("{n} min", n=words.number(seconds / _MINUTE, 0))
    return words.say("{n} h", n=words.number(seconds / _HOUR, 0))
