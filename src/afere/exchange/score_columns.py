"""Turns the columns of a Parquet file into tables of scores: no object is made for a row."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from afere.domain import ScoreTable
from afere.exchange import arrow_columns
from afere.exchange.arrow_columns import Column
from afere.exchange.score_cells import LOST, MOST_ROUNDS
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
from afere.exchange.score_rows import LABELS, OF_TABLE

__all__ = ["ScoreColumns"]

_LOST = -1.0


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The columns of one model; `rows` are their places in the file, None for all of them."""

    columns: dict[str, Column]
    items: list[str]
    rows: Column | None
    variants: int = 1
    doubled: int = 0


class ScoreColumns:
    """The columns of a result file, checked: texts as codes into names, numbers in 64 bits.

    Raises SuiteError with the row's number from 1 as its line.
    """

    def __init__(self, columns: Mapping[str, Column], path: Path) -> None:
        self._compute = import_module("pyarrow.compute")
        self._path = path
        if not len(columns["item"]):
            raise no_row(path)
        self._columns: dict[str, Column] = {"score": arrow_columns.scores(columns["score"], path)}
        self._names: dict[str, list[str]] = {}
        for name in ("item", "model", *LABELS):
            if name in columns:
                self._columns[name], self._names[name] = arrow_columns.texts(
                    columns[name], name, path, needed=name == "item"
                )
        self._columns["round"] = arrow_columns.repeated(1, len(columns["item"]))
        for name, lowest in (("round", 1), ("variant", 0)):
            if name in columns:
                self._columns[name] = arrow_columns.counts(columns[name], name, path, lowest)

    def tables(self, wanted: str | None = None) -> tuple[ScoreTable, ...]:
        """Give a table a model, in the order in which they come, or that of the one wanted."""
        if "model" not in self._columns:
            if wanted is not None:
                raise no_such_model(wanted, (), self._path)
            return (self._table("", None),)
        codes = self._columns.pop("model")
        names = self._names["model"]
        found = {
            "" if code is None else names[code]: code
            for code in self._compute.unique(codes).to_pylist()
        }
        if wanted is not None and wanted not in found:
            raise no_such_model(wanted, found, self._path)
        chosen = list(found) if wanted is None else [wanted]
        if len(found) == 1:
            return tuple(self._table(name, None) for name in chosen)
        return tuple(self._table(name, self._rows_of(codes, found[name])) for name in chosen)

    def _table(self, model: str, rows: Column | None) -> ScoreTable:
        part = self._once(self._numbered(self._part(rows)))
        of_item = {name: self._labels(part, name) for name in LABELS if name not in OF_TABLE}
        return ScoreTable(
            items=tuple(part.items),
            item=arrow_columns.buffer(part.columns["item"], "q"),
            round=arrow_columns.buffer(part.columns["round"], "q"),
            score=arrow_columns.buffer(part.columns["score"].fill_null(LOST), "d"),
            categories=of_item["category"],
            groups=of_item["group"],
            keys=of_item["expect_hash"],
            inputs=of_item["input_hash"],
            model=model,
            suite=self._the_one(part, "suite") or "",
            average=self._the_one(part, "average"),
            variants=part.variants,
            warnings=doubled_rows(part.doubled, self._path),
        )

    # the columns of one model

    def _rows_of(self, codes: Column, model: int | None) -> Column:
        """Give the places of a model's rows."""
        mask = codes.is_null() if model is None else self._compute.equal(codes, model)
        return self._compute.indices_nonzero(mask)

    def _part(self, rows: Column | None) -> _Part:
        """Take some rows; items are counted in the order in which they come."""
        columns = {
            name: column if rows is None else column.take(rows)
            for name, column in self._columns.items()
        }
        used = self._compute.unique(columns["item"])
        places = self._compute.index_in(columns["item"], value_set=used)
        columns["item"] = places.cast("int64")
        names = self._names["item"]
        return _Part(columns, [names[code] for code in used.to_pylist()], rows)

    def _numbered(self, part: _Part) -> _Part:
        """Give rounds and their variants one number each; raise SuiteError where one lacks some."""
        columns, variants = dict(part.columns), 1
        rounds = columns["round"]
        if "variant" in columns:
            compute, variant = self._compute, columns.pop("variant")
            variants = 1 + compute.max(variant).as_py()
            before = compute.multiply(compute.subtract(rounds, 1), variants)
            columns["round"] = compute.add(compute.add(before, variant), 1)
            if self._different(columns["round"]) != variants * self._different(rounds):
                raise uneven_variants(self._path)
        numbers = self._different(columns["round"])
        if numbers > MOST_ROUNDS:
            raise too_many_rounds(self._path)
        refuse_sparse(len(part.items) * numbers, len(rounds), self._path)
        return _Part(columns, part.items, part.rows, variants)

    def _once(self, part: _Part) -> _Part:
        """Take each (item, round) once; raise SuiteError where two have different scores."""
        compute, columns = self._compute, part.columns
        rows = len(columns["item"])
        numbers = compute.unique(columns["round"])
        key = compute.add(
            compute.multiply(columns["item"], len(numbers)),
            compute.index_in(columns["round"], value_set=numbers).cast("int64"),
        )
        if self._different(key) == rows:
            return part
        score = columns["score"].fill_null(_LOST)
        places = compute.subtract(compute.cumulative_sum(arrow_columns.repeated(1, rows)), 1)
        grouped = (
            import_module("pyarrow")
            .table({"key": key, "score": score, "row": places})
            .group_by("key")
            .aggregate([("score", "min"), ("score", "max"), ("row", "min")])
        )
        unlike = grouped.filter(compute.not_equal(grouped["score_min"], grouped["score_max"]))
        if len(unlike):
            raise self._other_score(part, compute.equal(key, unlike["key"][0]))
        kept = grouped["row_min"].combine_chunks()
        kept = kept.take(compute.sort_indices(kept))
        taken = {name: column.take(kept) for name, column in columns.items()}
        return _Part(taken, part.items, part.rows, part.variants, rows - len(kept))

    def _other_score(self, part: _Part, mask: Column) -> Exception:
        """Make the error of the second of some rows of one item and round."""
        places = self._compute.indices_nonzero(mask)
        scores = part.columns["score"].take(places).fill_null(LOST).to_pylist()
        at = next(at for at, score in enumerate(scores) if score != scores[0])
        place = places[at].as_py()
        number = part.columns["round"][place].as_py()
        return other_score(
            part.items[part.columns["item"][place].as_py()],
            (number - 1) // part.variants + 1,
            (scores[0], scores[at]),
            path=self._path,
            line=self._line(part, place),
        )

    def _labels(self, part: _Part, name: str) -> tuple[str | None, ...]:
        """Give each item's label; raise SuiteError where an item has two."""
        if name not in part.columns:
            return ()
        compute, names = self._compute, self._names[name]
        there = part.columns[name].is_valid()
        places, codes = part.columns["item"].filter(there), part.columns[name].filter(there)
        if not len(places):
            return ()
        pairs = compute.unique(compute.add(compute.multiply(places, len(names)), codes))
        of_items = compute.divide(pairs, len(names))
        if self._different(of_items) < len(pairs):
            raise self._other_label(part, name)
        labels: list[str | None] = [None] * len(part.items)
        of_labels = compute.subtract(pairs, compute.multiply(of_items, len(names)))
        for place, code in zip(of_items.to_pylist(), of_labels.to_pylist(), strict=True):
            labels[place] = names[code]
        return tuple(labels)

    def _other_label(self, part: _Part, name: str) -> Exception:
        """Make the error of the first row whose label is another than its item had before."""
        had: dict[int, int] = {}
        columns = part.columns["item"].to_pylist(), part.columns[name].to_pylist()
        for place, (item, code) in enumerate(zip(*columns, strict=True)):
            if code is not None and had.setdefault(item, code) != code:
                names = self._names[name]
                return other_label(
                    part.items[item],
                    name,
                    (names[had[item]], names[code]),
                    path=self._path,
                    line=self._line(part, place),
                )
        raise AssertionError("no item has two labels")

    def _the_one(self, part: _Part, name: str) -> str | None:
        if name not in part.columns:
            return None
        codes = self._compute.unique(part.columns[name].drop_null()).to_pylist()
        return self._names[name][codes[0]] if len(codes) == 1 else None

    def _different(self, column: Column) -> int:
        return int(self._compute.count_distinct(column).as_py())

    def _line(self, part: _Part, place: int) -> int:
        return 1 + (place if part.rows is None else part.rows[place].as_py())
