"""Reads the answer out of a reply and judges it: one grader a kind of `expect`.

Graders of code execute it, in a sandbox that they are given and know only by its port.
"""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from afere.domain import (
    EXECUTED_KINDS,
    Grade,
    Grader,
    Item,
    NoSandboxError,
    Reading,
    Response,
    Sandbox,
)

if TYPE_CHECKING:
    from afere.graders.kind import PreparedKind

__all__ = ["builtin", "grade_offline", "grader"]


def builtin(sandbox: Sandbox | None = None) -> Mapping[str, Grader]:
    """Give the built-in graders by the name of their kind; one is loaded when it is asked for.

    sandbox: where answers are executed; without one, keys of code are checked and none is graded.
    """
    return _BUILTIN if sandbox is None else _Builtin(_PLACES, sandbox)


def grade_offline(item: Item, response: Response, reading: Reading) -> Grade:
    """Judge one reply by a built-in grader, without a loop and without executing anything.

    Raises KeyError for a kind that is not built in, AnswerKeyError for a key that cannot be used,
    NoSandboxError for a kind that executes answers.
    """
    kind: PreparedKind[Any] = _BUILTIN[item.expect.kind]
    grade_now: Callable[[Item, Response, Reading], Grade] | None = getattr(kind, "grade_now", None)
    if grade_now is None:
        raise NoSandboxError(f"The grader `{kind.name}` executes answers, and has no sandbox.")
    return grade_now(item, response, reading)


def grader(
    name: str,
    *,
    version: str = "1",
    reads: str = "answer",
    check: Callable[[Any], str | None] | None = None,
) -> Callable[[Callable[..., bool | float]], Grader]:
    """Lift a function of answer and key into a grader: `@grader("palindrome")`.

    Its keyword-only parameters are the options that may stand beside the kind in `expect`; it
    gives true, false or a score between 0 and 1, and what it raises is a fault of the grader.
    reads: `answer`, what the reading rules find; or `reply`, the whole text without reasoning.
    check: gives what is wrong with a key, None where nothing is.
    """
    from afere.graders.plugin import grader as lifting

    return lifting(name, version=version, reads=reads, check=check)


class _Builtin(Mapping[str, "PreparedKind[Any]"]):
    """The kinds, each loaded from its module when it is first asked for."""

    def __init__(
        self, places: Mapping[str, tuple[str, str]], sandbox: Sandbox | None = None
    ) -> None:
        self._places, self._sandbox = places, sandbox
        self._loaded: dict[str, PreparedKind[Any]] = {}

    def __getitem__(self, name: str) -> "PreparedKind[Any]":
        if name not in self._loaded:
            module, kind = self._places[name]
            make = getattr(import_module(f"afere.graders.{module}"), kind)
            self._loaded[name] = make(self._sandbox) if name in _TAKE_SANDBOX else make()
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


_TAKE_SANDBOX = EXECUTED_KINDS | {"regex"}
_PLACES = {
    "number": ("number", "NumberKind"),
    "text": ("text", "TextKind"),
    "contains": ("contains", "ContainsKind"),
    "list": ("list", "ListKind"),
    "set": ("set", "SetKind"),
    "match": ("match", "MatchKind"),
    "regex": ("regex", "RegexKind"),
    "choice": ("choice", "ChoiceKind"),
    "label": ("label", "LabelKind"),
    "json": ("json_value", "JsonKind"),
    "python": ("python", "PythonKind"),
    "shell": ("shell", "ShellKind"),
    "sql": ("sql", "SqlKind"),
}
_BUILTIN = _Builtin(_PLACES)
