"""Limits that processes share: what one starts counts for all, and the dead hold no place."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from store_samples import URL, attempt

from afere.domain import Full, Ledger, Started, Unit, Window
from afere.store import MemoryStore, SqlStore, open_store

RPM = Window(scope="p", unit=Unit.REQUESTS, most=3, span=60.0)
TPM = Window(scope="p", unit=Unit.TOKENS, most=100, span=60.0)
OPEN = Window(scope="p", unit=Unit.OPEN, most=1)
DAY = Window(
    scope="p", unit=Unit.REQUESTS, most=4, since=1000.0, ends=87400.0, endpoint=URL, model=""
)


class Place:
    """A store that several processes open, and the clock on the wall."""

    def __init__(self, file: Path) -> None:
        self.file, self.now = file, 1000.0

    @asynccontextmanager
    async def opened(self, count: int = 2) -> AsyncIterator[list[SqlStore]]:
        async with AsyncExitStack() as closing:
            stores = []
            for _ in range(count):
                store = await open_store(str(self.file), clock=lambda: self.now)
                closing.push_async_callback(store.close)
                stores.append(store)
            yield stores

    async def start(self, ledger: Ledger, *windows: Window, tokens: float = 0.0) -> Started | Full:
        return await ledger.start(windows, scopes=["p", "p/m"], tokens=tokens, now=self.now)


def told(tmp_path: Path, story: Callable[[Place, Ledger, Ledger], Awaitable[None]]) -> None:
    """Tell a story of two processes on one store."""

    async def run() -> None:
        place = Place(tmp_path / "afere.db")
        async with place.opened() as (one, other):
            await story(place, one.ledger(), other.ledger())

    asyncio.run(run())


def test_requests_a_minute_are_those_of_both(tmp_path: Path) -> None:
    async def story(place: Place, one: Ledger, other: Ledger) -> None:
        for ledger in (one, other, one):
            assert isinstance(await place.start(ledger, RPM), Started)
            place.now += 1
        assert await place.start(other, RPM) == Full(until=1060.0, window=RPM)
        assert await place.start(one, RPM) == Full(until=1060.0, window=RPM)
        place.now = 1060.0
        assert isinstance(await place.start(other, RPM), Started)
        assert await place.start(one, RPM) == Full(until=1061.0, window=RPM)

    told(tmp_path, story)


def test_tokens_are_reserved_and_settled_by_whoever_took_them(tmp_path: Path) -> None:
    async def story(place: Place, one: Ledger, other: Ledger) -> None:
        first = await place.start(one, TPM, tokens=80)
        assert isinstance(first, Started)
        assert isinstance(await place.start(other, TPM, tokens=80), Full)
        await one.settle(first.ticket, tokens=15)
        assert isinstance(await place.start(other, TPM, tokens=80), Started)
        assert isinstance(await place.start(one, TPM, tokens=900), Full)
        place.now += 60
        assert isinstance(await place.start(one, TPM, tokens=900), Started)

    told(tmp_path, story)


def test_open_calls_are_those_of_both_and_each_gets_its_turn(tmp_path: Path) -> None:
    async def story(place: Place, one: Ledger, other: Ledger) -> None:
        first = await place.start(one, OPEN)
        assert isinstance(first, Started)
        assert await place.start(other, OPEN) == Full(until=1000.2, window=OPEN)
        await one.settle(first.ticket, tokens=None)
        place.now += 0.1
        assert isinstance(await place.start(one, OPEN), Full)  # the other waits for longer
        second = await place.start(other, OPEN)
        assert isinstance(second, Started)
        await other.settle(second.ticket, tokens=None)
        place.now += 0.1
        assert isinstance(await place.start(other, OPEN), Full)
        assert isinstance(await place.start(one, OPEN), Started)

    told(tmp_path, story)


def test_what_the_dead_had_open_is_free_when_their_lease_is_over(tmp_path: Path) -> None:
    async def story(place: Place, one: Ledger, other: Ledger) -> None:
        assert isinstance(await place.start(one, OPEN), Started)  # and never a word again
        place.now += 14
        assert isinstance(await place.start(other, OPEN), Full)
        place.now += 2
        assert isinstance(await place.start(other, OPEN), Started)

    told(tmp_path, story)


def test_what_is_left_open_is_free_when_the_store_is_closed(tmp_path: Path) -> None:
    async def story() -> None:
        place = Place(tmp_path / "afere.db")
        async with place.opened(1) as (other,):
            async with place.opened(1) as (one,):
                assert isinstance(await place.start(one.ledger(), OPEN), Started)
                assert isinstance(await place.start(other.ledger(), OPEN), Full)
            assert isinstance(await place.start(other.ledger(), OPEN), Started)

    asyncio.run(story())


def test_a_hold_holds_both(tmp_path: Path) -> None:
    async def story(place: Place, one: Ledger, other: Ledger) -> None:
        await one.hold("p", 1030.0)
        await one.hold("p", 1010.0)
        assert await place.start(other) == Full(until=1030.0)
        place.now = 1030.0
        assert isinstance(await place.start(other), Started)

    told(tmp_path, story)


def test_a_start_that_no_request_followed_is_taken_back(tmp_path: Path) -> None:
    async def story(place: Place, one: Ledger, other: Ledger) -> None:
        for _ in range(5):
            start = await place.start(one, RPM, DAY, OPEN)
            assert isinstance(start, Started)
            await one.take_back(start.ticket)
        assert isinstance(await place.start(other, RPM, DAY, OPEN), Started)

    told(tmp_path, story)


def test_a_day_counts_what_was_asked_before_the_limit_was_declared(tmp_path: Path) -> None:
    async def story() -> None:
        place = Place(tmp_path / "afere.db")
        async with place.opened() as (one, other):
            await one.keep_attempt(attempt("of yesterday", at=999.0))
            await one.keep_attempt(attempt("of today", at=1001.0))
            place.now = 1002.0
            for store in (one, other, one):
                start = await place.start(store.ledger(), DAY)
                assert isinstance(start, Started)
                await store.keep_attempt(attempt("of the start", at=1002.5))
                await store.ledger().settle(start.ticket, tokens=None)
            assert await place.start(other.ledger(), DAY) == Full(until=87400.0, window=DAY)
        async with place.opened(1) as (later,):
            assert await place.start(later.ledger(), DAY) == Full(until=87400.0, window=DAY)

    asyncio.run(story())


def test_old_starts_are_pruned_and_a_store_does_not_grow_by_them(tmp_path: Path) -> None:
    async def story() -> None:
        place = Place(tmp_path / "afere.db")
        async with place.opened(1) as (one,):
            assert isinstance(await place.start(one.ledger()), Started)
        place.now += 3 * 86400
        async with place.opened(1) as (later,):
            await later.ledger().hold("p", 0.0)
        with sqlite3.connect(place.file) as hand:
            for table in ("limit_starts", "limit_open", "limit_waits", "limit_owners"):
                assert hand.execute(f"select count(*) from {table}").fetchone() == (0,)  # noqa: S608
        hand.close()

    asyncio.run(story())


def test_a_store_that_nobody_else_sees_shares_no_counts() -> None:
    assert MemoryStore().ledger() is None


def test_a_store_without_limits_writes_nothing_of_them(tmp_path: Path) -> None:
    async def story() -> None:
        place = Place(tmp_path / "afere.db")
        async with place.opened(1) as (one,):
            one.ledger()
            await one.keep_attempt(attempt())

        with sqlite3.connect(place.file) as hand:
            assert hand.execute("select count(*) from limit_owners").fetchone() == (0,)
        hand.close()

    asyncio.run(story())
