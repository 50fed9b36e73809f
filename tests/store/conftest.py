"""The stores that keep to the port."""

import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from postgres import running_server
from store_samples import OpenStore

from afere.domain import Store
from afere.store import MemoryStore, open_store

_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Start a real PostgreSQL server for the session; gives its address."""
    with running_server() as address:
        yield address


@pytest.fixture
def new_database(postgres: str) -> Callable[[], str]:
    """Give the URL of a new database each time."""

    def made() -> str:
        name = f"afere_{next(_NUMBERS)}"
        engine = sa.create_engine(postgres + "postgres", isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        engine.dispose()
        return postgres + name

    return made


@pytest.fixture(params=["sql", "memory", "postgres"])
def opening(request: pytest.FixtureRequest, tmp_path: Path) -> OpenStore:
    """Opens a fresh store of each kind."""
    if request.param == "postgres":
        url = request.getfixturevalue("new_database")()
    else:
        url = str(tmp_path / "afere.db")

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        store: Store
        if request.param == "memory":
            store = MemoryStore()
        else:
            store = await open_store(url, clock=lambda: 1000.0)
        try:
            yield store
        finally:
            await store.close()

    return opened
