"""Turns a row of named cells into the fields of an item.

A cell is a text (CSV) or a typed value (Parquet). A column is a field (`id`, `input`,
`category`), or a part of one (`expect.number`, `options.A`, `metadata.page`). Texts in the
columns `expect`, `options`, `labels` and `metadata` are JSON.
"""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import PurePath

from afere.domain import SuiteError
from afere.suites.jsonl_reader import read_json
from afere.suites.node import Node, node_of, quoted
from afere.suites.yaml_reader import read_scalar

__all__ = ["node_of_cells"]

_JSON_COLUMNS = frozenset({"expect", "options", "labels", "metadata"})
_SCALAR_COLUMNS = frozenset({"public"})
# Keys that are texts in every suite: a number is read by the suite's language, not by JSON's.
_WRITTEN_KEYS = frozenset({"number", "match", "choice", "label"})


def node_of_cells(cells: Mapping[str, object], file: PurePath | str, line: int) -> Node:
    """Give a row as the mapping of an item's fields; empty cells are absent."""
    fields: dict[str, Node] = {}
    parts: dict[str, dict[str, Node]] = {}
    for column, cell in cells.items():
        if cell is None or (isinstance(cell, str) and not cell.strip()):
            continue
        name, dot, part = column.partition(".")
        if dot:
            parts.setdefault(name, {})[part] = _part(name, part, cell, file, line)
        else:
            fields[name] = _whole(name, cell, file, line)
    for name, entries in parts.items():
        if name in fields:
            raise SuiteError(
                f"both `{name}` and `{name}.{next(iter(entries))}` are filled",
                mend="keep one of them",
                file=file,
                line=line,
                field=name,
            )
        fields[name] = Node(entries, line)
    return Node(fields, line)


def _whole(name: str, cell: object, file: PurePath | str, line: int) -> Node:
    if not isinstance(cell, str):
        return _typed(name, cell, file, line)
    if name in _SCALAR_COLUMNS:
        return read_scalar(cell.strip().lower(), line)
    if name in _JSON_COLUMNS:
        return _json(name, cell, file, line)
    return Node(cell, line, cell)


def _part(name: str, part: str, cell: object, file: PurePath | str, line: int) -> Node:
    if not isinstance(cell, str):
        return _typed(f"{name}.{part}", cell, file, line)
    if name != "expect" or part in _WRITTEN_KEYS:
        return Node(cell, line, cell)
    if cell.lstrip()[0] not in "[{":
        return Node(cell, line, cell) if part == "text" else read_scalar(cell.strip(), line)
    try:
        return _json(f"{name}.{part}", cell, file, line)
    except SuiteError:
        if part == "text":
            return Node(cell, line, cell)
        raise


def _json(name: str, cell: str, file: PurePath | str, line: int) -> Node:
    try:
        return read_json(cell, file, line)
    except SuiteError as error:
        mend = 'write JSON, for instance {"number": 3}, or use columns such as `expect.number`'
        raise SuiteError(error.problem, mend=mend, file=file, line=line, field=name) from None


def _typed(name: str, cell: object, file: PurePath | str, line: int) -> Node:
    """Turn a typed value into nodes: floats become the decimals they are written as."""
    try:
        return node_of(_plain(cell), line)
    except (TypeError, ValueError) as error:
        problem = f"this cell is not taken: {error}"
        raise SuiteError(problem, file=file, line=line, field=name) from None


def _plain(cell: object) -> object:
    """Fields that are null inside a record are absent: a column of records has them all."""
    if isinstance(cell, Mapping):
        return {name: _plain(each) for name, each in cell.items() if each is not None}
    if isinstance(cell, list | tuple):
        return [_plain(each) for each in cell]
    if isinstance(cell, float):
        value = Decimal(repr(cell))
        if not value.is_finite():
            raise ValueError(f"{quoted(cell)} is not a finite number")
        return int(value) if value == value.to_integral_value() else value
    return cell.isoformat() if isinstance(cell, date) else cell
