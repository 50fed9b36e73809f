"""Progress on standard error: a bar on a terminal, plain lines elsewhere, nothing when quiet."""

import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from afere.app.models import Model
from afere.app.run_options import RunOptions
from afere.domain import Outcome, Row, RunPlan, Sentence, Suite
from afere.report import Words, harmless

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

__all__ = ["Progress"]

LEAST_WAIT = 1.0  # seconds; a shorter wait is not worth a word
LONG_WAIT = 10.0  # seconds; each wait as long has its line
NOT_AGAIN = 60.0  # seconds in which shorter waits for one reason are told once


class Progress:
    """Shows how a run goes."""

    def __init__(self, *, quiet: bool, words: Words) -> None:
        self._quiet = quiet
        self._words = words
        self._bar: Bar | None = None
        self._task: TaskID | None = None
        self._failed = 0
        self._waits: dict[str, tuple[float, float]] = {}  # by reason: until when, and when told

    def first_line(self, suite: Suite, models: Sequence[Model], options: RunOptions) -> None:
        """Say what is about to be asked of whom."""
        chosen = [
            item
            for item in suite.items
            if (not options.items or item.id in options.items)
            and (not options.categories or item.category in options.categories)
        ]
        items = len(chosen[: options.limit])
        for model in models:
            self._line(
                self._words.say(
                    "{suite}: up to {items} items × {rounds} rounds = {calls} answers of {model} "
                    "at {url}",
                    suite=suite.name,
                    items=items,
                    rounds=options.rounds,
                    calls=items * options.rounds,
                    model=model.name,
                    url=model.place,
                ),
            )

    def begin(self, plan: RunPlan, done: int) -> None:
        """Hear that a run starts, `done` of whose rows are in the store already."""
        self._failed = 0
        if done:
            self._line(
                self._words.say(
                    "{model}: {done} of {rows} answers are in the store already",
                    model=plan.name,
                    done=done,
                    rows=plan.rows,
                ),
            )
        if self._quiet or done == plan.rows or not sys.stderr.isatty():
            return
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TextColumn(self._words.say("left")),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[failed]}"),
            TextColumn("{task.fields[waiting]}"),
            console=Console(stderr=True),
            refresh_per_second=5,
            transient=True,
        )
        self._task = self._bar.add_task(
            escape(harmless(plan.name)),
            total=plan.rows,
            completed=done,
            rate="",
            failed="",
            waiting="",
        )
        self._bar.start()

    def row(self, row: Row) -> None:
        """Hear that a row was kept."""
        if row.grade.outcome in {Outcome.ENDPOINT_ERROR, Outcome.GRADER_ERROR}:
            self._failed += 1
        if self._bar is None or self._task is None:
            return
        self._bar.advance(self._task)
        speed = self._bar.tasks[self._task].speed
        self._bar.update(
            self._task,
            rate=f"{speed:.1f}/s" if speed else "",
            failed=self._words.say("{n} failed", n=self._failed) if self._failed else "",
            waiting="",
        )

    def round_end(self, number: int, rounds: int, outcomes: Mapping[str, int]) -> None:
        """Hear that the last row of a round was kept."""
        from afere.report import round_line

        self._line(round_line(number, rounds, outcomes, words=self._words))

    def wait(self, seconds: float | None, why: str) -> None:
        """Hear that a request waits so many seconds before it is sent; None: nobody knows."""
        if seconds is None:
            text = self._words.say("waiting: {why}", why=why)
        elif seconds < LEAST_WAIT:
            return
        else:
            text = self._words.say("waiting {n} s: {why}", n=f"{seconds:.0f}", why=why)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, waiting=text)
        elif self._is_new_wait(seconds or 0.0, why):
            self._line(text)

    def _is_new_wait(self, seconds: float, why: str) -> bool:
        """Whether a wait is worth a line: many calls wait for one reason, and short ones go on."""
        now = time.monotonic()
        until, told_at = self._waits.get(why, (0.0, -NOT_AGAIN))
        if now + seconds <= until + LEAST_WAIT:
            return False
        if seconds < LONG_WAIT and now < told_at + NOT_AGAIN:
            return False
        self._waits[why] = (now + seconds, now)
        return True

    def note(self, text: Sentence) -> None:
        """Hear something worth a line."""
        self._line(self._words.tell(text))

    def end(self) -> None:
        """Hear that the run is over."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _line(self, text: str) -> None:
        if self._quiet:
            return
        text = harmless(text)
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            click.echo(text, err=True)
