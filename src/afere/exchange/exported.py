"""An exported run: its rows with the answers, which is also a result file."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from typing import TypeAlias

from afere.domain import Grade, Item, Mark, Outcome, Response, Row, Run, RunPlan, Tokens, digest

__all__ = ["EXPORT_COLUMNS", "Cell", "RunExport", "question_hashes"]

Cell: TypeAlias = str | int | float | None

EXPORT_COLUMNS: dict[str, type[str] | type[int] | type[float]] = {
    "suite": str,
    "series": str,
    "started": str,
    "base_url": str,
    "served_model": str,
    "expect_hash": str,
    "item": str,
    "category": str,
    "group": str,
    "model": str,
    "run": str,
    "round": int,
    "variant": int,
    "outcome": str,
    "score": float,
    "read": str,
    "rule": str,
    "grader": str,
    "finish_reason": str,
    "tokens_input": int,
    "tokens_output": int,
    "latency": float,
    "cost": float,
    "content": str,
    "input_hash": str,
    "average": str,
}
"""The columns of an exported run, and what their cells hold; any cell may be empty."""

_HASH_DIGITS = 16


def question_hashes(item: Item) -> tuple[str, str]:
    """Give what an item's key and its question are known by: texts of 16 hexadecimal digits."""
    question = (item.input, dict(item.options), item.labels)
    return digest(item.expect)[:_HASH_DIGITS], digest(question)[:_HASH_DIGITS]


class RunExport:
    """Makes the cells of a run's rows, in the order of its plan.

    A row that was never asked is there too, so that nothing lost looks as if it had not been due.
    """

    def __init__(self, run: Run) -> None:
        self._plan, self._items = run.plan, {item.id: item for item in run.suite.items}
        self._average = run.suite.average
        self._started = _moment(run.invocations[0].started) if run.invocations else None
        self._marks, self._due = _marks(run.plan), frozenset(run.plan.items)
        self._item: tuple[str, Item | None, tuple[str | None, str | None]] | None = None

    def cells(self, row: Row, response: Response | None) -> Iterator[tuple[Cell, ...]]:
        """Give the cells of a row, those of rows never asked before it."""
        mark = (row.item, row.round, row.variant)
        if not self._is_due(row):
            return
        for due in self._marks:
            if due == mark:
                yield self._cells(row, response)
                return
            yield self._cells(_never_asked(due), None)

    def rest(self) -> Iterator[tuple[Cell, ...]]:
        """Give the cells of rows never asked after the last."""
        for due in self._marks:
            yield self._cells(_never_asked(due), None)

    def _cells(self, row: Row, response: Response | None) -> tuple[Cell, ...]:
        plan = self._plan
        item, (expect_hash, input_hash) = self._known(row.item)
        return (
            plan.suite_name,
            plan.series,
            self._started,
            plan.base_url,
            row.served_model,
            expect_hash,
            row.item,
            item.category if item else None,
            item.group if item else None,
            plan.name,
            plan.id,
            row.round,
            row.variant,
            row.grade.outcome.value,
            row.grade.counted,
            row.grade.read,
            row.grade.rule,
            row.grade.grader,
            row.finish_reason,
            row.tokens.input,
            row.tokens.output,
            row.latency,
            _cost(row.tokens, plan),
            response.content if response else None,
            input_hash,
            self._average,
        )

    def _is_due(self, row: Row) -> bool:
        asked = 1 <= row.round <= self._plan.rounds and 0 <= row.variant < self._plan.variants
        return asked and row.item in self._due

    def _known(self, item_id: str) -> tuple[Item | None, tuple[str | None, str | None]]:
        """Give an item with its hashes; the rows of one item stand beside one another."""
        if self._item is None or self._item[0] != item_id:
            item = self._items.get(item_id)
            self._item = (item_id, item, question_hashes(item) if item else (None, None))
        return self._item[1:]


def _marks(plan: RunPlan) -> Iterator[Mark]:
    return product(plan.items, range(1, plan.rounds + 1), range(plan.variants))


def _never_asked(mark: Mark) -> Row:
    item, number, variant = mark
    grade = Grade(outcome=Outcome.NOT_ASKED, score=None, grader="", grader_version="")
    return Row(item=item, round=number, variant=variant, grade=grade)


def _cost(tokens: Tokens, plan: RunPlan) -> float | None:
    """Give USD from prices per million tokens; None where price or tokens are not known."""
    parts = [(tokens.input, plan.price.get("input")), (tokens.output, plan.price.get("output"))]
    known = [
        count * float(price) for count, price in parts if count is not None and price is not None
    ]
    return sum(known) / 1_000_000 if known else None


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
