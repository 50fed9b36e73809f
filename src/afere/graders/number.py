"""`number`: the exact value, by the separators of the declared language."""

import decimal
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

from afere.domain import AnswerKeyError, Item, Reading
from afere.graders.kind import OTHER_SEPARATORS, Key, ReadKind
from afere.graders.reading.bases import (
    Digits,
    digits_at_marker,
    exact_digits,
    last_digits,
    value_in_base,
)
from afere.graders.reading.form import core, plain
from afere.graders.reading.language import Language, language_of
from afere.graders.reading.markers import Marked
from afere.graders.reading.number_words import with_digits
from afere.graders.reading.numerals import Number, parse_number, written
from afere.graders.reading.rules import Reader
from afere.graders.reading.units import other_unit, same_unit
from afere.graders.reading.values import exact_number, first_number, last_number

__all__ = ["NumberKind"]

_LARGEST_BASE = 36
_WIDEST = 1000  # powers of ten between which a key lies
_BEYOND = Decimal("1E+99999")  # stands for a number longer than any key
_EXACT = decimal.Context(
    prec=decimal.MAX_PREC,
    Emax=decimal.MAX_EMAX,
    Emin=decimal.MIN_EMIN,
    traps=[decimal.InvalidOperation],
)


class NumberKind(ReadKind[Number]):
    """Judges a number: equal in value, or within a declared tolerance, its bound included."""

    name = "number"
    version = "2"
    settings: ClassVar[Mapping[str, str]] = {
        "tolerance": "how far the value may be off",
        "relative": "the same, as a fraction of the key",
        "unit": "the unit that may stand with the value",
        "base": "the base of the reply's digits, 2 to 36",
    }

    def prepare(self, item: Item, reading: Reading) -> "_Key":
        """Read key and options; raises AnswerKeyError."""
        options, language = item.expect.options, language_of(reading.language)
        base = _base(options.get("base", 10))
        value, over = _value(item.expect.key, language, base)
        slack = max(
            _EXACT.multiply(_slack(options, "tolerance"), over),
            _EXACT.multiply(_slack(options, "relative"), abs(value)),
        )
        return _Key(
            reader=_Reader(language=language, base=base, lenient=not reading.strict),
            low=_EXACT.subtract(value, slack),
            high=_EXACT.add(value, slack),
            over=over,
            unit=_unit(options.get("unit")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key(Key[Number]):
    """The bounds of a right value (both over `over`), and the units that it may have."""

    reader: "_Reader"
    low: Decimal
    high: Decimal
    over: Decimal
    unit: tuple[str, ...]

    def score(self, value: Number) -> float:
        if value.value is None or self._has_another_unit(value.unit):
            return 0.0
        top = _EXACT.multiply(value.value, self.over) if self.over != 1 else value.value
        low, high = self.low, self.high
        if value.over != 1:
            low, high = _EXACT.multiply(low, value.over), _EXACT.multiply(high, value.over)
        return float(low <= top <= high)

    def shown(self, value: Number) -> str:
        return "" if value.value is None else written(value.value, value.over)

    def flags(self, value: Number) -> tuple[str, ...]:
        return (OTHER_SEPARATORS,) if value.other else ()

    def _has_another_unit(self, unit: str) -> bool:
        if not self.unit or not unit:
            return False
        return not any(same_unit(each, unit) for each in self.unit) and any(
            other_unit(each, unit) for each in self.unit
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader(Reader[Number]):
    """Reads numbers; words such as "quatro" where reading is lenient."""

    language: Language
    base: int
    lenient: bool

    def view(self, text: str) -> str:
        return plain(text)

    def marked(self, marked: Marked) -> Number | None:
        if self.base != 10:  # noqa: PLR2004 - ten is the base of numbers without one
            return _from_digits(digits_at_marker(marked.line, self.base))
        number = first_number(marked.line, self.language)
        return number or self._in_words(marked.line, first_number)

    def exact(self, text: str) -> Number | None:
        if self.base != 10:  # noqa: PLR2004 - ten is the base of numbers without one
            return _from_digits(exact_digits(text, self.base))
        number = exact_number(text, self.language, lenient=self.lenient)
        return number or self._in_words(text, self._exactly)

    def said(self, text: str) -> Number | None:
        return self.marked(Marked(line=text, rest=text, start=0)) if text.strip() else None

    def loose(self, text: str) -> Number | None:
        if self.base != 10:  # noqa: PLR2004 - ten is the base of numbers without one
            return _from_digits(last_digits(text, self.base))
        number = last_number(text, self.language)
        return number or self._in_words(text, last_number)

    def _exactly(self, text: str, language: Language) -> Number | None:
        return exact_number(text, language, lenient=self.lenient)

    def _in_words(self, text: str, reading: Any) -> Number | None:  # noqa: ANN401 - one of three readers
        digits = with_digits(text, self.language) if self.lenient else None
        number: Number | None = reading(digits, self.language) if digits else None
        return number


def _from_digits(digits: Digits | None) -> Number | None:
    if digits is None:
        return None
    value = _BEYOND if digits.value is None else Decimal(digits.value)
    return Number(start=0, end=0, value=value)


def _value(key: object, language: Language, base: int) -> tuple[Decimal, Decimal]:
    """Give the key's value and its denominator."""
    if isinstance(key, str):
        value, over = _from_text(key, language, base)
    elif isinstance(key, bool) or not isinstance(key, int | float | Decimal):
        raise AnswerKeyError(f"{key!r} is no number", mend="Write `number: 42`.")
    else:
        value, over = Decimal(repr(key) if isinstance(key, float) else key), Decimal(1)
    if not value.is_finite() or (value and abs(value.adjusted()) > _WIDEST):
        raise AnswerKeyError(f"{key!r} is no number that can be compared")
    return value, over


def _from_text(key: str, language: Language, base: int) -> tuple[Decimal, Decimal]:
    if base != 10:  # noqa: PLR2004 - ten is the base of numbers without one
        whole = value_in_base(plain(key), base)
        if whole is None:
            raise AnswerKeyError(f"{key!r} is no number in base {base}")
        return Decimal(whole), Decimal(1)
    number = parse_number(core(plain(key)), language)
    if number is None or number.value is None:
        mend = f"Write digits, with `{language.decimal}` before decimals."
        raise AnswerKeyError(f"{key!r} is no number", mend=mend)
    return number.value, number.over


def _base(base: object) -> int:
    if isinstance(base, bool) or not isinstance(base, int) or not 2 <= base <= _LARGEST_BASE:  # noqa: PLR2004 - no smaller base
        raise AnswerKeyError(f"`base: {base}` is no base", mend="Write a whole number, 2 to 36.")
    return base


def _slack(options: Any, name: str) -> Decimal:  # noqa: ANN401 - the options of a suite
    given = options.get(name, 0)
    try:
        slack = Decimal(str(given)) if not isinstance(given, bool) else Decimal(-1)
    except decimal.InvalidOperation:
        slack = Decimal(-1)
    if not slack.is_finite() or slack < 0 or (slack and abs(slack.adjusted()) > _WIDEST):
        raise AnswerKeyError(f"`{name}: {given}` is no number of 0 or more")
    return slack


def _unit(unit: object) -> tuple[str, ...]:
    if unit is None:
        return ()
    units = [unit] if isinstance(unit, str) else unit
    if not isinstance(units, list | tuple) or not all(
        isinstance(each, str) and each for each in units
    ):
        raise AnswerKeyError(
            f"`unit: {unit}` is no unit", mend="Write `unit: kg` or a list of names."
        )
    return tuple(units)
