"""Whether a model is better on items that it may have been trained on."""

from collections.abc import Sequence

from afere import stats
from afere.analysis.cells import Cells, cells_of
from afere.analysis.pairing import same_question
from afere.domain import CategoryScore, Exposure, Item, Run, Sentence, UsageError

__all__ = ["around_cutoff", "public_against_private"]

FEW_ITEMS = 20


def around_cutoff(
    run: Run,
    *,
    cutoff: str | None = None,
    reference: Run | None = None,
    level: float = 0.95,
) -> Exposure:
    """Compare accuracy on items dated before a model's cut-off with that on later ones.

    cutoff: a date (`2025-03-01`, or shorter), by default the plan's; an item of the same day is
    taken as seen, one whose shorter date does not tell is left out and counted. With a reference
    model the difference in differences says by how much more the model drops than it does.

    Raises UsageError where no cut-off is known, and where a side of it has no graded item.
    """
    cutoff = cutoff or run.plan.cutoff
    if not cutoff:
        raise UsageError(
            f"no cut-off date is known for {run.plan.name}\n"
            "write `cutoff: 2025-03-01` for the model in models.yaml",
        )
    cells = cells_of(run)
    sides = [None if item is None else _before(item, cutoff) for item in cells.items()]
    return _exposure("cutoff", cells, sides, cutoff=cutoff, reference=reference, level=level)


def public_against_private(run: Run, *, level: float = 0.95) -> Exposure:
    """Compare accuracy on items marked public with that on the others.

    Raises UsageError where one of the two has no graded item.
    """
    cells = cells_of(run)
    public = run.suite.public
    sides = [None if item is None else item.public or public for item in cells.items()]
    return _exposure("public", cells, sides, cutoff=None, reference=None, level=level)


def _before(item: Item, cutoff: str) -> bool | None:
    """Tell whether an item is dated up to a cut-off, None where its date does not tell."""
    if not item.date:
        return None
    shorter = min(len(item.date), len(cutoff))
    first, second = item.date[:shorter], cutoff[:shorter]
    if first != second:
        return first < second
    return True if len(item.date) == len(cutoff) else None


def _exposure(  # noqa: PLR0913 - the two questions share it
    by: str,
    cells: Cells,
    sides: Sequence[bool | None],
    *,
    cutoff: str | None,
    reference: Run | None,
    level: float,
) -> Exposure:
    table = stats.score_table("scores", cells.scores, cells.columns)
    seen = [place for place, side in enumerate(sides) if side is True]
    unseen = [place for place, side in enumerate(sides) if side is False]
    first, second = _score(table, seen, level), _score(table, unseen, level)
    if first.score is None or second.score is None:
        raise UsageError(_one_sided(by, cutoff))
    drop = _drop(table, seen, unseen, level)
    beyond = None if reference is None else _beyond(cells, reference, (seen, unseen), level)
    return Exposure(
        by=by,
        model=cells.run.plan.name,
        cutoff=cutoff,
        seen=first,
        unseen=second,
        drop=drop.estimate,
        interval=_limits(drop),
        undated=sum(side is None for side in sides),
        reference=reference.plan.name if reference else None,
        beyond_reference=beyond.estimate if beyond else None,
        beyond_interval=_limits(beyond) if beyond else None,
        warnings=_warnings(first, second, reference, by),
    )


def _score(table: stats.Floats, places: Sequence[int], level: float) -> CategoryScore:
    mean = stats.mean_score(table[places], level=level)
    limits = None if mean.lower is None or mean.upper is None else (mean.lower, mean.upper)
    return CategoryScore(items=mean.items, score=mean.score, interval=limits)


def _drop(
    table: stats.Floats,
    seen: Sequence[int],
    unseen: Sequence[int],
    level: float,
) -> stats.DifferenceInDifferences:
    """Give seen minus unseen: Newcombe's interval for one round, Welch's for several."""
    before, after = stats.item_means(table[seen]), stats.item_means(table[unseen])
    welch = stats.difference_in_differences(before, after, level)
    whole = {*before, *after} <= {0.0, 1.0}
    if not whole or table.shape[1] > 1:
        return welch
    both = stats.two_proportions(sum(before), len(before), sum(after), len(after), level)
    return stats.with_limits(welch, both.newcombe)


def _beyond(
    cells: Cells,
    reference: Run,
    sides: tuple[Sequence[int], Sequence[int]],
    level: float,
) -> stats.DifferenceInDifferences | None:
    """Give the difference in differences over the items that both models have whole."""
    other = cells_of(reference)
    places = {item: place for place, item in enumerate(other.run.plan.items)}
    theirs = other.items()
    differences: list[list[float]] = []
    for side in sides:
        found = []
        for place, item in ((place, cells.run.plan.items[place]) for place in side):
            there = places.get(item)
            if there is None or not same_question(cells.items()[place], theirs[there]):
                continue
            difference = _mean(cells, place) - _mean(other, there)
            if difference == difference:  # noqa: PLR0124 - NaN alone differs
                found.append(difference)
        differences.append(found)
    if not differences[0] or not differences[1]:
        return None
    return stats.difference_in_differences(differences[0], differences[1], level)


def _mean(cells: Cells, place: int) -> float:
    return sum(cells.scores[place * cells.columns : (place + 1) * cells.columns]) / cells.columns


def _limits(drop: stats.DifferenceInDifferences) -> tuple[float, float] | None:
    return None if drop.lower is None or drop.upper is None else (drop.lower, drop.upper)


def _one_sided(by: str, cutoff: str | None) -> str:
    if by == "public":
        return "all graded items are public, or none is: there is nothing to compare"
    return (
        f"no graded item is dated before {cutoff}, or none after\n"
        "give items a `date`, on both sides of the cut-off"
    )


def _warnings(
    seen: CategoryScore,
    unseen: CategoryScore,
    reference: Run | None,
    by: str,
) -> tuple[Sentence, ...]:
    said = []
    fewest = min(seen.items, unseen.items)
    if fewest < FEW_ITEMS:
        said.append(Sentence("one side has {items} items: too few to tell", items=fewest))
    if reference is None and by == "cutoff":
        said.append(
            Sentence(
                "later items may simply be harder: a drop says nothing about training without a "
                "reference model",
            ),
        )
    return tuple(said)
