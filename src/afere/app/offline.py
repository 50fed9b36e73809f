"""Grading without a call: answers made elsewhere, and stored answers again."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from afere.app.plugins import all_graders
from afere.domain import (
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

__all__ = ["Graded", "Regraded", "grade_file", "grade_reply", "regrade", "shown_item"]


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


async def grade_file(suite: Suite, path: Path) -> Graded:
    """Grade the answers of a file; raises UsageError where two lines contradict one another."""
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
    graders = all_graders()
    rows = [
        await _row(suite, known[answer.item], answer, graders)
        for answer in _in_order(suite.items, rounds, first)
    ]
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


async def regrade(store: Store, run: Run, suite: Suite | None, now: float) -> Regraded:
    """Grade the stored replies of a run by the graders of today; both grades stay in the store.

    suite: other keys for the same questions; the grades are then those of a run of that suite.
    Rows that hold no reply stay as they are.
    """
    graders = all_graders()
    suite = suite or run.suite
    plan = _plan_under(run, suite)
    number = await store.begin(plan, suite, Invocation(started=now))
    changed = []
    async for row, response in store.answers(run.id):
        after = row
        if response is not None and row.item in plan.items:
            shown = shown_item(suite.item(row.item), plan, row.variant)
            after = replace(row, grade=await _graded(suite, shown, response, graders))
        if after.grade.outcome != row.grade.outcome:
            changed.append((row, after))
        if plan.id != run.id or _judged(after) != _judged(row):
            await store.keep_row(plan.id, after)
    await store.end(plan.id, number, Invocation(started=now, finished=now))
    kept = await store.run(plan.id)
    return Regraded(before=run, after=kept or run, changed=tuple(changed))


def _judged(row: Row) -> Grade:
    return replace(row.grade, seconds=None)


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
