"""Which of the numbers of a text is the one it gives: results of sums, first and last values."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from afere.graders.reading.form import core
from afere.graders.reading.language import Language, every_language
from afere.graders.reading.numerals import Number, find_numbers
from afere.graders.reading.signs import BOX_CLOSES, BOX_OPENS, BULLET, HASHES

__all__ = ["exact_number", "first_number", "last_number"]

_WINDOW = 2000  # characters of a long line that are looked at in one go, from its end
_AFTER = 2  # words that may follow a number that stands for itself: "372 pencils"

_OPERATOR = re.compile(
    r"[\s()\[\]{}$]*(?:[-+−–*×xX✕·⋅÷/^&|]|[²³]|XOR|xor|AND|and then|mod|MOD|plus|minus|times"
    r"|multiplied by|divided by|mais|menos|vezes|dividido por|por|más|entre|乘以?|加上?|减去?|除以)"
    r"[\s()\[\]{}$]*",
)
_EQUALS = re.compile(r"[^\n.;!?。；]{0,60}?(?:[=≈≡⇒]|=>|→|->)[^\w\n]{0,12}|[²³]?\s*=\s*")
_BEFORE_EQUALS = re.compile(r"[=≈≡][^\w\n]{0,12}$")
_SENTENCE = re.compile(r"[.!?;](?=\s)|[。！？；\n]")
_OPENS_BRACKET = re.compile(r"[(\[（]")
_LIST_NUMBER = re.compile(r"\s*([0-9]{1,2})\s?[.)](?=\s+\S)|\s*\(([0-9]{1,2})\)(?=\s+\S)")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_OPERATORS = frozenset("+*/^×÷=<>")


@dataclass(frozen=True, slots=True)
class _Chain:
    """Numbers joined by operators; `number` is what it comes to, None where it is left open."""

    start: int
    end: int
    number: Number | None
    is_result: bool


def exact_number(text: str, language: Language, *, lenient: bool) -> Number | None:
    """Read a text that is one number and no other word; lenient: up to two words may follow."""
    text = core(text)
    found = list(find_numbers(text, language)) if len(text) <= _WINDOW or text.isalnum() else []
    if len(found) != 1 or found[0].value is None:
        return None
    number = found[0]
    lead, trail = text[: number.start], text[number.end :]
    if _OPERATORS.intersection(lead.lstrip(" =≈~").rstrip()) or _OPERATORS.intersection(trail):
        return None
    if _LETTER.search(lead) and lead.strip().lower() not in _approximations():
        return None
    words = _WORD.findall(trail)
    if not words:
        return number
    noun = lenient and len(words) <= _AFTER and not _is_hedge(words[0], language)
    return number if noun and not any(mark in trail for mark in ".!?;:\n。") else None


def first_number(text: str, language: Language) -> Number | None:
    """Read the value that stands at a marker: the first, or what its sum comes to.

    Where words come before it, the sentence is read to its end, brackets left out.
    """
    chains = list(_chains(text, list(find_numbers(text, language))))
    if not chains:
        return None
    first = chains[0]
    if first.number and (first.is_result or not _LETTER.search(_lead(text, first))):
        return None if _is_choice(text, chains, 0, language) else first.number
    if first.number is None and not _LETTER.search(_lead(text, first)) and len(chains) == 1:
        return None
    inside = _first_sentence(text, chains)
    valued = [place for place, chain in enumerate(inside) if chain.number is not None]
    if not valued:
        return None
    last = valued[-1]
    return None if _is_choice(text, inside, last, language) else inside[last].number


def last_number(text: str, language: Language) -> Number | None:
    """Read the last value of a text, numbers of lists and open sums passed over."""
    for line in reversed(text.split("\n")):
        for window in _windows(line):
            chains = list(_chains(window, list(find_numbers(window, language))))
            for place in range(len(chains) - 1, -1, -1):
                chain = chains[place]
                if chain.number is None or _is_numbering(text, window, chain, language):
                    continue
                return None if _is_choice(window, chains, place, language) else chain.number
    return None


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
            elif _OPERATOR.fullmatch(gap):
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


def _is_choice(text: str, chains: Sequence[_Chain], place: int, language: Language) -> bool:
    """Tell whether the value is one of two that an `or` leaves open."""
    if place and _is_hedge(text[chains[place - 1].end : chains[place].start].strip(), language):
        return True
    if place + 1 < len(chains):
        return _is_hedge(text[chains[place].end : chains[place + 1].start].strip(), language)
    return False


def _is_hedge(word: str, language: Language) -> bool:
    return word.lower() in {*language.alternatives, *language.joiners}


def _is_numbering(text: str, line: str, chain: _Chain, language: Language) -> bool:
    """Tell whether a number counts a line of a list, a step or a figure."""
    found = _LIST_NUMBER.match(line.lstrip(BULLET))
    if found and chain.start <= line.index(found[1] or found[2]) < chain.end:
        count = int(found[1] or found[2])
        before = rf"(?m)^\W*{count - 1}\s?[.)]\s"
        return count <= 1 or bool(re.search(before, text))
    word = re.search(r"([^\W\d_]+)[\s#]*$", line[max(chain.start - 20, 0) : chain.start])
    return bool(word) and word[1].lower() in language.steps if word else False


@cache
def _approximations() -> frozenset[str]:
    words = {word for language in every_language() for word in language.approximations}
    articles = {word for language in every_language() for word in language.articles}
    return frozenset(words | articles | {""})
