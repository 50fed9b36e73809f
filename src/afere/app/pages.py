"""Makes pages: finds the sides, has them analysed, and hands answers and requests to the report."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import Any

from afere.app import result_sides, sides
from afere.app.asking import request_of
from afere.app.behind import behind
from afere.app.confident import FirstAnswers, calibration_of
from afere.app.exam_counts import exam_counts
from afere.app.offline import shown_item
from afere.app.table_runs import run_of
from afere.domain import Calibration, Policy, Row, Run, ScoreTable, Store, UsageError
from afere.report import (
    ItemsTable,
    PageSide,
    Subject,
    Words,
    confidence_section,
    exam_section,
    report_page,
)

__all__ = ["Page", "find_sides", "page_of", "told_of"]

Opened = Callable[[], AbstractAsyncContextManager[Store]]
Side = Run | ScoreTable
PAIR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page as HTML text, with the number of answers that it knows of."""

    html: str
    rows: int


async def find_sides(
    store: Store | None,
    names: Sequence[str],
    suite: str | None,
    *,
    files: bool = True,
) -> list[Side]:
    """Give the run or result file that each name means; two names as `compare` takes them.

    store: None where every name is a file. files: whether a name may be that of a file. Without
    names: the latest run of each model of the last suite, or of `suite`. Raises UsageError.
    """
    found = [result_sides.file_of(name) if files else None for name in names]
    if store is None or (names and all(found)):
        return [result_sides.table(file) for file in found if file is not None]
    if not any(found):
        return list(await _runs(store, names, suite))
    return [
        await sides.find_run(store, name, suite) if file is None else result_sides.table(file)
        for name, file in zip(names, found, strict=True)
    ]


async def _runs(store: Store, names: Sequence[str], suite: str | None) -> Sequence[Run]:
    if not names:
        found = await sides.latest_runs(store, suite)
        return sorted(found, key=lambda run: max((i.started for i in run.invocations), default=0))
    if len(names) == 1:
        return [await sides.find_run(store, names[0], suite)]
    if len(names) == PAIR:
        return await sides.find_pair(store, names[0], names[1], suite)
    runs = [await sides.find_run(store, name, suite) for name in names]
    if len({run.id for run in runs}) < len(runs):
        raise UsageError("One run is named twice.\nName each run or model once: afere runs")
    return runs


async def page_of(told: Subject, store: Store | None, words: Words) -> Page:
    """Make the page of what is told, with the replies that the store has."""
    unmatched = told.comparison.unmatched if told.comparison is not None else None
    apart = {*unmatched.different_key, *unmatched.different_input} if unmatched else set()
    items = ItemsTable([side.run for side in told.sides], apart=apart)
    calibrations: list[Calibration | None] = [None] * len(told.sides)
    for place, side in enumerate(told.sides):
        if store is None or not side.summary.run:
            continue
        body, firsts = Bodies(side.run), FirstAnswers()
        async for row, response in store.answers(side.run.id):
            items.add(place, row, response, body(row))
            firsts.add(row, response)
        calibrations[place] = await calibration_of(side.run, firsts, store)
    runs = [side.run for side in told.sides]
    parts = (
        confidence_section(told, calibrations, words),
        exam_section(exam_counts(runs), words),
    )
    extra = [part for part in parts if part is not None]
    return Page(html=report_page(told, items, extra=extra, words=words), rows=items.rows)


def told_of(found: Sequence[Side], policy: Policy) -> Subject:
    """Sum up one run, compare two (baseline first), or rank more; raises UsageError."""
    if len(found) == 1:
        return _one(found[0], policy)
    if len(found) == PAIR:
        return _two((found[0], found[1]), policy)
    return _many(found, policy)


def _one(side: Side, policy: Policy) -> Subject:
    from afere import analysis

    run = run_of(side) if isinstance(side, ScoreTable) else side
    summary = analysis.summarize(run, level=policy.level, average=policy.average, seed=policy.seed)
    if isinstance(side, ScoreTable):
        summary = replace(summary, run="", started=None, finished=None)
    return Subject(
        sides=(PageSide(summary=summary, run=run),),
        places=analysis.error_places(run),
        gap=analysis.letter_gap(summary.letters),
    )


def _two(pair: tuple[Side, Side], policy: Policy) -> Subject:
    from afere import analysis

    baseline, candidate = pair
    if isinstance(baseline, Run) and isinstance(candidate, Run):
        comparison = analysis.compare(baseline, candidate, policy)
        return Subject(
            sides=(
                PageSide(summary=comparison.baseline, run=baseline),
                PageSide(summary=comparison.candidate, run=candidate),
            ),
            comparison=comparison,
            behind=behind(baseline, candidate, policy),
        )
    comparison = result_sides.compare_found(pair, policy)
    runs = [run_of(side) if isinstance(side, ScoreTable) else side for side in pair]
    return Subject(
        sides=(
            PageSide(summary=comparison.baseline, run=runs[0]),
            PageSide(summary=comparison.candidate, run=runs[1]),
        ),
        comparison=comparison,
    )


def _many(found: Sequence[Side], policy: Policy) -> Subject:
    """Rank; beside a result file, runs too are taken as their tables, so that items pair."""
    from afere import analysis

    if any(isinstance(side, ScoreTable) for side in found):
        tables = [
            side if isinstance(side, ScoreTable) else result_sides.table_of(side) for side in found
        ]
        runs = [run_of(table) for table in tables]
    else:
        runs = [side for side in found if isinstance(side, Run)]
    ranking = analysis.rank(runs, level=policy.level, average=policy.average)
    by_id = {run.id: run for run in runs}
    ranked = [by_id[model.run] for model in ranking.models]
    stored = {side.id for side in found if isinstance(side, Run)}
    summaries = [
        analysis.summarize(run, level=policy.level, average=policy.average, seed=policy.seed)
        for run in ranked
    ]
    return Subject(
        sides=tuple(
            PageSide(
                summary=summary if run.id in stored else replace(summary, run=""),
                run=run,
            )
            for run, summary in zip(ranked, summaries, strict=True)
        ),
        ranking=ranking,
    )


class Bodies:
    """Gives the body of the request behind a row, as it was planned; None where it cannot be."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._known = {item.id for item in run.suite.items}

    def __call__(self, row: Row) -> Mapping[str, Any] | None:
        if row.item not in self._known:
            return None
        suite, plan = self._run.suite, self._run.plan
        shown = shown_item(suite.item(row.item), plan, row.variant)
        return request_of(suite, shown, plan, row.round, row.variant).body
