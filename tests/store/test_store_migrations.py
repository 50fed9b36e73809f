"""Stores of other versions: an old one is brought forward once, a newer one is refused."""

import asyncio
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from store_samples import attempt, failure, plan, request, response, row, started, suite

from afere.domain import Attempt, Outcome, StoreError
from afere.store import open_store, tables
from afere.store.migrations import STEPS, Step, apply_steps, missing_steps

FIRST_VERSION = Path(__file__).with_name("store_version_1.sql")


def made_by_hand(file: Path) -> None:
    """Write the store of the first version as it was dumped then."""
    with sqlite3.connect(file) as hand:
        hand.executescript(FIRST_VERSION.read_text("utf-8"))
    hand.close()


def test_a_store_of_the_first_version_is_opened(tmp_path: Path) -> None:
    file = tmp_path / "afere.db"
    made_by_hand(file)
    kept = plan()
    lost = row("p02", 1, Outcome.ENDPOINT_ERROR, error=failure(), answered_at=None)

    async def story() -> None:
        store = await open_store(str(file), clock=lambda: 2000.0)
        run = await store.run(kept.id)
        assert run is not None
        assert (run.plan, run.suite, run.invocations) == (kept, suite(), (started(),))
        assert run.rows == (row("p01"), row("p01", 2), lost)
        assert await store.response(request("p01").key) == response("3882 \ud800\0 maçã")
        failed = Attempt(request=request("p02"), result=failure())
        assert await store.attempts(request("p02").key) == [failed]
        await store.keep_attempt(attempt("p02"))
        assert await store.response(request("p02").key) == response()
        await store.close()

    asyncio.run(story())


def test_the_statements_name_the_columns_that_the_steps_made(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'afere.db'}")
    with engine.connect() as connection:
        apply_steps(connection, STEPS, now=0.0)
        seen = sa.inspect(connection)
        for name in tables.__all__:
            named = {column.name for column in getattr(tables, name).columns}
            assert named == {column["name"] for column in seen.get_columns(name)}
        assert set(seen.get_table_names()) == {*tables.__all__, "afere_migrations"}
    engine.dispose()


def test_a_step_is_applied_once_with_its_record_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "afere.db"
    made_by_hand(file)

    def add_notes(connection: sa.Connection) -> None:
        connection.exec_driver_sql("create table notes (text text)")

    def fail(connection: sa.Connection) -> None:
        connection.exec_driver_sql("create table half (text text)")
        connection.exec_driver_sql("create table notes (text text)")

    known = (*STEPS, Step("add_notes", add_notes))
    engine = sa.create_engine(f"sqlite:///{file}")
    with engine.connect() as connection:
        missing = [step.name for step in missing_steps(connection, known)]
        assert missing == [*(step.name for step in STEPS[1:]), "add_notes"]
        apply_steps(connection, known, now=7.0)
        apply_steps(connection, known, now=8.0)
        assert missing_steps(connection, known) == []
        with pytest.raises(sa.exc.OperationalError, match="already exists"):
            apply_steps(connection, [Step("fail", fail)], now=9.0)
        found = connection.exec_driver_sql("select name, applied_at from afere_migrations").all()
        assert found == [("first_tables", 1000.0), *((name, 7.0) for name in missing)]
    engine.dispose()


def test_the_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "afere.db"
    made_by_hand(file)
    with sqlite3.connect(file) as hand:
        hand.execute("insert into afere_migrations values ('of_tomorrow', 3000.0)")
    hand.close()

    async def story() -> str:
        with pytest.raises(StoreError) as raised:
            await open_store(str(file), clock=lambda: 0.0)
        return str(raised.value)

    assert asyncio.run(story()) == (
        f"{file}: written by a newer version of afere (it has the step 'of_tomorrow').\n"
        "Update afere, or name another file with --store."
    )


def test_the_tables_can_be_made_in_postgresql() -> None:
    """Without a server: only that the words are ones that its dialect knows."""
    words: list[str] = []

    def write(statement: sa.schema.ExecutableDDLElement, *_: object, **__: object) -> None:
        words.append(str(statement.compile(dialect=engine.dialect)))

    engine = sa.create_mock_engine("postgresql+psycopg://", write)
    STEPS[0].apply(engine)  # type: ignore[arg-type] # a stand-in of SQLAlchemy's own
    text = "\n".join(words)
    assert "id BIGSERIAL NOT NULL" in text
    assert text.count("CREATE TABLE") == 7
