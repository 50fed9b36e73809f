"""Whole words and phrases in a text, in any case and white space."""

import re

__all__ = ["phrase_pattern"]


def phrase_pattern(phrase: str) -> re.Pattern[str]:
    r"""Build the pattern of a phrase: literal, white space free, never inside a word or number.

    A Chinese word stands anywhere; a Latin word or a number between Chinese characters is whole.
    """
    words = r"\s+".join(re.escape(word) for word in phrase.split())
    return re.compile(_left(phrase) + words + _right(phrase))


def _left(phrase: str) -> str:
    first = phrase[:1]
    if _is_cjk(first):
        return ""
    if first.isdigit():
        return rf"(?<![{_LETTERS}])(?<![0-9][.,:])"
    if first.isalnum() or first == "_":
        return rf"(?<![{_LETTERS}])"
    if first == "." and phrase[1:2].isalpha():
        return ""  # the ending of a file name
    return rf"(?<![{_LETTERS}])(?<!{re.escape(first)})"


def _right(phrase: str) -> str:
    last = phrase[-1:]
    if _is_cjk(last):
        return ""
    if last.isdigit():
        return rf"(?![{_LETTERS}])(?![.,:][0-9])"
    if last.isalnum() or last == "_":
        return rf"(?![{_LETTERS}])"
    return rf"(?!{re.escape(last)})"


_LETTERS = r"0-9A-Za-z_À-ÖØ-öø-\u2dff"


def _is_cjk(char: str) -> bool:
    return char >= "\u2e80"
