"""Runs from tables of scores, for tests: real records, nothing faked."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from afere.domain import (
    Expect,
    Failure,
    FailureKind,
    Grade,
    Item,
    Outcome,
    Row,
    Run,
    RunPlan,
    Suite,
    Tokens,
)

START = 1_796_000_000.0  # 2026-11-30T01:20:00Z

Cell = int | float | str | None


def suite_of(ids: Sequence[str], **changes: Any) -> Suite:
    """A suite of number items; `categories` and `groups` by id."""
    categories: Mapping[str, str] = changes.pop("categories", {})
    groups: Mapping[str, str] = changes.pop("groups", {})
    keys: Mapping[str, Any] = changes.pop("keys", {})
    texts: Mapping[str, str] = changes.pop("texts", {})
    items = tuple(
        Item(
            id=each,
            input=texts.get(each, f"question {each}"),
            expect=Expect(kind="number", key=keys.get(each, 7)),
            category=categories.get(each),
            group=groups.get(each),
        )
        for each in ids
    )
    return Suite(**{"name": "example", "items": items, **changes})


def run_of(
    scores: Mapping[str, Sequence[Cell]],
    *,
    suite: Suite | None = None,
    name: str = "model-a",
    order: Sequence[str] | None = None,
    plan: Mapping[str, Any] | None = None,
    row: Mapping[str, Any] | None = None,
    **suite_changes: Any,
) -> Run:
    """A run from scores by item; a cell is a score, the name of an outcome, or None: not asked."""
    suite = suite or suite_of(list(scores), **suite_changes)
    rounds = max((len(cells) for cells in scores.values()), default=1)
    settings: dict[str, Any] = {
        "suite_name": suite.name,
        "suite_hash": suite.hash,
        "endpoint": "http://127.0.0.1:9/v1",
        "base_url": "http://127.0.0.1:9/v1",
        "name": name,
        "model": name,
        "params": {"temperature": Decimal("0.7"), "max_tokens": 4000},
        "rounds": rounds,
        "items": tuple(order or scores),
        **(plan or {}),
    }
    rows = [
        row_of(item, place + 1, cell, **(row or {}))
        for item, cells in scores.items()
        for place, cell in enumerate(cells)
        if cell is not None
    ]
    return Run(plan=RunPlan(**settings), suite=suite, rows=tuple(rows))


def row_of(item: str, number: int, cell: Cell, **changes: Any) -> Row:
    """A row that says right, wrong, a partial score, or an outcome by name."""
    outcome = Outcome(cell) if isinstance(cell, str) else Outcome.RIGHT if cell else Outcome.WRONG
    score = (0.0 if isinstance(cell, str) else float(cell or 0)) if outcome.counts else None
    error = None
    if outcome is Outcome.ENDPOINT_ERROR:
        error = Failure(
            kind=FailureKind.SERVER,
            message="503 Service Unavailable",
            status=503,
            body="busy",
            failed_at=START + number,
        )
    settings: dict[str, Any] = {
        "item": item,
        "round": number,
        "grade": Grade(
            outcome=outcome,
            score=score,
            grader="number",
            grader_version="1",
            read="7" if cell else None,
            rule="marker" if outcome is Outcome.RIGHT else None,
        ),
        "tokens": Tokens() if error else Tokens(input=10, output=5),
        "latency": None if error else 0.5,
        "answered_at": None if error else START,
        "error": error,
        **changes,
    }
    return Row(**settings)


def table_of(both: int, only_baseline: int, only_candidate: int, neither: int) -> tuple[Any, Any]:
    """Two runs' scores, one round, from the four counts."""
    cells = [(1, 1)] * both + [(1, 0)] * only_baseline
    cells += [(0, 1)] * only_candidate + [(0, 0)] * neither
    ids = [f"i{place}" for place in range(len(cells))]
    first = {item: [cell[0]] for item, cell in zip(ids, cells, strict=True)}
    second = {item: [cell[1]] for item, cell in zip(ids, cells, strict=True)}
    return first, second
