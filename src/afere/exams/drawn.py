"""Finds letters of alternatives that are drawn as shapes, not written in a font.

A letter is a disc with a smaller shape inside. A wider ring round a disc marks the right answer:
such a booklet was published with its key, and its pictures would give the answer away.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from afere.exams.page import Glyph, Shape
from afere.exams.questions import DRAWN, UNREAD

__all__ = ["LEAST_LETTERS", "DrawnLetters", "drawn_letters"]

LEAST_LETTERS = 50  # of a letter font in a document; fewer means that letters are drawn
SIDE = (4.5, 11.0)  # points
RATIO = (0.7, 1.4)  # width to height
INNER = (0.25, 0.9)  # of the disc's side
RING = (1.3, 4.0)  # of the disc's side
BESIDE = 25.0  # points to the text
OFF = 4.5  # points between the disc's own baseline and the text's
ALIGNED = 2.5  # points
LEAST_ALIGNED = 2
ABOVE_BASELINE = 1.5  # points from a disc's lower edge to its text's baseline


@dataclass(frozen=True, slots=True)
class DrawnLetters:
    """The letters as characters of the font `DRAWN`, the shapes that drew them, the rings."""

    glyphs: list[Glyph]
    used: set[int]
    rings: int


def drawn_letters(shapes: Sequence[Shape], text: Sequence[Glyph]) -> DrawnLetters:
    """Give a character for each disc with a shape inside, on the baseline of the text beside it."""
    paths = sorted((each for each in shapes if each.kind == "path"), key=lambda each: each.y0)
    glyphs, used, rings = [], set(), 0
    for disc in paths:
        if not _like_a_disc(disc) or id(disc) in used:
            continue
        near = [each for each in paths if each is not disc and _overlap(each, disc)]
        inner = [each for each in near if _inside(each, disc) and _scaled(each, disc, INNER)]
        if not inner:
            continue
        ring = [each for each in near if _inside(disc, each) and _scaled(each, disc, RING)]
        rings += bool(ring)
        used |= {id(each) for each in (disc, *inner, *ring)}
        glyphs.append(Glyph(UNREAD, disc.x0, disc.x1, _baseline(disc, text), 8.0, DRAWN, -1))
    aligned = [glyph for glyph in glyphs if _in_row(glyph, glyphs)]
    return DrawnLetters(aligned, used, rings)


def _baseline(disc: Shape, text: Sequence[Glyph]) -> float:
    own = disc.y0 + ABOVE_BASELINE
    beside = [
        abs(each.y - own)
        for each in text
        if 0 < each.x0 - disc.x1 < BESIDE and abs(each.y - own) < OFF and each.text.strip()
    ]
    if not beside:
        return own
    least = min(beside)
    return next(
        each.y
        for each in text
        if 0 < each.x0 - disc.x1 < BESIDE and abs(each.y - own) == least and each.text.strip()
    )


def _in_row(glyph: Glyph, others: Sequence[Glyph]) -> bool:
    """Tell whether letters stand under one another: a button in a picture stands alone."""
    return sum(abs(glyph.x0 - other.x0) < ALIGNED for other in others) >= LEAST_ALIGNED


def _like_a_disc(shape: Shape) -> bool:
    width, height = shape.x1 - shape.x0, shape.y1 - shape.y0
    return (
        SIDE[0] < width < SIDE[1]
        and SIDE[0] < height < SIDE[1]
        and RATIO[0] < width / height < RATIO[1]
    )


def _overlap(one: Shape, other: Shape) -> bool:
    return one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1


def _inside(inner: Shape, outer: Shape) -> bool:
    return (
        outer.x0 - 0.3 <= inner.x0
        and inner.x1 <= outer.x1 + 0.3
        and outer.y0 - 0.3 <= inner.y0
        and inner.y1 <= outer.y1 + 0.3
    )


def _scaled(shape: Shape, disc: Shape, bounds: tuple[float, float]) -> bool:
    share = (shape.y1 - shape.y0) / (disc.y1 - disc.y0)
    return bounds[0] <= share <= bounds[1]
