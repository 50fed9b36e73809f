"""Tables of scores as rows that a test can show."""

from math import isnan

from afere.domain import ScoreTable

Cell = tuple[str, int, float | None]


def rows_of(table: ScoreTable) -> list[Cell]:
    """Give (item, round, score) in order, None where a row is lost."""
    return sorted(
        (table.items[item], number, None if isnan(score) else score)
        for item, number, score in zip(table.item, table.round, table.score, strict=True)
    )
