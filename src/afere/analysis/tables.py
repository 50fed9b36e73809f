"""Summaries of scores that came as tables, without answers behind them."""

from collections.abc import Sequence

from afere import stats
from afere.analysis.cautions import cut_rounds_warning
from afere.domain import (
    Calls,
    CategoryScore,
    Latency,
    Policy,
    RunStatus,
    RunSummary,
    Sentence,
)

__all__ = ["table_summary"]

MOST_CATEGORIES = 10_000  # more are no categories that anyone looks at one by one


def table_summary(
    pairs: stats.Pairs,
    name: str,
    policy: Policy,
    *,
    of_candidate: bool,
) -> RunSummary:
    """Give the numbers of one side of a table of pairs; what needs answers is empty.

    So are the categories where there are more than 10,000, which a warning says.
    """
    table = pairs.candidate if of_candidate else pairs.baseline
    mean = stats.mean_score(
        table,
        variants=pairs.variants[of_candidate],
        categories=pairs.categories if policy.average == "macro" else None,
        groups=pairs.groups,
        level=policy.level,
        seed=policy.seed,
    )
    per_round = [each for each in mean.per_round if each is not None]
    lost = stats.lost_rows(table)
    cut = stats.rounds_with_losses(table, pairs.variants[of_candidate])
    status = RunStatus.INVALID if mean.items == 0 else RunStatus.COMPLETE
    return RunSummary(
        run="",
        suite="",
        suite_hash="",
        model=name,
        base_url="",
        rounds=len(mean.per_round),
        items=mean.items,
        score=mean.score,
        interval=None if mean.lower is None or mean.upper is None else (mean.lower, mean.upper),
        level=policy.level,
        per_round=tuple(mean.per_round),
        round_min=min(per_round, default=None),
        round_max=max(per_round, default=None),
        round_sd=stats.deviation(per_round),
        noise_floor=stats.floor_of(mean.rerun_variance),
        average=policy.average or "micro",
        categories=_categories(pairs, policy, of_candidate=of_candidate),
        outcomes={},
        round_outcomes=(),
        bounds=mean.bounds,
        status=RunStatus.INCOMPLETE if lost and mean.items else status,
        started=None,
        finished=None,
        series="",
        served_model=None,
        fingerprint=None,
        letters={},
        items_table=(),
        calls=Calls(),
        tokens={"input": None, "output": None, "reasoning": None},
        cost=None,
        latency=Latency(),
        resume_after=None,
        warnings=_warnings(pairs, cut if len(mean.per_round) > 1 else ()),
        cut_rounds=cut,
    )


def _warnings(pairs: stats.Pairs, cut: Sequence[int]) -> tuple[Sentence, ...]:
    said = cut_rounds_warning(cut)
    if not _has_many(pairs) or pairs.categories is None:
        return said
    many = Sentence(
        "{n} categories are too many to be scored one by one", n=len(pairs.categories.names)
    )
    return (*said, many)


def _has_many(pairs: stats.Pairs) -> bool:
    return pairs.categories is not None and len(pairs.categories.names) > MOST_CATEGORIES


def _categories(
    pairs: stats.Pairs,
    policy: Policy,
    *,
    of_candidate: bool,
) -> dict[str, CategoryScore]:
    scores: dict[str, CategoryScore] = {}
    if _has_many(pairs):
        return scores
    for name, part in pairs.by_category():
        table = part.candidate if of_candidate else part.baseline
        mean = stats.mean_score(
            table,
            variants=part.variants[of_candidate],
            groups=part.groups,
            level=policy.level,
            seed=policy.seed,
        )
        limits = None if mean.lower is None or mean.upper is None else (mean.lower, mean.upper)
        scores[name] = CategoryScore(items=mean.items, score=mean.score, interval=limits)
    return scores
