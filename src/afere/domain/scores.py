"""Scores made elsewhere, as columns: what a result file holds."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

__all__ = ["ScoreTable"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreTable:
    """Rows of (item, round, score) as buffers of equal length, in any order.

    items: the ids, each once; `item` holds places in it, as whole numbers of 64 bits.
    round: whole numbers of 64 bits; score: doubles from 0 to 1, NaN where a row is lost.
    categories, groups: one entry an item of `items`, or empty.
    keys, inputs: what the right answer and the text of each item are known by, or empty; items
    with different ones are not the same.
    variants: how many neighbouring numbers of `round` are one round (options shown in turn).
    average: `micro` or `macro` where the suite says so, else None.
    warnings: what makes the scores less than they seem; notes: how the file was read.
    """

    items: Sequence[str]
    item: "memoryview | array[int]"
    round: "memoryview | array[int]"
    score: "memoryview | array[float]"
    categories: Sequence[str | None] = ()
    groups: Sequence[str | None] = ()
    model: str = ""
    suite: str = ""
    keys: Sequence[str | None] = ()
    inputs: Sequence[str | None] = ()
    variants: int = 1
    average: str | None = None
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        rows: Iterable[tuple[str | int, int, float | None]],
        *,
        model: str = "",
    ) -> Self:
        """Make a table of rows; an id that is a number becomes its text."""
        places: dict[str, int] = {}
        item, rounds, score = array("q"), array("q"), array("d")
        for name, number, value in rows:
            item.append(places.setdefault(str(name), len(places)))
            rounds.append(number)
            score.append(float("nan") if value is None else float(value))
        return cls(items=tuple(places), item=item, round=rounds, score=score, model=model)
