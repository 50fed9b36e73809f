"""Joins lines into running text: hyphens at line ends, paragraphs, verses."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from afere.exams.page import SOFT_HYPHEN

__all__ = ["PARAGRAPH", "Wording"]

PARAGRAPH = "\n"  # stands at the end of a line that stops well before its column does
LEAST_BREAKS = 10  # hyphens at line ends that tell a document's habit
SHARE_BROKEN = 0.3
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)-$")
_FIRST = re.compile(r"^[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Wording:
    """A document's words, and whether it breaks them at line ends.

    A hyphen at a line's end is the word's own or the line's; the PDF does not tell. It goes where
    the document has the joined word elsewhere. Else it stays, unless the document breaks words:
    exams set for reading aloud and for screens mostly do not.
    """

    words: frozenset[str] = frozenset()
    breaks_words: bool = False

    @classmethod
    def of(cls, lines: Sequence[str]) -> Self:
        """Learn from all lines of a document, in reading order."""
        words = frozenset(word for line in lines for word in _WORD.findall(line.lower()))
        ends = [pair for pair in map(_parts, *_pairs(lines)) if pair is not None]
        broken = sum(head + tail in words for head, tail in ends)
        habit = len(ends) >= LEAST_BREAKS and broken >= SHARE_BROKEN * len(ends)
        return cls(words, habit)

    def joined(self, lines: Sequence[str]) -> str:
        """Join lines; one that ends in `PARAGRAPH` keeps its line break."""
        text = ""
        for line in lines:
            body = line.rstrip(PARAGRAPH)
            if not text or text.endswith(PARAGRAPH):
                text += body
            elif text.endswith(SOFT_HYPHEN):
                text = self._unbroken(text[:-1] + "-", body)
            elif text.endswith("-") and text[-2:-1].isalnum() and body[:1].isalnum():
                text += body
            else:
                text += " " + body
            if line.endswith(PARAGRAPH) and not text.endswith((SOFT_HYPHEN, "-")):
                text += PARAGRAPH
        return text.replace(SOFT_HYPHEN, "-").strip()

    def _unbroken(self, text: str, following: str) -> str:
        if following.startswith("-"):  # some repeat the hyphen on the new line
            return text + following[1:]
        found = _parts(text, following)
        if found is None:
            return text + following
        head, tail = found
        if head + tail in self.words:
            return text[:-1] + following
        keeps = not self.breaks_words or f"{head}-{tail}" in self.words
        return (text if keeps else text[:-1]) + following


def _pairs(lines: Iterable[str]) -> tuple[list[str], list[str]]:
    """Give the lines that end in a hyphen, and those that follow them."""
    pairs = [
        (line.rstrip(PARAGRAPH)[:-1] + "-", following)
        for line, following in pairwise(lines)
        if line.rstrip(PARAGRAPH).endswith(SOFT_HYPHEN)
    ]
    return [line for line, _ in pairs], [following for _, following in pairs]


def _parts(text: str, following: str) -> tuple[str, str] | None:
    """Give the two halves of a word that a line end cuts, small letters; None for anything else."""
    first, last = _FIRST.match(following), _LAST.search(text)
    if first is None or last is None or not following[0].islower():
        return None
    return last[1].lower(), first[0].lower()
