"""Words of a key that hold signs of markup: a reply that writes them as they are means them so.

The key `A_` beside `c/_` makes the reply `c/_, A_`, in which two underscores look like emphasis.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from afere.graders.reading.form import plain

__all__ = ["KeptWords"]

_SIGNS = "_*~`|$<>&#\\{}"
_PLACES = "".join(chr(0xE010 + place) for place in range(len(_SIGNS)))  # private characters
_HIDE, _SHOW = str.maketrans(_SIGNS, _PLACES), str.maketrans(_PLACES, _SIGNS)
_TAKE_OFF = str.maketrans(dict.fromkeys(map(ord, _PLACES)))


@dataclass(frozen=True, slots=True)
class KeptWords:
    """Sees a reply through, but for certain words where they stand whole."""

    pattern: re.Pattern[str] | None

    @classmethod
    def of(cls, words: Iterable[str]) -> "KeptWords":
        """Keep those of the words that hold a sign of markup."""
        marked = {word.strip() for word in words if any(sign in word for sign in _SIGNS)}
        if not marked:
            return cls(None)
        longest_first = sorted(marked, key=lambda word: (-len(word), word))
        return cls(re.compile("|".join(map(_whole, longest_first)), re.IGNORECASE))

    def plain(self, text: str) -> str:
        """Take all markup off but the signs of the words that are kept."""
        if self.pattern is None:
            return plain(text)
        text = text.translate(_TAKE_OFF)
        return plain(self.pattern.sub(_hidden, text)).translate(_SHOW)


def _whole(word: str) -> str:
    """Build the pattern of a word beside no letter, and beside no further sign of its own."""
    first, last = re.escape(word[0]), re.escape(word[-1])
    return rf"(?<![\w{first}]){re.escape(word)}(?![\w{last}])"


def _hidden(found: re.Match[str]) -> str:
    return found[0].translate(_HIDE)
