"""Texts of any characters in columns that hold ordinary ones.

No database keeps a lone surrogate, and PostgreSQL keeps no NUL. Such a character is written as
U+FDD0 (no character, reserved for uses like this one) and its four hexadecimal digits; U+FDD0
itself likewise. Every other text stands in its column as it is.
"""

import re

__all__ = ["from_column", "to_column"]

_MARK = "\ufdd0"
_ODD = re.compile(r"[\x00\ud800-\udfff\ufdd0]")
_MARKED = re.compile(_MARK + "([0-9a-f]{4})")


def to_column(text: str) -> str:
    """Give the text as a column can hold it."""
    if "\0" in text or _MARK in text or not _is_ordinary(text):
        return _ODD.sub(lambda found: f"{_MARK}{ord(found[0]):04x}", text)
    return text


def from_column(text: str) -> str:
    """Give back the text that `to_column` was given."""
    if _MARK in text:
        return _MARKED.sub(lambda found: chr(int(found[1], 16)), text)
    return text


def _is_ordinary(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
