"""Joins lines into running text: hyphens at line ends, paragraphs, verses."""

import re
from collections.abc import Iterable, Sequence

from afere.exams.page import SOFT_HYPHEN

__all__ = ["PARAGRAPH", "joined", "words_of"]

PARAGRAPH = "\n"  # stands at the end of a line that stops well before its column does
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST = re.compile(r"([^\W\d_]+(?:-[^\W\d_]+)*)-$")
_FIRST = re.compile(r"^[^\W\d_]+")
ENCLITICS = frozenset(
    ("se", "me", "te", "nos", "vos", "lhe", "lhes", "lo", "la", "los", "las", "no", "na", "nas")
)


def words_of(texts: Iterable[str]) -> frozenset[str]:
    """Give the words of a document, small letters, compounds with their hyphens."""
    return frozenset(word for text in texts for word in _WORD.findall(text.lower()))


def joined(lines: Sequence[str], vocabulary: frozenset[str] = frozenset()) -> str:
    """Join lines; one that ends in `PARAGRAPH` keeps its line break.

    A hyphen that the line end made goes, one that belongs to the word stays. Which it is shows in
    the document's other words, where they tell.
    """
    text = ""
    for line in lines:
        body = line.rstrip(PARAGRAPH)
        if not text or text.endswith(PARAGRAPH):
            text += body
        elif text.endswith(SOFT_HYPHEN):
            text = _unhyphenated(text[:-1] + "-", body, vocabulary)
        elif text.endswith("-") and text[-2:-1].isalnum() and body[:1].isalnum():
            text += body
        else:
            text += " " + body
        if line.endswith(PARAGRAPH):
            text += PARAGRAPH
    return text.replace(SOFT_HYPHEN, "-").strip()


def _unhyphenated(text: str, following: str, vocabulary: frozenset[str]) -> str:
    first, last = _FIRST.match(following), _LAST.search(text)
    if first is None or last is None or not following[0].islower():
        return text + following
    head, tail = last[1].lower(), first[0].lower()
    if head + tail in vocabulary:
        return text[:-1] + following
    kept = f"{head}-{tail}" in vocabulary or (tail in ENCLITICS and head in vocabulary)
    return (text if kept else text[:-1]) + following
