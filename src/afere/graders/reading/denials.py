"""Numbers that a text names and does not give: denied, a mere bound, a part of a longer value."""

import re
from functools import cache

from afere.graders.reading.language import Language, every_language

__all__ = ["denies_a_run", "is_denied_after", "is_denied_before"]

_HAN = "\u2e80"
_REACH = 60  # characters round a number that are looked at
_SIGN = re.compile(r"(?:(?<![-=<])>=?|<(?![-=]*>)=?|!=|=/=|[≤≥≠≮≯≲≳⩽⩾±∓])\s*[$(]?\s*$")


def is_denied_before(text: str, start: int, language: Language) -> bool:
    """Tell whether what stands before a place denies the number there, or makes it a bound."""
    before = text[max(start - _REACH, 0) : start]
    return bool(_SIGN.search(before) or _before(language).search(before))


def is_denied_after(text: str, end: int, language: Language) -> bool:
    """Tell whether what stands after a place denies the number there, or makes more of it."""
    found = _after(language).match(text[end : end + _REACH])
    counted = text[max(end - 2, 0) : end]  # "12 quarters" are counted, "3 quarters" are a part
    is_count = found and found["part"] and len(counted) > 1 and counted.isdigit()
    return found is not None and not is_count


def denies_a_run(line: str, language: Language) -> bool:
    """Tell whether a line of numbers begins with a negation, or says that they are not so."""
    return _denied_run(language).search(line) is not None


@cache
def _denied_run(language: Language) -> re.Pattern[str]:
    negators, copulas = _latin(language, "negators"), _latin(language, "copulas")
    han = _chinese(language, "negators")
    return re.compile(
        rf"^\W*(?:(?:{negators})\s+|(?:{han})\s*)[-+−]?[0-9]"
        rf"|[0-9]\s+(?:(?:{copulas})\s+(?:{negators})|(?:{negators})\s+(?:{copulas}))(?!\w)"
        rf"|[0-9]\s*(?:{han})",
        re.IGNORECASE,
    )


@cache
def _before(language: Language) -> re.Pattern[str]:
    """Build the pattern of a negation, an opinion denied, or a word for a bound, up to its end."""
    negators, opinions = _latin(language, "negators"), _latin(language, "opinions")
    link = rf"(?:(?:{_latin(language, 'copulas')}|{_latin(language, 'articles')})\s+)*"
    bounds, han = _latin(language, "bounds"), _chinese(language, "negators", "bounds")
    return re.compile(
        rf"(?<!\w)(?:(?:{bounds})\s+{link}|(?:{negators})\s+(?:{opinions})(?!\w)[^.,;:!?\n]*)$"
        rf"|(?:{han})\s*$",
        re.IGNORECASE,
    )


@cache
def _after(language: Language) -> re.Pattern[str]:
    """Build the pattern of a rejection right after a number, or of what makes it a part."""
    copulas, wrong = _latin(language, "copulas"), _latin(language, "rejections")
    right = rf"{_latin(language, 'subjects')}|{_latin(language, 'qualifiers')}"
    article = rf"(?:(?:{_latin(language, 'articles')})\s+)?"
    denied = rf"(?:(?:{copulas})\s+)?(?:{wrong})"
    denials = rf"(?:{_latin(language, 'negators')})\s+(?:(?:{copulas})\s+)?"
    no_answer = rf"(?:(?:{copulas})\s+)?{denials}{article}(?:{right})"
    joined = rf"(?:(?:{_latin(language, 'joiners')})\s+)?{article}"
    han = _chinese(language, "rejections", "bounds_after")
    return re.compile(
        rf"\s+(?:{denied})\s*(?:[.,;!?)]|$)|\s+(?:{no_answer})(?!\w)"
        rf"|\s+(?:{_latin(language, 'bounds_after')})(?!\w)"
        rf"|\s+{joined}(?P<part>{_latin(language, 'fractions')})(?!\w)"
        rf"|[\w]{{0,2}}?(?:{han})",
        re.IGNORECASE,
    )


def _latin(language: Language, field: str) -> str:
    words = {word for each in (language, every_language()[0]) for word in getattr(each, field)}
    return _joined({word for word in words if word < _HAN})


def _chinese(language: Language, *fields: str) -> str:
    words = {word for field in fields for word in getattr(language, field)}
    return _joined({word for word in words if word >= _HAN})


def _joined(words: set[str]) -> str:
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in ordered) or "(?!)"
