"""Sides of a comparison that are files: results made elsewhere, beside a run or one another."""

from array import array
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from afere.domain import (
    Comparison,
    Policy,
    Run,
    RunSummary,
    ScoreTable,
    Store,
    StoreError,
    UsageError,
)

__all__ = [
    "ResultFile",
    "Side",
    "Stored",
    "compare",
    "compare_found",
    "file_of",
    "read",
    "table",
    "table_of",
    "with_files",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFile:
    """A result file that a side names, and the one model of it that is meant."""

    path: Path
    model: str | None = None


Side: TypeAlias = ResultFile | Run | str
"""A file, a run, or a text by which the store finds a run."""

Found: TypeAlias = Run | ScoreTable
"""A side that is at hand."""


@dataclass(frozen=True, slots=True)
class Stored:
    """Where runs are found, opened only when one is asked for, and of which suite they are."""

    opened: Callable[[], AbstractAsyncContextManager[Store]]
    suite: str | None = None


def with_files(
    baseline: Run | Path | str | None,
    candidate: Run | Path | str | None,
) -> tuple[Side, Side] | None:
    """Give both sides where one is a result file, else None.

    A file is a path, or a text `FILE` or `FILE::MODEL` with FILE a file that is there and has the
    ending of one that may hold results; it goes before a run or a model of that name. A missing
    side is none.
    """
    if baseline is None or candidate is None:
        return None
    first, second = _side(baseline), _side(candidate)
    if isinstance(first, ResultFile) or isinstance(second, ResultFile):
        return first, second
    return None


async def compare(
    both: tuple[Side, Side],
    policy: Policy,
    stored: Stored,
    *,
    tell: Callable[[str], None] | None = None,
) -> Comparison:
    """Compare a candidate with a baseline, one of which is a file; see `with_files`.

    `tell` is called with each remark on how a file was read. Raises UsageError.
    """
    found = [
        await _stored(side, stored) if isinstance(side, str) else side for side in _at_hand(both)
    ]
    return compare_found((found[0], found[1]), policy, tell=tell)


def read(both: tuple[Side, Side]) -> tuple[Found, Found]:
    """Read the sides that are files; a text is refused. Raises UsageError."""
    first, second = _at_hand(both)
    if isinstance(first, str) or isinstance(second, str):
        raise UsageError("A side is no file.\nName a file that is there, or give a run")
    return first, second


def compare_found(
    found: tuple[Found, Found],
    policy: Policy,
    *,
    tell: Callable[[str], None] | None = None,
) -> Comparison:
    """Compare a candidate with a baseline as tables of scores; raises UsageError."""
    from afere import analysis

    first, second = tables = [
        side if isinstance(side, ScoreTable) else table_of(side) for side in found
    ]
    for note in dict.fromkeys(note for table in tables for note in table.notes):
        if tell is not None:
            tell(note)
    average = policy.average or first.average or "micro"
    used = replace(policy, average=average)
    comparison = analysis.compare_tables(first, second, used)
    warnings = dict.fromkeys(warning for table in tables for warning in table.warnings)
    return replace(
        comparison,
        suite=first.suite or second.suite,
        baseline=_summary(found[0], comparison.baseline, used),
        candidate=_summary(found[1], comparison.candidate, used),
        warnings=(*warnings, *comparison.warnings),
    )


def table_of(run: Run) -> ScoreTable:
    """Give a run's scores as a table: the same numbers as in the run's exported file."""
    from afere import exchange

    plan = run.plan
    places = {item: place for place, item in enumerate(plan.items)}
    columns = plan.rounds * plan.variants
    scores = array("d", [float("nan")]) * plan.rows
    for row in run.rows:
        asked = 1 <= row.round <= plan.rounds and 0 <= row.variant < plan.variants
        if row.item in places and asked:
            score = row.grade.counted
            cell = places[row.item] * columns + (row.round - 1) * plan.variants + row.variant
            scores[cell] = float("nan") if score is None else score
    known = {item.id: item for item in run.suite.items}
    items = [known.get(item) for item in plan.items]
    hashes = [exchange.question_hashes(item) if item else (None, None) for item in items]
    return ScoreTable(
        items=plan.items,
        item=array("q", (place for place in range(len(items)) for _ in range(columns))),
        round=array("q", range(1, columns + 1)) * len(items),
        score=scores,
        categories=tuple(item.category if item else None for item in items),
        groups=tuple(item.group if item else None for item in items),
        keys=tuple(key for key, _ in hashes),
        inputs=tuple(text for _, text in hashes),
        model=plan.name,
        suite=plan.suite_name,
        variants=plan.variants,
        average=run.suite.average,
    )


def _side(side: Run | Path | str) -> Side:
    if isinstance(side, Path):
        return ResultFile(path=side)
    return side if isinstance(side, Run) else file_of(side) or side


def file_of(text: str) -> ResultFile | None:
    """Give the result file that a side names, None where it names none."""
    if _is_result_file(text):
        return ResultFile(path=Path(text))
    at = text.find("::")
    while at >= 0:
        if _is_result_file(text[:at]):
            return ResultFile(path=Path(text[:at]), model=text[at + 2 :])
        at = text.find("::", at + 1)
    return None


def _is_result_file(text: str) -> bool:
    from afere.exchange import RESULT_SUFFIXES

    try:
        return text.lower().endswith(RESULT_SUFFIXES) and Path(text).is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


async def _stored(side: str, stored: Stored) -> Run:
    from afere.app import sides

    try:
        async with stored.opened() as store:
            return await sides.find_run(store, side, stored.suite)
    except (StoreError, UsageError) as error:  # a store that is not there yet is no typing error
        raise sides.file_fault(side) or error from None


def _at_hand(both: tuple[Side, Side]) -> tuple[Found | str, Found | str]:
    """Read the sides that are files, a file that both name once; texts stay texts."""
    first, second = both
    if not isinstance(first, ResultFile) or not isinstance(second, ResultFile):
        return _read(first), _read(second)
    if first == second:
        raise UsageError(
            "Both sides are the same file.\nName two files, or two models of one: FILE::MODEL",
        )
    if first.path != second.path or first.model is None or second.model is None:
        return table(first), table(second)
    from afere import exchange

    tables = exchange.read_results(first.path, models=(first.model, second.model))
    by_model = {table.model: table for table in tables}
    return by_model[first.model], by_model[second.model]


def _read(side: Side) -> Found | str:
    return table(side) if isinstance(side, ResultFile) else side


def _summary(side: Found, of_table: RunSummary, policy: Policy) -> RunSummary:
    """Give the numbers of a side: of a run, those that its answers have besides."""
    from afere import analysis

    if isinstance(side, ScoreTable):
        return replace(of_table, suite=side.suite)
    return analysis.summarize(
        side,
        level=policy.level,
        average=policy.average,
        seed=policy.seed,
    )


def table(file: ResultFile) -> ScoreTable:
    """Read a result file; raises UsageError."""
    from afere import exchange

    found = exchange.read_result(file.path, model=file.model)
    return found if found.model else replace(found, model=file.path.stem)
