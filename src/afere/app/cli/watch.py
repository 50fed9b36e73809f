"""`afere watch`: how far the runs are that are under way in the store."""

import asyncio
import sys
import time
from collections.abc import Mapping, Sequence

import click

from afere.app.cli.options import (
    FiniteRange,
    Shared,
    opened,
    run_async,
    say,
    shared_options,
    show,
    show_json,
)
from afere.domain import Store
from afere.report import RunProgress

__all__ = ["command"]

SHARE_OF_TIME = 20  # looking takes at most a twentieth of the time


@click.command(
    "watch",
    short_help="How far the runs are that are under way.",
    epilog="\b\nExamples:\n"
    "  afere watch             until they end; Ctrl-C leaves them alone\n"
    "  afere watch --once      as it is now\n"
    "  afere watch --json      the same for a script",
)
@click.option("--once", is_flag=True, help="Look once.")
@click.option(
    "--every",
    type=FiniteRange(0.2, 3600),
    metavar="S",
    help="Seconds between two looks. [1 on a terminal, else 10]",
)
@shared_options
def command(*, once: bool, every: float | None, shared: Shared) -> None:
    """Show speed, waits, cost so far and time left of every run that is under way.

    The runs may belong to any process on the same store; watching them changes nothing.
    """
    from afere.app.watching import progress_of

    async def look() -> list[RunProgress]:
        async with opened(shared) as store:
            return await progress_of(store, time.time())

    if once or shared.as_json:
        _show_once(run_async(look()), shared)
        return

    async def main() -> None:
        async with opened(shared) as store:
            if sys.stdout.isatty():
                await _live(store, every or 1.0, shared)
            else:
                await _logged(store, every or 10.0, shared)

    run_async(main())


def _show_once(running: Sequence[RunProgress], shared: Shared) -> None:
    from afere.report import progress_report

    if shared.as_json:
        show_json({"running": [each.to_dict() for each in running]})
    else:
        show(progress_report(running, words=shared.words))


async def _live(store: Store, every: float, shared: Shared) -> None:
    """Draw the table over itself until nothing is under way."""
    from rich.live import Live

    from afere.app.watching import progress_of
    from afere.report import progress_report

    seen: dict[str, RunProgress] = {}
    with Live(auto_refresh=False, transient=True) as live:
        while True:
            begun = time.monotonic()
            running = await progress_of(store, time.time())
            if not running:
                break
            seen |= {each.run: each for each in running}
            live.update(progress_report(running, words=shared.words), refresh=True)
            await asyncio.sleep(_pause(every, begun))
    _say_ended(seen, shared)


async def _logged(store: Store, every: float, shared: Shared) -> None:
    """Write a line a run and look, until nothing is under way."""
    from afere.app.watching import progress_of
    from afere.report import progress_line

    seen: dict[str, RunProgress] = {}
    while True:
        begun = time.monotonic()
        running = await progress_of(store, time.time())
        if not running:
            break
        seen |= {each.run: each for each in running}
        for each in running:
            say(progress_line(each, words=shared.words))
        await asyncio.sleep(_pause(every, begun))
    _say_ended(seen, shared)


def _say_ended(seen: Mapping[str, RunProgress], shared: Shared) -> None:
    """Say how to look at the runs that were watched to their end."""
    from afere.report import harmless, progress_report

    for each in seen.values():
        ended = shared.words.say(
            "{model} on {suite} has ended: {command}",
            model=each.model,
            suite=each.suite,
            command=f"afere show {each.run}",
        )
        say(harmless(ended))
    if not seen:
        show(progress_report((), words=shared.words))


def _pause(every: float, begun: float) -> float:
    """Give the seconds to the next look: the longer one takes, the fewer there are."""
    return max(every, SHARE_OF_TIME * (time.monotonic() - begun))
