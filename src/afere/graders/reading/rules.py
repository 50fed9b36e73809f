"""The reading rules in their order: the first that fires wins, and its name is kept.

marker, whole, last-line; lenient reading goes on with first-line and last-value.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Generic, TypeVar

from afere.domain import Outcome
from afere.graders.reading.excerpt import excerpt
from afere.graders.reading.markers import Marked, last_marker, last_sentence_answer
from afere.graders.reading.non_answers import before_non_answer
from afere.graders.reading.reply import Reply
from afere.graders.reading.run_on import before_next_question

__all__ = [
    "FIRST_LINE",
    "LAST_LINE",
    "LAST_VALUE",
    "MARKER",
    "WHOLE",
    "Found",
    "Missing",
    "Reader",
    "read",
]

MARKER, WHOLE, LAST_LINE, FIRST_LINE, LAST_VALUE = (
    "marker",
    "whole",
    "last-line",
    "first-line",
    "last-value",
)
RUN_ON = "run-on"

V = TypeVar("V")

_LONGEST = 6000  # characters


class Reader(ABC, Generic[V]):
    """Reads values of one kind out of pieces of a text; what a kind cannot do reads nothing.

    longest: the length in characters up to which a reply is looked at whole.
    """

    __slots__ = ()

    longest: ClassVar[int] = _LONGEST

    @abstractmethod
    def view(self, text: str) -> str:
        """See the form of the reply through, as far as the kind allows."""

    @abstractmethod
    def marked(self, marked: Marked) -> V | None:
        """Read the value that stands at a marker."""

    @abstractmethod
    def exact(self, text: str) -> V | None:
        """Read a text that is one answer and nothing else."""

    def line(self, text: str) -> V | None:
        """Read a line among others that is exactly one answer."""
        return self.exact(text)

    def last(self, text: str) -> V | None:
        """Read the last line of a text where it is exactly one answer."""
        return self.line(text.rstrip().rpartition("\n")[2])

    def first(self, text: str) -> V | None:
        """Read the first line of a text where it is exactly one answer."""
        return self.line(text.lstrip().partition("\n")[0])

    def opening(self, text: str) -> V | None:  # noqa: ARG002 - for kinds that can
        """Read the first line of a text where it is an answer with an explanation after it."""
        return None

    def said(self, text: str) -> V | None:  # noqa: ARG002 - for kinds that can
        """Read what follows "the answer is" in a sentence."""
        return None

    def loose(self, text: str) -> V | None:  # noqa: ARG002 - for kinds that can
        """Read the last value of the right kind."""
        return None

    def uncut(self, text: str) -> V | None:  # noqa: ARG002 - for kinds that can
        """Read a cut reply that is wholly an answer and no beginning of another."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Generic[V]):
    """What was read, and by which rule."""

    value: V
    rule: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """No answer was read: unreadable or truncated."""

    outcome: Outcome
    flags: tuple[str, ...] = ()


def read(reply: Reply, reader: Reader[V], *, question: str, strict: bool) -> Found[V] | Missing:
    """Read the answer of a reply by the rules.

    question: the text of the item; where the reply repeats it, no new question begins.
    """
    kept = before_next_question(
        reply.text, question, lambda text, plainly: _has_answer(text, reader, plainly=plainly)
    )
    ran_on = kept is not None
    flags = (RUN_ON,) if ran_on else ()
    text = reply.text if kept is None else kept
    view = reader.view(excerpt(text, reader.longest))
    cut = reply.cut and not ran_on
    if cut and _ENDED.search(text):
        view += "\n"  # the last line, or the mark round its value, was ended before the cut
    found = _by_rules(view, reader, strict=strict, cut=cut)
    if isinstance(found, Missing):
        return Missing(outcome=found.outcome, flags=flags)
    return Found(value=found.value, rule=found.rule, flags=flags)


def _by_rules(text: str, reader: Reader[V], *, strict: bool, cut: bool) -> Found[V] | Missing:
    marked = last_marker(text, lambda line: reader.line(line) is not None, with_empty=cut)
    if marked is not None:
        at_marker = _at_marker(marked, reader, cut=cut)
        if at_marker is not None:
            return at_marker
        text = marked.rest
    if cut:
        value = reader.uncut(text) if marked is None else None
        return _found(value, WHOLE) or Missing(outcome=Outcome.TRUNCATED)
    return _unmarked(text, reader, strict=strict) or Missing(outcome=Outcome.UNREADABLE)


def _at_marker(marked: Marked, reader: Reader[V], *, cut: bool) -> Found[V] | Missing | None:
    """Give the marked value; None where the marker is a heading above the real text."""
    if cut:
        return _found(_uncut_value(marked, reader), MARKER) or Missing(outcome=Outcome.TRUNCATED)
    if _says_nothing(marked.line, reader):
        return Missing(outcome=Outcome.UNREADABLE)
    value = reader.marked(marked)
    if value is not None:
        return _found(value, MARKER)
    more = marked.rest[len(marked.line) :].strip()
    if not more or marked.closed:
        return Missing(outcome=Outcome.UNREADABLE)
    if marked.below:
        return None
    return _found(reader.last(more), LAST_LINE) or Missing(outcome=Outcome.UNREADABLE)


def _uncut_value(marked: Marked, reader: Reader[V]) -> V | None:
    """Read the value of a marker where the cut cannot have touched it."""
    if marked.closed:
        return reader.marked(marked)
    if not marked.ends:
        ended = _SENTENCE_END.search(marked.line)
        line = marked.line[: ended.start()] if ended else ""
        return reader.marked(replace(marked, line=line, rest=line)) if line.strip() else None
    value = reader.marked(marked)
    without_last_line = marked.rest.rpartition("\n")[0]
    shorter = reader.marked(replace(marked, rest=without_last_line))
    return value if value == shorter else None


_ENDED = re.compile(r"(?:\n|(?<=[^\s*_`(\[{])[*_`)\]}>」】”\"]{1,3})[ \t]*$")
_SENTENCE_END = re.compile(r"[.;!?)](?=\s+\S)|[。！？；）](?=\S)")


def _unmarked(text: str, reader: Reader[V], *, strict: bool) -> Found[V] | None:
    if found := _found(reader.exact(text), WHOLE):
        return found
    several = "\n" in text.strip()
    if several and (found := _found(reader.last(text), LAST_LINE)):
        return found
    if strict or (not several and _says_nothing(text, reader)):
        return None
    said = last_sentence_answer(text)
    if said and (found := _found(reader.said(said), MARKER)):
        return found
    asked = text.lstrip().partition("\n")[0].rstrip(" *_").endswith(("?", "？"))
    first = reader.first(text) if several and not asked else None
    first = reader.opening(text) if first is None and not asked else first
    if first is None and several and _says_nothing(text.rstrip().rpartition("\n")[2], reader):
        return None
    return _found(first, FIRST_LINE) or _found(reader.loose(text), LAST_VALUE)


def _has_answer(text: str, reader: Reader[V], *, plainly: bool) -> bool:
    view = reader.view(excerpt(text, reader.longest))
    marked = last_marker(view, lambda line: reader.line(line) is not None)
    return marked is not None or _unmarked(view, reader, strict=plainly) is not None


def _says_nothing(line: str, reader: Reader[V]) -> bool:
    """Tell a non-answer from an answer before a remark that sounds like one."""
    before = before_non_answer(line)
    if before is None or reader.exact(line) is not None:
        return False
    head = before.rstrip(" ,;.-–—:，；。：(（")
    return not head or (reader.exact(head) is None and reader.loose(head) is None)


def _found(value: V | None, rule: str) -> Found[V] | None:
    return None if value is None else Found(value=value, rule=rule)
