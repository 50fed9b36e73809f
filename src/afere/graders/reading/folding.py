"""Writings of one text made equal: case, accents, white space."""

import unicodedata

__all__ = ["fold", "fold_strictly", "level"]


def fold(text: str) -> str:
    """Fold case, accents and white space, so that two writings of one word compare equal."""
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFC", text).translate(_FOLDED).split())


def fold_strictly(text: str) -> str:
    """Fold case and white space but keep accents, composed or not."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def level(text: str) -> str:
    """Fold case and accents of a composed text, every character keeping its place."""
    return text.lower() if text.isascii() else text.translate(_LEVELED)


class _Folded(dict[int, str]):
    """Maps a character to its folded form without accents, of any length."""

    def __missing__(self, code: int) -> str:
        parts = unicodedata.normalize("NFD", chr(code))
        folded = "".join(each for each in parts if not _is_accent(each)).casefold()
        if len(self) < _MOST_KEPT:
            self[code] = folded
        return folded


class _Leveled(dict[int, str]):
    """Maps a character to its lower-case base letter, or to itself."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        parts = unicodedata.normalize("NFD", char)
        base = parts[0] if all(_is_accent(each) for each in parts[1:]) else char
        lower = base.lower()
        leveled = lower if len(lower) == 1 else base
        if len(self) < _MOST_KEPT:
            self[code] = leveled
        return leveled


def _is_accent(char: str) -> bool:
    return "\u0300" <= char <= "\u036f"


_MOST_KEPT = 50_000  # characters whose form is remembered
_FOLDED, _LEVELED = _Folded(), _Leveled()
