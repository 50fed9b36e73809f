"""The store's tables as its statements name them; `migrations` says how they came to be."""

import sqlalchemy as sa

from afere.store.records import ATTEMPT_COLUMNS, ROW_COLUMNS

__all__ = [
    "attempts",
    "invocations",
    "limit_holds",
    "limit_open",
    "limit_owners",
    "limit_starts",
    "limit_waits",
    "plans",
    "rows",
    "suites",
    "texts",
]


def _table(name: str, *columns: str) -> sa.TableClause:
    return sa.table(name, *(sa.column(column) for column in columns))


suites = _table("suites", "hash", "name", "json", "kept_at")
plans = _table("plans", "id", "run", "suite", "json", "kept_at")
invocations = _table("invocations", "id", "run", "number", "ended", "started", "json")
texts = _table("texts", "hash", "text")
attempts = _table("attempts", "id", "key", "again", *ATTEMPT_COLUMNS, "messages", "params", "kind")
rows = _table("rows", "id", "run", *ROW_COLUMNS)
limit_owners = _table("limit_owners", "id", "alive_until")
limit_starts = _table("limit_starts", "id", "owner", "ticket", "scope", "at", "tokens")
limit_open = _table("limit_open", "owner", "ticket", "scope")
limit_waits = _table("limit_waits", "owner", "scope", "since", "until")
limit_holds = _table("limit_holds", "scope", "until")
