"""Many models on one suite: who can be told apart, who could be the best, who misses what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from afere import stats
from afere.analysis.comparison import compare
from afere.analysis.shared_items import Shared, only, share_items
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
    VerdictKind,
)

__all__ = ["cost_per_right", "rank"]

FEW_SEPARATE = 0.2


def rank(
    runs: Sequence[Run],
    *,
    level: float = 0.95,
    average: str | None = None,
    seed: int = 0,
) -> Ranking:
    """Rank the runs of several models on one suite by their scores of the items that all have.

    Every pair is compared on these items as `compare` does, its p adjusted by Holm over all pairs.
    Two models are told apart where that p is below 1 - level and `compare` on all that both have
    says better or worse too (so groups and lost rows count). A group holds the models that are not
    told apart from its first, the best of them; who is not told apart from the first of all could
    be the best. A run that shares no items with the others, or too few, has no place and says why;
    an incomplete run keeps its mark; one without a graded row stands last, without a place.

    Raises UsageError without runs, for two runs of one name and series, and where no two runs
    share an item.
    """
    if not runs:
        raise UsageError("there is no run to rank\nrun a suite with two models or more")
    average = average or runs[0].suite.average
    policy = Policy(level=level, average=average, seed=seed)
    entries = sorted((_Entry(run, _summary(run, policy)) for run in runs), key=_of_the_whole)
    _refuse_twins([entry.name for entry in entries])
    graded = [entry for entry in entries if entry.whole.score is not None]
    shared = share_items([entry.run for entry in graded])
    placed = _placed(graded, shared, policy)
    pairs, apart = _pairs(placed, shared.items, policy)
    places = _places([entry.name for entry in placed], apart, known=bool(shared.items))
    front = _front(placed)
    why = _why_apart(graded, shared)
    questions = _questions(shared, [entry.name for entry in graded])
    rest = [entry for entry in entries if entry.name not in places]
    return Ranking(
        suite=runs[0].plan.suite_name,
        level=level,
        average=average,
        models=tuple(
            _ranked(entry, places.get(entry.name), front.get(entry.name), why.get(entry.name))
            for entry in (*placed, *rest)
        ),
        questions=questions,
        pairs=tuple(pairs),
        families=_families(graded, shared),
        differing=_differing(entries),
        warnings=(*_warnings(questions, entries, why), *_intervals_apart(pairs, level)),
        executed=any(row.grade.sandbox is not None for run in runs for row in run.rows),
    )


def cost_per_right(summary: RunSummary) -> float | None:
    """Give USD for one right answer, None where the cost is not known or nothing was right."""
    right = summary.outcomes.get("right", 0)
    return summary.cost / right if summary.cost is not None and right else None


@dataclass(frozen=True, slots=True)
class _Entry:
    """A run, the numbers of the whole of it, and those of the items that all models have."""

    run: Run
    whole: RunSummary
    shared: RunSummary | None = None

    @property
    def name(self) -> str:
        return f"{self.whole.model}@{self.whole.series}" if self.whole.series else self.whole.model


def _summary(run: Run, policy: Policy) -> RunSummary:
    return summarize(run, level=policy.level, average=policy.average, seed=policy.seed)


def _of_the_whole(entry: _Entry) -> tuple[float, str]:
    """Order runs by their own scores, the best first, those without one last."""
    return (1.0 if entry.whole.score is None else -entry.whole.score, entry.name)


def _refuse_twins(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} has two runs in the ranking\nname one run a model")


def _placed(graded: Sequence[_Entry], shared: Shared, policy: Policy) -> list[_Entry]:
    """Give the runs that have a place, the best first, with their numbers of the shared items."""
    found = []
    for place in shared.placed:
        entry = graded[place]
        part = only(entry.run, shared.items)
        whole = entry.whole if part is entry.run else _summary(part, policy)
        found.append(replace(entry, shared=whole))
    return sorted(found, key=lambda entry: (-_score(entry), entry.name))


def _score(entry: _Entry) -> float:
    score = entry.shared.score if entry.shared else None
    return -1.0 if score is None else score


def _why_apart(graded: Sequence[_Entry], shared: Shared) -> dict[str, Sentence]:
    return {
        graded[place].name: Sentence(
            "{model} has no place: it answered {items} of the {shared} items that the others share"
            if items
            else "{model} has no place: it shares no item with the others",
            model=graded[place].name,
            items=items,
            shared=len(shared.items),
        )
        for place, items in shared.apart.items()
    }


def _pairs(
    placed: Sequence[_Entry],
    items: Sequence[str],
    policy: Policy,
) -> tuple[list[PairLine], set[frozenset[str]]]:
    """Compare all pairs on the shared items; give them, and the names of those told apart."""
    couples = list(combinations(placed, 2))
    if not couples:
        return [], set()
    each = replace(policy, level=1 - (1 - policy.level) / len(couples))
    found = [compare(only(a.run, items), only(b.run, items), each) for a, b in couples]
    pairs = [
        PairLine(
            a=a.name,
            b=b.name,
            items=comparison.paired.items,
            difference=comparison.difference,
            interval=comparison.interval,
            p_holm=p,
        )
        for (a, b), comparison, p in zip(couples, found, _adjusted(found), strict=True)
    ]
    apart = {
        frozenset((a.name, b.name))
        for (a, b), pair in zip(couples, pairs, strict=True)
        if pair.p_holm is not None
        and pair.p_holm < 1 - policy.level
        and _is_decided(a, b, pair, policy)
    }
    return pairs, apart


def _is_decided(a: _Entry, b: _Entry, pair: PairLine, policy: Policy) -> bool:
    """Tell whether `compare` on all that both runs have says the same of the two."""
    verdict = compare(a.run, b.run, policy).verdict
    below = pair.difference is not None and pair.difference < 0
    return verdict is (VerdictKind.WORSE if below else VerdictKind.BETTER)


def _adjusted(found: Sequence[Comparison]) -> list[float | None]:
    """Adjust p values by Holm; a pair without one counts as the least certain."""
    known = [comparison.p_value for comparison in found]
    adjusted = stats.holm([1.0 if p is None else p for p in known])
    return [None if p is None else each for p, each in zip(known, adjusted, strict=True)]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a model stands: its group, and whether it could be the best."""

    group: int
    could_be_best: bool | None


def _places(
    names: Sequence[str],
    apart: set[frozenset[str]],
    *,
    known: bool,
) -> dict[str, _Place]:
    """Give each model its place: a group opens where one is told apart from the last first.

    Who is not told apart from the first of all could be the best: as the truly best model is told
    to be worse with a chance of 1 - level at most, this set holds it at the level.
    """
    places: dict[str, _Place] = {}
    first, number = "", 0
    for name in names:
        if not first or frozenset((first, name)) in apart:
            first, number = name, number + 1
        best = frozenset((names[0], name)) not in apart
        places[name] = _Place(number, best if known else None)
    return places


def _front(placed: Sequence[_Entry]) -> dict[str, bool]:
    """Tell of each priced model whether no other is as cheap and as good, and better in one."""
    points = {
        entry.name: (entry.shared.cost, -entry.shared.score)
        for entry in placed
        if entry.shared and entry.shared.cost is not None and entry.shared.score is not None
    }
    return {
        name: not any(
            other[0] <= point[0] and other[1] <= point[1] and other != point
            for other in points.values()
        )
        for name, point in points.items()
    }


def _ranked(
    entry: _Entry,
    place: _Place | None,
    front: bool | None,  # noqa: FBT001 - a value, no switch
    why: Sentence | None,
) -> RankedModel:
    summary, shared = entry.whole, entry.shared
    lost = ("not_asked", "endpoint_error", "grader_error")
    return RankedModel(
        model=entry.name,
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
        tied_group=place.group if place else None,
        could_be_best=place.could_be_best if place else None,
        cost_per_right=cost_per_right(summary),
        on_front=front,
        shared_score=shared.score if shared else None,
        shared_interval=shared.interval if shared else None,
        items=summary.scored,
        cut_rounds=summary.cut_rounds,
        why_no_place=why,
    )


def _questions(shared: Shared, names: Sequence[str]) -> Questions:
    patterns: dict[tuple[str, ...], list[str]] = {}
    for item, missed in zip(shared.items, shared.missed_by(names), strict=True):
        patterns.setdefault(missed, []).append(item)
    all_right = len(patterns.get((), []))
    everyone = tuple(names[run] for run in shared.placed)
    none_right = len(patterns.get(everyone, [])) if everyone else 0
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
    graded: Sequence[_Entry],
    shared: Shared,
) -> tuple[FamilyErrors, ...]:
    members: dict[str, list[str]] = {}
    placed = [graded[place] for place in shared.placed]
    for entry in placed:
        if entry.run.plan.family:
            members.setdefault(entry.run.plan.family, []).append(entry.name)
    names = [entry.name for entry in graded]
    missed = list(zip(shared.items, shared.missed_by(names), strict=True))
    return tuple(
        FamilyErrors(
            family=family,
            models=tuple(names),
            items=tuple(
                item for item, by in missed if set(names) <= set(by) and len(by) < len(placed)
            ),
        )
        for family, names in sorted(members.items())
        if len(names) > 1
    )


def _differing(entries: Sequence[_Entry]) -> Mapping[str, Mapping[str, Any]]:
    """Give every parameter that is not the same for all models, with each one's value."""
    settings = {
        entry.name: {**entry.run.plan.params, "rounds": entry.run.plan.rounds} for entry in entries
    }
    every = sorted({key for values in settings.values() for key in values})
    shown = {key: {name: values.get(key) for name, values in settings.items()} for key in every}
    return {
        key: values
        for key, values in shown.items()
        if any(value != next(iter(values.values())) for value in values.values())
    }


def _intervals_apart(pairs: Sequence[PairLine], level: float) -> list[Sentence]:
    """Name the pairs whose interval leaves out 0 where the test does not tell them apart."""
    return [
        Sentence(
            "{b} against {a}: the interval leaves out 0 and the test does not (p {p}), as few "
            "items differ: a place of its own needs both",
            a=pair.a,
            b=pair.b,
            p=round(pair.p_holm, 3),
        )
        for pair in pairs
        if pair.interval is not None
        and not pair.interval[0] <= 0 <= pair.interval[1]
        and pair.p_holm is not None
        and pair.p_holm >= 1 - level
    ]


def _warnings(
    questions: Questions,
    entries: Sequence[_Entry],
    why: Mapping[str, Sentence],
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
    for entry in entries:
        if entry.whole.status is not RunStatus.COMPLETE:
            status = entry.whole.status.value
            said.append(Sentence("{model} is {status}", model=entry.name, status=status))
        if entry.name in why:
            said.append(why[entry.name])
    return tuple(said)
