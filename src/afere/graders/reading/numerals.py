"""Numbers in a text: exact decimals by the separators of the declared language.

A number has a value only where its whole form is one: `12.5` in Portuguese is read by the other
convention and says so, `1.234` never is; a version, a date, a power tower, digits inside a word
are found and passed over as a whole, so that no part of them is taken for a value.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import (
    MAX_EMAX,
    MAX_PREC,
    MIN_EMIN,
    Context,
    Decimal,
    Inexact,
    InvalidOperation,
    localcontext,
)
from functools import cache

from afere.graders.reading.language import Language, every_language
from afere.graders.reading.units import is_unit

__all__ = ["Number", "find_numbers", "parse_number", "written"]

LONGEST_EXPONENT = 9
_LARGEST_PLAIN = 60  # digits; a larger number is shown with its exponent

_LATIN = r"A-Za-zÀ-ÖØ-öø-ɏͰ-ϿЀ-ӿ"
_CURRENCY = r"(?:R\$|US\$|U\$|AU\$|CA\$|A\$|C\$|\$|€|£|¥|￥|₹|USD|BRL|EUR|GBP|CNY|RMB|JPY|MXN|ARS)"
_NUMBER = re.compile(
    rf"""
    (?P<first>[-+−–][ ]?)?
    (?:(?<![{_LATIN}0-9])(?P<currency>{_CURRENCY})[ ]?)?
    (?P<second>[-+−–][ ]?)?
    (?P<body>
        0[xX][0-9A-Fa-f]+(?:_[0-9A-Fa-f]+)* | 0[bB][01]+(?:_[01]+)* | 0[oO][0-7]+(?:_[0-7]+)*
      | (?:(?<![0-9{_LATIN}.,)\]])[.,](?=[0-9]))?
        [0-9]+(?:(?:[.,:'_](?=[0-9])|[ ](?=[0-9]{{3}}(?![0-9{_LATIN}])))[0-9]+)*
      | [½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅐⅑⅒]
    )
    """,
    re.VERBOSE,
)
_DIGIT = re.compile(r"[0-9½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅐⅑⅒]")
_SIGN_AND_CURRENCY = 10  # characters of a number before its first digit, at most
_EXPONENT = re.compile(r"[eE]([-+−]?[0-9]{1,20})(?![0-9A-Za-z])")
_TEN_POWER = re.compile(
    r"\s{0,3}[×x*·⋅✕]\s{0,3}10\s?"
    r"(?:(?:\^|\*\*)\s?[({]?\s?([-+−]?[0-9]{1,20})\s?[)}]?(?![0-9^.,]*\^)"
    r"|([⁺⁻]?[⁰¹²³⁴-⁹]{1,20}))",
)
_POWER = re.compile(
    r"(?:\^|\*\*)\s?[({]?\s?([-+−]?[0-9]{1,20})\s?[)}]?(?![\^*])|([⁺⁻]?[⁰¹²³⁴-⁹]{1,20})"
)
_TOWER = re.compile(r"(?:\s?(?:\^|\*\*)\s?[-+−({]*\s?[\w.,]+[)}]*|[⁰¹²³⁴-⁹⁺⁻ⁿ]+)+")
_DENOMINATOR = re.compile(rf"\s?[/⁄]\s?([0-9]+)(?![0-9{_LATIN}]|[.,:][0-9]|\s?[/⁄])")
_SLASHES = re.compile(r"(?:\s?[/⁄]\s?[0-9]+)+")
_MIXED = re.compile(r"[ ]([0-9]+)[/⁄]([0-9]+)(?![0-9]|[.,/⁄][0-9])|([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅐⅑⅒])")
_ROOT = re.compile(r"(?:[√∛∜]|(?<![A-Za-z])sqrt)[ (]*$")
_ROOT_AFTER = re.compile(r"\s?\*?\s?(?:[√∛∜]|sqrt)")
_DATE = re.compile(r"-[0-9]{1,2}-[0-9]{1,4}(?![0-9])")
_STUCK = re.compile(rf"-(?=[{_LATIN}])|[{_LATIN}°ºªµΩ℃℉%‰][{_LATIN}0-9_²³/^]*")
_SPACED = re.compile(
    rf"[ ]?\$?[ ]?((?:[°º]\s?[CFK]\b|%|‰|{_CURRENCY}"
    rf"|[{_LATIN}µΩ℃℉°]+(?:/[{_LATIN}µΩ]+)?(?:[²³]|\^?[23])?)"
    r"(?:/[A-Za-z]+(?:[²³]|\^?2)?)?)",
)
_LONGER_UNIT = re.compile(rf"[ ]((?:por |per )?[{_LATIN}]+)(?![{_LATIN}0-9])")
_CJK_UNIT = re.compile(
    r"[ ]?(平方[公千厘毫]?[里米]|立方厘?米|公里|千米|厘米|毫米|公斤|千克|毫克|毫升|公顷|小时|分钟"
    r"|美元|欧元|日元|人民币|字节|[米克升秒天吨元度])",
)
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
_WITHOUT_ROUNDING = Context(prec=28, traps=[Inexact, InvalidOperation])
_NEUTRAL = re.compile(r"[ '_]")
_GROUPED_NEUTRALLY = re.compile(r"[0-9]{1,3}(?:([ '_])[0-9]{3})(?:\1[0-9]{3})*(?:[.,][0-9]+)?")
_VULGAR = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5),
    "⅗": (3, 5), "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8),
    "⅞": (7, 8), "⅐": (1, 7), "⅑": (1, 9), "⅒": (1, 10),
}  # fmt: skip
_RAISED_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−", "0123456789+--")
_SIGNS = frozenset("-−–")
_ARTICLES = frozenset("aAeo")  # words that are units as well
_AFTER_MINUS_WORD = frozenset(" 负下")


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One number found in a text.

    start, end: its place, sign, currency and unit included.
    value: the exact value, over `over` where it is a fraction; None where the form is no number.
    other: read by the other convention of separators.
    unit: the unit or currency that stands with it, empty where none does.
    """

    start: int
    end: int
    value: Decimal | None
    over: Decimal = Decimal(1)
    other: bool = False
    unit: str = ""


def find_numbers(text: str, language: Language) -> Iterator[Number]:
    """Find every number of a seen-through text, those without a value included, left to right."""
    place, last_end = 0, -1
    while digit := _DIGIT.search(text, place):
        found = _NUMBER.search(text, max(place, digit.start() - _SIGN_AND_CURRENCY))
        if found is None:
            return
        number = _number(text, found, language, last_end)
        yield number
        place = last_end = max(number.end, found.end())


def parse_number(text: str, language: Language) -> Number | None:
    """Read a text that is a number and nothing else; None where it is not."""
    text = text.strip()
    numbers = list(find_numbers(text, language)) if text else []
    if len(numbers) != 1 or numbers[0].value is None:
        return None
    number = numbers[0]
    return number if number.start == 0 and number.end == len(text) else None


def written(value: Decimal, over: Decimal = Decimal(1)) -> str:
    """Write a value as a plain decimal where that is short, a fraction as its quotient or `a/b`."""
    if over != 1:
        return _quotient(value, over)
    if value == 0:
        return "0"
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or abs(exponent) + len(digits) > _LARGEST_PLAIN:
        return str(value)
    plain = f"{value:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _quotient(top: Decimal, bottom: Decimal) -> str:
    with localcontext(_WITHOUT_ROUNDING):
        try:
            return written(top / bottom)
        except (Inexact, InvalidOperation):
            return f"{written(top)}/{written(bottom)}"


def _number(text: str, found: re.Match[str], language: Language, last_end: int) -> Number:
    body = found["body"]
    value, over, other = _value(body, language)
    value, over, end = _extended(text, found.end(), body, value, over)
    if not _stands_alone(text, found) or _ROOT_AFTER.match(text, end):
        value = None
    start, negative = _sign(text, found, last_end)
    if text[start - 1 : start] in _AFTER_MINUS_WORD and (
        word := _minus_word(language).search(text, max(start - _NEAR, 0), start)
    ):
        start, negative = word.start(word.lastgroup or 0), not negative
    if value is not None and negative:
        value = value.copy_negate()
    value, end, unit = _with_unit(text, end, value, language)
    return Number(
        start=start,
        end=end,
        value=value,
        over=over,
        other=other and value is not None,
        unit=found["currency"] or unit,
    )


def _value(  # noqa: PLR0911 - one return a form
    body: str, language: Language
) -> tuple[Decimal | None, Decimal, bool]:
    """Give the value of a body of digits and separators, its denominator, and `other`."""
    one = Decimal(1)
    if body in _VULGAR:
        top, bottom = _VULGAR[body]
        return Decimal(top), Decimal(bottom), False
    if body.isdigit():
        return Decimal(body), one, False
    bases = {"0x": 16, "0b": 2, "0o": 8}
    if (base := bases.get(body[:2].lower())) is not None:
        return _from_base(body[2:], base), one, False
    if _NEUTRAL.search(body):
        if not _GROUPED_NEUTRALLY.fullmatch(body):
            return None, one, False
        body = _NEUTRAL.sub("", body)
    standard, swapped = _shapes(language.decimal, language.grouping)
    if standard.fullmatch(body):
        return _decimal(body, language.decimal, language.grouping), one, False
    if swapped.fullmatch(body):
        return _decimal(body, language.grouping, language.decimal), one, True
    return None, one, False


def _from_base(digits: str, base: int) -> Decimal | None:
    digits = digits.replace("_", "")
    return Decimal(int(digits, base)) if len(digits) <= _LARGEST_PLAIN * 4 else None


@cache
def _shapes(decimal: str, grouping: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    def shape(point: str, group: str) -> re.Pattern[str]:
        point, group = re.escape(point), re.escape(group)
        whole = rf"(?:[1-9][0-9]{{0,2}}(?:{group}[0-9]{{3}})+|[0-9]+)"
        return re.compile(rf"{whole}(?:{point}[0-9]+)?|{point}[0-9]+")

    return shape(decimal, grouping), shape(grouping, decimal)


def _decimal(body: str, point: str, group: str) -> Decimal | None:
    try:
        return Decimal(body.replace(group, "").replace(point, "."))
    except InvalidOperation:
        return None


def _extended(  # noqa: PLR0911 - one return a form
    text: str, end: int, body: str, value: Decimal | None, over: Decimal
) -> tuple[Decimal | None, Decimal, int]:
    """Take in what belongs to the number: exponent, power of ten, fraction, mixed fraction."""
    if match := _EXPONENT.match(text, end):
        return _scaled(value, match[1]), over, match.end()
    if match := _TEN_POWER.match(text, end):
        return _scaled(value, match[1] or match[2]), over, match.end()
    if body == "10" and (match := _POWER.match(text, end)):
        return _scaled(Decimal(1), match[1] or match[2]), over, match.end()
    if match := _TOWER.match(text, end):
        return None, over, match.end()
    if value is not None and body.isdigit():
        if match := _DENOMINATOR.match(text, end):
            bottom = Decimal(match[1])
            return (value if bottom else None), bottom or over, match.end()
        if match := _MIXED.match(text, end):
            return (*_mixed(value, match), match.end())
        if match := _DATE.match(text, end):
            return None, over, match.end()
    if match := _SLASHES.match(text, end):
        return None, over, match.end()
    return value, over, end


def _scaled(value: Decimal | None, exponent: str) -> Decimal | None:
    power = int(exponent.translate(_RAISED_DIGITS))
    if value is None or abs(power) >= 10**LONGEST_EXPONENT * 10:
        return None
    sign, digits, old = value.as_tuple()
    return Decimal((sign, digits, int(old) + power))


def _mixed(value: Decimal, match: re.Match[str]) -> tuple[Decimal | None, Decimal]:
    top, bottom = _VULGAR[match[3]] if match[3] else (int(match[1][:9]), int(match[2][:9]))
    if not top < bottom:
        return None, Decimal(1)
    return _EXACT.add(_EXACT.multiply(value, Decimal(bottom)), Decimal(top)), Decimal(bottom)


def _stands_alone(text: str, found: re.Match[str]) -> bool:
    """Tell that the digits are no part of a word, a power or a longer form before them."""
    at = found.start("body")
    if found["currency"] is not None or at == 0:
        return True
    before = text[at - 1]
    if before in "√∛∜ (" and _ROOT.search(text, max(at - _SIGN_AND_CURRENCY, 0), at):
        return False
    if before in "^_" or _is_latin(before) or (before.isdigit() and not before.isascii()):
        return False
    if before in "-–−" and at > 1 and _is_latin(text[at - 2]):
        return found["first"] is None
    return not (before in ".,:" and at > 1 and text[at - 2].isdigit() and text[at - 2].isascii())


def _sign(text: str, found: re.Match[str], last_end: int) -> tuple[int, bool]:
    """Give where the number begins with its sign, and whether it is negative.

    A minus after a number or a word, or with spaces on both sides, belongs to neither side.
    """
    bare = found.start("currency") if found["currency"] else found.start("body")
    mark = (found["first"] or "").strip() or (found["second"] or "").strip()
    if not mark or found["first"] is None:
        return bare, mark in _SIGNS
    start = found.start()
    before = text[max(start - _NEAR, 0) : start].rstrip(" ")[-1:]
    after_operand = before in {")", "]", "%"} or (before.isalnum() and before < "\u2e80")
    is_glued = text[start - 1 : start] != " "
    detached = found["first"][-1] == " "
    near_number = last_end >= 0 and not text[last_end:start].strip()
    if (before and after_operand and (is_glued or detached or near_number)) or (
        mark == "–" and detached
    ):
        return bare, False
    return start, mark in _SIGNS


_NEAR = 40


@cache
def _minus_word(language: Language) -> re.Pattern[str]:
    """Build the pattern of a word for minus before a number that is subtracted from none."""
    languages = (language, *every_language()[:1])
    words = {re.escape(word) for each in languages for word in each.minus}
    links = {re.escape(word) for each in languages for word in each.copulas}
    latin = "|".join(sorted(word for word in words if word < "\u2e80"))
    han = "|".join(sorted(word for word in words if word >= "\u2e80")) or "(?!)"
    return re.compile(
        rf"(?:(?:^|[:=(.!?\n*]|(?<!\w)(?:{'|'.join(sorted(links))}))\s*(?P<word>(?:{latin})\s+)"
        rf"|(?P<han>{han}))$",
        re.IGNORECASE,
    )


def _with_unit(
    text: str, end: int, value: Decimal | None, language: Language
) -> tuple[Decimal | None, int, str]:
    """Take in the unit, ordinal sign or word for a power of ten that follows the digits.

    Letters stuck to the digits that are nothing of the kind make them part of a word.
    """
    if stuck := _STUCK.match(text, end):
        word = stuck.group()
        if word in _ordinals() or is_unit(word) or is_unit(word.rstrip("/")):
            return value, stuck.end(), word
        power = _powers(language).get(word.lower())
        return _multiplied(value, power) if power else None, stuck.end(), ""
    if spaced := _SPACED.match(text, end):
        power = _powers(language).get(spaced[1].lower())
        if power is not None:
            return _multiplied(value, power), spaced.end(), ""
        return value, *_spaced_unit(text, end, spaced)
    return _with_cjk(text, end, value, language)


def _spaced_unit(text: str, end: int, spaced: re.Match[str]) -> tuple[int, str]:
    """Give the end and name of a unit of one word or two, nothing where the word is none."""
    word = spaced[1]
    longer = _LONGER_UNIT.match(text, spaced.end())
    if longer and is_unit(f"{word} {longer[1]}"):
        return longer.end(), f"{word} {longer[1]}"
    return (spaced.end(), word) if is_unit(word) and word not in _ARTICLES else (end, "")


def _with_cjk(
    text: str, end: int, value: Decimal | None, language: Language
) -> tuple[Decimal | None, int, str]:
    after = text[end : end + 1]
    if not after or (after.isascii() and after != " "):
        return value, end, ""
    if unit := _CJK_UNIT.match(text, end):
        return value, unit.end(), unit[1]
    if language.words == "zh":
        for word in sorted(_powers(language), key=len, reverse=True):
            if text.startswith(word, end):
                return _multiplied(value, _powers(language)[word]), end + len(word), ""
    return value, end, ""


def _multiplied(value: Decimal | None, power: int) -> Decimal | None:
    return None if value is None else _scaled(value, str(power))


def _is_latin(char: str) -> bool:
    return char == "_" or (char.isalpha() and char < "\u2e80")


@cache
def _ordinals() -> frozenset[str]:
    return frozenset(word for language in every_language() for word in language.ordinals)


@cache
def _powers_of(code: str) -> dict[str, int]:
    return dict(next(each.powers for each in every_language() if each.words == code))


def _powers(language: Language) -> dict[str, int]:
    return _powers_of(language.words)
