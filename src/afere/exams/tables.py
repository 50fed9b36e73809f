"""Tells tables that a text carries from those that need to be seen."""

from collections import Counter
from collections.abc import Sequence

from afere.exams.lines import CELL

__all__ = ["is_regular"]

LEAST_ROWS = 3
SHARE_ALIKE = 0.8  # of the rows have the same number of cells
LONGEST_CELL = 60  # characters; longer ones mostly run over several lines


def is_regular(rows: Sequence[str]) -> bool:
    """Tell whether rows of cells can be read one by one: as many cells each, none of them long.

    Merged cells and cells of several lines give rows of other lengths, or rows of one cell
    between them.
    """
    places = [place for place, row in enumerate(rows) if CELL in row]
    if len(places) < LEAST_ROWS:
        return False
    counts = Counter(rows[place].count(CELL) for place in places)
    alike = max(counts.values())
    if alike < SHARE_ALIKE * len(places):
        return False
    between = [place for place in range(places[0], places[-1]) if CELL not in rows[place]]
    if len(between) > 1:
        return False
    return all(len(cell) <= LONGEST_CELL for place in places for cell in rows[place].split(CELL))
