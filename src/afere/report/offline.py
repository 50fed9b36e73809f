"""Grading without a call and suites looked over, for the terminal."""

from collections import Counter
from collections.abc import Mapping, Sequence

from afere.domain import Outcome, Row, RunSummary, Suite
from afere.report.blocks import Block, Line, Report, Style, Table
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
    """Tell how a file of answers was graded, and what of it was missing, unknown or double."""
    outcomes = Counter(row.grade.outcome for row in rows)
    told = [f"{words.count(outcomes[each])} {each.value}" for each in Outcome if outcomes[each]]
    head = words.say("Nothing was graded.") if score is None else words.percent(score)
    return Report(
        (
            (
                Line(
                    words.say("{suite}: {score}", suite=harmless(suite.name), score=head),
                    Style.STRONG,
                ),
                Line(words.listing(told)),
            ),
            (_answers([row for row in rows if row.grade.outcome is not Outcome.RIGHT], words),),
            _left_over(missing, unknown, duplicates, words),
        ),
    )


def _answers(rows: Sequence[Row], words: Words) -> Block:
    if not rows:
        return Line(words.say("Every answer is right."))
    head = ("item", "round", "outcome", "read", "rule")
    return Table(
        head=tuple(words.say(each) for each in head),
        rows=[
            (
                harmless(row.item),
                str(row.round),
                row.grade.outcome.value,
                cut(harmless(row.grade.read or ""), _READ),
                row.grade.rule or "",
            )
            for row in rows[:_SHOWN]
        ],
        align="lrlll",
    )


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
                words.say("Missing: {n} answers: {ids}", n=len(missing), ids=_some(named)),
                Style.CAREFUL,
            ),
        )
    if unknown:
        lines.append(
            Line(
                words.say(
                    "Passed over: {n} items that the suite does not have: {ids}",
                    n=len(unknown),
                    ids=_some(unknown),
                ),
                Style.CAREFUL,
            ),
        )
    if duplicates:
        lines.append(
            Line(words.say("Counted once: {n} lines that repeat another.", n=duplicates)),
        )
    return tuple(lines)


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(harmless(name) for name in names[:_IDS])
    return shown + (", …" if len(names) > _IDS else "")


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
    head = words.say(
        "run {run}: {before} before, {after} now; {n} answers judged otherwise",
        run=after.run,
        before=scores[0],
        after=scores[1],
        n=len(changed),
    )
    rows = [
        (
            harmless(new.item),
            str(new.round),
            old.grade.outcome.value,
            new.grade.outcome.value,
            cut(harmless(new.grade.read or ""), _READ),
        )
        for old, new in changed[:_SHOWN]
    ]
    table = Table(
        head=tuple(words.say(each) for each in ("item", "round", "before", "now", "read")),
        rows=rows,
        align="lrlll",
    )
    return Report(((Line(head, Style.STRONG),), (table,) if rows else ()))


def check_report(
    suite: Suite,
    problems: Sequence[tuple[str, str | None, str]],
    warnings: Sequence[str],
    detectable: Mapping[str, float | None],
    *,
    words: Words = ENGLISH,
) -> Report:
    """Tell what an audit found; each problem is its severity, item and message."""
    errors = sum(severity == "error" for severity, _, _ in problems)
    head = words.say(
        "{suite}: {items} items, {errors} errors, {warnings} warnings",
        suite=harmless(suite.name),
        items=words.count(len(suite.items)),
        errors=errors,
        warnings=len(problems) - errors + len(warnings),
    )
    found: list[Block] = [
        Line(
            f"{severity}: " + (f"{harmless(item)}: " if item else "") + harmless(message),
            Style.BAD if severity == "error" else Style.CAREFUL,
        )
        for severity, item, message in problems
    ]
    found += [Line(f"warning: {harmless(text)}", Style.CAREFUL) for text in warnings]
    sizes = [
        Line(
            words.say(
                "{rounds} round(s): differences under {points} cannot be told from chance "
                "(80 % power).",
                rounds=rounds,
                points=words.say("any size") if size is None else words.margin(round(size, 3)),
            ),
        )
        for rounds, size in detectable.items()
    ]
    return Report(((Line(head, Style.STRONG),), tuple(found), tuple(sizes)))
