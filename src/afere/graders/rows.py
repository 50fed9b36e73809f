"""Rows of two queries compared: as a multiset, or in order; every value exactly.

1 equals 1.0, and 19.99 as a decimal equals 19.99 as a float; NULL equals only NULL; a text never
equals a number, nor bytes a text; not-a-number equals itself, so that a column of it can be
compared at all. What is no plain value equals nothing.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import isfinite

__all__ = ["difference", "is_ordered"]

Row = Sequence[object]


def difference(given: Sequence[Row], due: Sequence[Row], *, ordered: bool) -> str | None:
    """Say in one line how rows differ, None where they agree."""
    got, wanted = [[_row(each) for each in rows] for rows in (given, due)]
    if got == wanted:
        return None
    if given and due and len(given[0]) != len(due[0]):
        return f"{len(given[0])} columns, {len(due[0])} are due"
    if len(given) != len(due):
        return f"{len(given)} rows, {len(due)} are due"
    if Counter(got) == Counter(wanted):
        return "the right rows in another order" if ordered else None
    others = sum((Counter(got) - Counter(wanted)).values())
    return f"{others} of {len(given)} rows differ"


def is_ordered(query: str) -> bool:
    """Tell whether a query orders its rows: ORDER BY outside of any bracket and text."""
    depth, words, place = 0, [], 0
    while place < len(query):
        sign = query[place]
        if sign in _QUOTES:
            place = _after(query, place + 1, _QUOTES[sign])
        elif query.startswith("--", place):
            place = _after(query, place, "\n")
        elif query.startswith("/*", place):
            place = _after(query, place + 2, "*/")
        else:
            depth += (sign == "(") - (sign == ")")
            words.append(sign if depth == 0 and sign != ")" else " ")
            place += 1
    named = "".join(words).lower().split()
    return ("order", "by") in pairwise(named)


_QUOTES = {"'": "'", '"': '"', "`": "`", "[": "]"}


def _after(text: str, place: int, mark: str) -> int:
    found = text.find(mark, place)
    return len(text) if found < 0 else found + len(mark)


def _row(row: Row) -> tuple[tuple[str, object], ...]:
    return tuple(map(_value, row))


def _value(value: object) -> tuple[str, object]:  # noqa: C901, PLR0911 - one return a type
    match value:
        case None:
            return ("null", None)
        case bool():
            return ("truth", value)
        case int():
            return ("number", value)
        case float():
            return ("number", _exact(value)) if isfinite(value) else ("odd", repr(value))
        case Decimal():
            return ("number", Fraction(value)) if value.is_finite() else ("odd", str(value))
        case str():
            return ("text", value)
        case bytes():
            return ("bytes", value)
        case list() | tuple():
            return ("list", tuple(map(_value, value)))
        case dict():
            return ("record", tuple((_value(name), _value(each)) for name, each in value.items()))
        case date() | time() | timedelta():
            return (type(value).__name__, repr(value))
    return ("unknown", object())  # unlike all others


def _exact(value: float) -> Fraction:
    """Give the number that a float is written as, which a decimal can equal."""
    return Fraction(int(value)) if value.is_integer() else Fraction(repr(value))
