"""Keeps a spreadsheet from running what a model wrote.

A cell that begins with one of `= + - @`, their full-width forms, a tab or a line end is taken as a
formula by spreadsheet programs, in quotes or not. An apostrophe before it makes it a text. A cell
that begins with an apostrophe gets one more, so that taking one off gives what was there.
Plain numbers stay as they are.
"""

import re

__all__ = ["guarded", "unguarded"]

_FIRST = "=+-@＝＋－＠\t\r\n'"
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?", re.ASCII)


def guarded(text: str) -> str:
    """Give a text that no spreadsheet runs."""
    if text[:1] in _FIRST and text and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def unguarded(text: str) -> str:
    """Give the text that was guarded."""
    if text[:1] == "'" and text[1:2] and text[1] in _FIRST:
        return text[1:]
    return text
