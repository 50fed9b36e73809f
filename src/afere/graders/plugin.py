"""Graders out of plain functions, for plugins.

The function takes the answer and the key, its keyword-only parameters are the options that may
stand beside the kind, and it gives true, false or a score between 0 and 1.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from afere.domain import AnswerKeyError, Item, Outcome, Reading
from afere.graders.kind import Judgement, Key, Kind, ReadKind
from afere.graders.reading.code import fences
from afere.graders.reading.form import core, plain
from afere.graders.reading.markers import Marked
from afere.graders.reading.reply import Reply
from afere.graders.reading.rules import Reader
from afere.graders.reading.shape import Shape, looks_like_answer

__all__ = ["grader"]

Check = Callable[[Any], str | None]
Judge = Callable[..., bool | float]

WHOLE_REPLY = "reply"
_SHAPE = Shape(["a line of some five words"])


def grader(
    name: str,
    *,
    version: str = "1",
    reads: str = "answer",
    check: Check | None = None,
) -> Callable[[Judge], "FunctionKind | ReplyFunctionKind"]:
    """Lift a function into a grader of that name.

    version: to be raised whenever a judgement may change.
    reads: `answer`, what the reading rules find; or `reply`, the whole text without reasoning.
    check: gives what is wrong with a key, None where nothing is.
    A function that raises, or gives what is no score, is a fault of the grader, never a score.
    """
    kinds: dict[str, type[FunctionKind | ReplyFunctionKind]] = {
        "answer": FunctionKind,
        "reply": ReplyFunctionKind,
    }
    if reads not in kinds:
        raise ValueError(f"reads is `answer` or `reply`, not {reads!r}")
    return lambda judge: kinds[reads](judge, name=name, version=version, check=check)


class _Lifted:
    """What both kinds of lifted graders share."""

    def __init__(self, judge: Judge, *, name: str, version: str, check: Check | None) -> None:
        super().__init__()
        self.name, self.version = name, version
        self.function, self._check_key = judge, check
        options = inspect.signature(judge).parameters.values()
        self.settings: Mapping[str, str] = {
            each.name: "" for each in options if each.kind is inspect.Parameter.KEYWORD_ONLY
        }
        self.__doc__ = judge.__doc__

    def __call__(self, *values: Any, **options: Any) -> bool | float:  # noqa: ANN401 - as the function
        """Call the plain function."""
        return self.function(*values, **options)

    def check_key(self, item: Item) -> None:
        """Raise AnswerKeyError where the plugin finds fault with the key."""
        problem = self._check_key(item.expect.key) if self._check_key else None
        if problem:
            raise AnswerKeyError(problem)

    def score(self, answer: str, item: Item) -> float:
        """Give the function's score; raises ValueError for what is none."""
        given = self.function(answer, item.expect.key, **item.expect.options)
        if not isinstance(given, bool | int | float) or not 0 <= given <= 1:
            raise ValueError(f"the grader `{self.name}` gave {given!r}, no score between 0 and 1")
        return float(given)


class FunctionKind(_Lifted, ReadKind[str]):
    """A function that judges the answer that was read."""

    settings: Mapping[str, str]  # type: ignore[misc] # of each function, not of the class

    def prepare(self, item: Item, reading: Reading) -> Key[str]:  # noqa: ARG002 - the same in all
        """Check the key."""
        self.check_key(item)
        return _Key(reader=_Reader(), judge=lambda answer: self.score(answer, item))


class ReplyFunctionKind(_Lifted, Kind[None]):
    """A function that judges the whole reply."""

    settings: Mapping[str, str]  # type: ignore[misc] # of each function, not of the class

    def prepare(self, item: Item, reading: Reading) -> None:  # noqa: ARG002 - the same in all
        """Check the key."""
        self.check_key(item)

    def judge(self, item: Item, reply: Reply, reading: Reading, key: None) -> Judgement:  # noqa: ARG002
        """Judge the whole text; a cut one is truncated."""
        if reply.cut:
            return Judgement(outcome=Outcome.TRUNCATED)
        text = reply.text.strip()
        return Judgement.of(self.score(text, item), read=text, rule=WHOLE_REPLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key(Key[str]):
    reader: "_Reader"
    judge: Callable[[str], float]

    def score(self, value: str) -> float:
        return self.judge(value)


@dataclass(frozen=True, slots=True)
class _Reader(Reader[str]):
    """Reads any short text: at a marker, alone, or on a line of its own."""

    longest: ClassVar[int] = 10**9

    def view(self, text: str) -> str:
        return text.strip()

    def marked(self, marked: Marked) -> str | None:
        return core(plain(marked.line)) or None

    def exact(self, text: str) -> str | None:
        fenced = fences(text)
        if len(fenced) == 1:
            return fenced[0]
        seen = plain(text)
        return core(seen) if seen and "\n" not in seen else None

    def line(self, text: str) -> str | None:
        seen = plain(text)
        return core(seen) if looks_like_answer(seen, _SHAPE) else None
