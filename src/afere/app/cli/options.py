"""The options that every command takes, and what a command needs to start."""

import asyncio
import functools
import math
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

from afere.app.folders import cache_folder, expanded, store_url
from afere.app.language import language_of
from afere.app.leaving import leave_at_once
from afere.domain import Store, encode
from afere.report import LANGUAGES, Report, Words, harmless, words_for

__all__ = [
    "FiniteRange",
    "Shared",
    "opened",
    "run_async",
    "say",
    "shared_options",
    "show",
    "show_json",
]

PATIENCE = 5.0  # seconds for which a cancelled command may close what it has open

P = ParamSpec("P")
T = TypeVar("T")


class FiniteRange(click.FloatRange):
    """A range of numbers: `nan` and `inf` are none, and would hold no budget and end no wait."""

    def convert(
        self,
        value: Any,  # noqa: ANN401 - click's signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> float:
        """Read a number of the range."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no finite number.", param, ctx)
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """What every command is told."""

    as_json: bool
    store: str
    quiet: bool
    cache: Path
    words: Words


def shared_options(command: Callable[..., T]) -> Callable[..., T]:
    """Add --json, --store, --lang and --quiet; the command gets them as `shared`."""

    @click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
    @click.option("--store", metavar="URL", help="Where answers are kept. [.afere/afere.db]")
    @click.option(
        "--lang",
        type=click.Choice(LANGUAGES),
        help="Language of reports. [that of the locale]",
    )
    @click.option("--quiet", is_flag=True, help="No progress and no notes.")
    @functools.wraps(command)
    def with_shared(
        *args: Any,  # noqa: ANN401 - click's parameters
        as_json: bool,
        store: str | None,
        lang: str | None,
        quiet: bool,
        **kwargs: Any,  # noqa: ANN401 - click's parameters
    ) -> T:
        shared = Shared(
            as_json=as_json,
            store=expanded(store or store_url(os.environ)),
            quiet=quiet,
            cache=cache_folder(os.environ),
            words=words_for(lang or language_of(os.environ)),
        )
        return command(*args, shared=shared, **kwargs)

    return with_shared


@asynccontextmanager
async def opened(shared: Shared, *, make: bool = False) -> AsyncIterator[Store]:
    """Open the store for the length of a command.

    make: whether one that is missing is made, as by commands that ask; else NoStoreError is raised.
    """
    from afere.store import open_store

    store = await open_store(shared.store, clock=time.time, make=make)
    for warning in store.warnings if make and not shared.quiet else ():
        click.echo(harmless(shared.words.tell(warning)), err=True)
    try:
        yield store
    finally:
        await store.close()


def run_async(main: Coroutine[Any, Any, T], on_interrupt: Callable[[], bool] | None = None) -> T:
    """Run a command's coroutine; the one place where a loop is started.

    on_interrupt: called at Ctrl-C; gives True where it will end the command in its own time, and
    False where the command is to be cancelled at once.
    """
    before = signal.getsignal(signal.SIGINT)
    ending = _Ending(on_interrupt)

    async def guarded() -> T:
        ending.task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError, RuntimeError):  # no signals on this platform or thread
            loop.add_signal_handler(signal.SIGINT, ending.hear)
            for name in ("SIGTERM", "SIGHUP"):
                if hasattr(signal, name):
                    loop.add_signal_handler(getattr(signal, name), ending.hear)
        return await main

    try:
        return asyncio.run(guarded())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        with suppress(ValueError, TypeError):  # not the main thread, or a handler not of Python
            # After an interrupt the rest is only telling and leaving.
            signal.signal(signal.SIGINT, signal.SIG_IGN if ending.heard else before)


class _Ending:
    """What Ctrl-C does while a command runs: it is told, then cancelled once, then left."""

    def __init__(self, on_interrupt: Callable[[], bool] | None) -> None:
        self.task: asyncio.Task[Any] | None = None
        self.heard = False
        self._on_interrupt = on_interrupt
        self._cancelled_at: float | None = None

    def hear(self) -> None:
        """Take one Ctrl-C; a cancelled command may close its store in peace for a while."""
        self.heard = True
        now = time.monotonic()
        if self._on_interrupt is not None and self._on_interrupt():
            return
        if self._cancelled_at is None:
            self._cancelled_at = now
            if self.task is not None:
                self.task.cancel()
        elif now > self._cancelled_at + PATIENCE:
            leave_at_once()


def show_json(document: object) -> None:
    """Print one JSON document."""
    import json

    plain = json.loads(encode(document), object_hook=_number)
    say(json.dumps(plain, ensure_ascii=False, indent=2))


def say(text: str, *, nl: bool = True) -> None:
    """Print a text; a reader that has left is no error, and changes no exit code."""
    try:
        click.echo(text, nl=nl)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _number(found: dict[str, Any]) -> object:
    """Give a decimal of a suite or a setting as the number it is."""
    return float(found["$decimal"]) if found.keys() == {"$decimal"} else found


def show(report: Report) -> None:
    """Print a report: drawn within a terminal's width, whole lines into a pipe or file."""
    if sys.stdout.isatty():
        from rich.console import Console

        Console().print(report)
    else:
        say(str(report))
