"""Rows of tables (CSV, JSON lines, Parquet, Hugging Face), their columns mapped to item fields."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import parse_qsl

from afere.domain import Sentence, SuiteError
from afere.suites.beside import file_beside
from afere.suites.cells import Row, node_of_row
from afere.suites.csv_reader import read_csv
from afere.suites.fields import Fields
from afere.suites.jsonl_reader import read_jsonl
from afere.suites.node import Node, nearest, plain, quoted
from afere.suites.table import HUB, Table

__all__ = ["ENDINGS", "items_of", "table_of_field", "table_of_name"]

_SETTINGS = ("from", "split", "config", "revision", "columns")


def table_of_name(source: str) -> Table:
    """Read `hf:owner/name?split=test&input=question&expect.choice=answer`."""
    place, _, query = source.partition("?")
    settings = dict(parse_qsl(query, keep_blank_values=True))
    own = {name: settings.pop(name, None) for name in ("split", "config", "revision")}
    return Table(place=place, columns=settings, **own)


def table_of_field(node: Node, file: Path | str, folder: Path | None) -> Table:
    """Read the field `items` that names a table: a file in the suite's folder, or `hf:…`."""
    fields = Fields.of(node, file, "items")
    fields.refuse_unknown(_SETTINGS)
    place = fields.as_text(fields.required("from"), "from")
    own = {name: fields.text(name) for name in ("split", "config", "revision")}
    columns = {name: str(column) for name, column in fields.data("columns").items()}
    if place.startswith(HUB):
        name = place.removeprefix(HUB)
        if name.count("/") > 1 or name.startswith((".", "/", "~")):
            raise fields.fault(
                "no data set on the hub", "from", "write `hf:owner/name`", fields.node("from")
            )
        return Table(place=place, columns=columns, **own)
    path = file_beside(folder, place)
    if path is None:
        mend = "name a file in the suite's folder or below it, or `hf:owner/name`"
        raise fields.fault(f"no table {quoted(place)}", "from", mend, fields.node("from"))
    if path.suffix.lower() not in ENDINGS:
        listed = ", ".join(ENDINGS)
        mend = f"name a {listed} file"
        raise fields.fault("this file is no table", "from", mend, fields.node("from"))
    return Table(place=path, columns=columns)


def items_of(table: Table, warnings: list[Sentence]) -> Iterator[Node]:
    """Give the fields of each item; what is odd is told among the warnings."""
    if isinstance(table.place, str):
        from afere.suites.hub_reader import read_hub

        rows, columns = read_hub(table)
        return _mapped(rows, columns, table.place, numbered=True)
    read = _READERS[table.place.suffix.lower()]
    if read is _jsonl and not table.columns:
        return read_jsonl(table.place)
    return _mapped(read(table.place, warnings), table.columns, table.place, numbered=False)


def _mapped(
    rows: Iterable[Row], columns: Mapping[str, str], file: Path | str, *, numbered: bool
) -> Iterator[Node]:
    """Name the cells after fields; rows of a data set without ids are numbered from 1."""
    for row in rows:
        cells = row.cells
        if columns:
            cells = {name: _picked(row, column, file) for name, column in columns.items()}
            if "id" not in cells and "id" in row.cells:
                cells["id"] = row.cells["id"]
        if numbered and cells.get("id") is None:
            cells = {**cells, "id": row.line}
        yield node_of_row(Row(cells, row.line), file)


def _picked(row: Row, column: str, file: Path | str) -> object:
    """Find a column by its whole name, or part by part inside records."""
    if column in row.cells:
        return row.cells[column]
    value: object = row.cells
    for part in column.split("."):
        if not isinstance(value, Mapping) or part not in value:
            close = nearest(column, tuple(row.cells))
            listed = f"columns are: {', '.join(row.cells)}"
            raise SuiteError(
                f"no column {quoted(column)}",
                mend=f"did you mean `{close}`?" if close else listed,
                file=file,
                line=row.line,
            )
        value = value[part]
    return value


def _jsonl(path: Path, _warnings: list[Sentence]) -> Iterator[Row]:
    for node in read_jsonl(path):
        cells = plain(node, path)
        if not isinstance(cells, dict):
            mend = "write one object a line"
            raise SuiteError("no JSON object", mend=mend, file=path, line=node.line)
        yield Row(cells, node.line or 0)


def _parquet(path: Path, _warnings: list[Sentence]) -> Iterator[Row]:
    from afere.suites.parquet_reader import read_parquet

    return read_parquet(path)


_READERS: dict[str, Callable[[Path, list[Sentence]], Iterator[Row]]] = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".parquet": _parquet,
}
ENDINGS = tuple(_READERS)
