"""One model's way through a suite: what is in the store is not asked again."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from afere import __version__
from afere.app.asking import request_of
from afere.app.budget import Budget
from afere.app.estimate import SAMPLED, estimate, sentences
from afere.app.models import Model
from afere.app.offline import grade_reply, shown_item
from afere.app.run_options import RunOptions, Session
from afere.app.stack import Seams, open_endpoint
from afere.domain import (
    Attempt,
    Calls,
    FailureKind,
    Grade,
    Invocation,
    Item,
    Ledger,
    Mark,
    Outcome,
    Response,
    Row,
    RunPlan,
    Sentence,
    Suite,
)
from afere.endpoints import Counter as CallCounter
from afere.runner import Asked, Ending, Stop, carry_out

__all__ = ["OneRun"]

DEFAULT_CONCURRENCY = 8
FAILED = frozenset({Outcome.ENDPOINT_ERROR, Outcome.GRADER_ERROR, Outcome.NOT_ASKED})
ASKED_AGAIN = "asked-again"
MOST_UNREACHED = 3


class OneRun:
    """One model's way through a suite."""

    def __init__(  # noqa: PLR0913, PLR0917 - the parts of one run
        self,
        suite: Suite,
        model: Model,
        plan: RunPlan,
        options: RunOptions,
        session: Session,
        stop: Stop,
        budget: Budget,
    ) -> None:
        self.suite, self.model, self.plan = suite, model, plan
        self.options, self.session, self.stop = options, session, stop
        self.budget = budget
        self.counter = CallCounter()
        self.calls = Calls()
        self._unreached: int | None = 0  # None once anybody answered
        self._again: set[str] = set()
        self._asked_again: set[Mark] = set()
        self._newly_graded = 0
        self._rounds: dict[int, Counter[str]] = {}

    async def carry_out(self) -> Ending:
        """Ask what is missing; the invocation is ended in the store whatever happens."""
        store, plan = self.session.store, self.plan
        begun = Invocation(started=self.session.clock(), version=__version__)
        number = await store.begin(plan, self.suite, begun)
        done = await self._done()
        self._tell_estimate(plan.rows - len(done))
        self.session.watch.begin(plan, len(done))
        ending = Ending(interrupted=True)
        try:
            ending = await self._ask(done)
            if ending.spent is not None:
                self.session.watch.note(Sentence("Stopped: {why}.", why=ending.spent))
        finally:
            self.calls = self._calls(len(done))
            ended = replace(
                begun,
                finished=self.session.clock(),
                calls=self.calls,
                missing=self.plan.rows - len(done) - len(self._asked_again) - self._newly_graded,
                interrupted=ending.interrupted,
                stopped_by=ending.stopped_by,
                resume_after=ending.stopped_by.resume_after if ending.stopped_by else None,
            )
            await store.end(plan.id, number, ended)
            self.session.watch.end()
        return ending

    async def _ask(self, done: set[Mark]) -> Ending:
        if len(done) == self.plan.rows:
            return Ending()
        concurrency = self._concurrency()
        seams = Seams(
            lookup=self._lookup,
            keep=self._keep_attempt,
            counter=self.counter,
            sleep=self.stop.sleep,
            clock=self.session.clock,
            watch=self.session.watch,
            cache=self.session.cache,
            budget=self.budget,
            ledger=self._ledger(),
        )
        async with open_endpoint(self.model, concurrency, self.options.pause, seams) as endpoint:
            return await carry_out(
                self._requests(done),
                endpoint,
                grade=self._grade,
                keep=self._keep_row,
                concurrency=min(concurrency, self.plan.rows - len(done)),
                stop=self.stop,
                on_row=self._on_row,
            )

    def _ledger(self) -> Ledger:
        """Give the counts behind the limits: those of all processes where any is declared."""
        session = self.session
        if self.model.limits or self.model.provider_limits:
            return session.store.ledger() or session.ledger
        return session.ledger

    def _tell_estimate(self, calls: int) -> None:
        """Say what is ahead where it is long or paid, by a sample of the requests."""
        step = -(-len(self.plan.items) // SAMPLED)
        sampled = [self.suite.item(each) for each in self.plan.items[::step]] if calls else []
        bodies = [
            self._asked(shown_item(item, self.plan, 0), 1, 0).request.body for item in sampled
        ]
        found = estimate(self.model, calls, bodies, pause=self.options.pause)
        for sentence in sentences(self.model, found):
            self.session.watch.note(sentence)

    def _concurrency(self) -> int:
        if self.options.concurrency is not None:
            return self.options.concurrency
        declared = [
            limits["concurrency"]
            for limits in (self.model.limits, self.model.provider_limits)
            if "concurrency" in limits
        ]
        if declared:
            return int(min(declared))
        return 1 if self.model.engine else DEFAULT_CONCURRENCY

    async def _done(self) -> set[Mark]:
        """Find the rows that are in the store, graded by the graders of today."""
        graded = await self.session.store.graded(self.plan.id)
        done = set()
        for place, (grader, version, outcome) in graded.items():
            current = self.session.graders.get(grader)
            if outcome in self.options.ask_again:
                self._asked_again.add(place)
            elif outcome not in FAILED and current and current.version == version:
                done.add(place)
                self._count(place[1], outcome)
        return done

    def _requests(self, done: set[Mark]) -> Iterator[Asked]:
        plan = self.plan
        for number in range(1, plan.rounds + 1):
            for item_id in plan.items:
                item = self.suite.item(item_id)
                for variant in range(plan.variants):
                    if (item_id, number, variant) not in done:
                        yield self._asked(shown_item(item, plan, variant), number, variant)

    def _asked(self, shown: Item, number: int, variant: int) -> Asked:
        request = request_of(self.suite, shown, self.plan, number, variant)
        if (request.item, number, variant) in self._asked_again:
            self._again.add(request.key)
        return Asked(item=shown, request=request)

    async def _lookup(self, key: str) -> Response | None:
        """Find the reply in the store, unless the user wants it asked again."""
        return None if key in self._again else await self.session.store.response(key)

    async def _keep_attempt(self, attempt: Attempt) -> Response | None:
        again = attempt.request.key in self._again
        return await self.session.store.keep_attempt(attempt, again=again)

    async def _keep_row(self, row: Row) -> None:
        """Keep a row; one asked again says so, and where that failed the row before it stands."""
        if row.key in self._again:
            if row.error is not None:
                return
            flags = (*row.grade.flags, ASKED_AGAIN)
            row = replace(row, grade=replace(row.grade, flags=flags))
        await self.session.store.keep_row(self.plan.id, row)

    async def _grade(self, item: Item, response: Response) -> Grade:
        return await grade_reply(self.suite, item, response, self.session.graders)

    def _on_row(self, row: Row) -> None:
        self.session.watch.row(row)
        mark = row.item, row.round, row.variant
        self._newly_graded += row.grade.outcome not in FAILED and mark not in self._asked_again
        self._look_for_nobody(row)
        outcomes = self._count(row.round, row.grade.outcome)
        if outcomes.total() == len(self.plan.items) * self.plan.variants:
            self.session.watch.round_end(row.round, self.plan.rounds, outcomes)

    def _look_for_nobody(self, row: Row) -> None:
        """Stop where the first questions, retries and all, found nobody to answer."""
        if row.error is None or row.error.kind is not FailureKind.CONNECTION:
            self._unreached = None
        elif self._unreached is not None:
            self._unreached += 1
            if self._unreached >= MOST_UNREACHED:
                self.stop.fail(row.error)

    def _count(self, number: int, outcome: Outcome) -> Counter[str]:
        outcomes = self._rounds.setdefault(number, Counter())
        outcomes[outcome] += 1
        return outcomes

    def _calls(self, done: int) -> Calls:
        calls = self.counter.calls
        return replace(calls, cached=calls.cached + done)
