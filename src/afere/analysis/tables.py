"""Summaries of scores that came as tables, without answers behind them."""

from afere import stats
from afere.analysis.cautions import cut_rounds_warning
from afere.domain import Calls, CategoryScore, Latency, Policy, RunStatus, RunSummary

__all__ = ["table_summary"]


def table_summary(
    pairs: stats.Pairs,
    name: str,
    policy: Policy,
    *,
    of_candidate: bool,
) -> RunSummary:
    """Give the numbers of one side of a table of pairs; what needs answers is empty."""
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
        warnings=cut_rounds_warning(cut) if len(mean.per_round) > 1 else (),
        cut_rounds=cut,
    )


def _categories(
    pairs: stats.Pairs,
    policy: Policy,
    *,
    of_candidate: bool,
) -> dict[str, CategoryScore]:
    scores = {}
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
