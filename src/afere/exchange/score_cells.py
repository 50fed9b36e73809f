"""What a cell of a result file means: an id, a score, a round; every refusal names its mend."""

import json
import re
from collections import Counter
from math import isfinite, nan
from typing import Any

__all__ = [
    "LOST",
    "MOST_ROUNDS",
    "WrongCell",
    "id_of",
    "label_of",
    "once",
    "round_of",
    "round_of_text",
    "score_of",
    "score_of_text",
    "shown",
]

LOST = nan
MOST_ROUNDS = 10_000
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
_BOOLEANS = {"true": 1.0, "false": 0.0}
_FRACTION = "a score is between 0 and 1 (85 of 100 is 0.85), true or false"
_LEAVE_EMPTY = "leave the cell empty where the answer is lost"
_WHOLE = "rounds are whole numbers from 1"


class WrongCell(ValueError):  # noqa: N818 - what is wrong, and how to mend it; never shown as it is
    """A cell that is not what its column asks for."""

    def __init__(self, field: str, problem: str, mend: str) -> None:
        self.field, self.problem, self.mend = field, problem, mend
        super().__init__(problem)


def shown(value: object, *, longest: int = 60) -> str:
    """Give a value of the file in a message: quoted, short, without control characters."""
    text = value if isinstance(value, str) else str(value)
    if len(text) > longest:
        text = f"{text[:longest]}…"
    return json.dumps(text, ensure_ascii=False) if text.isprintable() else json.dumps(text)


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a JSON object of its pairs; raises ValueError for a name that stands twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise ValueError(f"{shown(max(counts, key=counts.__getitem__))} stands twice in one object")
    return fields


def score_of_text(cell: str, *, decimal_comma: bool = False) -> float:
    """Read a score as a table writes it; an empty cell is a lost row."""
    text = cell.strip()
    if not text:
        return LOST
    known = _BOOLEANS.get(text.lower())
    if known is not None:
        return known
    if not _NUMBER.fullmatch(text) or ("," in text and not decimal_comma):
        raise _no_number(text)
    return _fraction(float(text.replace(",", ".")), text)


def score_of(value: object) -> float:
    """Take a score that is a JSON value; null is a lost row."""
    if value is None:
        return LOST
    if isinstance(value, int | float):  # booleans are whole numbers
        try:
            return _fraction(float(value), value)
        except OverflowError:
            raise _outside(value) from None
    raise _no_number(value)


def round_of_text(cell: str, field: str = "round", lowest: int = 1) -> int:
    """Read a round as a table writes it; an empty cell is the first."""
    text = cell.strip()
    if not text:
        return lowest
    # a spreadsheet or a data frame turns whole numbers into 1.0
    digits = re.fullmatch(r"(\d{1,9})(?:\.0{1,9})?", text, re.ASCII)
    if digits is None:
        raise _no_round(text, field, lowest)
    return round_of(int(digits[1]), field, lowest)


def round_of(value: object, field: str = "round", lowest: int = 1) -> int:
    """Take a round that is a JSON value; null is the first."""
    if value is None:
        return lowest
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _no_round(value, field, lowest)
    if not lowest <= value <= MOST_ROUNDS:
        raise _no_round(value, field, lowest)
    return value


def id_of(value: object) -> str:
    """Take an item's id that is a JSON value; a whole number becomes its text."""
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise WrongCell("item", "names no item", "every row needs the id of its item")
    return str(value)


def label_of(value: object, field: str) -> str | None:
    """Take a label (a category, a group, a model); a number becomes its text, empty is none."""
    if value is None or value == "":
        return None
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    raise WrongCell(field, f"{shown(value)} is no text", "write a text, or leave it empty")


def _fraction(value: float, written: object) -> float:
    if 0 <= value <= 1:
        return value
    if not isfinite(value):
        raise WrongCell("score", f"{shown(written)} is no finite number", _LEAVE_EMPTY)
    raise _outside(written)


def _outside(written: object) -> WrongCell:
    return WrongCell("score", f"{shown(written)} is not between 0 and 1", _FRACTION)


def _no_number(written: object) -> WrongCell:
    word = str(written).strip().lower().lstrip("+-")
    if word in {"nan", "inf", "infinity"}:
        return WrongCell("score", f"{shown(written)} is no finite number", _LEAVE_EMPTY)
    return WrongCell("score", f"{shown(written)} is no score", f"{_FRACTION}; {_LEAVE_EMPTY}")


def _no_round(written: object, field: str, lowest: int) -> WrongCell:
    mend = f"{_WHOLE} to {MOST_ROUNDS:,}" if field == "round" else f"whole numbers from {lowest}"
    return WrongCell(field, f"{shown(written)} is no {field}", mend)
