"""Reads YAML by the 1.2 core schema into nodes with their lines; nothing in it is ever run.

The parser's events are walked with a stack of our own, so nesting, aliases and size are bounded
before anything is built. Tags other than the core schema's are refused.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import PurePath
from typing import Any

from afere.domain import SuiteError
from afere.suites.node import MOST_DEPTH, Node, Scalar, decimal, quoted, whole

__all__ = ["read_scalar", "read_yaml"]

MOST_VALUES = 2_000_000
MOST_REPEATED = 1_000_000  # values and characters that aliases may repeat in one file

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_BASES = {"0o": 8, "0x": 16}
_TEXT_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})
_PLAIN_TAGS = frozenset(
    f"tag:yaml.org,2002:{kind}" for kind in ("int", "float", "bool", "null", "map", "seq")
)


def read_yaml(text: str, file: PurePath | str | None, *, most_values: int = MOST_VALUES) -> Node:
    """Read one YAML document; raises SuiteError with the line of what cannot be read."""
    import yaml

    builder = _Builder(file, most_values)
    try:
        for event in _events(text):
            builder.take(event)
    except yaml.YAMLError as error:
        raise _translated(error, file) from None
    if builder.root is None:
        raise SuiteError("the file is empty", mend=_FIRST_LINES, file=file)
    return builder.root


def read_scalar(written: str, line: int | None) -> Node:
    """Read one plain scalar by the core schema; a number past all bounds stays a text."""
    try:
        return Node(_resolved(written), line, written)
    except ValueError:
        return Node(written, line, written)


_USE_LINES = "put the items into a folder with suite.yaml and items.jsonl"
_WRITE_OUT = "write the value out"
_FIRST_LINES = "a suite begins with `suite: NAME` and lists its questions under `items:`"


def _events(text: str) -> Iterator[Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    yield from yaml.parse(text, Loader=loader)


@dataclass(slots=True)
class _Frame:
    """A list or mapping that is still open."""

    line: int
    anchor: str | None
    entries: dict[str, Node] | None = None
    elements: list[Node] = field(default_factory=list)
    name: str | None = None
    name_line: int = 0
    weight: int = 1


class _Builder:
    """Builds nodes out of parser events."""

    def __init__(self, file: PurePath | str | None, most_values: int) -> None:
        self.root: Node | None = None
        self._file, self._most_values = file, most_values
        self._open: list[_Frame] = []
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._repeated = self._values = 0

    def take(self, event: Any) -> None:  # noqa: ANN401 - PyYAML's events share no typed base
        """Take the next event of the document."""
        line = event.start_mark.line + 1
        self._values += 1
        if self._values > self._most_values:
            raise self._fault("too many values for a YAML file", line, _USE_LINES)
        match type(event).__name__:
            case "ScalarEvent":
                self._scalar(event, line)
            case "AliasEvent":
                self._alias(event.anchor, line)
            case "SequenceStartEvent" | "MappingStartEvent":
                self._begin(event, line)
            case "SequenceEndEvent" | "MappingEndEvent":
                self._end()
            case "DocumentStartEvent" if self.root is not None:
                raise self._fault("a second document begins", line, "take out the line `---`")

    def _scalar(self, event: Any, line: int) -> None:  # noqa: ANN401 - as in `take`
        written = event.value
        if self._awaits_name():
            self._name(written, line)
            return
        self._refuse_tag(event.tag, line)
        as_text = event.tag in _TEXT_TAGS or not event.implicit[0]
        if event.tag in _PLAIN_TAGS:
            as_text = False
        try:
            value = written if as_text else _resolved(written)
        except ValueError as error:
            raise self._fault(str(error), line, "put it in quotes if it is a text") from None
        self._place(Node(value, line, written), len(written) + 1, event.anchor)

    def _alias(self, anchor: str, line: int) -> None:
        if anchor not in self._anchors:
            raise self._fault(f"nothing before is named {quoted('&' + anchor)}", line, _WRITE_OUT)
        if self._awaits_name():
            raise self._fault("a field's name cannot be an alias", line, _WRITE_OUT)
        node, weight = self._anchors[anchor]
        self._repeated += weight
        if self._repeated > MOST_REPEATED:
            raise self._fault("aliases repeat too much", line, _WRITE_OUT)
        self._place(node._replace(line=line), weight, None)

    def _begin(self, event: Any, line: int) -> None:  # noqa: ANN401 - as in `take`
        if self._awaits_name():
            raise self._fault("a field's name must be a text", line, "write `name: value`")
        self._refuse_tag(event.tag, line)
        if len(self._open) >= MOST_DEPTH:
            raise self._fault(
                f"more than {MOST_DEPTH} levels of lists or mappings", line, "make it flatter"
            )
        entries: dict[str, Node] | None = {} if type(event).__name__[0] == "M" else None
        self._open.append(_Frame(line, event.anchor, entries))

    def _end(self) -> None:
        frame = self._open.pop()
        value = tuple(frame.elements) if frame.entries is None else frame.entries
        self._place(Node(value, frame.line), frame.weight, frame.anchor)

    def _awaits_name(self) -> bool:
        return bool(self._open) and self._open[-1].entries is not None and not self._open[-1].name

    def _name(self, name: str, line: int) -> None:
        frame = self._open[-1]
        if not name:
            raise self._fault("a field without a name", line, "write `name: value`")
        if frame.entries is not None and name in frame.entries:
            first = frame.entries[name].line
            raise self._fault(
                f"{quoted(name)} stands twice, first on line {first}", line, "keep one"
            )
        frame.name, frame.name_line = name, line
        frame.weight += len(name)

    def _place(self, node: Node, weight: int, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = (node, weight)
        if not self._open:
            self.root = node
            return
        frame = self._open[-1]
        frame.weight += weight
        if frame.entries is None:
            frame.elements.append(node)
        else:
            frame.entries[frame.name or ""] = node._replace(line=frame.name_line)
            frame.name = None

    def _refuse_tag(self, tag: str | None, line: int) -> None:
        if tag is not None and tag not in _TEXT_TAGS and tag not in _PLAIN_TAGS:
            raise self._fault(f"the tag {quoted(tag)} is not taken", line, "take the tag out")

    def _fault(self, problem: str, line: int, mend: str) -> SuiteError:
        return SuiteError(problem, mend=mend, file=self._file, line=line)


def _resolved(written: str) -> Scalar:  # noqa: PLR0911 - one return a type of the schema
    """Resolve a plain scalar by the core schema; numbers keep their digits."""
    if written in _NULL:
        return None
    if written in _BOOL:
        return _BOOL[written]
    if not (written[0].isdigit() or written[0] in "+-."):
        return written
    if _INT.fullmatch(written):
        return whole(written, _BASES.get(written[:2], 10))
    if _FLOAT.fullmatch(written):
        return decimal(written)
    if _NOT_FINITE.fullmatch(written):
        return Decimal(written.replace(".", ""))
    return written


def _translated(error: Any, file: PurePath | str | None) -> SuiteError:  # noqa: ANN401 - by library
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = mark.line + 1 if mark is not None else None
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    problem = " ".join(str(problem).split())
    mend = next((mend for part, mend in _MENDS.items() if part in problem), _LOOK)
    column = f", column {mark.column + 1}" if mark is not None else ""
    return SuiteError(f"this is not YAML: {problem}{column}", mend=mend, file=file, line=line)


_LOOK = "look at the indentation and the quotes here and on the lines before"
_MENDS = {
    "mapping values are not allowed": "put a text that holds a colon and a space in quotes",
    "cannot start any token": "put the text in quotes; tabs cannot indent",
    "did not find expected ',' or ']'": "close the list with `]`, and put texts in quotes",
    "did not find expected ',' or '}'": "close the mapping with `}`, and put texts in quotes",
    "could not find expected ':'": "a colon and a space belong after the field's name",
    "control characters are not allowed": "take the control character out",
    "special characters are not allowed": "take the control character out",
}
