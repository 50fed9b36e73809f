"""What differs between languages when an answer is read: separators and words, kept as data."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources

__all__ = ["Language", "every_language", "language_of"]

NAMES = ("en", "pt-BR", "es", "zh-CN")
_FALLBACK = "en"


@dataclass(frozen=True, kw_only=True, eq=False)
class Language:
    """The separators and words of one language; words are lower case and composed (NFC).

    answer: words that mark an answer; answer_with_colon: phrases that do so before a colon only.
    finals: adjectives that make a marker without a colon; openings: words before a marker
    that is alone on its line.
    subjects, copulas: make a sentence that gives the answer ("the answer is …").
    function_letters: capitals that are words of the language, so that alone they name no option.
    lettered_things: words before a letter that is part of their name ("vitamin D").
    negators stand before what they deny, rejections after it.
    others: words for the names that are not meant ("the others are wrong").
    non_answers: phrases of somebody who gives no answer.
    longer_words: words and phrases that hold a name and do not mean it ("但是" is no "是").
    no_before_nouns: words for no that in a sentence stand before any noun ("no clue").
    bounds, bounds_after: words before and after a number that make it a mere bound.
    opinions: verbs by which a negation denies what is thought ("I do not think it is 12").
    fractions: words that make the number before them a part ("two thirds").
    ranges: words between the two ends of a range.
    no_to_a_name: words for no that right after a name deny it ("D? No.").
    corrections: words after which somebody takes back what was said.
    asides: words after which numbers explain the value and are none themselves.
    questions: words that open a question of the model's own; steps: words before a mere number,
    steps_after: words after one.
    operators: words between the numbers of a sum.
    powers: words that multiply the number before them by a power of ten.
    words: the code under which number words are looked up.
    """

    decimal: str
    grouping: str
    answer: tuple[str, ...]
    answer_with_colon: tuple[str, ...]
    qualifiers: tuple[str, ...]
    subjects: tuple[str, ...]
    copulas: tuple[str, ...]
    verdict_verbs: tuple[str, ...]
    approximations: tuple[str, ...]
    bounds: tuple[str, ...]
    bounds_after: tuple[str, ...]
    articles: tuple[str, ...]
    option_words: tuple[str, ...]
    function_letters: tuple[str, ...]
    lettered_things: tuple[str, ...]
    joiners: tuple[str, ...]
    nor: tuple[str, ...]
    finals: tuple[str, ...]
    openings: tuple[str, ...]
    alternatives: tuple[str, ...]
    reasons: tuple[str, ...]
    between: tuple[str, ...]
    ranges: tuple[str, ...]
    asides: tuple[str, ...]
    steps_after: tuple[str, ...]
    contrasts: tuple[str, ...]
    corrections: tuple[str, ...]
    negators: tuple[str, ...]
    opinions: tuple[str, ...]
    rejections: tuple[str, ...]
    others: tuple[str, ...]
    non_answers: tuple[str, ...]
    longer_words: tuple[str, ...]
    questions: tuple[str, ...]
    echoes: tuple[str, ...]
    yes: tuple[str, ...]
    no: tuple[str, ...]
    no_before_nouns: tuple[str, ...]
    no_to_a_name: tuple[str, ...]
    steps: tuple[str, ...]
    minus: tuple[str, ...]
    operators: tuple[str, ...]
    powers: Mapping[str, int]
    fractions: tuple[str, ...]
    ordinals: tuple[str, ...]
    words: str


@cache
def language_of(tag: str) -> Language:
    """Give the language of a tag such as `pt-BR`, `es-MX` or `zh`; an unknown one reads as English.

    Regions that write numbers the other way round (Mexico) have their separators swapped.
    """
    wanted = tag.replace("_", "-").lower()
    name = next((each for each in NAMES if _base(each) == _base(wanted)), _FALLBACK)
    plain = _plain(name)
    swapped = wanted in {each.lower() for each in plain["regions_with_the_other_separators"]}
    return _build(plain, swapped=swapped)


@cache
def every_language() -> tuple[Language, ...]:
    """Give all languages: answer markers of each are understood in every suite."""
    return tuple(language_of(name) for name in NAMES)


def _base(tag: str) -> str:
    return tag.partition("-")[0].lower()


@cache
def _plain(name: str) -> Mapping[str, Iterable[str]]:
    file = resources.files("afere.graders.reading") / "languages" / f"{name}.json"
    plain: Mapping[str, Iterable[str]] = json.loads(file.read_text("utf-8"))
    return plain


def _build(plain: Mapping[str, Iterable[str]], *, swapped: bool) -> Language:
    values = {each.name: plain[each.name] for each in fields(Language)}
    ready: dict[str, object] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    if swapped:
        ready |= {"decimal": plain["grouping"], "grouping": plain["decimal"]}
    return Language(**ready)  # type: ignore[arg-type] # the fields come by name from the data file
