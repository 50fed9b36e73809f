"""A run's rows in the order of its plan: item by item, round by round, variant by variant."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from math import nan

from afere.domain import Grade, Item, Row, Run

__all__ = ["Cells", "cells_of", "score_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The rows of a run, None where a row was never asked, and their scores, NaN where lost."""

    run: Run
    rows: list[Row | None]
    scores: "array[float]"

    @property
    def columns(self) -> int:
        """Count the rows of one item."""
        return self.run.plan.rounds * self.run.plan.variants

    def of_items(self) -> Iterator[tuple[str, list[Row | None]]]:
        """Give each item's id with its rows."""
        for place, item in enumerate(self.run.plan.items):
            yield item, self.rows[place * self.columns : (place + 1) * self.columns]

    def of_rounds(self) -> Iterator[list[Row | None]]:
        """Give the rows of each round."""
        for start in range(0, self.columns, self.run.plan.variants):
            yield [
                row
                for variant in range(self.run.plan.variants)
                for row in self.rows[start + variant :: self.columns]
            ]

    def items(self) -> list[Item | None]:
        """Give the suite's items in the plan's order, None for an id that the suite lacks."""
        known = {item.id: item for item in self.run.suite.items}
        return [known.get(item) for item in self.run.plan.items]


def cells_of(run: Run) -> Cells:
    """Order a run's rows; of several for one cell the last counts, rows off the plan do not."""
    plan = run.plan
    places = {item: place for place, item in enumerate(plan.items)}
    rows: list[Row | None] = [None] * plan.rows
    for row in run.rows:
        place = places.get(row.item)
        asked = 1 <= row.round <= plan.rounds and 0 <= row.variant < plan.variants
        if place is None or not asked:
            continue
        rows[(place * plan.rounds + row.round - 1) * plan.variants + row.variant] = row
    scores = array("d", (nan if row is None else score_of(row.grade) for row in rows))
    return Cells(run, rows, scores)


def score_of(grade: Grade) -> float:
    """Give a grade's score, NaN where it does not count; what is no fraction never counts."""
    score = grade.counted
    return nan if score is None else score
