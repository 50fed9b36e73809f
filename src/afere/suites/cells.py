"""Turns a row of named cells into the fields of an item.

A column is a field (`id`, `input`, `category`), or a part of one (`expect.number`, `options.A`,
`metadata.page`). The columns `expect`, `options`, `labels` and `metadata` hold JSON.
"""

from collections.abc import Mapping
from pathlib import PurePath

from afere.domain import SuiteError
from afere.suites.jsonl_reader import read_json
from afere.suites.node import Node
from afere.suites.yaml_reader import read_scalar

__all__ = ["node_of_cells"]

_JSON_COLUMNS = frozenset({"expect", "options", "labels", "metadata"})
_SCALAR_COLUMNS = frozenset({"public"})
# Keys that are texts in every suite: a number is read by the suite's language, not by JSON's.
_WRITTEN_KEYS = frozenset({"number", "match", "choice", "label"})


def node_of_cells(cells: Mapping[str, str], file: PurePath | str, line: int) -> Node:
    """Give a row as the mapping of an item's fields; empty cells are absent."""
    fields: dict[str, Node] = {}
    parts: dict[str, dict[str, Node]] = {}
    for column, cell in cells.items():
        if not cell.strip():
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


def _whole(name: str, cell: str, file: PurePath | str, line: int) -> Node:
    if name in _SCALAR_COLUMNS:
        return read_scalar(cell.strip().lower(), line)
    if name in _JSON_COLUMNS:
        return _json(name, cell, file, line)
    return Node(cell, line, cell)


def _part(name: str, part: str, cell: str, file: PurePath | str, line: int) -> Node:
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
