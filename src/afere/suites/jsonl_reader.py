"""Reads JSON and JSON lines into nodes; numbers keep their digits, doubled names are refused."""

import json
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any

from afere.domain import SuiteError
from afere.suites.node import Node, decimal, node_of, quoted, whole
from afere.suites.text_file import read_lines

__all__ = ["read_json", "read_jsonl"]


def read_jsonl(path: Path) -> Iterator[Node]:
    """Give the object of each line; empty lines are passed over. Raises SuiteError."""
    for line, text in read_lines(path):
        if text.strip():
            yield read_json(text, path, line)


def read_json(text: str, file: PurePath | str | None, line: int | None) -> Node:
    """Read one JSON value that stands on one line; raises SuiteError in plain words."""
    try:
        return node_of(_DECODER.decode(text.strip()), line)
    except json.JSONDecodeError as error:
        problem = f"this is not JSON: {error.msg}, column {error.colno}"
        raise SuiteError(problem, mend=_mend(text), file=file, line=line) from None
    except ValueError as error:
        mend = "name each field once, and put what is no plain number in quotes"
        problem = f"this JSON is not taken: {error}"
        raise SuiteError(problem, mend=mend, file=file, line=line) from None
    except RecursionError:
        problem = "too many lists or objects in one another"
        raise SuiteError(problem, mend="make it flatter", file=file, line=line) from None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value] # `add` gives None
        raise ValueError(f"{quoted(twice)} stands twice in one object")
    return fields


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _mend(text: str) -> str:
    if text.lstrip().startswith("["):
        return "in a .jsonl file every line is one object, without a list around them"
    if "'" in text and '"' not in text:
        return "JSON texts stand in double quotes"
    return "every line must be one whole JSON object"


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs,
    parse_int=whole,
    parse_float=decimal,
    parse_constant=_refuse_constant,
)
