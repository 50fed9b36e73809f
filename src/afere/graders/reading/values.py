"""Which of the numbers of a text is the one it gives: results of sums, first and last values."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from afere.graders.reading.denials import is_denied_after, is_denied_before
from afere.graders.reading.form import core
from afere.graders.reading.language import Language, every_language
from afere.graders.reading.numerals import Number, find_numbers
from afere.graders.reading.signs import BOX_CLOSES, BOX_OPENS, BULLET, HASHES

__all__ = ["exact_number", "first_number", "last_number"]

_WINDOW = 2000  # characters of a long line that are looked at in one go, from its end
_AFTER = 2  # words that may follow a number that stands for itself: "372 pencils"

_EQUALS = re.compile(r"[^\n.;!?。；]{0,60}?(?:[=≈≡⇒]|=>|→|->)[^\w\n]{0,12}|[²³]?\s*=\s*")
_BEFORE_EQUALS = re.compile(r"[=≈≡][^\w\n]{0,12}$")
_SENTENCE = re.compile(r"[.!?;](?=\s)|[。！？；\n]")
_OPENS_BRACKET = re.compile(r"[(\[（]")
_LIST_NUMBER = re.compile(r"\s*([0-9]{1,2})\s?[.)](?=\s+\S)|\s*\(([0-9]{1,2})\)(?=\s+\S)")
_BRACKETED = re.compile(r"\([^()]*\)|（[^（）]*）")
_NEAR = 24  # characters before a number in which a denial or the word for a step stands
_LONE_SIGN = re.compile(r"^[≥≤√] ?(?=[0-9]+$)")  # with nothing round it, a slip of the pen
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_OPERATORS = frozenset("+*/^×÷=<>≤≥≠±∓√∛")


@dataclass(frozen=True, slots=True)
class _Chain:
    """Numbers joined by operators; `number` is what it comes to, None where it is left open."""

    start: int
    end: int
    number: Number | None
    is_result: bool


def exact_number(text: str, language: Language, *, lenient: bool) -> Number | None:
    """Read a text that is one number and no other word; lenient: up to two words may follow."""
    text = _LONE_SIGN.sub("", core(text))
    found = list(find_numbers(text, language)) if len(text) <= _WINDOW or text.isalnum() else []
    if len(found) != 1 or found[0].value is None:
        return None
    number = found[0]
    lead, trail = text[: number.start], text[number.end :]
    if _OPERATORS.intersection(lead.lstrip(" =≈~").rstrip()) or _OPERATORS.intersection(trail):
        return None
    if is_denied_before(text, number.start, language) or is_denied_after(
        text, number.end, language
    ):
        return None
    if _LETTER.search(lead) and lead.strip().lower() not in _approximations():
        return None
    words = _WORD.findall(trail)
    if not words:
        return number
    noun = (
        lenient
        and len(words) <= _AFTER
        and words[0].lower() not in (*language.alternatives, *language.joiners)
    )
    return number if noun and not any(mark in trail for mark in ".!?;:\n。") else None


def first_number(text: str, language: Language) -> Number | None:
    """Read the value that stands at a marker: the first, or what its sum comes to.

    Where words come before it, the sentence is read to its end, brackets left out.
    """
    chains = list(_chains(text, list(find_numbers(text, language))))
    if not chains:
        return None
    first, either = chains[0], (*language.alternatives, *language.joiners)
    is_direct = not _LETTER.search(_lead(text, first))
    if first.number and (first.is_result or is_direct):
        either = (*either, *language.ranges)
        if _is_denied(text, first, language):
            return None
        return None if _is_choice(text, chains, 0, either) else first.number
    if first.number is None and is_direct and len(chains) == 1:
        return None
    inside = _first_sentence(text, chains)
    valued = [
        place
        for place, chain in enumerate(inside)
        if chain.number is not None and not _is_denied(text, chain, language)
    ]
    told = [place for place in valued if _link().search(_before(text, inside[place]))]
    if not valued:
        return None
    last = (told or valued)[-1]
    return None if _is_choice(text, inside, last, either) else inside[last].number


def last_number(text: str, language: Language) -> Number | None:
    """Read the last value of a text: numbers of lists, open sums and asides are passed over.

    What stands in brackets or after "because" counts only where nothing else does.
    """
    for line in reversed(text.split("\n")):
        for window in _windows(line):
            for part in _without_asides(window, language):
                found = _last_of(text, part, language)
                if found is not None:
                    return found.number
    return None


def _last_of(text: str, part: str, language: Language) -> "_Chain | None":
    """Give the last chain of a part that has a value, or is one of two that are left open."""
    chains = list(_chains(part, list(find_numbers(part, language))))
    for place in range(len(chains) - 1, -1, -1):
        chain = chains[place]
        is_value = chain.number is not None and not _is_denied(part, chain, language)
        if is_value and not _is_numbering(text, part, chain, language):
            undecided = _is_choice(part, chains, place, language.alternatives) or _is_range(
                part, chains, place, language
            )
            return (
                _Chain(chain.start, chain.end, number=None, is_result=False) if undecided else chain
            )
    return None


def _is_denied(text: str, chain: "_Chain", language: Language) -> bool:
    return (
        _denial(language).search(_before(text, chain)) is not None
        or is_denied_before(text, chain.start, language)
        or is_denied_after(text, chain.end, language)
    )


def _before(text: str, chain: "_Chain") -> str:
    return text[max(chain.start - _NEAR, 0) : chain.start]


def _without_asides(line: str, language: Language) -> Iterator[str]:
    """Give a line without what explains its value, then the line as it is."""
    bare = _BRACKETED.sub(_blanks, line) if "(" in line or "（" in line else line
    aside = _aside(language).search(bare)
    if aside and any(char.isdigit() for char in bare[: aside.start()]):
        yield bare[: aside.start()]
    if bare != line:
        yield bare
    yield line


def _blanks(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _windows(line: str) -> Iterator[str]:
    """Cut a long line at spaces, the last piece first."""
    end = len(line)
    while end > _WINDOW:
        start = line.rfind(" ", 0, end - _WINDOW)
        if start <= 0:
            break
        yield line[start:end]
        end = start
    yield line[:end]


def _chains(text: str, numbers: Sequence[Number]) -> Iterator[_Chain]:
    place = 0
    while place < len(numbers):
        first = last = place
        is_result = bool(
            _BEFORE_EQUALS.search(text[max(numbers[first].start - 16, 0) : numbers[first].start])
        )
        is_open = False
        while last + 1 < len(numbers):
            gap = text[numbers[last].end : numbers[last + 1].start]
            if _EQUALS.fullmatch(gap):
                is_result, is_open = True, False
            elif _operator().fullmatch(gap):
                is_result, is_open = False, True
            else:
                break
            last += 1
        number = None if is_open or numbers[last].value is None else numbers[last]
        yield _Chain(numbers[first].start, numbers[last].end, number, is_result)
        place = last + 1


def _lead(text: str, chain: _Chain) -> str:
    lead = text[: chain.start]
    for sign in (BOX_OPENS, BOX_CLOSES, BULLET, HASHES):
        lead = lead.replace(sign, "")
    words = lead.strip(" :：=≈~*\"'([{").lower()
    return "" if words in _approximations() else lead


def _first_sentence(text: str, chains: Sequence[_Chain]) -> list[_Chain]:
    """Give the chains of the first sentence that has one, those in brackets after it left out."""
    end = _SENTENCE.search(text, chains[0].end)
    limit = end.start() if end else len(text)
    bracket = _OPENS_BRACKET.search(text, chains[0].end, limit)
    limit = bracket.start() if bracket and chains[0].number else limit
    return [chain for chain in chains if chain.start < limit]


def _is_choice(text: str, chains: Sequence[_Chain], place: int, words: Sequence[str]) -> bool:
    """Tell whether the value is one of two that a word such as "or" leaves open."""
    if place and text[chains[place - 1].end : chains[place].start].strip().lower() in words:
        return True
    if place + 1 < len(chains):
        return text[chains[place].end : chains[place + 1].start].strip().lower() in words
    return False


def _is_range(text: str, chains: Sequence[_Chain], place: int, language: Language) -> bool:
    """Tell whether the value is the end of a range: "between 50 and 60"."""
    if not place:
        return False
    first = chains[place - 1]
    gap = text[first.end : chains[place].start].strip().lower()
    before = text[max(first.start - _NEAR, 0) : first.start].rstrip().lower()
    return gap in language.joiners and before.endswith(language.between)


def _is_numbering(text: str, line: str, chain: _Chain, language: Language) -> bool:
    """Tell whether a number counts a line of a list, a step or a figure."""
    found = _LIST_NUMBER.match(line.lstrip(BULLET))
    if found and chain.start <= line.index(found[1] or found[2]) < chain.end:
        count = int(found[1] or found[2])
        before = rf"(?m)^[^\w\n]*{count - 1}\s?[.)]\s"
        return count <= 1 or bool(re.search(before, text))
    word = _LAST_WORD.search(line, max(chain.start - _NEAR, 0), chain.start)
    after = line[chain.end : chain.end + 1]
    is_step = bool(word) and word[1].lower() in language.steps if word else False
    return is_step or (bool(after) and after in language.steps_after)


_LAST_WORD = re.compile(r"([^\W\d_]+)[\s#]*$")


@cache
def _operator() -> re.Pattern[str]:
    """Build the pattern of what joins the numbers of a sum: a sign or a word, brackets free."""
    words = {re.escape(word) for each in every_language() for word in each.operators}
    joined = "|".join(sorted(words, key=lambda word: (-len(word), word)))
    around = r"[\s()\[\]{}$]*"
    return re.compile(rf"{around}(?:[-+−–*×xX✕·⋅÷/^&|]|[²³]|{joined}){around}", re.IGNORECASE)


@cache
def _link() -> re.Pattern[str]:
    """Build the pattern of "is" right before a number, words such as "about" between them."""
    links = {re.escape(word) for each in every_language() for word in each.copulas}
    nearly = {re.escape(word) for each in every_language() for word in each.approximations}
    latin = "|".join(sorted((word for word in links if word < "\u2e80"), key=len, reverse=True))
    han = "|".join(sorted((word for word in links if word >= "\u2e80"), key=len, reverse=True))
    about = "|".join(sorted(nearly, key=len, reverse=True))
    return re.compile(
        rf"(?:(?<!\w)(?:{latin})\s+(?:(?:{about})\s+)?|(?:{han})\s*(?:{about})?)$", re.IGNORECASE
    )


@cache
def _denial(language: Language) -> re.Pattern[str]:
    """Build the pattern of a word that denies the number right after it."""
    languages = {language, *every_language()[:1]}
    words = {word for each in languages for word in each.negators}
    links = {word for each in languages for word in (*each.copulas, *each.articles)}
    latin = "|".join(re.escape(word) for word in sorted(words) if word < "\u2e80")
    han = "|".join(re.escape(word) for word in sorted(words) if word >= "\u2e80") or "(?!)"
    link = "|".join(re.escape(word) for word in sorted(links, key=len, reverse=True))
    return re.compile(rf"(?:(?<!\w)(?:{latin})\s+(?:(?:{link})\s+)?|(?:{han})\s*)$", re.IGNORECASE)


@cache
def _aside(language: Language) -> re.Pattern[str]:
    words = {word for each in {language, *every_language()[:1]} for word in each.asides}
    latin = "|".join(re.escape(word) for word in sorted(words) if word < "\u2e80")
    han = "|".join(re.escape(word) for word in sorted(words) if word >= "\u2e80") or "(?!)"
    return re.compile(rf"(?<!\w)(?:{latin})(?!\w)|{han}", re.IGNORECASE)


@cache
def _approximations() -> frozenset[str]:
    words = {word for language in every_language() for word in language.approximations}
    articles = {word for language in every_language() for word in language.articles}
    return frozenset(words | articles | {""})
