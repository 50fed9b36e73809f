"""Texts of servers made fit for one line on a terminal."""

import re

__all__ = ["one_line", "words_of"]

_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,300})<", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,500}>")
_LOOKED_AT = 4000
_SHOWN = 200


def one_line(text: str, most: int = _SHOWN) -> str:
    """Give the text on one line without control characters, cut to so many characters."""
    text = text[:_LOOKED_AT]
    shown = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def words_of(body: str) -> str:
    """Give what a page says: its title where it is HTML, else its beginning, on one line."""
    body = body[:_LOOKED_AT]
    title = _TITLE.search(body)
    return one_line(title[1] if title else _TAG.sub(" ", body))
