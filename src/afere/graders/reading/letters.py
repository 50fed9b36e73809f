"""Letters of options in a text.

A capital that is also a word of the language (A, E, O, I) names an option only where it cannot be
that word; small letters only with a bracket or after a word such as "option".
"""

import re
from collections.abc import Sequence
from functools import cache

from afere.graders.reading.folding import fold
from afere.graders.reading.form import core
from afere.graders.reading.language import Language, every_language
from afere.graders.reading.naming import Mention

__all__ = ["Letters", "with_bracketed_letters"]

_EMPHASIS = re.compile(
    r"(?:\*\*|__|`|\*|\"|“|'|\$)\s?\(?([A-Za-z])\)?[.)]?\s?(?:\*\*|__|`|\*|\"|”|'|\$)(?!\w)",
)
_EDGE = r"A-Za-z0-9_À-ÖØ-öø-\u2dff"


def with_bracketed_letters(text: str) -> str:
    """Put a lone letter in bold, quotes or back-ticks in brackets: those stay when form goes."""
    if not any(mark in text for mark in "*_`\"“'$"):
        return text
    return _EMPHASIS.sub(r"(\1)", text)


class Letters:
    """The letters of an item's options, ready to be looked for in one language."""

    def __init__(self, letters: Sequence[str], language: Language) -> None:
        self.by_fold = {fold(letter): letter for letter in letters}
        self._words = frozenset(language.function_letters)
        ordered = tuple(sorted(letters, key=lambda letter: (-len(letter), letter)))
        self._patterns = _patterns(ordered, language)

    def exact(self, text: str) -> str | None:
        """Read a letter alone, or with brackets or the word for an option round it."""
        return self._letter(self._patterns.alone.fullmatch(core(text)))

    def lettered(self, text: str) -> tuple[str, str] | None:
        """Read a letter that stands before a text as its number: give both."""
        found = self._patterns.lettered.match(text)
        return (self.by_fold[fold(found["letter"])], text[found.end() :]) if found else None

    def leading(self, text: str) -> tuple[str, int] | None:
        """Give the letter that opens a text, and where it ends; mere words do not count."""
        found = self._patterns.leading.match(text)
        if found is None:
            return None
        name = found.lastgroup or ""
        return self.by_fold[fold(found[name])], found.end(name)

    def second(self, text: str, place: int) -> str | None:
        """Give the letter that an "or" or "and" adds right after a place."""
        return self._letter(self._patterns.second.match(text, place))

    def mentions(self, text: str) -> list[Mention]:
        """Find the letters that a text names as options."""
        found = []
        for match in self._patterns.mention.finditer(text):
            name = match.lastgroup or ""
            if _names_another(text, match.start(name)):
                continue
            if name != "word" or self._is_option(text, match):
                letter = self.by_fold[fold(match[name])]
                found.append(Mention(match.start(name), match.end(name), letter))
        return found

    def _is_option(self, text: str, match: re.Match[str]) -> bool:
        """Tell a function letter that ends a clause from one that opens a sentence."""
        before = text[: match.start()].rstrip()
        opens = not before or before[-1] in ".!?\n:。"
        return not (opens and text[match.end("word") :].lstrip()[:1] == ",")

    def _letter(self, found: re.Match[str] | None) -> str | None:
        return self.by_fold[fold(found["letter"])] if found else None


_OPENS = r"[(\[{\"'（【]"
_CLOSES = r"[)\]}\"'）】]"
_AFTER = rf"(?![{_EDGE}+#]|-\w)"
_BEFORE = rf"(?<![{_EDGE}'’-])"
_STOP = r"\s*(?:$|[.,;:!?。，；：！？)\]）】])"


class _Patterns:
    """The patterns for one set of letters in one language.

    The group that matched says how a letter was named: `named` by a word for an option, `marked`
    by brackets, `spot` by the sign after it, `bare` as a capital that is no word, `word` as one
    that is, in a place where the word cannot stand.
    """

    def __init__(self, names: tuple[str, ...], language: Language) -> None:
        words = _Words(language)
        letters = "|".join(map(re.escape, names))
        bare = "|".join(re.escape(each) for each in names if not _is_word(each, language)) or "(?!)"
        word = "|".join(re.escape(each) for each in names if _is_word(each, language)) or "(?!)"
        article = rf"(?:(?i:{words.articles})\s+)?"
        option = (
            rf"(?:(?<![{_EDGE}])(?i:{words.latin})\s*[:：]?\s*(?:n[ºo°]\s*)?|(?:{words.han})\s*)"
        )
        named = (
            rf"{option}{_OPENS}*(?P<named>{letters}|(?i:{bare})|(?i:{letters})(?={_CLOSES}|{_STOP}))"
            rf"{_AFTER}"
        )
        marked = rf"{_OPENS}\s?(?P<marked>(?i:{letters}))(?=\s?[.)]?{_CLOSES})"
        spot = (
            rf"(?P<spot>(?i:{letters})(?={_CLOSES})|(?:{letters})(?=\s?[:：](?!\d)|\.\s|\s[-–—]\s))"
        )
        joined = rf"\s+(?i:{words.joiners})\s+{_OPENS}*(?:{letters}){_AFTER}"
        reason = rf"(?i:{words.reasons})(?!\w)"
        apart = rf",?\s+(?i:{words.denials})(?!\w)"
        bare_or_word = (
            rf"(?P<bare>{bare}){_AFTER}"
            rf"|(?P<article>A){_AFTER}(?=\s+(?i:{words.links})(?!\w))"
            rf"|(?P<word>{word}){_AFTER}(?={_STOP}|{joined}|\s+{reason}|{apart}|\s*[\u2e80-\u9fff])"
        )
        self.alone = re.compile(
            rf"{article}{option}?{_OPENS}*(?P<letter>(?i:{letters})){_CLOSES}*\.?\s*"
            rf"(?:{words.han}|(?i:{words.latin}))?",
        )
        self.lettered = re.compile(
            rf"[^\w(（]*{article}{option}?{_OPENS}?(?P<letter>(?i:{letters})){_AFTER}"
            rf"(?:{_CLOSES}?\s*[.:)\-–—：、=,，]|{_CLOSES}|\s|(?=[(（]))\s*",
        )
        self.leading = re.compile(
            rf"[^\w(\[（【]*{article}(?:{named}|{marked}|{spot}|(?P<bare>{bare}){_AFTER}"
            rf"|(?P<article>A){_AFTER}(?=\s+(?i:{words.links})(?!\w))"
            rf"|(?P<word>{word}){_AFTER}(?=\s*(?:$|[;:!?.。；：)\]（(，/])|,?\s+{reason}|{apart}"
            rf"|{joined}|,\s+(?:{letters}){_AFTER}))",
        )
        self.second = re.compile(
            rf"{_CLOSES}*\.?(?:\s*[,，、/;]\s*(?:(?i:{words.joiners})\s+)?|\s*(?i:{words.joiners})\s*)"
            rf"{article}{option}?{_OPENS}*(?P<letter>{letters}){_AFTER}(?={_CLOSES}|{_STOP}|{joined})",
        )
        self.mention = re.compile(rf"{named}|{marked}|{_BEFORE}(?:{spot}|{bare_or_word})")


def _is_word(letter: str, language: Language) -> bool:
    """Tell whether a letter alone in a sentence may be a word, a number or a mere small letter."""
    return not letter.isupper() or letter in language.function_letters


def _names_another(text: str, start: int) -> bool:
    """Tell whether a letter belongs to the thing named before it: "vitamin D", "37 °C"."""
    return _lettered_thing().search(text[max(start - _NEAR, 0) : start]) is not None


_NEAR = 24  # characters before a letter in which such a name stands


@cache
def _lettered_thing() -> re.Pattern[str]:
    latin, han = _alternatives("lettered_things")
    return re.compile(rf"(?:[°º]|(?<!\w)(?:{latin})\s+|(?:{han})\s*)$", re.IGNORECASE)


@cache
def _patterns(letters: tuple[str, ...], language: Language) -> _Patterns:
    return _Patterns(letters, language)


class _Words:
    """Alternatives of words for one language, those of all languages where that does no harm."""

    def __init__(self, language: Language) -> None:
        self.latin, self.han = _alternatives("option_words")
        self.articles = _joined({word for each in every_language() for word in each.articles})
        both = {language, every_language()[0]}
        joiners = {word for each in both for word in (*each.joiners, *each.alternatives)}
        self.joiners = _joined(joiners)
        self.reasons = _joined({word for each in both for word in each.reasons})
        self.links = _joined({word for each in both for word in each.copulas})
        self.denials = _joined({word for each in both for word in each.negators})


@cache
def _alternatives(field: str) -> tuple[str, str]:
    words = {word for language in every_language() for word in getattr(language, field)}
    latin = {word for word in words if word < "\u2e80"}
    return _joined(latin), _joined(words - latin)


def _joined(words: set[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda w: (-len(w), w))) or "(?!)"
