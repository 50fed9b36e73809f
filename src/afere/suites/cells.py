"""Turns a row of named cells into the fields of an item.

A cell is a text (CSV) or a typed value (Parquet). A column is a field (`id`, `input`,
`category`), or a part of one (`expect.number`, `options.A`, `metadata.page`). Texts in the
columns `expect`, `options`, `labels` and `metadata` are JSON.
"""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import PurePath
from string import ascii_uppercase
from typing import NamedTuple

from afere.domain import SuiteError
from afere.suites.jsonl_reader import read_json
from afere.suites.node import Node, node_of, quoted
from afere.suites.yaml_reader import read_scalar

__all__ = ["Row", "node_of_row"]

_JSON_COLUMNS = frozenset({"expect", "options", "labels", "metadata"})
_SCALAR_COLUMNS = frozenset({"public"})
# Keys that are texts in every suite: a number is read by the suite's language, not by JSON's.
_WRITTEN_KEYS = frozenset({"number", "match", "choice", "label"})


class Row(NamedTuple):
    """The cells of one row by column, and the line or number of the row."""

    cells: Mapping[str, object]
    line: int


def node_of_row(row: Row, file: PurePath | str) -> Node:
    """Give a row as the mapping of an item's fields; empty cells are absent.

    Options given as a list get the letters A, B, C and so on, and a key that counts them from 0
    its letter; lists named `text` and `label` are options too.
    """
    cells, line = row
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
    _letter_options(fields, line)
    return Node(fields, line)


def _letter_options(fields: dict[str, Node], line: int) -> None:
    options = fields.get("options")
    if options is None:
        return
    texts = options.value
    if isinstance(texts, dict):
        fields["options"] = Node(_paired(texts) or texts, line)
        return
    if not isinstance(texts, tuple) or len(texts) > len(ascii_uppercase):
        return
    letters = ascii_uppercase[: len(texts)]
    fields["options"] = Node(dict(zip(letters, texts, strict=True)), line)
    expect = fields.get("expect")
    if expect is None or not isinstance(expect.value, dict):
        return
    key = expect.value.get("choice")
    if key is not None and type(key.value) is int and 0 <= key.value < len(letters):
        letter = letters[key.value]
        fields["expect"] = Node({**expect.value, "choice": Node(letter, line, letter)}, line)


def _paired(options: dict[str, Node]) -> dict[str, Node] | None:
    """Read options that stand as a list of texts beside a list of letters."""
    texts = options["text"].value if "text" in options else None
    letters = options["label"].value if "label" in options else None
    if not (isinstance(texts, tuple) and isinstance(letters, tuple) and len(options) == 2):  # noqa: PLR2004 - these two
        return None
    return {letter.written: text for letter, text in zip(letters, texts, strict=False)}


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
        mend = "use texts, finite numbers, booleans, lists and records"
        raise SuiteError(problem, mend=mend, file=file, line=line, field=name) from None


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
