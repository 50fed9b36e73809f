"""Writes an item's key as a model would answer it, so that its own grader can be asked."""

import json
import re
from collections.abc import Callable
from decimal import Decimal

from afere.domain import Expect, Item

__all__ = ["key_replies"]


def key_replies(item: Item) -> list[list[str]]:
    """Give the replies that must be judged right, each with its spellings, one of which must pass.

    Empty for kinds whose key is no answer (a pattern, a schema, tests, a plugin's own).
    """
    make = _REPLIES.get(item.expect.kind)
    return [spellings for spellings in make(item.expect) if spellings[0]] if make else []


def _number(expect: Expect) -> list[list[str]]:
    key = expect.key
    if isinstance(key, int) and expect.options.get("base") == 16:  # noqa: PLR2004 - hexadecimal
        return [[hex(key)]]
    if not isinstance(key, int | Decimal) or isinstance(key, bool):
        return [[str(key)]]
    written = format(key, "f") if isinstance(key, Decimal) else str(key)
    return [[written, written.replace(".", ",")]]


def _text(expect: Expect) -> list[list[str]]:
    keys = expect.key if isinstance(expect.key, list | tuple) else [expect.key]
    return [[str(key)] for key in keys]


def _contains(expect: Expect) -> list[list[str]]:
    if not isinstance(expect.key, dict):
        return _text(expect)
    needed = [str(each) for each in _listed(expect.key.get("all"))]
    some = [str(each) for each in _listed(expect.key.get("any"))]
    return [[" ".join([*needed, *one])] for one in ([[each] for each in some] or [[]])]


def _listed(value: object) -> list[object]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _list(expect: Expect) -> list[list[str]]:
    """Write elements in a row and on lines: a comma inside one makes lines the safer spelling."""
    elements = [
        format(each, "f") if isinstance(each, Decimal) else str(each)
        for each in _listed(expect.key)
    ]
    lines = "\n".join(elements)
    return [[", ".join(elements), lines, lines.replace(".", ",")]]


def _regex(expect: Expect) -> list[list[str]]:
    key = expect.key
    if not isinstance(key, dict):
        return []
    texts = [re.escape(str(each)) for each in _listed(key.get("matches"))]
    return [["^(?:" + "|".join(texts) + ")$"]] if texts else []


def _solution(expect: Expect) -> list[list[str]]:
    """Give the right answer that a key of code brings along, in a fence as models send it."""
    key = expect.key
    own = key.get("query" if expect.kind == "sql" else "solution") if isinstance(key, dict) else ""
    return [[f"```{_TAGS[expect.kind]}\n{own}\n```"]] if own else []


def _json(expect: Expect) -> list[list[str]]:
    key = expect.key
    if not isinstance(key, dict) or "equals" not in key:
        return []
    return [[json.dumps(_floats(key["equals"]), ensure_ascii=False)]]


def _floats(value: object) -> object:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {name: _floats(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_floats(each) for each in value]
    return value


_TAGS = {"python": "python", "shell": "bash", "sql": "sql"}
_REPLIES: dict[str, Callable[[Expect], list[list[str]]]] = {
    "number": _number,
    "text": _text,
    "contains": _contains,
    "list": _list,
    "set": _list,
    "choice": _text,
    "label": _text,
    "regex": _regex,
    "json": _json,
    **dict.fromkeys(_TAGS, _solution),
}
