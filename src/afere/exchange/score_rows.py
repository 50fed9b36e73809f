"""Gathers the rows of a result file into one table of scores a model, and refuses what is amiss."""

from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path

from afere.domain import ScoreTable
from afere.exchange.score_cells import MOST_ROUNDS
from afere.exchange.score_faults import (
    doubled_rows,
    no_row,
    no_such_model,
    other_label,
    other_score,
    refuse_sparse,
    too_many_rounds,
    uneven_variants,
)

__all__ = ["LABELS", "NO_LABELS", "OF_TABLE", "Labels", "ScoreRows"]

_ABSENT = -1.0


@dataclass(frozen=True, slots=True)
class Labels:
    """What a row says of its item (the first four) and of the whole table (the last two)."""

    category: str | None = None
    group: str | None = None
    key: str | None = None
    input: str | None = None
    suite: str | None = None
    average: str | None = None


NO_LABELS = Labels()
LABELS = {
    "category": "category",
    "group": "group",
    "expect_hash": "key",
    "input_hash": "input",
    "suite": "suite",
    "average": "average",
}
"""The columns that are labels, and which."""
OF_TABLE = ("suite", "average")


@dataclass(slots=True, eq=False)
class _Model:
    """The rows of one model; each column holds the scores of one (round, variant) by item."""

    places: dict[str, int] = field(default_factory=dict)
    labels: list[Labels] = field(default_factory=list)
    columns: "dict[tuple[int, int], array[float]]" = field(default_factory=dict)
    rows: int = 0
    doubled: int = 0
    cells: int = 0


class ScoreRows:
    """Takes rows one by one, in any order; raises SuiteError for rows that contradict."""

    def __init__(self, path: Path, models: Collection[str] | None = None) -> None:
        self._path, self._wanted = path, models
        self._models: dict[str, _Model] = {}
        self._passed_over: dict[str, None] = {}

    def add(  # noqa: PLR0913, PLR0917 - the cells of a row, taken a million times
        self,
        line: int | None,
        item: str,
        mark: tuple[int, int],
        score: float,
        labels: Labels,
        model: str,
    ) -> None:
        """Take a row; `mark` is round and variant, a score that is NaN is a lost row."""
        of_model = self._models.get(model)
        if of_model is None:
            if self._wanted is not None and model not in self._wanted:
                self._passed_over[model] = None
                return
            of_model = self._models[model] = _Model()
        place = of_model.places.setdefault(item, len(of_model.labels))
        if place == len(of_model.labels):
            of_model.labels.append(labels)
        elif of_model.labels[place] is not labels:
            of_model.labels[place] = self._joined(of_model.labels[place], labels, item, line)
        column = of_model.columns.get(mark)
        if column is None:
            column = self._column(of_model, mark, line)
        if place == len(column):
            column.append(score)
            of_model.cells += 1
        elif place > len(column):
            self._lengthen(of_model, column, place)
            column[place] = score
        elif column[place] == _ABSENT:
            column[place] = score
        else:
            self._refuse_other((column[place], score), item, mark[0], line)
            of_model.doubled += 1
            return
        of_model.rows += 1

    def tables(self, notes: Sequence[str] = ()) -> tuple[ScoreTable, ...]:
        """Give a table a model, in the order in which they came; raises SuiteError."""
        for name in self._wanted or ():
            if name not in self._models:
                raise no_such_model(name, [*self._models, *self._passed_over], self._path)
        if not self._models:
            raise no_row(self._path)
        return tuple(
            self._table(name, of_model, tuple(notes)) for name, of_model in self._models.items()
        )

    def _column(self, of_model: _Model, mark: tuple[int, int], line: int | None) -> "array[float]":
        if len(of_model.columns) >= MOST_ROUNDS:
            raise too_many_rounds(self._path, line)
        column = of_model.columns[mark] = array("d")
        return column

    def _lengthen(self, of_model: _Model, column: "array[float]", place: int) -> None:
        new = place + 1 - len(column)
        of_model.cells += new
        refuse_sparse(of_model.cells, of_model.rows, self._path)
        column.extend([_ABSENT] * new)

    def _joined(self, before: Labels, now: Labels, item: str, line: int | None) -> Labels:
        """Join what two rows say of one item: what is empty in one is taken from the other."""
        if before == now:
            return before
        both = {}
        for column, name in LABELS.items():
            first, second = getattr(before, name), getattr(now, name)
            if column not in OF_TABLE and None not in {first, second} and first != second:
                raise other_label(item, column, (first, second), path=self._path, line=line)
            both[name] = first if first is not None else second
        return Labels(**both)

    def _refuse_other(
        self,
        scores: tuple[float, float],
        item: str,
        number: int,
        line: int | None,
    ) -> None:
        if scores[0] != scores[1] and not (isnan(scores[0]) and isnan(scores[1])):
            raise other_score(item, number, scores, path=self._path, line=line)

    def _table(self, name: str, of_model: _Model, notes: tuple[str, ...]) -> ScoreTable:
        refuse_sparse(len(of_model.places) * len(of_model.columns), of_model.rows, self._path)
        variants = self._variants(of_model)
        item, rounds, scores = array("q"), array("q"), array("d")
        for number, variant in sorted(of_model.columns):
            column = of_model.columns[number, variant]
            there = [place for place, score in enumerate(column) if score != _ABSENT]
            item.extend(there)
            scores.extend(column[place] for place in there)
            rounds.extend([(number - 1) * variants + variant + 1] * len(there))
        labels = of_model.labels
        return ScoreTable(
            items=tuple(of_model.places),
            item=item,
            round=rounds,
            score=scores,
            categories=_given([each.category for each in labels]),
            groups=_given([each.group for each in labels]),
            keys=_given([each.key for each in labels]),
            inputs=_given([each.input for each in labels]),
            model=name,
            suite=_the_one({each.suite for each in labels}) or "",
            average=_the_one({each.average for each in labels}),
            variants=variants,
            warnings=doubled_rows(of_model.doubled, self._path),
            notes=notes,
        )

    def _variants(self, of_model: _Model) -> int:
        """Count the variants of a round, of which every round must have each."""
        variants = 1 + max(variant for _, variant in of_model.columns)
        rounds = {number for number, _ in of_model.columns}
        if len(of_model.columns) != variants * len(rounds):
            raise uneven_variants(self._path)
        return variants


def _given(values: list[str | None]) -> tuple[str | None, ...]:
    return tuple(values) if any(value is not None for value in values) else ()


def _the_one(values: set[str | None]) -> str | None:
    known = values - {None}
    return known.pop() if len(known) == 1 else None
