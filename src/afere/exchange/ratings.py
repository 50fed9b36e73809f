"""Tables of answers with a confidence, made elsewhere."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from afere.domain import Provenance, RatedTable, SuiteError
from afere.exchange.rated_parquet import read_rated_parquet
from afere.exchange.rated_rows import FIELDS, RatingForm
from afere.exchange.rated_texts import read_rated_csv, read_rated_json, read_rated_jsonl

__all__ = ["RATING_FIELDS", "RATING_SUFFIXES", "RatingForm", "read_ratings"]

RATING_FIELDS = FIELDS
_READERS: Mapping[str, Callable[[Path, RatingForm], RatedTable]] = {
    ".csv": read_rated_csv,
    ".jsonl": read_rated_jsonl,
    ".json": read_rated_json,
    ".parquet": read_rated_parquet,
}
RATING_SUFFIXES = tuple(_READERS)
"""The endings of the files that may hold answers with a confidence."""


def read_ratings(path: Path, form: RatingForm | None = None) -> RatedTable:
    """Read answers with the confidence of each: CSV, JSON lines, JSON or Parquet.

    Columns: `prediction`, `truth` (or `correct` in place of both), `confidence`; and `id` (or
    `item`), `group`, `category`, `split` (tune or test) where they are there; `form` maps other
    names. A row is right where prediction and truth are the same text. A row without a confidence
    is kept without one.

    Raises SuiteError with file, row, field and mend: for a confidence that is not a number from 0
    to 1, a missing column or right answer, an id that stands twice, and a file without a row.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        mend = f"tables of confidences end in {', '.join(RATING_SUFFIXES)}"
        raise SuiteError("is no table of confidences by its name", mend=mend, file=path)
    table = reader(path, form or RatingForm())
    return replace(table, provenance=Provenance(confidence_from="file"))
