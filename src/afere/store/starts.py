"""Counts behind limits that processes share, kept in the store: who started what when.

This is bookkeeping, no record of answers: it is pruned after two days, and what a process that died
had open is free again as soon as its lease is over.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from typing import NamedTuple, TypeAlias

import sqlalchemy as sa

from afere.domain import Full, Started, StoreError, Unit, Window
from afere.store import tables
from afere.store.batches import Batches
from afere.store.faults import told_as_store_errors
from afere.store.texts import to_column

__all__ = ["Counts", "StoreLedger"]

_LEASE, _BEAT = 15.0, 5.0  # seconds that a process is believed alive, and between its signs of life
_LOOK_AGAIN = 0.2  # seconds after which an open call may have ended
_IN_LINE = 1.0  # seconds that a process keeps its place in line without asking again
_KEPT = 2 * 86400.0  # seconds: the longest window is a day
_LOCK = 0x61666573  # any number of our own, for PostgreSQL, where writers go side by side


class _Start(NamedTuple):
    ticket: int
    windows: Sequence[Window]
    scopes: Sequence[str]
    tokens: float
    now: float


class _Settle(NamedTuple):
    ticket: int
    tokens: float | None


class _TakeBack(NamedTuple):
    ticket: int


class _Hold(NamedTuple):
    scope: str
    until: float


class _Beat(NamedTuple):
    pass


class _Leave(NamedTuple):
    pass


_Job: TypeAlias = _Start | _Settle | _TakeBack | _Hold | _Beat | _Leave
_Answer: TypeAlias = Started | Full | None


class StoreLedger:
    """The ledger of this process over the counts of all, as `afere.domain.Ledger` says."""

    def __init__(self, counts: "Counts", thread: Executor) -> None:
        self._jobs: Batches[_Job, _Answer] = Batches(counts.do, thread)
        self._last_ticket = 0
        self._beating: asyncio.Task[None] | None = None

    async def start(
        self,
        windows: Sequence[Window],
        *,
        scopes: Sequence[str],
        tokens: float,
        now: float,
    ) -> Started | Full:
        """Write a start down if there is room for it, whoever started the others."""
        self._last_ticket += 1
        answer = await self._do(_Start(self._last_ticket, windows, scopes, tokens, now))
        assert answer is not None, "a start is answered"  # noqa: S101 - an invariant
        return answer

    async def settle(self, ticket: int, *, tokens: float | None) -> None:
        """Note that a call has ended."""
        await self._do(_Settle(ticket, tokens))

    async def take_back(self, ticket: int) -> None:
        """Strike a start out again that no request followed."""
        await self._do(_TakeBack(ticket))

    async def hold(self, scope: str, until: float) -> None:
        """Let nothing of the scope start before a moment, in any process."""
        await self._do(_Hold(scope, until))

    async def close(self) -> None:
        """Give up what is open and leave; the starts stay counted."""
        if self._beating is not None:
            self._beating.cancel()
            with suppress(StoreError):  # the lease runs out by itself
                await self._jobs.do(_Leave())
        await self._jobs.close()

    async def _do(self, job: _Job) -> _Answer:
        if self._beating is None:
            self._beating = asyncio.create_task(self._beat())
        return await self._jobs.do(job)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            with suppress(StoreError):  # whoever starts a call next is told
                await self._jobs.do(_Beat())


class Counts:
    """The ledger's tables, for the one thread that writes; a batch of jobs is one transaction."""

    def __init__(
        self,
        connection: sa.Connection,
        *,
        name: str,
        clock: Callable[[], float],
        journalled: bool,
    ) -> None:
        """journalled: whether a commit survives the process unsynced, as in SQLite's WAL."""
        self._connection, self._name, self._clock = connection, name, clock
        self._journalled = journalled
        self._shared_server = connection.dialect.name == "postgresql"
        self._owner = 0  # none before the first job
        self._in_line: set[str] = set()
        self._before: dict[tuple[str, float], int] = {}

    def do(self, jobs: Sequence[_Job]) -> Sequence[_Answer]:
        """Do jobs in their order; raises StoreError."""
        with told_as_store_errors(self._name):
            self._sync("NORMAL")  # the power may take the last counts with it, and no answer
            try:
                if not self._owner:
                    self._enter()
                with self._connection.begin():
                    self._lock()
                    return [self._done(job) for job in jobs]
            finally:
                self._sync("FULL")

    def _sync(self, how: str) -> None:
        if self._journalled:
            cursor = self._connection.connection.cursor()  # outside of any transaction
            cursor.execute(f"PRAGMA synchronous = {how}")
            cursor.close()

    def _lock(self) -> None:
        if self._shared_server:
            self._connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))

    def _enter(self) -> None:
        """Prune what is old, and what the dead left open; then take a number."""
        owners, now = tables.limit_owners, self._clock()
        with self._connection.begin():
            self._lock()
            self._run(tables.limit_starts.delete().where(tables.limit_starts.c.at < now - _KEPT))
            self._run(owners.delete().where(owners.c.alive_until < now))
            alive = sa.select(owners.c.id)
            for table in (tables.limit_open, tables.limit_waits):
                self._run(table.delete().where(table.c.owner.not_in(alive)))
            entered = owners.insert().values(alive_until=now + _LEASE).returning(owners.c.id)
            owner: int = self._connection.execute(entered).scalar_one()
        self._owner = owner

    def _run(self, statement: sa.Executable) -> int:
        return self._connection.execute(statement).rowcount

    def _done(self, job: _Job) -> _Answer:
        match job:
            case _Start():
                return self._started(job)
            case _Settle(ticket, tokens):
                self._settle(ticket, tokens)
            case _TakeBack(ticket):
                self._close([ticket])
                self._run(
                    tables.limit_starts.delete().where(self._mine(tables.limit_starts, ticket))
                )
            case _Hold(scope, until):
                self._hold(to_column(scope), until)
            case _Beat():
                self._live()
            case _Leave():
                self._leave()
        return None

    def _started(self, job: _Start) -> Started | Full:
        now = max(job.now, self._clock())  # the lock may have been waited for
        scopes = [to_column(scope) for scope in job.scopes]
        held = self._held(scopes)
        if held > now:
            return Full(until=held)
        full = [found for each in job.windows if (found := self._full(each, job.tokens, now))]
        if full:
            return max(full, key=lambda each: each.until)
        starts, open_ = tables.limit_starts, tables.limit_open
        noted = [{"owner": self._owner, "ticket": job.ticket, "scope": scope} for scope in scopes]
        self._connection.execute(
            starts.insert(), [each | {"at": now, "tokens": job.tokens} for each in noted]
        )
        self._connection.execute(open_.insert(), noted)
        self._leave_line(scopes)
        return Started(ticket=job.ticket)

    def _held(self, scopes: Sequence[str]) -> float:
        holds = tables.limit_holds
        latest = sa.select(sa.func.max(holds.c.until)).where(holds.c.scope.in_(scopes))
        return self._connection.execute(latest).scalar() or 0.0

    def _full(self, window: Window, tokens: float, now: float) -> Full | None:
        until: float | None = None
        if window.unit is Unit.OPEN:
            if self._has_to_wait(to_column(window.scope), window.most, now):
                until = now + _LOOK_AGAIN
        elif window.span is None:
            if self._of_the_day(window) >= window.most:
                until = window.ends
        elif window.unit is Unit.REQUESTS:
            until = self._until_room(window, 1.0, now)
        else:
            until = self._until_room(window, min(tokens, window.most), now)
        return None if until is None else Full(until=until, window=window)

    def _until_room(self, window: Window, amount: float, now: float) -> float | None:
        """Give the moment at which the window has room for an amount, None if that is now."""
        starts, span = tables.limit_starts, window.span or 0.0
        counted = starts.c.tokens if window.unit is Unit.TOKENS else sa.literal(1.0)
        within = (starts.c.scope == to_column(window.scope)) & (starts.c.at > now - span)
        used = self._connection.execute(sa.select(sa.func.sum(counted)).where(within)).scalar()
        excess = (used or 0.0) + amount - window.most
        if excess <= 0:
            return None
        wanted = sa.select(starts.c.at, counted).where(within).order_by(starts.c.at)
        for at, each in self._connection.execute(wanted).all():
            excess -= each
            if excess <= 0:
                return float(at) + span
        return None

    def _of_the_day(self, window: Window) -> int:
        """Count the starts since the day began, and the attempts before the first of them."""
        starts, place = tables.limit_starts, (window.scope, window.since)
        within = (starts.c.scope == to_column(window.scope)) & (starts.c.at >= window.since)
        if place not in self._before:
            first = self._connection.execute(
                sa.select(sa.func.min(starts.c.at)).where(within)
            ).scalar()
            self._before[place] = self._attempts(window, first)
        counted = sa.select(sa.func.count()).select_from(starts).where(within)
        return self._before[place] + int(self._connection.execute(counted).scalar_one())

    def _attempts(self, window: Window, until: float | None) -> int:
        attempts = tables.attempts
        wanted = (
            sa.select(sa.func.count())
            .select_from(attempts)
            .where(
                attempts.c.at >= window.since,
                attempts.c.endpoint == to_column(window.endpoint),
            )
        )
        if until is not None:
            wanted = wanted.where(attempts.c.at < until)
        if window.model:
            wanted = wanted.where(attempts.c.model == to_column(window.model))
        return int(self._connection.execute(wanted).scalar_one())

    def _has_to_wait(self, scope: str, most: float, now: float) -> bool:
        """Look whether all places are taken, or the next one is another process's turn.

        Who has fewer calls open goes first; of two with equally many, who has waited longer.
        """
        open_by = self._open_by(scope, now)
        mine, since = open_by.get(self._owner, 0), now
        waiting = self._waiting(scope, now)
        if self._owner in waiting:
            since = waiting.pop(self._owner)
        others = any(
            (open_by.get(owner, 0), first) < (mine, since) for owner, first in waiting.items()
        )
        if sum(open_by.values()) < most and not others:
            return False
        self._wait_in_line(scope, since, now)
        return True

    def _open_by(self, scope: str, now: float) -> dict[int, int]:
        open_, owners = tables.limit_open, tables.limit_owners
        alive = (open_.c.owner == owners.c.id) & (
            (owners.c.alive_until > now) | (owners.c.id == self._owner)
        )
        counted = (
            sa.select(open_.c.owner, sa.func.count())
            .select_from(open_.join(owners, alive))
            .where(open_.c.scope == scope)
            .group_by(open_.c.owner)
        )
        return dict(self._connection.execute(counted).all())

    def _waiting(self, scope: str, now: float) -> dict[int, float]:
        waits = tables.limit_waits
        wanted = sa.select(waits.c.owner, waits.c.since)
        found = self._connection.execute(wanted.where(waits.c.scope == scope, waits.c.until > now))
        return dict(found.all())

    def _wait_in_line(self, scope: str, since: float, now: float) -> None:
        self._leave_line([scope])
        self._run(
            tables.limit_waits.insert().values(
                owner=self._owner, scope=scope, since=since, until=now + _IN_LINE
            )
        )
        self._in_line.add(scope)

    def _leave_line(self, scopes: Iterable[str]) -> None:
        waits = tables.limit_waits
        for scope in self._in_line.intersection(scopes):
            self._run(waits.delete().where(waits.c.owner == self._owner, waits.c.scope == scope))
            self._in_line.discard(scope)

    def _mine(self, table: sa.TableClause, ticket: int) -> sa.ColumnElement[bool]:
        return (table.c.owner == self._owner) & (table.c.ticket == ticket)

    def _settle(self, ticket: int, tokens: float | None) -> None:
        self._close([ticket])
        if tokens is not None:
            starts = tables.limit_starts
            self._run(starts.update().where(self._mine(starts, ticket)).values(tokens=tokens))

    def _close(self, tickets: Sequence[int]) -> None:
        open_ = tables.limit_open
        self._run(open_.delete().where(open_.c.owner == self._owner, open_.c.ticket.in_(tickets)))

    def _hold(self, scope: str, until: float) -> None:
        holds = tables.limit_holds
        if self._held([scope]) < until:
            self._run(holds.delete().where(holds.c.scope == scope))
            self._run(holds.insert().values(scope=scope, until=until))

    def _live(self) -> None:
        """Renew the lease, also where it was over because the machine slept."""
        owners, until = tables.limit_owners, self._clock() + _LEASE
        mine = owners.c.id == self._owner
        if not self._run(owners.update().where(mine).values(alive_until=until)):
            self._run(owners.insert().values(id=self._owner, alive_until=until))

    def _leave(self) -> None:
        for table in (tables.limit_open, tables.limit_waits):
            self._run(table.delete().where(table.c.owner == self._owner))
        self._run(tables.limit_owners.delete().where(tables.limit_owners.c.id == self._owner))
