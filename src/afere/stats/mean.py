"""The mean score of one model over items and rounds, lost rows left out in sight."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from statistics import stdev

import numpy as np
from numpy.typing import NDArray

from afere.stats.estimate import (
    Values,
    all_binary,
    independent,
    shared,
    shown_interval,
    total_of,
    weights_of,
)
from afere.stats.interval import Floats
from afere.stats.noise import rerun_variance
from afere.stats.pairs import Labels

__all__ = ["Mean", "deviation", "item_means", "mean_score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A model's mean score; None where nothing counts.

    items: how many have a row that counts.
    per_round: the mean of each round's counted rows.
    bounds: the score with every lost row 0, and with every lost row 1.
    rerun_variance: of the score when the same items are asked again, None with one round.
    """

    items: int
    score: float | None
    lower: float | None
    upper: float | None
    method: str
    per_round: list[float | None]
    bounds: tuple[float, float] | None
    rerun_variance: float | None


def mean_score(  # noqa: PLR0913 - a table and what is known of its rows
    table: Floats,
    *,
    variants: int = 1,
    categories: Labels | None = None,
    groups: Labels | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Mean:
    """Give the mean over items of the means of their counted rows, NaN being lost.

    Columns are rounds, each with its variants. `categories` given: every one weighs the same.
    """
    values = _item_means(table, categories, groups)
    rounds = table.shape[1] // variants
    if values is None:
        return Mean(
            items=0,
            score=None,
            lower=None,
            upper=None,
            method="none",
            per_round=[None] * rounds,
            bounds=None,
            rerun_variance=None,
        )
    weights = weights_of(values)  # in the order of the rows, as the noise needs them
    ordered = values.ordered()
    alone = independent(ordered, level, seed, ())
    shown, _ = shown_interval(ordered, alone, level)
    there = np.isfinite(table)
    bounds = alone.estimate, alone.estimate
    if not there.all():
        bounds = _filled(table, categories, 0.0), _filled(table, categories, 1.0)
    return Mean(
        items=values.data.size,
        score=alone.estimate,
        lower=None if shown.lower is None else max(min(shown.lower, alone.estimate), 0.0),
        upper=None if shown.upper is None else min(max(shown.upper, alone.estimate), 1.0),
        method=shown.method,
        per_round=[
            _score(table[:, start : start + variants], categories)
            for start in range(0, table.shape[1], variants)
        ],
        bounds=bounds,
        rerun_variance=rerun_variance(_with_a_row(table, there), weights, variants),
    )


def deviation(values: Sequence[float]) -> float | None:
    """Give the standard deviation (n-1) of a few values, None of fewer than two."""
    if len(values) < 2:  # noqa: PLR2004 - one value has no spread
        return None
    return stdev(values)


def item_means(table: Floats) -> list[float]:
    """Give the mean of each item's counted rows, without the items that have none."""
    values = _item_means(table, None, None)
    return [] if values is None else [float(mean) for mean in values.data]


def _item_means(table: Floats, categories: Labels | None, groups: Labels | None) -> Values | None:
    there = np.isfinite(table)
    if table.size and there.all():  # nothing is lost: no copy of a million rows
        kept, known = np.arange(table.shape[0]), table
        means = np.einsum("ij->i", table) / table.shape[1]
    else:
        kept = np.flatnonzero(there.any(axis=1))
        if not kept.size:
            return None
        counts, known = there[kept].sum(axis=1), table[there]
        means = np.where(there[kept], table[kept], 0.0).sum(axis=1) / counts
    strata = None if categories is None else categories.at(kept)
    return Values(
        means,
        table.shape[1],
        all_binary(known),
        strata if strata is not None and len(strata.names) > 1 else None,
        None if groups is None else shared(groups.at(kept)),
    )


def _with_a_row(table: Floats, there: NDArray[np.bool_]) -> Floats:
    """Give the items that have a row that counts."""
    kept = there.any(axis=1)
    return table if kept.all() else table[kept]


def _score(table: Floats, categories: Labels | None) -> float | None:
    values = _item_means(table, categories, None)
    if values is None:
        return None
    values = values.ordered()
    if values.strata is None:
        return total_of(values) / values.data.size
    return fsum(values.data * weights_of(values))


def _filled(table: Floats, categories: Labels | None, fill: float) -> float:
    return _score(np.where(np.isfinite(table), table, fill), categories) or 0.0
