"""Reads tables of confidences that are Parquet, columns as buffers; needs the extra `parquet`."""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, overload

from afere.domain import RatedTable, SuiteError
from afere.exchange import arrow_columns
from afere.exchange.arrow_columns import Column
from afere.exchange.rated_cells import Confidences, id_of, right_of, split_of
from afere.exchange.rated_rows import RatingForm, no_rated_row, placed
from afere.exchange.score_cells import WrongCell, shown

__all__ = ["read_rated_parquet"]

_MOST_ROWS = 50_000_000
_PAGE = 65_536
_TEXTS = ("prediction", "truth", "group", "category", "split")


def read_rated_parquet(path: Path, form: RatingForm) -> RatedTable:
    """Read a table column by column; raises SuiteError, with the row's number from 1 as its line.

    Memory holds a few buffers of the table's length, never an object a row.
    """
    arrow, parquet = _library("pyarrow", path), _library("pyarrow.parquet", path)
    try:
        with parquet.ParquetFile(path) as file:
            places = form.places(file.schema_arrow.names, path)
            _refuse_size(file.metadata.num_rows, path)
        # a text that stands in a million rows is held once
        texts = [places[field] for field in _TEXTS if field in places]
        with parquet.ParquetFile(path, read_dictionary=texts) as file:
            return _Columns(file, places, path).table(form)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        problem = f"this is not Parquet: {shown(str(error), longest=200)}"
        raise SuiteError(problem, mend="write it again as Parquet or CSV", file=path) from None
    finally:
        arrow.default_memory_pool().release_unused()


class _Columns:
    """The columns of one file, each read once and let go."""

    def __init__(self, file: Any, places: Mapping[str, str], path: Path) -> None:  # noqa: ANN401 - pyarrow ships no types
        self._file, self._places, self._path = file, places, path
        self._compute = import_module("pyarrow.compute")
        self._arrow = import_module("pyarrow")

    def table(self, form: RatingForm) -> RatedTable:
        confidence, notes = self._confidences(form)
        right = self._right() if form.judged else array("b", bytes(len(confidence)))
        ids = self._ids() if "id" in self._places else ()
        codes, names = {}, {}
        for field in ("group", "category"):
            if field in self._places:
                codes[field], names[field] = self._coded(field)
        return RatedTable(
            confidence=confidence,
            right=right,
            ids=ids,
            group=codes.get("group", array("i")),
            groups=names.get("group", ()),
            category=codes.get("category", array("i")),
            categories=names.get("category", ()),
            split=self._split() if "split" in self._places else array("b"),
            name=self._path.stem,
            notes=notes,
        )

    def _read(self, field: str) -> Column:
        return self._file.read(columns=[self._places[field]]).column(0)

    def _confidences(self, form: RatingForm) -> tuple[memoryview, tuple[str, ...]]:
        column = self._read("confidence")
        name = self._places["confidence"]
        reader = Confidences(name, form.percent, form.lenient)
        types = self._arrow.types
        number = types.is_floating(column.type) or types.is_integer(column.type)
        if not (number or types.is_decimal(column.type) or types.is_null(column.type)):
            return self._one_by_one(column, reader)
        values = _whole(column.cast("float64", safe=False), self._arrow)
        limit = 100.0 if form.percent else 1.0
        inside = self._compute.and_(
            self._compute.greater_equal(values, 0.0),
            self._compute.less_equal(values, limit),
        )
        place = self._compute.index(inside, value=False).as_py()
        if place >= 0:
            self._refused(lambda: reader.of(values[place].as_py(), place + 1), place)
        if form.percent:
            return self._one_by_one(values, reader)
        ends = self._compute.min_max(values)
        if ends["min"].as_py() == 1:
            reader.ones = 1
        notes = reader.finish()
        filled = values.fill_null(float("nan")) if values.null_count else values
        return arrow_columns.buffer(filled, "d"), notes

    def _one_by_one(
        self,
        column: Column,
        reader: Confidences,
    ) -> tuple[memoryview, tuple[str, ...]]:
        found, place = array("d"), 0
        try:
            for place, value in enumerate(_values(column)):
                found.append(reader.of(value, place + 1))
        except WrongCell as fault:
            raise placed(fault, self._path, place + 1) from None
        try:
            notes = reader.finish()
        except WrongCell as fault:
            raise placed(fault, self._path, reader.fraction_at) from None
        return memoryview(found), notes

    def _refused(self, read: Callable[[], object], place: int) -> None:
        try:
            read()
        except WrongCell as fault:
            raise placed(fault, self._path, place + 1) from None

    def _right(self) -> "memoryview | array[int]":
        if "correct" in self._places:
            return self._correct()
        predicted, names = arrow_columns.texts(self._read("prediction"), "prediction", self._path)
        truth, truths = arrow_columns.texts(self._read("truth"), "truth", self._path)
        if truth.null_count:
            place = self._compute.index(truth.is_null(), value=True).as_py()
            mend = "a row without its right answer cannot be judged: fill it in or leave it out"
            fault = WrongCell(self._places["truth"], "there is no right answer", mend)
            raise placed(fault, self._path, place + 1)
        known = {name: place for place, name in enumerate(truths)}
        codes = self._arrow.array([known.get(name, -1) for name in names] or [-1], type="int32")
        same = self._compute.equal(codes.take(predicted), truth.cast("int32"))
        return _bytes(same.fill_null(False).cast("int8"))  # noqa: FBT003 - pyarrow's argument

    def _correct(self) -> "array[int]":
        found = array("b")
        for place, value in enumerate(_values(self._read("correct"))):
            try:
                found.append(right_of(value, self._places["correct"]))
            except WrongCell as fault:
                raise placed(fault, self._path, place + 1) from None
        return found

    def _coded(self, field: str) -> tuple[memoryview, Sequence[str]]:
        codes, names = arrow_columns.texts(self._read(field), field, self._path)
        whole = codes.cast("int32").fill_null(-1)
        return memoryview(_bytes(whole, 4)).cast("i"), names

    def _split(self) -> "array[int]":
        codes, names = arrow_columns.texts(self._read("split"), "split", self._path)
        sides = array("b")
        for code, name in enumerate(names):
            place = self._compute.index(codes, value=code).as_py()
            self._refused(partial(_append_split, sides, name, self._places["split"]), place)
        if codes.null_count:
            place = self._compute.index(codes.is_null(), value=True).as_py()
            self._refused(lambda: split_of(None, self._places["split"]), place)
        return array("b", bytes(_bytes(self._arrow.array(sides, type="int8").take(codes))))

    def _ids(self) -> "_Texts":
        column = self._read("id")
        types = self._arrow.types
        if types.is_integer(column.type):
            column = column.cast("string")
        if not (types.is_string(column.type) or types.is_large_string(column.type)):
            fault = WrongCell(self._places["id"], "ids are texts or whole numbers", "write texts")
            raise placed(fault, self._path, None)
        ids = _whole(column.cast("large_string"), self._arrow)
        empty = self._compute.equal(self._compute.utf8_trim_whitespace(ids), "")
        wrong = self._compute.or_kleene(ids.is_null(), empty).fill_null(True)  # noqa: FBT003 - pyarrow's argument
        place = self._compute.index(wrong, value=True).as_py()
        if place >= 0:
            self._refused(lambda: id_of("", self._places["id"]), place)
        self._refuse_doubled(ids)
        return _Texts(ids)

    def _refuse_doubled(self, ids: Column) -> None:
        order = self._compute.array_sort_indices(ids)
        for start in range(0, len(order) - 1, _PAGE):
            part = ids.take(order[start : start + _PAGE + 1])
            same = self._compute.equal(part[1:], part[:-1])
            place = self._compute.index(same, value=True).as_py()
            if place >= 0:
                rows = sorted(order[start + place : start + place + 2].to_pylist())
                raise placed(
                    WrongCell(
                        self._places["id"],
                        f"{shown(part[place].as_py())} stands in row {rows[0] + 1} already",
                        "give each row an id of its own; several answers to one case share "
                        "a `group`",
                    ),
                    self._path,
                    rows[1] + 1,
                )


class _Texts(Sequence[str]):
    """A column of texts, each made when it is asked for."""

    def __init__(self, column: Column) -> None:
        self._column = column

    def __len__(self) -> int:
        return len(self._column)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...

    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return tuple(self._column[place].to_pylist())
        return str(self._column[place].as_py())

    def __iter__(self) -> Iterator[str]:
        return _values(self._column)


def _append_split(sides: "array[int]", name: str, field: str) -> None:
    sides.append(split_of(name, field))


def _values(column: Column) -> Iterator[Any]:
    """Give the values of a column, a page of them at a time."""
    for start in range(0, len(column), _PAGE):
        yield from column[start : start + _PAGE].to_pylist()


def _bytes(column: Column, width: int = 1) -> memoryview:
    memory = memoryview(column.buffers()[1]).cast("B")
    return memory[column.offset * width : (column.offset + len(column)) * width].cast("b")


def _whole(column: Column, arrow: Any) -> Column:  # noqa: ANN401 - pyarrow ships no types
    joined = column.combine_chunks()
    if isinstance(joined, arrow.ChunkedArray):
        joined = joined.chunk(0) if joined.num_chunks == 1 else arrow.concat_arrays(joined.chunks)
    return joined


def _refuse_size(rows: int, path: Path) -> None:
    if not rows:
        raise no_rated_row(path)
    if rows > _MOST_ROWS:
        raise SuiteError(f"more than {_MOST_ROWS:,} rows", mend="split the table", file=path)


def _library(name: str, path: Path) -> Any:  # noqa: ANN401 - pyarrow ships no types
    try:
        return import_module(name)
    except ImportError:
        mend = "pip install 'afere[parquet]'"
        raise SuiteError("reading Parquet needs pyarrow", mend=mend, file=path) from None
