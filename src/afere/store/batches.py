"""Work for a thread, gathered: what waits at one moment is done as one batch."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Generic, TypeVar

from afere.domain import StoreError

__all__ = ["Batches"]

J = TypeVar("J")
R = TypeVar("R")

_LARGEST = 500  # jobs in a batch: some ten milliseconds, so that nothing waits long
_REST = 0.003  # seconds between two batches: one costs as much as twenty of its jobs


class Batches(Generic[J, R]):
    """Hands waiting jobs, oldest first, to `work` in a thread; one batch at a time.

    A job comes to its batch at once when the thread was free for a moment, else a moment after
    the batch before it, so that jobs in quick succession share one. Whoever is cancelled while
    waiting leaves the job in its batch.
    """

    def __init__(self, work: Callable[[Sequence[J]], Sequence[R]], thread: Executor) -> None:
        self._work, self._thread = work, thread
        self._waiting: list[tuple[J, asyncio.Future[R]]] = []
        self._running: asyncio.Future[Sequence[R]] | None = None
        self._called = False
        self._free_at = 0.0  # when the next batch may begin, on the loop's clock
        self._closed = False

    async def do(self, job: J) -> R:
        """Give what `work` made of the job; raises what it raised for the batch."""
        if self._closed:
            raise StoreError("the store is closed.")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[R] = loop.create_future()
        self._waiting.append((job, future))
        self._call_start()
        return await future

    async def close(self) -> None:
        """Take no more jobs, and return when all that waited are done."""
        self._closed = True
        while self._waiting or self._running is not None:
            if self._running is None:
                self._start()
            elif self._running is not None:
                await asyncio.wait([self._running])
                await asyncio.sleep(0)

    def _call_start(self) -> None:
        """See to it that the next batch begins once all jobs of this moment are gathered."""
        if self._running is None and not self._called and self._waiting:
            self._called = True
            asyncio.get_running_loop().call_at(self._free_at, self._start)

    def _start(self) -> None:
        self._called = False
        if self._running is not None or not self._waiting:
            return
        batch, self._waiting = self._waiting[:_LARGEST], self._waiting[_LARGEST:]
        loop = asyncio.get_running_loop()
        self._running = loop.run_in_executor(self._thread, self._work, [job for job, _ in batch])
        self._running.add_done_callback(lambda done: self._finish(batch, done))

    def _finish(
        self,
        batch: Sequence[tuple[J, asyncio.Future[R]]],
        done: asyncio.Future[Sequence[R]],
    ) -> None:
        self._running = None
        error = done.exception()
        if error is None:
            for (_, future), result in zip(batch, done.result(), strict=True):
                if not future.done():
                    future.set_result(result)
        else:
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
        if len(self._waiting) >= _LARGEST:
            self._start()
        else:
            self._free_at = asyncio.get_running_loop().time() + _REST
            self._call_start()
