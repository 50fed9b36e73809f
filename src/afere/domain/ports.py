"""The ports: what a pillar must offer so that the others need not know it. All are async."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

from afere.domain.exchange import Attempt, Failure, Request, Response
from afere.domain.execution import Execution, Task
from afere.domain.ledger import Ledger
from afere.domain.run import Grade, Graded, Invocation, Mark, Row, Run, RunPlan
from afere.domain.suite import Item, Reading, Suite

__all__ = ["Endpoint", "Grader", "Sandbox", "Store"]


class Endpoint(Protocol):
    """Answers requests. Retry, limits and cache are endpoints round an endpoint."""

    async def ask(self, request: Request) -> Response | Failure:
        """Give the model's reply, or the failure of the call; raises nothing of its own."""
        ...


class Grader(Protocol):
    """Reads the answer out of a reply and judges it."""

    @property
    def name(self) -> str:
        """The kind of `expect` that it judges."""
        ...

    @property
    def version(self) -> str:
        """Rises whenever a judgement may change."""
        ...

    def check(self, item: Item, reading: Reading) -> None:
        """Raise AnswerKeyError if the item's key or options cannot be used."""
        ...

    async def grade(self, item: Item, response: Response, reading: Reading) -> Grade:
        """Judge one reply. A fault of its own may be raised: it becomes `grader_error`."""
        ...


class Sandbox(Protocol):
    """Executes hostile code under limits, and tells its own failure from the program's."""

    @property
    def level(self) -> str:
        """The isolation that the start-up test found to work; it is in every result."""
        ...

    async def run(self, task: Task) -> Execution:
        """Run one task; raises SandboxError where the sandbox failed, also on a second try."""
        ...

    async def close(self) -> None:
        """End all processes of the sandbox."""
        ...


class Store(Protocol):
    """Keeps every attempt and every row; nothing is ever overwritten.

    What a `keep_…` was awaited for is on disk. Raises StoreError.
    """

    async def response(self, key: str) -> Response | None:
        """Give the model's reply kept under a request's key; failures are never given."""
        ...

    async def keep_attempt(self, attempt: Attempt, *, again: bool = False) -> Response | None:
        """Keep what came of one HTTP request; give the reply that counts where it is another one.

        Of several replies under one key the first counts, whichever process kept it, unless the
        user asked again on purpose: the last reply kept with `again` then counts from there on.
        """
        ...

    async def attempts(self, key: str) -> Sequence[Attempt]:
        """Give every attempt under a request's key, the earliest first."""
        ...

    async def asked(self, endpoint: str, since: float) -> Mapping[str, int]:
        """Count the HTTP requests to an endpoint from a moment on (seconds since 1970), by model.

        It sees what other processes on the same store asked: for limits that they share.
        """
        ...

    async def begin(self, plan: RunPlan, suite: Suite, invocation: Invocation) -> int:
        """Keep plan and suite where they are new; give the number of this invocation."""
        ...

    async def keep_row(self, run_id: str, row: Row) -> None:
        """Keep a row; of several for one (item, round, variant) the latest counts."""
        ...

    async def end(self, run_id: str, number: int, invocation: Invocation) -> None:
        """Keep how an invocation ended."""
        ...

    async def run(self, run_id: str) -> Run | None:
        """Give a run with the latest row of each (item, round, variant), by exact id."""
        ...

    async def graded(self, run_id: str) -> Mapping[Mark, Graded]:
        """Give what is already judged of a run, read in bulk: a resume skips it.

        The latest row of each (item, round, variant), failures and rows not asked included.
        """
        ...

    def answers(self, run_id: str) -> AsyncIterator[tuple[Row, Response | None]]:
        """Give each latest row of a run with the very reply that it judges, in the plan's order.

        None stands where no reply is kept. Memory holds a page of them, not all.
        """
        ...

    async def tries(self, run_id: str) -> Mapping[str, int]:
        """Count the HTTP requests made under each key of a run's rows; a key without is absent."""
        ...

    async def find(self, beginning: str) -> Sequence[str]:
        """Give the ids of the runs that begin so, in order."""
        ...

    async def plans(self) -> Sequence[tuple[RunPlan, Invocation]]:
        """Give every run's plan and its latest invocation, the latest started last."""
        ...

    def ledger(self) -> Ledger | None:
        """Give the counts that every process on this store shares; None where there is one only."""
        ...

    async def close(self) -> None:
        """Finish what is waiting to be written, then close."""
        ...
