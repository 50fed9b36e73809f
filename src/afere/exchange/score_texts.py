"""Reads result files that are text: CSV as spreadsheets write it, and JSON lines."""

import csv
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from afere.domain import ScoreTable, Sentence, SuiteError
from afere.exchange import score_cells as cells
from afere.exchange.formulas import unguarded
from afere.exchange.score_cells import WrongCell, once, shown
from afere.exchange.score_csv_columns import CsvForm, read_large_csv
from afere.exchange.score_faults import no_column
from afere.exchange.score_rows import LABELS, NO_LABELS, Labels, ScoreRows

__all__ = ["FIELDS", "LARGE", "csv_rows_of", "read_csv", "read_jsonl", "text_lines", "wrong"]

FIELDS = ("item", "score", "round", "variant", "model", *LABELS)

_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_LONGEST_LINE = 16 * 1024 * 1024
LARGE = 8 * 1024 * 1024
"""Bytes from which a CSV file is worth reading as columns."""

_MOST_MEMORISED = 10_000
_QUOTE = "put the whole cell in quotes, and write each quote inside it twice"
_ONE_A_LINE = 'write one object a line: {"item": "p01", "score": 1}'
_ONCE = ('"item"', '"score"', '"round"', '"model"')
_OTHER_BOMS = (b"\xff\xfe", b"\xfe\xff")


def read_csv(
    path: Path,
    models: Collection[str] | None = None,
    *,
    large: int = LARGE,
) -> tuple[ScoreTable, ...]:
    """Read a table whose first row names the columns; raises SuiteError.

    A file of `large` bytes is read as columns where that can be done.
    """
    with _long_cells(), _opened(path) as lines:
        number, first = next(
            ((number, line) for number, line in enumerate(lines, 1) if line.strip()), (1, "")
        )
        if not first:
            raise SuiteError(
                "the file is empty", mend="begin with the row: item,score,round", file=path
            )
        declared = first.strip().lower().startswith("sep=") and len(first.strip()) == len("sep=;")
        header = next(lines, "") if declared else first
        separator = first.strip()[-1] if declared else _separator(header)
        note = Sentence(
            "{file}: cells are separated by {name}",
            file=path.name,
            name=_SEPARATORS.get(separator, shown(separator)),
        )
        rows = _numbered(chain([header], lines), separator, path, number + declared)
        line, columns = next(rows)
        table = _Table(path, columns, separator, line)
        if path.stat().st_size >= large and not any("\n" in name for name in columns):
            found = read_large_csv(table.form, models)
            if found is not None:
                return tuple(replace(each, notes=(note,)) for each in found)
        return _csv_rows(table, rows, models, note)


def read_jsonl(path: Path, models: Collection[str] | None = None) -> tuple[ScoreTable, ...]:
    """Read one object a line; raises SuiteError."""
    rows = ScoreRows(path, models)
    with _opened(path) as lines:
        for line, text in enumerate(lines, 1):
            if not text.strip():
                continue
            fields = _object(text, path, line)
            try:
                rows.add(line, *_json_row(fields))
            except WrongCell as fault:
                raise wrong(fault, path, line) from None
    return rows.tables()


@contextmanager
def csv_rows_of(path: Path) -> Iterator[tuple[list[str], int, Iterator[tuple[int, list[str]]]]]:
    """Give the header of a CSV file, its line, and the rows below with theirs; raises SuiteError.

    The separator is found out; names in the header come without white space around them.
    """
    with _long_cells(), _opened(path) as lines:
        number, first = next(
            ((number, line) for number, line in enumerate(lines, 1) if line.strip()), (1, "")
        )
        if not first:
            raise SuiteError("the file is empty", mend="begin with a row of names", file=path)
        declared = first.strip().lower().startswith("sep=") and len(first.strip()) == len("sep=;")
        header = next(lines, "") if declared else first
        separator = first.strip()[-1] if declared else _separator(header)
        rows = _numbered(chain([header], lines), separator, path, number + declared)
        line, names = next(rows)
        yield [name.strip() for name in names], line, rows


@contextmanager
def text_lines(path: Path) -> Iterator[Iterator[str]]:
    """Give the lines of a UTF-8 file; raises SuiteError in plain words."""
    with _opened(path) as lines:
        yield lines


def wrong(fault: WrongCell, path: Path, line: int | None) -> SuiteError:
    """Make the error of a cell, with its place."""
    return SuiteError(fault.problem, mend=fault.mend, file=path, line=line, field=fault.field)


class _Table:
    """Where the columns of a CSV file stand, and how its cells are read."""

    def __init__(self, path: Path, header: Sequence[str], separator: str, line: int) -> None:
        self.path, self.width, self.separator, self.line = path, len(header), separator, line
        names = [name.strip().lower() for name in header]
        for name in FIELDS:
            if names.count(name) > 1:
                problem = f"the column {name} stands twice"
                raise SuiteError(problem, mend="rename one", file=path, line=line)
        for name in ("item", "score"):
            if name not in names:
                raise no_column(name, header, path, line)
        self.places = {name: names.index(name) for name in FIELDS if name in names}
        self.exported = "expect_hash" in self.places
        self.decimal_comma = separator != ","

    @property
    def form(self) -> CsvForm:
        """How the file is written, for the reader of large ones."""
        return CsvForm(
            path=self.path,
            separator=self.separator,
            width=self.width,
            places=self.places,
            lines=self.line,
            score_of=self.score,
        )

    def score(self, cell: str) -> float:
        """Read a score."""
        return cells.score_of_text(cell, decimal_comma=self.decimal_comma)

    def text(self, cell: str) -> str:
        """Read a text; in an exported run it is whole, else without white space around it."""
        return unguarded(cell) if self.exported else cell.strip()


def _numbered(
    lines: Iterable[str],
    separator: str,
    path: Path,
    first: int,
) -> Iterator[tuple[int, list[str]]]:
    """Give the cells of each row with the line on which it begins; raises SuiteError."""
    reader = csv.reader(lines, delimiter=separator, strict=True)
    line = first
    try:
        for row in reader:
            yield line, row
            line = first + reader.line_num
    except csv.Error as error:
        raise SuiteError(f"no CSV: {error}", mend=_QUOTE, file=path, line=line) from None


def _csv_rows(
    table: _Table,
    numbered: Iterator[tuple[int, list[str]]],
    models: Collection[str] | None,
    note: str,
) -> tuple[ScoreTable, ...]:
    rows = ScoreRows(table.path, models)
    item_at, score_at = table.places["item"], table.places["score"]
    marks = _Memory(_mark_reader(table))
    scores = _Memory(lambda found: table.score(found[0]))
    names = _Memory(lambda found: table.text(found[0]))
    labels = _Memory(_label_reader(table))
    mark_at = [table.places[name] for name in ("round", "variant") if name in table.places]
    model_at = [table.places[name] for name in ("model",) if name in table.places]
    label_at = [place for name, place in table.places.items() if name in LABELS]
    for line, row in numbered:
        if len(row) != table.width:
            if not any(cell.strip() for cell in row):
                continue
            raise _other_width(table, row, line)
        try:
            item = table.text(row[item_at])
            if not item:
                cells.id_of("")
            rows.add(
                line,
                item,
                marks(tuple([row[at] for at in mark_at])),
                scores((row[score_at],)),
                labels(tuple([row[at] for at in label_at])) if label_at else NO_LABELS,
                names((row[model_at[0]],)) if model_at else "",
            )
        except WrongCell as fault:
            raise wrong(fault, table.path, line) from None
    return rows.tables((note,))


class _Memory(dict[tuple[str, ...], Any]):
    """Reads each different cell once; most columns hold few."""

    def __init__(self, read: Callable[[tuple[str, ...]], Any]) -> None:
        super().__init__()
        self._read = read

    def __call__(self, found: tuple[str, ...]) -> Any:  # noqa: ANN401 - what the column holds
        return self[found]

    def __missing__(self, found: tuple[str, ...]) -> Any:  # noqa: ANN401 - what the column holds
        value = self._read(found)
        if len(self) < _MOST_MEMORISED:
            self[found] = value
        return value


def _mark_reader(table: _Table) -> Callable[[tuple[str, ...]], tuple[int, int]]:
    names = [name for name in ("round", "variant") if name in table.places]

    def read(found: tuple[str, ...]) -> tuple[int, int]:
        given = dict(zip(names, found, strict=True))
        return (
            cells.round_of_text(given.get("round", "")),
            cells.round_of_text(given.get("variant", ""), "variant", 0),
        )

    return read


def _label_reader(table: _Table) -> Callable[[tuple[str, ...]], Labels]:
    names = [LABELS[name] for name in table.places if name in LABELS]

    def read(found: tuple[str, ...]) -> Labels:
        texts = [table.text(cell) or None for cell in found]
        return Labels(**dict(zip(names, texts, strict=True)))

    return read


def _json_row(
    fields: Mapping[str, Any],
) -> tuple[str, tuple[int, int], float, Labels, str]:
    if "score" not in fields:
        raise WrongCell("score", "there is no score", "write null where the answer is lost")
    given = {name: fields[name] for name in LABELS if name in fields}
    labels = NO_LABELS
    if given:
        labels = Labels(
            **{LABELS[name]: cells.label_of(value, name) for name, value in given.items()}
        )
    return (
        cells.id_of(fields.get("item")),
        (
            cells.round_of(fields.get("round")),
            cells.round_of(fields.get("variant"), "variant", 0),
        ),
        cells.score_of(fields["score"]),
        labels,
        cells.label_of(fields.get("model"), "model") or "",
    )


def _object(text: str, path: Path, line: int) -> Mapping[str, Any]:
    try:
        fields = json.loads(text)
        if any(text.count(name) > 1 for name in _ONCE):  # cheaper than to look at every pair
            json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise SuiteError(f"is no JSON: {error}", file=path, line=line, mend=_ONE_A_LINE) from None
    if not isinstance(fields, dict):
        raise SuiteError("is no JSON object", file=path, line=line, mend=_ONE_A_LINE)
    return fields


def _separator(header: str) -> str:
    """Find the separator that stands most often in the header, outside quotes."""
    outside = "".join(header.split('"')[::2])
    counts = {separator: outside.count(separator) for separator in _SEPARATORS}
    return max(counts, key=lambda separator: counts[separator])


def _other_width(table: _Table, row: Sequence[str], line: int) -> SuiteError:
    return SuiteError(
        f"{len(row)} cells where the header has {table.width}",
        mend="a cell that holds the separator, a quote or a line end must stand in quotes, "
        "its own quotes doubled",
        file=table.path,
        line=line,
    )


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let a cell be as long as a line may be: answers of models are."""
    before = csv.field_size_limit(_LONGEST_LINE)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@contextmanager
def _opened(path: Path) -> Iterator[Iterator[str]]:
    """Give the lines of a UTF-8 file with their ends; raises SuiteError in plain words."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield _lines(file.readline, path)
    except UnicodeDecodeError:
        raise _no_text(path) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise SuiteError(f"cannot be read: {reason}", file=path, mend="name a file") from None


def _lines(readline: Callable[[int], str], path: Path) -> Iterator[str]:
    number = 0
    while text := readline(_LONGEST_LINE):
        number += 1
        if len(text) == _LONGEST_LINE:
            raise SuiteError("the line is too long", mend="split it", file=path, line=number)
        yield text


def _no_text(path: Path) -> SuiteError:
    mend = "save it as UTF-8 (in Excel: CSV UTF-8)"
    with path.open("rb") as file:
        for number, data in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), 1):
            if number == 1 and data.startswith(_OTHER_BOMS):
                return SuiteError("the file is UTF-16, not UTF-8", mend=mend, file=path)
            try:
                data.decode("utf-8")
            except UnicodeDecodeError as error:
                problem = f"byte 0x{data[error.start]:02x} is not UTF-8"
                return SuiteError(problem, mend=mend, file=path, line=number)
    return SuiteError("is no UTF-8 text", mend=mend, file=path)
