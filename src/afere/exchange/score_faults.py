"""What is said of rows that contradict one another, in whatever file they stand."""

from collections.abc import Iterable, Sequence
from math import isnan
from pathlib import Path

from afere.domain import Sentence, SuiteError
from afere.exchange.score_cells import MOST_ROUNDS, shown

__all__ = [
    "doubled_rows",
    "no_column",
    "no_row",
    "no_such_model",
    "other_label",
    "other_score",
    "refuse_sparse",
    "several_models",
    "too_many_rounds",
    "uneven_variants",
]

_MOST_NAMED = 20
_SMALL = 20_000_000


def no_column(
    name: str,
    columns: Sequence[str],
    path: Path,
    line: int | None = None,
) -> SuiteError:
    """Make the error of a column that the file has not."""
    there = ", ".join(shown(column) for column in columns[:_MOST_NAMED])
    return SuiteError(
        f"there is no column `{name}` among {there}",
        mend="the columns are item, score, and round, category, group, model where there are any",
        file=path,
        line=line,
    )


def several_models(models: Sequence[str], path: Path) -> SuiteError:
    """Make the error of a file of which one model is meant, and which is not said."""
    names = [shown(name) if name else "(without a name)" for name in sorted(models)]
    return SuiteError(
        f"holds {len(names)} models: {', '.join(names[:_MOST_NAMED])}",
        mend=f"say which one: {path}::MODEL",
        file=path,
    )


def no_row(path: Path) -> SuiteError:
    """Make the error of a file that says nothing."""
    return SuiteError("there is no row", mend="write a row an item", file=path)


def no_such_model(wanted: str, found: Iterable[str], path: Path) -> SuiteError:
    """Make the error of a model that the file has not."""
    names = sorted({name for name in found if name})
    if not names:
        mend = "leave out the model's name, or add a column `model`"
        return SuiteError("names no model", mend=mend, file=path, field="model")
    return SuiteError(
        f"has no model {shown(wanted)}",
        mend=f"it has: {', '.join(shown(name) for name in names[:_MOST_NAMED])}",
        file=path,
        field="model",
    )


def other_score(
    item: str,
    number: int,
    scores: tuple[float, float],
    *,
    path: Path,
    line: int | None,
) -> SuiteError:
    """Make the error of two different scores of one item in one round; NaN is a lost row."""
    first, second = ("lost" if isnan(score) else f"{score:g}" for score in scores)
    return SuiteError(
        f"item {shown(item)} has a second, different score in round {number} "
        f"({first}, then {second})",
        mend="number the rounds in a column `round`, name the models in a column `model`, "
        "or keep one of the rows",
        file=path,
        line=line,
        field="score",
    )


def other_label(
    item: str,
    field: str,
    labels: tuple[str, str],
    *,
    path: Path,
    line: int | None,
) -> SuiteError:
    """Make the error of an item that has one label before and another here."""
    before, here = labels
    return SuiteError(
        f"item {shown(item)} has {shown(here)} here and {shown(before)} before",
        mend="give an item the same one in every row",
        file=path,
        line=line,
        field=field,
    )


def too_many_rounds(path: Path, line: int | None = None) -> SuiteError:
    """Make the error of more rounds than anyone asks."""
    return SuiteError(
        f"more than {MOST_ROUNDS:,} rounds",
        mend="look whether the column `round` numbers the rounds of an item",
        file=path,
        line=line,
        field="round",
    )


def uneven_variants(path: Path) -> SuiteError:
    """Make the error of a round that lacks a variant which another has."""
    return SuiteError(
        "not every round has every variant",
        mend="number the variants of each round 0, 1, 2, …, or leave the column out",
        file=path,
        field="variant",
    )


def refuse_sparse(cells: int, rows: int, path: Path) -> None:
    """Refuse a file whose items by rounds are far more than its rows: it would fill the memory."""
    if cells > _SMALL and cells > 10 * rows:
        raise SuiteError(
            "nearly all items lack nearly all rounds",
            mend="look whether the column `round` numbers the rounds of an item",
            file=path,
            field="round",
        )


def doubled_rows(rows: int, path: Path) -> tuple[str, ...]:
    """Say how many rows stand there twice."""
    if not rows:
        return ()
    return (
        Sentence("{file}: {rows} rows stand there twice and count once", file=path.name, rows=rows),
    )
