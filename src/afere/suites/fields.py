"""Takes the fields of a mapping one at a time, each with its check and its place."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePath
from typing import Any

from afere.domain import SuiteError
from afere.suites.node import Node, nearest, plain, quoted

__all__ = ["Fields"]

_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one mapping; every refusal names file, line and field.

    path: what stands before a field's name in messages, `items.p01` for instance.
    """

    nodes: Mapping[str, Node]
    file: PurePath | str | None
    line: int | None
    path: str = ""

    @classmethod
    def of(cls, node: Node, file: PurePath | str | None, path: str = "") -> "Fields":
        """Open a mapping; raises SuiteError where the node is something else."""
        if not isinstance(node.value, dict):
            raise SuiteError(
                f"a mapping of fields is due here, not {_kind(node)}",
                mend="write `name: value` lines",
                file=file,
                line=node.line,
                field=path or None,
            )
        return cls(node.value, file, node.line, path)

    def refuse_unknown(self, known: tuple[str, ...]) -> None:
        """Raise SuiteError for the first field that is not known, with the nearest right name."""
        for name, node in self.nodes.items():
            if name not in known:
                close = nearest(name, known)
                mend = f"did you mean `{close}`?" if close else f"known are: {', '.join(known)}"
                raise self.fault(f"unknown field {quoted(name)}", name, mend, node)

    def node(self, name: str) -> Node | None:
        """Give a field's node, None where it is absent or null."""
        node = self.nodes.get(name)
        return None if node is None or node.value is None else node

    def text(self, name: str) -> str | None:
        """Give a text; a number, boolean or date is taken as it is written."""
        node = self.node(name)
        if node is None:
            return None
        text = self.as_text(node, name)
        if not text.strip():
            raise self.fault("this text is empty", name, "write it, or take the field out", node)
        return text

    def date(self, name: str) -> str | None:
        """Give a date of the calendar, or its year, or its year and month, as it is written."""
        text = self.text(name)
        if text is not None and not _is_date(text):
            mend = "write 2025, 2025-03 or 2025-03-01"
            raise self.fault(f"{quoted(text)} is no date", name, mend, self.node(name))
        return text

    def required(self, name: str) -> Node:
        """Give a field that must be there."""
        node = self.node(name)
        if node is None:
            raise self.fault(f"the field `{name}` is missing", name, f"add `{name}: …`")
        return node

    def as_text(self, node: Node, name: str) -> str:
        """Give a scalar as text."""
        if isinstance(node.value, str):
            return node.value
        if isinstance(node.value, dict | tuple):
            raise self.fault(f"a text is due here, not {_kind(node)}", name, "write one text", node)
        return node.written

    def flag(self, name: str) -> bool:
        """Give true or false; false where the field is absent."""
        node = self.node(name)
        if node is None:
            return False
        if not isinstance(node.value, bool):
            raise self.fault("true or false is due here", name, f"write `{name}: true`", node)
        return node.value

    def one_of(self, name: str, allowed: tuple[str, ...]) -> str:
        """Give one of the allowed words; the first where the field is absent."""
        text = self.text(name)
        if text is None:
            return allowed[0]
        if text not in allowed:
            raise self.fault(
                f"{quoted(text)} is none of {', '.join(allowed)}",
                name,
                f"did you mean `{nearest(text, allowed) or allowed[0]}`?",
                self.node(name),
            )
        return text

    def data(self, name: str) -> dict[str, Any]:
        """Give a mapping as plain data; empty where the field is absent."""
        node = self.node(name)
        if node is None:
            return {}
        if not isinstance(node.value, dict):
            mend = f"write `{name}: {{field: value}}`"
            raise self.fault(f"a mapping is due here, not {_kind(node)}", name, mend, node)
        return dict(plain(node, self.file))

    def fault(
        self, problem: str, field: str = "", mend: str = "", node: Node | None = None
    ) -> SuiteError:
        """Make the error for a field of this mapping."""
        line = node.line if node is not None else self.line
        path = ".".join(part for part in (self.path, field) if part)
        return SuiteError(problem, mend=mend, file=self.file, line=line, field=path or None)


def _is_date(text: str) -> bool:
    found = _DATE.fullmatch(text)
    try:
        return found is not None and bool(date(*(int(part or 1) for part in found.groups())))
    except ValueError:
        return False


def _kind(node: Node) -> str:
    if isinstance(node.value, dict):
        return "a mapping"
    if isinstance(node.value, tuple):
        return "a list"
    return f"the value {quoted(node.written)}"
