"""Reads one page of a PDF: its characters with place, size and font, and its drawn objects.

Places are in points, the origin at the lower left, as in the PDF itself.
"""

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from afere.exams.symbols import PRIVATE, symbol_sign

__all__ = ["DOT", "SOFT_HYPHEN", "Box", "Glyph", "Page", "Shape", "read_page"]

MOST_GLYPHS = 60_000  # a page; the fullest booklet page seen has 9,000
MOST_SHAPES = 20_000
MOST_FORM_DEPTH = 3
DOT = 2.2  # points: smaller shapes are dots, whatever their form
MOST_SEGMENTS = 24  # enough to tell a curve from a table's lines
_TEXT, _PATH, _IMAGE, _SHADING, _FORM = 1, 2, 3, 4, 5
_BEZIER = 1
_SUBSET = re.compile(r"^[A-Z]{6}\+")
_SOFT_HYPHENS = frozenset((0xFFFE, 0xFFFF, 0x2, 0xAD))
_SPACES = frozenset(
    "\r\n\t\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000"
)
_INVISIBLE = frozenset("\u200b\u200c\u200d\ufeff")
SOFT_HYPHEN = "\u00ad"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle: left, bottom, right, top."""

    x0: float
    y0: float
    x1: float
    y1: float

    def holds(self, x: float, y: float) -> bool:
        """Tell whether a point lies inside."""
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1


class Glyph(NamedTuple):
    """One character: its left and right edge, its baseline, its size and its font's name.

    tilted: the text runs askew; shift: 1 for a raised sign, -1 for a lowered one.
    """

    text: str
    x0: float
    x1: float
    y: float
    size: float
    font: str
    order: int
    tilted: bool = False
    shift: int = 0


class Shape(NamedTuple):
    """One drawn object; `bent` tells curves and diagonals from upright lines and rectangles."""

    kind: str
    x0: float
    y0: float
    x1: float
    y1: float
    bent: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """What stands on a page, as drawn; nothing is left out yet."""

    number: int
    box: Box
    glyphs: list[Glyph]
    shapes: list[Shape]


def read_page(document: Any, index: int) -> Page:  # noqa: ANN401 - the library ships no types
    """Read the page of that index (from 0).

    Raises MemoryError where a page holds more than any booklet's page does.
    """
    page = document[index]
    try:
        box = Box(*page.get_cropbox())
        return Page(index + 1, box, _glyphs(page), list(_shapes(page)))
    finally:
        page.close()


def _glyphs(page: Any) -> list[Glyph]:  # noqa: ANN401 - the library ships no types
    import pypdfium2.raw as pdfium

    textpage = page.get_textpage()
    raw = textpage.raw
    count = textpage.count_chars()
    if count > MOST_GLYPHS:
        raise MemoryError(f"a page of {count} characters")
    rect, x, y = pdfium.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    to_rect, to_x, to_y = ctypes.byref(rect), ctypes.byref(x), ctypes.byref(y)
    unicode_of, object_of = pdfium.FPDFText_GetUnicode, pdfium.FPDFText_GetTextObject
    box_of, origin_of = pdfium.FPDFText_GetLooseCharBox, pdfium.FPDFText_GetCharOrigin
    address = ctypes.c_void_p
    styles: dict[int | None, tuple[float, str, bool]] = {}
    glyphs: list[Glyph] = []
    for order in range(count):
        owner = object_of(raw, order)
        if not owner:
            continue  # a space or line end that the library made up
        key = ctypes.cast(owner, address).value
        style = styles.get(key)
        if style is None:
            style = styles[key] = _style(pdfium, raw, order)
        text = _as_text(unicode_of(raw, order))
        if text is None:
            continue
        box_of(raw, order, to_rect)
        origin_of(raw, order, to_x, to_y)
        size, font, tilted = style
        if "Symbol" in font:
            text = _symbol(text)
        glyphs.append(Glyph(text, rect.left, rect.right, y.value, size, font, order, tilted))
    textpage.close()
    return glyphs


def _style(pdfium: Any, raw: Any, order: int) -> tuple[float, str, bool]:  # noqa: ANN401
    """Give size, font name and whether the text is turned; the same for a whole text object."""
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(raw, order, ctypes.byref(matrix))
    height = math.hypot(matrix.c, matrix.d) or 1.0
    size = pdfium.FPDFText_GetFontSize(raw, order) * height
    angle = math.atan2(matrix.b, matrix.a)
    name, flags = ctypes.create_string_buffer(256), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(raw, order, name, 256, ctypes.byref(flags))
    font = _SUBSET.sub("", name.value.decode("utf-8", errors="replace"))
    return size, font, abs(angle) > 0.1  # noqa: PLR2004 - radians; slanted scans stay below


def _as_text(code: int) -> str | None:
    """Give the character of a code: spaces as one kind, swapped ligatures put right."""
    if code == 0:
        return None
    if code in _SOFT_HYPHENS:
        return SOFT_HYPHEN
    if 0x6600 <= code <= 0x7A00 and code & 0xFF == 0:  # noqa: PLR2004 - two bytes the wrong way
        return chr(code >> 8)
    text = chr(code)
    if text in _SPACES:
        return " "
    if text in _INVISIBLE:
        return None
    return text


def _symbol(text: str) -> str:
    """Give what a Symbol font draws for a private code, or for a Latin letter, which it has not."""
    if "\uf020" <= text <= "\uf0ff":
        return symbol_sign(ord(text) - PRIVATE)
    if text.isascii() and text.isalpha():
        return symbol_sign(ord(text))
    return text


def _shapes(page: Any) -> Iterator[Shape]:  # noqa: ANN401 - the library ships no types
    import pypdfium2.raw as pdfium

    counts: Counter[str] = Counter()
    for shape in _walk(pdfium, page.raw, 0, None):
        counts["all"] += 1
        if counts["all"] > MOST_SHAPES:
            return
        yield shape


def _walk(pdfium: Any, holder: Any, depth: int, place: Any) -> Iterator[Shape]:  # noqa: ANN401
    """Give the objects of a page or form; a form's objects stand where its matrix puts them."""
    if depth == 0:
        count, get = pdfium.FPDFPage_CountObjects, pdfium.FPDFPage_GetObject
    else:
        count, get = pdfium.FPDFFormObj_CountObjects, pdfium.FPDFFormObj_GetObject
    for index in range(min(count(holder), MOST_SHAPES)):
        each = get(holder, index)
        kind = pdfium.FPDFPageObj_GetType(each)
        if kind == _FORM and depth < MOST_FORM_DEPTH:
            yield from _walk(pdfium, each, depth + 1, _moved(pdfium, each, place))
        elif kind in {_PATH, _IMAGE, _SHADING}:
            shape = _shape(pdfium, each, kind, place)
            if shape is not None:
                yield shape


def _moved(pdfium: Any, form: Any, place: Any) -> tuple[float, ...]:  # noqa: ANN401
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(form, ctypes.byref(matrix))
    inner = (matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)
    if place is None:
        return inner
    a, b, c, d, e, f = inner
    pa, pb, pc, pd, pe, pf = place
    return (
        a * pa + b * pc,
        a * pb + b * pd,
        c * pa + d * pc,
        c * pb + d * pd,
        e * pa + f * pc + pe,
        e * pb + f * pd + pf,
    )


def _shape(pdfium: Any, each: Any, kind: int, place: Any) -> Shape | None:  # noqa: ANN401
    edges = [ctypes.c_float() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetBounds(each, *(ctypes.byref(edge) for edge in edges)):
        return None
    x0, y0, x1, y1 = (edge.value for edge in edges)
    if place is not None:
        x0, y0, x1, y1 = _placed(place, x0, y0, x1, y1)
    if not all(map(math.isfinite, (x0, y0, x1, y1))):
        return None
    if kind != _PATH:
        return Shape("image" if kind == _IMAGE else "shade", x0, y0, x1, y1)
    tiny = x1 - x0 < DOT and y1 - y0 < DOT
    return Shape("path", x0, y0, x1, y1, not tiny and _bent(pdfium, each))


def _placed(
    place: tuple[float, ...], x0: float, y0: float, x1: float, y1: float
) -> tuple[float, float, float, float]:
    a, b, c, d, e, f = place
    xs = [a * x + c * y + e for x in (x0, x1) for y in (y0, y1)]
    ys = [b * x + d * y + f for x in (x0, x1) for y in (y0, y1)]
    return min(xs), min(ys), max(xs), max(ys)


def _bent(pdfium: Any, path: Any) -> bool:  # noqa: ANN401 - the library ships no types
    """Tell whether a path has a curve or a slanted line."""
    count = pdfium.FPDFPath_CountSegments(path)
    x, y = ctypes.c_float(), ctypes.c_float()
    last: tuple[float, float] | None = None
    for index in range(min(count, MOST_SEGMENTS)):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == _BEZIER:
            return True
        pdfium.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        here = (x.value, y.value)
        if kind == 0 and last is not None:
            across, up = abs(here[0] - last[0]), abs(here[1] - last[1])
            if min(across, up) > 0.8:  # noqa: PLR2004 - points; less is a crooked ruler
                return True
        last = here
    return False
