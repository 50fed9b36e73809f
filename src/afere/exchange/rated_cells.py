"""What a cell of a table of confidences means; every refusal names its mend."""

import re
from dataclasses import dataclass, field
from math import isfinite, nan

from afere.exchange.score_cells import WrongCell, shown

__all__ = ["ABSENT", "Confidences", "answer_of", "id_of", "right_of", "split_of"]

ABSENT = nan
_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)
_FRACTION = "a confidence is a number from 0 to 1, or empty where there is none"
_PERCENT = "a confidence in percent is a number from 0 to 100, or empty where there is none"
_WORDS = {"nan", "inf", "infinity"}
_RIGHT = {"true": 1, "false": 0, "1": 1, "0": 0, "1.0": 1, "0.0": 0}
_SPLITS = {"tune": 0, "test": 1}


@dataclass(slots=True, eq=False)
class Confidences:
    """Reads confidences of one column, and remembers what is to be said of them as a whole.

    percent: values are declared to be 0 to 100. lenient: texts that hold a number are read too.
    """

    column: str
    percent: bool = False
    lenient: bool = False
    read_leniently: int = 0
    ones: int = 0
    others: int = 0
    fraction_at: int | None = field(default=None, init=False)
    fraction: float = field(default=0.0, init=False)
    above_one: bool = field(default=False, init=False)

    def of_text(self, cell: str, row: int) -> float:
        """Read a cell of a table of texts; an empty one is absent."""
        text = cell.strip()
        if not text:
            return ABSENT
        if _PLAIN.fullmatch(text):
            return self._checked(float(text), text, row)
        return self._leniently(text, row)

    def of(self, value: object, row: int) -> float:
        """Take a JSON value; null and an empty text are absent."""
        if value is None or (isinstance(value, str) and not value.strip()):
            return ABSENT
        if isinstance(value, bool):
            problem = f"{str(value).lower()} is no confidence"
            raise WrongCell(self.column, problem, f"{_FRACTION}; true and false are no numbers")
        if isinstance(value, int | float):
            try:
                return self._checked(float(value), value, row)
            except OverflowError:
                raise self._outside(shown(value)) from None
        if isinstance(value, str):
            return self._leniently(value.strip(), row)
        raise WrongCell(self.column, f"{shown(value)} is no confidence", _FRACTION)

    def finish(self) -> tuple[str, ...]:
        """Give what is to be said of the whole column; raises WrongCell for mixed scales."""
        if self.percent and self.fraction_at is not None:
            if self.above_one:
                problem = f"{self.fraction:g} stands among percentages"
                mend = "write the whole column from 0 to 1, or from 0 to 100"
            else:
                problem = f"{self.fraction:g} is no percentage: no value is above 1"
                mend = "leave out --scale percent"
            raise WrongCell(self.column, problem, mend)
        notes = []
        if self.ones and not self.others and not self.percent:
            notes.append("every confidence is 1: read as 1.0, not as 1 percent")
        if self.read_leniently:
            notes.append(f"{self.read_leniently} confidences were texts and read leniently")
        return tuple(notes)

    def _leniently(self, text: str, row: int) -> float:
        word = text.lower().lstrip("+-")
        if word in _WORDS:
            raise WrongCell(self.column, f"{shown(text)} is no finite number", _FRACTION)
        signed = text.endswith("%")
        bare = text.removesuffix("%").strip() if signed else text
        number = bare.replace(",", ".") if _COMMA.fullmatch(bare) else bare
        if not _PLAIN.fullmatch(number):
            mend = f"{_FRACTION}; words need numbers of your own in their place"
            raise WrongCell(self.column, f"{shown(text)} is no number", mend)
        if not self.lenient and not (signed and self.percent and number == bare):
            mend = "write a plain number such as 0.87, or add --lenient to read such texts"
            raise WrongCell(self.column, f"{shown(text)} is a text, not a plain number", mend)
        self.read_leniently += 1
        value = float(number)
        if signed and not self.percent:
            if not 0 <= value <= 100:  # noqa: PLR2004 - percent
                raise self._outside(shown(text))
            return value / 100
        return self._checked(value, text, row)

    def _checked(self, value: float, written: object, row: int) -> float:
        if 0 <= value <= 1:
            if value == 1:
                self.ones += 1
            else:
                self.others += 1
            if not self.percent:
                return value + 0.0  # -0.0 becomes 0.0
            if 0 < value < 1 and self.fraction_at is None:
                self.fraction_at, self.fraction = row, value
            return value / 100 + 0.0
        if not isfinite(value):
            raise WrongCell(self.column, f"{shown(written)} is no finite number", _FRACTION)
        if not self.percent or not 0 <= value <= 100:  # noqa: PLR2004 - percent
            raise self._outside(shown(written), value)
        self.above_one = True
        return value / 100  # never times 0.01: 57 * 0.01 is 0.5700000000000001

    def _outside(self, written: str, value: float = -1.0) -> WrongCell:
        if self.percent:
            return WrongCell(self.column, f"confidence {written} is outside 0 to 100", _PERCENT)
        mend = _FRACTION
        if 1 < value <= 100:  # noqa: PLR2004 - percent
            mend = "if the column is in percent, add --scale percent; " + _FRACTION
        return WrongCell(self.column, f"confidence {written} is outside 0 to 1", mend)


def answer_of(value: object, field: str) -> str | None:
    """Take a prediction, truth, group or category; numbers and booleans become their text."""
    if value is None:
        return None
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise WrongCell(field, f"{shown(value)} is no text", "write a text or a number")


def id_of(value: object, field: str) -> str:
    """Take an id; a whole number becomes its text."""
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise WrongCell(field, "names no row", "give every row an id, or leave the column out")
    return str(value).strip()


def right_of(value: object, field: str) -> int:
    """Take whether an answer is right: true, false, 1 or 0."""
    known = _RIGHT.get(str(value).strip().lower())
    if known is None:
        mend = "write true or false, or columns `prediction` and `truth`"
        raise WrongCell(field, f"{shown(value)} is neither right nor wrong", mend)
    return known


def split_of(value: object, field: str) -> int:
    """Take the part a row belongs to: 0 for tune, 1 for test."""
    known = _SPLITS.get(value.strip().lower()) if isinstance(value, str) else None
    if known is None:
        raise WrongCell(field, f"{shown(value)} is no part", "write tune or test in every row")
    return known
