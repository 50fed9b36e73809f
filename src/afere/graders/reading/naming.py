"""Which of a closed set of names a text chooses: labels, or the texts of options.

A name counts whole, the longest first; what is denied is not chosen.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from afere.graders.reading.folding import fold, fold_strictly, level
from afere.graders.reading.form import core, plain
from afere.graders.reading.language import Language, every_language
from afere.graders.reading.phrases import phrase_pattern

__all__ = ["Mention", "Names", "is_denied", "standing"]


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """A name in a text: where it stands and which of the set it is."""

    start: int
    end: int
    name: str


class Names:
    """Names to look for; two that read alike name nothing."""

    def __init__(self, names: Iterable[tuple[str, str]], *, strict: bool = False) -> None:
        """Take pairs of a text and what it stands for; strict: accents count."""
        self._fold = fold_strictly if strict else fold
        self._strict = strict
        folded: dict[str, str | None] = {}
        for text, name in names:
            form = self._form(text)
            folded[form] = None if form in folded and folded[form] != name else name
        self._by_form: Mapping[str, str] = {
            form: name for form, name in folded.items() if form and name
        }
        ordered = sorted(self._by_form.items(), key=lambda pair: (-len(pair[0]), pair[0]))
        self._patterns = [(form, phrase_pattern(form), name) for form, name in ordered]

    def exact(self, text: str) -> str | None:
        """Give what a text names that is one name and nothing else; an article may stand before."""
        form = self._fold(core(text))
        if form in self._by_form:
            return self._by_form[form]
        article = _article().match(form)
        return self._by_form.get(form[article.end() :]) if article else None

    def leading(self, text: str) -> tuple[str, int] | None:
        """Give the name that opens a text and where it ends, the longest first."""
        leveled = self._leveled(text)
        start = _LEAD.match(leveled)
        begin = start.end() if start else 0
        article = _article().match(leveled, begin)
        for place in (begin, article.end() if article else begin):
            for _, pattern, name in self._patterns:
                if found := pattern.match(leveled, place):
                    return name, found.end()
        return None

    def begins_other(self, text: str, name: str) -> bool:
        """Tell whether a text is the beginning of the writing of another name."""
        form = self._fold(core(text))
        return any(other != name and each.startswith(form) for each, other in self._by_form.items())

    def mentions(self, text: str) -> list[Mention]:
        """Find all names in a text; of those that overlap the longest counts."""
        leveled = self._leveled(text)
        found: list[Mention] = []
        free = bytearray(b"\1" * len(leveled))
        for form, pattern, name in self._patterns:
            if form.split(" ", 1)[0] not in leveled:
                continue
            for match in pattern.finditer(leveled):
                start, end = match.span()
                if all(free[start:end]):
                    free[start:end] = bytes(end - start)
                    found.append(Mention(start, end, name))
        return sorted(found)

    def _form(self, text: str) -> str:
        return self._fold(core(plain(text)))

    def _leveled(self, text: str) -> str:
        return text.lower() if self._strict else level(text)


def standing(text: str, mentions: Sequence[Mention], language: Language) -> set[str]:
    """Give the names that are left when those that the text denies are taken away."""
    chosen: set[str] = set()
    denied: set[str] = set()
    leveled = level(text)
    for place, mention in enumerate(mentions):
        following = mentions[place + 1].start if place + 1 < len(mentions) else len(text)
        (denied if is_denied(leveled, mention, following, language) else chosen).add(mention.name)
    return chosen - denied


def is_denied(leveled: str, mention: Mention, following: int, language: Language) -> bool:
    """Tell whether a mention is denied: "not A", "A está errada", "不选A".

    following: where the next mention begins, or the end of the text.
    """
    before = leveled[max(mention.start - _REACH, 0) : mention.start]
    pieces = _CLAUSE.split(before.rstrip(_OPENING))
    clause = pieces[-1]
    contrasts = list(_words(language, "contrasts").finditer(clause))
    clause = clause[contrasts[-1].end() :] if contrasts else clause
    if _words(language, "negators").search(clause):
        return True
    after = leveled[mention.end : min(following, mention.end + _REACH)]
    return _is_rejected(_SENTENCE.split(after, maxsplit=1)[0], language)


def _is_rejected(sentence: str, language: Language) -> bool:
    """Tell whether what follows a name rejects it, and not the others or for a reason."""
    first, *others = _COMMA.split(sentence)
    turns = _words(language, "contrasts")
    for clause in [first, *(each for each in others if turns.match(each.strip()))]:
        told = _words(language, "reasons").split(clause, maxsplit=1)[0]
        if _words(language, "rejections").search(told) and not _words(language, "others").search(
            told,
        ):
            return True
    return False


_REACH = 120
_OPENING = " ([\"'（【"
_LEAD = re.compile(r"[\s\W_]*")
_CLAUSE = re.compile(r"[.,;:!?()\n。，；：！？（）]")
_SENTENCE = re.compile(r"[.!?;](?=\s|$)|[。！？；\n]")
_COMMA = re.compile(r"[,，]")


@cache
def _article() -> re.Pattern[str]:
    words = {word for language in every_language() for word in language.articles}
    return re.compile("(?:" + "|".join(sorted(words, key=lambda w: (-len(w), w))) + r")\s+")


@cache
def _words(language: Language, field: str) -> re.Pattern[str]:
    languages = {language, every_language()[0]}
    words = {level(word) for each in languages for word in getattr(each, field)}
    parts = [
        re.escape(word) if word >= "\u2e80" else rf"(?<!\w){re.escape(word)}(?!\w)"
        for word in sorted(words, key=lambda word: (-len(word), word))
    ]
    return re.compile("|".join(parts))
