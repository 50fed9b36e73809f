"""What `list` and `set` share: elements read and compared as numbers or texts."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from typing import ClassVar

from afere.domain import AnswerKeyError, Item, Reading
from afere.graders.keys import accents_count, one_text
from afere.graders.kind import Key, ReadKind
from afere.graders.reading.denials import denies_a_run
from afere.graders.reading.elements import (
    leading_lines,
    number_runs,
    split_elements,
    split_lines,
    trailing_lines,
)
from afere.graders.reading.folding import fold, fold_strictly
from afere.graders.reading.form import core
from afere.graders.reading.kept import KeptWords
from afere.graders.reading.language import Language, every_language, language_of
from afere.graders.reading.markers import Marked
from afere.graders.reading.numerals import Number, written
from afere.graders.reading.rules import Reader
from afere.graders.reading.shape import Shape, looks_like_answer
from afere.graders.reading.values import exact_number

_LAST_LINES, _LAST_TAILS = 12, 3  # lines and parts of a line where a list is looked for
_TAIL_LENGTH = 1000  # characters of a line from its end
_GOES_ON = re.compile(r"[,，、;；]\s*(?:\.{3}|…|etc\b|等)")
_GLOSS = re.compile(r"\s*[(（][^()（）]*[)）]\s*[.。]?\s*$")

__all__ = ["Elements", "ListLikeKind"]


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of one list as they were read, in each way that the writing allows."""

    readings: tuple[tuple[str, ...], ...]

    @property
    def first(self) -> tuple[str, ...]:
        """The likeliest way."""
        return self.readings[0]


class ListLikeKind(ReadKind[Elements]):
    """Judges several elements; `ordered` tells `list` from `set`."""

    settings: ClassVar[Mapping[str, str]] = {"accents": "`strict` where accents count"}
    ordered: bool

    def prepare(self, item: Item, reading: Reading) -> "_Key":
        """Read key and options; raises AnswerKeyError."""
        key = item.expect.key
        strict = accents_count(item.expect.options)
        if not isinstance(key, list | tuple) or not key:
            raise AnswerKeyError(f"{key!r} is no list", mend=f"Write `{self.name}: [a, b, c]`.")
        written_keys = [one_text(each) for each in key]
        if any(each is None or not each.strip() for each in written_keys):
            raise AnswerKeyError(f"{key!r} holds what is neither text nor number")
        language = language_of(reading.language)
        comparing = _Comparing(language=language, strict=strict)
        values = tuple(
            each
            if isinstance(each, Decimal)
            else Decimal(each)
            if isinstance(each, int) and not isinstance(each, bool)
            else comparing.key(str(each))
            for each in key
        )
        if not self.ordered and len(set(values)) < len(values):
            raise AnswerKeyError(f"{key!r} holds an element twice", mend="A set has no doubles.")
        numeric = all(isinstance(each, Decimal) for each in values)
        words = [each for each in written_keys if each]
        reader = _Reader(
            comparing=comparing,
            numeric=numeric,
            size=len(values),
            shape=Shape(words),
            kept=KeptWords.of(() if numeric else words),
        )
        return _Key(reader=reader, values=values, ordered=self.ordered)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparing:
    """Makes elements comparable: numbers by value, texts folded."""

    language: Language
    strict: bool

    def key(self, text: str) -> Decimal | str:
        return self._folded(text)

    def value(self, text: str, like: Decimal | str) -> Decimal | str:
        if isinstance(like, Decimal):
            number = _number(text, self.language)
            if number is not None and number.value is not None and number.over == 1:
                return number.value
            return _NO_NUMBER + text
        return self._folded(text)

    def _folded(self, text: str) -> str:
        return fold_strictly(core(text)) if self.strict else fold(core(text))


_NO_NUMBER = "\0"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key(Key[Elements]):
    reader: "_Reader"
    values: tuple[Decimal | str, ...]
    ordered: bool

    def score(self, value: Elements) -> float:
        return float(any(self._equals(reading) for reading in value.readings))

    def shown(self, value: Elements) -> str:
        return "[" + ", ".join(self._shown(each) for each in value.first) + "]"

    def _equals(self, texts: tuple[str, ...]) -> bool:
        if len(texts) != len(self.values):
            return False
        comparing = self.reader.comparing
        if self.ordered:
            pairs = zip(texts, self.values, strict=True)
            return all(comparing.value(text, like) == like for text, like in pairs)
        wanted = Counter(self.values)
        found = Counter(
            next((like for like in self.values if comparing.value(text, like) == like), text)
            for text in texts
        )
        return wanted == found

    def _shown(self, text: str) -> str:
        if self.reader.numeric:
            number = _number(text, self.reader.comparing.language)
            if number is not None and number.value is not None:
                return written(number.value, number.over)
        return json.dumps(text, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader(Reader[Elements]):
    """Reads lists; the key tells whether elements are numbers and how long texts may be."""

    comparing: _Comparing
    numeric: bool
    size: int
    shape: Shape
    kept: KeptWords

    def view(self, text: str) -> str:
        return self.kept.plain(text)

    def marked(self, marked: Marked) -> Elements | None:
        if marked.below and (found := self._run(leading_lines(marked.rest))):
            return found
        bare = _GLOSS.sub("", marked.line)
        return self.line(marked.line) or self.line(bare) or self._numbers(marked.line, last=False)

    def exact(self, text: str) -> Elements | None:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) > 1 and lines[0].strip()[-1] in "[{(" and lines[-1].strip()[:1] in "]})":
            return self.line(" ".join(lines))
        return self._run(lines) if len(lines) > 1 else self.line(text)

    def line(self, text: str) -> Elements | None:
        if "\n" in text.strip() or _GOES_ON.search(text):
            return None
        readings = [
            tuple(each)
            for each in split_elements(text, self.comparing.language)
            if self._are_elements(each)
        ]
        return Elements(tuple(readings)) if readings else None

    def last(self, text: str) -> Elements | None:
        """Read the last line, or the run of lines that ends the text."""
        return self._run(trailing_lines(text, self._is_element)) or Reader.last(self, text)

    def first(self, text: str) -> Elements | None:
        """Read the first line, or the run of lines that begins the text."""
        return self._run(leading_lines(text)) or Reader.first(self, text)

    def said(self, text: str) -> Elements | None:
        return self.line(text) or self._numbers(text, last=False)

    def loose(self, text: str) -> Elements | None:
        """Read a run of numbers, or what a line says after a colon or "are"."""
        lines = text.split("\n")
        for place in range(len(lines) - 1, max(len(lines) - _LAST_LINES, 0) - 1, -1):
            line = lines[place][-_TAIL_LENGTH:]
            tails = [line[found.end() :] for found in _tail().finditer(line)][-_LAST_TAILS:]
            found = next((each for tail in reversed(tails) if (each := self.line(tail))), None)
            found = found or self._numbers(line, last=True)
            if found or (
                found := self._run(trailing_lines("\n".join(lines[: place + 1]), self._is_element))
            ):
                return found
        return None

    def _run(self, lines: list[str]) -> Elements | None:
        return self._lines(lines) if len(lines) > 1 else None

    def _numbers(self, line: str, *, last: bool) -> Elements | None:
        """Read a run of numbers with nothing but separators between them."""
        language = self.comparing.language
        runs = number_runs(line, language) if self.numeric and not _GOES_ON.search(line) else []
        if runs and denies_a_run(line, language):
            return None
        long = [run for run in runs if len(run) >= min(self.size, 2)]
        return Elements((tuple(long[-1 if last else 0]),)) if long else None

    def _lines(self, lines: list[str]) -> Elements | None:
        elements = split_lines(lines)
        return Elements((tuple(elements),)) if self._are_elements(elements) else None

    def _are_elements(self, elements: list[str]) -> bool:
        if len(elements) < min(self.size, 2):
            return False
        return all(self._is_element(each) for each in elements)

    def _is_element(self, text: str) -> bool:
        if self.numeric:
            return _number(text, self.comparing.language) is not None
        return looks_like_answer(text, self.shape)


@lru_cache(maxsize=4096)
def _number(text: str, language: Language) -> Number | None:
    """Read an element as a number; the same few stand in one reply's readings again and again."""
    return exact_number(text, language, lenient=False)


@cache
def _tail() -> re.Pattern[str]:
    """Build the pattern of a colon, or of "are" and the like, before a list."""
    words = {re.escape(word) for each in every_language() for word in each.copulas}
    latin = "|".join(sorted((word for word in words if word < "\u2e80"), key=len, reverse=True))
    han = "|".join(sorted((word for word in words if word >= "\u2e80"), key=len, reverse=True))
    return re.compile(rf"[:：]\s*|(?<!\w)(?:{latin})\s+|{han}", re.IGNORECASE)
