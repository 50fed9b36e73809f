"""Which of a closed set of names a text chooses: labels, or the texts of options.

A name counts whole, the longest first; what is denied is not chosen.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from afere.graders.reading.folding import fold, fold_strictly, level
from afere.graders.reading.form import core, plain
from afere.graders.reading.language import Language, every_language
from afere.graders.reading.phrases import phrase_pattern
from afere.graders.reading.signs import BULLET

__all__ = ["Mention", "Names", "is_denied", "standing"]


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """A name in a text: where it stands and which of the set it is."""

    start: int
    end: int
    name: str


class Names:
    """Names to look for; two that read alike name nothing.

    alike: whether two names read alike, or one reads as nothing.
    """

    def __init__(
        self,
        names: Iterable[tuple[str, str]],
        *,
        strict: bool = False,
        language: Language | None = None,
    ) -> None:
        """Take pairs of a text and what it stands for; strict: accents count.

        language: the one in whose sentences a "no" before a noun is no name.
        """
        self._fold = fold_strictly if strict else fold
        self._strict = strict
        self._determiners = frozenset(language.no_before_nouns) if language else frozenset()
        folded: dict[str, str | None] = {}
        for text, name in names:
            form = self._form(text)
            folded[form] = None if form in folded and folded[form] != name else name
        self.alike = None in folded.values() or "" in folded
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
        longer = [each.span() for each in _longer_words().finditer(leveled)]
        for form, pattern, name in self._patterns:
            if form.split(" ", 1)[0] not in leveled:
                continue
            for match in pattern.finditer(leveled):
                start, end = match.span()
                if all(free[start:end]) and self._is_whole(leveled, start, end, longer):
                    free[start:end] = bytes(end - start)
                    found.append(Mention(start, end, name))
        return sorted(found)

    def _is_whole(
        self, leveled: str, start: int, end: int, longer: Sequence[tuple[int, int]]
    ) -> bool:
        """Tell a name from a part of a longer word, 是 for "is", and "no" before a noun."""
        if any(
            first <= start and end <= last and last - first > end - start for first, last in longer
        ):
            return False
        if end - start == 1 and leveled[start] >= _HAN:
            return not leveled[end : end + 1] >= _HAN or leveled[end] in _AFTER_LONE
        if leveled[start:end] in self._determiners:
            return _ended().match(leveled, end) is not None
        return True

    def _form(self, text: str) -> str:
        return self._fold(core(plain(text)))

    def _leveled(self, text: str) -> str:
        return text.lower() if self._strict else level(text)


def standing(text: str, mentions: Sequence[Mention], language: Language) -> set[str]:
    """Give the names that are left when those that the text denies are taken away.

    A denial holds for all names of an enumeration: "neither A nor B", "A、B都不对".
    """
    if not mentions:
        return set()
    leveled = level(text)
    ends = [mention.start for mention in mentions[1:]] + [len(text)]
    denied_before = [_is_negated(leveled, mention, language) for mention in mentions]
    denied_after = [
        _is_rejected(_after(leveled, mention, end), language)
        or _answered_no().match(leveled, mention.end) is not None
        for mention, end in zip(mentions, ends, strict=True)
    ]
    joined = [
        bool(_enumeration(language).fullmatch(text[one.end : other.start].lower()))
        for one, other in pairwise(mentions)
    ]
    for place, is_joined in enumerate(joined):
        denied_before[place + 1] |= is_joined and denied_before[place]
    for place in range(len(joined) - 1, -1, -1):
        denied_after[place] |= joined[place] and denied_after[place + 1]
    denied = {
        mention.name
        for mention, before, after in zip(mentions, denied_before, denied_after, strict=True)
        if before or after
    }
    return {mention.name for mention in mentions} - denied


def is_denied(leveled: str, mention: Mention, following: int, language: Language) -> bool:
    """Tell whether one mention is denied: "not A", "A está errada", "不选A".

    following: where the next mention begins, or the end of the text.
    """
    if _is_negated(leveled, mention, language) or _answered_no().match(leveled, mention.end):
        return True
    return _is_rejected(_after(leveled, mention, following), language)


def _is_negated(leveled: str, mention: Mention, language: Language) -> bool:
    before = leveled[max(mention.start - _REACH, 0) : mention.start]
    if before.rstrip(_OPENING)[-1:] in _DENYING:
        return True
    return _negates(_CLAUSE.split(before.rstrip(_OPENING))[-1], language)


@lru_cache(maxsize=512)
def _negates(clause: str, language: Language) -> bool:
    """Tell whether a clause denies what comes right after it."""
    if any(clause.endswith(word) for word in _turning(language)):
        return True
    contrasts = list(_words(language, "contrasts").finditer(clause))
    clause = clause[contrasts[-1].end() :] if contrasts else clause
    return bool(_words(language, "negators").search(clause))


def _after(leveled: str, mention: Mention, following: int) -> str:
    """Give the rest of a mention's sentence; a letter that numbers a line does not end it."""
    after = leveled[mention.end : min(following, mention.end + _REACH)]
    line = leveled[leveled.rfind("\n", 0, mention.start) + 1 : mention.start]
    after = after.lstrip(").:：、 ") if not line.strip(_LINE_OPENING) else after
    return _SENTENCE.split(after, maxsplit=1)[0]


@lru_cache(maxsize=512)
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


_HAN = "\u2e80"
_AFTER_LONE = "的了吧呀啊呢因所但而，。；：！？、）】」』”’》"
_DENYING = frozenset("不没非无未除")  # characters that deny what stands right after them
_REACH = 120
_OPENING = " ([\"'（【"
_LINE_OPENING = " \t(（[*-" + BULLET
_LEAD = re.compile(r"[\s\W_]*")
_CLAUSE = re.compile(r"[.,;:!?()\n。，；：！？（）]")
_SENTENCE = re.compile(r"[.!?;](?=\s|$)|[。！？；\n]")
_COMMA = re.compile(r"[,，]")


@cache
def _answered_no() -> re.Pattern[str]:
    """Build the pattern of a "no" that answers to a name: "D? No.", "C não."."""
    words = {level(word) for language in every_language() for word in language.no_to_a_name}
    joined = "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
    asked = r"[\"'\])}]{0,9}\s{0,9}[?？]?\s{0,9}"
    keyed = r"[\"')]\s*:\s*[\"']"
    return re.compile(rf"(?:{keyed}|{asked})(?:{joined})[\"'}}\]]*\s*(?:[.!。！}}]|$)")


@cache
def _longer_words() -> re.Pattern[str]:
    words = {level(word) for language in every_language() for word in language.longer_words}
    return re.compile("|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word))))


@cache
def _ended() -> re.Pattern[str]:
    """Build the pattern of what may follow an answer "no": nothing, a sign, a reason."""
    fields = ("reasons", "contrasts", "alternatives", "joiners", "copulas")
    words = {
        word
        for language in every_language()
        for field in fields
        for word in (level(each) for each in getattr(language, field))
        if word < _HAN
    }
    joined = "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
    return re.compile(rf"\s*(?:$|[^\w\s]|(?:{joined})(?!\w))")


@cache
def _turning(language: Language) -> tuple[str, ...]:
    """Give the negators that hold a word of contrast: "anything but"."""
    contrasts = _words(language, "contrasts")
    negators = {word for each in every_language() for word in each.negators}
    return tuple(level(word) for word in negators if contrasts.search(level(word)))


@cache
def _enumeration(language: Language) -> re.Pattern[str]:
    """Build the pattern of what stands between the names of an enumeration."""
    languages = {language, *every_language()[:1]}
    words = {word for each in languages for word in (*each.joiners, *each.nor)}
    options = {word for each in languages for word in each.option_words}
    articles = "|".join(sorted({word for each in languages for word in each.articles}))
    joined = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    named = "|".join(sorted(map(re.escape, options), key=len, reverse=True))
    return re.compile(
        rf"[\s,，、/()（）]*(?:(?:{joined})[\s(（]*)?(?:(?:{articles})\s+)?(?:(?:{named})[\s(（]*)?"
    )


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
