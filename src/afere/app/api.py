"""The library's verbs: one item's way read aloud, from suite to verdict."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from afere.app.executing import Opening, graders_for, open_here, proved
from afere.app.folders import cache_folder, store_url
from afere.app.models import Model, ModelOptions, resolve
from afere.app.plugins import all_graders
from afere.app.run_options import RunOptions, Session
from afere.app.running import run_models, selected_items
from afere.app.watch import Silent, Watch
from afere.domain import (
    Comparison,
    Grade,
    Item,
    Policy,
    Reading,
    Response,
    Run,
    RunSummary,
    Store,
    Suite,
    Told,
)
from afere.runner import Stop

__all__ = [
    "RunResult",
    "arun",
    "compare",
    "compare_runs",
    "declared_names",
    "find_models",
    "grade",
    "load_suite",
    "run",
    "run_all",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult(Told):
    """A run with its numbers: `summary` has score, interval, outcomes and the rest."""

    run: Run
    summary: RunSummary

    @property
    def score(self) -> float | None:
        """The mean over items, as a fraction; None where nothing was graded."""
        return self.summary.score

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of the score at the summary's level."""
        return self.summary.interval

    def to_dict(self) -> dict[str, Any]:
        """Give the summary as plain JSON data."""
        return self.summary.to_dict()

    def __str__(self) -> str:
        """Tell the run as `afere show` does."""
        from afere import report

        return str(
            report.run_report(
                self.summary,
                store=store_url(os.environ),
                next_command=f"afere show {self.run.id}",
            ),
        )


def load_suite(source: str | Path) -> Suite:
    """Load a built-in suite by name, a YAML file or a folder; raises SuiteError."""
    from afere import suites

    return suites.load(source, all_graders())


def find_models(
    names: Sequence[str],
    options: ModelOptions,
    environ: Mapping[str, str],
) -> list[Model]:
    """Find the endpoints that models' names stand for; raises UsageError before any call."""
    from afere.app.models_file import declared_models

    declared = {} if options.base_url else declared_models(options.models_file, environ)
    return resolve(names, options, environ, declared)


def declared_names(options: ModelOptions, environ: Mapping[str, str]) -> list[str]:
    """Give the names of the models in `models.yaml`; none where an address is named instead."""
    from afere.app.models_file import declared_models

    return [] if options.base_url else list(declared_models(options.models_file, environ))


async def run_all(  # noqa: PLR0913 - what a run stands on
    suite: Suite,
    models: Sequence[Model],
    options: RunOptions,
    *,
    store: Store,
    cache: Path,
    watch: Watch | None = None,
    stop: Stop | None = None,
    level: float = 0.95,
    opening: Opening = open_here,
) -> list[tuple[Run, RunSummary]]:
    """Run a suite on every model and sum up; what is in the store is not asked again.

    opening: opens the sandbox, once, where answers are code. Raises NoSandboxError before any call.
    """
    from afere import analysis

    selected = selected_items(suite, options)
    unsafe = options.unsafe_no_sandbox
    async with graders_for(selected, unsafe=unsafe, opening=opening) as graders:
        await proved(suite, selected, graders)
        session = Session(store=store, graders=graders, cache=cache, watch=watch or Silent())
        runs = await run_models(suite, models, options, session, stop or Stop())
    return [(each, analysis.summarize(each, level=level, calls=calls)) for each, calls in runs]


async def arun(  # noqa: PLR0913 - the options of a run
    suite: Suite | str | Path,
    *,
    model: str,
    rounds: int = 3,
    base_url: str | None = None,
    key_env: str | None = None,
    headers: Mapping[str, str] | None = None,
    params: Mapping[str, Any] | None = None,
    limit: int | None = None,
    concurrency: int | None = None,
    series: str = "",
    fresh: bool = False,
    store: str | None = None,
    unsafe_no_sandbox: bool = False,
) -> RunResult:
    """Ask a suite of one model inside a running loop; see `run`."""
    from afere.store import open_store

    loaded = suite if isinstance(suite, Suite) else load_suite(suite)
    options = ModelOptions(base_url=base_url, key_env=key_env, headers=headers or {})
    models = find_models([model], options, os.environ)
    asked = RunOptions(
        rounds=rounds,
        limit=limit,
        params=params or {},
        concurrency=concurrency,
        series=series,
        fresh=fresh,
        unsafe_no_sandbox=unsafe_no_sandbox,
    )
    opened = await open_store(store or store_url(os.environ), clock=time.time)
    try:
        ((done, summary),) = await run_all(
            loaded,
            models,
            asked,
            store=opened,
            cache=cache_folder(os.environ),
        )
    finally:
        await opened.close()
    return RunResult(run=done, summary=summary)


def run(suite: Suite | str | Path, *, model: str, **options: Any) -> RunResult:  # noqa: ANN401
    """Ask a suite of one model, several rounds, and keep every answer.

    suite: a loaded suite, a built-in name or a path. model: a name of `models.yaml`, a model at
    `base_url`, `llama:smollm2-135m` or the path of a GGUF file. Options as `arun`'s: rounds (3),
    base_url, key_env, headers, params, limit, concurrency, series, fresh, store; and
    unsafe_no_sandbox, which executes answers that are code without isolation.
    Raises UsageError before the first call; failures of the endpoint are in the result.
    """
    return asyncio.run(arun(suite, model=model, **options))


def compare_runs(baseline: Run, candidate: Run, policy: Policy) -> Comparison:
    """Compare two runs of the same items under a policy."""
    from afere import analysis

    return analysis.compare(baseline, candidate, policy)


def compare(  # noqa: PLR0913 - both sides and the policy
    baseline: RunResult | Run | Path | str,
    candidate: RunResult | Run | Path | str,
    *,
    margin: float = 0.02,
    level: float = 0.95,
    average: str | None = None,
    store: str | None = None,
) -> Comparison:
    """Give the verdict on a candidate against a baseline.

    Each side is a result of `run`, a result file (its path, or `FILE::MODEL` where it holds
    several), or the id of a run or a model's name in the store. `margin` is the largest difference
    that does not matter, as a fraction; `level` is that of the interval. Raises UsageError.
    """
    policy = Policy(margin=margin, level=level, average=average)
    baseline, candidate = _side_of(baseline), _side_of(candidate)
    if isinstance(baseline, Run) and isinstance(candidate, Run):
        return compare_runs(baseline, candidate, policy)
    from afere.app import result_sides

    files = result_sides.with_files(baseline, candidate)
    if files is None:
        return compare_runs(*asyncio.run(_from_store(baseline, candidate, store)), policy)
    if any(isinstance(side, str) for side in files):
        stored = result_sides.Stored(_opener(store))
        return asyncio.run(result_sides.compare(files, policy, stored))
    return result_sides.compare_found(result_sides.read(files), policy)


def _side_of(side: RunResult | Run | Path | str) -> Run | Path | str:
    return side.run if isinstance(side, RunResult) else side


def _opener(store: str | None) -> Callable[[], AbstractAsyncContextManager[Store]]:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        from afere.store import open_store

        url = store or store_url(os.environ)
        found = await open_store(url, clock=time.time, make=False)
        try:
            yield found
        finally:
            await found.close()

    return opened


async def _from_store(
    baseline: Run | Path | str,
    candidate: Run | Path | str,
    store: str | None,
) -> tuple[Run, Run]:
    from afere.app import sides

    async with _opener(store)() as opened:
        if isinstance(baseline, str) and isinstance(candidate, str):
            return await sides.find_pair(opened, baseline, candidate)
        pair = [
            side if isinstance(side, Run) else await sides.find_run(opened, str(side))
            for side in (baseline, candidate)
        ]
        return (pair[0], pair[1])


def grade(
    item: Item,
    reply: str | Response,
    *,
    reading: Reading | None = None,
    unsafe_no_sandbox: bool = False,
) -> Grade:
    """Grade one reply offline; a text is a reply that stopped by itself.

    An answer that is code is executed in a sandbox that is opened for it; raises NoSandboxError
    where there is none. To grade many, use `afere grade`, which opens one for all.
    """
    response = (
        reply if isinstance(reply, Response) else Response(content=reply, finish_reason="stop")
    )

    async def graded() -> Grade:
        async with graders_for([item], unsafe=unsafe_no_sandbox) as graders:
            return await graders[item.expect.kind].grade(item, response, reading or Reading())

    return asyncio.run(graded())
