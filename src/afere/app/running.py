"""One run from plan to rows: what is in the store is not asked again, the rest goes its way."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from afere import suites
from afere.app.budget import Budget, Limit
from afere.app.models import Model
from afere.app.one_run import OneRun
from afere.app.run_options import RunOptions, Session
from afere.app.stack import endpoint_identity
from afere.app.watch import Watch
from afere.domain import (
    Calls,
    Failure,
    Item,
    Run,
    RunPlan,
    Scope,
    Sentence,
    Store,
    Suite,
    UsageError,
)
from afere.runner import Stop

__all__ = ["run_models", "selected_items"]

GRACE = 5.0  # seconds for which calls in flight are waited for when --max-time is over
DEFAULT_PARAMS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 4000}
_LIMIT_NAMES = frozenset({"max_tokens", "max_completion_tokens"})


async def run_models(
    suite: Suite,
    models: Sequence[Model],
    options: RunOptions,
    session: Session,
    stop: Stop,
) -> list[tuple[Run, Calls]]:
    """Ask every model, one after the other; a provider that refuses is asked no further.

    Gives the runs as they stand in the store, complete or not, with the calls made here for each.
    Raises UsageError before the first call and StoreError where an answer cannot be kept.
    """
    selected = selected_items(suite, options)
    _refuse_few_rounds(suite, options)
    options = _with_series(options, session.clock())
    plans = [await _plan(suite, selected, model, options, session) for model in models]
    _tell_equal_rounds(plans, session.watch)
    budget = _budget(models, options, stop)
    runs: list[tuple[Run, Calls]] = []
    refusals = _Refusals()
    for model, plan in zip(models, plans, strict=True):
        if stop.interrupted:
            break
        stop.rearm()
        known = refusals.of(model)
        if known is not None:
            stop.fail(known)
        one = OneRun(suite, model, plan, options, session, stop, budget)
        ending = await one.carry_out()
        refusals.learn(model, ending.stopped_by)
        runs.append((await _stored(session.store, plan), one.calls))
    return runs


def _budget(models: Sequence[Model], options: RunOptions, stop: Stop) -> Budget:
    """Start the command's budget; a cost can only be held where every model has a price."""
    unpriced = [model.name for model in models if not model.price]
    if options.limit_cost is not None and unpriced:
        raise UsageError(
            f"--max-cost needs a price, and {unpriced[0]} has none.\n"
            "Add to models.yaml: price: {input: USD, output: USD} per million tokens",
        )
    if options.limit_seconds is not None:
        loop = asyncio.get_running_loop()
        over = f"--max-time {options.limit_seconds:g} s is over"
        loop.call_later(options.limit_seconds, stop.spend, over)
        loop.call_later(options.limit_seconds + GRACE, stop.drop)
    return Budget(Limit(calls=options.limit_calls, cost=options.limit_cost), stop)


async def _stored(store: Store, plan: RunPlan) -> Run:
    run = await store.run(plan.id)
    assert run is not None, "a run that was begun is in the store"  # noqa: S101 - an invariant
    return run


def _refuse_few_rounds(suite: Suite, options: RunOptions) -> None:
    """Raise UsageError where the suite reports a pass@k that these rounds cannot tell."""
    most = max(suite.pass_at, default=1)
    if most > options.rounds:
        raise UsageError(
            f"Suite {suite.name} reports pass@{most}, and {options.rounds} rounds cannot tell it.\n"
            f"Type: --rounds {most}   (or more)",
        )


def selected_items(suite: Suite, options: RunOptions) -> tuple[Item, ...]:
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
    params = _params(suite, model, options)
    _tell_replaced(suite, model, params, session.watch)
    seed = params.get("seed")
    if options.seed_per_item and (isinstance(seed, bool) or not isinstance(seed, int | None)):
        raise UsageError("--seed-per-item needs a whole number.\nType: --param seed=1")
    return RunPlan(
        suite_name=suite.name,
        suite_hash=suite.hash,
        endpoint=identity,
        base_url=model.place,
        name=model.name,
        model=model.model,
        params=params,
        rounds=options.rounds,
        items=tuple(item.id for item in selected),
        series=options.series,
        variants=_variants(selected, options),
        shuffle=options.shuffle,
        seed_per_item=options.seed_per_item and "seed" in params,
        probe=bool(options.items or options.categories),
        family=model.family,
        cutoff=model.cutoff,
        price=model.price,
    )


def _params(suite: Suite, model: Model, options: RunOptions) -> dict[str, Any]:
    """Lay the parameters over one another; a limit of the reply has two names, the last holds."""
    declared = dict(DEFAULT_PARAMS)
    for layer in (suite.params, model.params, options.params):
        if not _LIMIT_NAMES.isdisjoint(layer):
            declared = {name: each for name, each in declared.items() if name not in _LIMIT_NAMES}
        declared |= layer
    return suites.sent_params(declared)


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
    for name, value in suites.sent_params(suite.params).items():
        if params.get(name) != value:
            watch.note(
                Sentence(
                    "{model}: {name} = {new} in place of the suite's {old}",
                    model=model.name,
                    name=name,
                    new=params.get(name),
                    old=value,
                ),
            )


def _tell_equal_rounds(plans: Sequence[RunPlan], watch: Watch) -> None:
    """Say before money is spent that rounds at temperature 0 may all be equal."""
    equal = [plan for plan in plans if plan.rounds > 1 and _is_zero(plan.params.get("temperature"))]
    if equal:
        watch.note(
            Sentence(
                "{rounds} rounds at temperature 0 may all be equal, and rounds that cannot differ "
                "measure no noise: --rounds 1 spends less, --param temperature=0.7 lets them "
                "differ",
                rounds=equal[0].rounds,
            ),
        )


def _is_zero(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and value == 0


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
