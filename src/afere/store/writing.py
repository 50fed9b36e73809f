"""The store's writing end, for one thread: it only ever adds."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from afere.domain import Invocation, RunPlan, StoreError, Suite, encode
from afere.store import tables
from afere.store.faults import told_as_store_errors
from afere.store.records import REPLY, Cell, Columns, Keeping, Kept, KeptAttempt
from afere.store.texts import to_column

__all__ = ["Writer"]

_FAULTS_OF_A_RECORD = (
    sa.exc.DataError,
    sa.exc.IntegrityError,
    sa.exc.InterfaceError,
    sa.exc.ProgrammingError,
    OverflowError,
    TypeError,
    ValueError,
)
_LOCK = 0x61666572  # any number of our own, for PostgreSQL: keepers take turns
_REMEMBERED = 10_000  # hashes of texts that are known to be kept: a megabyte


class Writer:
    """Adds to the store; each method is one transaction, on disk when it returns."""

    def __init__(
        self,
        connection: sa.Connection,
        *,
        name: str,
        clock: Callable[[], float],
    ) -> None:
        self._connection, self._name, self._clock = connection, name, clock
        self._new_texts = _Insert(_insert_new(connection.dialect.name, tables.texts))
        self._new_suite = _insert_new(connection.dialect.name, tables.suites)
        self._attempts = _Insert(tables.attempts.insert())
        self._rows = _Insert(tables.rows.insert())
        self._kept_texts: set[str] = set()

    def keep(self, batch: Sequence[Keeping]) -> Sequence[Kept]:
        """Keep attempts and rows, in their order; give the error of each that cannot be kept.

        For a reply it gives whether one that was kept before counts instead.

        Raises StoreError where the place takes nothing; then none of the batch is kept.
        """
        with told_as_store_errors(self._name):
            try:
                return self._keep(batch)
            except _FAULTS_OF_A_RECORD:
                return [self._keep_alone(kept) for kept in batch]

    def begin(self, plan: RunPlan, suite: Suite, invocation: Invocation) -> int:
        """Keep suite and plan where they are new, and the invocation; give its number."""
        run_id, text, now = plan.id, encode(plan), self._clock()
        columns: Columns = {"run": run_id, "suite": suite.hash, "json": text, "kept_at": now}
        with told_as_store_errors(self._name):
            self._keep_suite(suite, now)
            with self._connection.begin():
                if self._latest_plan(run_id) != text:
                    self._add(tables.plans.insert(), [columns])
                number = self._last_number(run_id) + 1
                self._add_invocation(run_id, number, invocation, ended=False)
        return number

    def end(self, run_id: str, number: int, invocation: Invocation) -> None:
        """Keep how an invocation ended."""
        with told_as_store_errors(self._name), self._connection.begin():
            self._add_invocation(run_id, number, invocation, ended=True)

    def _keep_alone(self, kept: Keeping) -> Kept:
        """Keep one record by itself, so that it does not suffer from another one's fault."""
        try:
            return self._keep([kept])[0]
        except _FAULTS_OF_A_RECORD as error:
            reason = str(error).partition("\n")[0]
            return StoreError(f"{self._name}: an answer cannot be kept ({reason}).")

    def _keep(self, batch: Sequence[Keeping]) -> Sequence[bool]:
        attempts = [kept for kept in batch if isinstance(kept, KeptAttempt)]
        rows = [kept.columns for kept in batch if not isinstance(kept, KeptAttempt)]
        texts = {name: text for kept in attempts for name, text in kept.texts.items()}
        new = [name for name in texts if name not in self._kept_texts]
        with self._connection.begin():
            overtaken = self._overtaken(batch)
            new_texts: list[Columns] = [{"hash": name, "text": texts[name]} for name in new]
            self._new_texts.many(self._connection, new_texts)
            self._attempts.many(self._connection, [kept.columns for kept in attempts])
            self._rows.many(self._connection, rows)
        self._remember(new)
        return overtaken

    def _overtaken(self, batch: Sequence[Keeping]) -> Sequence[bool]:
        """Tell of each record whether it is a reply that comes after another one of its key."""
        if self._connection.dialect.name == "postgresql":  # SQLite has one writer at a time
            self._connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        keys = [_key_of(kept) for kept in batch]
        attempts = tables.attempts
        wanted = sa.select(attempts.c.key).where(
            attempts.c.key.in_({key for key in keys if key is not None}),
            attempts.c.kind == REPLY,
        )
        known = set(self._connection.execute(wanted).scalars()) if any(keys) else set()
        found = []
        for key in keys:
            found.append(key is not None and key in known)
            known.add(key)
        return found

    def _add(self, insert: sa.Insert, columns: Sequence[Columns]) -> None:
        if columns:
            self._connection.execute(insert, columns)

    def _keep_suite(self, suite: Suite, now: float) -> None:
        known = sa.select(tables.suites.c.hash).where(tables.suites.c.hash == suite.hash)
        with self._connection.begin():
            if self._connection.execute(known).first():
                return
        text = encode(suite)  # may be long: made while nobody waits for the lock
        columns: Columns = {"hash": suite.hash, "name": to_column(suite.name), "json": text}
        with self._connection.begin():
            self._add(self._new_suite, [columns | {"kept_at": now}])
            # The driver holds on to what it was last given: nothing new, and short.
            self._add(self._new_suite, [columns | {"json": "", "kept_at": now}])

    def _latest_plan(self, run_id: str) -> str | None:
        plans = tables.plans
        latest = sa.select(plans.c.json).where(plans.c.run == run_id).order_by(plans.c.id.desc())
        text: str | None = self._connection.execute(latest.limit(1)).scalar()
        return text

    def _last_number(self, run_id: str) -> int:
        invocations = tables.invocations
        last = sa.select(sa.func.max(invocations.c.number)).where(invocations.c.run == run_id)
        return self._connection.execute(last).scalar() or 0

    def _add_invocation(
        self,
        run_id: str,
        number: int,
        invocation: Invocation,
        *,
        ended: bool,
    ) -> None:
        columns: Columns = {
            "run": run_id,
            "number": number,
            "ended": int(ended),
            "started": invocation.started,
            "json": encode(invocation),
        }
        self._add(tables.invocations.insert(), [columns])

    def _remember(self, names: Sequence[str]) -> None:
        if len(self._kept_texts) > _REMEMBERED:
            self._kept_texts.clear()
        self._kept_texts.update(names)


def _key_of(kept: Keeping) -> Cell:
    """Give the key of a reply that counts only where it is the first; None for all else."""
    columns = kept.columns
    is_reply = isinstance(kept, KeptAttempt) and columns["kind"] == REPLY
    return columns["key"] if is_reply and not columns["again"] else None


class _Insert:
    """An insert of many records, its text made once: that costs more than a record does."""

    def __init__(self, insert: sa.Insert) -> None:
        self._insert = insert
        self._text = ""
        self._cells: Callable[[Columns], Any] = dict

    def many(self, connection: sa.Connection, records: Sequence[Columns]) -> None:
        """Add records; all that one object is given have the same columns, two at least."""
        if not records:
            return
        if not self._text:
            names = list(records[0])
            compiled = self._insert.compile(dialect=connection.dialect, column_keys=names)
            self._text = str(compiled)
            places: Sequence[str] | None = getattr(compiled, "positiontup", None)
            if places is not None:
                self._cells = itemgetter(*places)
        connection.exec_driver_sql(self._text, [self._cells(each) for each in records])


def _insert_new(dialect: str, table: sa.TableClause) -> sa.Insert:
    """Make the insert that passes over what is there: each database says it in its own way."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql  # slow to import, and seldom needed

        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()
