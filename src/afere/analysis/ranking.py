"""Many models on one suite: who can be told apart, who could be the best, who misses what."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from afere import stats
from afere.analysis.cells import Cells, cells_of
from afere.analysis.comparison import compare
from afere.analysis.pairing import same_question
from afere.analysis.summary import summarize
from afere.domain import (
    Comparison,
    FamilyErrors,
    MissPattern,
    PairLine,
    Policy,
    Questions,
    RankedModel,
    Ranking,
    Run,
    RunStatus,
    RunSummary,
    Sentence,
    UsageError,
)

__all__ = ["cost_per_right", "rank"]

FEW_SEPARATE = 0.2
_HALF = 0.5


def rank(
    runs: Sequence[Run],
    *,
    level: float = 0.95,
    average: str | None = None,
    seed: int = 0,
) -> Ranking:
    """Rank the runs of several models on one suite.

    Every pair is compared as `compare` does, its p adjusted by Holm over all pairs; a group holds
    the models that cannot be told apart from its first, the best of them. Who could be the best is
    the model confidence set over the items that all graded models have whole. An incomplete run
    keeps its mark; one without a graded row stands last, without a place.

    Raises UsageError without runs, for two runs of one name and series, and where two runs share
    no item.
    """
    if not runs:
        raise UsageError("there is no run to rank\nrun a suite with two models or more")
    average = average or runs[0].suite.average
    entries = [(run, summarize(run, level=level, average=average, seed=seed)) for run in runs]
    _refuse_twins([summary for _, summary in entries])
    entries.sort(
        key=lambda entry: (
            -(entry[1].score if entry[1].score is not None else -1.0),
            _name(entry[1]),
        )
    )
    graded = [entry for entry in entries if entry[1].score is not None]
    policy = Policy(level=level, average=average, seed=seed)
    pairs = _pairs(graded, policy)
    shared = _shared(graded)
    best = _could_be_best(shared, level, seed)
    groups = _groups([_name(summary) for _, summary in graded], pairs, level)
    front = _front([summary for _, summary in graded])
    questions = _questions(shared)
    return Ranking(
        suite=runs[0].plan.suite_name,
        level=level,
        average=average,
        models=tuple(
            _ranked(summary, groups.get(_name(summary)), best.get(_name(summary)), front)
            for _, summary in entries
        ),
        questions=questions,
        pairs=tuple(pairs),
        families=_families(graded, shared),
        differing=_differing(entries),
        warnings=_warnings(questions, entries),
    )


def cost_per_right(summary: RunSummary) -> float | None:
    """Give USD for one right answer, None where the cost is not known or nothing was right."""
    right = summary.outcomes.get("right", 0)
    return summary.cost / right if summary.cost is not None and right else None


class _Shared:
    """The items that all graded models have whole: who has which one right."""

    def __init__(self, names: list[str], items: list[str], scores: list[list[float]]) -> None:
        """Scores are item means, a list for each model."""
        self.names, self.items, self.scores = names, items, scores

    def missed_by(self) -> list[tuple[str, ...]]:
        """Give for each item the models that have at most half of its rounds right."""
        return [
            tuple(
                name
                for name, scores in zip(self.names, self.scores, strict=True)
                if scores[place] <= _HALF
            )
            for place in range(len(self.items))
        ]


def _name(summary: RunSummary) -> str:
    return f"{summary.model}@{summary.series}" if summary.series else summary.model


def _refuse_twins(summaries: Sequence[RunSummary]) -> None:
    names = [_name(summary) for summary in summaries]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} has two runs in the ranking\nname one run a model")


def _pairs(graded: Sequence[tuple[Run, RunSummary]], policy: Policy) -> list[PairLine]:
    couples = list(combinations(graded, 2))
    if not couples:
        return []
    each = replace(policy, level=1 - (1 - policy.level) / len(couples))
    found = [compare(a[0], b[0], each) for a, b in couples]
    adjusted = _adjusted(found)
    return [
        PairLine(
            a=_name(a[1]),
            b=_name(b[1]),
            items=comparison.paired.items,
            difference=comparison.difference,
            interval=comparison.interval,
            p_holm=p,
        )
        for (a, b), comparison, p in zip(couples, found, adjusted, strict=True)
    ]


def _adjusted(found: Sequence[Comparison]) -> list[float | None]:
    """Adjust p values by Holm; a pair without one counts as the least certain."""
    known = [comparison.p_value for comparison in found]
    adjusted = stats.holm([1.0 if p is None else p for p in known])
    return [None if p is None else each for p, each in zip(known, adjusted, strict=True)]


def _groups(names: Sequence[str], pairs: Sequence[PairLine], level: float) -> dict[str, int]:
    """Give each model its group: one opens where a model is told apart from the last first."""
    apart = {
        frozenset((pair.a, pair.b))
        for pair in pairs
        if pair.p_holm is not None and pair.p_holm < 1 - level
    }
    groups: dict[str, int] = {}
    first, number = "", 0
    for name in names:
        if not first or frozenset((first, name)) in apart:
            first, number = name, number + 1
        groups[name] = number
    return groups


def _shared(graded: Sequence[tuple[Run, RunSummary]]) -> _Shared:
    cells = [cells_of(run) for run, _ in graded]
    names = [_name(summary) for _, summary in graded]
    if not cells:
        return _Shared([], [], [])
    means = [_item_means(each) for each in cells]
    known = [{item.id: item for item in each.items() if item is not None} for each in cells]
    first = known[0]
    items = [
        item
        for item in cells[0].run.plan.items
        if all(means_of.get(item) is not None for means_of in means)
        and all(same_question(first.get(item), others.get(item)) for others in known[1:])
    ]
    return _Shared(names, items, [[means_of[item] or 0.0 for item in items] for means_of in means])


def _item_means(cells: Cells) -> dict[str, float | None]:
    """Give each item's mean score, None where a row of it does not count."""
    means: dict[str, float | None] = {}
    for place, item in enumerate(cells.run.plan.items):
        scores = cells.scores[place * cells.columns : (place + 1) * cells.columns]
        total = sum(scores)
        means[item] = None if total != total else total / cells.columns  # noqa: PLR0124 - NaN alone differs
    return means


def _could_be_best(shared: _Shared, level: float, seed: int) -> dict[str, bool]:
    if not shared.items:
        return {}
    rows = [list(row) for row in zip(*shared.scores, strict=True)]
    table = stats.score_table("scores", rows)
    kept = stats.model_confidence_set(table, level, stats.generator(seed, "best"))
    return dict(zip(shared.names, kept, strict=True))


def _front(summaries: Sequence[RunSummary]) -> dict[str, bool]:
    """Tell of each priced model whether no other is as cheap and as good, and better in one."""
    priced = [each for each in summaries if each.cost is not None and each.score is not None]
    points = {_name(each): (each.cost or 0.0, -(each.score or 0.0)) for each in priced}
    return {
        name: not any(
            other[0] <= point[0] and other[1] <= point[1] and other != point
            for other in points.values()
        )
        for name, point in points.items()
    }


def _ranked(
    summary: RunSummary,
    group: int | None,
    best: bool | None,  # noqa: FBT001 - a value, no switch
    front: Mapping[str, bool],
) -> RankedModel:
    lost = ("not_asked", "endpoint_error", "grader_error")
    return RankedModel(
        model=_name(summary),
        run=summary.run,
        score=summary.score,
        interval=summary.interval,
        rounds=summary.rounds,
        per_round=summary.per_round,
        round_min=summary.round_min,
        round_max=summary.round_max,
        failed=sum(summary.outcomes.get(outcome, 0) for outcome in lost),
        status=summary.status,
        outcomes=summary.outcomes,
        tokens=summary.tokens,
        latency=summary.latency,
        cost=summary.cost,
        tied_group=group,
        could_be_best=best,
        cost_per_right=cost_per_right(summary),
        on_front=front.get(_name(summary)),
    )


def _questions(shared: _Shared) -> Questions:
    patterns: dict[tuple[str, ...], list[str]] = {}
    for item, missed in zip(shared.items, shared.missed_by(), strict=True):
        patterns.setdefault(missed, []).append(item)
    all_right = len(patterns.get((), []))
    none_right = len(patterns.get(tuple(shared.names), [])) if shared.names else 0
    ordered = sorted(patterns.items(), key=lambda entry: (-len(entry[1]), entry[0]))
    return Questions(
        items=len(shared.items),
        all_right=all_right,
        none_right=none_right,
        separating=len(shared.items) - all_right - none_right,
        patterns=tuple(
            MissPattern(missed_by=missed, items=tuple(items)) for missed, items in ordered
        ),
    )


def _families(
    graded: Sequence[tuple[Run, RunSummary]],
    shared: _Shared,
) -> tuple[FamilyErrors, ...]:
    members: dict[str, list[str]] = {}
    for run, summary in graded:
        if run.plan.family:
            members.setdefault(run.plan.family, []).append(_name(summary))
    missed = list(zip(shared.items, shared.missed_by(), strict=True))
    return tuple(
        FamilyErrors(
            family=family,
            models=tuple(names),
            items=tuple(
                item for item, by in missed if set(names) <= set(by) and len(by) < len(shared.names)
            ),
        )
        for family, names in sorted(members.items())
        if len(names) > 1
    )


def _differing(entries: Sequence[tuple[Run, RunSummary]]) -> Mapping[str, Mapping[str, Any]]:
    """Give every parameter that is not the same for all models, with each one's value."""
    settings = {
        _name(summary): {**run.plan.params, "rounds": run.plan.rounds} for run, summary in entries
    }
    every = sorted({key for values in settings.values() for key in values})
    shown = {key: {name: values.get(key) for name, values in settings.items()} for key in every}
    return {
        key: values
        for key, values in shown.items()
        if any(value != next(iter(values.values())) for value in values.values())
    }


def _warnings(
    questions: Questions,
    entries: Sequence[tuple[Run, RunSummary]],
) -> tuple[Sentence, ...]:
    said = []
    if (
        len(entries) > 1
        and questions.items
        and questions.separating < FEW_SEPARATE * questions.items
    ):
        said.append(
            Sentence(
                "only {separating} of {items} items separate the models: "
                "more and harder items would tell more, not more models",
                separating=questions.separating,
                items=questions.items,
            ),
        )
    for _, summary in entries:
        if summary.status is not RunStatus.COMPLETE:
            said.append(
                Sentence("{model} is {status}", model=_name(summary), status=summary.status.value),
            )
    return tuple(said)
