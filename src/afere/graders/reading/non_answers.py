"""Phrases of somebody who gives no answer: "I don't know", "não sei", "以上都不对"."""

from functools import cache

from afere.graders.reading.folding import level
from afere.graders.reading.language import every_language

__all__ = ["before_non_answer"]

_LONGEST = 300  # characters: a longer text says more than that


def before_non_answer(text: str) -> str | None:
    """Give what stands in a short text before it says that no answer is given, None where not."""
    if len(text) > _LONGEST:
        return None
    said = " ".join(text.replace("’", "'").split())
    leveled = level(said)
    places = [place for phrase in _phrases() if (place := _whole(leveled, phrase)) >= 0]
    return said[: min(places)] if places else None


def _whole(text: str, phrase: str) -> int:
    """Find a phrase that is no part of a longer word, -1 where there is none."""
    place = text.find(phrase)
    while place >= 0:
        before, after = text[place - 1 : place], text[place + len(phrase) :][:1]
        if phrase >= "\u2e80" or not (before.isalnum() or after.isalnum()):
            return place
        place = text.find(phrase, place + 1)
    return -1


@cache
def _phrases() -> tuple[str, ...]:
    """Give all phrases but those that hold another."""
    words = {level(each) for language in every_language() for each in language.non_answers}
    return tuple(sorted(word for word in words if not any(o != word and o in word for o in words)))
