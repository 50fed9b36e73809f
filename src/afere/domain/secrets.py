"""Keeps known secret values out of every text that leaves a border."""

from collections.abc import Iterable

__all__ = ["Secrets"]

_MASK = "[redacted]"
_SHORTEST = 6  # a shorter value would be cut out of ordinary words


class Secrets:
    """The secret values known to a run (keys, header values); replaces them in texts.

    Values shorter than six characters are placeholders, not secrets, and stay.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        kept = {value for value in values if len(value) >= _SHORTEST}
        self._values = sorted(kept, key=len, reverse=True)

    def redact(self, text: str) -> str:
        """Give `text` with each known secret replaced by `[redacted]`."""
        for value in self._values:
            if value in text:
                text = text.replace(value, _MASK)
        return text

    def __repr__(self) -> str:
        return f"Secrets({len(self._values)} values)"
