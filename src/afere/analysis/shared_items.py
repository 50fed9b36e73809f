"""The items on which several runs can be ranked, and the runs that have none of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from afere.analysis.cells import Cells, cells_of
from afere.analysis.pairing import same_question
from afere.domain import Item, Run

__all__ = ["Shared", "only", "share_items"]

_HALF = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """The items that all placed runs have whole, with each run's mean scores of them.

    placed: places of the runs that have them; apart: those of the runs set aside, each with the
    number of those items that it answered whole.
    """

    items: tuple[str, ...]
    scores: Mapping[int, Sequence[float]]
    placed: tuple[int, ...]
    apart: Mapping[int, int]

    def missed_by(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """Give for each item the models that have at most half of its rounds right."""
        return [
            tuple(names[run] for run in self.placed if self.scores[run][place] <= _HALF)
            for place in range(len(self.items))
        ]


def share_items(runs: Sequence[Run]) -> Shared:
    """Find the items that the runs have whole, with one key and text.

    Of three runs or more, one without which the others share more than twice as many items is set
    aside: it would leave too little to tell the others apart. So is every run that shares none.
    """
    known = [_Answered.of(run) for run in runs]
    placed, apart = list(range(len(runs))), []
    while len(placed) > 2:  # noqa: PLR2004 - a pair has nobody to be set aside for
        odd = _odd_one_out(known, placed)
        if odd is None:
            break
        placed.remove(odd)
        apart.append(odd)
    items = _shared(known, placed)
    return Shared(
        items=items,
        scores={run: [known[run].means[item] for item in items] for run in placed},
        placed=tuple(placed),
        apart={run: len(_alike(known[run], known[placed[0]], items)) for run in apart},
    )


def only(run: Run, items: Sequence[str]) -> Run:
    """Give a run as if it had asked just these items; without any, the run as it is."""
    if not items or tuple(items) == run.plan.items:
        return run
    return replace(run, plan=replace(run.plan, items=tuple(items)))


@dataclass(frozen=True, slots=True, eq=False)
class _Answered:
    """The items of which a run has every row, with their mean scores and their questions."""

    means: Mapping[str, float]
    questions: Mapping[str, Item]

    @classmethod
    def of(cls, run: Run) -> "_Answered":
        cells = cells_of(run)
        questions = {item.id: item for item in cells.items() if item is not None}
        return cls(_item_means(cells), questions)


def _item_means(cells: Cells) -> dict[str, float]:
    """Give the mean score of each item whose every row counts."""
    means = {}
    for place, item in enumerate(cells.run.plan.items):
        scores = cells.scores[place * cells.columns : (place + 1) * cells.columns]
        total = sum(scores)
        if total == total:  # noqa: PLR0124 - NaN alone differs
            means[item] = total / cells.columns
    return means


def _shared(known: Sequence[_Answered], placed: Sequence[int]) -> tuple[str, ...]:
    if not placed:
        return ()
    first = known[placed[0]]
    items = tuple(first.means)
    for run in placed[1:]:
        items = _alike(known[run], first, items)
    return items


def _alike(run: _Answered, first: _Answered, items: Sequence[str]) -> tuple[str, ...]:
    """Give the items that a run has whole too, with the question that the first was asked."""
    return tuple(
        item
        for item in items
        if item in run.means and same_question(first.questions.get(item), run.questions.get(item))
    )


def _odd_one_out(known: Sequence[_Answered], placed: Sequence[int]) -> int | None:
    """Give the run without which the others share more than twice as many items."""
    now = len(_shared(known, placed))
    without = {
        run: len(_shared(known, [other for other in placed if other != run])) for run in placed
    }
    best = max(placed, key=lambda run: without[run])
    if without[best] > 2 * now:
        return best
    if now:
        return None
    overlap = {run: _overlap(known, placed, run) for run in placed}
    return min(placed, key=lambda run: (overlap[run], -run))


def _overlap(known: Sequence[_Answered], placed: Sequence[int], run: int) -> int:
    """Count the items that a run shares with each of the others, all of them added up."""
    return sum(
        len(_alike(known[run], known[other], tuple(known[other].means)))
        for other in placed
        if other != run
    )
