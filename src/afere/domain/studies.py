"""What is said of several runs, of a suite before it runs, and of what lies behind a difference.

Fields are those of the JSON outputs, with the conventions of `afere.domain.results`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from afere.domain.outcomes import RunStatus
from afere.domain.results import CategoryScore, Latency, Limits, _Record
from afere.domain.told import interval, lines_of, percent

__all__ = [
    "Behind",
    "CategoryDifference",
    "Drivers",
    "ErrorAgreement",
    "ErrorPlaces",
    "ErrorStretch",
    "Exposure",
    "FamilyErrors",
    "LetterGap",
    "MissPattern",
    "PairLine",
    "PlanNeeded",
    "Questions",
    "RankedModel",
    "Ranking",
    "SuitePlan",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedModel(_Record):
    """One model in a ranking.

    failed: rows that do not count. tied_group: models of one number cannot be told apart from the
    first of them; None without a place. cost_per_right: USD for one right answer.
    on_front: no other model is both cheaper and better; None without a cost.
    score, interval: of all `items` of the run that have a score; shared_score, shared_interval: of
    those that all placed models have whole (`Questions.items`), by which the places go.
    cut_rounds: those that lack an answer.
    why_no_place: a sentence where a graded run shares too few items with the others.
    """

    model: str
    run: str
    score: float | None
    interval: Limits | None
    rounds: int
    per_round: tuple[float | None, ...]
    round_min: float | None
    round_max: float | None
    failed: int
    status: RunStatus
    outcomes: Mapping[str, int]
    tokens: Mapping[str, int | None]
    latency: Latency
    cost: float | None
    tied_group: int | None
    could_be_best: bool | None
    cost_per_right: float | None = None
    on_front: bool | None = None
    shared_score: float | None = None
    shared_interval: Limits | None = None
    items: int | None = None
    cut_rounds: tuple[int, ...] = ()
    why_no_place: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLine(_Record):
    """Two models on their common items: b minus a, p adjusted by Holm over all pairs.

    The interval's level is 1 - (1 - level)/pairs, so that all of them hold together.
    """

    a: str
    b: str
    items: int
    difference: float | None
    interval: Limits | None
    p_holm: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MissPattern(_Record):
    """The items that just these models miss: none of the others does."""

    missed_by: tuple[str, ...]
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions(_Record):
    """How many items all models get right, none does, and some do (these separate the models)."""

    items: int
    all_right: int
    none_right: int
    separating: int
    patterns: tuple[MissPattern, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyErrors(_Record):
    """Items that every model of a family misses, and some model outside it gets right."""

    family: str
    models: tuple[str, ...]
    items: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Ranking(_Record):
    """Many models on one suite, the best first, those without a score last.

    executed: whether some of the answers were code that was executed.
    """

    suite: str
    level: float
    average: str
    models: tuple[RankedModel, ...]
    questions: Questions
    pairs: tuple[PairLine, ...]
    families: tuple[FamilyErrors, ...] = ()
    differing: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    executed: bool = False

    def __str__(self) -> str:
        """Tell the models in a line each."""
        return _ranking_text(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanNeeded(_Record):
    """Items needed with the power asked: to show a difference, and to show equivalence."""

    difference: int | None
    equivalence: int | None


@dataclass(frozen=True, kw_only=True)
class SuitePlan(_Record):
    """What a suite can show before it is run.

    calls: of one model. detectable: the smallest difference shown with the power asked.
    smallest_margin: that this number of items could ever prove, were there no difference at all.
    """

    items: int
    rounds: int
    calls: int
    cost: float | None
    detectable: float | None
    needed: PlanNeeded
    smallest_margin: float | None
    assumptions: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Tell what the suite can show in a few lines."""
        return _plan_text(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryDifference(_Record):
    """Candidate minus baseline in one category; not adjusted for looking at several."""

    items: int
    difference: float | None
    interval: Limits | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorAgreement(_Record):
    """Whether two models err alike.

    both_wrong: items that both miss in more than half of the rounds; expected: how many would be
    if errors were unrelated; same_answer: of both_wrong, those where both gave the same answer.
    phi: correlation of right and wrong between the models, None where one never errs.
    """

    both_wrong: int
    expected: float
    same_answer: int
    phi: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterGap(_Record):
    """The letter whose share of choices is furthest from its share of keys."""

    letter: str
    chosen: float
    key: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorStretch(_Record):
    """The stretch of a suite in which errors lie densest; found by looking, so exploratory."""

    first: str
    last: str
    items: int
    errors: float
    share_of_items: float
    share_of_errors: float


@dataclass(frozen=True, kw_only=True)
class ErrorPlaces(_Record):
    """Where a run's errors lie: items and errors (1 - score) by category and by group."""

    categories: Mapping[str, tuple[int, float]]
    groups: Mapping[str, tuple[int, float]]
    densest: ErrorStretch | None


@dataclass(frozen=True, kw_only=True)
class Drivers(_Record):
    """What drives a difference.

    outcomes: of the compared items' rows, baseline and candidate. lost_to, won_from: outcomes of
    the side that misses, over the items that only the other side gets right. flipping: items right
    in some rounds and not in others, by side. letters: the largest gap of each side.
    """

    categories: Mapping[str, CategoryDifference]
    outcomes: Mapping[str, tuple[int, int]]
    lost_to: Mapping[str, int]
    won_from: Mapping[str, int]
    both_wrong_items: tuple[str, ...]
    agreement: ErrorAgreement
    flipping: tuple[tuple[str, ...], tuple[str, ...]]
    letters: tuple[LetterGap | None, LetterGap | None]
    places: tuple[ErrorPlaces, ErrorPlaces]
    cost_per_right: tuple[float | None, float | None]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Exposure(_Record):
    """Accuracy on items that a model may have been trained on against items that it was not.

    by: `cutoff` (seen: dated before it) or `public` (seen: marked public). drop: seen minus
    unseen. undated: items whose date does not tell. reference, beyond_reference: another model on
    the same items, and by how much more than it this one drops: without it a drop may only mean
    that later items are harder.
    """

    by: str
    model: str
    cutoff: str | None
    seen: CategoryScore
    unseen: CategoryScore
    drop: float | None
    interval: Limits | None
    undated: int = 0
    reference: str | None = None
    beyond_reference: float | None = None
    beyond_interval: Limits | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Behind(_Record):
    """What lies behind a comparison of two runs, and what their suite is.

    exposures: of each model, wherever dates or marks of the items tell. notes: why one is missing.
    no_cutoff: models without a known cut-off date, where a date could tell. public_items: items
    marked public. left_out: questions that the suite says it leaves out. source: that of all items,
    empty where they have several, or one has none.
    """

    drivers: Drivers
    exposures: tuple[Exposure, ...] = ()
    notes: tuple[str, ...] = ()
    no_cutoff: tuple[str, ...] = ()
    public_items: int = 0
    left_out: int = 0
    source: str = ""


def _ranking_text(ranking: Ranking) -> str:
    """Tell a ranking: a line a model, the best first."""
    facts = [
        (
            model.model,
            f"{percent(model.score)}{interval(model.interval, ranking.level)}"
            + (" could be the best" if model.could_be_best else "")
            + ("" if model.status == "complete" else f" {model.status.value}")
            + ("" if model.tied_group is not None else " no place"),
        )
        for model in ranking.models
    ]
    head = f"{ranking.suite}: {len(ranking.models)} models, {ranking.questions.items} shared items"
    return lines_of(head, facts, ranking.warnings)


def _plan_text(plan: SuitePlan) -> str:
    """Tell a plan: what it costs and what it can show."""
    shown = "none" if plan.detectable is None else f"{100 * plan.detectable:.1f} points"
    facts = [
        ("smallest difference shown", shown),
        ("items for the difference", str(plan.needed.difference or "–")),
        ("items for equivalence", str(plan.needed.equivalence or "–")),
        ("cost", "–" if plan.cost is None else f"${plan.cost:.4g}"),
    ]
    head = f"{plan.items} items × {plan.rounds} rounds = {plan.calls} calls"
    return lines_of(head, facts, plan.warnings)
