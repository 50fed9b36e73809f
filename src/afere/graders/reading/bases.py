"""Whole numbers written in a declared base: the prefix is free, the digits are the base's."""

import re
from dataclasses import dataclass
from functools import cache

from afere.graders.reading.form import core

__all__ = ["Digits", "digits_at_marker", "exact_digits", "last_digits", "value_in_base"]

_PREFIXES = {2: r"0[bB]|2#", 8: r"0[oO]|8#", 16: r"0[xX]|\\x|&[hH]|16#|#|U\+|[xX](?=')"}
_SUFFIXES = {2: r"[bB]|₂", 8: r"[oO]|₈", 16: r"[hH]|₁₆"}
_NEXT_WORD = re.compile(r"\s+[A-Za-z]")  # "a guess" is no number
_TAIL = 4000  # characters from the end in which a loose value is looked for
_LONGEST = 4000  # digits; a longer number is another one than any key


@dataclass(frozen=True, slots=True)
class Digits:
    """A number as it was written in its base, and its value (None beyond any key's length)."""

    text: str
    value: int | None


def exact_digits(text: str, base: int) -> Digits | None:
    """Read a text that is one number in the base and nothing else."""
    bare = re.sub(rf"_\{{?{base}\}}?$|_?\({base}\)$", "", core(text).lstrip("= ").strip())
    found = _pattern(base).fullmatch(core(bare))
    return _digits(found, base) if found else None


def digits_at_marker(text: str, base: int) -> Digits | None:
    """Read the first number in the base; one with a prefix goes before others."""
    found = list(_loose(base).finditer(text[:_TAIL]))
    prefixed = [each for each in found if each["prefix"]]
    for each in [*prefixed[:1], *found]:
        opens = not text[: each.start()].strip(" :*`'\"([$=≈")
        if _is_number(each) or (opens and not _NEXT_WORD.match(text, each.end())):
            return _digits(each, base)
    return None


def last_digits(text: str, base: int) -> Digits | None:
    """Read the last number in the base; one with a prefix goes before others."""
    found = [each for each in _loose(base).finditer(text[-_TAIL:]) if _is_number(each)]
    prefixed = [each for each in found if each["prefix"]]
    return _digits((prefixed or found)[-1], base) if found else None


def value_in_base(text: str, base: int) -> int | None:
    """Read a key written in the base, with or without its prefix."""
    found = exact_digits(text, base)
    return found.value if found else None


def _digits(found: re.Match[str], base: int) -> Digits:
    text = re.sub(r"[_ ]", "", found["digits"])
    if len(text) > _LONGEST:
        return Digits(text=text[:_LONGEST], value=None)
    value = int(text, base)
    return Digits(text=text, value=-value if found["sign"] in {"-", "−"} else value)


def _is_number(found: re.Match[str]) -> bool:
    """Tell a number from a word that happens to be made of digits of the base."""
    digits = found["digits"]
    return (
        bool(found["prefix"])
        or any(char.isdigit() for char in digits)
        or (len(digits) > 1 and digits.isupper())
    )


def _alphabet(base: int) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"[: max(base - 10, 0)]
    return "0-" + str(min(base, 10) - 1) + letters + letters.upper()


@cache
def _pattern(base: int) -> re.Pattern[str]:
    digit, prefix, suffix = (
        _alphabet(base),
        _PREFIXES.get(base, "(?!)"),
        _SUFFIXES.get(base, "(?!)"),
    )
    return re.compile(
        rf"(?P<sign>[-+−]?)(?P<prefix>{prefix})?(?P<digits>[{digit}]+(?:[_ ][{digit}]+)*)"
        rf"(?:{suffix})?(?:\s*\((?:hex\w*|bin\w*|oct\w*|base \d+)\))?",
    )


@cache
def _loose(base: int) -> re.Pattern[str]:
    digit, prefix, suffix = (
        _alphabet(base),
        _PREFIXES.get(base, "(?!)"),
        _SUFFIXES.get(base, "(?!)"),
    )
    return re.compile(
        rf"(?<![A-Za-zÀ-ɏ0-9])(?P<sign>[-−]?)(?P<prefix>{prefix})?(?P<digits>[{digit}]+(?:_[{digit}]+)*)"
        rf"(?:{suffix})?(?![A-Za-zÀ-ɏ0-9]|[.,][0-9])",
    )
