"""A real PostgreSQL server: several processes, any text, and what happens when it goes away."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from postgres import running_server
from servers import ChatServer
from store_samples import attempt, plan, request, response, row, started, suite

from afere.domain import Attempt, Full, Started, StoreError, Unit, Window
from afere.store import SqlStore, open_store

KEEPER = Path(__file__).with_name("keeper.py")
ANY_TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from("\0\ud800\udfff\ufdd0"))
NewDatabase = Callable[[], str]


async def opened(url: str) -> SqlStore:
    return await open_store(url, clock=time.time)


def test_any_text_comes_back(new_database: NewDatabase) -> None:
    url = new_database()

    @settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(ANY_TEXT, min_size=5, max_size=5))
    def look(texts: Sequence[str]) -> None:
        a, b, c, d, e = texts
        asked = request(a, model=b, series=d, body={"messages": [], "x": c})
        answer = response(e, finish_reason=a, reasoning=b, body=c)
        keep(asked_and=Attempt(request=asked, result=answer))

    def keep(asked_and: Attempt) -> None:
        async def story() -> None:
            store = await opened(url)
            counts = await store.keep_attempt(asked_and)
            assert await store.response(asked_and.request.key) == (counts or asked_and.result)
            assert asked_and in await store.attempts(asked_and.request.key)
            await store.close()

        asyncio.run(story())

    look()


def test_two_processes_on_one_new_database_lose_nothing(
    new_database: NewDatabase, tmp_path: Path
) -> None:
    url = new_database()
    processes = {}
    for name in ("a", "b"):
        with (tmp_path / name).open("wb") as said:
            processes[name] = subprocess.Popen(
                [sys.executable, str(KEEPER), url, name, "150", "16"], stdout=said
            )
    for process in processes.values():
        assert process.wait(timeout=100) == 0
    said = b"".join((tmp_path / name).read_bytes() for name in processes).decode()
    answers = [line.removeprefix("answer ") for line in said.splitlines() if line[:1] == "a"]
    assert len(answers) == 300

    async def look() -> None:
        store = await opened(url)
        for item in answers:
            assert await store.response(request(item).key) is not None
        assert len(await store.plans()) == 2
        await store.close()

    asyncio.run(look())


def test_nothing_acknowledged_is_lost_by_a_kill(new_database: NewDatabase, tmp_path: Path) -> None:
    url, said = new_database(), tmp_path / "said"
    with said.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, str(KEEPER), url, "x", "3000", "8"], stdout=output
        )
    while not said.stat().st_size:
        time.sleep(0.01)
    time.sleep(0.2)
    process.kill()
    process.wait()
    lines = said.read_bytes().rpartition(b"\n")[0].decode().splitlines()
    kept = [line.removeprefix("answer ") for line in lines if line.startswith("answer ")]
    assert kept

    async def look() -> None:
        store = await opened(url)
        for item in kept:
            assert await store.response(request(item).key) is not None
        await store.close()

    asyncio.run(look())


def test_the_first_of_two_replies_counts_for_both(new_database: NewDatabase) -> None:
    url = new_database()

    async def story() -> None:
        one, other = await opened(url), await opened(url)
        told = await asyncio.gather(
            *(
                store.keep_attempt(attempt(f"p{number}", content=name))
                for number in range(30)
                for name, store in (("one", one), ("other", other))
            )
        )
        for number in range(30):
            counts = await one.response(request(f"p{number}").key)
            assert counts is not None
            mine = dict(zip(("one", "other"), told[2 * number :], strict=False))
            assert mine.pop(counts.content) is None  # what was kept first is told nothing
            assert list(mine.values()) == [counts]
        await one.close()
        await other.close()

    asyncio.run(story())


def test_limits_hold_over_processes(new_database: NewDatabase) -> None:
    window = Window(scope="p", unit=Unit.REQUESTS, most=20, span=60.0)
    url = new_database()

    async def story() -> None:
        stores = [await opened(url) for _ in range(2)]
        answers = await asyncio.gather(
            *(
                store.ledger().start([window], scopes=["p"], tokens=0.0, now=time.time())
                for _ in range(20)
                for store in stores
            )
        )
        assert sum(isinstance(each, Started) for each in answers) == 20
        assert sum(isinstance(each, Full) for each in answers) == 20
        await asyncio.gather(*(store.close() for store in stores))

    asyncio.run(story())


def test_a_store_opened_by_many_at_once_is_made_once(new_database: NewDatabase) -> None:
    url = new_database()

    async def story() -> None:
        stores = await asyncio.gather(*(opened(url) for _ in range(4)))
        await asyncio.gather(*(store.close() for store in stores))

    asyncio.run(story())


def test_tables_of_another_program_may_stand_beside(new_database: NewDatabase) -> None:
    url = new_database()
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("create table theirs (text text)")
    engine.dispose()

    async def story() -> None:
        store = await opened(url)
        await store.begin(plan(), suite(), started())
        await store.keep_row(plan().id, row())
        await store.close()

    asyncio.run(story())


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://ana:pass-word@127.0.0.1:9/afere",
        "postgresql+psycopg://ana:pass-word@no-such-host.invalid/afere",
    ],
)
def test_a_server_that_is_not_there_is_told_without_the_password(url: str) -> None:
    pytest.importorskip("psycopg", reason="PostgreSQL's driver is not installed")
    with pytest.raises(StoreError) as raised:
        asyncio.run(opened(url))
    text = str(raised.value)
    assert "pass-word" not in text
    assert "the database server cannot be reached" in text
    assert len(text.splitlines()) <= 3


def test_a_database_that_is_not_there_is_told(postgres: str) -> None:
    with pytest.raises(StoreError, match="no_such_database"):
        asyncio.run(opened(postgres + "no_such_database"))


def test_a_server_that_goes_away_is_told_and_what_was_kept_is_there() -> None:
    async def story(url: str, stop: Callable[[], None]) -> None:
        store = await opened(url)
        await store.keep_attempt(attempt())
        await asyncio.to_thread(stop)
        with pytest.raises(StoreError) as raised:
            await store.keep_attempt(attempt("p02"))
        assert len(str(raised.value).splitlines()) <= 3
        assert "the database server" in str(raised.value)
        await store.close()

    with running_server() as address:

        def stop() -> None:
            engine = sa.create_engine(address + "postgres", isolation_level="AUTOCOMMIT")
            with engine.connect() as connection:
                connection.exec_driver_sql(
                    "select pg_terminate_backend(pid) from pg_stat_activity "
                    "where pid <> pg_backend_pid() and usename = 'afere'"
                )
            engine.dispose()

        asyncio.run(story(address + "postgres", stop))


def test_the_whole_program_runs_on_it(new_database: NewDatabase, tmp_path: Path) -> None:
    url = new_database()
    lines = [f"  - {{id: i{n}, input: 'Say 42 to {n}', expect: {{number: 42}}}}" for n in range(5)]
    (tmp_path / "suite.yaml").write_text("suite: five\nitems:\n" + "\n".join(lines), "utf-8")

    def afere(*words: str) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [sys.executable, "-m", "afere", *words, "--store", url],
            cwd=tmp_path,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
            capture_output=True,
            check=False,
            timeout=100,
        )

    with ChatServer() as server:
        run = ("run", "suite.yaml", "-m", "m", "--base-url", server.base_url)
        assert afere(*run).returncode == 0
        assert server.count == 15
        assert afere(*run).returncode == 0
        assert server.count == 15
        shown = afere("show", "latest")
        assert shown.returncode == 0, shown.stderr
        assert b"m" in afere("runs").stdout
