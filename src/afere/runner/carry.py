"""N workers pull from one plan: what is in flight is bounded, what is done is kept."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import assert_never

from afere.domain import Endpoint, Failure, Grade, Item, Outcome, Request, Response, Row, Scope

__all__ = ["Asked", "Ending", "Interrupted", "Stop", "carry_out"]

Grading = Callable[[Item, Response], Awaitable[Grade]]
Keeping = Callable[[Row], Awaitable[None]]


class Interrupted(Exception):  # noqa: N818 - no error: the user's wish
    """A wait was cut short because the run is to stop; the row stays unasked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One planned request with the item it asks."""

    item: Item
    request: Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a run ended.

    stopped_by: the failure that made further requests pointless (a refused key, a used-up quota).
    interrupted: whether the user stopped it.
    spent: which limit of the user's own ended it, None where none did.
    """

    stopped_by: Failure | None = None
    interrupted: bool = False
    spent: str | None = None


class Stop:
    """Asks a run to take no new request; calls in flight finish unless `now` is asked for."""

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._in_flight: set[asyncio.Task[None]] = set()
        self.by: Failure | None = None
        self.interrupted = False
        self.spent: str | None = None

    @property
    def asked(self) -> bool:
        """Whether no new request is to be taken."""
        return self._event.is_set()

    def interrupt(self) -> None:
        """Stop because the user wishes it."""
        self.interrupted = True
        self._event.set()

    def fail(self, failure: Failure) -> None:
        """Stop because every further request would fail in the same way; the first one is kept."""
        if self.by is None:
            self.by = failure
        self._event.set()

    def spend(self, why: str) -> None:
        """Stop because a limit of the user's own is reached."""
        self.spent = self.spent or why
        self._event.set()

    def drop(self) -> None:
        """Cut short the calls in flight; their rows stay unasked, whatever they still bring."""
        for task in self._in_flight:
            task.cancel()

    @contextmanager
    def droppable(self) -> Iterator[None]:
        """Let `drop` cut short what is awaited inside."""
        task = asyncio.current_task()
        assert task is not None, "calls are made by tasks"  # noqa: S101 - an invariant
        self._in_flight.add(task)
        try:
            yield
        finally:
            self._in_flight.discard(task)

    def rearm(self) -> None:
        """Make ready for the next run: only a failure of the last one is forgotten."""
        self.by = None
        if not self.interrupted and self.spent is None:
            self._event.clear()

    async def sleep(self, seconds: float) -> None:
        """Wait; raises Interrupted as soon as the run is to stop."""
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return
        raise Interrupted


async def carry_out(  # noqa: PLR0913 - the seams of one run
    plan: Iterable[Asked],
    endpoint: Endpoint,
    *,
    grade: Grading,
    keep: Keeping,
    concurrency: int,
    stop: Stop,
    on_row: Callable[[Row], None] | None = None,
) -> Ending:
    """Ask, grade and keep every planned request, at most `concurrency` at a time.

    A worker takes the next request only when its last row is kept. A failure that stops model or
    provider ends the run; rows not asked are simply absent. An error of `keep` ends the run and is
    raised; an error of `grade` becomes a `grader_error`. Cancelling drops what is in flight.
    """
    requests = iter(plan)

    async def work() -> None:
        for asked in _until(stop, requests):
            try:
                with stop.droppable():
                    reply = await endpoint.ask(asked.request)
            except Interrupted:
                return
            row = await _row(asked, reply, grade)
            await keep(row)
            if on_row is not None:
                on_row(row)
            if isinstance(reply, Failure) and reply.scope is not Scope.CALL:
                stop.fail(reply)

    try:
        async with asyncio.TaskGroup() as workers:
            for _ in range(concurrency):
                workers.create_task(work())
    except ExceptionGroup as group:
        raise group.exceptions[0] from group
    return Ending(stopped_by=stop.by, interrupted=stop.interrupted, spent=stop.spent)


def _until(stop: Stop, requests: Iterator[Asked]) -> Iterator[Asked]:
    while not stop.asked:
        asked = next(requests, None)
        if asked is None:
            return
        yield asked


async def _row(asked: Asked, reply: Response | Failure, grade: Grading) -> Row:
    request = asked.request
    match reply:
        case Response():
            return Row(
                item=request.item,
                round=request.round,
                variant=request.variant,
                key=request.key,
                grade=await _graded(asked.item, reply, grade),
                finish_reason=reply.finish_reason,
                tokens=reply.tokens,
                latency=reply.latency,
                answered_at=reply.answered_at,
                served_model=reply.served_model,
                fingerprint=reply.fingerprint,
            )
        case Failure():
            return Row(
                item=request.item,
                round=request.round,
                variant=request.variant,
                key=request.key,
                grade=Grade(
                    outcome=Outcome.ENDPOINT_ERROR, score=None, grader="", grader_version=""
                ),
                latency=reply.latency,
                error=reply,
            )
        case _:
            assert_never(reply)


async def _graded(item: Item, response: Response, grade: Grading) -> Grade:
    try:
        return await grade(item, response)
    except Exception as fault:  # noqa: BLE001 - a grader's fault is an outcome of its own
        return Grade(
            outcome=Outcome.GRADER_ERROR,
            score=None,
            grader=item.expect.kind,
            grader_version="",
            flags=(f"{type(fault).__name__}: {fault}"[:200],),
        )
