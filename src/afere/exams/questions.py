"""Cuts lines in reading order into questions: heading, statement, alternatives."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from afere.exams.lines import Line, line_text, squeezed
from afere.exams.page import Glyph
from afere.exams.profile import Profile
from afere.exams.wording import PARAGRAPH

__all__ = ["DRAWN", "Alternative", "Part", "Question", "cut"]

DRAWN = "drawn-letter"  # the font name given to letters that are drawn shapes
UNREAD = "?"  # a drawn letter: its place in the order tells which
LEAP = 2.1  # times the size: a wider step below the last alternative begins something else


@dataclass(slots=True)
class Part:
    """A stretch of one column that belongs to a question; `bottom` is its last baseline."""

    page: int
    column: int
    top: float | None
    bottom: float | None = None


@dataclass(slots=True)
class Alternative:
    """One alternative: its letter, its lines, and where it stands."""

    letter: str
    lines: list[str]
    y: float
    page: int
    column: int
    sizes: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Question:
    """A question as printed, before it is judged."""

    number: int
    page: int
    column: int
    y: float
    turn: int = 0
    statement: list[str] = field(default_factory=list)
    alternatives: list[Alternative] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    shared: bool = False
    heading: str = ""


class Cutter:
    """Reads lines one at a time; `questions` is what has been found."""

    def __init__(self, profile: Profile, noise: Counter[str]) -> None:
        self.profile, self.rules, self.noise = profile, profile.rules, noise
        self.questions: list[Question] = []
        self.current: Question | None = None
        self.closed = False
        self.last: Line | None = None

    def read(self, line: Line) -> None:
        """Take the next line."""
        marker = self.rules.marker.match(squeezed(line.text))
        if marker:
            self._open(line, marker.group(1))
            return
        if self.rules.footers.match(line.text):
            self.noise["footer"] += 1
            return
        question = self.current
        full = question is not None and len(question.alternatives) >= len(self.profile.letters)
        if full and self.rules.endings.match(line.text):
            self.current = None
            self.noise["section_end"] += 1
            return
        if self.rules.headings.match(line.text):
            self.noise["heading"] += 1
            return
        if question is not None:
            self._take(question, line, full=full)
            self.last = line

    def _open(self, line: Line, number: str | None) -> None:
        if not number and not self.questions:
            return
        if not number:
            self.noise["marker_without_number"] += 1
        value = int(number) if number else self.questions[-1].number + 1
        self.current = Question(value, line.page, line.column, line.y, heading=line.text)
        self.current.parts.append(Part(line.page, line.column, line.y + line.size))
        self.questions.append(self.current)
        self.closed, self.last = False, line

    def _take(self, question: Question, line: Line, *, full: bool) -> None:
        letters = self._letters(line, question)
        part = question.parts[-1]
        moved = (part.page, part.column) != (line.page, line.column)
        if full and not letters and self._is_tail(question, line, moved=moved):
            self.noise["tail"] += 1
            question.tail.append(line.text)
            return
        if moved:
            question.parts.append(Part(line.page, line.column, None))
            part = question.parts[-1]
        part.bottom = line.y
        if letters:
            question.alternatives += self._segments(line, letters)
        elif question.alternatives:
            question.alternatives[-1].lines.append(line.text)
            question.alternatives[-1].sizes.append(line.size)
        else:
            question.statement.append(line.text + PARAGRAPH * line.short)

    def _is_tail(self, question: Question, line: Line, *, moved: bool) -> bool:
        """Tell whether a line after the last alternative is no part of it any more."""
        if self.closed or self.rules.shared.match(line.text):
            self.closed = True
            return True
        last = self.last
        if moved or last is None:
            self.closed = last is None or not _goes_on(question, line, last)
            return self.closed
        self.closed = bool(question.alternatives[-1].lines[0]) and (
            last.y - line.y > LEAP * max(min(line.size, last.size), 6)
        )
        return self.closed

    def _letters(self, line: Line, question: Question) -> list[Glyph]:
        """Give the letters of alternatives in a line that begins with one."""
        known = self.profile.letters + UNREAD
        first = next((glyph for glyph in line.glyphs if glyph.text.strip()), None)
        if first is None:
            return []
        letters = [glyph for glyph in line.glyphs if self._is_letter(glyph) and glyph.text in known]
        if not letters or letters[0] is not first:
            return []
        drawn_full = len(question.alternatives) >= len(self.profile.letters)
        return [] if first.text == UNREAD and drawn_full else letters

    def _is_letter(self, glyph: Glyph) -> bool:
        return glyph.font == DRAWN or self.rules.letter_fonts.search(glyph.font) is not None

    def _segments(self, line: Line, letters: list[Glyph]) -> list[Alternative]:
        """Cut a line at its letters."""
        bounds = [line.glyphs.index(letter) for letter in letters] + [len(line.glyphs)]
        return [
            Alternative(
                letter=letter.text,
                lines=[line_text(line.glyphs[start + 1 : end])],
                y=line.y,
                page=line.page,
                column=line.column,
                sizes=[line.size],
            )
            for letter, start, end in zip(letters, bounds, bounds[1:], strict=False)
        ]


def cut(lines: Iterable[Line], profile: Profile, noise: Counter[str]) -> list[Question]:
    """Give the questions in printed order; `turn` counts questions of one number from 0."""
    cutter = Cutter(profile, noise)
    for line in lines:
        cutter.read(line)
    turns: Counter[int] = Counter()
    for question in cutter.questions:
        question.turn = turns[question.number]
        turns[question.number] += 1
        _name_drawn(question.alternatives, profile.letters)
    return cutter.questions


def _goes_on(question: Question, line: Line, last: Line) -> bool:
    """Tell whether the last alternative's sentence runs on into a new column.

    It does where it stopped at the column's edge without a full stop, and small letters follow.
    """
    written = question.alternatives[-1].lines[-1].rstrip()
    open_end = bool(written) and not last.short and written[-1] not in ".?!:;"
    return open_end and line.text[:1].islower()


def _name_drawn(alternatives: Sequence[Alternative], letters: str) -> None:
    """Letters that are drawn follow their order."""
    if alternatives and all(each.letter == UNREAD for each in alternatives):
        for each, letter in zip(alternatives, letters, strict=False):
            each.letter = letter
