"""Result files: scores made elsewhere, or exported, of one or more models on the same items."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path

from afere.domain import ScoreTable, SuiteError
from afere.exchange.score_faults import several_models
from afere.exchange.score_parquet import read_parquet
from afere.exchange.score_rounds import read_rounds
from afere.exchange.score_texts import read_csv, read_jsonl

__all__ = ["RESULT_SUFFIXES", "read_result", "read_results"]

_READERS: Mapping[str, Callable[[Path, Collection[str] | None], tuple[ScoreTable, ...]]] = {
    ".csv": read_csv,
    ".jsonl": read_jsonl,
    ".parquet": read_parquet,
    ".json": read_rounds,
}
RESULT_SUFFIXES = tuple(_READERS)
"""The endings of the files that may hold results."""


def read_results(
    path: Path,
    *,
    model: str | None = None,
    models: Collection[str] | None = None,
) -> tuple[ScoreTable, ...]:
    """Read a result file: a table for each model in it, or for the model or models asked for.

    Columns: `item`; `score` from 0 to 1, true or false, empty where the answer is lost; and
    `round` (1 without it), `variant`, `category`, `group`, `model` where they are there. CSV (a
    byte order mark, any line ends; separator and decimal comma are found out), JSON lines, Parquet
    (needs the extra `parquet`), or the JSON of rounds (see `read_rounds`). An exported run also
    has `expect_hash` and `input_hash`, by which a changed key or question is seen, and `average`.

    Two rows of one item, round and model with one score count once and are told; with different
    scores they are refused. A table's `notes` say how the file was read, its `warnings` what makes
    the scores less than they seem.

    Raises SuiteError with file, line, field and mend: for a file that cannot be read, a column or
    a model that is not there, and a score that is not a number from 0 to 1.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise SuiteError(
            "is no result file by its name",
            mend=f"result files end in {', '.join(RESULT_SUFFIXES)}",
            file=path,
        )
    return reader(path, models if model is None else (model,))


def read_result(path: Path, *, model: str | None = None) -> ScoreTable:
    """Read the one table of a result file, or that of one model; see `read_results`.

    Raises SuiteError, also where the file holds several models and none is asked for.
    """
    tables = read_results(path, model=model)
    if len(tables) > 1:
        raise several_models([table.model for table in tables], path)
    return tables[0]
