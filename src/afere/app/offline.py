"""Grading without a call: answers made elsewhere, and stored answers again."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from afere.app.executing import graders_for, proved
from afere.domain import (
    EXECUTED_KINDS,
    Failure,
    Grade,
    Grader,
    Invocation,
    Item,
    Outcome,
    Response,
    Row,
    Run,
    RunPlan,
    Store,
    Suite,
    UsageError,
)
from afere.exchange import Answer, read_answers

__all__ = [
    "Graded",
    "Regraded",
    "executed_fields",
    "grade_file",
    "grade_reply",
    "regrade",
    "shown_item",
]

AT_A_TIME = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A file of answers, graded.

    missing: (item, round) pairs without an answer, up to the highest round in the file.
    unknown: ids that the suite does not have. duplicates: lines that repeat another word for word.
    """

    rows: tuple[Row, ...]
    missing: tuple[tuple[str, int], ...]
    unknown: tuple[str, ...]
    duplicates: int

    @property
    def score(self) -> float | None:
        """The mean over items of the means of their counted answers; None where none counts."""
        scores: dict[str, list[float]] = {}
        for row in self.rows:
            if row.grade.score is not None:
                scores.setdefault(row.item, []).append(row.grade.score)
        means = [sum(each) / len(each) for each in scores.values()]
        return sum(means) / len(means) if means else None

    def to_dict(self) -> dict[str, Any]:
        """Give the fields of the command's JSON output."""
        return {
            "answers": [
                {
                    "item": row.item,
                    "round": row.round,
                    "outcome": row.grade.outcome,
                    "score": row.grade.score,
                    "read": row.grade.read,
                    "rule": row.grade.rule,
                    "grader": row.grade.grader,
                    "flags": list(row.grade.flags),
                    **executed_fields(row.grade),
                }
                for row in self.rows
            ],
            "outcomes": dict(Counter(row.grade.outcome for row in self.rows)),
            "score": self.score,
            "missing": len(self.missing),
            "unknown": len(self.unknown),
            "duplicates": self.duplicates,
            "missing_answers": [{"item": item, "round": number} for item, number in self.missing],
            "unknown_items": list(self.unknown),
        }


def executed_fields(grade: Grade) -> dict[str, Any]:
    """Give what JSON outputs tell of an executed answer; nothing of one that was only read."""
    if grade.sandbox is None and grade.grader not in EXECUTED_KINDS:
        return {}
    names = ("failure", "message", "sandbox", "integrity", "output", "seconds")
    return {name: getattr(grade, name) for name in names}


async def grade_file(suite: Suite, path: Path, *, unsafe: bool = False) -> Graded:
    """Grade the answers of a file; raises UsageError where two lines contradict one another.

    unsafe: execute answers that are code without isolation.
    """
    known = {item.id: item for item in suite.items}
    first: dict[tuple[str, int], Answer] = {}
    unknown: dict[str, None] = {}
    duplicates = 0
    for answer in read_answers(path):
        if answer.item not in known:
            unknown[answer.item] = None
            continue
        before = first.setdefault((answer.item, answer.round), answer)
        if before is not answer:
            _refuse_contradiction(path, before, answer)
            duplicates += 1
    rounds = range(1, 1 + max((number for _, number in first), default=1))
    rows: list[Row] = []
    items = [known[item] for item in dict.fromkeys(item for item, _ in first)]
    async with graders_for(items, unsafe=unsafe) as graders:
        await proved(suite, items, graders)
        for some in _batches(_in_order(suite.items, rounds, first)):
            rows += await asyncio.gather(
                *(_row(suite, known[answer.item], answer, graders) for answer in some)
            )
    missing = [
        (item.id, number)
        for number in rounds
        for item in suite.items
        if (item.id, number) not in first
    ]
    return Graded(
        rows=tuple(rows),
        missing=tuple(missing),
        unknown=tuple(unknown),
        duplicates=duplicates,
    )


def _batches(answers: Iterable[Answer]) -> Iterator[list[Answer]]:
    """Give answers by the dozen or so: those that are executed keep every core busy."""
    waiting = iter(answers)
    while some := list(islice(waiting, AT_A_TIME)):
        yield some


def _refuse_contradiction(path: Path, before: Answer, answer: Answer) -> None:
    if before.reply != answer.reply:
        raise UsageError(
            f"{path}: lines {before.line} and {answer.line} give two different answers "
            f"to item {answer.item!r} in round {answer.round}.\n"
            'Keep one of them, or give them rounds of their own: "round": 2',
        )


def _in_order(
    items: Iterable[Item],
    rounds: Iterable[int],
    answers: Mapping[tuple[str, int], Answer],
) -> Iterable[Answer]:
    ids = [item.id for item in items]
    return (
        answers[item_id, number]
        for number in rounds
        for item_id in ids
        if (item_id, number) in answers
    )


async def _row(suite: Suite, item: Item, answer: Answer, graders: Mapping[str, Grader]) -> Row:
    reply = answer.reply
    if isinstance(reply, Failure):
        failed = Grade(outcome=Outcome.ENDPOINT_ERROR, score=None, grader="", grader_version="")
        return Row(item=item.id, round=answer.round, grade=failed, error=reply)
    return Row(
        item=item.id,
        round=answer.round,
        grade=await _graded(suite, item, reply, graders),
        finish_reason=reply.finish_reason,
    )


async def grade_reply(
    suite: Suite,
    item: Item,
    reply: Response,
    graders: Mapping[str, Grader],
) -> Grade:
    """Grade one reply to an item as it was shown; a letter read is given as the suite names it."""
    from afere import suites

    grade = await graders[item.expect.kind].grade(item, reply, suite.reading)
    if item.expect.kind != "choice" or grade.read is None:
        return grade
    return replace(grade, read=suites.original_letter(item, grade.read) or grade.read)


@dataclass(frozen=True, slots=True, kw_only=True)
class Regraded:
    """A run graded again: before, after, and the rows whose outcome changed."""

    before: Run
    after: Run
    changed: tuple[tuple[Row, Row], ...]


async def regrade(
    store: Store, run: Run, suite: Suite | None, now: float, *, unsafe: bool = False
) -> Regraded:
    """Grade the stored replies of a run by the graders of today; both grades stay in the store.

    suite: other keys for the same questions; the grades are then those of a run of that suite.
    unsafe: execute answers that are code without isolation.
    Rows that hold no reply stay as they are.
    """
    suite = suite or run.suite
    plan = _plan_under(run, suite)
    items = [suite.item(item) for item in plan.items]
    changed = []
    async with graders_for(items, unsafe=unsafe) as graders:
        await proved(suite, items, graders)
        number = await store.begin(plan, suite, Invocation(started=now))
        async for row, after in _regraded(store, run.id, suite, plan, graders):
            if after.grade.outcome != row.grade.outcome:
                changed.append((row, after))
            if plan.id != run.id or _judged(after) != _judged(row):
                await store.keep_row(plan.id, after)
    await store.end(plan.id, number, Invocation(started=now, finished=now))
    kept = await store.run(plan.id)
    return Regraded(before=run, after=kept or run, changed=tuple(changed))


async def _regraded(
    store: Store, run_id: str, suite: Suite, plan: RunPlan, graders: Mapping[str, Grader]
) -> AsyncIterator[tuple[Row, Row]]:
    """Give each row as it was and as it is judged now, a batch of them at a time."""

    async def judged(row: Row, response: Response | None) -> tuple[Row, Row]:
        if response is None or row.item not in asked:
            return row, row
        shown = shown_item(suite.item(row.item), plan, row.variant)
        return row, replace(row, grade=await _graded(suite, shown, response, graders))

    asked = frozenset(plan.items)
    waiting: list[tuple[Row, Response | None]] = []
    async for answer in store.answers(run_id):
        waiting.append(answer)
        if len(waiting) == AT_A_TIME:
            for pair in await asyncio.gather(*(judged(*each) for each in waiting)):
                yield pair
            waiting.clear()
    for pair in await asyncio.gather(*(judged(*each) for each in waiting)):
        yield pair


def _judged(row: Row) -> Grade:
    """Give what a grade says of an answer: neither how long it took nor where it ran."""
    return replace(row.grade, seconds=None, sandbox=None, output=None)


async def _graded(
    suite: Suite,
    shown: Item,
    response: Response,
    graders: Mapping[str, Grader],
) -> Grade:
    try:
        return await grade_reply(suite, shown, response, graders)
    except Exception as fault:  # noqa: BLE001 - a grader's fault is an outcome of its own
        return Grade(
            outcome=Outcome.GRADER_ERROR,
            score=None,
            grader=shown.expect.kind,
            grader_version="",
            flags=(f"{type(fault).__name__}: {fault}"[:200],),
        )


def _plan_under(run: Run, suite: Suite) -> RunPlan:
    if suite.hash == run.plan.suite_hash:
        return run.plan
    known = {item.id: item for item in suite.items}
    asked = [run.suite.item(item_id) for item_id in run.plan.items]
    same = [
        item.id
        for item in asked
        if item.id in known
        and (known[item.id].input, known[item.id].options) == (item.input, item.options)
    ]
    if not same:
        raise UsageError(
            f"Suite {suite.name} has none of the questions of run {run.id}.\n"
            "Name the suite that the run asked, with its keys mended.",
        )
    return replace(
        run.plan,
        suite_name=suite.name,
        suite_hash=suite.hash,
        items=tuple(same),
    )


def shown_item(item: Item, plan: RunPlan, variant: int) -> Item:
    """Give an item as a plan shows it in one variant: its options rotated or shuffled."""
    from afere import suites

    if plan.shuffle is not None:
        return suites.shuffle(item, plan.shuffle)
    return suites.rotate(item, variant) if variant else item
