"""The store's writing end, for one thread: it only ever adds."""

from collections.abc import Callable, Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from afere.domain import Invocation, RunPlan, Suite, encode
from afere.store import tables
from afere.store.faults import told_as_store_errors
from afere.store.records import Columns, Keeping, KeptAttempt
from afere.store.texts import to_column

__all__ = ["Writer"]

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
        insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
        self._new_texts = insert(tables.texts).on_conflict_do_nothing()
        self._new_suite = insert(tables.suites).on_conflict_do_nothing()
        self._kept_texts: set[str] = set()

    def keep(self, batch: Sequence[Keeping]) -> Sequence[None]:
        """Keep attempts and rows, in their order."""
        attempts = [kept for kept in batch if isinstance(kept, KeptAttempt)]
        rows = [kept.columns for kept in batch if not isinstance(kept, KeptAttempt)]
        texts = {name: text for kept in attempts for name, text in kept.texts.items()}
        new = [name for name in texts if name not in self._kept_texts]
        with told_as_store_errors(self._name), self._connection.begin():
            self._add(self._new_texts, [{"hash": name, "text": texts[name]} for name in new])
            self._add(tables.attempts.insert(), [kept.columns for kept in attempts])
            self._add(tables.rows.insert(), rows)
        self._remember(new)
        return [None] * len(batch)

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

    def close(self) -> None:
        """Close the connection; SQLite then folds its journal into the file."""
        self._connection.close()

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
