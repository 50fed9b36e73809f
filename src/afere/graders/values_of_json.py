"""JSON values in a text: found, parsed exactly, and compared strictly."""

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

__all__ = ["NO_VALUE", "Parsed", "equal", "first_value", "last_value", "parse"]

NO_VALUE = object()
_LONGEST_WHOLE = 4000  # digits of a whole number that Python turns into an int
_MOST_STARTS = 60  # places at which a value is looked for


@dataclass(frozen=True, slots=True)
class Parsed:
    """A JSON value and the text that it was written as."""

    value: Any
    text: str


def parse(text: str) -> Parsed | None:
    """Parse a text that is one JSON value and nothing else; None where it is not."""
    try:
        return Parsed(_DECODER.decode(text), text)
    except (ValueError, RecursionError, InvalidOperation):
        return None


def first_value(text: str) -> Parsed | None:
    """Find the first object or array of a text; a lone scalar counts as well."""
    return next(iter(_found(text, most=1)), None) or parse(text.strip().partition("\n")[0].strip())


def last_value(text: str) -> Parsed | None:
    """Find the last object or array of a text that is not inside another."""
    found = _found(text, most=_MOST_STARTS)
    return found[-1] if found else None


def _found(text: str, *, most: int) -> list[Parsed]:
    values: list[Parsed] = []
    place, tries = 0, 0
    while len(values) < most and tries < _MOST_STARTS:
        starts = [at for at in (text.find("{", place), text.find("[", place)) if at >= 0]
        if not starts:
            break
        start, tries = min(starts), tries + 1
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError, InvalidOperation):
            place = start + 1
        else:
            values.append(Parsed(value, text[start:end]))
            place = end
    return values


def equal(one: Any, other: Any) -> bool:  # noqa: ANN401 - plain JSON data
    """Compare two values: true is not 1, 1.0 is, texts are equal in composed form."""
    waiting = [(one, other)]
    while waiting:
        left, right = waiting.pop()
        if isinstance(left, dict) and isinstance(right, Mapping):
            left = {_composed(key): value for key, value in left.items()}
            right = {_composed(str(key)): value for key, value in right.items()}
            if left.keys() != right.keys():
                return False
            waiting += [(left[key], right[key]) for key in left]
        elif isinstance(left, list) and isinstance(right, list | tuple):
            if len(left) != len(right):
                return False
            waiting += zip(left, right, strict=True)
        elif not _same_scalar(left, right):
            return False
    return True


def _same_scalar(left: Any, right: Any) -> bool:  # noqa: ANN401 - plain JSON data
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return left is right
    if isinstance(left, str) or isinstance(right, str):
        both = isinstance(left, str) and isinstance(right, str)
        return both and _composed(left) == _composed(right)
    numbers = isinstance(left, int | Decimal) and isinstance(right, int | Decimal | float)
    return numbers and left == (Decimal(repr(right)) if isinstance(right, float) else right)


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _whole(digits: str) -> int | Decimal:
    return int(digits) if len(digits) <= _LONGEST_WHOLE else Decimal(digits)


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_float=Decimal, parse_int=_whole, parse_constant=_refused)
