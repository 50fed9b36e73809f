"""What endpoints answered to a ping, for the terminal."""

from collections.abc import Mapping, Sequence

from afere.report.blocks import Block, Line, Report, Style, Table
from afere.report.harmless import one_line
from afere.report.words import ENGLISH, Words

__all__ = ["ping_report"]

_MESSAGE = 200
Ping = tuple[str, float | None, Mapping[str, bool], str | None, str | None]


def ping_report(pings: Sequence[Ping], *, words: Words = ENGLISH) -> Report:
    """Tell of each model: whether it answers, how fast, what it supports, the error, the mend."""
    names = sorted({name for _, _, supports, _, _ in pings for name in supports})
    head = ("model", "answers", "seconds", *names)
    rows = [
        (
            one_line(model, _MESSAGE),
            words.say("yes") if error is None else words.say("no"),
            words.seconds(latency),
            *(_mark(supports.get(name), words) for name in names),
        )
        for model, latency, supports, error, _ in pings
    ]
    table = Table(
        head=tuple(words.say(each) for each in head),
        rows=rows,
        align="llr" + "l" * len(names),
    )
    return Report(((table,), *(_trouble(ping, words) for ping in pings if ping[3] is not None)))


def _mark(supported: bool | None, words: Words) -> str:  # noqa: FBT001 - one cell of the table
    if supported is None:
        return "–"
    return words.say("yes") if supported else words.say("no")


def _trouble(ping: Ping, words: Words) -> tuple[Block, ...]:
    model, _, _, error, mend = ping
    return (
        Line(
            words.say(
                "{model}: {error}",
                model=one_line(model, _MESSAGE),
                error=one_line(error or "", _MESSAGE),
            ),
            Style.BAD,
        ),
        Line(words.say("Mend: {mend}", mend=one_line(mend or "", _MESSAGE)), Style.STRONG),
    )
