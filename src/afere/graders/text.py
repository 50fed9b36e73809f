"""`text`: equal to one of the keys, case, white space and surrounding marks aside."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from afere.domain import AnswerKeyError, Item, Reading
from afere.graders.keys import accents_count, texts
from afere.graders.kind import Key, ReadKind
from afere.graders.reading.form import core, plain, unwrapped, verbatim, without_struck
from afere.graders.reading.language import fold
from afere.graders.reading.markers import Marked
from afere.graders.reading.phrases import fold_strictly
from afere.graders.reading.rules import Reader
from afere.graders.reading.shape import Shape, looks_like_answer

__all__ = ["TextKind"]


class TextKind(ReadKind[str]):
    """Judges a text: equal to any key."""

    name = "text"
    settings: ClassVar[Mapping[str, str]] = {"accents": "`strict` where accents count"}

    def prepare(self, item: Item, reading: Reading) -> "_Key":  # noqa: ARG002 - the same in all
        """Read keys and options; raises AnswerKeyError."""
        keys = texts(item.expect.key, "text")
        strict = accents_count(item.expect.options)
        folded = frozenset(form for key in keys for form in _forms(key, strict=strict))
        if not all(folded):
            raise AnswerKeyError("an empty text is no answer")
        return _Key(reader=_Reader(shape=Shape(keys), keys=folded, strict=strict), keys=folded)


@dataclass(frozen=True, slots=True)
class _Key(Key[str]):
    reader: "_Reader"
    keys: frozenset[str]

    def score(self, value: str) -> float:
        return float(self.reader.is_key(value))

    def shown(self, value: str) -> str:
        return core(plain(value)) or value.strip()


@dataclass(frozen=True, slots=True)
class _Reader(Reader[str]):
    """Reads texts; the words of a key tell how long an answer may be."""

    shape: Shape
    keys: frozenset[str]
    strict: bool

    def is_key(self, text: str) -> bool:
        return not self.keys.isdisjoint(_forms(text, strict=self.strict))

    def view(self, text: str) -> str:
        return without_struck(verbatim(text)).strip()

    def marked(self, marked: Marked) -> str | None:
        line = marked.line.strip()
        if not core(line):
            return None
        return next((part for part in _parts(line) if self.is_key(part)), line)

    def exact(self, text: str) -> str | None:
        return text if "\n" not in plain(text) else None

    def line(self, text: str) -> str | None:
        return text if looks_like_answer(plain(text), self.shape) else None

    def opening(self, text: str) -> str | None:
        first = _REASON.split(plain(text.partition("\n")[0]), maxsplit=1)
        return first[0] if len(first) > 1 and self.is_key(first[0]) else None

    def said(self, text: str) -> str | None:
        return text if looks_like_answer(plain(text), self.shape) else None


_REASON = re.compile(r"[,.;:—–-]\s+|\s*[，。；（(]\s*")


def _parts(line: str) -> list[str]:
    """Give a marked line, and what stands before an explanation in it."""
    gloss = re.sub(r"\s*[(（][^()（）]*[)）]\s*[.。]?\s*$", "", line)
    return [line, gloss, re.split(r"\s[—–-]\s|[,.;]\s+|[，；。]", gloss, maxsplit=1)[0]]


def _forms(text: str, *, strict: bool) -> set[str]:
    """Give the foldings under which a text is compared: as written, and seen through."""
    folding = fold_strictly if strict else fold
    seen = plain(text)
    return {folding(form) for form in (unwrapped(text), core(text), core(seen)) if form.strip()}
