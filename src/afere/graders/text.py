"""`text`: equal to one of the keys, case, white space and surrounding marks aside."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import ClassVar

from afere.domain import Item, Reading
from afere.graders.keys import accents_count, texts
from afere.graders.kind import Key, ReadKind
from afere.graders.reading.folding import fold, fold_strictly, level
from afere.graders.reading.form import core, plain, unwrapped, verbatim, without_struck
from afere.graders.reading.language import Language, every_language, language_of
from afere.graders.reading.markers import Marked
from afere.graders.reading.naming import Mention, is_denied
from afere.graders.reading.non_answers import before_non_answer
from afere.graders.reading.rules import Reader
from afere.graders.reading.shape import Shape, looks_like_answer

__all__ = ["TextKind"]


class TextKind(ReadKind[str]):
    """Judges a text: equal to any key."""

    name = "text"
    version = "2"
    settings: ClassVar[Mapping[str, str]] = {"accents": "`strict` where accents count"}

    def prepare(self, item: Item, reading: Reading) -> "_Key":
        """Read keys and options; raises AnswerKeyError."""
        keys = texts(item.expect.key, "text")
        strict = accents_count(item.expect.options)
        folding = fold_strictly if strict else fold
        folded = frozenset(folding(form) for key in keys for form in (key, key.strip(_KEY_MARKS)))
        reader = _Reader(
            shape=Shape(keys),
            phrase=Shape(keys, more=_PHRASE),
            keys=folded - {""},
            strict=strict,
            language=language_of(reading.language),
            says_yes_or_no={fold(key) for key in keys} <= _yes_and_no(),
        )
        return _Key(reader=reader)


@dataclass(frozen=True, slots=True)
class _Key(Key[str]):
    reader: "_Reader"

    def score(self, value: str) -> float:
        return float(self.reader.is_key(value))

    def shown(self, value: str) -> str:
        return core(plain(value)) or value.strip()


@dataclass(frozen=True, slots=True)
class _Reader(Reader[str]):
    """Reads texts; the words of a key tell how long an answer may be.

    phrase: how long a reply of one line may be to be taken for an answer, a wrong one most likely.
    says_yes_or_no: whether all keys are words for yes or no, so that "Não, porque …" is read.
    """

    shape: Shape
    phrase: Shape
    keys: frozenset[str]
    strict: bool
    language: Language
    says_yes_or_no: bool

    def is_key(self, text: str) -> bool:
        """Tell whether a text equals a key."""
        return not self.keys.isdisjoint(_forms(text, strict=self.strict))

    def view(self, text: str) -> str:
        return without_struck(verbatim(text)).strip()

    def marked(self, marked: Marked) -> str | None:
        line = marked.line.strip()
        if not core(line):
            return None
        if self.says_yes_or_no and (word := self._yes_or_no(plain(line))):
            return word
        return next((part for part in _parts(line) if self.is_key(part)), line)

    def exact(self, text: str) -> str | None:
        seen = plain(text)
        if self.is_key(text):
            return text
        is_said = "\n" in seen or _copula().search(seen) or before_non_answer(seen) is not None
        if is_said or (self.says_yes_or_no and _SECOND_WORD.search(seen)):
            return None
        if (gloss := _GLOSS.sub("", seen)) != seen and self.is_key(gloss):
            return gloss
        return text if looks_like_answer(seen, self.phrase) and ": " not in seen else None

    def line(self, text: str) -> str | None:
        return text if self._may_be(text) else None

    def opening(self, text: str) -> str | None:
        line = plain(text).partition("\n")[0]
        if self.says_yes_or_no and (word := self._yes_or_no(line)):
            return word
        return next((part for part in _parts(line)[2:] if self.is_key(part)), None)

    def said(self, text: str) -> str | None:
        parts = _parts(text)
        if key := next((part for part in parts if self.is_key(part)), None):
            return key
        return None if _not_another().match(text.strip()) else self.line(parts[0])

    def loose(self, text: str) -> str | None:
        """Read the only code span or bold text, or what a one-line reply says that it is."""
        leveled = level(text)
        shown = {
            each
            for found in islice(_SHOWN.finditer(text), _MOST_SHOWN)
            if self._may_be(each := found[2])
            and not is_denied(leveled, Mention(*found.span(), each), len(text), self.language)
        }
        if len(shown) == 1:
            return shown.pop()
        line = plain(text).rpartition("\n")[2]
        links = list(_copula().finditer(line))[-_LAST_LINKS:]
        for link in reversed(links):
            if not _denied().search(line[: link.start()]):
                return self.said(line[link.end() :])
        head, colon, tail = line.rpartition(":")
        return self.said(tail) if head and colon and not links else None

    def _yes_or_no(self, line: str) -> str | None:
        word = _FIRST_WORD.match(line)
        return word[1] if word and fold(word[1]) in _yes_and_no() else None

    def _may_be(self, text: str) -> bool:
        """Tell whether a text is short enough for an answer and says no "I don't know"."""
        if self.is_key(text):
            return True
        return before_non_answer(text) is None and looks_like_answer(plain(text), self.shape)


_MOST_SHOWN = 40  # code spans and bold texts that are looked at
_LAST_LINKS = 4  # words for "is", from the end, that are looked at
_PHRASE = 3  # words by which a wrong answer of one line may be longer than the longest key
_KEY_MARKS = " \t\n.!?。！？"
_SECOND_WORD = re.compile(r"\w\W+\w")
_FIRST_WORD = re.compile(r"\W*(\w+)")
_SHOWN = re.compile(r"(`+|\*\*)([^`*\n]{1,200})\1")


def _parts(line: str) -> list[str]:
    """Give a line, and what stands before an explanation of several words in it."""
    gloss = _GLOSS.sub("", line)
    stop = _STOPS.search(gloss)
    if stop is None:
        return [line, gloss]
    if _not_another().match(gloss, stop.end()):
        return [line, gloss, gloss[: stop.start()]]
    if len(_WORD.findall(gloss[stop.end() :])) < _EXPLANATION:
        return [line, gloss]
    may_enumerate = stop[0].strip() in {",", "，", ":", "："}
    if may_enumerate and _more().search(gloss, stop.end()):
        return [line, gloss]
    return [line, gloss, gloss[: stop.start()]]


_GLOSS = re.compile(r"\s*[(（][^()（）]*[)）]\s*[.。]?\s*$")
_STOPS = re.compile(r"\s[—–-]\s|[,.;:!]\s+|[，；。：]|(?<=[\u2e80-\u9fff])[,.;:!]")
_WORD = re.compile(r"[\u2e80-\u9fff]|[^\W_]+")
_EXPLANATION = 3  # words from which on what follows an answer explains it


@cache
def _yes_and_no() -> frozenset[str]:
    return frozenset(fold(word) for each in every_language() for word in (*each.yes, *each.no))


@cache
def _not_another() -> re.Pattern[str]:
    """Build the pattern of a denial that sets an answer against another: ", not TCP"."""
    words = {word for each in every_language() for word in each.negators}
    latin = "|".join(re.escape(word) for word in sorted(words) if word < "\u2e80")
    han = "|".join(re.escape(word) for word in sorted(words) if word >= "\u2e80")
    return re.compile(rf"(?:(?:{latin})(?!\w)|{han})", re.IGNORECASE)


@cache
def _more() -> re.Pattern[str]:
    """Build the pattern of a sign that several answers are listed, not one explained."""
    words = {word for each in every_language() for word in (*each.joiners, *each.alternatives)}
    latin = "|".join(re.escape(word) for word in sorted(words) if word < "\u2e80")
    han = "".join(word for word in sorted(words) if word >= "\u2e80" and len(word) == 1)
    return re.compile(rf"[,，、]|(?<!\w)(?:{latin})(?!\w)|[{han}]", re.IGNORECASE)


@cache
def _copula() -> re.Pattern[str]:
    words = {word for each in every_language() for word in each.copulas}
    latin = "|".join(
        re.escape(word) for word in sorted(words, key=len, reverse=True) if word < "\u2e80"
    )
    return re.compile(rf"(?<!\w)(?:{latin})\s+|是", re.IGNORECASE)


@cache
def _denied() -> re.Pattern[str]:
    """Build the pattern of a text that ends in a denial, right before "is"."""
    words = {word for each in every_language() for word in each.negators}
    latin = "|".join(re.escape(word) for word in sorted(words) if word < "\u2e80")
    return re.compile(rf"(?<!\w)(?:{latin})\s*$|[不非]$", re.IGNORECASE)


def _forms(text: str, *, strict: bool) -> set[str]:
    """Give the foldings under which a text is compared: as written, and seen through."""
    folding = fold_strictly if strict else fold
    seen = plain(text)
    bare = text.strip()
    forms = (
        bare,
        bare.strip("` "),
        unwrapped(text),
        core(text),
        core(seen),
        core(text).removeprefix("$ "),
    )
    return {folding(form) for form in forms if form.strip()}
