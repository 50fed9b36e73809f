"""How a store came to its present shape: named steps, each applied once in its transaction.

A step that was released is never changed: the next change of shape is a new step below it.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from afere.domain import StoreError

__all__ = ["STEPS", "Step", "apply_steps", "missing_steps"]


_LOCK = 0x61666571  # any number of our own


class Step(NamedTuple):
    """One change of shape; its record holds the name, so a name is never used twice."""

    name: str
    apply: Callable[[sa.Connection], None]


def missing_steps(
    connection: sa.Connection,
    known: Sequence[Step],
    *,
    shared: bool = False,
) -> list[Step]:
    """Give the known steps that the store has not seen; only reads.

    shared: whether tables of other programs may stand beside ours.
    Raises StoreError for the store of a newer version and for another program's database.
    """
    with connection.begin():
        applied = _applied(connection)
        if not applied and not shared and sa.inspect(connection).get_table_names():
            raise StoreError(
                "this is a database of another program, and stays as it is.\n"
                "Name another file with --store.",
            )
    newer = sorted(applied - {step.name for step in known})
    if newer:
        raise StoreError(
            f"written by a newer version of afere (it has the step {newer[0]!r}).\n"
            "Update afere, or name another file with --store.",
        )
    return [step for step in known if step.name not in applied]


def apply_steps(connection: sa.Connection, steps: Sequence[Step], *, now: float) -> None:
    """Apply each step in a transaction with its record, unless another process was quicker."""
    for step in steps:
        with connection.begin():  # holds the write lock: a second process waits here
            if connection.dialect.name == "postgresql":  # which locks no table that is not there
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
            if step.name not in _applied(connection):
                step.apply(connection)
                record = {"name": step.name, "applied_at": now}
                connection.execute(_migrations.insert(), record)


def _applied(connection: sa.Connection) -> set[str]:
    if not sa.inspect(connection).has_table(_migrations.name):
        return set()
    return set(connection.execute(sa.select(_migrations.c.name)).scalars())


_migrations = sa.Table(
    "afere_migrations",
    sa.MetaData(),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("applied_at", sa.Float, nullable=False),
)


def _first_tables(connection: sa.Connection) -> None:
    tables = sa.MetaData()
    big = sa.BigInteger().with_variant(sa.Integer, "sqlite")  # only that name numbers the rows
    _migrations.to_metadata(tables)
    _plan_tables(tables, big)
    _attempt_tables(tables, big)
    _row_table(tables, big)
    tables.create_all(connection, checkfirst=False)


def _plan_tables(tables: sa.MetaData, big: sa.types.TypeEngine[int]) -> None:
    sa.Table(
        "suites",
        tables,
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("json", sa.Text, nullable=False),
        sa.Column("kept_at", sa.Float, nullable=False),
    )
    sa.Table(
        "plans",
        tables,
        sa.Column("id", big, primary_key=True),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("suite", sa.Text, nullable=False),
        sa.Column("json", sa.Text, nullable=False),
        sa.Column("kept_at", sa.Float, nullable=False),
        sa.Index("plans_by_run", "run"),
    )
    sa.Table(
        "invocations",
        tables,
        sa.Column("id", big, primary_key=True),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("ended", sa.Integer, nullable=False),
        sa.Column("started", sa.Float, nullable=False),
        sa.Column("json", sa.Text, nullable=False),
        sa.Index("invocations_by_run", "run", "number"),
    )


def _attempt_tables(tables: sa.MetaData, big: sa.types.TypeEngine[int]) -> None:
    sa.Table(
        "texts",
        tables,
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
    )
    sa.Table(
        "attempts",
        tables,
        sa.Column("id", big, primary_key=True),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("again", sa.Integer, nullable=False),
        sa.Column("item", sa.Text, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("variant", sa.Integer, nullable=False),
        sa.Column("series", sa.Text, nullable=False),
        sa.Column("endpoint", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("messages", sa.Text),
        sa.Column("params", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("latency", sa.Float, nullable=False),
        sa.Column("finish_reason", sa.Text),
        sa.Column("tokens_input", big),
        sa.Column("tokens_output", big),
        sa.Column("tokens_reasoning", big),
        sa.Column("served_model", sa.Text),
        sa.Column("fingerprint", sa.Text),
        sa.Column("content", sa.Text),
        sa.Column("reasoning", sa.Text),
        sa.Column("refusal", sa.Text),
        sa.Column("body", sa.Text),
        sa.Column("adapted", sa.Text),
        sa.Column("failure", sa.Text),
        sa.Index("attempts_by_key", "key"),
        sa.Index("attempts_by_time", "at"),
    )


def _row_table(tables: sa.MetaData, big: sa.types.TypeEngine[int]) -> None:
    sa.Table(
        "rows",
        tables,
        sa.Column("id", big, primary_key=True),
        sa.Column("run", sa.Text, nullable=False),
        sa.Column("item", sa.Text, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("variant", sa.Integer, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("score", sa.Float),
        sa.Column("grader", sa.Text, nullable=False),
        sa.Column("grader_version", sa.Text, nullable=False),
        sa.Column("read", sa.Text),
        sa.Column("rule", sa.Text),
        sa.Column("flags", sa.Text),
        sa.Column("seconds", sa.Float),
        sa.Column("finish_reason", sa.Text),
        sa.Column("tokens_input", big),
        sa.Column("tokens_output", big),
        sa.Column("tokens_reasoning", big),
        sa.Column("latency", sa.Float),
        sa.Column("answered_at", sa.Float),
        sa.Column("served_model", sa.Text),
        sa.Column("fingerprint", sa.Text),
        sa.Column("error", sa.Text),
        sa.Column("cached", sa.Integer, nullable=False),
        sa.Index("rows_by_run", "run"),
    )


def _tables_of_limits(connection: sa.Connection) -> None:
    tables = sa.MetaData()
    big = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    sa.Table(
        "limit_owners",
        tables,
        sa.Column("id", big, primary_key=True),
        sa.Column("alive_until", sa.Float, nullable=False),
        sqlite_autoincrement=True,  # the number of one that left is never given again
    )
    sa.Table(
        "limit_starts",
        tables,
        sa.Column("id", big, primary_key=True),
        sa.Column("owner", big, nullable=False),
        sa.Column("ticket", big, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("tokens", sa.Float, nullable=False),
        sa.Index("limit_starts_by_time", "scope", "at"),
        sa.Index("limit_starts_by_ticket", "owner", "ticket"),
    )
    sa.Table(
        "limit_open",
        tables,
        sa.Column("owner", big, primary_key=True, autoincrement=False),
        sa.Column("ticket", big, primary_key=True, autoincrement=False),
        sa.Column("scope", sa.Text, primary_key=True),
    )
    sa.Table(
        "limit_waits",
        tables,
        sa.Column("owner", big, primary_key=True, autoincrement=False),
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("since", sa.Float, nullable=False),
        sa.Column("until", sa.Float, nullable=False),
    )
    sa.Table(
        "limit_holds",
        tables,
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("until", sa.Float, nullable=False),
    )
    tables.create_all(connection, checkfirst=False)


def _executed_rows(connection: sa.Connection) -> None:
    connection.execute(sa.text('ALTER TABLE "rows" ADD COLUMN executed TEXT'))


STEPS: Sequence[Step] = (
    Step("first_tables", _first_tables),
    Step("tables_of_limits", _tables_of_limits),
    Step("executed_rows", _executed_rows),
)
