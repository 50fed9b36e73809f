"""Where a table of items stands and which of its columns are meant."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["HUB", "Table"]

HUB = "hf:"


@dataclass(frozen=True, slots=True)
class Table:
    """A table of items.

    place: a file, or `hf:owner/name`, or `hf:` and the folder of a data set saved on disk.
    columns: item field to column; empty where the columns are named after the fields. With a map
    no other columns are read. A column `a.b` is the part `b` of the record `a`.
    """

    place: Path | str
    columns: Mapping[str, str] = field(default_factory=dict)
    split: str | None = None
    config: str | None = None
    revision: str | None = None
