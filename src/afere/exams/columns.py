"""Takes the noise off a page and gives its lines in the order in which they are read.

A page has one or two columns, and may have bands of text over its full width. Columns are found
from the white space between them, page by page: the gutter is not always in the middle.
"""

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from afere.exams.headings import heading
from afere.exams.lines import Line, line_text, lines_of
from afere.exams.page import Box, Glyph, Page
from afere.exams.profile import Profile

__all__ = ["FULL", "LEFT", "RIGHT", "ReadPage", "clean", "read_columns"]

LEFT, RIGHT, FULL = 0, 1, 2
EDGE = 0.1  # of the page's height: footers and headers stand there
CLOSE = 7.0  # points: text that comes nearer to the gutter from both sides runs across it
LEAST_ACROSS = 25  # characters of a line that runs across
SHORT = 0.15  # of the column's width
LEAST_ROWS = 2  # that run across: one may be chance
SHARE_ACROSS = 0.35  # of a band's lines


@dataclass(slots=True)
class ReadPage:
    """A page's lines in reading order, and where its columns and its text end.

    used: the ids of drawn objects that are part of the text, such as the bars of fractions.
    doubtful: the middles of bars that may be a fraction's, but were not written out.
    """

    number: int
    box: Box
    gutter: float
    lines: list[Line]
    top: float
    bottom: float
    used: set[int] = field(default_factory=set)
    doubtful: list[tuple[float, float]] = field(default_factory=list)

    def column(self, column: int) -> tuple[float, float]:
        """Give the left and right edge of a column."""
        if column == FULL:
            return self.box.x0, self.box.x1
        if column == LEFT:
            return self.box.x0, self.gutter
        return self.gutter, self.box.x1


@dataclass(slots=True)
class _Row:
    """All characters of one height, both columns together."""

    y: float
    glyphs: list[Glyph]
    both: bool = False
    across: bool = False


def clean(page: Page, profile: Profile, noise: Counter[str]) -> list[Glyph]:
    """Give a page's characters without slug, bar codes, turned text and micro text."""
    box, barcode = page.box, profile.rules.noise_fonts
    kept: list[Glyph] = []
    fonts: dict[str, bool] = {}
    for glyph in page.glyphs:
        coded = fonts.get(glyph.font)
        if coded is None:
            coded = fonts[glyph.font] = barcode.search(glyph.font) is not None
        if coded:
            noise["bar_code"] += 1
        elif glyph.tilted:
            noise["turned"] += 1
        elif glyph.size < profile.smallest:
            noise["micro_text"] += 1
        elif not (
            box.x0 - 1 <= (glyph.x0 + glyph.x1) / 2 <= box.x1 + 1
            and box.y0 - 1 <= glyph.y <= box.y1 + 1
        ):
            noise["outside_page"] += 1
        else:
            kept.append(glyph)
    return kept


def read_columns(
    page: Page,
    glyphs: Sequence[Glyph],
    profile: Profile,
    noise: Counter[str],
    letter_fonts: frozenset[str] = frozenset(),
) -> ReadPage:
    """Give the lines in reading order: bands over the full width, else left before right.

    letter_fonts: the fonts of the alternatives' letters.
    """
    rows, top, bottom = _without_footers(page, glyphs, profile, noise)
    gutter = _gutter([glyph for row in rows for glyph in row.glyphs], page.box)
    if profile.columns == 1:
        bands = [(0, len(rows))]
    else:
        _look_across(rows, gutter)
        bands = _bands(rows, profile)
    lines: list[Line] = []
    start = 0
    for first, last in [*bands, (len(rows), len(rows))]:
        between = [glyph for row in rows[start:first] for glyph in row.glyphs]
        for column in (LEFT, RIGHT):
            part = [each for each in between if ((each.x0 + each.x1) / 2 >= gutter) == column]
            lines += _placed(lines_of(part, letter_fonts), page.number, column)
        if last > first:
            noise["full_width_band"] += 1
            part = [glyph for row in rows[first:last] for glyph in row.glyphs]
            lines += _placed(lines_of(part, letter_fonts), page.number, FULL)
        start = last
    return ReadPage(page.number, page.box, gutter, lines, top, bottom)


def _placed(lines: list[Line], page: int, column: int) -> list[Line]:
    """Say where lines stand, and which of them stop well before their column does."""
    right = max((line.x1 for line in lines), default=0.0)
    left = min((line.x0 for line in lines), default=0.0)
    for line in lines:
        line.page, line.column = page, column
        line.short = right - line.x1 > SHORT * (right - left)
    return lines


def _without_footers(
    page: Page, glyphs: Sequence[Glyph], profile: Profile, noise: Counter[str]
) -> tuple[list[_Row], float, float]:
    """Cut the page into rows and drop headers and footers, before columns cut them in two."""
    rows: list[_Row] = []
    for glyph in sorted(glyphs, key=lambda each: (-each.y, each.x0)):
        if rows and abs(rows[-1].y - glyph.y) < 2.6:  # noqa: PLR2004 - points
            rows[-1].glyphs.append(glyph)
        else:
            rows.append(_Row(glyph.y, [glyph]))
    height = page.box.y1 - page.box.y0
    low, high = page.box.y0 + EDGE * height, page.box.y1 - EDGE * height
    top, bottom = page.box.y1, page.box.y0
    kept: list[_Row] = []
    for row in rows:
        row.glyphs.sort(key=lambda each: (each.x0, each.order))
        if not low <= row.y <= high and _is_footer(row, profile):
            noise["footer"] += 1
            size = max(each.size for each in row.glyphs)
            if row.y < low:
                bottom = max(bottom, row.y + size)
            else:
                top = min(top, row.y - 0.3 * size)
        elif any(each.text != " " for each in row.glyphs):
            kept.append(row)
    return kept, top, bottom


def _is_footer(row: _Row, profile: Profile) -> bool:
    text = line_text(row.glyphs)
    if not text or heading(row.glyphs, text, profile.rules)[0]:
        return False
    return profile.rules.footers.match(text) is not None


def _gutter(glyphs: Sequence[Glyph], box: Box) -> float:
    """Find the widest white strip near the middle; the middle where there is none."""
    width = box.x1 - box.x0
    low, high = int(box.x0 + 0.40 * width), int(box.x0 + 0.60 * width)
    steps = [0] * (high - low + 2)
    for glyph in glyphs:
        if glyph.text != " ":
            first, last = max(low, int(glyph.x0 + 0.5)), min(high, int(glyph.x1 - 0.5))
            if first <= last:
                steps[first - low] += 1
                steps[last - low + 1] -= 1
    cover = list(accumulate(steps))[:-1]
    if not cover:
        return (box.x0 + box.x1) / 2
    limit = max(min(cover) + 1, 0.10 * statistics.mean(cover))
    best, found = None, 0.0
    for first, last in _runs(cover, limit):
        middle = (first + last) / 2
        worth = min(last - first, 14) - 0.12 * abs(middle - len(cover) / 2)
        if best is None or worth > best:
            best, found = worth, middle + low
    return found if best is not None else (box.x0 + box.x1) / 2


def _runs(cover: list[int], limit: float) -> list[tuple[int, int]]:
    """Give the runs of places that at most `limit` characters cover."""
    runs: list[tuple[int, int]] = []
    start: int | None = None
    for place, count in enumerate([*cover, limit + 1]):
        if count <= limit:
            start = place if start is None else start
        elif start is not None:
            runs.append((start, place - 1))
            start = None
    return runs


def _look_across(rows: list[_Row], gutter: float) -> None:
    """Note of each row whether it has text on both sides, and whether it runs across."""
    for row in rows:
        visible = [glyph for glyph in row.glyphs if glyph.text != " "]
        left = [glyph.x1 for glyph in visible if (glyph.x0 + glyph.x1) / 2 < gutter]
        right = [glyph.x0 for glyph in visible if (glyph.x0 + glyph.x1) / 2 >= gutter]
        row.both = bool(left and right)
        row.across = row.both and min(right) - max(left) < CLOSE and len(visible) > LEAST_ACROSS


def _bands(rows: list[_Row], profile: Profile) -> list[tuple[int, int]]:
    """Find the bands of rows that run over the full width, as (first, last + 1)."""
    bands: list[tuple[int, int]] = []
    place = 0
    while place < len(rows):
        end = _band_end(rows, place) if rows[place].across else None
        if end is None:
            place += 1
            continue
        while end < len(rows) and not rows[end].both:
            end += 1  # the last lines of paragraphs are short
        start, free = place, bands[-1][1] if bands else 0
        while start > free and not rows[start - 1].both and _is_marker(rows[start - 1], profile):
            start -= 1
        bands.append((start, end))
        place = end
    return bands


def _band_end(rows: list[_Row], start: int) -> int | None:
    """Give where a band that starts here ends: at its last row dense enough in rows across."""
    end, across, place = None, 0, start
    while place < len(rows) and (rows[place].across or not rows[place].both):
        if rows[place].across:
            across += 1
            if across >= LEAST_ROWS and across >= SHARE_ACROSS * (place + 1 - start):
                end = place + 1
        place += 1
    return end


def _is_marker(row: _Row, profile: Profile) -> bool:
    return heading(row.glyphs, line_text(row.glyphs), profile.rules)[0]
