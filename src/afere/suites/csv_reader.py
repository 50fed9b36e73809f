"""Reads CSV as spreadsheets write it, and says where in plain words when its quoting is broken.

A quote stands only at the ends of a cell, or doubled inside a quoted one: a row is complete when
its quotes are even, which keeps reading linear however long a cell is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from afere.domain import Sentence, SuiteError
from afere.suites.cells import Row
from afere.suites.node import quoted
from afere.suites.text_file import read_lines

__all__ = ["read_csv"]

_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_LONGEST_ROW = 8 * 1024 * 1024
_QUOTED = re.compile(r'"([^"]*(?:""[^"]*)*)"')
_DECLARED = re.compile(r"sep=(.)\s*", re.IGNORECASE)
_DOUBLED = "put the whole cell in quotes, and write each quote inside it twice"


def read_csv(path: Path, warnings: list[Sentence]) -> Iterator[Row]:
    """Give the cells of each row; the separator that was found is told among the warnings."""
    rows = _rows(path)
    first = next(rows, None)
    if first is None:
        raise SuiteError("the file is empty", mend="begin with a row of column names", file=path)
    declared = _DECLARED.fullmatch(first.text)
    header = next(rows, None) if declared else first
    if header is None:
        mend = "write the column names after the line `sep=`"
        raise SuiteError("no row of column names", mend=mend, file=path, line=2)
    separator = declared[1] if declared else _separator(header)
    warnings.append(
        Sentence(
            "{file}: cells are separated by {name}",
            file=path.name,
            name=_SEPARATORS.get(separator, quoted(separator)),
        )
    )
    columns = _columns(header, separator)
    for row in rows:
        cells = row.cells(separator)
        if any(cells):
            yield Row(_named(columns, cells, row), row.line)


@dataclass(frozen=True, slots=True)
class _Line:
    """The characters of one row, its line end taken off."""

    text: str
    path: Path
    line: int

    def cells(self, separator: str) -> list[str]:
        """Split into cells; line ends inside a cell become single line feeds."""
        if '"' not in self.text:
            return [cell.strip() for cell in self.text.split(separator)]
        cells, place = [], 0
        while True:
            cell, place = self._cell(place, separator)
            cells.append(cell)
            if place >= len(self.text):
                return cells
            place += 1
            if place == len(self.text):
                return [*cells, ""]

    def _cell(self, start: int, separator: str) -> tuple[str, int]:
        """Read the cell that begins at `start`; give it and where it ends."""
        opening = start
        while self.text[opening : opening + 1] == " ":
            opening += 1
        found = _QUOTED.match(self.text, opening)
        if found is None:
            end = self.text.find(separator, start)
            end = len(self.text) if end < 0 else end
            cell = self.text[start:end]
            if '"' in cell:
                at = start + cell.index('"')
                raise self.fault("a quote inside a cell that is not quoted", at, _DOUBLED)
            return cell.strip(), end
        end = found.end()
        while self.text[end : end + 1] == " ":
            end += 1
        if end < len(self.text) and self.text[end] != separator:
            raise self.fault("the cell goes on after its closing quote", end, _DOUBLED)
        return found[1].replace('""', '"').replace("\r\n", "\n"), end

    def fault(self, problem: str, at: int, mend: str) -> SuiteError:
        """Make the error for a character of this row, counting lines and columns from 1."""
        before = self.text[:at]
        line = self.line + before.count("\n")
        column = at - (before.rfind("\n") + 1) + 1
        return SuiteError(f"column {column}: {problem}", mend=mend, file=self.path, line=line)


def _rows(path: Path) -> Iterator[_Line]:
    """Join lines while a quote is open; rows without a character are passed over."""
    waiting: list[str] = []
    begun, quotes, length = 1, 0, 0
    for number, text in read_lines(path):
        if not waiting:
            begun, quotes, length = number, 0, 0
        waiting.append(text)
        quotes += text.count('"')
        length += len(text)
        if quotes % 2 and length <= _LONGEST_ROW:
            continue
        row = _Line(_without_line_end("".join(waiting)), path, begun)
        if quotes % 2:
            raise _unclosed(row)
        waiting = []
        if row.text.strip():
            yield row
    if waiting:
        raise _unclosed(_Line("".join(waiting), path, begun))


def _without_line_end(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")


def _unclosed(row: _Line) -> SuiteError:
    opened = row.text.index('"')
    return row.fault("from this quote on, one quote is never closed", opened, _DOUBLED)


def _separator(header: _Line) -> str:
    """Find the separator that stands most often in the header."""
    if "\r" in header.text:
        mend = "save the file as CSV UTF-8"
        raise header.fault("a line end of old Mac files", header.text.index("\r"), mend)
    outside = _QUOTED.sub("", header.text)
    counts = {separator: outside.count(separator) for separator in _SEPARATORS}
    best = max(counts, key=lambda separator: counts[separator])
    if not counts[best]:
        names = ", ".join(_SEPARATORS.values())
        raise header.fault(f"no separator found ({names})", 0, "columns: id, input, expect")
    return best


def _columns(header: _Line, separator: str) -> list[str]:
    columns = [name.strip() for name in header.cells(separator)]
    for place, name in enumerate(columns):
        if name and name in columns[:place]:
            problem = f"the column {quoted(name)} stands twice"
            raise SuiteError(problem, mend="rename one", file=header.path, line=header.line)
    return columns


def _named(columns: list[str], cells: list[str], row: _Line) -> dict[str, str]:
    if len(cells) != len(columns):
        raise SuiteError(
            f"{len(cells)} cells where the header has {len(columns)}",
            mend="a cell that holds the separator, a quote or a line end must stand in quotes, "
            "its own quotes doubled",
            file=row.path,
            line=row.line,
        )
    for place, (name, cell) in enumerate(zip(columns, cells, strict=True), 1):
        if not name and cell:
            problem = f"cell {place} has no column name"
            raise SuiteError(problem, mend="name it in the header", file=row.path, line=row.line)
    return {name: cell for name, cell in zip(columns, cells, strict=True) if name}
