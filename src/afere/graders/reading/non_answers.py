"""Phrases of somebody who gives no answer: "I don't know", "não sei", "以上都不对"."""

import re
from functools import cache

from afere.graders.reading.language import every_language
from afere.graders.reading.level import level

__all__ = ["non_answer_at"]

_LONGEST = 300


def non_answer_at(text: str) -> int | None:
    """Give the place in a short text where it says that no answer is given, None where not."""
    if len(text) > _LONGEST:
        return None
    found = _pattern().search(level(text.replace("’", "'")))
    return found.start() if found else None


@cache
def _pattern() -> re.Pattern[str]:
    phrases = {level(each) for language in every_language() for each in language.non_answers}
    ordered = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return re.compile("|".join(_whole(phrase) for phrase in ordered))


def _whole(phrase: str) -> str:
    pattern = re.escape(phrase).replace(r"\ ", r"\s+")
    return pattern if phrase >= "\u2e80" else rf"(?<!\w){pattern}(?!\w)"
