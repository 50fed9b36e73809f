"""Cuts lines in reading order into questions: heading, statement, alternatives."""

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from afere.exams.headings import heading
from afere.exams.lines import Line, line_text
from afere.exams.page import Glyph
from afere.exams.profile import Profile
from afere.exams.wording import PARAGRAPH

__all__ = ["DRAWN", "UNREAD", "Alternative", "Part", "Passage", "Question", "cut"]

DRAWN = "drawn-letter"  # the font name given to letters that are drawn shapes
UNREAD = "?"  # a drawn letter: its place in the order tells which
LEAP = 2.1  # times the size: a wider step below the last alternative begins something else
WIDER = 1.45  # times the question's usual step, where its lines stand far apart
STACKED = 0.62  # times the size: lines nearer than this stand on one another, as in a fraction
SMALLER = 0.82  # of an alternative's size: sources and labels are set smaller
_NUMBERS = re.compile(
    r"quest(?:ões|ão|oes|ions)\D{0,6}(\d{1,3})\s*(?:e|a|à|and|to|,|-|–)\s*(\d{1,3})", re.IGNORECASE
)


@dataclass(slots=True)
class Part:
    """A stretch of one column that belongs to a question; `bottom` is its last baseline."""

    page: int
    column: int
    top: float | None
    bottom: float | None = None


@dataclass(slots=True)
class Alternative:
    """One alternative: its letter, its lines, and the size of its type."""

    letter: str
    lines: list[str]
    size: float


@dataclass(slots=True)
class Passage:
    """A text that is announced for several questions."""

    first: int
    last: int
    lines: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)


@dataclass(slots=True)
class Question:
    """A question as printed, before it is judged.

    rows: the statement's lines once more, cut into cells as those of a table.
    """

    number: int
    page: int
    turn: int = 0
    statement: list[str] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    alternatives: list[Alternative] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    passage: Passage | None = None
    marks: set[str] = field(default_factory=set)
    steps: list[float] = field(default_factory=list)


def cut(lines: Iterable[Line], profile: Profile, noise: Counter[str]) -> list[Question]:
    """Give the questions in printed order; `turn` counts questions of one number from 0."""
    cutter = _Cutter(profile, noise)
    for line in lines:
        cutter.read(line)
    turns: Counter[int] = Counter()
    for question in cutter.questions:
        question.turn = turns[question.number]
        turns[question.number] += 1
        _name_drawn(question.alternatives, profile.letters)
    return cutter.questions


class _Cutter:
    """Reads lines one at a time; `questions` is what has been found."""

    def __init__(self, profile: Profile, noise: Counter[str]) -> None:
        self.profile, self.rules, self.noise = profile, profile.rules, noise
        self.questions: list[Question] = []
        self.current: Question | None = None
        self.passage: Passage | None = None
        self.closed = False
        self.last: Line | None = None

    def read(self, line: Line) -> None:
        """Take the next line."""
        opens, number = heading(line.glyphs, line.text, self.rules)
        inline = None if opens else self._inline(line)
        if opens:
            self._open(line, number)
        elif inline is not None:
            self._open(line, int(inline[1]))
            rest = line.text[inline.end() :]
            self.questions[-1].statement.append(rest + PARAGRAPH * line.short)
            self.last = line
        elif self.rules.footers.match(line.text):
            self.noise["footer"] += 1
        elif self._announces(line):
            self._announce(line)
        elif self._is_full() and self.rules.endings.match(line.text):
            self.current = self.passage = None
            self.noise["section_end"] += 1
        elif self.rules.headings.match(line.text):
            self.noise["heading"] += 1
        elif self.current is not None:
            self._take(self.current, line)
            self.last = line
        elif self.passage is not None:
            self._take_passage(self.passage, line)

    def _inline(self, line: Line) -> re.Match[str] | None:
        """Find a number before a text; it must be the next one, after a whole question."""
        found = self.rules.inline.match(line.text)
        if found is None:
            return None
        following = not self.questions or (
            int(found[1]) == self.questions[-1].number + 1
            and len(self.questions[-1].alternatives) > 1
        )
        return found if following else None

    def _is_full(self) -> bool:
        question = self.current
        return question is not None and len(question.alternatives) >= len(self.profile.letters)

    def _open(self, line: Line, number: int | None) -> None:
        if not number and not self.questions:
            return
        if not number:
            self.noise["marker_without_number"] += 1
        value = number or self.questions[-1].number + 1
        question = Question(value, line.page)
        if self.passage is not None and self.passage.first <= value <= self.passage.last:
            question.passage = self.passage
        else:
            self.passage = None
        question.parts.append(Part(line.page, line.column, line.y + line.size))
        self.questions.append(question)
        self.current, self.closed, self.last = question, False, line

    def _announces(self, line: Line) -> bool:
        return (self.current is None or self._is_full()) and (
            self.rules.shared.match(line.text) is not None
            and _NUMBERS.search(line.text) is not None
        )

    def _announce(self, line: Line) -> None:
        numbers = _NUMBERS.search(line.text)
        if numbers is not None:
            self.passage = Passage(int(numbers[1]), int(numbers[2]))
            self.passage.parts.append(Part(line.page, line.column, line.y + line.size))
            self.current = None

    def _take_passage(self, passage: Passage, line: Line) -> None:
        passage.lines.append(line.text + PARAGRAPH * line.short)
        if (passage.parts[-1].page, passage.parts[-1].column) != (line.page, line.column):
            passage.parts.append(Part(line.page, line.column, None))
        passage.parts[-1].bottom = line.y

    def _take(self, question: Question, line: Line) -> None:
        letters = self._letters(line, question)
        written = None if letters else self._written(line, question)
        part = question.parts[-1]
        moved = (part.page, part.column) != (line.page, line.column)
        begins = bool(letters) or written is not None
        if self._is_full() and not begins and self._is_tail(question, line, moved=moved):
            self.noise["tail"] += 1
            question.tail.append(line.text)
            return
        if moved:
            question.parts.append(Part(line.page, line.column, None))
        else:
            self._measure(question, line)
        question.parts[-1].bottom = line.y
        if line.stacked:
            question.marks.add("math_lost")
        if letters:
            question.alternatives += _segments(line, letters)
        elif written is not None:
            rest = line.text[written.end() :]
            question.alternatives.append(Alternative(written[1], [rest], line.size))
        elif question.alternatives:
            self._go_on(question, line)
        else:
            self._add_to_statement(question, line)

    def _measure(self, question: Question, line: Line) -> None:
        """Keep the step from the last line; lines that nearly touch are parts of a formula."""
        if self.last is None:
            return
        step = self.last.y - line.y
        if 0 < step < STACKED * max(line.size, self.last.size):
            question.marks.add("math_lost")
        elif step > 0:
            question.steps.append(step)

    def _add_to_statement(self, question: Question, line: Line) -> None:
        if question.statement and self.last is not None and _unlike(line.size, self.last.size):
            question.statement[-1] = question.statement[-1].rstrip(PARAGRAPH) + PARAGRAPH
        question.statement.append(line.text + PARAGRAPH * line.short)
        question.rows.append(line.cells)

    def _go_on(self, question: Question, line: Line) -> None:
        """Add a line to the last alternative; one in smaller type is no part of it."""
        alternative = question.alternatives[-1]
        if line.size < SMALLER * alternative.size:
            question.tail.append(line.text)
            question.marks.add("neighbour_text")
        else:
            alternative.lines.append(line.text)

    def _is_tail(self, question: Question, line: Line, *, moved: bool) -> bool:
        """Tell whether a line after the last alternative is no part of it any more."""
        last = self.last
        if self.closed or last is None:
            return self.closed
        if moved:
            self.closed = not _goes_on(question, line, last)
        else:
            usual = statistics.median(question.steps) if question.steps else 0.0
            leap = max(LEAP * max(min(line.size, last.size), 6), WIDER * usual)
            self.closed = bool(question.alternatives[-1].lines[0]) and last.y - line.y > leap
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

    def _written(self, line: Line, question: Question) -> re.Match[str] | None:
        """Find a letter that is plain text before an alternative; letters come in order."""
        found = self.rules.letter_text.match(line.text)
        if found is None or found[1] not in self.profile.letters:
            return None
        if not question.alternatives:
            return found if found[1] == self.profile.letters[0] else None
        after = found[1] >= question.alternatives[-1].letter
        return found if after and not self._is_full() else None

    def _is_letter(self, glyph: Glyph) -> bool:
        return glyph.font == DRAWN or self.rules.letter_fonts.search(glyph.font) is not None


def _segments(line: Line, letters: Sequence[Glyph]) -> list[Alternative]:
    """Cut a line at its letters."""
    bounds = [line.glyphs.index(letter) for letter in letters] + [len(line.glyphs)]
    found = []
    for letter, start, end in zip(letters, bounds, bounds[1:], strict=False):
        text = line.glyphs[start + 1 : end]
        size = max((glyph.size for glyph in text if glyph.text != " "), default=line.size)
        found.append(Alternative(letter.text, [line_text(text)], size))
    return found


def _unlike(size: float, other: float) -> bool:
    return min(size, other) < 0.9 * max(size, other)


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
