"""Every sentence and number for people passes here, and is said in the reader's language.

A language is a catalogue from English templates to its own; English needs none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from afere.domain import Outcome, Sentence, VerdictKind
from afere.report.catalogue import in_context

__all__ = ["ENGLISH", "Words", "decimals_apart", "message"]

_MOST_DECIMALS = 4
_MINUTE, _LONG = 1.0, 100.0
_CENT, _SMALLEST_PRICE = 0.01, 0.0001
_LEAST_P = 0.001


def message(template: str) -> str:
    """Mark a template that is said elsewhere, so that the check of the catalogues finds it."""
    return template


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One language: its sentences, its numbers.

    minus: the sign before negative numbers; a page may take the longer one. decimal, thousands:
    the separators within a number. comma, colon, space: what stands between parts of a list,
    after a head, and between two sentences.
    """

    language: str = "en"
    catalogue: Mapping[str, str] = field(default_factory=dict)
    minus: str = "-"
    decimal: str = "."
    thousands: str = ","
    comma: str = ", "
    colon: str = ": "
    space: str = " "

    def say(self, template: str, /, **values: object) -> str:
        """Fill a template, in this language."""
        return self.catalogue.get(template, template).format(**values)

    def many(self, one: str, more: str, /, *, n: int, **values: object) -> str:
        """Fill the template for one or for more; `n` is written with its separators."""
        return self.say(one if n == 1 else more, n=self.count(n), **values)

    def each(self, *texts: str) -> tuple[str, ...]:
        """Say several short texts, as the heads of a table."""
        return tuple(self.say(text) for text in texts)

    def tell(self, text: str) -> str:
        """Say a text that another room made, in this language where it remembers its template."""
        if not isinstance(text, Sentence):
            return text
        return self.say(
            text.template,
            **{name: self._value(name, value) for name, value in text.values.items()},
        )

    def listing(self, parts: Iterable[str]) -> str:
        """Join parts as an enumeration."""
        return self.comma.join(parts)

    def written(self, number: str) -> str:
        """Put this language's signs into a number that was written in the English way."""
        if (self.minus, self.decimal, self.thousands) == ("-", ".", ","):
            return number
        signs = {"-": self.minus, ".": self.decimal, ",": self.thousands}
        return "".join(signs.get(character, character) for character in number)

    def number(self, value: float, decimals: int) -> str:
        """Write a number with that many decimals: 9.18 is `9.2`."""
        return self.written(f"{round(value, decimals) + 0.0:,.{decimals}f}")

    def count(self, number: int) -> str:
        """Write a count with thousands separators: `12,345`."""
        return self.written(f"{number:,}")

    def percent(self, fraction: float | None) -> str:
        """Write a fraction as a percentage: 0.867 is `86.7 %`; unknown is a dash.

        More decimals are written where one would turn nearly all into all, or nearly none into
        none.
        """
        return "–" if fraction is None else self.say("{n} %", n=self.percentage(fraction))

    def percentage(self, fraction: float) -> str:
        """Write a fraction in percent without the sign: 0.867 is `86.7`."""
        decimals = decimals_apart((fraction,), (0.0, 1.0))
        return self.written(f"{round(100 * fraction, decimals) + 0.0:.{decimals}f}")

    def percent_limits(self, limits: tuple[float, float] | None) -> str:
        """Write the limits of an interval: `78.1 to 92.3 %`."""
        if limits is None:
            return "–"
        low, high = (self.percentage(limit) for limit in limits)
        return self.say("{low} to {high} %", low=low, high=high)

    def level(self, fraction: float) -> str:
        """Write the level of an interval: 0.95 is `95 %`."""
        return self.say("{n} %", n=self.written(f"{100 * fraction:.6g}"))

    def margin(self, fraction: float) -> str:
        """Write a margin: 0.02 is `2 points`."""
        number = self.written(f"{100 * fraction:.6g}")
        return self.say("1 point") if number == "1" else self.say("{n} points", n=number)

    def points(self, fraction: float, *, decimals: int = 1, sign: bool = False) -> str:
        """Write a difference of two fractions in points, without the word: 0.032 is `3.2`."""
        value = round(100 * fraction, decimals) + 0.0  # -0.0 becomes 0.0
        text = f"{value:+.{decimals}f}" if sign and value else f"{value:.{decimals}f}"
        return self.written(text)

    def seconds(self, seconds: float | None) -> str:
        """Write a duration in seconds: `0.85 s`, `1.2 s`, `1,240 s`; unknown is a dash."""
        if seconds is None:
            return "–"
        number = f"{seconds:.2f}" if seconds < _MINUTE else f"{seconds:.1f}"
        return self.say("{n} s", n=self.written(number if seconds < _LONG else f"{seconds:,.0f}"))

    def price(self, dollars: float | None) -> str:
        """Write a price in US dollars: `$12.30`, `$0.0042`; unknown is a dash."""
        if dollars is None:
            return "–"
        if 0 < dollars < _SMALLEST_PRICE:
            return self.say("under {price}", price=self._dollars(f"{_SMALLEST_PRICE:.4f}"))
        whole = dollars >= _CENT or dollars == 0
        return self._dollars(f"{dollars:,.2f}" if whole else f"{dollars:.4f}")

    def probability(self, p: float | None) -> str:
        """Write a p value with three decimals, or as less than the least of them."""
        if p is None:
            return "–"
        return self.written(f"< {_LEAST_P}" if p < _LEAST_P else f"{p:.3f}")

    def time(self, iso: str | None) -> str:
        """Write an ISO 8601 time as `2026-11-30 07:45 UTC`; what is no time stays as it is."""
        if iso is None:
            return "–"
        try:
            moment = datetime.fromisoformat(iso)
        except ValueError:
            return iso
        return self.moment(moment.timestamp()) if moment.tzinfo else iso

    def moment(self, seconds: float | None) -> str:
        """Write seconds since 1970 as `2026-11-30 07:45 UTC`; unknown is a dash."""
        if seconds is None:
            return "–"
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")

    def outcome(self, outcome: str, *, one: bool = False) -> str:
        """Name an outcome of several answers, as in a table, or of one."""
        name = _OUTCOMES.get(outcome)
        if name is None:
            return outcome
        return self._as("one answer", name) if one else self.say(name)

    def outcomes(self, outcome: str, n: int) -> str:
        """Count an outcome: `2 truncated`."""
        return self.say("{n} {outcome}", n=self.count(n), outcome=self.outcome(outcome, one=n == 1))

    def verdict(self, verdict: VerdictKind) -> str:
        """Name a verdict."""
        return self.say(_VERDICTS[verdict])

    def status(self, status: str) -> str:
        """Name the status of a run."""
        return self._as("run", status)

    def _as(self, context: str, name: str) -> str:
        """Say a name that another language says otherwise in this context."""
        return self.catalogue.get(in_context(context, name), name)

    def _dollars(self, number: str) -> str:
        return self.say("${n}", n=self.written(number))

    def _value(self, name: str, value: object) -> object:
        """Give a value of another room's sentence in this language: its numbers and its terms."""
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return value
        if not isinstance(value, str):
            return self.written(str(value))
        if name == "outcome":
            return self.outcome(value)
        if name == "status":
            return self.status(value)
        return self.say(value) if name in _SPOKEN and value in _SPOKEN[name] else value


def decimals_apart(values: Iterable[float], bounds: Iterable[float]) -> int:
    """Give how many decimals, in percent, keep each value apart from each bound it differs from.

    Without it an interval from 0.02 to 5.4 points would read `0.0 to 5.4`, as if it held 0.
    """
    pairs = [(value, bound) for value in values for bound in bounds if value != bound]
    for decimals in range(1, _MOST_DECIMALS):
        if all(
            round(100 * value, decimals) != round(100 * bound, decimals) for value, bound in pairs
        ):
            return decimals
    return _MOST_DECIMALS


ENGLISH = Words()

_OUTCOMES = {
    Outcome.RIGHT.value: message("right"),
    Outcome.WRONG.value: message("wrong"),
    Outcome.UNREADABLE.value: message("unreadable"),
    Outcome.EMPTY.value: message("empty"),
    Outcome.TRUNCATED.value: message("truncated"),
    Outcome.REFUSED.value: message("refused"),
    Outcome.BLOCKED.value: message("blocked"),
    Outcome.NOT_ASKED.value: message("not asked"),
    Outcome.ENDPOINT_ERROR.value: message("failed"),
    Outcome.GRADER_ERROR.value: message("grader failed"),
}
_VERDICTS = {
    VerdictKind.BETTER: message("better"),
    VerdictKind.WORSE: message("worse"),
    VerdictKind.EQUIVALENT: message("equivalent"),
    VerdictKind.UNDECIDED: message("undecided"),
    VerdictKind.INVALID: message("invalid"),
}
_SPOKEN = {
    "lo": tuple(_VERDICTS.values()),
    "hi": tuple(_VERDICTS.values()),
    "what": (message("model"), message("fingerprint")),
}
