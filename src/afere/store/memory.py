"""A store in memory: for tests, and for runs that are to leave nothing behind."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

from afere.domain import (
    Attempt,
    Graded,
    Invocation,
    Mark,
    Response,
    Row,
    Run,
    RunPlan,
    StoreError,
    Suite,
)

__all__ = ["MemoryStore"]


@dataclass
class _Kept:
    """All that is kept of one run."""

    plan: RunPlan
    suite: Suite
    invocations: dict[int, Invocation] = field(default_factory=dict)


class MemoryStore:
    """Keeps everything as long as it lives, as `afere.domain.Store` says."""

    def __init__(self) -> None:
        self._attempts: dict[str, list[tuple[Attempt, bool]]] = {}
        self._runs: dict[str, _Kept] = {}
        self._rows: dict[str, dict[Mark, Row]] = {}
        self._closed = False

    async def response(self, key: str) -> Response | None:
        """Give the model's reply kept under a request's key; failures are never given."""
        self._look()
        replies = self._replies(key)
        asked_again = [response for response, again in replies if again]
        if asked_again:
            return asked_again[-1]
        return replies[0][0] if replies else None

    async def keep_attempt(self, attempt: Attempt, *, again: bool = False) -> Response | None:
        """Keep what came of one HTTP request; give the reply that counts if it is another one."""
        self._look()
        counts = None
        if isinstance(attempt.result, Response) and not again:
            counts = await self.response(attempt.request.key)
        self._attempts.setdefault(attempt.request.key, []).append((attempt, again))
        return counts

    async def attempts(self, key: str) -> Sequence[Attempt]:
        """Give every attempt under a request's key, the earliest first."""
        self._look()
        return [attempt for attempt, _ in self._attempts.get(key, ())]

    async def asked(self, endpoint: str, since: float) -> Mapping[str, int]:
        """Count the HTTP requests to an endpoint from a moment on, by model."""
        self._look()
        every = (attempt for kept in self._attempts.values() for attempt, _ in kept)
        return Counter(
            attempt.request.model
            for attempt in every
            if attempt.request.endpoint == endpoint and _time(attempt) >= since
        )

    async def begin(self, plan: RunPlan, suite: Suite, invocation: Invocation) -> int:
        """Keep plan and suite where they are new; give the number of this invocation."""
        self._look()
        kept = self._runs.setdefault(plan.id, _Kept(plan, suite))
        kept.plan, number = plan, len(kept.invocations) + 1
        kept.invocations[number] = invocation
        return number

    async def keep_row(self, run_id: str, row: Row) -> None:
        """Keep a row; of several for one (item, round, variant) the latest counts."""
        self._look()
        self._rows.setdefault(run_id, {})[row.item, row.round, row.variant] = row

    async def end(self, run_id: str, number: int, invocation: Invocation) -> None:
        """Keep how an invocation ended."""
        self._look()
        self._runs[run_id].invocations[number] = invocation

    async def run(self, run_id: str) -> Run | None:
        """Give a run with the latest row of each mark, in the plan's order, by exact id."""
        self._look()
        kept = self._runs.get(run_id)
        if kept is None:
            return None
        return Run(
            plan=kept.plan,
            suite=kept.suite,
            rows=tuple(self._in_order(run_id)),
            invocations=tuple(kept.invocations.values()),
        )

    async def graded(self, run_id: str) -> Mapping[Mark, Graded]:
        """Give what is already judged of a run."""
        self._look()
        return {
            mark: Graded(row.grade.grader, row.grade.grader_version, row.grade.outcome)
            for mark, row in self._rows.get(run_id, {}).items()
        }

    async def answers(self, run_id: str) -> AsyncIterator[tuple[Row, Response | None]]:
        """Give each latest row of a run with the reply that it judges, in the plan's order."""
        self._look()
        for row in self._in_order(run_id):
            replies = [response for response, _ in self._replies(row.key)]
            judged = [reply for reply in replies if reply.answered_at == row.answered_at]
            yield row, judged[0] if judged else await self.response(row.key)

    async def tries(self, run_id: str) -> Mapping[str, int]:
        """Count the HTTP requests made under each key of a run's rows."""
        self._look()
        keys = {row.key for row in self._rows.get(run_id, {}).values()}
        return {key: len(self._attempts[key]) for key in keys if key in self._attempts}

    async def find(self, beginning: str) -> Sequence[str]:
        """Give the ids of the runs that begin so, in order."""
        self._look()
        return sorted(run_id for run_id in self._runs if run_id.startswith(beginning))

    async def plans(self) -> Sequence[tuple[RunPlan, Invocation]]:
        """Give every run's plan and its latest invocation, the latest started last."""
        self._look()
        latest = [(kept.plan, list(kept.invocations.values())[-1]) for kept in self._runs.values()]
        return sorted(latest, key=lambda pair: pair[1].started)

    def ledger(self) -> None:
        """Give None: no other process sees this store."""

    async def close(self) -> None:
        """Refuse everything from here on."""
        self._closed = True

    def _look(self) -> None:
        if self._closed:
            raise StoreError("the store is closed.")

    def _in_order(self, run_id: str) -> list[Row]:
        if run_id not in self._runs:
            return []
        places = {item: place for place, item in enumerate(self._runs[run_id].plan.items)}
        rows = self._rows.get(run_id, {})
        marks = sorted(rows, key=lambda mark: (places.get(mark[0], len(places)), *mark[1:]))
        return [rows[mark] for mark in marks]

    def _replies(self, key: str) -> list[tuple[Response, bool]]:
        return [
            (attempt.result, again)
            for attempt, again in self._attempts.get(key, ())
            if isinstance(attempt.result, Response)
        ]


def _time(attempt: Attempt) -> float:
    result = attempt.result
    return result.answered_at if isinstance(result, Response) else result.failed_at
