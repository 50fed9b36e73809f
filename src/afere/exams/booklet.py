"""Reads a booklet: from the bytes of a PDF to questions with their places and their pictures."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from afere.exams.bars import with_fractions
from afere.exams.columns import ReadPage, clean, read_columns
from afere.exams.document import opened
from afere.exams.drawn import LEAST_LETTERS, DrawnLetters, drawn_letters
from afere.exams.errors import ExamError
from afere.exams.fonts import lies, mended
from afere.exams.identity import Identity, cited_year, identify, named_year
from afere.exams.lines import CELL, lines_of
from afere.exams.page import Box, Glyph, Page, read_page
from afere.exams.pictures import Pictures, look
from afere.exams.profile import Profile
from afere.exams.questions import DRAWN, Question, cut
from afere.exams.regions import regions
from afere.exams.tables import is_regular
from afere.exams.wording import PARAGRAPH, Wording

__all__ = ["Booklet", "Found", "read_booklet"]

EDGE = 0.1
LEAST_GLYPHS = 40  # a page, on average; scans have none
MOST_LOOKED_AT = 8  # pages
COVER_LINES = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A question as it was found: its texts, its places, and what is drawn in them."""

    number: int
    turn: int
    page: int
    boxes: tuple[tuple[int, Box], ...]
    statement: str
    alternatives: tuple[tuple[str, str], ...]
    tail: str
    passage: str
    shared_with: tuple[int, int] | None
    pictures: Pictures
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Booklet:
    """A whole booklet: which exam it is, its questions in printed order, and what was noise."""

    profile: str
    identity: Identity
    cited: int | None
    titled: int | None
    pages: int
    letters_drawn: bool
    answers_marked: int
    mended: int
    noise: Mapping[str, int]
    questions: tuple[Found, ...]


def read_booklet(data: bytes, profiles: Sequence[Profile]) -> Booklet:
    """Read a booklet's questions by the first of the profiles that knows it.

    A single profile is taken as it is. Raises ExamError for what is no readable booklet.
    """
    with opened(data) as document:
        pages = _pages(document)
        title = str(document.get_metadata_value("Title"))
    if sum(len(page.glyphs) for page in pages) < LEAST_GLYPHS * len(pages):
        raise ExamError(
            "this PDF has no text: it is scanned or drawn\n"
            "Give the booklet as it was published, or one with recognised text."
        )
    added = 0
    if any(lies(page.glyphs) for page in pages):
        better, added = mended(data)
        if added:
            with opened(better) as document:
                pages = _pages(document)
    profile = profiles[0] if len(profiles) == 1 else _recognised(pages, profiles)
    return _read(pages, profile, added, named_year(title))


def _pages(document: Any) -> list[Page]:  # noqa: ANN401 - the library ships no types
    return [read_page(document, index) for index in range(len(document))]


def _recognised(pages: Sequence[Page], profiles: Sequence[Profile]) -> Profile:
    lines = [line.text for line in lines_of(pages[0].glyphs)]
    lines += [line for page in pages[:MOST_LOOKED_AT] for line in _edges(page)]
    for profile in profiles:
        patterns = [re.compile(each, re.IGNORECASE) for each in profile.recognise]
        if any(pattern.search(line) for pattern in patterns for line in lines):
            return profile
    raise ExamError(
        "this PDF is no exam that is known\n"
        "Name a profile with --profile; make one for another exam: afere exam profile generic"
    )


def _read(pages: list[Page], profile: Profile, added: int, titled: int | None) -> Booklet:
    noise: Counter[str] = Counter()
    cleaned = [clean(page, profile, noise) for page in pages]
    drawn = profile.drawn_letters and _written(cleaned, profile) < LEAST_LETTERS
    read, rings = _columns(pages, cleaned, profile, noise, drawn=drawn)
    questions = cut((line for page in read for line in page.lines), profile, noise)
    places = regions(questions, read)
    _mark_doubtful(questions, places, read)
    wording = Wording.of([line.text for page in read for line in page.lines])
    return Booklet(
        profile=profile.name,
        identity=_identity(pages, profile),
        cited=cited_year(line.text for page in read for line in page.lines),
        titled=titled,
        pages=len(pages),
        letters_drawn=drawn,
        answers_marked=rings,
        mended=added,
        noise=dict(noise),
        questions=tuple(
            _found(question, boxes, pictures, wording)
            for question, boxes, pictures in zip(
                questions, places, look(places, pages, read), strict=True
            )
        ),
    )


def _mark_doubtful(
    questions: Sequence[Question],
    places: Sequence[tuple[tuple[int, Box], ...]],
    read: Sequence[ReadPage],
) -> None:
    """Mark the questions in which a bar looks like a fraction's that could not be written out."""
    doubtful = {page.number: page.doubtful for page in read}
    for question, boxes in zip(questions, places, strict=True):
        if any(box.holds(x, y) for number, box in boxes for x, y in doubtful[number]):
            question.marks.add("math_lost")


def _written(cleaned: Sequence[Sequence[Glyph]], profile: Profile) -> int:
    """Count the characters of letter fonts."""
    pattern = profile.rules.letter_fonts
    fonts = Counter(glyph.font for glyphs in cleaned for glyph in glyphs)
    return sum(count for font, count in fonts.items() if pattern.search(font))


def _columns(
    pages: Sequence[Page],
    cleaned: Sequence[list[Glyph]],
    profile: Profile,
    noise: Counter[str],
    *,
    drawn: bool,
) -> tuple[list[ReadPage], int]:
    """Read every page; also counts the marks round right answers."""
    read: list[ReadPage] = []
    rings = 0
    for page, glyphs in zip(pages, cleaned, strict=True):
        letters = drawn_letters(page.shapes, glyphs) if drawn else DrawnLetters([], set(), 0)
        rings += letters.rings
        fonts = _letter_fonts(glyphs, profile) | {DRAWN}
        written_out = with_fractions(glyphs + letters.glyphs, page.shapes, fonts)
        noise["fraction"] += len(written_out.used)
        each = read_columns(page, written_out.glyphs, profile, noise, fonts)
        each.used = written_out.used | letters.used
        each.doubtful = written_out.doubtful
        read.append(each)
    return read, rings


def _letter_fonts(glyphs: Sequence[Glyph], profile: Profile) -> frozenset[str]:
    pattern = profile.rules.letter_fonts
    return frozenset(font for font in {each.font for each in glyphs} if pattern.search(font))


def _found(
    question: Question,
    boxes: tuple[tuple[int, Box], ...],
    pictures: Pictures,
    wording: Wording,
) -> Found:
    passage = question.passage
    plain = pictures.kind == "table" and not pictures.bent and "math_lost" not in question.marks
    rows = question.rows if plain else []
    regular = is_regular(rows)
    return Found(
        number=question.number,
        turn=question.turn,
        page=question.page,
        boxes=boxes,
        statement=wording.joined(
            _tabled(question.statement, rows) if regular else question.statement
        ),
        alternatives=tuple(
            (each.letter, wording.joined(each.lines)) for each in question.alternatives
        ),
        tail=wording.joined(question.tail),
        passage=wording.joined(passage.lines) if passage else "",
        shared_with=(passage.first, passage.last) if passage else None,
        pictures=pictures,
        marks=tuple(sorted(question.marks | ({"regular_table"} if regular else set()))),
    )


def _tabled(statement: Sequence[str], rows: Sequence[str]) -> list[str]:
    """Give the lines of a statement with its rows of cells, each on a line of its own."""
    lines: list[str] = []
    for line, row in zip(statement, rows, strict=False):
        if CELL in row:
            if lines:
                lines[-1] = lines[-1].rstrip(PARAGRAPH) + PARAGRAPH
            lines.append(row + PARAGRAPH)
        else:
            lines.append(line)
    return lines


def _identity(pages: list[Page], profile: Profile) -> Identity:
    cover = [line.text for line in lines_of(pages[0].glyphs)][:COVER_LINES] if pages else []
    edges = [line for page in pages for line in _edges(page)]
    return identify(cover, edges, profile)


def _edges(page: Page) -> list[str]:
    """Give the lines at a page's upper and lower edge, bar codes and turned text included."""
    height = page.box.y1 - page.box.y0
    low, high = page.box.y0 + EDGE * height, page.box.y1 - EDGE * height
    glyphs: list[Glyph] = [each for each in page.glyphs if not low <= each.y <= high]
    return [line.text for line in lines_of(glyphs)]
