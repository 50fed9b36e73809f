"""Writes stacked fractions in one line: a short rule with text above and below it.

A rule in a table looks the same; a fraction has something beside it at its own height (a letter,
an equals sign, a number), its rule is hardly longer than its text, and no other line touches it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from afere.exams.lines import line_text, lines_of
from afere.exams.page import Glyph, Shape

__all__ = ["Fractions", "with_fractions"]

THICK = 2.3  # points at most
LENGTH = (3.0, 110.0)  # points
ABOVE = (0.4, 9.0)  # points from the rule up to the numerator's baseline
BELOW = (4.0, 13.0)  # points from the rule down to the denominator's baseline
SLACK = 14.0  # points by which the rule may be longer than its text
SHORT = 24.0  # points; such a rule may be much longer than its text
BESIDE = 60.0  # points to the neighbour at the rule's height
LEVEL = (-0.75, 0.12)  # of the size: the baseline of the line that the rule stands in
LETTER_LEVEL = 0.45  # the letter of an alternative may stand higher
SAME_LINE = 2.0  # points above a rule: text of the line that it underlines
TOUCH = 1.5  # points
WORD_GAP = 1.6  # of the size: a wider gap above a rule is between columns of a table


@dataclass(slots=True)
class Fractions:
    """The characters with fractions written out, and the rules that were theirs.

    doubtful: the middles of rules that may be a fraction's, but stand alone.
    """

    glyphs: list[Glyph]
    used: set[int]
    doubtful: list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class _Stack:
    """What stands above and below a rule."""

    over: list[Glyph]
    under: list[Glyph]
    beside: list[Glyph]


def with_fractions(
    glyphs: Sequence[Glyph], shapes: Sequence[Shape], letters: frozenset[str]
) -> Fractions:
    """Replace each stacked fraction by one character group `a/b` on the baseline beside it.

    letters: the fonts of the alternatives' letters, which are never part of a fraction.
    """
    rest = list(glyphs)
    used: set[int] = set()
    doubtful: list[tuple[float, float]] = []
    bars = [each for each in shapes if _may_be_bar(each)]
    for rule in sorted(bars, key=lambda each: each.x1 - each.x0):
        stack = _stack(rule, rest, letters)
        if stack is None or _touched(rule, shapes):
            continue
        if not stack.beside:
            doubtful.append(((rule.x0 + rule.x1) / 2, (rule.y0 + rule.y1) / 2))
            continue
        gone = {id(each) for each in (*stack.over, *stack.under)}
        rest = [each for each in rest if id(each) not in gone]
        rest.append(_written_out(rule, stack))
        used.add(id(rule))
    return Fractions(rest, used, doubtful)


def _may_be_bar(shape: Shape) -> bool:
    width, height = shape.x1 - shape.x0, shape.y1 - shape.y0
    return shape.kind == "path" and height < THICK and LENGTH[0] < width < LENGTH[1]


def _stack(rule: Shape, glyphs: Sequence[Glyph], letters: frozenset[str]) -> _Stack | None:
    y = (rule.y0 + rule.y1) / 2
    near = [
        each
        for each in glyphs
        if -BELOW[1] <= each.y - y <= ABOVE[1]
        and rule.x0 - BESIDE < each.x1
        and each.x0 < rule.x1 + BESIDE
        and each.text.strip()
    ]
    inside = [each for each in near if _within(each, rule) and each.font not in letters]
    over = [each for each in inside if ABOVE[0] <= each.y - y <= ABOVE[1]]
    under = [each for each in inside if BELOW[0] <= y - each.y <= BELOW[1]]
    if not over or not under or not (_close(over) and _close(under)):
        return None
    length = rule.x1 - rule.x0
    if (length > SHORT and _width(over + under) < length - SLACK) or _sticks_out(rule, near, y):
        return None
    own = {id(each) for each in over + under}
    size = max(each.size for each in over + under)
    beside = [
        each
        for each in near
        if id(each) not in own
        and LEVEL[0] * max(each.size, size) <= each.y - y
        and each.y - y <= (LETTER_LEVEL if each.font in letters else LEVEL[1]) * size
        and not _within(each, rule)
    ]
    return _Stack(over, under, beside)


def _written_out(rule: Shape, stack: _Stack) -> Glyph:
    nearest = min(stack.beside, key=lambda each: max(rule.x0 - each.x1, each.x0 - rule.x1, 0.0))
    text = f"{_bracketed(stack.over)}/{_bracketed(stack.under)}"
    both = stack.over + stack.under
    return Glyph(
        text,
        rule.x0,
        rule.x1,
        nearest.y,
        max(nearest.size, *(each.size for each in both)),
        stack.over[0].font,
        min(each.order for each in both),
    )


def _within(glyph: Glyph, rule: Shape) -> bool:
    return rule.x0 - 0.5 <= (glyph.x0 + glyph.x1) / 2 <= rule.x1 + 0.5


def _close(glyphs: Sequence[Glyph]) -> bool:
    """Tell whether characters stand in one run, without a gap as between columns."""
    ordered = sorted(glyphs, key=lambda each: each.x0)
    return all(
        two.x0 - one.x1 < WORD_GAP * max(one.size, two.size) for one, two in pairwise(ordered)
    )


def _touched(rule: Shape, shapes: Sequence[Shape]) -> bool:
    """Tell whether an upright line meets the rule: then both are part of a frame or table."""
    return any(
        each is not rule
        and each.kind == "path"
        and each.x1 - each.x0 < THICK
        and each.y1 - each.y0 > THICK
        and each.y0 - TOUCH <= rule.y1
        and rule.y0 <= each.y1 + TOUCH
        and rule.x0 - TOUCH <= each.x1
        and each.x0 <= rule.x1 + TOUCH
        for each in shapes
    )


def _sticks_out(rule: Shape, near: Sequence[Glyph], y: float) -> bool:
    """Tell whether text above goes on past the rule: then it is an underline or a table."""
    return any(
        SAME_LINE < each.y - y <= ABOVE[1]
        and not _within(each, rule)
        and rule.x0 - 3 < each.x1
        and each.x0 < rule.x1 + 3
        for each in near
    )


def _width(glyphs: Sequence[Glyph]) -> float:
    return max(each.x1 for each in glyphs) - min(each.x0 for each in glyphs)


def _bracketed(glyphs: Sequence[Glyph]) -> str:
    text = " ".join(line_text(line.glyphs) for line in lines_of(glyphs))
    plain = text.replace(",", "").replace(".", "")
    return text if plain.isalnum() or len(text) == 1 else f"({text})"
