"""Reads the answer out of a reply and judges it: one grader a kind of `expect`."""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from afere.domain import Grade, Grader, Item, Reading, Response

if TYPE_CHECKING:
    from afere.graders.kind import Kind

__all__ = ["builtin", "grade_offline", "grader"]


def builtin() -> Mapping[str, Grader]:
    """Give the built-in graders by the name of their kind; one is loaded when it is asked for."""
    return _BUILTIN


def grade_offline(item: Item, response: Response, reading: Reading) -> Grade:
    """Judge one reply by a built-in grader, without a loop.

    Raises KeyError for a kind that is not built in, AnswerKeyError for a key that cannot be used.
    """
    return _BUILTIN[item.expect.kind].grade_now(item, response, reading)


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


class _Builtin(Mapping[str, "Kind[Any]"]):
    """The kinds, each loaded from its module when it is first asked for."""

    def __init__(self, places: Mapping[str, tuple[str, str]]) -> None:
        self._places = places
        self._loaded: dict[str, Kind[Any]] = {}

    def __getitem__(self, name: str) -> "Kind[Any]":
        if name not in self._loaded:
            module, kind = self._places[name]
            self._loaded[name] = getattr(import_module(f"afere.graders.{module}"), kind)()
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


_BUILTIN = _Builtin(
    {
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
    },
)
