"""Reads Parquet tables; needs the extra `parquet`."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from afere.domain import SuiteError
from afere.suites.cells import Row

__all__ = ["read_parquet"]

_MOST_BYTES = 1024 * 1024 * 1024
_ROWS_AT_ONCE = 512


def read_parquet(path: Path) -> Iterator[Row]:
    """Give the cells of each row, the number of the row as its line; raises SuiteError."""
    arrow, parquet = _library("pyarrow", path), _library("pyarrow.parquet", path)
    try:
        with parquet.ParquetFile(path) as table:
            _refuse_large(table, path)
            number = 0
            for batch in table.iter_batches(batch_size=_ROWS_AT_ONCE):
                for row in batch.to_pylist():
                    number += 1
                    yield Row(row, number)
    except (arrow.ArrowException, OSError) as error:
        problem = f"this is not Parquet: {str(error).splitlines()[0][:200]}"
        raise SuiteError(problem, mend="write it again as Parquet or CSV", file=path) from error


def _refuse_large(table: Any, path: Path) -> None:  # noqa: ANN401 - pyarrow ships no types
    groups = range(table.metadata.num_row_groups)
    size = sum(table.metadata.row_group(group).total_byte_size for group in groups)
    if size > _MOST_BYTES:
        raise SuiteError("more than 1 GiB when unpacked", mend="split the table", file=path)


def _library(name: str, path: Path) -> Any:  # noqa: ANN401 - pyarrow ships no types
    try:
        return import_module(name)
    except ImportError:
        mend = "pip install 'afere[parquet]'"
        raise SuiteError("reading Parquet needs pyarrow", mend=mend, file=path) from None
