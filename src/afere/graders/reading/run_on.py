"""The model's own next question ends its reply; a question repeated before the answer does not."""

import re
from collections.abc import Callable, Iterator
from functools import cache

from afere.graders.reading.folding import fold
from afere.graders.reading.language import every_language

__all__ = ["before_next_question"]

_MOST = 12  # openings that are tried: a bound on the work that a hostile reply can cause
_LONGEST = 60  # characters of a line up to the colon of a question
_ECHO = 60  # characters by which a repeated question is known


def before_next_question(
    text: str, question: str, has_answer: Callable[[str, bool], bool]
) -> str | None:
    """Give the text before the first new question that comes after an answer, None where none does.

    question: the text of the item; its repetition begins a new turn only after a plain answer.
    has_answer: tells whether a text holds an answer; with True, a marked or lone one.
    """
    asked = fold(question)[:_ECHO]
    for start, end in _openings(text):
        before = text[:start].rstrip()
        if not before:
            continue
        repeated = fold(text[end : end + 2 * _ECHO].partition("\n")[0])[:_ECHO]
        is_echo = bool(repeated and asked) and (
            asked.startswith(repeated) or repeated.startswith(asked)
        )
        if has_answer(before, is_echo):
            return before
    return None


def _openings(text: str) -> Iterator[tuple[int, int]]:
    """Give the first places at which a question opens a line, and where its text begins."""
    place, tries = 0, 0
    while tries < _MOST:
        colons = [at for at in (text.find(":", place), text.find("：", place)) if at >= 0]
        if not colons:
            return
        place = min(colons) + 1
        start = text.rfind("\n", max(place - _LONGEST, 0), place) + 1
        if place - start < _LONGEST and _opening().fullmatch(text, start, place):
            tries += 1
            yield start, place


@cache
def _opening() -> re.Pattern[str]:
    words = {word for language in every_language() for word in language.questions}
    ordered = sorted(words, key=lambda word: (-len(word), word))
    latin = "|".join(re.escape(word) for word in ordered if word < "\u2e80")
    han = "|".join(re.escape(word) for word in ordered if word >= "\u2e80")
    return re.compile(
        rf"[ \t*_#>\[(]{{0,12}}(?:(?:{latin})(?:[ \t]*(?:n[ºo°.]?[ \t]*)?[0-9]{{1,3}})?"
        rf"|(?:{han})[ ]?[0-9]{{0,3}})"
        rf"[\])*_ \t]*[:：]",
        re.IGNORECASE,
    )
