"""What became of an exam: items built, questions left out, booklets compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from afere.report.blocks import Block, Line, Report, Style, Table
from afere.report.filling import fill
from afere.report.harmless import one_line
from afere.report.sections import Section
from afere.report.words import ENGLISH, Words, message

__all__ = [
    "ExamCounts",
    "exam_audit_report",
    "exam_built_report",
    "exam_section",
    "exam_verified_report",
]

_SHOWN = 60
_TEXT = 200
MEANINGS: Mapping[str, str] = {
    "foreign_language": message("a foreign language question"),
    "annulled": message("annulled by the official key"),
    "no_key": message("the key has no answer"),
    "marker_missing": message("the question was not found"),
    "letters_missing": message("not exactly one alternative a letter"),
    "alternative_empty": message("an alternative without text"),
    "duplicate_alternatives": message("two alternatives alike"),
    "statement_cut": message("the statement is empty or cut"),
    "shared_text": message("a text for several questions stands elsewhere"),
    "needs_image": message("holds an image"),
    "needs_drawing": message("holds a drawing"),
    "needs_table": message("holds a table"),
    "math_lost": message("a formula that text does not carry"),
    "bad_characters": message("characters that cannot be read"),
    "neighbour_text": message("text of something else beside it"),
    "dropped": message("dropped by hand"),
}
LeftOut = Mapping[str, Sequence[str]]
AuditRow = tuple[str, str, bool, Sequence[str], int | None, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamCounts:
    """What of an exam a suite holds. left_out: how many questions for each reason.

    asked: how many of those kept were asked in the run.
    """

    name: str
    expected: int
    kept: int
    asked: int
    left_out: Mapping[str, int] = field(default_factory=dict)


def exam_section(exams: Sequence[ExamCounts], words: Words) -> Section | None:
    """Tell the page's reader which part of each exam is judged here; None without an exam."""
    if not exams:
        return None
    meant = (
        words.say(
            "Score and verdict are about the questions kept: they are no mark of the whole exam, "
            "and on the questions left out the models may differ otherwise."
        )
        if any(counts.left_out for counts in exams)
        else words.say("No question of the exam is left out.")
    )
    where = words.say("Each question with its reasons: afere exam audit, on the exam's folder.")
    return Section(
        id="exam",
        title=words.say("Questions of the exam"),
        body=fill(
            "exam",
            words,
            exams=[(_kept(counts, words), _left_out(counts, words)) for counts in exams],
            head=words.each("reason", "meaning", "questions"),
            meant=[meant, where],
        ),
    )


def _kept(counts: ExamCounts, words: Words) -> str:
    head = words.say(
        "{name}: {kept} of {expected} questions kept, {left} left out",
        name=one_line(counts.name, _TEXT),
        kept=words.count(counts.kept),
        expected=words.count(counts.expected),
        left=words.count(sum(counts.left_out.values())),
    )
    whole = words.say("{text}.", text=head)
    if counts.asked >= counts.kept:
        return whole
    asked = words.many(
        "{n} of the questions kept was asked here.",
        "{n} of the questions kept were asked here.",
        n=counts.asked,
    )
    return words.space.join((whole, asked))


def _left_out(counts: ExamCounts, words: Words) -> list[tuple[str, str, int]]:
    return [
        (reason, words.say(MEANINGS[reason]) if reason in MEANINGS else "–", number)
        for reason, number in counts.left_out.items()
    ]


def exam_built_report(  # noqa: PLR0913 - what a build gives
    name: str,
    counts: tuple[int, int, int],
    left_out: LeftOut,
    warnings: Sequence[str],
    *,
    folder: str,
    suite: str | None,
    words: Words = ENGLISH,
) -> Report:
    """Tell what was built. counts: questions expected, found, kept. left_out: reason to numbers."""
    expected, found, kept = counts
    head = words.say(
        "{name}: {kept} of {expected} questions kept, {left} left out, {found} found",
        name=one_line(name, _TEXT),
        kept=words.count(kept),
        expected=words.count(expected),
        left=words.count(expected - kept),
        found=words.count(found),
    )
    table: tuple[Block, ...] = (_reasons(left_out, words),) if left_out else ()
    told = tuple(Line(one_line(words.tell(each), 2 * _TEXT), Style.CAREFUL) for each in warnings)
    notes: list[Block] = []
    if any(reason.startswith("needs_") for reason in left_out):
        notes.append(
            Line(
                words.say(
                    "Whether a question needs its picture is judged from the page, and that errs "
                    "both ways; see the audit."
                ),
                Style.FAINT,
            )
        )
    notes.append(Line(words.say("The audit: afere exam audit {folder}", folder=folder)))
    if suite is not None:
        notes.append(Line(words.say("Ask it: afere run {folder} -m MODEL", folder=folder)))
    return Report(((Line(head, Style.STRONG),), table, told, tuple(notes)))


def _reasons(left_out: LeftOut, words: Words) -> Table:
    rows = [
        (
            reason,
            words.say(MEANINGS.get(reason, reason)),
            words.count(len(numbers)),
            words.listing([*numbers[:_SHOWN], *["…"] * (len(numbers) > _SHOWN)]),
        )
        for reason, numbers in left_out.items()
    ]
    return Table(
        head=words.each("reason", "meaning", "questions", "numbers"), rows=rows, align="llrl"
    )


def exam_audit_report(
    name: str, rows: Sequence[AuditRow], *, crops: str | None, words: Words = ENGLISH
) -> Report:
    """Tell of every question left out, and of those kept or dropped by hand.

    A row is number, language, kept, reasons, page, what was decided by hand.
    """
    kept = sum(row[2] for row in rows)
    head = words.say(
        "{name}: {kept} of {expected} questions kept, {left} left out",
        name=one_line(name, _TEXT),
        kept=words.count(kept),
        expected=words.count(len(rows)),
        left=words.count(len(rows) - kept),
    )
    shown = [row for row in rows if not row[2] or row[5] is not None]
    table = Table(
        head=words.each("question", "language", "page", "reasons", "meaning"),
        rows=[_audit_row(row, words) for row in shown],
        align="rlrll",
    )
    notes = (Line(words.say("Page crops: {folder}", folder=crops)),) if crops else ()
    return Report(((Line(head, Style.STRONG),), (table,) if shown else (), notes))


def _audit_row(row: AuditRow, words: Words) -> tuple[str, ...]:
    number, language, kept, reasons, page, decided = row
    meaning = words.say(MEANINGS.get(reasons[0], reasons[0])) if reasons else ""
    if decided is not None:
        meaning = words.say("kept by hand") if kept else words.say("dropped by hand")
    return (
        number,
        language,
        "–" if page is None else str(page),
        words.listing(list(reasons)) if reasons else "–",
        meaning,
    )


def exam_verified_report(
    counts: tuple[int, int],
    different: Sequence[tuple[int, int, str]],
    missing: Sequence[int],
    *,
    words: Words = ENGLISH,
) -> Report:
    """Tell how two booklets agree. counts: items found again, and how many of them are the same."""
    matched, same = counts
    head = words.say(
        "{same} of {matched} items read the same in both booklets",
        same=words.count(same),
        matched=words.count(matched),
    )
    table = Table(
        head=words.each("question", "in the other booklet", "differs in"),
        rows=[
            (str(number), str(other), words.say(_FIELDS.get(field, field)))
            for number, other, field in different
        ],
        align="rrl",
    )
    lost: tuple[Block, ...] = ()
    if missing:
        numbers = [str(each) for each in missing]
        told = words.say(
            "Not found in the other booklet: {numbers}", numbers=words.listing(numbers)
        )
        lost = (Line(told, Style.CAREFUL),)
    return Report(((Line(head, Style.STRONG),), (table,) if different else (), lost))


_FIELDS: Mapping[str, str] = {"statement": message("statement"), "answer": message("right answer")}
