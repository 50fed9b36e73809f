"""Turns the columns of a Parquet file into tables of scores: no object is made for a row."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path

from afere.domain import ScoreTable, SuiteError
from afere.exchange import arrow_columns
from afere.exchange.arrow_columns import Column
from afere.exchange.score_cells import LOST, MOST_ROUNDS
from afere.exchange.score_faults import (
    doubled_rows,
    no_such_model,
    other_label,
    other_score,
    refuse_sparse,
    too_many_rounds,
    uneven_variants,
)
from afere.exchange.score_rows import LABELS, OF_TABLE

__all__ = ["tables_of"]

_LOST = -1.0


def tables_of(
    read: Callable[[str], Column],
    fields: Collection[str],
    path: Path,
    models: Collection[str] | None = None,
) -> tuple[ScoreTable, ...]:
    """Give a table for each model of a file, or for each of the models asked for.

    `read` gives a column of the file, of which `fields` are there; each is read once, checked, and
    shared out to the models before the next, so that memory holds one whole column.

    Raises SuiteError with the row's number from 1 as its line.
    """
    parts = _models(read, fields, path, models)
    names: dict[str, list[str]] = {}

    def share(name: str, column: Column) -> None:
        if len(column) != rows:
            problem = f"its columns differ in length: {rows} items, {len(column)} of {name}"
            raise SuiteError(problem, mend="write it again as Parquet or CSV", file=path)
        for part in parts:
            part.columns[name] = column if part.rows is None else column.filter(part.rows)

    codes, names["item"] = arrow_columns.texts(read("item"), "item", path, needed=True)
    rows = len(codes)
    share("item", codes)
    share("score", arrow_columns.scores(read("score"), path))
    for name, lowest in (("round", 1), ("variant", 0)):
        if name in fields:
            share(name, arrow_columns.counts(read(name), name, path, lowest))
    for name in LABELS:
        if name in fields:
            codes, names[name] = arrow_columns.texts(read(name), name, path)
            share(name, codes)
    return tuple(_Rows(part, names, path).table() for part in parts)


@dataclass(slots=True, eq=False)
class _Part:
    """The columns of one model; `rows` marks its rows in the file, None where all are."""

    model: str
    rows: Column | None
    columns: dict[str, Column]


def _models(
    read: Callable[[str], Column],
    fields: Collection[str],
    path: Path,
    wanted: Collection[str] | None,
) -> list[_Part]:
    """Find the rows of each model, in the order in which the models come."""
    if "model" not in fields:
        for name in wanted or ():
            raise no_such_model(name, (), path)
        return [_Part("", None, {})]
    compute = import_module("pyarrow.compute")
    codes, names = arrow_columns.texts(read("model"), "model", path)
    found = {
        "" if code is None else names[code]: code for code in compute.unique(codes).to_pylist()
    }
    for name in wanted or ():
        if name not in found:
            raise no_such_model(name, found, path)
    if len(found) == 1:
        return [_Part(name, None, {}) for name in found]
    return [
        _Part(name, codes.is_null() if code is None else compute.equal(codes, code), {})
        for name, code in found.items()
        if wanted is None or name in wanted
    ]


class _Rows:
    """The rows of one model: items counted in the order in which they come, each row once."""

    def __init__(self, part: _Part, names: dict[str, list[str]], path: Path) -> None:
        self._compute = import_module("pyarrow.compute")
        self._path, self._names, self._in_file = path, names, part.rows
        self._model, self._columns = part.model, part.columns
        part.columns = {}
        codes = self._columns["item"]
        used = self._compute.unique(codes).cast("int64")
        if used.equals(arrow_columns.counted(len(used))):  # they come in the order of their codes
            self._columns["item"] = codes.cast("int64")
            self._items = names["item"][: len(used)]
        else:
            places = self._compute.index_in(codes.cast("int64"), value_set=used)
            self._columns["item"] = places.cast("int64")
            self._items = [names["item"][code] for code in used.to_pylist()]
        if "round" not in self._columns:
            self._columns["round"] = arrow_columns.repeated(1, len(codes))

    def table(self) -> ScoreTable:
        """Give the table; raises SuiteError for rows that contradict."""
        variants = self._number_variants()
        labels = {name: self._labels(name) for name in LABELS if name not in OF_TABLE}
        doubled = self._take_once(variants)
        return ScoreTable(
            items=tuple(self._items),
            item=arrow_columns.buffer(self._columns["item"], "q"),
            round=arrow_columns.buffer(self._columns["round"], "q"),
            score=arrow_columns.buffer(self._columns["score"].fill_null(LOST), "d"),
            categories=labels["category"],
            groups=labels["group"],
            keys=labels["expect_hash"],
            inputs=labels["input_hash"],
            model=self._model,
            suite=self._the_one("suite") or "",
            average=self._the_one("average"),
            variants=variants,
            warnings=doubled_rows(doubled, self._path),
        )

    def _number_variants(self) -> int:
        """Give each variant of each round its number; give how many variants a round has."""
        compute, rounds, variants = self._compute, self._columns["round"].cast("int64"), 1
        marks = rounds
        if "variant" in self._columns:
            variant = self._columns.pop("variant").cast("int64")
            variants = 1 + compute.max(variant).as_py()
            before = compute.multiply(compute.subtract(rounds, 1), variants)
            marks = compute.add(compute.add(before, variant), 1)
            if self._different(marks) != variants * self._different(rounds):
                raise uneven_variants(self._path)
        numbers = self._different(marks)
        if numbers > MOST_ROUNDS:
            raise too_many_rounds(self._path)
        refuse_sparse(len(self._items) * numbers, len(marks), self._path)
        self._columns["round"] = marks
        return variants

    def _take_once(self, variants: int) -> int:
        """Take each (item, round) once; give how many rows stand there twice."""
        compute, columns = self._compute, self._columns
        rows = len(columns["item"])
        numbers = compute.unique(columns["round"])
        key = compute.add(
            compute.multiply(columns["item"], len(numbers)),
            compute.index_in(columns["round"], value_set=numbers).cast("int64"),
        )
        if not self._stands_twice(key):
            return 0
        places = arrow_columns.counted(rows)
        score = columns["score"].fill_null(_LOST)
        grouped = (
            import_module("pyarrow")
            .table({"key": key, "score": score, "row": places})
            .group_by("key")
            .aggregate([("score", "min"), ("score", "max"), ("row", "min")])
        )
        unlike = grouped.filter(compute.not_equal(grouped["score_min"], grouped["score_max"]))
        if len(unlike):
            first = unlike["key"][compute.index(unlike["row_min"], compute.min(unlike["row_min"]))]
            raise self._other_score(compute.indices_nonzero(compute.equal(key, first)), variants)
        kept = grouped["row_min"].combine_chunks()
        kept = kept.take(compute.sort_indices(kept))
        self._columns = {name: column.take(kept) for name, column in columns.items()}
        return rows - len(kept)

    def _other_score(self, places: Column, variants: int) -> Exception:
        """Make the error of rows of one item and round whose scores differ."""
        scores = self._columns["score"].take(places).fill_null(_LOST).to_pylist()
        at = next(at for at, score in enumerate(scores) if score != scores[0])
        place = places[at].as_py()
        first, second = (LOST if score == _LOST else score for score in (scores[0], scores[at]))
        return other_score(
            self._items[self._columns["item"][place].as_py()],
            (self._columns["round"][place].as_py() - 1) // variants + 1,
            (first, second),
            path=self._path,
            line=self._line(place),
        )

    def _labels(self, name: str) -> tuple[str | None, ...]:
        """Give each item's label; raise SuiteError where an item has two."""
        if name not in self._columns:
            return ()
        compute, names = self._compute, self._names[name]
        first = self._columns[name].take(self._first_rows)
        if self._columns[name].equals(first.take(self._columns["item"])):
            if first.null_count == len(first):
                return ()
            codes = arrow_columns.buffer(first.cast("int64").fill_null(len(names)), "q").tolist()
            return tuple(map([*names, None].__getitem__, codes))
        there = self._columns[name].is_valid()
        codes = self._columns[name].filter(there).cast("int64")
        if not len(codes):
            return ()
        items = self._columns["item"].filter(there)
        pairs = compute.unique(compute.add(compute.multiply(items, len(names)), codes))
        of_items = compute.divide(pairs, len(names))
        if self._different(of_items) < len(pairs):
            raise self._other_label(name)
        of_labels = compute.subtract(pairs, compute.multiply(of_items, len(names)))
        labels: list[str | None] = [None] * len(self._items)
        for place, code in zip(of_items.to_pylist(), of_labels.to_pylist(), strict=True):
            labels[place] = names[code]
        return tuple(labels)

    @cached_property
    def _first_rows(self) -> Column:
        """Give the place of each item's first row."""
        compute, items = self._compute, self._columns["item"]
        order = compute.array_sort_indices(items)  # stable
        ordered = items.take(order)
        begins = compute.not_equal(ordered[1:], ordered[:-1])
        return import_module("pyarrow").concat_arrays([order[:1], order[1:].filter(begins)])

    def _other_label(self, name: str) -> Exception:
        """Make the error of the first row whose label is another than its item had before."""
        had: dict[int, int] = {}
        columns = self._columns["item"].to_pylist(), self._columns[name].to_pylist()
        place, item, code = next(
            (place, item, code)
            for place, (item, code) in enumerate(zip(*columns, strict=True))
            if code is not None and had.setdefault(item, code) != code
        )
        names = self._names[name]
        return other_label(
            self._items[item],
            name,
            (names[had[item]], names[code]),
            path=self._path,
            line=self._line(place),
        )

    def _the_one(self, name: str) -> str | None:
        if name not in self._columns:
            return None
        codes = self._compute.unique(self._columns[name].drop_null()).to_pylist()
        return self._names[name][codes[0]] if len(codes) == 1 else None

    def _stands_twice(self, key: Column) -> bool:
        """Tell whether a number stands twice; sorting needs a third of the memory of counting."""
        ordered = key.take(self._compute.array_sort_indices(key))
        same = self._compute.equal(ordered[1:], ordered[:-1])
        return bool(self._compute.any(same).as_py())

    def _different(self, column: Column) -> int:
        return int(self._compute.count_distinct(column).as_py())

    def _line(self, place: int) -> int:
        """Give the number of a row in the file; right before rows are taken once."""
        if self._in_file is None:
            return place + 1
        return int(self._compute.indices_nonzero(self._in_file)[place].as_py()) + 1
