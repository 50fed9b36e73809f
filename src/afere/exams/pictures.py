"""Counts what is drawn inside a question's boxes: whether it needs the picture.

An image, a drawing and a table are told apart by what the page holds, not by words: a picture is
an image object; a drawing has curves, slanted lines or many shapes; a table has upright lines and
rectangles alone.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from afere.exams.columns import ReadPage
from afere.exams.page import DOT, Box, Glyph, Page, Shape

__all__ = ["Pictures", "look"]

DECORATION = 5  # pages that show the same thing at the same place
HEADING = 13.0  # points at a box's top: the frame and signs of the heading
ORNAMENT = 8  # pages that show the same thing at the same place across
LEAST_IMAGE = 250.0  # square points
RULE = 2.5  # points thick at most
LONG_RULE, TALL_RULE = 100.0, 150.0
BAR = 4.0  # points: a rectangle, not a line
LEAST_LARGE = 2  # one may be an ornament of a heading
LEAST_BARS, MOST_BARS = 3, 40
SHARE_BARE = 0.5
LARGE = (25.0, 16.0)  # points wide and high
LEAST_PATHS = 8
LEAST_BENT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictures:
    """What is drawn in a question: counts, and the kind that they make."""

    images: int = 0
    image_area: float = 0.0
    paths: int = 0
    bent: int = 0
    large: int = 0
    kind: str = ""


def look(
    places: Sequence[tuple[tuple[int, Box], ...]],
    pages: Sequence[Page],
    read: Sequence[ReadPage],
) -> list[Pictures]:
    """Give for each question's boxes what is drawn inside them."""
    seen: Counter[tuple[str, int, int, int, int]] = Counter()
    kinds: Counter[tuple[str, int, int, int]] = Counter()
    for page in pages:
        seen.update({_key(shape) for shape in page.shapes})
        kinds.update({_form(shape) for shape in page.shapes})
    by_number = {
        page.number: [
            shape
            for shape in page.shapes
            if seen[_key(shape)] < DECORATION
            and kinds[_form(shape)] < ORNAMENT
            and id(shape) not in each.used
        ]
        for page, each in zip(pages, read, strict=True)
    }
    texts = {page.number: page.glyphs for page in pages}
    return [_pictures(boxes, by_number, texts) for boxes in places]


def _key(shape: Shape) -> tuple[str, int, int, int, int]:
    return shape.kind, round(shape.x0), round(shape.y0), round(shape.x1), round(shape.y1)


def _form(shape: Shape) -> tuple[str, int, int, int]:
    """Give what an ornament keeps from page to page: its place across and its height."""
    return shape.kind, round(shape.x0), round(shape.x1), round(shape.y1 - shape.y0)


def _pictures(
    boxes: tuple[tuple[int, Box], ...],
    shapes: dict[int, list[Shape]],
    texts: dict[int, list[Glyph]],
) -> Pictures:
    inside = [shape for number, box in boxes for shape in shapes[number] if _inside(shape, box)]
    images = [_area(shape) for shape in inside if shape.kind != "path"]
    images = [area for area in images if area > LEAST_IMAGE]
    paths = [shape for shape in inside if shape.kind == "path" and _counts(shape)]
    bent = sum(shape.bent for shape in paths)
    large = sum(shape.bent and _is_large(shape) for shape in paths)
    kind = _kind(len(images), len(paths), bent, large)
    if kind == "table" and _has_bars(boxes, shapes, texts):
        kind = "drawing"
    return Pictures(
        images=len(images),
        image_area=round(sum(images)),
        paths=len(paths),
        bent=bent,
        large=large,
        kind=kind,
    )


def _has_bars(
    boxes: tuple[tuple[int, Box], ...],
    shapes: dict[int, list[Shape]],
    texts: dict[int, list[Glyph]],
) -> bool:
    """Tell whether most rectangles have no text inside: bars of a chart, not cells of a table."""
    solid = [
        (number, shape)
        for number, box in boxes
        for shape in shapes[number]
        if shape.kind == "path" and _inside(shape, box) and _is_solid(shape)
    ]
    if len(solid) < LEAST_BARS:
        return False
    bare = sum(
        not any(
            shape.x0 <= glyph.x0 and glyph.x1 <= shape.x1 and shape.y0 - 1 <= glyph.y <= shape.y1
            for glyph in texts[number]
            if glyph.text != " "
        )
        for number, shape in solid[:MOST_BARS]
    )
    return bare >= max(LEAST_BARS, SHARE_BARE * min(len(solid), MOST_BARS))


def _is_solid(shape: Shape) -> bool:
    return shape.x1 - shape.x0 > BAR and shape.y1 - shape.y0 > BAR


def _kind(images: int, paths: int, bent: int, large: int) -> str:
    if images:
        return "image"
    if large >= LEAST_LARGE:
        return "drawing"
    if paths >= LEAST_PATHS:
        return "drawing" if bent >= LEAST_BENT else "table"
    return ""


def _inside(shape: Shape, box: Box) -> bool:
    x, y = (shape.x0 + shape.x1) / 2, (shape.y0 + shape.y1) / 2
    return box.holds(x, y) and y < box.y1 - HEADING


def _area(shape: Shape) -> float:
    return (shape.x1 - shape.x0) * (shape.y1 - shape.y0)


def _is_large(shape: Shape) -> bool:
    """Tell whether a curve is a drawing by itself: no root sign or bracket is so large."""
    return shape.x1 - shape.x0 > LARGE[0] and shape.y1 - shape.y0 > LARGE[1]


def _counts(shape: Shape) -> bool:
    width, height = shape.x1 - shape.x0, shape.y1 - shape.y0
    if width < DOT and height < DOT:
        return False
    long = (height < RULE and width > LONG_RULE) or (width < RULE and height > TALL_RULE)
    return not long
