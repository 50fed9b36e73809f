"""One row for every question that the exam has: kept, or left out and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from afere.exams.booklet import Booklet, Found
from afere.exams.key import ANNULLED, Section
from afere.exams.page import Box
from afere.exams.profile import Day, Profile
from afere.exams.reasons import DROPPED, REASONS, reasons_of

__all__ = ["Choice", "Row", "audited"]

PORTUGUESE = "pt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What the user asks to be kept or dropped, against the usual filters.

    keep: reasons that do not leave a question out. keep_questions, drop_questions: numbers that
    are decided by hand.
    """

    keep: frozenset[str] = frozenset()
    keep_questions: frozenset[int] = frozenset()
    drop_questions: frozenset[int] = frozenset()
    without_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One expected question; `reasons` are all that hold, `reason` the first of them.

    decided: `keep` or `drop` where the user overruled the filters, else None.
    """

    number: int
    language: str
    kept: bool
    reason: str | None
    reasons: tuple[str, ...]
    page: int | None
    boxes: tuple[tuple[int, Box], ...]
    source: str
    answer: str | None = None
    decided: str | None = None
    printed: str = ""
    images: int = 0
    paths: int = 0
    bent: int = 0
    tail: int = 0


def audited(  # noqa: PLR0913 - what an audit looks at
    booklet: Booklet,
    section: Section | None,
    day: Day,
    profile: Profile,
    choice: Choice,
    *,
    order: Sequence[str],
    source: str,
) -> list[tuple[Row, Found | None]]:
    """Judge every expected question, in the order of numbers and languages."""
    found: dict[tuple[int, int], Found] = {
        (each.number, each.turn): each for each in booklet.questions
    }
    answers = section.by_number() if section else {}
    rows = []
    for number, turn, language in expected(day, profile):
        question = found.get((number, turn))
        answer = _answer(answers.get(number, ()), language, order)
        reasons = _reasons(question, answer, language, profile, choice)
        row = _row(
            number, language, question, answer, reasons=reasons, choice=choice, source=source
        )
        rows.append((row, question))
    return rows


def expected(day: Day, profile: Profile) -> Iterator[tuple[int, int, str]]:
    """Give (number, turn, language) for every question that the day has."""
    for number in range(day.first, day.last + 1):
        if day.has_languages(number):
            for turn, language in enumerate(profile.languages):
                yield number, turn, language
        else:
            yield number, 0, profile.language.split("-", maxsplit=1)[0]


def _answer(given: tuple[str, ...], language: str, order: Sequence[str]) -> str | None:
    """Give the answer for a language; a single letter never stands for two languages."""
    if language in order:
        if given == (ANNULLED,):
            return ANNULLED
        return (given[order.index(language)] or None) if len(given) == len(order) else None
    return given[0] or None if len(given) == 1 else None


def _reasons(
    question: Found | None,
    answer: str | None,
    language: str,
    profile: Profile,
    choice: Choice,
) -> tuple[str, ...]:
    reasons = set(reasons_of(question, profile)) if question else {"marker_missing"}
    if language in profile.languages:
        reasons.add("foreign_language")
    if answer == ANNULLED:
        reasons.add("annulled")
    elif answer is None and not choice.without_key:
        reasons.add("no_key")
    return tuple(reason for reason in REASONS if reason in reasons)


IMPOSSIBLE = frozenset(("annulled", "no_key", "marker_missing", "letters_missing"))


def _row(  # noqa: PLR0913 - what a row is made of
    number: int,
    language: str,
    question: Found | None,
    answer: str | None,
    *,
    reasons: tuple[str, ...],
    choice: Choice,
    source: str,
) -> Row:
    kept = set(reasons) <= choice.keep
    decided = None
    if number in choice.drop_questions:
        kept, decided = False, "drop"
    elif number in choice.keep_questions and not kept and not IMPOSSIBLE & set(reasons):
        kept, decided = True, "keep"
    return Row(
        number=number,
        language=language,
        kept=kept,
        reason=None if kept else (reasons[0] if reasons else DROPPED),
        reasons=reasons,
        page=question.page if question else None,
        boxes=question.boxes if question else (),
        source=source,
        answer=None if answer == ANNULLED else answer,
        decided=decided,
        printed="".join(letter for letter, _ in question.alternatives) if question else "",
        images=question.pictures.images if question else 0,
        paths=question.pictures.paths if question else 0,
        bent=question.pictures.bent if question else 0,
        tail=len(question.tail) if question else 0,
    )
