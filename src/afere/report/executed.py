"""What is said of answers that were executed: how, how often they pass, and what nobody judged."""

from collections.abc import Mapping

from afere.domain import Executed, RunSummary
from afere.report.blocks import Block, Line, Style, Table
from afere.report.words import Words, message

__all__ = [
    "executed_facts",
    "failure_name",
    "key_text",
    "passing_table",
    "reminder",
    "reminder_lines",
]


def reminder(words: Words) -> str:
    """Say what a passed test does not tell."""
    return words.say(
        "Passing means that tests passed: readability and upkeep were not judged. "
        "Have a person review such code before it ships.",
    )


def reminder_lines(words: Words, *, executed: bool) -> tuple[Block, ...]:
    """Give the reminder as the end of a report, nothing where no answer was executed."""
    return (Line(reminder(words), Style.CAREFUL),) if executed else ()


def passing_table(summary: RunSummary, words: Words) -> tuple[Block, ...]:
    """Give pass@k and all-of-k with their intervals, and the rounds that they stand on."""
    rows = []
    for rates, template in (
        (summary.pass_at, message("pass@{k} of {n} rounds")),
        (summary.all_of, message("all {k} right, of {n} rounds")),
    ):
        for k, rate in rates.items():
            name = words.say(template, k=k, n=words.count(summary.rounds))
            limits = words.percent_limits(rate.interval)
            rows.append((name, words.count(rate.items), words.percent(rate.score), limits))
    if len(rows) < 2:  # noqa: PLR2004 - pass@1 alone is the score
        return ()
    level = words.say("{level} interval", level=words.level(summary.level))
    head = ("", *words.each("items", "score"), level)
    return (Table(head=head, rows=rows, align="lrrr"),)


def executed_facts(executed: Executed | None, words: Words) -> list[tuple[str, str]]:
    """Give how answers were executed, and why those failed that did."""
    if executed is None:
        return []
    levels = words.listing(
        words.say("{n} under {level}", n=words.count(count), level=level)
        for level, count in executed.sandbox.items()
    )
    failures = words.listing(
        words.say("{n} {failure}", n=words.count(count), failure=failure_name(failure, words))
        for failure, count in executed.failures.items()
    )
    facts = [(words.say("executed"), levels), (words.say("failures"), failures)]
    return [fact for fact in facts if fact[1]]


def failure_name(failure: str, words: Words) -> str:
    """Name a kind of failure."""
    return words.say(_FAILURES[failure]) if failure in _FAILURES else failure


def key_text(key: object) -> str:
    """Write a key; of one that is executed, its own right answer or its tests."""
    if isinstance(key, Mapping):
        own = next((key[name] for name in _RIGHT_ANSWERS if key.get(name)), None)
        if own is not None:
            return str(own)
    return str(key)


_RIGHT_ANSWERS = ("solution", "query", "tests")
_FAILURES = {
    "assertion": message("test failed"),
    "exception": message("exception"),
    "timeout": message("time-out"),
    "memory": message("out of memory"),
    "output": message("too much output"),
    "crash": message("crash"),
    "syntax": message("no valid syntax"),
}
