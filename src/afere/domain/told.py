"""Results as a person at a prompt reads them: `str()` and a notebook's `_repr_html_`.

The words are plain English and few; the whole report, in three languages, is the command line's.
"""

from collections.abc import Iterable, Mapping
from html import escape

__all__ = ["SHOWN", "Told", "counts", "interval", "lines_of", "percent", "text_of"]

Limits = tuple[float, float]

SHOWN = 20  # categories that a text names


class Told:
    """Shows a result in a notebook as the text of `str()`, with every character escaped."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def text_of(head: str) -> str:
    """Give a line of text in which nothing moves a cursor."""
    return lines_of(head, (), ())


def percent(score: float | None) -> str:
    """Write a fraction as a percentage, a dash where there is none."""
    return "–" if score is None else f"{100 * score:.1f} %"


def interval(limits: Limits | None, level: float, *, scale: str = "%") -> str:
    """Write an interval in brackets, nothing where there is none."""
    if limits is None:
        return ""
    sign = "+" if scale == "points" else ""
    low, high = (f"{100 * limit:{sign}.1f}" for limit in limits)
    return f" ({100 * level:g} % interval {low} to {high})"


def counts(outcomes: Mapping[str, int]) -> str:
    """Write how many answers came to what."""
    return ", ".join(f"{count} {name}" for name, count in outcomes.items()) or "–"


def lines_of(head: str, facts: Iterable[tuple[str, str]], warnings: Iterable[str]) -> str:
    """Write a headline, a fact a line, and the warnings; nothing in them moves a cursor."""
    known = [(_harmless(name), _harmless(value)) for name, value in facts]
    width = max((len(name) for name, _ in known), default=0)
    lines = [_harmless(head), *(f"  {name:{width}}  {value}" for name, value in known)]
    return "\n".join([*lines, *(f"  warning: {_harmless(text)}" for text in warnings)])


def _harmless(text: str) -> str:
    """Write control characters, line breaks and marks of direction as escapes."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape", "surrogatepass").decode()
        for each in text
    )
