"""Grading without a call and suites looked over, for the terminal."""

from collections import Counter
from collections.abc import Mapping, Sequence

from afere.domain import Grade, Outcome, Row, RunSummary, Suite
from afere.report.blocks import Block, Line, Report, Style, Table
from afere.report.executed import failure_name, reminder_lines
from afere.report.harmless import cut, harmless
from afere.report.words import ENGLISH, Words

__all__ = ["check_report", "graded_report", "regraded_report"]

_SHOWN = 40
_IDS = 20
_READ = 60


def graded_report(  # noqa: PLR0913 - what grading a file gives
    suite: Suite,
    rows: Sequence[Row],
    *,
    score: float | None,
    missing: Sequence[tuple[str, int]],
    unknown: Sequence[str],
    duplicates: int,
    words: Words = ENGLISH,
) -> Report:
    """Tell how a file of answers was graded, and what of it was missing, unknown or double.

    What is missing or was lost comes first: the score is of the rest alone.
    """
    outcomes = Counter(row.grade.outcome for row in rows)
    told = [words.outcomes(each, outcomes[each]) for each in Outcome if outcomes[each]]
    head = words.say("Nothing was graded.") if score is None else words.percent(score)
    lost = [row for row in rows if not row.grade.outcome.counts]
    return Report(
        (
            _incomplete(len(missing), len(lost), len(missing) + len(rows), words),
            (
                Line(
                    words.say("{suite}: {score}", suite=harmless(suite.name), score=head),
                    Style.STRONG,
                ),
                Line(words.listing(told)),
            ),
            (_answers([row for row in rows if row.grade.outcome is not Outcome.RIGHT], words),)
            if rows
            else (),
            _left_over(missing, unknown, duplicates, words),
            reminder_lines(words, executed=any(row.grade.sandbox is not None for row in rows)),
        ),
    )


def _incomplete(missing: int, lost: int, asked: int, words: Words) -> tuple[Block, ...]:
    """Give the headline of a file that lacks answers; nothing for a whole one."""
    if not missing and not lost:
        return ()
    parts = []
    if missing:
        parts.append(
            words.many(
                "{n} of {total} answers is missing",
                "{n} of {total} answers are missing",
                n=missing,
                total=words.count(asked),
            )
        )
    if lost:
        parts.append(
            words.many("{n} has no reply that counts", "{n} have no reply that counts", n=lost)
        )
    return (
        Line(
            words.say(
                "incomplete: {what}; the score is of the others alone", what=words.listing(parts)
            ),
            Style.BAD,
        ),
    )


def _answers(rows: Sequence[Row], words: Words) -> Block:
    if not rows:
        return Line(words.say("Every answer is right."))
    return Table(
        head=words.each("item", "round", "outcome", "read", "rule"),
        rows=[
            (
                harmless(row.item),
                str(row.round),
                words.outcome(row.grade.outcome, one=True),
                cut(harmless(_read_or_failed(row.grade, words)), _READ),
                row.grade.rule or "",
            )
            for row in rows[:_SHOWN]
        ],
        align="lrlll",
    )


def _read_or_failed(grade: Grade, words: Words) -> str:
    """Give what was read, or of an executed answer why it failed."""
    if grade.failure is None:
        return grade.read or ""
    named = failure_name(grade.failure, words)
    return words.colon.join([named, grade.message]) if grade.message else named


def _left_over(
    missing: Sequence[tuple[str, int]],
    unknown: Sequence[str],
    duplicates: int,
    words: Words,
) -> tuple[Block, ...]:
    lines: list[Block] = []
    if missing:
        named = [f"{item} ({number})" for item, number in missing]
        lines.append(
            Line(
                words.many(
                    "Missing: {n} answer: {ids}",
                    "Missing: {n} answers: {ids}",
                    n=len(missing),
                    ids=_some(named, words),
                ),
                Style.CAREFUL,
            ),
        )
    if unknown:
        lines.append(
            Line(
                words.many(
                    "Passed over: {n} item that the suite does not have: {ids}",
                    "Passed over: {n} items that the suite does not have: {ids}",
                    n=len(unknown),
                    ids=_some(unknown, words),
                ),
                Style.CAREFUL,
            ),
        )
    if duplicates:
        lines.append(
            Line(
                words.many(
                    "Counted once: {n} line that repeats another.",
                    "Counted once: {n} lines that repeat another.",
                    n=duplicates,
                ),
            ),
        )
    return tuple(lines)


def _some(names: Sequence[str], words: Words) -> str:
    shown = [harmless(name) for name in names[:_IDS]]
    return words.listing(shown + ["…"] * (len(names) > _IDS))


def regraded_report(
    before: RunSummary,
    after: RunSummary,
    changed: Sequence[tuple[Row, Row]],
    *,
    words: Words = ENGLISH,
) -> Report:
    """Tell what grading a run again changed."""
    scores = [
        words.say("not graded") if each.score is None else words.percent(each.score)
        for each in (before, after)
    ]
    head = words.many(
        "run {run}: {before} before, {after} now; {n} answer judged otherwise",
        "run {run}: {before} before, {after} now; {n} answers judged otherwise",
        n=len(changed),
        run=after.run,
        before=scores[0],
        after=scores[1],
    )
    rows = [
        (
            harmless(new.item),
            str(new.round),
            words.outcome(old.grade.outcome, one=True),
            words.outcome(new.grade.outcome, one=True),
            cut(harmless(new.grade.read or ""), _READ),
        )
        for old, new in changed[:_SHOWN]
    ]
    table = Table(
        head=words.each("item", "round", "before", "now", "read"),
        rows=rows,
        align="lrlll",
    )
    return Report(
        (
            (Line(head, Style.STRONG),),
            (table,) if rows else (),
            reminder_lines(words, executed=after.executed is not None),
        ),
    )


def check_report(  # noqa: PLR0913 - a finding of each kind
    suite: Suite,
    problems: Sequence[tuple[str, str | None, str]],
    warnings: Sequence[str],
    detectable: Mapping[str, float | None],
    *,
    rate: float = 0.9,
    words: Words = ENGLISH,
) -> Report:
    """Tell what an audit found; each problem is its severity, item and message.

    detectable: by rounds, the smallest difference that the suite shows where models have a `rate`
    of right answers, None where it shows none.
    """
    errors = sum(severity == "error" for severity, _, _ in problems)
    counts = (
        words.many("{n} item", "{n} items", n=len(suite.items)),
        words.many("{n} error", "{n} errors", n=errors),
        words.many("{n} warning", "{n} warnings", n=len(problems) - errors + len(warnings)),
    )
    head = f"{harmless(suite.name)}{words.colon}{words.listing(counts)}"
    found: list[Block] = [
        Line(
            _problem(severity, item, text, words),
            Style.BAD if severity == "error" else Style.CAREFUL,
        )
        for severity, item, text in problems
    ]
    found += [Line(_problem("warning", None, text, words), Style.CAREFUL) for text in warnings]
    sizes = [
        Line(
            _smallest(len(suite.items), int(rounds), size, words.percent(rate), words),
        )
        for rounds, size in detectable.items()
    ]
    return Report(((Line(head, Style.STRONG),), tuple(found), tuple(sizes)))


def _problem(severity: str, item: str | None, text: str, words: Words) -> str:
    heads = [words.say("error" if severity == "error" else "warning")]
    heads += [harmless(item)] if item else []
    return words.colon.join([*heads, harmless(words.tell(text))])


def _smallest(items: int, rounds: int, size: float | None, rate: str, words: Words) -> str:
    asked = words.many("{n} round", "{n} rounds", n=rounds)
    if size is None:
        return words.many(
            "{rounds}: with {n} item no difference can be shown (80 % power, {rate} right).",
            "{rounds}: with {n} items no difference can be shown (80 % power, {rate} right).",
            n=items,
            rounds=asked,
            rate=rate,
        )
    return words.say(
        "{rounds}: differences under {points} cannot be told from chance (80 % power, {rate} "
        "right).",
        rounds=asked,
        points=words.margin(round(size, 3)),
        rate=rate,
    )
