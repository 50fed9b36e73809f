"""Reads the official answer key: a PDF, or a CSV of `number,answer[,language]`.

Answers are addressed by number and language, and stand in sections, one for each booklet of the
document: some keys hold one booklet, some four side by side, some one on each page.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from afere.exams.document import opened
from afere.exams.errors import ExamError
from afere.exams.identity import Identity, identify
from afere.exams.lines import Line, lines_of
from afere.exams.page import Glyph, read_page
from afere.exams.profile import Profile

__all__ = ["ANNULLED", "Key", "Section", "read_csv_key", "read_key"]

ANNULLED = "X"  # an answer that every mark is right for; the item is left out
MOST_NUMBER = 400
LEAST_RUN = 5  # numbers in a row make a horizontal table
WIDE_GAP = 0.6  # of the size: cells are further apart
_ANNULLED = re.compile(r"^(anulad[ao]s?|nula|\*|x)\.?$", re.IGNORECASE)
_FOOTNOTE = re.compile(r"quest[ãa]o\s*(\d{1,3})\D{0,12}anulad", re.IGNORECASE)
_NUMBER = re.compile(r"^(\d{1,3})[.)]?$")
_ENGLISH = re.compile(r"^INGL", re.IGNORECASE)
_SPANISH = re.compile(r"^ESPAN", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The answers of one booklet: each number with one letter, or with one a language."""

    identity: Identity
    answers: tuple[tuple[int, tuple[str, ...]], ...]

    def by_number(self) -> dict[int, tuple[str, ...]]:
        """Give the letters at each number."""
        return dict(self.answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key as read; `languages` is the order in which the foreign languages stand."""

    sections: tuple[Section, ...]
    languages: tuple[str, ...] = ("en", "es")


@dataclass(slots=True)
class _Cell:
    text: str
    x0: float
    x1: float


@dataclass(slots=True)
class _Draft:
    identity: Identity
    answers: dict[int, tuple[str, ...]] = field(default_factory=dict)


def read_key(data: bytes, profile: Profile) -> Key:
    """Read a key from the bytes of its PDF; raises ExamError where no answers are found."""
    with opened(data) as document:
        pages = [
            lines_of(_flat(read_page(document, index).glyphs)) for index in range(len(document))
        ]
    whole = identify([line.text for lines in pages for line in lines], (), profile, loose=True)
    reader = _Reader(profile, whole)
    order = ("en", "es")
    for lines in pages:
        rows = [_cells(line) for line in lines]
        order = _language_order(rows) or order
        reader.read([line.text for line in lines], rows)
    drafts = reader.drafts
    _footnotes(drafts, (line.text for lines in pages for line in lines))
    sections = tuple(
        Section(identity=draft.identity, answers=tuple(draft.answers.items()))
        for draft in drafts
        if draft.answers
    )
    if not sections:
        raise ExamError("no answers were found in this key\nGive the official key, or a CSV.")
    return Key(sections=sections, languages=order)


def _flat(glyphs: Sequence[Glyph]) -> list[Glyph]:
    return [glyph for glyph in glyphs if not glyph.tilted]


def _cells(line: Line) -> list[_Cell]:
    """Cut a line into words."""
    cells: list[_Cell] = []
    previous: Glyph | None = None
    for glyph in line.glyphs:
        if glyph.text == " ":
            previous = None
            continue
        apart = previous is None or glyph.x0 - previous.x1 > WIDE_GAP * max(glyph.size, 4)
        joins = not apart and cells
        if joins:
            cells[-1].text += glyph.text
            cells[-1].x1 = glyph.x1
        else:
            cells.append(_Cell(glyph.text, glyph.x0, glyph.x1))
        previous = glyph
    return cells


def _language_order(rows: Iterable[Sequence[_Cell]]) -> tuple[str, str] | None:
    for row in rows:
        english = [cell.x0 for cell in row if _ENGLISH.match(cell.text)]
        spanish = [cell.x0 for cell in row if _SPANISH.match(cell.text)]
        if english and spanish:
            return ("en", "es") if english[0] < spanish[0] else ("es", "en")
    return None


class _Reader:
    """Reads a key row by row; a row that names a booklet begins its section."""

    def __init__(self, profile: Profile, whole: Identity) -> None:
        self.profile, self.letters = profile, frozenset(profile.letters)
        self.base = Identity(year=whole.year, day=whole.day, edition=whole.edition)
        self.drafts: list[_Draft] = [_Draft(self.base)]
        self.columns: list[tuple[float, str]] = []

    def read(self, texts: Sequence[str], rows: Sequence[Sequence[_Cell]]) -> None:
        """Take the rows of one page."""
        self.columns = _colour_columns(rows, self.profile) or self.columns
        if self.columns:
            self._read_side_by_side(rows)
            return
        for text, row, following in zip(texts, rows, [*rows[1:], []], strict=True):
            self._name(text)
            if _is_run(row) and len(following) == len(row) and _is_letters(following, self.letters):
                for above, below in zip(row, following, strict=True):
                    self._answer(_number(above), (_letter(below.text, self.letters) or "",))
            else:
                for cell, given in _pairs(row, self.letters):
                    self._answer(_number(cell), given)

    def _name(self, text: str) -> None:
        """Begin a section where a row names a booklet; before its answers, add to its name."""
        found = identify([text], (), self.profile, loose=True)
        if found.colour is None and found.booklet is None:
            return
        if self.drafts[-1].answers:
            self.drafts.append(_Draft(_merged(replace(found, year=None), self.base)))
        else:
            self.drafts[-1].identity = _merged(self.drafts[-1].identity, found)

    def _answer(self, number: int, given: tuple[str, ...]) -> None:
        """Keep an answer; one that contradicts an earlier one belongs to another booklet."""
        if self.drafts[-1].answers.get(number, given) != given:
            self.drafts.append(_Draft(self.base))
        self.drafts[-1].answers[number] = given

    def _read_side_by_side(self, rows: Sequence[Sequence[_Cell]]) -> None:
        """Give each answer to the colour that stands over it."""
        by_colour = {draft.identity.colour: draft for draft in self.drafts}
        for _, colour in self.columns:
            if colour not in by_colour:
                by_colour[colour] = _Draft(replace(self.base, colour=colour))
                self.drafts.append(by_colour[colour])
        for row in rows:
            for cell, given in _pairs(row, self.letters):
                near = min((abs(x - cell.x0), colour) for x, colour in self.columns)
                by_colour[near[1]].answers[_number(cell)] = given


def _merged(one: Identity, other: Identity) -> Identity:
    """Fill what a page does not tell from the whole document."""
    return Identity(
        year=one.year or other.year,
        day=one.day or other.day,
        booklet=one.booklet or other.booklet,
        colour=one.colour or other.colour,
        edition=one.edition or other.edition,
    )


def _colour_columns(rows: Sequence[Sequence[_Cell]], profile: Profile) -> list[tuple[float, str]]:
    """Find a heading that names several colours: each stands over its own column."""
    for row in rows:
        found = [
            (cell.x0, profile.colours[cell.text.upper()])
            for cell in row
            if cell.text.upper() in profile.colours
        ]
        if len({colour for _, colour in found}) > 1:
            return found
    return []


def _pairs(
    row: Sequence[_Cell], letters: frozenset[str]
) -> Iterator[tuple[_Cell, tuple[str, ...]]]:
    """Give each number of a row with the letters that follow it."""
    place = 0
    while place < len(row):
        cell = row[place]
        place += 1
        if _number(cell) == 0:
            continue
        answers: list[str] = []
        while place < len(row) and len(answers) < 2:  # noqa: PLR2004 - one a language
            answer = _letter(row[place].text, letters)
            if answer is None or (answers and row[place].text == "*"):
                break  # a star after a letter belongs to a footnote
            answers.append(answer)
            place += 1
        if answers:
            yield cell, tuple(answers)


def _number(cell: _Cell) -> int:
    found = _NUMBER.match(cell.text)
    value = int(found[1]) if found else 0
    return value if value <= MOST_NUMBER else 0


def _letter(text: str, letters: frozenset[str]) -> str | None:
    if text in letters:
        return text
    return ANNULLED if _ANNULLED.match(text) else None


def _is_run(row: Sequence[_Cell]) -> bool:
    numbers = [_number(cell) for cell in row]
    return len(row) >= LEAST_RUN and all(numbers) and all(b > a for a, b in pairwise(numbers))


def _is_letters(row: Sequence[_Cell], letters: frozenset[str]) -> bool:
    return all(_letter(cell.text, letters) is not None for cell in row)


def _footnotes(drafts: Sequence[_Draft], lines: Iterable[str]) -> None:
    """Annul what a footnote annuls; it holds for every booklet on the key."""
    for line in lines:
        for found in _FOOTNOTE.finditer(line):
            for draft in drafts:
                draft.answers[int(found[1])] = (ANNULLED,)


def read_csv_key(data: bytes, profile: Profile) -> Key:
    """Read `number,answer[,language]`; raises ExamError with the line that is wrong."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ExamError("the key is no UTF-8 text\nSave it as UTF-8.") from error
    reader = csv.DictReader(io.StringIO(text), skipinitialspace=True)
    names = {(name or "").strip().lower(): name for name in reader.fieldnames or ()}
    if not {"number", "answer"} <= names.keys():
        raise ExamError("the key's first line is no heading\nWrite: number,answer,language")
    answers: dict[int, dict[str, str]] = {}
    for row in reader:
        number, language, answer = _csv_row(row, names, reader.line_num, profile)
        if language in answers.setdefault(number, {}):
            raise ExamError(f"line {reader.line_num}: question {number} is answered twice")
        answers[number][language] = answer
    if not answers:
        raise ExamError("the key has no answers\nWrite one line a question: 1,C")
    order = profile.languages or ("en", "es")
    return Key(
        sections=(
            Section(
                identity=Identity(),
                answers=tuple(
                    (number, _csv_answers(found, order)) for number, found in answers.items()
                ),
            ),
        ),
        languages=(order[0], order[1]) if len(order) > 1 else ("en", "es"),
    )


def _csv_row(
    row: Mapping[str, str | None], names: Mapping[str, str], line: int, profile: Profile
) -> tuple[int, str, str]:
    number = (row.get(names["number"]) or "").strip()
    answer = (row.get(names["answer"]) or "").strip()
    language = (row.get(names.get("language", "")) or "").strip().lower()
    language = {"pt": "", "ingles": "en", "inglês": "en", "espanhol": "es"}.get(language, language)
    if not number.isdecimal() or not 0 < int(number) <= MOST_NUMBER:
        raise ExamError(f"line {line}: {number[:20]!r} is no question's number")
    letter = _letter(answer.upper(), frozenset(profile.letters))
    if letter is None:
        raise ExamError(
            f"line {line}: {answer[:20]!r} is no answer\n"
            f"Write one of {', '.join(profile.letters)}, or Anulado"
        )
    if language not in {"", *profile.languages}:
        raise ExamError(f"line {line}: the language is one of {', '.join(profile.languages)}")
    return int(number), language, letter


def _csv_answers(found: Mapping[str, str], order: Sequence[str]) -> tuple[str, ...]:
    if "" in found:
        return (found[""],)
    return tuple(found.get(language, "") for language in order)
