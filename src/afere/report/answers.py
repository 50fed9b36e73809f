"""Single answers for the terminal: the question, the key, each reply and how it was read."""

from collections.abc import Sequence

from afere.domain import Grade, Message, Row, Run
from afere.report.blocks import Block, Line, Report, Style
from afere.report.executed import failure_name, reminder_lines
from afere.report.harmless import cut, harmless
from afere.report.item_texts import right_answer
from afere.report.words import ENGLISH, Words

__all__ = ["answers_report"]

_REPLY = 2000
_QUESTION = 1000


def answers_report(
    run: Run,
    answers: Sequence[tuple[Row, str]],
    *,
    words: Words = ENGLISH,
) -> Report:
    """Show answers of a run, each a row with the text of its reply; questions are shown once."""
    if not answers:
        return Report(((Line(words.say("No such answer in run {run}.", run=run.id)),),))
    sections: list[tuple[Block, ...]] = []
    shown = ""
    for row, content in answers:
        if row.item != shown:
            shown = row.item
            sections.append(_question(run, row.item, words))
        sections.append(_answer(row, content, words))
    executed = any(row.grade.sandbox is not None for row, _ in answers)
    sections.append(reminder_lines(words, executed=executed))
    return Report(tuple(sections))


def _question(run: Run, item_id: str, words: Words) -> tuple[Block, ...]:
    item = run.suite.item(item_id)
    text = item.input if isinstance(item.input, str) else _last_text(item.input)
    key = f"{item.expect.kind}: {right_answer(item)}"
    return (
        Line(words.say("item {item}", item=harmless(item_id)), Style.STRONG),
        *_lines(cut(text, _QUESTION)),
        *_right_answer(key, words),
    )


def _right_answer(key: str, words: Words) -> tuple[Line, ...]:
    if "\n" in key.strip():
        return (Line(words.say("right answer: {key}", key="")), *_lines(cut(key, _QUESTION)))
    return (Line(words.say("right answer: {key}", key=cut(harmless(key.strip()), _QUESTION))),)


def _last_text(messages: tuple[Message, ...]) -> str:
    content = messages[-1].content if messages else ""
    return content if isinstance(content, str) else f"[… {len(content)}]"


def _answer(row: Row, content: str, words: Words) -> tuple[Block, ...]:
    grade = row.grade
    head = words.say(
        "round {round}: {outcome}",
        round=words.count(row.round),
        outcome=words.outcome(grade.outcome, one=True),
    )
    if grade.read is not None:
        head += words.say(
            ", read {read} by the rule {rule}",
            read=repr(cut(harmless(" ".join(grade.read.split("\n"))), 200)),
            rule=grade.rule or "-",
        )
    if grade.flags:
        head += f" ({harmless(', '.join(grade.flags))})"
    if grade.failure is not None:
        head += f"; {_failed(grade, words)}"
    if row.error is not None:
        return (Line(head, Style.CAREFUL), Line(cut(harmless(row.error.message), 400)))
    body = _lines(content) or (Line(words.say("(nothing)")),)
    blocks: tuple[Block, ...] = (Line(head, Style.FAINT), *body)
    if grade.output:
        blocks += (Line(words.say("It printed:"), Style.FAINT), *_lines(grade.output))
    return blocks


def _lines(text: str) -> tuple[Line, ...]:
    """Give a text of several lines, cut, as lines of a report."""
    shown = cut(harmless(text.strip("\n"), keep="\n"), _REPLY)
    return tuple(Line(line) for line in shown.split("\n")) if shown else ()


def _failed(grade: Grade, words: Words) -> str:
    """Say why an executed answer is not right."""
    named = failure_name(grade.failure or "", words)
    return words.colon.join(
        [named, *([cut(harmless(grade.message), 200)] if grade.message else [])]
    )
