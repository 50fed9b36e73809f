"""Writings of one text made equal: case, accents, white space."""

import re
import unicodedata
from functools import lru_cache

__all__ = ["fold", "fold_strictly", "level"]

_ACCENTED = re.compile("[\u00c0-\u052f\u1e00-\u1fff]")  # accents and what carries one


def fold(text: str) -> str:
    """Fold case, accents and white space, so that two writings of one word compare equal."""
    if text.isascii():
        return " ".join(text.lower().split())
    text = unicodedata.normalize("NFC", text)
    return " ".join(_ACCENTED.sub(_without_accents, text).casefold().split())


def fold_strictly(text: str) -> str:
    """Fold case and white space but keep accents, composed or not."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def level(text: str) -> str:
    """Fold case and accents of a composed text, every character keeping its place."""
    return text.lower() if text.isascii() else _ACCENTED.sub(_base, text).lower()


def _without_accents(found: re.Match[str]) -> str:
    return _parts(found[0])[0]


def _base(found: re.Match[str]) -> str:
    return _parts(found[0])[1]


@lru_cache(maxsize=4096)
def _parts(char: str) -> tuple[str, str]:
    """Give a character without accents, and the one character that stands for it in its place."""
    parts = unicodedata.normalize("NFD", char)
    bare = "".join(each for each in parts if not "\u0300" <= each <= "\u036f")
    base = bare if len(bare) == 1 else char
    return bare, base if len(base.lower()) == 1 else char
