"""Gathers the rows of a result file into one table of scores a model, and refuses what is amiss."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from afere.domain import ScoreTable, Sentence, SuiteError
from afere.exchange.score_cells import MOST_ROUNDS, shown

__all__ = ["NO_LABELS", "Labels", "ScoreRows", "refuse_sparse"]

_ABSENT = -1.0
_SMALL = 20_000_000


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
_OF_ITEM = ("category", "group", "key", "input")


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

    def __init__(self, path: Path, *, model: str | None = None) -> None:
        self._path, self._wanted = path, model
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
            if self._wanted is not None and model != self._wanted:
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
            self._refuse_other(column[place], score, item, mark[0], line)
            of_model.doubled += 1
            return
        of_model.rows += 1

    def tables(self, notes: Sequence[str] = ()) -> tuple[ScoreTable, ...]:
        """Give a table a model, in the order in which they came; raises SuiteError."""
        if self._wanted is not None and self._wanted not in self._models:
            raise self._no_such_model(self._wanted)
        if not self._models:
            raise SuiteError("there is no row", mend="write a row an item", file=self._path)
        return tuple(
            self._table(name, of_model, tuple(notes)) for name, of_model in self._models.items()
        )

    def _column(self, of_model: _Model, mark: tuple[int, int], line: int | None) -> "array[float]":
        if len(of_model.columns) >= MOST_ROUNDS:
            raise SuiteError(
                f"more than {MOST_ROUNDS:,} rounds",
                mend="look whether the column `round` numbers the rounds of an item",
                file=self._path,
                line=line,
                field="round",
            )
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
        both = []
        for name in (*_OF_ITEM, "suite", "average"):
            first, second = getattr(before, name), getattr(now, name)
            if name in _OF_ITEM and None not in {first, second} and first != second:
                raise SuiteError(
                    f"item {shown(item)} has {shown(second)} here and {shown(first)} before",
                    mend="give an item the same one in every row",
                    file=self._path,
                    line=line,
                    field={"key": "expect_hash", "input": "input_hash"}.get(name, name),
                )
            both.append(first if first is not None else second)
        return Labels(*both)

    def _refuse_other(
        self, before: float, score: float, item: str, number: int, line: int | None
    ) -> None:
        lost = (before != before, score != score)  # noqa: PLR0124 - NaN alone differs
        if all(lost) or before == score:
            return
        raise SuiteError(
            f"item {shown(item)} has a second, different score in round {number} "
            f"({_written(before)}, then {_written(score)})",
            mend="number the rounds in a column `round`, name the models in a column `model`, "
            "or keep one of the rows",
            file=self._path,
            line=line,
            field="score",
        )

    def _no_such_model(self, wanted: str) -> SuiteError:
        names = [name for name in self._passed_over if name]
        if not names:
            mend = "leave out the model's name, or add a column `model`"
            return SuiteError("names no model", mend=mend, file=self._path, field="model")
        return SuiteError(
            f"has no model {shown(wanted)}",
            mend=f"it has: {', '.join(shown(name) for name in sorted(names))}",
            file=self._path,
            field="model",
        )

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
            warnings=_doubled(self._path, of_model.doubled),
            notes=notes,
        )

    def _variants(self, of_model: _Model) -> int:
        """Count the variants of a round, of which every round must have each."""
        variants = 1 + max(variant for _, variant in of_model.columns)
        rounds = {number for number, _ in of_model.columns}
        if len(of_model.columns) != variants * len(rounds):
            raise SuiteError(
                "not every round has every variant",
                mend="number the variants of each round 0, 1, 2, …, or leave the column out",
                file=self._path,
                field="variant",
            )
        return variants


def refuse_sparse(cells: int, rows: int, path: Path) -> None:
    """Refuse a file whose items by rounds are far more than its rows: it would fill the memory."""
    if cells > _SMALL and cells > 10 * rows:
        raise SuiteError(
            "nearly all items lack nearly all rounds",
            mend="look whether the column `round` numbers the rounds of an item",
            file=path,
            field="round",
        )


def _written(score: float) -> str:
    return "lost" if score != score else f"{score:g}"  # noqa: PLR0124 - NaN alone differs


def _given(values: list[str | None]) -> tuple[str | None, ...]:
    return tuple(values) if any(value is not None for value in values) else ()


def _the_one(values: set[str | None]) -> str | None:
    known = values - {None}
    return known.pop() if len(known) == 1 else None


def _doubled(path: Path, rows: int) -> tuple[str, ...]:
    if not rows:
        return ()
    return (
        Sentence("{file}: {rows} rows stand there twice and count once", file=path.name, rows=rows),
    )
