"""`choice`: one of the item's options, by its letter or by its text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from afere.domain import AnswerKeyError, Item, Reading
from afere.graders.keys import one_text
from afere.graders.kind import Key, ReadKind
from afere.graders.reading.form import core, plain
from afere.graders.reading.language import Language, fold, language_of
from afere.graders.reading.letters import Letters, with_bracketed_letters
from afere.graders.reading.level import level
from afere.graders.reading.markers import Marked
from afere.graders.reading.naming import Mention, Names, is_denied, standing
from afere.graders.reading.rules import Reader

__all__ = ["ChoiceKind"]

_LONGEST = 2000  # characters of a text that can be one answer
_TAIL = 4000  # characters from the end in which a choice in prose is looked for
_SENTENCE = re.compile(r"[.!?](?=\s|$)|[。！？；\n]")


class ChoiceKind(ReadKind[str]):
    """Judges which option was chosen."""

    name = "choice"

    def prepare(self, item: Item, reading: Reading) -> "_Key":
        """Read the key, a letter or the text of an option; raises AnswerKeyError."""
        if not item.options:
            raise AnswerKeyError("the item has no options", mend="Add `options: {A: .., B: ..}`.")
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
        line = marked.line
        if exact := self.exact(line):
            return exact
        first = _SENTENCE.split(line.strip(), maxsplit=1)[0]
        return self.exact(first) or self._leading(line) or self._chosen(first)

    def exact(self, text: str) -> str | None:
        if len(text) > _LONGEST or "\n" in text.strip():
            return None
        return self.letters.exact(text) or self.texts.exact(text) or self._both(text)

    def opening(self, text: str) -> str | None:
        first, _, rest = text.partition("\n")
        others = (self.letters.lettered(line) for line in rest.split("\n")[:_TAIL])
        return None if any(others) else self._leading(first)

    def said(self, text: str) -> str | None:
        first = _SENTENCE.split(text.strip(), maxsplit=1)[0]
        return self.exact(first) or self._leading(text)

    def loose(self, text: str) -> str | None:
        return self._chosen(text[-_TAIL:])

    def uncut(self, text: str) -> str | None:
        bare = core(text)
        letter = self.letters.by_fold.get(fold(bare))
        longer = (
            each.startswith(fold(bare)) for each in self.letters.by_fold if each != fold(bare)
        )
        return None if any(longer) else letter

    def _both(self, text: str) -> str | None:
        """Read a letter with its own text after it: "C) Brasília"."""
        lettered = self.letters.lettered(text)
        if lettered is None:
            return None
        letter, after = lettered
        return letter if self.texts.exact(after) == letter else None

    def _leading(self, text: str) -> str | None:
        """Read a letter or text that opens a line, where nothing denies it or adds another."""
        found = self.letters.leading(text)
        if found is None:
            named = self.texts.leading(text)
            found = named if named and not self.letters.mentions(text) else None
        if found is None:
            return None
        letter, end = found
        if self.letters.second(text, end) not in {None, letter}:
            return None
        first = _SENTENCE.search(text, end)
        stop = first.start() if first else len(text)
        mention = Mention(end - 1, end, letter)
        return None if is_denied(level(text), mention, stop, self.language) else letter

    def _chosen(self, text: str) -> str | None:
        """Give the one option that a text names and does not deny; letters go before texts."""
        letters = standing(text, self.letters.mentions(text), self.language)
        if len(letters) > 1:
            return None
        named = standing(text, self.texts.mentions(text), self.language)
        if letters:
            return letters.pop() if not named or letters <= named else None
        return named.pop() if len(named) == 1 else None
