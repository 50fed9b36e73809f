"""The items that two runs share, and what is not the same on both sides."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from afere import stats
from afere.analysis.cells import Cells
from afere.domain import Item, Run, RunPlan, ScoreTable, Unmatched, UsageError, encode

__all__ = ["Matched", "differing", "match", "match_tables", "same_question"]

_NOWHERE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """The ids of the items that both runs have, their scores side by side, and who was left out."""

    ids: tuple[str, ...]
    pairs: stats.Pairs
    unmatched: Unmatched


def match(baseline: Cells, candidate: Cells) -> Matched:
    """Pair the items of two runs by id, right answer and text of the question.

    Raises UsageError where no item is the same on both sides.
    """
    places = {item: place for place, item in enumerate(candidate.run.plan.items)}
    same_suite = baseline.run.plan.suite_hash == candidate.run.plan.suite_hash
    theirs = candidate.items()
    kept: list[tuple[int, int, Item | None]] = []
    other_key, other_input = [], []
    for place, (item_id, item) in enumerate(
        zip(baseline.run.plan.items, baseline.items(), strict=True),
    ):
        if item_id not in places:
            continue
        other = theirs[places[item_id]]
        if not same_suite and item is not None and other is not None:
            if not _same(item.expect, other.expect):
                other_key.append(item_id)
                continue
            if not _same(_question(item), _question(other)):
                other_input.append(item_id)
                continue
        kept.append((place, places[item_id], item))
    ours = set(baseline.run.plan.items)
    unmatched = Unmatched(
        only_baseline=tuple(item for item in baseline.run.plan.items if item not in places),
        only_candidate=tuple(item for item in candidate.run.plan.items if item not in ours),
        different_key=tuple(other_key),
        different_input=tuple(other_input),
    )
    if not kept:
        raise UsageError(_nothing_shared(baseline.run, candidate.run, unmatched))
    return Matched(
        ids=tuple(baseline.run.plan.items[place] for place, _, _ in kept),
        pairs=stats.pairs(
            _rows_at(baseline, (place for place, _, _ in kept)),
            _rows_at(candidate, (place for _, place, _ in kept)),
            columns=(baseline.columns, candidate.columns),
            variants=(baseline.run.plan.variants, candidate.run.plan.variants),
            categories=_given([item.category if item else None for _, _, item in kept]),
            groups=_given([item.group if item else None for _, _, item in kept]),
        ),
        unmatched=unmatched,
    )


def same_question(first: Item | None, second: Item | None) -> bool:
    """Tell whether two items have the same key and text; one that is not known may be any."""
    if first is None or second is None or first is second:
        return True
    return _same(first.expect, second.expect) and _same(_question(first), _question(second))


def match_tables(baseline: ScoreTable, candidate: ScoreTable) -> Matched:
    """Pair the items of two tables by id, and by key and text where both tables know them.

    An item has the category and group of the baseline, or where that has none at all, those of
    the candidate. Raises UsageError where no item is the same in both, and for rows that are no
    scores.
    """
    kept, other = _shared(baseline.items, candidate.items)
    other_key = _unlike(baseline.keys, candidate.keys, kept, other)
    other_input = _unlike(baseline.inputs, candidate.inputs, kept, other) - other_key
    unmatched = Unmatched(
        only_baseline=_without(baseline.items, kept),
        only_candidate=_without(candidate.items, other),
        different_key=tuple(baseline.items[kept[place]] for place in sorted(other_key)),
        different_input=tuple(baseline.items[kept[place]] for place in sorted(other_input)),
    )
    if unlike := other_key | other_input:
        same = [place for place in range(len(kept)) if place not in unlike]
        kept, other = (array("q", (of[place] for place in same)) for of in (kept, other))
    if not kept and (baseline.items or candidate.items):
        raise UsageError(_no_row_shared(baseline, candidate, unmatched))
    return Matched(
        ids=tuple(map(baseline.items.__getitem__, kept)),
        pairs=stats.pairs(
            stats.rows_at(_table("baseline", baseline), kept),
            stats.rows_at(_table("candidate", candidate), other),
            variants=(baseline.variants, candidate.variants),
            categories=_at(baseline.categories, kept) or _at(candidate.categories, other),
            groups=_at(baseline.groups, kept) or _at(candidate.groups, other),
        ),
        unmatched=unmatched,
    )


def differing(baseline: Run, candidate: Run) -> Mapping[str, tuple[Any, Any]]:
    """Name what is not the same on both sides besides the model, with both values."""
    ours, theirs = _settings(baseline), _settings(candidate)
    return {
        name: (ours.get(name), theirs.get(name))
        for name in sorted({*ours, *theirs})
        if not _same(ours.get(name), theirs.get(name))
    }


def _settings(run: Run) -> dict[str, Any]:
    plan, suite = run.plan, run.suite
    place = _place(plan)
    return {
        "suite": suite.name,
        "suite_version": suite.version,
        "prompt": suite.prompt,
        "system": suite.system,
        "language": suite.reading.language,
        "reading": "strict" if suite.reading.strict else "lenient",
        "average": suite.average,
        "endpoint": place,
        "rounds": plan.rounds,
        "variants": plan.variants,
        **{f"params.{name}": value for name, value in plan.params.items()},
    }


def _place(plan: RunPlan) -> str:
    """Give what answered apart from the model: an address, or an engine without its weights."""
    if plan.endpoint.startswith("llama:"):
        return plan.endpoint.rpartition(":")[0]
    return plan.base_url or plan.endpoint


def _table(side: str, table: ScoreTable) -> stats.Floats:
    try:
        return stats.spread_rows(len(table.items), table.item, table.round, table.score)
    except ValueError as error:
        raise UsageError(f"{table.model or side}: {error}") from error


def _at(labels: Sequence[str | None], places: "array[int]") -> list[str | None] | None:
    return _given([labels[place] for place in places]) if labels else None


def _shared(
    ours: Sequence[str],
    theirs: Sequence[str],
) -> "tuple[array[int], array[int]]":
    """Give the places of the ids that both have, in the order of `ours`; a million take a second.

    Raises UsageError where an id stands twice.
    """
    same = ours == theirs
    if len(set(ours)) < len(ours) or (not same and len(set(theirs)) < len(theirs)):
        raise UsageError("an item is listed twice; ids are texts, and name one item each")
    if same:
        return array("q", range(len(ours))), array("q", range(len(ours)))
    places = dict(zip(theirs, range(len(theirs)), strict=True))
    found = array("q", map(places.get, ours, repeat(_NOWHERE)))
    if _NOWHERE not in found:
        return array("q", range(len(ours))), found
    kept = array("q", (place for place, at in enumerate(found) if at != _NOWHERE))
    return kept, array("q", (at for at in found if at != _NOWHERE))


def _without(items: Sequence[str], kept: "array[int]") -> tuple[str, ...]:
    """Give the ids that are not at the places kept."""
    if len(kept) == len(items):
        return ()
    there = set(kept)
    return tuple(item for place, item in enumerate(items) if place not in there)


def _unlike(
    ours: Sequence[str | None],
    theirs: Sequence[str | None],
    kept: "array[int]",
    other: "array[int]",
) -> set[int]:
    """Give the places in `kept` of items that are known on both sides and not the same."""
    if not ours or not theirs:
        return set()
    return {
        place
        for place, (first, second) in enumerate(zip(kept, other, strict=True))
        if ours[first] != theirs[second] and None not in {ours[first], theirs[second]}
    }


def _rows_at(cells: Cells, places: Iterable[int]) -> "array[float]":
    scores = array("d")
    for place in places:
        start = place * cells.columns
        scores.extend(cells.scores[start : start + cells.columns])
    return scores


def _given(labels: list[str | None]) -> list[str | None] | None:
    return labels if any(label is not None for label in labels) else None


def _question(item: Item) -> tuple[Any, ...]:
    return item.input, dict(item.options), item.labels


def _same(first: object, second: object) -> bool:
    """Tell whether two values are the same, or read the same once stored."""
    return first == second or encode(first) == encode(second)


def _no_row_shared(baseline: ScoreTable, candidate: ScoreTable, unmatched: Unmatched) -> str:
    changed = len(unmatched.different_key) + len(unmatched.different_input)
    if changed:
        return (
            f"no item is the same on both sides: {changed} share their id alone, and have another "
            f"key or text\ncompare results of one version of the suite"
        )
    return (
        f"the {len(baseline.items)} and {len(candidate.items)} items have no id in common\n"
        "compare results of the same suite"
    )


def _nothing_shared(baseline: Run, candidate: Run, unmatched: Unmatched) -> str:
    changed = len(unmatched.different_key) + len(unmatched.different_input)
    if changed:
        return (
            f"no item is the same in both runs: {changed} share their id alone, and have another "
            f"key or text\nrun both models on one version of the suite"
        )
    return (
        f"the runs {baseline.id} ({baseline.plan.suite_name}) and {candidate.id} "
        f"({candidate.plan.suite_name}) have no item in common\n"
        "compare two runs of the same suite"
    )
