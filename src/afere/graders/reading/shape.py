"""Whether a line looks like an answer or like prose: for kinds whose answers can be any text."""

import re

from afere.graders.reading.form import core

__all__ = ["Shape", "looks_like_answer"]

_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*|(?<![^\w\s])[^\w\s]+(?=\s|$)")
_MORE = 1  # words by which an answer may be longer than the longest key
_HAN = re.compile(r"[\u2e80-\u9fff]")
_HAN_MORE = 4  # characters by which a Chinese answer may be longer


class Shape:
    """How long the answers to a key are: in words, and in Chinese characters."""

    def __init__(self, keys: "list[str]", *, more: int = _MORE) -> None:
        self.words = max((_words(key) for key in keys), default=1) + more
        self.han = max((_hans(key) for key in keys), default=0) + _HAN_MORE


def looks_like_answer(line: str, shape: Shape) -> bool:
    """Tell a line that may be an answer from an introduction, a remark or a pleasantry."""
    line = line.strip()
    if line.endswith((":", "：")):
        return False
    text = core(line)
    return bool(text) and _words(text) <= shape.words and _hans(text) <= shape.han


def _words(text: str) -> int:
    return len(_WORD.findall(_HAN.sub("", text)))


def _hans(text: str) -> int:
    return len(_HAN.findall(text))
