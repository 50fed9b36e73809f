"""The two stores that keep to the port."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from store_samples import OpenStore

from afere.domain import Store
from afere.store import MemoryStore, open_store


@pytest.fixture(params=["sql", "memory"])
def opening(request: pytest.FixtureRequest, tmp_path: Path) -> OpenStore:
    """Opens a fresh store of either kind."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        store: Store
        if request.param == "memory":
            store = MemoryStore()
        else:
            store = await open_store(str(tmp_path / "afere.db"), clock=lambda: 1000.0)
        try:
            yield store
        finally:
            await store.close()

    return opened
