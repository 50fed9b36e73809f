"""Waiting records are committed together, lookups of one moment are one query."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from store_samples import attempt, plan, request, response, row, started, suite

from afere.domain import Attempt, StoreError
from afere.store import MemoryStore, open_store


@contextmanager
def statements_seen() -> Iterator[list[str]]:
    seen: list[str] = []

    def see(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        seen.append(statement.split(maxsplit=1)[0])

    sa.event.listen(sa.Engine, "before_cursor_execute", see)
    try:
        yield seen
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", see)


def test_what_waits_at_one_moment_is_one_transaction(tmp_path: Path) -> None:
    async def story() -> list[str]:
        store = await open_store(str(tmp_path / "afere.db"), clock=lambda: 0.0)
        with statements_seen() as seen:
            await asyncio.gather(
                *(store.keep_attempt(attempt(f"p{number}")) for number in range(100)),
                *(store.keep_row("run", row(f"p{number}")) for number in range(100)),
            )
        await store.close()
        return seen

    assert asyncio.run(story()) == ["BEGIN", "SELECT", "INSERT", "INSERT", "INSERT"]


def test_what_comes_in_quick_succession_shares_transactions(tmp_path: Path) -> None:
    async def story() -> list[str]:
        store = await open_store(str(tmp_path / "afere.db"), clock=lambda: 0.0)
        with statements_seen() as seen:
            keeping = []
            for number in range(200):
                keeping.append(asyncio.ensure_future(store.keep_attempt(attempt(f"p{number}"))))
                await asyncio.sleep(0)
            await asyncio.gather(*keeping)
        await store.close()
        return seen

    assert asyncio.run(story()).count("BEGIN") < 100


def test_lookups_of_one_moment_are_one_query(tmp_path: Path) -> None:
    async def story() -> None:
        store = await open_store(str(tmp_path / "afere.db"), clock=lambda: 0.0)
        await store.keep_attempt(attempt("p7"))
        with statements_seen() as seen:
            found = await asyncio.gather(
                *(store.response(request(f"p{number}").key) for number in range(100)),
            )
        assert seen == ["BEGIN", "SELECT"]
        assert [number for number, each in enumerate(found) if each] == [7]
        await store.close()

    asyncio.run(story())


def test_the_store_only_ever_adds(tmp_path: Path) -> None:
    async def story() -> list[str]:
        with statements_seen() as seen:
            store = await open_store(str(tmp_path / "afere.db"), clock=lambda: 0.0)
            for _ in range(2):
                number = await store.begin(plan(), suite(), started())
                await store.keep_attempt(attempt())
                await store.keep_attempt(attempt(content="again"), again=True)
                await store.keep_row(plan().id, row())
                await store.end(plan().id, number, started())
                await store.run(plan().id)
                _ = [answer async for answer in store.answers(plan().id)]
            await store.close()
        return seen

    adds = {"BEGIN", "SELECT", "INSERT", "CREATE", "PRAGMA", "ALTER"}  # a column is added too
    assert set(asyncio.run(story())) <= adds


def test_a_keep_that_is_cancelled_while_waiting_is_kept_nonetheless(tmp_path: Path) -> None:
    async def story() -> None:
        path = str(tmp_path / "afere.db")
        store = await open_store(path, clock=lambda: 0.0)
        waiting = asyncio.ensure_future(store.keep_attempt(attempt()))
        await asyncio.sleep(0)
        waiting.cancel()
        other = asyncio.ensure_future(store.keep_attempt(attempt("p02")))
        await asyncio.sleep(0)
        await store.close()
        assert other.done()
        again = await open_store(path, clock=lambda: 0.0)
        assert await again.response(request().key) == response()
        assert await again.response(request("p02").key) == response()
        await again.close()

    asyncio.run(story())


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    async def story() -> None:
        store = await open_store(str(tmp_path / "afere.db"), clock=lambda: 0.0)
        for each in (store, MemoryStore()):
            await each.close()
            await each.close()
            with pytest.raises(StoreError, match="closed"):
                await each.keep_attempt(attempt())
            with pytest.raises(StoreError, match="closed"):
                await each.response(request().key)
            with pytest.raises(StoreError, match="closed"):
                await each.plans()

    asyncio.run(story())


def test_more_than_a_batch_can_hold_is_kept_in_several(tmp_path: Path) -> None:
    async def story() -> None:
        store = await open_store(str(tmp_path / "afere.db"), clock=lambda: 0.0)
        kept = plan(suite(*(f"p{number}" for number in range(1201))), rounds=1)
        await store.begin(kept, suite(), started())
        await asyncio.gather(*(store.keep_row(kept.id, row(item)) for item in kept.items))
        graded = await store.graded(kept.id)
        assert len(graded) == 1201
        answers = [answer async for answer in store.answers(kept.id)]
        assert [each.item for each, _ in answers] == list(kept.items)
        await store.close()

    asyncio.run(story())


def test_a_question_asked_in_several_rounds_is_stored_once(tmp_path: Path) -> None:
    """BR-052: the store grows with what is new."""

    async def keep(rounds: int, path: Path) -> None:
        store = await open_store(str(path), clock=lambda: 0.0)
        for number in range(20):
            messages = [{"role": "user", "content": f"{number}" + "x" * 20_000}]
            for round_ in range(1, rounds + 1):
                asked = request(f"p{number}", round_, body={"messages": messages})
                await store.keep_attempt(Attempt(request=asked, result=response()))
        await store.close()

    sizes = []
    for rounds in (1, 5):
        path = tmp_path / f"{rounds}.db"
        asyncio.run(keep(rounds, path))
        sizes.append(path.stat().st_size)
    assert sizes[0] > 20 * 20_000
    assert sizes[1] - sizes[0] < 100 * 1000
