"""Takes columns of a Parquet file as what they mean: scores, counts and texts; none a row."""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from afere.domain import SuiteError
from afere.exchange.score_cells import MOST_ROUNDS, WrongCell, id_of, round_of, score_of, shown

__all__ = [
    "Column",
    "buffer",
    "coded",
    "counted",
    "counts",
    "numbers",
    "plain_texts",
    "repeated",
    "scores",
    "texts",
]

Column: TypeAlias = Any  # pyarrow ships no types


def scores(column: Column, path: Path) -> Column:
    """Give a column of scores in 64 bits, null where a row is lost; raises SuiteError."""
    if not (_is_number(column.type) or _arrow().types.is_boolean(column.type)):
        mend = "write numbers from 0 to 1, or true and false, and null where the answer is lost"
        raise _not_its_kind(column, "score", path, mend)
    values = _whole(column.cast("float64", safe=False))
    _refuse_outside(values, (0.0, 1.0), score_of, path)
    return values


def counts(column: Column, field: str, path: Path, lowest: int) -> Column:
    """Give a column of whole numbers from `lowest` in 32 bits, null being the lowest."""

    def refuse(value: object) -> object:
        return round_of(value, field, lowest)

    if not _is_number(column.type):
        raise _not_its_kind(column, field, path, f"write whole numbers from {lowest}")
    values = _whole(column.cast("float64", safe=False))
    _refuse_outside(values, (lowest, MOST_ROUNDS), refuse, path)
    whole = values.cast("int32", safe=False)
    _refuse_first(_compute().not_equal(whole.cast("float64"), values), values, refuse, path)
    return whole.fill_null(lowest)


def texts(
    column: Column,
    field: str,
    path: Path,
    *,
    needed: bool = False,
) -> tuple[Column, list[str]]:
    """Give a column of texts as codes into names that each stand once, null where there is none.

    A whole number is its text, an empty text is none; `needed` refuses rows without one.
    """
    kind, types = column.type, _arrow().types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_integer(kind):
        column = column.cast(kind).cast("string")
    elif not any(each(kind) for each in (types.is_string, types.is_large_string, types.is_null)):
        raise _not_its_kind(column, field, path, "write texts or whole numbers")
    if not types.is_dictionary(column.type):
        column = column.cast("large_string").dictionary_encode()
    codes, names = coded(column)
    if needed and codes.null_count:
        _refuse_first(codes.is_null(), codes, lambda _: id_of(""), path)
    return codes, names


def coded(column: Column) -> tuple[Column, list[str]]:
    """Give a coded column as codes into names that each stand once; empty texts are null."""
    whole = _whole(column.unify_dictionaries())
    whole.validate(full=True)  # a broken file has codes without a name, and bytes that are no text
    return _codes(whole)


def plain_texts(column: Column) -> Column:
    """Give a coded column in one piece; raises ValueError for white space or a quote in front."""
    compute, whole = _compute(), _whole(column.unify_dictionaries())
    names = whole.dictionary
    trimmed = compute.utf8_trim_whitespace(names)
    for wrong in (compute.not_equal(trimmed, names), compute.starts_with(names, "'")):
        if compute.any(wrong).as_py():
            raise ValueError("a text that is not used as it is written")
    return _arrow().chunked_array([whole])


def numbers(values: Sequence[float | None]) -> Column:
    """Give a few numbers as a column in one piece."""
    return _arrow().chunked_array([_arrow().array(values, type="float64")])


def repeated(number: int, rows: int) -> Column:
    """Give a column of one whole number."""
    arrow = _arrow()
    return arrow.repeat(arrow.scalar(number, type="int64"), rows)


def counted(rows: int) -> Column:
    """Give the column of the whole numbers from 0."""
    compute = _compute()
    return compute.subtract(compute.cumulative_sum(repeated(1, rows)), 1)


def buffer(column: Column, code: str) -> memoryview:
    """Give the memory of a column of 64 bits without nulls; no byte is copied."""
    memory = memoryview(column.buffers()[1]).cast("B")
    return memory[column.offset * 8 : (column.offset + len(column)) * 8].cast(code)  # type: ignore[call-overload, no-any-return] # a format that is known when it runs


def _codes(column: Column) -> tuple[Column, list[str]]:
    """Give codes in which each name stands once; empty texts are null."""
    codes, names = column.indices, column.dictionary.to_pylist()
    if len(set(names)) < len(names) or None in names:
        each = column.dictionary.dictionary_encode()
        codes, names = each.indices.take(codes), each.dictionary.to_pylist()
    if "" in names:
        compute = _compute()
        codes = compute.if_else(compute.equal(codes, names.index("")), None, codes)
    return codes, names


def _whole(column: Column) -> Column:
    """Give a column in one piece."""
    joined = column.combine_chunks()
    if isinstance(joined, _arrow().ChunkedArray):
        joined = (
            joined.chunk(0) if joined.num_chunks == 1 else _arrow().concat_arrays(joined.chunks)
        )
    return joined


def _is_number(kind: Column) -> bool:
    types = _arrow().types
    fits = (types.is_floating, types.is_integer, types.is_decimal, types.is_null)
    return any(each(kind) for each in fits)


def _refuse_outside(
    values: Column,
    limits: tuple[float, float],
    refuse: Callable[[object], object],
    path: Path,
) -> None:
    compute = _compute()
    ends = compute.min_max(values)
    lowest, highest = ends["min"].as_py(), ends["max"].as_py()
    not_a_number = compute.any(compute.is_nan(values)).as_py()
    if not not_a_number and (lowest is None or limits[0] <= lowest <= highest <= limits[1]):
        return
    inside = compute.and_(
        compute.greater_equal(values, float(limits[0])),
        compute.less_equal(values, float(limits[1])),
    )
    _refuse_first(compute.invert(inside), values, refuse, path)


def _refuse_first(
    wrong: Column,
    values: Column,
    refuse: Callable[[object], object],
    path: Path,
) -> None:
    """Raise the SuiteError of the first row that is wrong."""
    place = _compute().index(wrong, value=True).as_py()
    if place < 0:
        return
    try:
        refuse(values[place].as_py())
    except WrongCell as fault:
        raise SuiteError(
            fault.problem,
            mend=fault.mend,
            file=path,
            line=place + 1,
            field=fault.field,
        ) from None


def _not_its_kind(column: Column, field: str, path: Path, mend: str) -> SuiteError:
    problem = f"the column holds {shown(str(column.type))}"
    return SuiteError(problem, mend=mend, file=path, field=field)


def _arrow() -> Any:  # noqa: ANN401 - pyarrow ships no types
    return import_module("pyarrow")


def _compute() -> Any:  # noqa: ANN401 - pyarrow ships no types
    return import_module("pyarrow.compute")
