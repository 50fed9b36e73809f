"""Gives graders a sandbox where the items asked are answered by code, and none otherwise."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager

from afere.app.plugins import all_graders
from afere.domain import (
    EXECUTED_KINDS,
    AnswerKeyError,
    Execution,
    Grader,
    Item,
    NoSandboxError,
    Sandbox,
    Suite,
    SuiteError,
    Task,
)

__all__ = ["Opening", "graders_for", "open_here", "proved"]

HOSTILE = frozenset({"regex"})
"""Kinds that need the sandbox for a rare answer alone: it is opened when one comes."""


Opening = Callable[..., Awaitable[Sandbox]]
"""Opens a sandbox; `unsafe` by name: without isolation."""


async def open_here(*, unsafe: bool = False) -> Sandbox:
    """Open the strongest sandbox that works on this machine; raises NoSandboxError."""
    from afere.sandbox import UNSAFE, open_sandbox

    return await open_sandbox(level=UNSAFE if unsafe else None, workers=os.cpu_count() or 1)


@asynccontextmanager
async def graders_for(
    items: Iterable[Item],
    *,
    unsafe: bool = False,
    optional: bool = False,
    opening: Opening = open_here,
) -> AsyncIterator[Mapping[str, Grader]]:
    """Give the graders for items, with an open sandbox where their answers are executed.

    unsafe: execute without isolation, as the user asked for in so many words.
    optional: give graders that execute nothing where there is no sandbox.
    Raises NoSandboxError, with the mend for this machine, before anything is asked.
    """
    kinds = {item.expect.kind for item in items}
    sandbox: Sandbox | None = None
    if kinds & EXECUTED_KINDS:
        try:
            sandbox = await opening(unsafe=unsafe)
        except NoSandboxError:
            if not optional:
                raise
    elif kinds & HOSTILE:
        sandbox = _Later(opening, unsafe=unsafe)
    try:
        yield all_graders(sandbox)
    finally:
        if sandbox is not None:
            await sandbox.close()


async def proved(suite: Suite, items: Iterable[Item], graders: Mapping[str, Grader]) -> None:
    """Try what of the keys only an execution can tell; raises SuiteError for the first fault."""
    for item in items:
        prove = getattr(graders[item.expect.kind], "prove", None)
        if prove is None:
            continue
        try:
            await prove(item, suite.reading)
        except AnswerKeyError as error:
            field = f"items.{item.id}.{error.field}"
            raise SuiteError(error.problem, mend=error.mend, field=field) from error


class _Later:
    """A sandbox that is opened at its first task."""

    def __init__(self, opening: Opening, *, unsafe: bool) -> None:
        self._open, self._unsafe = opening, unsafe
        self._opening = asyncio.Lock()
        self._opened: Sandbox | None = None

    @property
    def level(self) -> str:
        """The level, empty as long as nothing was executed."""
        return self._opened.level if self._opened is not None else ""

    async def run(self, task: Task) -> Execution:
        """Run one task; raises NoSandboxError where there is no sandbox."""
        async with self._opening:
            if self._opened is None:
                self._opened = await self._open(unsafe=self._unsafe)
        return await self._opened.run(task)

    async def close(self) -> None:
        """Close it, if it was opened."""
        if self._opened is not None:
            await self._opened.close()
