"""Says where on its pages a question stands: one box for each stretch of a column."""

from collections.abc import Iterator, Sequence

from afere.exams.columns import FULL, ReadPage
from afere.exams.page import Box
from afere.exams.questions import Part, Question

__all__ = ["regions"]

CAP_HEIGHT = 9.0  # points from a heading's baseline to its top
SLACK = 1.0


def regions(
    questions: Sequence[Question], pages: Sequence[ReadPage]
) -> list[tuple[tuple[int, Box], ...]]:
    """Give each question's boxes, as (page number, box), in reading order."""
    by_number = {page.number: page for page in pages}
    passages = {id(each.passage): each.passage for each in questions if each.passage}
    starts = [
        (part.page, part.column, part.top)
        for parts in (
            *(question.parts for question in questions),
            *(passage.parts for passage in passages.values()),
        )
        for part in parts
        if part.top is not None
    ]
    return [
        tuple(
            (part.page, _box(part, by_number[part.page], starts, parts))
            for parts in _parts(question)
            for part in parts
        )
        for question in questions
    ]


def _parts(question: Question) -> Iterator[Sequence[Part]]:
    """Give the stretches of the shared text, if there is one, then the question's own."""
    if question.passage is not None:
        yield question.passage.parts
    yield question.parts


def _box(
    part: Part,
    page: ReadPage,
    starts: Sequence[tuple[int, int, float]],
    parts: Sequence[Part],
) -> Box:
    x0, x1 = page.column(part.column)
    top = part.top if part.top is not None else _top_of_continuation(part, page, parts)
    below = [
        start
        for number, column, start in starts
        if number == part.page and _overlap(column, part.column) and start < top - SLACK
    ]
    bottom = max([page.bottom, *below])
    return Box(x0, min(bottom, top), x1, top)


def _top_of_continuation(part: Part, page: ReadPage, parts: Sequence[Part]) -> float:
    """Give where a stretch without a heading begins: below the band above it, or at the top."""
    above = [
        each.bottom
        for each in parts
        if each.page == part.page
        and each is not part
        and each.bottom is not None
        and part.bottom is not None
        and each.bottom > part.bottom
        and _overlap(each.column, part.column)
    ]
    return min(above) - SLACK if above else page.top


def _overlap(one: int, other: int) -> bool:
    return FULL in (one, other) or one == other
