"""Writings of one text made equal: case, accents, white space."""

import unicodedata
from functools import lru_cache

__all__ = ["fold", "fold_strictly", "level"]


def fold(text: str) -> str:
    """Fold case, accents and white space, so that two writings of one word compare equal."""
    if text.isascii():
        return " ".join(text.lower().split())
    text = unicodedata.normalize("NFC", text)
    for char in _accented(text):
        text = text.replace(char, _parts(char)[0])
    return " ".join(text.casefold().split())


def fold_strictly(text: str) -> str:
    """Fold case and white space but keep accents, composed or not."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def level(text: str) -> str:
    """Fold case and accents of a composed text, every character keeping its place."""
    if not text.isascii():
        for char in _accented(text):
            text = text.replace(char, _parts(char)[1])
    return text.lower()


def _accented(text: str) -> list[str]:
    """Give the different accents of a text and characters that carry one: there are few."""
    return [
        char for char in set(text) if "\u00c0" <= char <= "\u052f" or "\u1e00" <= char <= "\u1fff"
    ]


@lru_cache(maxsize=4096)
def _parts(char: str) -> tuple[str, str]:
    """Give a character without accents, and the one character that stands for it in its place."""
    parts = unicodedata.normalize("NFD", char)
    bare = "".join(each for each in parts if not "\u0300" <= each <= "\u036f")
    base = bare if len(bare) == 1 else char
    return bare, base if len(base.lower()) == 1 else char
