"""`choice`: one of the item's options, by its letter or by its text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from afere.domain import AnswerKeyError, Item, Reading
from afere.graders.keys import one_text
from afere.graders.kind import Key, ReadKind
from afere.graders.reading.folding import fold, level
from afere.graders.reading.form import core, plain
from afere.graders.reading.language import Language, language_of
from afere.graders.reading.letters import Letters, with_bracketed_letters
from afere.graders.reading.markers import Marked
from afere.graders.reading.naming import Mention, Names, is_denied, standing
from afere.graders.reading.rules import Reader

__all__ = ["ChoiceKind"]

_LONGEST = 2000  # characters of a text that can be one answer
_TAIL = 2000  # characters from the end in which a choice in prose is looked for
_MOST_LINES = 60  # lines after the first that are looked at for other options
_SENTENCE_AFTER_LETTER = re.compile(r"(?<=\w{2})[.!?;](?=\s|$)|[。！？；\n]")
_SENTENCE = re.compile(r"[.!?](?=\s|$)|[。！？；\n]")


class ChoiceKind(ReadKind[str]):
    """Judges which option was chosen."""

    name = "choice"
    version = "2"

    def prepare(self, item: Item, reading: Reading) -> "_Key":
        """Read the key, a letter or the text of an option; raises AnswerKeyError."""
        if not item.options:
            raise AnswerKeyError("the item has no options", mend="Add `options: {A: .., B: ..}`.")
        alike = len({fold(letter) for letter in item.options}) < len(item.options)
        if alike or not all(letter.strip() for letter in item.options):
            mend = "Give each option a letter of its own."
            raise AnswerKeyError("two options have one letter, or one has none", mend=mend)
        key = one_text(item.expect.key)
        letter = None if key is None else _letter_of(key, item.options)
        if letter is None:
            listed = ", ".join(item.options)
            problem = f"{item.expect.key!r} is none of the options"
            raise AnswerKeyError(problem, mend=f"Write one of {listed}.")
        language = language_of(reading.language)
        reader = _Reader(
            language=language,
            letters=Letters(tuple(item.options), language),
            texts=Names((text, name) for name, text in item.options.items()),
        )
        return _Key(reader=reader, letter=letter)


def _letter_of(key: str, options: Mapping[str, str]) -> str | None:
    if key in options:
        return key
    same = [letter for letter in options if fold(letter) == fold(key)]
    same = same or [letter for letter, text in options.items() if fold(text) == fold(key)]
    return same[0] if len(same) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key(Key[str]):
    reader: "_Reader"
    letter: str

    def score(self, value: str) -> float:
        return float(value == self.letter)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader(Reader[str]):
    """Reads letters and texts of options."""

    language: Language
    letters: Letters
    texts: Names

    def view(self, text: str) -> str:
        return plain(with_bracketed_letters(text))

    def marked(self, marked: Marked) -> str | None:
        if exact := self.exact(marked.line):
            return exact
        first = _SENTENCE.split(marked.line.strip(), maxsplit=1)[0]
        if exact := self.exact(first):
            return exact
        opened = self._opened(marked.line)
        return opened.chosen if opened else self._chosen(first)

    def exact(self, text: str) -> str | None:
        if len(text) > _LONGEST or "\n" in text.strip():
            return None
        return self.letters.exact(text) or self.texts.exact(text) or self._both(text)

    def last(self, text: str) -> str | None:
        """Read the last line, unless it stands in a list of the options."""
        lines = _lines(text)
        return None if self._others(lines[-1], lines[-2:-1]) else self.exact(lines[-1])

    def first(self, text: str) -> str | None:
        """Read the first line, unless it stands in a list of the options."""
        lines = _lines(text)
        return None if self._others(lines[0], lines[1:]) else self.exact(lines[0])

    def opening(self, text: str) -> str | None:
        lines = _lines(text)
        opened = None if self._others(lines[0], lines[1:]) else self._opened(lines[0])
        return opened.chosen if opened else None

    def said(self, text: str) -> str | None:
        first = _SENTENCE.split(text.strip(), maxsplit=1)[0]
        opened = self._opened(text)
        return self.exact(first) or (opened.chosen if opened else None)

    def loose(self, text: str) -> str | None:
        return self._chosen(text[-_TAIL:])

    def uncut(self, text: str) -> str | None:
        letter = self.letters.exact(text)
        if letter is None or len(core(text)) > len(letter) + len("()"):
            return None
        start = fold(letter)
        longer = (each.startswith(start) for each in self.letters.by_fold if each != start)
        return None if any(longer) else letter

    def _both(self, text: str) -> str | None:
        """Read a letter with its own text after it: "C) Brasília"."""
        lettered = self.letters.lettered(text)
        if lettered is None:
            return None
        letter, after = lettered
        return letter if self.texts.exact(after) == letter else None

    def _others(self, line: str, lines: list[str]) -> bool:
        """Tell whether one of the lines names another option in the way that the line does."""
        way, letter = self._named(line)
        named = [self._named(each) for each in lines[:_MOST_LINES]]
        return any(other is not None and other != letter and each == way for each, other in named)

    def _named(self, line: str) -> tuple[bool, str | None]:
        """Give the option of a line, and whether its letter stands there like a number."""
        lettered = self.letters.lettered(line)
        if lettered and lettered[1]:
            return True, lettered[0]
        return False, self.exact(line)

    def _opened(self, text: str) -> "_Opened | None":
        """Read a letter or text that opens a line, an explanation after it."""
        found = self.letters.leading(text)
        if found is not None:
            letter, end = found
            several = self.letters.second(text, end) not in {None, letter}
            several = several or self._contradicts(letter, text)
        else:
            named = self.texts.leading(text) if not self.letters.mentions(text) else None
            if named is None:
                return None
            letter, end = named
            told = _SENTENCE.split(text, maxsplit=1)[0]
            several = standing(told, self.texts.mentions(told), self.language) != {letter}
        stop = _SENTENCE.search(text, end)
        mention = Mention(end - 1, end, letter)
        following = stop.start() if stop else len(text)
        if is_denied(level(text), mention, following, self.language):
            return None
        return _Opened(None if several else letter)

    def _contradicts(self, letter: str, text: str) -> bool:
        """Tell whether a letter stands like a number before the text of another option."""
        lettered = self.letters.lettered(_SENTENCE_AFTER_LETTER.split(text, maxsplit=1)[0])
        named = self.texts.exact(lettered[1]) if lettered else None
        return named not in {None, letter}

    def _chosen(self, text: str) -> str | None:
        """Give the one option that a text names and does not deny; letters go before texts."""
        letters = standing(text, self.letters.mentions(text), self.language)
        if len(letters) > 1:
            return None
        named = standing(text, self.texts.mentions(text), self.language)
        if letters:
            return letters.pop() if not named or letters <= named else None
        return named.pop() if len(named) == 1 else None


@dataclass(frozen=True, slots=True)
class _Opened:
    """What opens a line: the option chosen, None where several are named."""

    chosen: str | None


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()] or [""]
