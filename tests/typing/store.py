"""Read by the type checker alone: both stores are what the port says."""

from afere.domain import Store
from afere.store import MemoryStore, SqlStore


def keep_to_the_port(sql: SqlStore, memory: MemoryStore) -> tuple[Store, Store]:
    return sql, memory
