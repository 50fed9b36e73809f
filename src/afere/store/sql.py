"""The store in a database: waiting records are committed together, by one thread."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

from afere.domain import (
    Attempt,
    Graded,
    Invocation,
    Mark,
    Response,
    Row,
    Run,
    RunPlan,
    Sentence,
    StoreError,
    Suite,
)
from afere.store.batches import Batches
from afere.store.location import Place, find_place
from afere.store.records import Keeping, Kept, KeptRow, attempt_columns, row_columns

if TYPE_CHECKING:
    from afere.store.engine import Opened
    from afere.store.starts import StoreLedger

__all__ = ["SqlStore", "open_store"]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_PAGE = 200  # answers read together


async def open_store(
    url: str,
    *,
    clock: Callable[[], float],
    lock_wait: float = 30.0,
    make: bool = True,
) -> "SqlStore":
    """Open the store at a path or URL; a file and its folder are made where they are missing.

    clock: gives the seconds since 1970 in UTC.
    lock_wait: seconds to wait while another process writes.
    make: whether a file that is missing is made; else NoStoreError is raised.
    Raises StoreError, which says what is wrong and how to mend it.
    """
    place = find_place(url, make=make)
    writing = ThreadPoolExecutor(1, "afere-store-writing")
    loop = asyncio.get_running_loop()
    try:
        opened = await loop.run_in_executor(writing, _open, place, clock, lock_wait)
    except BaseException:
        writing.shutdown(wait=False)
        raise
    return SqlStore(place, opened, writing)


def _open(place: Place, clock: Callable[[], float], lock_wait: float) -> "Opened":
    from afere.store.engine import open_database  # brings SQLAlchemy: slow to import

    return open_database(place, clock=clock, lock_wait=lock_wait)


class SqlStore:
    """A store in a database, as `afere.domain.Store` says. Made by `open_store`.

    place: the file, or the server's address without a password.
    warnings: what a user should know of that place.
    """

    place: str
    warnings: tuple[Sentence, ...]

    def __init__(self, place: Place, opened: "Opened", writing: ThreadPoolExecutor) -> None:
        self.place, self.warnings = place.name, place.warnings
        self._writer, self._reader, self._disconnect = opened.writer, opened.reader, opened.close
        self._counts = opened.counts
        self._ledger: StoreLedger | None = None
        self._writing, self._reading = writing, ThreadPoolExecutor(1, "afere-store-reading")
        self._kept: Batches[Keeping, Kept] = Batches(self._writer.keep, writing)
        self._looked_up: Batches[str, Response | None]
        self._looked_up = Batches(self._reader.responses, self._reading)
        self._closed = False

    async def response(self, key: str) -> Response | None:
        """Give the model's reply kept under a request's key; failures are never given."""
        return await self._looked_up.do(key)

    async def keep_attempt(self, attempt: Attempt, *, again: bool = False) -> Response | None:
        """Keep what came of one HTTP request; give the reply that counts if it is another one."""
        if await self._keep(attempt_columns(attempt, again=again)):
            return await self.response(attempt.request.key)
        return None

    async def attempts(self, key: str) -> Sequence[Attempt]:
        """Give every attempt under a request's key, the earliest first."""
        return await self._do(self._reading, self._reader.attempts, key)

    async def asked(self, endpoint: str, since: float) -> Mapping[str, int]:
        """Count the HTTP requests to an endpoint from a moment on, by model."""
        return await self._do(self._reading, self._reader.asked, endpoint, since)

    async def begin(self, plan: RunPlan, suite: Suite, invocation: Invocation) -> int:
        """Keep plan and suite where they are new; give the number of this invocation."""
        self._reader.know(suite)
        return await self._do(self._writing, self._writer.begin, plan, suite, invocation)

    async def keep_row(self, run_id: str, row: Row) -> None:
        """Keep a row; of several for one (item, round, variant) the latest counts."""
        await self._keep(KeptRow(row_columns(run_id, row)))

    async def end(self, run_id: str, number: int, invocation: Invocation) -> None:
        """Keep how an invocation ended."""
        await self._do(self._writing, self._writer.end, run_id, number, invocation)

    async def run(self, run_id: str) -> Run | None:
        """Give a run with the latest row of each mark, in the plan's order, by exact id."""
        return await self._do(self._reading, self._reader.run, run_id)

    async def graded(self, run_id: str) -> Mapping[Mark, Graded]:
        """Give what is already judged of a run: cheap, so that a resume skips it."""
        return await self._do(self._reading, self._reader.graded, run_id)

    async def answers(self, run_id: str) -> AsyncIterator[tuple[Row, Response | None]]:
        """Give each latest row of a run with the reply that it judges, in the plan's order."""
        row_ids = await self._do(self._reading, self._reader.row_ids, run_id)
        for start in range(0, len(row_ids), _PAGE):
            page = row_ids[start : start + _PAGE]
            for answer in await self._do(self._reading, self._reader.answers, page):
                yield answer

    async def tries(self, run_id: str) -> Mapping[str, int]:
        """Count the HTTP requests made under each key of a run's rows."""
        return await self._do(self._reading, self._reader.tries, run_id)

    async def find(self, beginning: str) -> Sequence[str]:
        """Give the ids of the runs that begin so, in order."""
        return await self._do(self._reading, self._reader.find, beginning)

    async def plans(self) -> Sequence[tuple[RunPlan, Invocation]]:
        """Give every run's plan and its latest invocation, the latest started last."""
        return await self._do(self._reading, self._reader.plans)

    def ledger(self) -> "StoreLedger":
        """Give the counts that every process on this store shares."""
        if self._ledger is None:
            from afere.store.starts import StoreLedger

            self._ledger = StoreLedger(self._counts, self._writing)
        return self._ledger

    async def close(self) -> None:
        """Finish what is waiting to be written, then close; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        if self._ledger is not None:
            await self._ledger.close()
        await asyncio.gather(self._looked_up.close(), self._kept.close())
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._reading, bool)  # its turn comes when all reads are done
        await loop.run_in_executor(self._writing, self._disconnect)
        self._reading.shutdown(wait=False)
        self._writing.shutdown(wait=False)

    async def _keep(self, kept: Keeping) -> bool:
        """Keep a record; tell whether another process had kept a reply for it before."""
        came = await self._kept.do(kept)
        if isinstance(came, StoreError):
            raise came
        return came

    async def _do(
        self,
        thread: ThreadPoolExecutor,
        work: Callable[[*Ts], T],
        *arguments: *Ts,
    ) -> T:
        if self._closed:
            raise StoreError(f"{self.place}: the store is closed.")
        return await asyncio.get_running_loop().run_in_executor(thread, work, *arguments)
