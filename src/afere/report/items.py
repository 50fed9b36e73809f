"""The rows of a page's items table: what was asked, what each side answered, how it was read."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from afere.domain import (
    EXECUTED_KINDS,
    Comparison,
    Expect,
    Item,
    Outcome,
    Response,
    Row,
    Run,
    encode,
)
from afere.report.executed import key_text
from afere.report.harmless import harmless
from afere.report.words import Words

__all__ = ["Answer", "ItemRow", "Side", "item_rows"]

_READ = 80
_KEY = 120
_QUESTION = 6_000
_ALL_REPLIES = 2_500_000  # characters of replies on one page, so that it opens at once
_SHORTEST_REPLY, _LONGEST_REPLY = 200, 6_000
_MARKS = {
    Outcome.RIGHT: "✓",
    Outcome.WRONG: "✗",
    Outcome.UNREADABLE: "?",
    Outcome.EMPTY: "∅",
    Outcome.TRUNCATED: "…",
    Outcome.REFUSED: "⊘",
    Outcome.BLOCKED: "⊘",
    Outcome.NOT_ASKED: "·",
    Outcome.ENDPOINT_ERROR: "!",
    Outcome.GRADER_ERROR: "!",
}
_DETAILED = 1_500  # items of one page that are shown with question and replies
_PARTLY = "◐"
_FAULTY = frozenset({Outcome.UNREADABLE, Outcome.EMPTY, Outcome.TRUNCATED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer in one round, ready to be shown; `reply` is None where it is not at hand."""

    round: int
    outcome: str
    name: str
    mark: str
    read: str
    rule: str
    facts: str
    reply: str | None
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The answers of one side to one item."""

    right: int
    counted: int
    answers: tuple[Answer, ...]
    read: str

    @property
    def spoken(self) -> str:
        """The marks in words, for those who cannot see them."""
        return ", ".join(f"{answer.round}: {answer.name}" for answer in self.answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """One item: `kinds` are the filters that it passes; `detailed` ones show their replies."""

    id: str
    category: str
    key: str
    question: str
    baseline: Side
    candidate: Side
    kinds: tuple[str, ...]
    detailed: bool = True

    @property
    def anchor(self) -> str:
        """The id of the row within the page, which a link's fragment names."""
        return f"item={harmless(self.id)}"


def item_rows(
    comparison: Comparison,
    runs: tuple[Run, Run],
    responses: Mapping[str, Response],
    words: Words,
) -> list[ItemRow]:
    """Give a row for each item that either run was asked, in the order of the runs.

    responses: by the key of the request (`Row.key`); long ones are cut, so that the page opens.
    """
    shown = len(responses) or 1
    limit = min(max(_ALL_REPLIES // shown, _SHORTEST_REPLY), _LONGEST_REPLY)
    told = _Teller(words, responses, limit)
    answered = tuple(_by_item(run) for run in runs)
    ids = dict.fromkeys(item for run in runs for item in run.plan.items)
    known = [{item.id: item for item in run.suite.items} for run in runs]
    lost, gained = set(comparison.only_baseline_items), set(comparison.only_candidate_items)
    rows = []
    for each in ids:
        item = known[0].get(each) or known[1].get(each)
        sides = tuple(told.side(rows_of.get(each, [])) for rows_of in answered)
        kinds = _kinds(sides[0], sides[1])
        kinds += ("lost",) if each in lost else ()
        kinds += ("gained",) if each in gained else ()
        rows.append(
            ItemRow(
                id=each,
                category=(item.category or "") if item else "",
                key=_key(item),
                question=_question(item),
                baseline=sides[0],
                candidate=sides[1],
                kinds=kinds,
            )
        )
    return _within_bounds(rows)


@dataclass(frozen=True, slots=True)
class _Teller:
    """Turns rows into what is shown of them."""

    words: Words
    responses: Mapping[str, Response]
    limit: int

    def side(self, rows: list[Row]) -> Side:
        answers = tuple(self.answer(row) for row in rows)
        return Side(
            right=sum(row.grade.outcome is Outcome.RIGHT for row in rows),
            counted=sum(row.grade.outcome.counts for row in rows),
            answers=answers,
            read=self._reads(answers),
        )

    def answer(self, row: Row) -> Answer:
        grade, response = row.grade, self.responses.get(row.key)
        partly = grade.score is not None and 0 < grade.score < 1
        return Answer(
            round=row.round,
            outcome=grade.outcome.value,
            name=self.words.outcome(grade.outcome, one=True),
            mark=_PARTLY if partly else _MARKS[grade.outcome],
            read=_cut(grade.read or "", _KEY),
            rule=grade.rule or "",
            facts=self._facts(row),
            reply=None if response is None else _cut(response.content, self.limit),
            error="" if row.error is None else _cut(row.error.message, _QUESTION),
        )

    def _reads(self, answers: tuple[Answer, ...]) -> str:
        reads = [_cut(answer.read, _READ) for answer in answers if answer.read]
        if reads and len(reads) == len(answers) and len(set(reads)) == 1:
            return reads[0]
        return " · ".join(
            _cut(answer.read, _READ) or self.words.say("({outcome})", outcome=answer.name)
            for answer in answers
        )

    def _facts(self, row: Row) -> str:
        words, facts = self.words, []
        if row.tokens.output is not None:
            facts.append(
                words.many("{n} token out", "{n} tokens out", n=row.tokens.output),
            )
        if row.latency is not None:
            facts.append(words.seconds(row.latency))
        if row.finish_reason:
            facts.append(words.say("ended: {reason}", reason=row.finish_reason))
        facts += [words.say("flag: {flag}", flag=flag) for flag in row.grade.flags]
        return words.listing(facts)


def _within_bounds(rows: list[ItemRow]) -> list[ItemRow]:
    """Leave the replies to so many items that the page opens at once; those that differ first."""
    if len(rows) <= _DETAILED:
        return rows
    ranked = sorted(range(len(rows)), key=lambda place: "differs" not in rows[place].kinds)
    detailed = set(ranked[:_DETAILED])
    return [replace(row, detailed=place in detailed) for place, row in enumerate(rows)]


def _by_item(run: Run) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in sorted(run.rows, key=lambda row: (row.round, row.variant)):
        found.setdefault(row.item, []).append(row)
    return found


def _kinds(baseline: Side, candidate: Side) -> tuple[str, ...]:
    kinds = []
    if baseline.right * candidate.counted != candidate.right * baseline.counted:
        kinds.append("differs")
    if not baseline.right and not candidate.right and baseline.counted and candidate.counted:
        kinds.append("missed")
    outcomes = {answer.outcome for side in (baseline, candidate) for answer in side.answers}
    if outcomes & _FAULTY:
        kinds.append("faulty")
    return tuple(kinds)


def _question(item: Item | None) -> str:
    if item is None:
        return ""
    if isinstance(item.input, str):
        text = item.input
    else:
        text = "\n\n".join(f"{message.role}: {_content(message.content)}" for message in item.input)
    options = "\n".join(f"{letter}) {option}" for letter, option in item.options.items())
    return _cut(f"{text}\n\n{options}" if options else text, _QUESTION)


def _content(content: str | tuple[Mapping[str, Any], ...]) -> str:
    if isinstance(content, str):
        return content
    texts = (part.get("text") for part in content)
    return "\n".join(text if isinstance(text, str) else "[…]" for text in texts)


def _key(item: Item | None) -> str:
    if item is None:
        return ""
    text = _plain(item.expect)
    option = item.options.get(text) if item.expect.kind == "choice" else None
    return _cut(f"{text}) {option}" if option else text, _KEY)


def _plain(expect: Expect) -> str:
    key = expect.key
    if isinstance(key, str | int | Decimal):
        return str(key)
    if isinstance(key, list | tuple) and all(isinstance(each, str | int | Decimal) for each in key):
        return ", ".join(str(each) for each in key)
    executed = isinstance(key, Mapping) and expect.kind in EXECUTED_KINDS
    return key_text(key) if executed else encode(key)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… (+{len(text) - limit:,})"
