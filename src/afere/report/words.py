"""Every sentence and number for people passes here, so that another language can be added.

A language is a catalogue from English templates to its own; English needs none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from afere.domain import Outcome, Sentence, VerdictKind

__all__ = ["ENGLISH", "Words"]

_MOST_DECIMALS = 4
_MINUTE, _LONG = 1.0, 100.0
_CENT, _SMALLEST_PRICE = 0.01, 0.0001
_LEAST_P = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One language: its sentences, its numbers.

    minus: the sign before negative numbers; a page may take the longer one.
    """

    language: str = "en"
    catalogue: Mapping[str, str] = field(default_factory=dict)
    minus: str = "-"

    def say(self, template: str, /, **values: object) -> str:
        """Fill a template, in this language."""
        return self.catalogue.get(template, template).format(**values)

    def many(self, one: str, more: str, /, *, n: int, **values: object) -> str:
        """Fill the template for one or for more; `n` is written with its separators."""
        return self.say(one if n == 1 else more, n=self.count(n), **values)

    def tell(self, text: str) -> str:
        """Say a text that another room made, in this language where it remembers its template."""
        return self.say(text.template, **text.values) if isinstance(text, Sentence) else text

    def listing(self, parts: Iterable[str]) -> str:
        """Join parts as an enumeration."""
        return ", ".join(parts)

    def count(self, number: int) -> str:
        """Write a count with thousands separators: `12,345`."""
        return self._signed(f"{number:,}")

    def percent(self, fraction: float | None) -> str:
        """Write a fraction as a percentage: 0.867 is `86.7 %`; unknown is a dash.

        More decimals are written where one would turn nearly all into all, or nearly none into
        none.
        """
        return "–" if fraction is None else f"{self._percentage(fraction)} %"

    def percent_limits(self, limits: tuple[float, float] | None) -> str:
        """Write the limits of an interval: `78.1 to 92.3 %`."""
        if limits is None:
            return "–"
        low, high = (self._percentage(limit) for limit in limits)
        return self.say("{low} to {high} %", low=low, high=high)

    def level(self, fraction: float) -> str:
        """Write the level of an interval: 0.95 is `95 %`."""
        return f"{100 * fraction:.6g} %"

    def margin(self, fraction: float) -> str:
        """Write a margin: 0.02 is `2 points`."""
        number = self._signed(f"{100 * fraction:.6g}")
        return self.say("1 point") if number == "1" else self.say("{n} points", n=number)

    def points(self, fraction: float, *, decimals: int = 1, sign: bool = False) -> str:
        """Write a difference of two fractions in points, without the word: 0.032 is `3.2`."""
        value = round(100 * fraction, decimals) + 0.0  # -0.0 becomes 0.0
        return self._signed(f"{value:+.{decimals}f}" if sign and value else f"{value:.{decimals}f}")

    def seconds(self, seconds: float | None) -> str:
        """Write a duration in seconds: `0.85 s`, `1.2 s`, `1,240 s`; unknown is a dash."""
        if seconds is None:
            return "–"
        if seconds < _MINUTE:
            return f"{seconds:.2f} s"
        return f"{seconds:.1f} s" if seconds < _LONG else f"{seconds:,.0f} s"

    def price(self, dollars: float | None) -> str:
        """Write a price in US dollars: `$12.30`, `$0.0042`; unknown is a dash."""
        if dollars is None:
            return "–"
        if 0 < dollars < _SMALLEST_PRICE:
            return self.say("under {price}", price="$0.0001")
        return f"${dollars:,.2f}" if dollars >= _CENT or dollars == 0 else f"${dollars:.4f}"

    def probability(self, p: float | None) -> str:
        """Write a p value with three decimals, or as less than the least of them."""
        if p is None:
            return "–"
        return f"< {_LEAST_P}" if p < _LEAST_P else f"{p:.3f}"

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

    def outcome(self, outcome: str) -> str:
        """Name an outcome in a table or a list."""
        return self.say(_OUTCOMES.get(outcome, outcome.replace("{", "{{").replace("}", "}}")))

    def verdict(self, verdict: VerdictKind) -> str:
        """Name a verdict."""
        return self.say(str(verdict.value))

    def _percentage(self, fraction: float) -> str:
        decimals = decimals_apart((fraction,), (0.0, 1.0))
        return self._signed(f"{round(100 * fraction, decimals) + 0.0:.{decimals}f}")

    def _signed(self, number: str) -> str:
        return number.replace("-", self.minus)


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
    Outcome.RIGHT.value: "right",
    Outcome.WRONG.value: "wrong",
    Outcome.UNREADABLE.value: "unreadable",
    Outcome.EMPTY.value: "empty",
    Outcome.TRUNCATED.value: "truncated",
    Outcome.REFUSED.value: "refused",
    Outcome.BLOCKED.value: "blocked",
    Outcome.NOT_ASKED.value: "not asked",
    Outcome.ENDPOINT_ERROR.value: "failed",
    Outcome.GRADER_ERROR.value: "grader failed",
}
