"""Sets characters into lines by their baselines, and lines into text."""

import re
import statistics
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from afere.exams.page import SOFT_HYPHEN, Glyph

__all__ = ["CELL", "Line", "line_text", "lines_of", "squeezed"]

COLUMN_GAP = 1.2  # of the size: wider than any space between words
CELL = " | "
SMALL = 0.86  # of the usual size: raised and lowered signs are smaller than this
NO_GAP = 0.04  # of the size
WORD_GAP = 0.17  # of the size; a wider gap between two characters is a space
TRACKED_GAP = 0.3  # of the size, where the PDF shows the two in one run
SAME_BASELINE = 0.28  # of the size
_RAISED = dict(zip("0123456789+-−–=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ", strict=True)) | dict(
    zip("abcdefghijklmoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ", strict=True)
)
_LOWERED = dict(
    zip("0123456789+-−–=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True)
)
_AS_PRINTED = frozenset("ºª°*'’”\",.;:†‡ \u00ad")
_SPACES = re.compile(r"\s+")


@dataclass(slots=True)
class Line:
    """Characters that share a baseline, from left to right.

    short: it stops well before its column does. stacked: a raised sign stands over a lowered one.
    """

    y: float
    size: float
    glyphs: list[Glyph]
    page: int = 0
    column: int = 0
    text: str = ""
    short: bool = False
    stacked: bool = False

    @property
    def cells(self) -> str:
        """The text with ` | ` where a gap is as wide as between the columns of a table."""
        cells: list[list[Glyph]] = [[]]
        for glyph in self.glyphs:
            if glyph.text == " ":
                continue
            if cells[-1] and glyph.x0 - cells[-1][-1].x1 > COLUMN_GAP * self.size:
                cells.append([])
            cells[-1].append(glyph)
        if len(cells) == 1:
            return self.text
        ends = [each[-1].x1 for each in cells]
        parts: list[list[Glyph]] = [[] for _ in cells]
        for glyph in self.glyphs:
            parts[min(bisect_left(ends, glyph.x0), len(ends) - 1)].append(glyph)
        return CELL.join(line_text(part) for part in parts)

    @property
    def x0(self) -> float:
        """The left edge."""
        return min(glyph.x0 for glyph in self.glyphs)

    @property
    def x1(self) -> float:
        """The right edge."""
        return max(glyph.x1 for glyph in self.glyphs)


def lines_of(glyphs: Sequence[Glyph], is_letter: frozenset[str] = frozenset()) -> list[Line]:
    """Give the lines from top to bottom; raised and lowered signs join the line they belong to.

    is_letter: the fonts whose characters stand for alternatives; they count as of usual size.
    """
    visible = [glyph.size for glyph in glyphs if glyph.text != " "]
    if not visible:
        return []
    least = SMALL * statistics.median(visible)
    large: list[Glyph] = []
    small: list[Glyph] = []
    for glyph in glyphs:
        (large if glyph.size >= least or glyph.font in is_letter else small).append(glyph)
    lines = _clustered(large, SAME_BASELINE)
    loose = [glyph for glyph in small if not _attached(glyph, lines)]
    lines += _clustered(loose, 0.35)
    for line in lines:
        line.glyphs.sort(key=lambda glyph: (glyph.x0, glyph.order))
        line.stacked = _is_stacked(line.glyphs)
        line.text = line_text(line.glyphs)
    return sorted((line for line in lines if line.text), key=lambda line: -line.y)


def _is_stacked(glyphs: Sequence[Glyph]) -> bool:
    shifted = [glyph for glyph in glyphs if glyph.shift and glyph.text != " "]
    return any(
        one.shift != two.shift and two.x0 < (one.x0 + one.x1) / 2 for one, two in pairwise(shifted)
    )


def _clustered(glyphs: Iterable[Glyph], tolerance: float) -> list[Line]:
    lines: list[Line] = []
    for glyph in sorted(glyphs, key=lambda glyph: (-glyph.y, glyph.x0)):
        best, nearest = None, 1e9
        for line in lines[-5:]:
            away = abs(line.y - glyph.y)
            if away < nearest and away < tolerance * min(line.size, glyph.size, 11):
                best, nearest = line, away
        if best is None:
            lines.append(Line(glyph.y, glyph.size, [glyph]))
        else:
            best.glyphs.append(glyph)
            best.size = max(best.size, glyph.size)
    return lines


def _attached(glyph: Glyph, lines: list[Line]) -> bool:
    """Put a small character into the line it is raised or lowered in; False where none is near."""
    best: Line | None = None
    least = 1e9
    for line in lines:
        rise = glyph.y - line.y
        if not -0.42 * line.size < rise < 0.62 * line.size:
            continue
        beside = min(
            glyph.x0 - other.x1 if glyph.x0 >= other.x1 - 1 else abs(other.x0 - glyph.x1)
            for other in line.glyphs
        )
        fit = abs(rise - 0.1 * line.size)
        if beside < 4 and fit < least:  # noqa: PLR2004 - points
            best, least = line, fit
    if best is None:
        return False
    rise = (glyph.y - best.y) / best.size
    shift = 1 if rise > 0.16 else -1 if rise < -0.07 else 0  # noqa: PLR2004 - of the size
    best.glyphs.append(glyph._replace(shift=shift) if glyph.size < SMALL * best.size else glyph)
    return True


def line_text(glyphs: Iterable[Glyph]) -> str:
    """Write characters out: gaps become spaces, raised and lowered signs keep their place."""
    parts: list[str] = []
    previous: Glyph | None = None
    spaced = False
    for shift, run in groupby(
        (each for each in glyphs if each.text),
        key=lambda glyph: 0 if glyph.text == " " else glyph.shift,
    ):
        text = ""
        for glyph in run:
            if glyph.text == " ":
                spaced = True
                continue
            if previous is not None and _apart(previous, glyph, spaced=spaced):
                if shift and not text:
                    parts.append(" ")
                else:
                    text += " "
            text += glyph.text
            previous, spaced = glyph, False
        parts.append(_shifted(text, shift, parts) if shift else text)
    whole = unicodedata.normalize("NFC", "".join(parts))
    return _SPACES.sub(" ", _unligatured(whole)).strip()


def _apart(previous: Glyph, glyph: Glyph, *, spaced: bool) -> bool:
    """Tell whether a space stands between two characters.

    A space that the PDF writes counts unless the two touch: some ligatures hide one.
    """
    gap = glyph.x0 - previous.x1
    size = max(min(glyph.size, previous.size), 4)
    if spaced:
        return gap > NO_GAP * size or gap < -size
    least = TRACKED_GAP if glyph.order == previous.order + 1 else WORD_GAP
    return gap > least * size


def _shifted(text: str, shift: int, before: list[str]) -> str:
    """Write a raised or lowered run with the signs made for it, else in brackets."""
    bare = text.strip()
    if not bare:
        return text
    if shift > 0 and bare in {"o", "a", "os", "as"} and before and before[-1][-1:].isdigit():
        return text.replace("o", "º").replace("a", "ª")
    table = _RAISED if shift > 0 else _LOWERED
    if all(sign in table or sign in _AS_PRINTED for sign in bare):
        return "".join(table.get(sign, sign) for sign in text)
    mark = "^" if shift > 0 else "_"
    body = bare if len(bare) == 1 else f"({bare})"
    return text.replace(bare, mark + body)


def _unligatured(text: str) -> str:
    if "ﬀ" <= max(text, default="") <= "ﬆ" or any("ﬀ" <= sign <= "ﬆ" for sign in text):
        return "".join(
            unicodedata.normalize("NFKC", sign) if "ﬀ" <= sign <= "ﬆ" else sign for sign in text
        )
    return text


def squeezed(text: str) -> str:
    """Take all white space and soft hyphens out."""
    return _SPACES.sub("", text).replace(SOFT_HYPHEN, "")
