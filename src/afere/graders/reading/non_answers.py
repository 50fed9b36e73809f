"""Phrases of somebody who gives no answer: "I don't know", "não sei", "以上都不对"."""

import re
from functools import cache

from afere.graders.reading.language import every_language, fold

__all__ = ["is_non_answer"]

_LONGEST = 300


def is_non_answer(text: str) -> bool:
    """Tell whether a short text says that no answer is given."""
    return len(text) <= _LONGEST and bool(_pattern().search(fold(text.replace("’", "'"))))


@cache
def _pattern() -> re.Pattern[str]:
    phrases = {fold(each) for language in every_language() for each in language.non_answers}
    ordered = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return re.compile("|".join(_whole(phrase) for phrase in ordered))


def _whole(phrase: str) -> str:
    pattern = re.escape(phrase)
    return pattern if phrase >= "\u2e80" else rf"(?<!\w){pattern}(?!\w)"
