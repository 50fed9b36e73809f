"""Writes rows as CSV, JSON lines or Parquet; every file is valid UTF-8."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import BinaryIO, Protocol

from afere.domain import UsageError
from afere.exchange.exported import EXPORT_COLUMNS, Cell
from afere.exchange.formulas import guarded

__all__ = ["EXPORT_FORMATS", "RowFile", "export_file"]

_ROWS_AT_ONCE = 2_000
_CHARACTERS_AT_ONCE = 8 * 1024 * 1024


class RowFile(Protocol):
    r"""A file of exported rows being written.

    escaped: how many rows hold a lone surrogate, half of a character that no UTF-8 file can hold;
    it is written as `\ud800` and the like.
    """

    escaped: int

    def write(self, cells: Sequence[Cell]) -> None:
        """Write a row: a cell for each of EXPORT_COLUMNS."""
        ...

    def finish(self) -> None:
        """Write what is left; the file itself stays open."""
        ...


def export_file(file: BinaryIO, kind: str) -> RowFile:
    """Begin a file of exported rows: `csv`, `jsonl` or `parquet` (needs the extra `parquet`).

    In CSV a cell that a spreadsheet would run as a formula has an apostrophe before it (see
    `formulas`). Raises UsageError.
    """
    return _FILES[kind](file)


class _CsvFile:
    def __init__(self, file: BinaryIO) -> None:
        self.escaped = 0
        self._text = io.TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="")
        self._writer = csv.writer(self._text, lineterminator="\r\n")
        self._writer.writerow(EXPORT_COLUMNS)

    def write(self, cells: Sequence[Cell]) -> None:
        self.escaped += not all(_is_whole(cell) for cell in cells)
        self._writer.writerow(
            [guarded(cell) if isinstance(cell, str) else cell for cell in cells],
        )

    def finish(self) -> None:
        self._text.flush()
        self._text.detach()


class _JsonFile:
    def __init__(self, file: BinaryIO) -> None:
        self.escaped = 0
        self._file = file

    def write(self, cells: Sequence[Cell]) -> None:
        row = dict(zip(EXPORT_COLUMNS, cells, strict=True))
        text = json.dumps(row, ensure_ascii=False, allow_nan=False)
        self.escaped += not _is_whole(text)
        # within a JSON text the escape of a lone surrogate is JSON's own
        self._file.write(text.encode("utf-8", "backslashreplace") + b"\n")

    def finish(self) -> None:
        self._file.flush()


class _ParquetFile:
    def __init__(self, file: BinaryIO) -> None:
        self.escaped = 0
        try:
            self._arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
        except ImportError:
            raise UsageError(
                "writing Parquet needs pyarrow\npip install 'afere[parquet]', or --format csv",
            ) from None
        types = {str: self._arrow.string(), int: self._arrow.int64(), float: self._arrow.float64()}
        self._schema = self._arrow.schema(
            [(name, types[kind]) for name, kind in EXPORT_COLUMNS.items()],
        )
        self._writer = parquet.ParquetWriter(file, self._schema)
        self._waiting: list[Sequence[Cell]] = []
        self._characters = 0

    def write(self, cells: Sequence[Cell]) -> None:
        if not all(_is_whole(cell) for cell in cells):
            self.escaped += 1
            cells = [_whole(cell) if isinstance(cell, str) else cell for cell in cells]
        self._waiting.append(cells)
        self._characters += sum(len(cell) for cell in cells if isinstance(cell, str))
        if len(self._waiting) >= _ROWS_AT_ONCE or self._characters >= _CHARACTERS_AT_ONCE:
            self._write_waiting()

    def finish(self) -> None:
        self._write_waiting()
        self._writer.close()

    def _write_waiting(self) -> None:
        if self._waiting:
            columns = [
                self._arrow.array(column, type=kind.type)
                for column, kind in zip(zip(*self._waiting, strict=True), self._schema, strict=True)
            ]
            self._writer.write_batch(self._arrow.record_batch(columns, schema=self._schema))
        self._waiting, self._characters = [], 0


_FILES: Mapping[str, Callable[[BinaryIO], RowFile]] = {
    "csv": _CsvFile,
    "jsonl": _JsonFile,
    "parquet": _ParquetFile,
}
EXPORT_FORMATS = tuple(_FILES)
"""What a run can be exported as; also the endings of the files."""


def _is_whole(cell: Cell) -> bool:
    if not isinstance(cell, str) or cell.isascii():
        return True
    try:
        cell.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _whole(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
