"""The last answer marker of a reply, and the text that stands at it.

A marker is a word for an answer before a colon ("Resposta:", "Correct answer is:"), alone on its
line or in brackets ("【答案】"), the words "final answer", `####`, and a box. Markers of all
languages are understood in every suite. The word "answer" in a sentence is no marker.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from afere.graders.reading.folding import level
from afere.graders.reading.language import every_language
from afere.graders.reading.signs import BOX_CLOSES, BOX_OPENS, HASHES

__all__ = ["Marked", "last_marker", "last_sentence_answer"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """The text at a marker.

    line: the rest of the marker's line, or the next line that is not empty.
    rest: all from there to the end of the reply.
    below: whether the value stands on a line of its own below the marker.
    closed: whether a box closed round the value, so that it is complete.
    start: where the marker begins.
    """

    line: str
    rest: str
    start: int
    below: bool = False
    closed: bool = False
    hashes: bool = False

    @property
    def ends(self) -> bool:
        """Whether the line was ended, so that a cut reply holds all of it."""
        return self.closed or len(self.rest) > len(self.line)


_DECOR = r"[*_`~\"'“”\])】」》>$\s]"
_LINE_DECOR = r"[ \t*_`~#\"'“”\[(【「《<>:：.\-–—" + BOX_OPENS + HASHES + r"\])】」》]"


def last_marker(
    text: str, accepts: Callable[[str], bool], *, with_empty: bool = False
) -> Marked | None:
    """Find the last marker that has a text.

    accepts: tells whether a text is exactly one answer; `####` before anything else is a heading.
    with_empty: give a marker without a text as well, where a cut may have taken it.
    """
    for marked in _backwards(text):
        if marked.hashes and not accepts(marked.line):
            continue
        if with_empty or marked.line.strip(" \t*_:：-") or marked.closed:
            return marked
    return None


def last_sentence_answer(text: str) -> str | None:
    """Give what follows the last "the answer is" on its line."""
    tail = text[-_TAIL:]
    leveled, ends = level(tail), []
    for found in _sentence().finditer(leveled):
        before = leveled[found.start() - 1 : found.start()]
        if not (found["latin"] and before.isalnum() and before < "\u2e80"):
            ends.append(found.end())
    return tail[ends[-1] :].partition("\n")[0] if ends else None


def _backwards(text: str) -> Iterator[Marked]:
    box_end = text.rfind(BOX_CLOSES)
    hashes = text.rfind(HASHES)
    for phrase in _phrases(text):
        yield from _between(text, phrase.start, box_end, hashes)
        box_end = text.rfind(BOX_CLOSES, 0, phrase.start) if box_end > phrase.start else box_end
        hashes = text.rfind(HASHES, 0, phrase.start) if hashes > phrase.start else hashes
        if marked := _at_phrase(text, phrase):
            yield marked
    yield from _between(text, -1, box_end, hashes)


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A phrase for an answer: its place, whether "final" stands with it, and needs a colon."""

    start: int
    end: int
    is_final: bool
    needs_colon: bool


def _phrases(text: str) -> Iterator[_Phrase]:
    """Give the phrases of a text, the last first."""
    low = text.lower() if text.isascii() else level(text)
    places = {stem: place for stem in _stems() if (place := low.rfind(stem)) >= 0}
    for _ in range(_MOST_PHRASES):
        if not places:
            return
        stem = max(places, key=lambda each: (places[each], len(each)))
        place = places[stem]
        places[stem] = low.rfind(stem, 0, place + len(stem) - 1)
        if places[stem] < 0:
            del places[stem]
        if phrase := _phrase_at(low, place):
            yield phrase


def _phrase_at(low: str, place: int) -> _Phrase | None:
    before = low[place - 1 : place] if place else ""
    if before.isalnum() and before < "\u2e80" and low[place] < "\u2e80":
        return None
    found = _phrase().match(low, place)
    if found is None:
        return None
    adjectives = _qualifiers().search(low, max(place - _ADJECTIVES, 0), place)
    start = adjectives.start() if adjectives else place
    is_final = bool(adjectives) and _finals().search(low, start, place) is not None
    return _Phrase(start, found.end(), is_final, found["colon"] is not None)


_TAIL = 3000  # characters from the end in which a sentence may say what the answer is
_MOST_PHRASES = 200  # phrases that are tried, so that a hostile text costs little
_ADJECTIVES = 40  # characters before a phrase in which its adjectives stand


def _between(text: str, floor: int, box_end: int, hashes: int) -> Iterator[Marked]:
    """Give boxes and hashes after a place, the last first."""
    while max(box_end, hashes) > floor:
        if box_end > hashes:
            if marked := _at_box(text, box_end):
                yield marked
            box_end = text.rfind(BOX_CLOSES, 0, box_end)
        else:
            yield _at(text, hashes, hashes + 1, hashes=True)
            hashes = text.rfind(HASHES, 0, hashes)


def _at_box(text: str, end: int) -> Marked | None:
    start = text.rfind(BOX_OPENS, 0, end)
    if start < 0:
        return None
    inside = text[start + 1 : end].replace(BOX_CLOSES, "").strip()
    return Marked(line=inside, rest=inside, start=start, closed=True) if inside else None


def _at_phrase(text: str, phrase: _Phrase) -> Marked | None:  # noqa: PLR0911 - one a form
    """Tell what kind of marker a phrase is, if any, and give the text at it."""
    start, end = phrase.start, phrase.end
    if colon := _COLON.match(text, end):
        return _at(text, start, colon.end())
    if phrase.needs_colon:
        return None
    before = text[text.rfind("\n", 0, start) + 1 : start]
    at_line_start = not before.strip(" \t*_`~#\"'[(【「<>" + HASHES) or _openings().fullmatch(
        before
    )
    if at_line_start and _ALONE.match(text, end):
        return _at(text, start, end)
    if before[-1:] in _BRACKETS and text[end : end + 1] == _BRACKETS[before[-1:]]:
        return _at(text, start, end + 1)
    if at_line_start and (dash := _DASH.match(text, end)):
        return _at(text, start, dash.end())
    if phrase.is_final and (link := _link().match(text, end)):
        return _at(text, start, link.end())
    return None


def _at(text: str, start: int, end: int, *, hashes: bool = False) -> Marked:
    line_end = text.find("\n", end)
    line = text[end:] if line_end < 0 else text[end:line_end]
    if line.strip(" \t*_:：" + BOX_OPENS + BOX_CLOSES) or line_end < 0 or hashes:
        return Marked(line=line, rest=text[end:], start=start, hashes=hashes)
    rest = text[line_end:].lstrip("\n \t")
    return Marked(line=rest.partition("\n")[0], rest=rest, start=start, below=True)


_COLON = re.compile(rf"{_DECOR}{{0,8}}(?:\([^()\n]{{0,40}}\))?{_DECOR}{{0,4}}[:：=→](?!//)")
_ALONE = re.compile(rf"{_LINE_DECOR}{{0,12}}(?=\n|$)")
_DASH = re.compile(r"[ \t*_]{1,4}(?:[-–—]|->|=>)[ \t]+|[*_]{0,3}[ \t]*(?:->|=>)")
_BRACKETS = {"[": "]", "【": "】", "(": ")", "「": "」", "<": ">", "《": "》"}


@cache
def _stems() -> tuple[str, ...]:
    """Give the beginnings of all phrases, none of them the beginning of another."""
    words = sorted({*_words("answer"), *_words("answer_with_colon")})
    stems: list[str] = []
    for word in words:
        if not stems or not word.startswith(stems[-1]):
            stems.append(word)
    return tuple(stems)


@cache
def _phrase() -> re.Pattern[str]:
    """Build the pattern of the answer words with the adjectives after them and a copula."""
    latin, han = _split(_words("answer"))
    latin_colon, han_colon = _split(_words("answer_with_colon"))
    adjectives, _ = _split(_words("qualifiers"))
    links, han_links = _split(_words("copulas"))
    return re.compile(
        rf"(?:(?:{latin})(?![^\W_])(?:\s+(?:{adjectives})(?![^\W_])){{0,2}}|(?:{han})"
        rf"|(?P<colon>(?:{latin_colon})(?![^\W_])|(?:{han_colon})))"
        rf"(?:\s*(?:(?:{links})(?![^\W_])|(?:{han_links}))(?=[*_\s]*[:：]))?",
    )


@cache
def _qualifiers() -> re.Pattern[str]:
    latin, han = _split(_words("qualifiers"))
    return re.compile(rf"(?<![^\W_])(?:(?:{latin})\s+){{1,2}}$|(?:{han}){{1,2}}$")


@cache
def _finals() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, _words("finals"))))


@cache
def _openings() -> re.Pattern[str]:
    latin, _ = _split(_words("openings"))
    return re.compile(rf"[ \t*_`~#>]*(?:{latin})[ \t]+", re.IGNORECASE)


@cache
def _link() -> re.Pattern[str]:
    latin, han = _split(_words("copulas"))
    return re.compile(
        rf"[*_\"'\s]*(?:(?:{latin})(?![^\W_])|(?:{han}))?[*_\"'\s]+(?=\S)|(?:{han})", re.IGNORECASE
    )


@cache
def _sentence() -> re.Pattern[str]:
    """Build the pattern of "answer is", "alternativa correta é", "本题选"; a letter opens it."""
    subjects, han_subjects = _split(_words("subjects"))
    adjectives, _ = _split(_words("qualifiers"))
    links, han_links = _split(_words("copulas"))
    verbs, han_verbs = _split(_words("verdict_verbs"))
    return re.compile(
        rf"(?P<latin>(?:{subjects})(?:\s+(?:{adjectives})){{0,2}}\s+(?:{links})(?![^\W_])"
        rf"|(?:{verbs})(?![^\W_]))"
        rf"|(?:{han_subjects})(?:{han_links})|(?<![不能该应别勿没])(?:{han_verbs})(?!项)",
    )


def _words(name: str) -> list[str]:
    words = {level(word) for language in every_language() for word in getattr(language, name)}
    return sorted(words, key=lambda word: (-len(word), word))


def _split(words: list[str]) -> tuple[str, str]:
    """Join words as alternatives, those in Latin letters and those in Chinese ones."""
    escaped = [(word, re.escape(word).replace(r"\ ", r"\s+")) for word in words]
    latin = "|".join(pattern for word, pattern in escaped if word < "\u2e80")
    han = "|".join(pattern for word, pattern in escaped if word >= "\u2e80")
    return latin, han
