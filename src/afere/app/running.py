"""One run from plan to rows: what is in the store is not asked again, the rest goes its way."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from afere import __version__, suites
from afere.app.models import Model
from afere.app.offline import grade_reply, shown_item
from afere.app.stack import Seams, endpoint_identity, open_endpoint
from afere.app.watch import Silent, Watch
from afere.domain import (
    Calls,
    Failure,
    Grade,
    Grader,
    Invocation,
    Item,
    Mark,
    Outcome,
    Response,
    Row,
    Run,
    RunPlan,
    Scope,
    Sentence,
    Store,
    Suite,
    UsageError,
)
from afere.endpoints import Counter as CallCounter
from afere.runner import Asked, Ending, Stop, carry_out

__all__ = ["RunOptions", "Session", "run_models"]

DEFAULT_PARAMS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 4000}
DEFAULT_CONCURRENCY = 8
ASKED_AGAIN = frozenset({Outcome.ENDPOINT_ERROR, Outcome.GRADER_ERROR, Outcome.NOT_ASKED})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What the user asks of a run beyond suite and model.

    concurrency: calls at a time; None for 8, and for 1 where this machine computes the answers.
    pause: seconds between the starts of two calls.
    series: runs of one series share answers; `fresh` begins a new one.
    rotate: each item is asked once for every cyclic shift of its options.
    shuffle: the seed by which options are put in another order.
    """

    rounds: int = 3
    limit: int | None = None
    items: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    concurrency: int | None = None
    pause: float = 0.0
    series: str = ""
    fresh: bool = False
    rotate: bool = False
    shuffle: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What every run of one process shares."""

    store: Store
    graders: Mapping[str, Grader]
    cache: Path
    clock: Callable[[], float] = time.time
    watch: Watch = field(default_factory=Silent)


async def run_models(
    suite: Suite,
    models: Sequence[Model],
    options: RunOptions,
    session: Session,
    stop: Stop,
) -> list[Run]:
    """Ask every model, one after the other; a provider that refuses is asked no further.

    Gives the runs as they stand in the store, complete or not. Raises UsageError before the first
    call and StoreError where an answer cannot be kept.
    """
    selected = _selected(suite, options)
    options = _with_series(options, session.clock())
    plans = [await _plan(suite, selected, model, options, session) for model in models]
    runs: list[Run] = []
    refusals = _Refusals()
    for model, plan in zip(models, plans, strict=True):
        if stop.interrupted:
            break
        stop.rearm()
        known = refusals.of(model)
        if known is not None:
            stop.fail(known)
        one = _OneRun(suite, model, plan, options, session, stop)
        ending = await one.carry_out()
        refusals.learn(model, ending.stopped_by)
        runs.append(await _stored(session.store, plan))
    return runs


async def _stored(store: Store, plan: RunPlan) -> Run:
    run = await store.run(plan.id)
    assert run is not None, "a run that was begun is in the store"  # noqa: S101 - an invariant
    return run


def _selected(suite: Suite, options: RunOptions) -> tuple[Item, ...]:
    """Give the items asked, in the suite's order; raises UsageError where there are none."""
    known = {item.id for item in suite.items}
    strangers = [item for item in options.items if item not in known]
    if strangers:
        raise UsageError(
            f"Suite {suite.name} has no item {strangers[0]!r}.\nIts items: {_some(sorted(known))}",
        )
    categories = {item.category for item in suite.items if item.category}
    foreign = [name for name in options.categories if name not in categories]
    if foreign:
        raise UsageError(
            f"Suite {suite.name} has no category {foreign[0]!r}.\n"
            f"Its categories: {_some(sorted(categories))}",
        )
    chosen = [
        item
        for item in suite.items
        if (not options.items or item.id in options.items)
        and (not options.categories or item.category in options.categories)
    ]
    if not chosen:
        raise UsageError(f"Suite {suite.name} has no such item.\nLoosen --item or --category.")
    return tuple(chosen[: options.limit])


def _some(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def _with_series(options: RunOptions, now: float) -> RunOptions:
    if not options.fresh:
        return options
    if options.series:
        raise UsageError("--fresh and --series do not go together.\nType one of them.")
    return replace(options, series=f"fresh-{datetime.fromtimestamp(now, UTC):%Y%m%dT%H%M%S%f}")


async def _plan(
    suite: Suite,
    selected: tuple[Item, ...],
    model: Model,
    options: RunOptions,
    session: Session,
) -> RunPlan:
    identity = await endpoint_identity(model, session.cache, session.watch)
    params = {**DEFAULT_PARAMS, **suite.params, **model.params, **options.params}
    _tell_replaced(suite, model, params, session.watch)
    return RunPlan(
        suite_name=suite.name,
        suite_hash=suite.hash,
        endpoint=identity,
        base_url=model.base_url,
        name=model.name,
        model=model.model,
        params=params,
        rounds=options.rounds,
        items=tuple(item.id for item in selected),
        series=options.series,
        variants=_variants(selected, options),
        shuffle=options.shuffle,
        probe=bool(options.items or options.categories),
        family=model.family,
        cutoff=model.cutoff,
        price=model.price,
    )


def _variants(selected: tuple[Item, ...], options: RunOptions) -> int:
    """Count the shifts of the options, which must be equally many on every item."""
    if options.rotate and options.shuffle is not None:
        raise UsageError("--rotate and --shuffle do not go together.\nType one of them.")
    if not options.rotate:
        return 1
    counts = {len(item.options): item.id for item in selected}
    if len(counts) > 1 or 0 in counts:
        odd = counts[min(counts)]
        raise UsageError(
            f"--rotate needs items with equally many options; {odd!r} has {min(counts)}.\n"
            "Choose such items: --category C or --item ID",
        )
    return next(iter(counts))


def _tell_replaced(suite: Suite, model: Model, params: Mapping[str, Any], watch: Watch) -> None:
    for name, value in suite.params.items():
        if params[name] != value:
            watch.note(
                Sentence(
                    "{model}: {name} = {new} in place of the suite's {old}",
                    model=model.name,
                    name=name,
                    new=params[name],
                    old=value,
                ),
            )


class _Refusals:
    """Which providers refuse every call: said by themselves, or by two of their models alike."""

    def __init__(self) -> None:
        self._stopped: dict[str, Failure] = {}
        self._seen: set[tuple[str, int | None]] = set()

    def of(self, model: Model) -> Failure | None:
        return self._stopped.get(model.provider)

    def learn(self, model: Model, failure: Failure | None) -> None:
        if failure is None:
            return
        seen = (model.provider, failure.status)
        if failure.scope is Scope.PROVIDER or seen in self._seen:
            self._stopped.setdefault(model.provider, failure)
        self._seen.add(seen)


class _OneRun:
    """One model's way through a suite."""

    def __init__(  # noqa: PLR0913, PLR0917 - the parts of one run
        self,
        suite: Suite,
        model: Model,
        plan: RunPlan,
        options: RunOptions,
        session: Session,
        stop: Stop,
    ) -> None:
        self.suite, self.model, self.plan = suite, model, plan
        self.options, self.session, self.stop = options, session, stop
        self.counter = CallCounter()
        self._rounds: dict[int, Counter[str]] = {}

    async def carry_out(self) -> Ending:
        """Ask what is missing; the invocation is ended in the store whatever happens."""
        store, plan = self.session.store, self.plan
        begun = Invocation(started=self.session.clock(), version=__version__)
        number = await store.begin(plan, self.suite, begun)
        done = await self._done()
        self.session.watch.begin(plan, len(done))
        ending = Ending(interrupted=True)
        try:
            ending = await self._ask(done)
        finally:
            ended = replace(
                begun,
                finished=self.session.clock(),
                calls=self._calls(len(done)),
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
            lookup=self.session.store.response,
            keep=self.session.store.keep_attempt,
            counter=self.counter,
            sleep=self.stop.sleep,
            clock=self.session.clock,
            watch=self.session.watch,
            cache=self.session.cache,
        )
        async with open_endpoint(self.model, concurrency, self.options.pause, seams) as endpoint:
            return await carry_out(
                self._requests(done),
                endpoint,
                grade=self._grade,
                keep=lambda row: self.session.store.keep_row(self.plan.id, row),
                concurrency=min(concurrency, self.plan.rows - len(done)),
                stop=self.stop,
                on_row=self._on_row,
            )

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
            if outcome not in ASKED_AGAIN and current and current.version == version:
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
        plan = self.plan
        request = suites.render(
            self.suite,
            shown,
            endpoint=plan.endpoint,
            model=plan.model,
            params=plan.params,
            round=number,
            variant=variant,
            series=plan.series,
        )
        return Asked(item=shown, request=request)

    async def _grade(self, item: Item, response: Response) -> Grade:
        return await grade_reply(self.suite, item, response, self.session.graders)

    def _on_row(self, row: Row) -> None:
        self.session.watch.row(row)
        outcomes = self._count(row.round, row.grade.outcome)
        if outcomes.total() == len(self.plan.items) * self.plan.variants:
            self.session.watch.round_end(row.round, self.plan.rounds, outcomes)

    def _count(self, number: int, outcome: Outcome) -> Counter[str]:
        outcomes = self._rounds.setdefault(number, Counter())
        outcomes[outcome] += 1
        return outcomes

    def _calls(self, done: int) -> Calls:
        calls = self.counter.calls
        return replace(calls, cached=calls.cached + done)
