"""What every reader of suite files gives: values that remember where they stand."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from pathlib import PurePath
from typing import Any, NamedTuple

from afere.domain import SuiteError

__all__ = [
    "MOST_DEPTH",
    "MOST_DIGITS",
    "Node",
    "decimal",
    "nearest",
    "node_of",
    "plain",
    "quoted",
    "whole",
]

Scalar = None | bool | int | Decimal | str
File = PurePath | str | None

MOST_DEPTH = 100
MOST_DIGITS = 1000  # a longer number is no answer key, and its arithmetic grows without bound
_SHOWN = 60


class Node(NamedTuple):
    """A value of a suite file.

    value: a scalar, a tuple of nodes (a list), or a dictionary of nodes.
    line: counted from 1; for the value of a field the line of the field's name.
    written: a scalar's characters as they stand in the file.
    """

    value: "Scalar | tuple[Node, ...] | dict[str, Node]"
    line: int | None = None
    written: str = ""


def plain(node: Node, file: File = None) -> Any:  # noqa: ANN401 - plain data of any shape
    """Give a node as plain JSON data; raises SuiteError for a number that is not finite."""
    value = node.value
    if isinstance(value, dict):
        return {name: plain(each, file) for name, each in value.items()}
    if isinstance(value, tuple):
        return [plain(each, file) for each in value]
    if isinstance(value, Decimal) and not value.is_finite():
        raise SuiteError(
            f"{node.written} is not a finite number",
            mend="write a number, or put the text in quotes",
            file=file,
            line=node.line,
        )
    return value


def node_of(value: object, line: int | None = None, depth: int = 0) -> Node:
    """Turn plain data into nodes that all stand on one line.

    Raises ValueError past `MOST_DEPTH` levels, TypeError for what is no plain data.
    """
    if depth > MOST_DEPTH:
        raise ValueError(f"more than {MOST_DEPTH} lists or mappings in one another")
    if isinstance(value, Mapping):
        below = {str(name): node_of(each, line, depth + 1) for name, each in value.items()}
        return Node(below, line)
    if isinstance(value, list | tuple):
        return Node(tuple(node_of(each, line, depth + 1) for each in value), line)
    if isinstance(value, bool):
        return Node(value, line, "true" if value else "false")
    if value is None or isinstance(value, str | int | Decimal):
        return Node(value, line, "null" if value is None else str(value))
    raise TypeError(f"{type(value).__name__} has no place in a suite")


def whole(written: str, base: int = 10) -> int:
    """Read a whole number; raises ValueError where it is longer than `MOST_DIGITS`."""
    if len(written) > MOST_DIGITS:
        raise ValueError(f"a number of more than {MOST_DIGITS} digits")
    return int(written, base)


def decimal(written: str) -> Decimal:
    """Read a decimal number with its written digits; raises ValueError past `MOST_DIGITS`."""
    try:
        value = Decimal(written)
    except InvalidOperation:
        raise ValueError("a number beyond all bounds") from None
    if value.is_finite() and (len(written) > MOST_DIGITS or abs(value.adjusted()) > MOST_DIGITS):
        raise ValueError(f"a number of more than {MOST_DIGITS} digits")
    return value


def quoted(text: object) -> str:
    """Give a name out of a file for a message: cut, on one line, in back-ticks."""
    clean = "".join(each if each.isprintable() else "?" for each in str(text)[: _SHOWN + 1])
    return f"`{clean[:_SHOWN]}…`" if len(clean) > _SHOWN else f"`{clean}`"


def nearest(name: str, known: "tuple[str, ...]") -> str | None:
    """Give the known name that is most like `name`, None where none is."""
    from difflib import get_close_matches

    by_fold = {each.casefold(): each for each in known}
    close = get_close_matches(name[:_SHOWN].casefold(), by_fold, n=1, cutoff=0.6)
    return by_fold[close[0]] if close else None
