"""Opens a YAML file of settings, such as `models.yaml`, with the same places in its errors."""

from pathlib import Path

from afere.domain import SuiteError
from afere.suites.fields import Fields
from afere.suites.text_file import read_text
from afere.suites.yaml_reader import read_yaml

__all__ = ["read_settings"]

MOST_BYTES = 1_000_000


def read_settings(path: Path) -> Fields:
    """Read a YAML file whose top is a mapping; raises SuiteError with file, line and mend."""
    text = read_text(path, MOST_BYTES)
    if not text.strip():
        raise SuiteError("the file is empty", mend="write `name: value` lines", file=path)
    return Fields.of(read_yaml(text, path), path)
