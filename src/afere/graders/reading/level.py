"""A text in one case and without accents, every character in its place."""

import unicodedata

__all__ = ["level"]


class _Bases(dict[int, str]):
    """Maps a character to its lower-case base letter, or to itself."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        parts = unicodedata.normalize("NFD", char)
        base = (
            parts[0]
            if len(parts) > 1 and all("\u0300" <= c <= "\u036f" for c in parts[1:])
            else char
        )
        low = base.lower()
        self[code] = found = low if len(low) == 1 else base
        return found


_BASES = _Bases()


def level(text: str) -> str:
    """Fold case and accents of a composed text, keeping its length."""
    return text.lower() if text.isascii() else text.translate(_BASES)
