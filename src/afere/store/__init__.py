"""Keeps every attempt and every row, append-only: SQLite by default, another database by URL.

`open_store` gives a `SqlStore`; `MemoryStore` is the same without a file. SQLAlchemy is imported
when a store is opened, never before.
"""

from afere.store.memory import MemoryStore
from afere.store.sql import SqlStore, open_store

__all__ = ["MemoryStore", "SqlStore", "open_store"]
