"""The store's reading end, for one thread: the latest row counts, and the first reply."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from afere.domain import (
    Attempt,
    Graded,
    Invocation,
    Mark,
    Outcome,
    Response,
    Row,
    Run,
    RunPlan,
    Suite,
    decode,
    from_plain,
)
from afere.store import tables
from afere.store.faults import records_read
from afere.store.records import (
    ATTEMPT_COLUMNS,
    REPLY,
    RESPONSE_COLUMNS,
    ROW_COLUMNS,
    RowReader,
    attempt_from,
    response_from,
)
from afere.store.texts import from_column, to_column

__all__ = ["Reader"]

_AT_ONCE = 1000  # rows fetched together


class _Reply(NamedTuple):
    again: bool
    response: Response


class Reader:
    """Reads the store; each method sees it as it is at one moment. Raises StoreError."""

    def __init__(self, connection: sa.Connection, *, name: str) -> None:
        self._connection, self._name = connection, name
        self._suites: dict[str, Suite] = {}

    def know(self, suite: Suite) -> None:
        """Take a suite that is at hand, so that it need not be read."""
        self._suites[suite.hash] = suite

    def responses(self, keys: Sequence[str]) -> Sequence[Response | None]:
        """Give the reply that counts for each key, None where none is kept."""
        with records_read(self._name), self._connection.begin():
            replies = self._replies(keys)
        return [_final(replies[key]) if key in replies else None for key in keys]

    def attempts(self, key: str) -> Sequence[Attempt]:
        """Give all attempts under a key, in the order in which they were kept."""
        attempts = tables.attempts
        columns = [attempts.c[name] for name in ("messages", "params", *ATTEMPT_COLUMNS)]
        wanted = sa.select(*columns).where(attempts.c.key == to_column(key))
        with records_read(self._name), self._connection.begin():
            found = self._connection.execute(wanted.order_by(attempts.c.id)).all()
            texts = self._texts({name for row in found for name in row[:2] if name is not None})
            return [attempt_from(row[2:], texts.get(row[0]), texts[row[1]]) for row in found]

    def asked(self, endpoint: str, since: float) -> Mapping[str, int]:
        """Count the attempts to an endpoint from a moment on, by model."""
        attempts = tables.attempts
        counted = (
            sa.select(attempts.c.model, sa.func.count())
            .where(attempts.c.endpoint == to_column(endpoint), attempts.c.at >= since)
            .group_by(attempts.c.model)
        )
        with records_read(self._name), self._connection.begin():
            found = self._connection.execute(counted).all()
        return {from_column(model): count for model, count in found}

    def run(self, run_id: str) -> Run | None:
        """Give a run with the latest row of each mark, in the order of its plan."""
        with records_read(self._name), self._connection.begin():
            found = self._plan(run_id)
            if found is None:
                return None
            plan, suite_hash = found
            rows = {(row.item, row.round, row.variant): row for row in self._rows(run_id, plan)}
            return Run(
                plan=plan,
                suite=self._suite(suite_hash),
                rows=tuple(rows[mark] for mark in _in_order(rows, plan)),
                invocations=self._invocations(run_id),
            )

    def graded(self, run_id: str) -> Mapping[Mark, Graded]:
        """Give grader, its version and the outcome of the latest row of each mark."""
        names = ("item", "round", "variant", "grader", "grader_version", "outcome")
        wanted = self._of_run(run_id, names)
        grades: dict[tuple[str, str, str], Graded] = {}
        found: dict[Mark, Graded] = {}
        with records_read(self._name), self._connection.begin():
            for item, round_, variant, *cells in self._streamed(wanted):
                grade = grades.get(tuple(cells))
                if grade is None:
                    grade = grades[tuple(cells)] = _graded(*cells)
                found[from_column(item), round_, variant] = grade
        return found

    def row_ids(self, run_id: str) -> Sequence[int]:
        """Give the number of the latest row of each mark, in the order of the run's plan."""
        with records_read(self._name), self._connection.begin():
            plan = self._plan(run_id)
            if plan is None:
                return ()
            wanted = self._of_run(run_id, ("item", "round", "variant", "id"))
            ids = {
                (from_column(item), round_, variant): row_id
                for item, round_, variant, row_id in self._streamed(wanted)
            }
            return [ids[mark] for mark in _in_order(ids, plan[0])]

    def answers(self, row_ids: Sequence[int]) -> Sequence[tuple[Row, Response | None]]:
        """Give rows by their numbers, each with the reply that it judges."""
        rows = tables.rows
        columns = [rows.c[name] for name in ("id", *ROW_COLUMNS)]
        wanted = sa.select(*columns).where(rows.c.id.in_(row_ids))
        reader = RowReader()
        with records_read(self._name), self._connection.begin():
            found = {cells[0]: reader.row(cells[1:]) for cells in self._connection.execute(wanted)}
            replies = self._replies([row.key for row in found.values()])
        ordered = [found[row_id] for row_id in row_ids]
        return [(row, _judged(row, replies.get(row.key, ()))) for row in ordered]

    def tries(self, run_id: str) -> Mapping[str, int]:
        """Count the attempts under each key of a run's rows."""
        attempts, rows = tables.attempts, tables.rows
        keys = sa.select(rows.c.key).where(rows.c.run == to_column(run_id))
        counted = sa.select(attempts.c.key, sa.func.count()).where(attempts.c.key.in_(keys))
        with records_read(self._name), self._connection.begin():
            found = self._connection.execute(counted.group_by(attempts.c.key)).all()
        return {from_column(key): count for key, count in found}

    def find(self, beginning: str) -> Sequence[str]:
        """Give the ids of the runs that begin so."""
        run, start = tables.plans.c.run, to_column(beginning)
        wanted = sa.select(run).where(sa.func.substr(run, 1, len(start)) == start).distinct()
        with records_read(self._name), self._connection.begin():
            return sorted(self._connection.execute(wanted).scalars())

    def plans(self) -> Sequence[tuple[RunPlan, Invocation]]:
        """Give every run's latest plan and latest invocation, the latest started last."""
        plans, invocations = tables.plans, tables.invocations
        latest = sa.select(sa.func.max(plans.c.id)).group_by(plans.c.run)
        wanted = sa.select(plans.c.run, plans.c.json).where(plans.c.id.in_(latest))
        starts = sa.select(invocations.c.run, invocations.c.json).order_by(
            invocations.c.number,
            invocations.c.ended,
            invocations.c.id,
        )
        with records_read(self._name), self._connection.begin():
            last: dict[str, str] = dict(self._connection.execute(starts).all())
            found = [
                (from_plain(RunPlan, decode(text)), from_plain(Invocation, decode(last[run])))
                for run, text in self._connection.execute(wanted.order_by(plans.c.id))
            ]
        return sorted(found, key=lambda pair: pair[1].started)

    def _replies(self, keys: Sequence[str]) -> dict[str, list[_Reply]]:
        attempts = tables.attempts
        columns = [attempts.c[name] for name in ("key", "again", *RESPONSE_COLUMNS)]
        wanted = (
            sa.select(*columns)
            .where(attempts.c.key.in_([to_column(key) for key in keys]), attempts.c.kind == REPLY)
            .order_by(attempts.c.id)
        )
        replies: dict[str, list[_Reply]] = {}
        for key, again, *cells in self._connection.execute(wanted):
            reply = _Reply(bool(again), response_from(cells))
            replies.setdefault(from_column(key), []).append(reply)
        return replies

    def _texts(self, names: set[str]) -> dict[str, str]:
        texts = tables.texts
        wanted = sa.select(texts.c.hash, texts.c.text).where(texts.c.hash.in_(sorted(names)))
        return dict(self._connection.execute(wanted).all())

    def _plan(self, run_id: str) -> tuple[RunPlan, str] | None:
        plans = tables.plans
        wanted = sa.select(plans.c.json, plans.c.suite).where(plans.c.run == to_column(run_id))
        found = self._connection.execute(wanted.order_by(plans.c.id.desc()).limit(1)).first()
        return None if found is None else (from_plain(RunPlan, decode(found[0])), found[1])

    def _suite(self, suite_hash: str) -> Suite:
        if suite_hash not in self._suites:
            suites = tables.suites
            wanted = sa.select(suites.c.json).where(suites.c.hash == suite_hash)
            text = self._connection.execute(wanted).scalar_one()
            self._suites[suite_hash] = from_plain(Suite, decode(text))
        return self._suites[suite_hash]

    def _invocations(self, run_id: str) -> tuple[Invocation, ...]:
        invocations = tables.invocations
        wanted = (
            sa.select(invocations.c.number, invocations.c.json)
            .where(invocations.c.run == to_column(run_id))
            .order_by(invocations.c.number, invocations.c.ended, invocations.c.id)
        )
        last = dict(self._connection.execute(wanted).all())
        return tuple(from_plain(Invocation, decode(text)) for text in last.values())

    def _rows(self, run_id: str, plan: RunPlan) -> Iterator[Row]:
        reader = RowReader(plan.items)
        for cells in self._streamed(self._of_run(run_id, ROW_COLUMNS)):
            yield reader.row(cells)

    def _of_run(self, run_id: str, names: Sequence[str]) -> sa.Select[Any]:
        rows = tables.rows
        wanted = sa.select(*(rows.c[name] for name in names))
        return wanted.where(rows.c.run == to_column(run_id)).order_by(rows.c.id)

    def _streamed(self, wanted: sa.Select[Any]) -> Iterable[Any]:
        return self._connection.execute(wanted, execution_options={"yield_per": _AT_ONCE})


def _graded(grader: str, version: str, outcome: str) -> Graded:
    return Graded(from_column(grader), from_column(version), Outcome(outcome))


def _final(replies: Sequence[_Reply]) -> Response:
    """Give the first reply, or the last that the user asked for again on purpose."""
    asked_again = [reply for reply in replies if reply.again]
    return (asked_again[-1] if asked_again else replies[0]).response


def _judged(row: Row, replies: Sequence[_Reply]) -> Response | None:
    """Give the very reply that the row judges, by its time, else the one that counts."""
    for reply in replies:
        if reply.response.answered_at == row.answered_at:
            return reply.response
    return _final(replies) if replies else None


def _in_order(marks: Mapping[Mark, object], plan: RunPlan) -> list[Mark]:
    places = {item: place for place, item in enumerate(plan.items)}
    return sorted(marks, key=lambda mark: (places.get(mark[0], len(places)), *mark[1:]))
