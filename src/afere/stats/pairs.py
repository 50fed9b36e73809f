"""Tables of scores: two models on the same items, rounds in columns, NaN where a row is lost."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from afere.stats.interval import Floats, Integers

__all__ = [
    "Buffer",
    "Labels",
    "Pairs",
    "Table",
    "labels",
    "lost_rows",
    "pairs",
    "rounds_with_losses",
    "rows_at",
    "score_table",
    "spread_rows",
]


Table: TypeAlias = (
    "Sequence[Sequence[float | None]] | Sequence[float | None] | Floats | memoryview | array[float]"
)


Buffer: TypeAlias = "memoryview | array[int] | array[float] | Integers | Floats"


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """A name for each item: codes into names that are sorted, so that order means nothing."""

    codes: Integers
    names: tuple[str, ...]

    def at(self, kept: Integers) -> "Labels":
        """Give the labels of some items alone; names without items go."""
        used, codes = np.unique(self.codes[kept], return_inverse=True)
        return Labels(codes.astype(np.int64).ravel(), tuple(self.names[code] for code in used))

    def places(self) -> list[Integers]:
        """Give the places of the items of each name; one sort, however many names there are."""
        ends = np.cumsum(np.bincount(self.codes, minlength=len(self.names)))
        return np.split(np.argsort(self.codes, kind="stable"), ends[:-1])


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Scores in [0, 1] of a baseline and a candidate, items in rows, rounds in columns.

    variants: how many columns beside one another are one round (options shown in turn).
    categories, groups: labels of the items, or None.
    """

    baseline: Floats
    candidate: Floats
    variants: tuple[int, int] = (1, 1)
    categories: Labels | None = None
    groups: Labels | None = None

    @property
    def items(self) -> int:
        """Count the items."""
        return int(self.baseline.shape[0])

    @property
    def complete(self) -> Integers:
        """Give the places of the items that have every row on both sides."""
        there = np.isfinite(self.baseline).all(axis=1) & np.isfinite(self.candidate).all(axis=1)
        return np.flatnonzero(there)

    def at(self, kept: Integers) -> "Pairs":
        """Give some items alone."""
        if kept.size == self.items:
            return self
        return replace(
            self,
            baseline=self.baseline[kept],
            candidate=self.candidate[kept],
            categories=self.categories and self.categories.at(kept),
            groups=self.groups and self.groups.at(kept),
        )

    def by_category(self) -> Iterator[tuple[str, "Pairs"]]:
        """Give the items of each category, in the order of their names."""
        if self.categories is not None:
            places = self.categories.places()
            for name, kept in zip(self.categories.names, places, strict=True):
                yield name, self.at(kept)

    def filled(self, *, baseline: float, candidate: float) -> "Pairs":
        """Give all items, lost rows filled with a score for each side."""
        return replace(
            self,
            baseline=np.where(np.isfinite(self.baseline), self.baseline, baseline),
            candidate=np.where(np.isfinite(self.candidate), self.candidate, candidate),
        )


def pairs(  # noqa: PLR0913 - a table and what is known of its rows
    baseline: Table,
    candidate: Table,
    *,
    columns: tuple[int, int] | None = None,
    variants: tuple[int, int] = (1, 1),
    categories: Sequence[str | None] | None = None,
    groups: Sequence[str | None] | None = None,
) -> Pairs:
    """Make checked pairs out of two tables of scores.

    A table is items by rounds; a flat sequence is one round, or with `columns` (baseline,
    candidate) holds that many rounds item by item. None and NaN are lost rows.

    Raises ValueError for a score outside [0, 1], a table of another shape, and where the two
    tables or the labels are not of the same items in number.
    """
    first = score_table("baseline", baseline, columns and columns[0])
    second = score_table("candidate", candidate, columns and columns[1])
    if first.shape[0] != second.shape[0]:
        raise ValueError(
            f"baseline has {first.shape[0]} items and candidate {second.shape[0]}; "
            "give both in the same order, a row an item",
        )
    return Pairs(
        first,
        second,
        variants,
        None if categories is None else labels("categories", categories, first.shape[0]),
        None if groups is None else labels("groups", groups, first.shape[0], alone=True),
    )


def score_table(name: str, scores: Table, columns: int | None = None) -> Floats:
    """Give scores as a checked array of items by rounds, NaN where a row is lost."""
    try:
        table = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is no table of numbers with as many rounds an item") from error
    if columns is not None:
        table = table.reshape(-1, columns)
    elif table.ndim == 1:
        table = table.reshape(-1, 1)
    if table.ndim != 2 or not table.shape[1]:  # noqa: PLR2004 - items and rounds
        raise ValueError(f"{name} is a table of items by rounds, not of {table.ndim} dimensions")
    wrong = np.argwhere((table < 0) | (table > 1))
    if wrong.size:
        row, column = (int(place) for place in wrong[0])
        raise ValueError(
            f"{name}: item {row + 1}, round {column + 1} has the score {table[row, column]:g}; "
            "scores are fractions between 0 and 1",
        )
    return table


def spread_rows(
    items: int,
    item: Buffer,
    rounds: Buffer,
    scores: Buffer,
) -> Floats:
    """Turn rows of (place of the item, round, score) into a table, NaN where a row is not there.

    Raises ValueError for a score outside [0, 1], an item that does not exist, and two rows of one
    item and round, naming the row from 1.
    """
    places = np.asarray(item, dtype=np.int64)
    numbers, columns = np.unique(np.asarray(rounds, dtype=np.int64), return_inverse=True)
    values = np.asarray(scores, dtype=np.float64)
    if not places.size == columns.size == values.size:
        raise ValueError("the columns of items, rounds and scores differ in length")
    wrong = np.flatnonzero((values < 0) | (values > 1) | (places < 0) | (places >= items))
    if wrong.size:
        row = int(wrong[0])
        raise ValueError(
            f"row {row + 1} has the score {values[row]:g}; scores are fractions between 0 and 1",
        )
    cells = places * max(1, numbers.size) + columns
    table = np.full(items * max(1, numbers.size), np.nan)
    there = np.zeros(table.size, dtype=bool)
    there[cells] = True
    if np.count_nonzero(there) != cells.size:
        order = np.argsort(cells, kind="stable")
        row = int(order[1:][np.diff(cells[order]) == 0].min())
        raise ValueError(
            f"row {row + 1} is a second row of its item in round {int(np.asarray(rounds)[row])}",
        )
    table[cells] = values
    return table.reshape(items, max(1, numbers.size))


def rows_at(table: Floats, places: Buffer) -> Floats:
    """Give the rows of a table at some places, in their order."""
    return table[np.asarray(places, dtype=np.int64)]


def rounds_with_losses(table: Floats, variants: int = 1) -> tuple[int, ...]:
    """Give the numbers, from 1, of the rounds in which a row is lost."""
    columns = np.flatnonzero(~np.isfinite(table).all(axis=0))
    return tuple(sorted({1 + int(column) // variants for column in columns}))


def lost_rows(table: Floats) -> int:
    """Count the rows of a table that are lost."""
    return int(np.count_nonzero(~np.isfinite(table)))


def labels(
    name: str,
    given: Sequence[str | None],
    items: int,
    *,
    alone: bool = False,
) -> Labels:
    """Code labels; an item without one joins the others without, or stands `alone`."""
    if len(given) != items:
        raise ValueError(f"{name} has {len(given)} labels for {items} items")
    different = set(given)
    known = sorted({str(each) for each in different if each is not None})
    places = {each: place for place, each in enumerate(known)}
    codes = {each: len(known) if each is None else places[str(each)] for each in different}
    coded = np.fromiter(map(codes.__getitem__, given), dtype=np.int64, count=items)
    nameless = np.flatnonzero(coded == len(known))
    if alone:
        coded[nameless] += np.arange(nameless.size)
        return Labels(coded, (*known, *("" for _ in range(nameless.size))))
    return Labels(coded, (*known, "") if nameless.size else tuple(known))
