"""The last answer marker of a reply, and the text that stands at it.

A marker is a word for an answer before a colon ("Resposta:", "Correct answer is:"), alone on its
line or in brackets ("【答案】"), the words "final answer", `####`, and a box. Markers of all
languages are understood in every suite. The word "answer" in a sentence is no marker.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

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


def last_marker(text: str, accepts: Callable[[str], bool]) -> Marked | None:
    """Find the last marker that has a text.

    accepts: tells whether a text is exactly one answer; `####` before anything else is a heading.
    """
    for marked in _backwards(text):
        if marked.hashes and not accepts(marked.line):
            continue
        if marked.line.strip(" \t*_:：-") or marked.closed:
            return marked
    return None


def last_sentence_answer(text: str) -> str | None:
    """Give what follows the last "the answer is" on its line."""
    ends = [found.end() for found in _sentence().finditer(text)]
    return text[ends[-1] :].partition("\n")[0] if ends else None


def _backwards(text: str) -> Iterator[Marked]:
    box_end = text.rfind(BOX_CLOSES)
    hashes = text.rfind(HASHES)
    for phrase in reversed([*_phrase().finditer(text)]):
        yield from _between(text, phrase.start(), box_end, hashes)
        box_end = text.rfind(BOX_CLOSES, 0, phrase.start()) if box_end > phrase.start() else box_end
        hashes = text.rfind(HASHES, 0, phrase.start()) if hashes > phrase.start() else hashes
        if marked := _at_phrase(text, phrase):
            yield marked
    yield from _between(text, -1, box_end, hashes)


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


def _at_phrase(text: str, phrase: re.Match[str]) -> Marked | None:  # noqa: PLR0911 - one a form
    """Tell what kind of marker a phrase is, if any, and give the text at it."""
    start, end = phrase.start(), phrase.end()
    if colon := _COLON.match(text, end):
        return _at(text, start, colon.end())
    if phrase["colon"]:
        return None
    before = text[text.rfind("\n", 0, start) + 1 : start]
    at_line_start = not before.strip(" \t*_`~#\"'[(【「<>" + HASHES) or _ARTICLE.fullmatch(before)
    if at_line_start and _ALONE.match(text, end):
        return _at(text, start, end)
    if before[-1:] in _BRACKETS and text[end : end + 1] == _BRACKETS[before[-1:]]:
        return _at(text, start, end + 1)
    if at_line_start and (dash := _DASH.match(text, end)):
        return _at(text, start, dash.end())
    if phrase["final"] and (link := _link().match(text, end)):
        return _at(text, start, link.end())
    return None


def _at(text: str, start: int, end: int, *, hashes: bool = False) -> Marked:
    line_end = text.find("\n", end)
    line = text[end:] if line_end < 0 else text[end:line_end]
    if line.strip(" \t*_:：" + BOX_OPENS + BOX_CLOSES) or line_end < 0 or hashes:
        return Marked(line=line, rest=text[end:], start=start, hashes=hashes)
    rest = text[line_end:].lstrip("\n \t")
    return Marked(line=rest.partition("\n")[0], rest=rest, start=start, below=True)


_COLON = re.compile(
    rf"{_DECOR}{{0,8}}(?:\([^()\n]{{0,40}}\))?{_DECOR}{{0,4}}[:：=→](?!//){_DECOR}{{0,0}}"
)
_ALONE = re.compile(rf"{_LINE_DECOR}{{0,12}}(?=\n|$)")
_DASH = re.compile(r"[ \t*_]{1,4}(?:[-–—]|->|=>)[ \t]+|[*_]{0,3}[ \t]*(?:->|=>)")
_ARTICLE = re.compile(
    r"[ \t*_`~#>]*(?:the|my|a|o|la|el|mi|minha|so,? the|thus,? the)[ \t]+", re.IGNORECASE
)
_BRACKETS = {"[": "]", "【": "】", "(": ")", "「": "」", "<": ">", "《": "》"}


@cache
def _phrase() -> re.Pattern[str]:
    r"""Build the pattern of all answer words with the adjectives round them and a copula."""
    qualifiers = _words("qualifiers")
    copulas = _words("copulas")
    latin, han = _split(_words("answer"))
    latin_colon, han_colon = _split(_words("answer_with_colon"))
    latin_q, han_q = _split(qualifiers)
    latin_c, han_c = _split(copulas)
    return re.compile(
        rf"(?:(?<![^\W_])(?P<final>(?:final|最终)\s+)?(?:(?:{latin_q})\s+){{0,2}}"
        rf"(?:{latin})(?![^\W_])(?P<after>(?:\s+(?:{latin_q})(?![^\W_])){{0,2}})"
        rf"|(?:{han_q}){{0,2}}(?:{han})"
        rf"|(?P<colon>(?<![^\W_])(?:{latin_colon})(?![^\W_])|(?:{han_colon})))"
        rf"(?:\s*(?:(?:{latin_c})(?![^\W_])|(?:{han_c}))(?=[*_\s]*[:：]))?",
        re.IGNORECASE,
    )


@cache
def _link() -> re.Pattern[str]:
    latin, han = _split(_words("copulas"))
    return re.compile(
        rf"[*_\"'\s]*(?:(?:{latin})(?![^\W_])|(?:{han}))?[*_\"'\s]+(?=\S)|(?:{han})", re.IGNORECASE
    )


@cache
def _sentence() -> re.Pattern[str]:
    """Build the pattern of "the (right) answer is", "a alternativa correta é", "本题选"."""
    latin_s, han_s = _split(_words("subjects"))
    latin_q, han_q = _split(_words("qualifiers"))
    latin_c, han_c = _split(_words("copulas"))
    latin_v, han_v = _split(_words("verdict_verbs"))
    return re.compile(
        rf"(?<![^\W_])(?:(?:{latin_q})\s+){{0,2}}(?:{latin_s})(?:\s+(?:{latin_q})){{0,2}}"
        rf"(?:\s+(?:certa|correta|correcta))?\s+(?:{latin_c})(?![^\W_])"
        rf"|(?:{han_q}){{0,2}}(?:{han_s})(?:{han_c})|(?<![不能该])(?:{han_v})(?!项)"
        rf"|(?<![^\W_])(?:{latin_v})(?![^\W_])",
        re.IGNORECASE,
    )


def _words(name: str) -> list[str]:
    words = {word for language in every_language() for word in getattr(language, name)}
    return sorted(words, key=lambda word: (-len(word), word))


def _split(words: list[str]) -> tuple[str, str]:
    """Join words as alternatives, those in Latin letters and those in Chinese ones."""
    escaped = [(word, re.escape(word).replace(r"\ ", r"\s+")) for word in words]
    latin = "|".join(pattern for word, pattern in escaped if word < "\u2e80")
    han = "|".join(pattern for word, pattern in escaped if word >= "\u2e80")
    return latin, han
