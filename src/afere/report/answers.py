"""Single answers for the terminal: the question, the key, each reply and how it was read."""

from collections.abc import Mapping, Sequence

from afere.domain import Grade, Message, Row, Run
from afere.report.blocks import Block, Line, Report, Style
from afere.report.executed import failure_name, reminder_lines
from afere.report.harmless import cut, harmless
from afere.report.words import ENGLISH, Words

__all__ = ["answers_report"]

_REPLY = 2000
_QUESTION = 1000
_RIGHT_ANSWERS = ("solution", "query", "tests")


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
    key = f"{item.expect.kind}: {_key_text(item.expect.key)}"
    return (
        Line(words.say("item {item}", item=harmless(item_id)), Style.STRONG),
        Line(cut(harmless(text, keep="\n"), _QUESTION)),
        Line(words.say("right answer: {key}", key=cut(harmless(key), _QUESTION))),
    )


def _key_text(key: object) -> str:
    """Write a key; of one that is executed, its own right answer where it has one."""
    if isinstance(key, Mapping):
        own = next((key[name] for name in _RIGHT_ANSWERS if key.get(name)), None)
        if own is not None:
            return str(own)
    return str(key)


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
            read=repr(cut(harmless(grade.read), 200)),
            rule=grade.rule or "-",
        )
    if grade.flags:
        head += f" ({harmless(', '.join(grade.flags))})"
    if grade.failure is not None:
        head += f"; {_failed(grade, words)}"
    if row.error is not None:
        return (Line(head, Style.CAREFUL), Line(cut(harmless(row.error.message), 400)))
    body = cut(harmless(content, keep="\n"), _REPLY) or words.say("(nothing)")
    blocks: tuple[Block, ...] = (Line(head, Style.FAINT), Line(body))
    if grade.output:
        said = words.say(
            "It printed: {output}", output=cut(harmless(grade.output, keep="\n"), _REPLY)
        )
        blocks += (Line(said),)
    return blocks


def _failed(grade: Grade, words: Words) -> str:
    """Say why an executed answer is not right."""
    named = failure_name(grade.failure or "", words)
    return words.colon.join(
        [named, *([cut(harmless(grade.message), 200)] if grade.message else [])]
    )
