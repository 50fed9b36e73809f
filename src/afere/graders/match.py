"""`match`: the answer as a whole matches a regular expression of the suite."""

import re
from dataclasses import dataclass
from typing import ClassVar

from afere.domain import AnswerKeyError, Item, Reading
from afere.graders.expressions import Budget, Expression, InvalidExpressionError, UnfinishedError
from afere.graders.kind import Key, ReadKind
from afere.graders.reading.code import fences, without_emphasis
from afere.graders.reading.form import core, plain, unwrapped, verbatim, without_struck
from afere.graders.reading.markers import Marked
from afere.graders.reading.rules import Reader
from afere.graders.reading.shape import Shape, looks_like_answer

__all__ = ["MatchKind"]

_LONGEST_SEEN = 6000  # characters: a longer answer is tried as it is written
_LONGEST = 10**9  # characters: an answer is looked at whole

_SHAPE = Shape(["four words and more"])
_SENTENCE = re.compile(r"\w\s+\w+\s+\w.*[.!?。！？]\s*$")


class MatchKind(ReadKind[str]):
    """Judges whether the whole answer matches; an expression that does not end is our fault."""

    name = "match"
    version = "2"

    def prepare(self, item: Item, reading: Reading) -> "_Key":  # noqa: ARG002 - the same in all
        """Compile the key; raises AnswerKeyError."""
        pattern = item.expect.key
        if not isinstance(pattern, str) or not pattern:
            raise AnswerKeyError(f"{pattern!r} is no expression", mend="Write `match: '[0-9]+'`.")
        try:
            return _Key(reader=_Reader(), expression=Expression(pattern))
        except (InvalidExpressionError, UnfinishedError) as error:
            raise AnswerKeyError(f"{pattern!r} cannot be used: {error}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key(Key[str]):
    reader: "_Reader"
    expression: Expression

    def score(self, value: str) -> float:
        """Try the answer as written, then without the marks round it; raises UnfinishedError."""
        budget = Budget.for_text(len(value))
        return float(any(self.expression.fullmatch(form, budget) for form in _forms(value)))

    def shown(self, value: str) -> str:
        """Show the answer without the marks round it."""
        return core(plain(value[:_LONGEST_SEEN])) or value.strip()


@dataclass(frozen=True, slots=True)
class _Reader(Reader[str]):
    """Reads answers of any kind: a line that is no prose, or the only fence."""

    longest: ClassVar[int] = _LONGEST

    def view(self, text: str) -> str:
        return without_struck(verbatim(text)).strip()

    def marked(self, marked: Marked) -> str | None:
        fenced = fences(marked.rest) if marked.below else []
        return fenced[0] if fenced else without_emphasis(marked.line) or None

    def exact(self, text: str) -> str | None:
        fenced = fences(text)
        if len(fenced) == 1:
            return fenced[0]
        return None if "\n" in text.strip() else text

    def line(self, text: str) -> str | None:
        seen = plain(text)
        is_sentence = _SENTENCE.search(seen) is not None
        return text if looks_like_answer(seen, _SHAPE) and not is_sentence else None


def _forms(text: str) -> list[str]:
    if len(text) > _LONGEST_SEEN:
        return [text, text.strip()]
    seen = plain(text)
    forms = [text.strip("\n"), text.strip(), unwrapped(text), seen, unwrapped(seen), core(seen)]
    return list(dict.fromkeys(form for form in forms if form))
