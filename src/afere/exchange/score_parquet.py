"""Reads result files that are Parquet, columns as buffers; needs the extra `parquet`."""

from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from afere.domain import ScoreTable, SuiteError
from afere.exchange.arrow_columns import Column
from afere.exchange.score_cells import shown
from afere.exchange.score_columns import tables_of
from afere.exchange.score_faults import no_column, no_row
from afere.exchange.score_rows import LABELS
from afere.exchange.score_texts import FIELDS

__all__ = ["read_parquet"]

_MOST_ROWS = 50_000_000
_MOST_BYTES = 4 * 1024 * 1024 * 1024
TEXTS = ("item", "model", *LABELS)


def read_parquet(path: Path, models: Collection[str] | None = None) -> tuple[ScoreTable, ...]:
    """Read a table; raises SuiteError, with the row's number from 1 as its line."""
    arrow, parquet = _library("pyarrow", path), _library("pyarrow.parquet", path)
    try:
        with parquet.ParquetFile(path) as file:
            names = _columns(file.schema_arrow.names, path)
            _refuse_large(file.metadata, path)
        # a text that stands in a million rows is held once
        texts = [names[field] for field in TEXTS if field in names]
        with parquet.ParquetFile(path, read_dictionary=texts) as file:

            def read(field: str) -> Column:
                return file.read(columns=[names[field]]).column(0)

            return tables_of(read, names, path, models)
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        problem = f"this is not Parquet: {shown(str(error), longest=200)}"
        raise SuiteError(problem, mend="write it again as Parquet or CSV", file=path) from None
    finally:
        arrow.default_memory_pool().release_unused()


def _columns(names: Sequence[str], path: Path) -> dict[str, str]:
    """Find the columns that are meant, as they are written in the file."""
    folded = [name.strip().lower() for name in names]
    for field in FIELDS:
        if folded.count(field) > 1:
            raise SuiteError(f"the column {field} stands twice", mend="rename one", file=path)
    for field in ("item", "score"):
        if field not in folded:
            raise no_column(field, names, path)
    return {field: names[folded.index(field)] for field in FIELDS if field in folded}


def _refuse_large(metadata: Any, path: Path) -> None:  # noqa: ANN401 - pyarrow ships no types
    if not metadata.num_rows:
        raise no_row(path)
    size = sum(metadata.row_group(at).total_byte_size for at in range(metadata.num_row_groups))
    if size > _MOST_BYTES or metadata.num_rows > _MOST_ROWS:
        problem = f"more than {_MOST_ROWS:,} rows or 4 GiB when unpacked"
        raise SuiteError(problem, mend="split the table by model", file=path)


def _library(name: str, path: Path) -> Any:  # noqa: ANN401 - pyarrow ships no types
    try:
        return import_module(name)
    except ImportError:
        mend = "pip install 'afere[parquet]'"
        raise SuiteError("reading Parquet needs pyarrow", mend=mend, file=path) from None
