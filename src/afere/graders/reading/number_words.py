"""Numbers written in words, for lenient reading: by `text2num` and, for Chinese, `cn2an`.

The libraries are loaded when a text without any digit has to be read as a number.
"""

import re
from decimal import Decimal

from afere.graders.reading.form import core
from afere.graders.reading.language import Language

__all__ = ["with_digits"]

_LONGEST = 400  # characters: a longer text is no number in words
_HANZI = re.compile(r"负?[零〇一二两三四五六七八九十百千万亿]+(?:点[零〇一二三四五六七八九]+)?")
_LONE = frozenset("一十百千万亿零")  # common in words that are no numbers
_CLASSIFIERS = "个支只条位名本张台件次天年日岁元块米页边种类项分秒人份组盒枚度倍点"
_PART = re.compile("(?<!百)分之")  # "三分之一" is a third; 百分之 is per cent
_BEFORE_NAMES = ("星期", "周", "礼拜")
_HANZI_DIGITS = str.maketrans("零〇一二三四五六七八九", "00123456789")
_LEAST = 2  # "one" is mostly no number
_ORDINAL = re.compile(r"[0-9]+(?:st|nd|rd|th|º|ª|er|os|as)(?!\w)")
_FRACTION = re.compile(r"[0-9][ -][0-9]+(?:rd|th)s(?!\w)")  # "two thirds", half turned to digits
_CODES = frozenset({"en", "pt", "es"})


def with_digits(text: str, language: Language) -> str | None:
    """Give the text with its number words as digits in the language's form; None where it has none.

    Words alone ("quatro", "one hundred and five") are always read; inside a sentence words that
    are mostly articles ("um", "one") are not.
    """
    text = core(text)
    if not text or len(text) > _LONGEST or any(char.isdigit() for char in text):
        return None
    if language.words == "zh":
        return _chinese(text)
    return _alphabetic(text, language.words) if language.words in _CODES else None


def _alphabetic(text: str, code: str) -> str | None:
    from text_to_num import alpha2digit, text2num

    try:
        return str(text2num(text.lower(), code))
    except ValueError:
        pass
    try:
        found = str(alpha2digit(text.lower(), code, threshold=_LEAST))
    except (ValueError, KeyError, IndexError):
        return None
    if _FRACTION.search(found):
        return None
    found = _ORDINAL.sub("…", found)
    return found if any(char.isdigit() for char in found) else None


def _chinese(text: str) -> str | None:
    numbers = list(_HANZI.finditer(text))
    if not numbers:
        return None
    if _PART.search(text):
        return None
    for found in reversed(numbers):
        if text[: found.start()].endswith(_BEFORE_NAMES):
            continue
        whole = found.group() == text
        after = text[found.end() : found.end() + 1]
        if whole or (
            (len(found.group()) > 1 or found.group() not in _LONE)
            and (not after or after in _CLASSIFIERS or not after.isalnum())
        ):
            value = _hanzi_value(found.group())
            if value is not None:
                return f"{text[: found.start()]}{value:f}{text[found.end() :]}"
    return None


def _hanzi_value(text: str) -> Decimal | None:
    import cn2an

    negative = text.startswith("负")
    whole, _, fraction = text.lstrip("负").partition("点")
    try:
        value = Decimal(int(cn2an.cn2an(whole, "smart")))
    except (ValueError, KeyError):
        return None
    if fraction:
        value += Decimal("0." + fraction.translate(_HANZI_DIGITS))
    return -value if negative else value
