"""A program for the crash tests: keeps answers and says which were acknowledged.

Arguments: the store's path, a name for this process, how many answers, how many at a time.
"""

import asyncio
import os
import sys
import time
from collections.abc import Iterator

from store_samples import attempt, plan, row, started, suite

from afere.domain import StoreError
from afere.store import SqlStore, open_store


async def main(path: str, name: str, count: int, at_once: int) -> None:
    store = await open_store(path, clock=time.time)
    items = [f"{name}{number} maçã ✓ 世" for number in range(count)]
    kept = plan(suite(*items), rounds=1)
    number = await store.begin(kept, suite(*items), started())
    todo = iter(items)
    await asyncio.gather(*(keep_each(store, kept.id, todo) for _ in range(at_once)))
    await store.end(kept.id, number, started())
    await store.close()


async def keep_each(store: SqlStore, run_id: str, items: Iterator[str]) -> None:
    for item in items:
        await store.keep_attempt(attempt(item))
        os.write(1, f"answer {item}\n".encode())
        await store.keep_row(run_id, row(item))
        os.write(1, f"row {item}\n".encode())


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    except StoreError as error:
        sys.exit(str(error))
