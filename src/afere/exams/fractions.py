"""Writes stacked fractions in one line: a short rule with text above and below it.

A rule in a table looks the same; a fraction has something beside it at its own height (a letter,
an equals sign, a number), and a rule hardly longer than its text.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from afere.exams.lines import line_text, lines_of
from afere.exams.page import Glyph, Shape

__all__ = ["Fractions", "with_fractions"]

THICK = 1.6  # points at most
LENGTH = (3.0, 110.0)  # points
ABOVE = (0.4, 9.0)  # points from the rule up to the numerator's baseline
BELOW = (4.0, 13.0)  # points from the rule down to the denominator's baseline
OVERHANG = 2.0  # points by which text may stick out over the rule
SLACK = 9.0  # points by which the rule may be longer than its text
BESIDE = 60.0  # points to the neighbour at the rule's height
DROP = 0.28  # of the size: from the rule down to the baseline of the line it stands in


@dataclass(slots=True)
class Fractions:
    """The characters with fractions written out, and the rules that were theirs."""

    glyphs: list[Glyph]
    used: set[int]


def with_fractions(glyphs: Sequence[Glyph], shapes: Sequence[Shape]) -> Fractions:
    """Replace each stacked fraction by one character group `a/b` on the baseline beside it."""
    rest = list(glyphs)
    used: set[int] = set()
    for rule in sorted(filter(_may_be_bar, shapes), key=lambda each: each.x1 - each.x0):
        found = _fraction(rule, rest)
        if found is not None:
            taken, written = found
            gone = {id(each) for each in taken}
            rest = [each for each in rest if id(each) not in gone]
            rest.append(written)
            used.add(id(rule))
    return Fractions(rest, used)


def _may_be_bar(shape: Shape) -> bool:
    width, height = shape.x1 - shape.x0, shape.y1 - shape.y0
    return shape.kind == "path" and height < THICK and LENGTH[0] < width < LENGTH[1]


def _fraction(rule: Shape, glyphs: Sequence[Glyph]) -> tuple[list[Glyph], Glyph] | None:
    y = (rule.y0 + rule.y1) / 2
    near = [
        each
        for each in glyphs
        if each.text.strip()
        and -BELOW[1] <= each.y - y <= ABOVE[1]
        and each.x1 > rule.x0 - BESIDE
        and each.x0 < rule.x1 + BESIDE
    ]
    over = [each for each in near if _within(each, rule) and ABOVE[0] <= each.y - y <= ABOVE[1]]
    under = [each for each in near if _within(each, rule) and BELOW[0] <= y - each.y <= BELOW[1]]
    if not over or not under:
        return None
    if _width(over + under) < rule.x1 - rule.x0 - SLACK:
        return None
    if _sticks_out(rule, near, y):
        return None
    size = max(each.size for each in over + under)
    own = {id(each) for each in over + under}
    beside = [
        each
        for each in near
        if id(each) not in own
        and abs(each.y - (y - DROP * max(each.size, size))) < 0.24 * max(each.size, size)
    ]
    if not beside:
        return None
    baseline = min(beside, key=lambda each: _away(each, rule)).y
    text = f"{_bracketed(over)}/{_bracketed(under)}"
    order = min(each.order for each in over + under)
    font = over[0].font
    return over + under, Glyph(text, rule.x0, rule.x1, baseline, size, font, order)


def _within(glyph: Glyph, rule: Shape) -> bool:
    middle = (glyph.x0 + glyph.x1) / 2
    return rule.x0 - 0.5 <= middle <= rule.x1 + 0.5


def _sticks_out(rule: Shape, near: Sequence[Glyph], y: float) -> bool:
    """Tell whether text above goes on past the rule: then it is an underline or a table."""
    for each in near:
        if _within(each, rule):
            continue
        level = ABOVE[0] <= each.y - y <= ABOVE[1] and each.y - y > 2  # noqa: PLR2004 - points
        touching = rule.x0 - 3 < each.x1 and each.x0 < rule.x1 + 3
        if level and touching:
            return True
    return False


def _width(glyphs: Sequence[Glyph]) -> float:
    return max(each.x1 for each in glyphs) - min(each.x0 for each in glyphs)


def _away(glyph: Glyph, rule: Shape) -> float:
    return max(rule.x0 - glyph.x1, glyph.x0 - rule.x1, 0.0)


def _bracketed(glyphs: Sequence[Glyph]) -> str:
    lines = lines_of(glyphs)
    text = " ".join(line_text(line.glyphs) for line in lines)
    plain = text.replace(",", "").replace(".", "")
    return text if plain.isalnum() or len(text) == 1 else f"({text})"
