"""`label`: one of the item's closed set of labels."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from afere.domain import AnswerKeyError, Item, Reading
from afere.graders.keys import accents_count, one_text
from afere.graders.kind import Key, ReadKind
from afere.graders.reading.folding import fold, fold_strictly, level
from afere.graders.reading.form import plain
from afere.graders.reading.language import Language, every_language, language_of
from afere.graders.reading.markers import Marked
from afere.graders.reading.naming import Mention, Names, is_denied, standing
from afere.graders.reading.rules import Reader

__all__ = ["LabelKind"]

_LONGEST = 2000  # characters of a text that can be one answer
_TAIL = 2000  # characters from the end in which a label in prose is looked for
_SENTENCE = re.compile(r"[.!?](?=\s|$)|[。！？；\n]")
_ENDS = re.compile(r"\s*(?:$|[,.;:!?)\]。，；：！？）(（]|\s[-–—]\s)")


class LabelKind(ReadKind[str]):
    """Judges which label was given."""

    name = "label"
    version = "2"
    settings: ClassVar[Mapping[str, str]] = {"accents": "`strict` where accents count"}

    def prepare(self, item: Item, reading: Reading) -> "_Key":
        """Read the key, one of the labels; raises AnswerKeyError."""
        if not item.labels:
            raise AnswerKeyError("the item has no labels", mend="Add `labels: [one, another]`.")
        strict = accents_count(item.expect.options)
        folding = fold_strictly if strict else fold
        labels = Names(
            ((each, each) for each in item.labels),
            strict=strict,
            language=language_of(reading.language),
        )
        if labels.alike or len(set(item.labels)) < len(item.labels):
            mend = "Write labels that differ in more than case, accents and marks."
            raise AnswerKeyError("two labels read alike, or one reads as nothing", mend=mend)
        key = one_text(item.expect.key)
        same = [each for each in item.labels if key is not None and folding(each) == folding(key)]
        if len(same) != 1:
            problem = f"{item.expect.key!r} is none of the labels"
            raise AnswerKeyError(problem, mend=f"Write one of {', '.join(item.labels)}.")
        return _Key(reader=_Reader(language_of(reading.language), labels), label=same[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key(Key[str]):
    reader: "_Reader"
    label: str

    def score(self, value: str) -> float:
        return float(value == self.label)


@dataclass(frozen=True, slots=True)
class _Reader(Reader[str]):
    """Reads labels."""

    language: Language
    labels: Names

    def view(self, text: str) -> str:
        return plain(text)

    def marked(self, marked: Marked) -> str | None:
        first = _SENTENCE.split(marked.line.strip(), maxsplit=1)[0]
        return self.exact(marked.line) or self._leading(marked.line) or self._chosen(first)

    def exact(self, text: str) -> str | None:
        if len(text) > _LONGEST or "\n" in text.strip():
            return None
        return self.labels.exact(text)

    def last(self, text: str) -> str | None:
        """Read the last line, unless the one before gives another label."""
        return self._lone(_lines(text)[::-1])

    def first(self, text: str) -> str | None:
        """Read the first line, unless the next gives another label."""
        return self._lone(_lines(text))

    def opening(self, text: str) -> str | None:
        lines = _lines(text)
        return None if self.exact(lines[0]) else self._leading(lines[0])

    def said(self, text: str) -> str | None:
        first = _SENTENCE.split(text.strip(), maxsplit=1)[0]
        return self.exact(first) or self._leading(first)

    def loose(self, text: str) -> str | None:
        return self._chosen(text[-_TAIL:])

    def uncut(self, text: str) -> str | None:
        label = self.exact(text)
        return None if label is None or self.labels.begins_other(text, label) else label

    def _lone(self, lines: list[str]) -> str | None:
        first, second = self.exact(lines[0]), self.exact(lines[1]) if lines[1:] else None
        return None if second not in {None, first} else first

    def _leading(self, line: str) -> str | None:
        """Read a label that opens a line, a stop after it and no other label in it."""
        found = self.labels.leading(line)
        if found is None or not _ENDS.match(line, found[1]):
            return None
        label, end = found
        several = self._second(line[end:]) not in {None, label}
        several = several or self._is_taken_back(label, line[end:])
        mention = Mention(end - 1, end, label)
        first = _SENTENCE.search(line, end)
        stop = first.start() if first else len(line)
        denied = is_denied(level(line), mention, stop, self.language)
        return None if several or denied else label

    def _second(self, rest: str) -> str | None:
        """Give a label that follows at once and stands for itself, no word of a sentence."""
        joined = _joined().sub("", rest, count=1)
        second = self.labels.leading(joined)
        return second[0] if second and _ENDS.match(joined, second[1]) else None

    def _is_taken_back(self, label: str, rest: str) -> bool:
        """Tell whether a word such as "actually" leads to another label."""
        turned = _correction().match(level(rest))
        named = self.labels.mentions(rest) if turned else []
        return any(each.name != label for each in named)

    def _chosen(self, text: str) -> str | None:
        """Give the one label that a text names and does not deny."""
        named = standing(text, self.labels.mentions(text), self.language)
        return named.pop() if len(named) == 1 else None


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()] or [""]


@cache
def _correction() -> re.Pattern[str]:
    words = {level(word) for each in every_language() for word in each.corrections}
    joined = "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
    return re.compile(rf"[\W_]*(?:{joined})")


@cache
def _joined() -> re.Pattern[str]:
    words = {word for each in every_language() for word in (*each.joiners, *each.alternatives)}
    latin = "|".join(re.escape(word) for word in sorted(words) if word < "\u2e80")
    han = "|".join(re.escape(word) for word in sorted(words) if word >= "\u2e80")
    return re.compile(rf"[\s,/;，、]*(?:(?:{latin})\s+|(?:{han}))?", re.IGNORECASE)
