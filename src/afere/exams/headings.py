"""Recognises the heading of a question, also where other signs stand on its line."""

from collections.abc import Sequence
from itertools import takewhile

from afere.exams.lines import line_text, squeezed
from afere.exams.page import Glyph
from afere.exams.profile import Rules

__all__ = ["heading"]

SAME_SIZE = 0.05


def heading(glyphs: Sequence[Glyph], text: str, rules: Rules) -> tuple[bool, int | None]:
    """Tell whether a line is a question's heading, and its number where one is printed.

    The whole line must read so without its spaces, or the run of its first font: some headings
    are followed by an ornament made of letters.
    """
    found = rules.marker.match(squeezed(text))
    if not found and glyphs and rules.begins.match(squeezed(text)):
        first = next((each for each in glyphs if each.text != " "), glyphs[0])
        run = takewhile(
            lambda each: (
                each.text == " "
                or (
                    each.font == first.font and abs(each.size - first.size) < SAME_SIZE * first.size
                )
            ),
            glyphs,
        )
        found = rules.marker.match(squeezed(line_text(run)))
    if not found:
        return False, None
    number = found.group(1) if found.re.groups else None
    return True, int(number) if number else None
