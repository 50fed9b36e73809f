"""Reads the answer out of a reply and judges it: one grader a kind of `expect`."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from afere.domain import Grade, Grader, Item, Reading, Response

if TYPE_CHECKING:
    from afere.graders.kind import Kind

__all__ = ["builtin", "grade_offline"]


@cache
def builtin() -> Mapping[str, Grader]:
    """Give the built-in graders by the name of their kind; nothing heavy is loaded."""
    return _kinds()


def grade_offline(item: Item, response: Response, reading: Reading) -> Grade:
    """Judge one reply by a built-in grader, without a loop.

    Raises KeyError for a kind that is not built in, AnswerKeyError for a key that cannot be used.
    """
    return _kinds()[item.expect.kind].grade_now(item, response, reading)


@cache
def _kinds() -> Mapping[str, "Kind[Any]"]:
    from afere.graders.choice import ChoiceKind
    from afere.graders.contains import ContainsKind
    from afere.graders.json_value import JsonKind
    from afere.graders.label import LabelKind
    from afere.graders.list import ListKind
    from afere.graders.match import MatchKind
    from afere.graders.number import NumberKind
    from afere.graders.regex import RegexKind
    from afere.graders.set import SetKind
    from afere.graders.text import TextKind

    kinds: tuple[Kind[Any], ...] = (
        NumberKind(),
        TextKind(),
        ContainsKind(),
        ListKind(),
        SetKind(),
        MatchKind(),
        RegexKind(),
        ChoiceKind(),
        LabelKind(),
        JsonKind(),
    )
    return {kind.name: kind for kind in kinds}
