"""Reads `expect`: the kind, its key, and the options beside it."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from afere.domain import Expect, Grader
from afere.suites.fields import Fields
from afere.suites.node import Node, nearest, plain, quoted

__all__ = ["read_expect"]

# Kinds whose keys are texts: what YAML would read as a boolean or a number is taken as written.
_TEXT_KEYS = frozenset({"text", "contains", "match", "regex", "choice", "label"})
# Kinds whose elements are texts or numbers, but no booleans.
_ELEMENT_KEYS = frozenset({"list", "set"})
_NONE: Mapping[str, Any] = {}  # one for all items: a long suite would hold thousands


def read_expect(fields: Fields, graders: Mapping[str, Grader]) -> Expect:
    """Read the field `expect` of an item; raises SuiteError unless it names exactly one kind."""
    node = fields.required("expect")
    kinds = tuple(graders)
    if not isinstance(node.value, dict):
        raise fields.fault(
            "`expect` names the kind of answer and its key",
            "expect",
            f"write `expect: {{{_guessed_kind(node)}: {node.written or '…'}}}`",
            node,
        )
    named = [name for name in node.value if name in graders]
    if len(named) > 1:
        listed = " and ".join(quoted(name) for name in named)
        raise fields.fault(f"more than one kind: {listed}", "expect", "keep one of them", node)
    if not named:
        raise _unknown(fields, node, kinds)
    kind = named[0]
    key = node.value[kind]
    if key.value is None or (isinstance(key.value, str) and not key.value.strip()):
        raise fields.fault("the key is empty", f"expect.{kind}", "write the right answer", key)
    options = {name: plain(each, fields.file) for name, each in node.value.items() if name != kind}
    return Expect(kind=kind, key=_key(kind, key, fields), options=options or _NONE)


def _unknown(fields: Fields, node: Node, kinds: tuple[str, ...]) -> Exception:
    names = tuple(node.value) if isinstance(node.value, dict) else ()
    if not names:
        return fields.fault("`expect` is empty", "expect", f"kinds are: {', '.join(kinds)}", node)
    close = next((near for name in names if (near := nearest(name, kinds))), None)
    return fields.fault(
        f"unknown kind {quoted(names[0])}",
        "expect",
        f"did you mean `{close}`?" if close else f"kinds are: {', '.join(kinds)}",
        node,
    )


def _guessed_kind(node: Node) -> str:
    return "number" if isinstance(node.value, int | Decimal) else "text"


def _key(kind: str, node: Node, fields: Fields) -> Any:  # noqa: ANN401 - a key has any shape
    if kind in _TEXT_KEYS:
        return _as_written(node, everything=True)
    if kind in _ELEMENT_KEYS:
        return _as_written(node, everything=False)
    return plain(node, fields.file)


def _as_written(node: Node, *, everything: bool) -> Any:  # noqa: ANN401 - a key has any shape
    value = node.value
    if isinstance(value, dict):
        return {name: _as_written(each, everything=everything) for name, each in value.items()}
    if isinstance(value, tuple):
        return [_as_written(each, everything=everything) for each in value]
    number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    if number and not everything and not (isinstance(value, Decimal) and not value.is_finite()):
        return value
    return value if isinstance(value, str) else node.written
