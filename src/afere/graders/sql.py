"""`sql`: the answer is a query, judged by the rows that it gives on every fixture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, cast

from afere.domain import AnswerKeyError, Execution, Item, Limits, Reading, SqlTask
from afere.graders.executed import (
    Answer,
    ExecutedKind,
    Tried,
    limits_of,
    one_text_field,
    text_field,
)
from afere.graders.kind import check_names
from afere.graders.reading.reply import Reply
from afere.graders.reading.statement import SQL, read_statement
from afere.graders.rows import difference, is_ordered

__all__ = ["SqlKind"]

_FIELD = "expect.sql"
_ENGINES = ("sqlite", "duckdb")
_MOST_FIXTURES = 100

Rows = Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key:
    """A key made ready. due: the reference query's rows on each fixture, once they were asked."""

    query: str
    engine: Literal["sqlite", "duckdb"]
    setups: tuple[str, ...]
    ordered: bool
    limits: Limits
    due: list[Rows] = field(default_factory=list)


class SqlKind(ExecutedKind[_Key]):
    """Judges a query by its rows."""

    name = "sql"
    settings: ClassVar[Mapping[str, str]] = {}

    def prepare(self, item: Item, reading: Reading) -> _Key:  # noqa: ARG002 - the same in all
        """Read fixtures and the reference query; raises AnswerKeyError with field and mend."""
        key = item.expect.key
        if not isinstance(key, Mapping) or not key:
            mend = 'Write `sql: {setup: "..", query: ".."}`.'
            raise AnswerKeyError("this names no query", mend=mend, field=_FIELD)
        check_names(
            key, ("setup", "fixtures", "query", "ordered", "engine", "limits"), _FIELD, "sql"
        )
        query = one_text_field(key, "query", _FIELD)
        return _Key(
            query=query,
            engine=_engine(key),
            setups=_setups(key),
            ordered=_ordered(key, query),
            limits=limits_of(key, _FIELD),
        )

    async def prove(self, item: Item, reading: Reading) -> None:
        """Run the reference query; raises AnswerKeyError where it fails or never gives a row."""
        await self._due(self._key(item, reading))

    def read(self, reply: Reply, key: _Key) -> Answer | None:  # noqa: ARG002 - the same for all
        """Find the query; one that a cut touched is no whole one."""
        found = read_statement(reply.text, SQL)
        if found is None:
            return None
        return Answer(
            source=found.source, rule=found.rule, at_end=found.at_end, is_whole=not found.at_end
        )

    async def execute(self, source: str, key: _Key) -> Tried:
        """Run the query on every fixture until its rows differ."""
        done: list[Execution] = []
        for setup, due in zip(key.setups, await self._due(key), strict=True):
            done.append(await self.sandbox.run(_task(key, setup, source)))
            if done[-1].failure is not None:
                return Tried.ended(done)
            differs = difference(done[-1].value or (), due, ordered=key.ordered)
            if differs is not None:
                return Tried(executions=tuple(done), failure="assertion", message=differs)
        return Tried.ended(done)

    async def _due(self, key: _Key) -> list[Rows]:
        """Give the reference query's rows on each fixture, asked once a key."""
        if key.due:
            return key.due
        due: list[Rows] = []
        for number, setup in enumerate(key.setups, start=1):
            done = await self.sandbox.run(_task(key, setup, key.query))
            if done.failure is not None:
                problem = f"the reference query fails on fixture {number}: {done.message}"
                raise AnswerKeyError(
                    problem, mend="Mend `query` or the fixture's `setup`.", field=f"{_FIELD}.query"
                )
            due.append(done.value or ())
        if not any(due):
            raise AnswerKeyError(
                "the reference query gives no row on any fixture: every empty answer would pass",
                mend="Put rows into `setup` that it finds.",
                field=_FIELD,
            )
        if not key.due:
            key.due.extend(due)
        return key.due


def _task(key: _Key, setup: str, query: str) -> SqlTask:
    return SqlTask(query=query, engine=key.engine, setup=setup, limits=key.limits)


def _engine(key: Mapping[str, Any]) -> Literal["sqlite", "duckdb"]:
    engine = key.get("engine", _ENGINES[0])
    if engine not in _ENGINES:
        mend = "Write `engine: sqlite` or `engine: duckdb`."
        raise AnswerKeyError(f"{engine!r} is no engine", mend=mend, field=f"{_FIELD}.engine")
    return cast("Literal['sqlite', 'duckdb']", engine)


def _setups(key: Mapping[str, Any]) -> tuple[str, ...]:
    fixtures = key.get("fixtures")
    if fixtures is None:
        return (one_text_field(key, "setup", _FIELD),)
    place, mend = f"{_FIELD}.fixtures", "Write `fixtures: [{setup: ..}, {setup: ..}]`."
    if key.get("setup") is not None:
        raise AnswerKeyError("both `setup` and `fixtures`", mend="Keep one of them.", field=place)
    if not isinstance(fixtures, list | tuple) or not 0 < len(fixtures) <= _MOST_FIXTURES:
        raise AnswerKeyError("these are no fixtures", mend=mend, field=place)
    if not all(isinstance(each, Mapping) for each in fixtures):
        raise AnswerKeyError("a fixture is no mapping", mend=mend, field=place)
    for each in fixtures:
        check_names(each, ("setup",), place, "a fixture")
    setups = tuple(text_field(each, "setup", place) for each in fixtures)
    if not all(setup.strip() for setup in setups):
        raise AnswerKeyError("a fixture has no `setup`", mend=mend, field=place)
    return setups


def _ordered(key: Mapping[str, Any], query: str) -> bool:
    given = key.get("ordered")
    if given is None:
        return is_ordered(query)
    if not isinstance(given, bool):
        mend = "Write `ordered: true` or `ordered: false`."
        raise AnswerKeyError("true or false is due", mend=mend, field=f"{_FIELD}.ordered")
    return given
