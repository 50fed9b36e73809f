"""The sandbox itself: zygotes kept for the next task, a retry of our own faults, quiet reruns."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from afere.domain import Execution, PythonTask, SandboxError, SqlTask, Task
from afere.sandbox.inside.orders import Order
from afere.sandbox.orders import execution, message_of, order_of
from afere.sandbox.worker import Launch, Worker

__all__ = ["Pool", "Want"]

_IDLE = 12  # zygotes kept waiting, over all kinds


@dataclass(frozen=True, slots=True)
class Want:
    """What a task needs of its zygote."""

    hash_seed: int = 0
    packages: tuple[str, ...] = ()


class Pool:
    """Runs tasks on at most `workers` zygotes at a time, at one level of isolation."""

    def __init__(self, level: str, launch: Callable[[Want], Launch], workers: int) -> None:
        self._level, self._launch = level, launch
        self._places = _Places(max(1, workers))
        self._idle: list[tuple[Want, Worker]] = []
        self._closed = False

    @property
    def level(self) -> str:
        """The isolation in use."""
        return self._level

    async def run(self, task: Task) -> Execution:
        """Run one task; raises SandboxError where the sandbox failed twice, UsageError on misuse.

        A Python answer must pass under every hash seed; the first failure is given.
        """
        order, message = order_of(task), message_of(task)
        result, seconds = None, 0.0
        for want in _wants(task):
            verdict = await self._tried(want, order, message)
            result = execution(verdict, task, self._level)
            seconds += result.seconds
            if result.failure is not None:
                break
        if result is None:
            raise SandboxError("a task without a hash seed cannot run")
        return replace(result, seconds=seconds)

    async def close(self) -> None:
        """End all processes of the sandbox."""
        self._closed = True
        while self._idle:
            self._idle.pop()[1].close()

    async def _tried(self, want: Want, order: Order, message: Any) -> dict[str, Any]:
        """Run under one want: our own fault once more, a time-out under load again alone.

        Tests that hand over what cannot cross are run once more in the answer's own process.
        """
        try:
            verdict = await self._once(want, order, message)
        except SandboxError:
            verdict = await self._once(want, order, message)
        if verdict["failure"] == "timeout" and verdict.get("starved") is True:
            verdict = await self._once(want, order, message, alone=True)
        if verdict.get("together") is True and not message["together"]:
            verdict = await self._tried(want, order, {**message, "together": True})
            return {**verdict, "together": True}
        return verdict

    async def _once(
        self, want: Want, order: Order, message: Any, *, alone: bool = False
    ) -> dict[str, Any]:
        async with self._places.taken(alone=alone):
            worker = await self._worker(want)
            try:
                verdict = await worker.run(order, message)
            except BaseException:
                worker.close()
                raise
            self._put_back(want, worker)
            return verdict

    async def _worker(self, want: Want) -> Worker:
        if self._closed:
            raise SandboxError("the sandbox is closed")
        for place in range(len(self._idle) - 1, -1, -1):
            if self._idle[place][0] == want:
                return self._idle.pop(place)[1]
        return await Worker.start(self._launch(want))

    def _put_back(self, want: Want, worker: Worker) -> None:
        if self._closed or worker.spent:
            worker.close()
            return
        self._idle.append((want, worker))
        if len(self._idle) > _IDLE:
            self._idle.pop(0)[1].close()


def _wants(task: Task) -> list[Want]:
    if isinstance(task, PythonTask):
        return [Want(seed, task.packages) for seed in task.hash_seeds]
    if isinstance(task, SqlTask) and task.engine == "duckdb":
        return [Want(packages=("duckdb",))]
    return [Want()]


class _Places:
    """So many tasks at a time, or one that wants the sandbox alone."""

    def __init__(self, places: int) -> None:
        self._places, self._taken = places, 0
        self._changed = asyncio.Condition()
        self._alone = asyncio.Lock()

    @asynccontextmanager
    async def taken(self, *, alone: bool) -> AsyncIterator[None]:
        """Hold one place, or all of them."""
        if alone:
            async with self._alone:
                for _ in range(self._places):
                    await self._take()
                try:
                    yield
                finally:
                    await self._give(self._places)
        else:
            await self._take()
            try:
                yield
            finally:
                await self._give(1)

    async def _take(self) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self._taken < self._places)
            self._taken += 1

    async def _give(self, count: int) -> None:
        async with self._changed:
            self._taken -= count
            self._changed.notify_all()
