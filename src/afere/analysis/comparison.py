"""A candidate against a baseline on the same items, judged under a policy."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from afere import stats
from afere.analysis.cautions import comparison_warnings
from afere.analysis.cells import cells_of
from afere.analysis.pairing import Matched, differing, match, match_tables
from afere.analysis.summary import summarize
from afere.analysis.tables import table_summary
from afere.analysis.verdict import Reasons, interval_verdict, names_of, reason
from afere.domain import (
    Comparison,
    LostBounds,
    Needed,
    NoiseFloor,
    PairedCounts,
    Policy,
    Run,
    RunSummary,
    ScoreTable,
    Sentence,
    Unmatched,
    UsageError,
    VerdictKind,
)

__all__ = ["compare", "compare_scores", "compare_tables"]


def compare(baseline: Run, candidate: Run, policy: Policy | None = None) -> Comparison:
    """Judge a candidate against a baseline on the items that both runs have.

    Items pair by id, right answer and text; a pair is lost where a side lacks a counted row in a
    round that was asked. One interval decides (see `afere.stats.paired_difference`); lost pairs
    that could turn the verdict make it invalid.

    Raises UsageError where no item is shared, and for a margin or level that is no fraction.
    """
    policy = policy or Policy()
    _check(policy)
    ours, theirs = cells_of(baseline), cells_of(candidate)
    matched = match(ours, theirs)
    average = policy.average or baseline.suite.average
    return _comparison(
        matched,
        (
            summarize(baseline, level=policy.level, average=average, seed=policy.seed),
            summarize(candidate, level=policy.level, average=average, seed=policy.seed),
        ),
        policy,
        average,
        differing=dict(differing(baseline, candidate)),
    )


def compare_scores(  # noqa: PLR0913 - the library's verb: data, and options by name
    baseline: stats.Table,
    candidate: stats.Table,
    *,
    margin: float = 0.02,
    level: float = 0.95,
    seed: int = 0,
    categories: Sequence[str | None] | None = None,
    groups: Sequence[str | None] | None = None,
    average: str | None = None,
    items: Sequence[str] | None = None,
    names: tuple[str, str] = ("baseline", "candidate"),
) -> Comparison:
    """Judge scores made elsewhere: two tables of the same items, a row an item, rounds in columns.

    Scores are fractions from 0 to 1 (true and false too); None and NaN are lost rows, never 0. A
    flat sequence is one round. `categories` given means that every category weighs the same,
    unless `average="micro"`; items that share one of `groups` count as one unit. `items` are the
    rows' ids, `names` those of the two models.

    Raises UsageError for scores outside [0, 1], tables that do not fit one another, two items of
    one id, and a margin or level that is no fraction.
    """
    average = average or ("micro" if categories is None else "macro")
    policy = Policy(margin=margin, level=level, average=average, seed=seed)
    _check(policy)
    try:
        pairs = stats.pairs(baseline, candidate, categories=categories, groups=groups)
    except ValueError as error:
        raise UsageError(str(error)) from error
    ids = _ids(items, pairs.items)
    summaries = (
        table_summary(pairs, names[0], policy, of_candidate=False),
        table_summary(pairs, names[1], policy, of_candidate=True),
    )
    return _comparison(Matched(ids, pairs, Unmatched()), summaries, policy, average)


def compare_tables(
    baseline: ScoreTable,
    candidate: ScoreTable,
    policy: Policy | None = None,
) -> Comparison:
    """Judge two result files: rows of (item, round, score), items paired by id.

    A row that is not there in a round that its table has is lost. The average is over items
    unless the policy says macro. Raises UsageError as `compare_scores` does, for two rows of one
    item and round, and where no item is shared.
    """
    policy = policy or Policy()
    _check(policy)
    matched = match_tables(baseline, candidate)
    names = baseline.model or "baseline", candidate.model or "candidate"
    average = policy.average or "micro"
    used = replace(policy, average=average)
    summaries = (
        table_summary(matched.pairs, names[0], used, of_candidate=False),
        table_summary(matched.pairs, names[1], used, of_candidate=True),
    )
    return _comparison(matched, summaries, used, average)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """A difference with its verdict; without one where no pair is whole."""

    difference: stats.Difference | None
    verdict: VerdictKind
    within: bool


def _comparison(
    matched: Matched,
    summaries: tuple[RunSummary, RunSummary],
    policy: Policy,
    average: str,
    differing: dict[str, tuple[object, object]] | None = None,
) -> Comparison:
    pairs = matched.pairs
    macro = average == "macro"
    complete = pairs.complete
    excluded = pairs.items - int(complete.size)
    seen = _judge(pairs.at(complete), policy, macro=macro)
    bounds = _bounds(pairs, policy, macro=macro) if excluded else None
    verdict, within = seen.verdict, seen.within
    if seen.difference is None or _turns(bounds, verdict):
        verdict, within = VerdictKind.INVALID, False
    difference = seen.difference
    names = names_of(*summaries)
    facts = Reasons(
        names=names,
        difference=difference,
        verdict=verdict,
        within=within,
        margin=policy.margin,
        level=policy.level,
        excluded=excluded,
        items=pairs.items,
        bounds=bounds,
        ungraded=tuple(each for each, of in zip(names, summaries, strict=True) if of.score is None),
    )
    ids = [matched.ids[place] for place in complete.tolist()] if matched.ids else []
    return Comparison(
        suite=summaries[0].suite,
        baseline=summaries[0],
        candidate=summaries[1],
        paired=_paired(difference, excluded),
        difference=difference.estimate if difference else None,
        interval=_interval(difference),
        level=policy.level,
        method=difference.method if difference else "none",
        p_value=difference.p_value if difference else None,
        p_exact=difference.p_exact if difference else None,
        margin=policy.margin,
        verdict=verdict,
        within_margin=within,
        why=reason(facts),
        needed=_needed(difference, policy),
        noise_floor=_noise(difference),
        average=average,
        unmatched=matched.unmatched,
        bounds=bounds,
        groups=difference.groups if difference else None,
        seed=policy.seed,
        only_baseline_items=_named(ids, difference.only_baseline if difference else []),
        only_candidate_items=_named(ids, difference.only_candidate if difference else []),
        differing=differing or {},
        warnings=(
            *comparison_warnings(*summaries),
            *_pair_warnings(matched, excluded, difference, macro=macro),
        ),
    )


def _check(policy: Policy) -> None:
    """Refuse settings that are no fractions, as 2 or 95 for per cent."""
    if not 0 <= policy.margin <= 1:
        raise UsageError(
            f"margin is a fraction between 0 and 1, not {policy.margin}; 2 points are 0.02",
        )
    if not 0 < policy.level < 1:
        raise UsageError(
            f"level is a fraction between 0 and 1, not {policy.level}; 95 % is 0.95",
        )
    if policy.average not in {None, "micro", "macro"}:
        raise UsageError(f"average is micro or macro, not {policy.average}")


def _ids(items: Sequence[str] | None, rows: int) -> tuple[str, ...]:
    if items is None:
        return ()
    ids = tuple(str(item) for item in items)
    if len(ids) != rows:
        raise UsageError(f"{len(ids)} items are named for {rows} rows of scores")
    if len(set(ids)) != len(ids):
        twice = next(item for place, item in enumerate(ids) if item in ids[:place])
        raise UsageError(f"item {twice} is there twice; ids are texts, and name one item each")
    return ids


def _judge(pairs: stats.Pairs, policy: Policy, *, macro: bool) -> _Judged:
    if not pairs.items:
        return _Judged(difference=None, verdict=VerdictKind.INVALID, within=False)
    difference = stats.paired_difference(
        pairs,
        macro=macro,
        level=policy.level,
        margin=policy.margin,
        seed=policy.seed,
    )
    interval = _interval(difference)
    if interval is None or difference.too_few_groups or difference.items < 2:  # noqa: PLR2004 - one decides nothing
        return _Judged(difference=difference, verdict=VerdictKind.UNDECIDED, within=False)
    verdict, within = interval_verdict(interval, policy.margin)
    return _Judged(difference=difference, verdict=verdict, within=within)


def _bounds(pairs: stats.Pairs, policy: Policy, *, macro: bool) -> LostBounds:
    """Judge with every lost row against the candidate, and with every one for it."""
    against = _judge(pairs.filled(baseline=1.0, candidate=0.0), policy, macro=macro)
    in_favour = _judge(pairs.filled(baseline=0.0, candidate=1.0), policy, macro=macro)
    return LostBounds(lo_verdict=against.verdict, hi_verdict=in_favour.verdict)


def _turns(bounds: LostBounds | None, verdict: VerdictKind) -> bool:
    return bounds is not None and {bounds.lo_verdict, bounds.hi_verdict} != {verdict}


def _interval(difference: stats.Difference | None) -> tuple[float, float] | None:
    if difference is None or difference.lower is None or difference.upper is None:
        return None
    return difference.lower, difference.upper


def _paired(difference: stats.Difference | None, excluded: int) -> PairedCounts:
    if difference is None:
        return PairedCounts(
            items=0,
            excluded=excluded,
            both_right=0,
            only_baseline=0,
            only_candidate=0,
            both_wrong=0,
        )
    counts = difference.counts
    return PairedCounts(
        items=difference.items,
        excluded=excluded,
        both_right=counts.both_right,
        only_baseline=counts.only_baseline,
        only_candidate=counts.only_candidate,
        both_wrong=counts.both_wrong,
        split=counts.split,
    )


def _needed(difference: stats.Difference | None, policy: Policy) -> Needed:
    if difference is None:
        return Needed(items_even=None, items_80_power=None, rounds_help=False)
    shown, same = stats.items_to_decide(
        difference.items,
        difference.estimate,
        difference.variance,
        policy.margin,
        policy.level,
    )
    return Needed(
        items_even=shown.items_even,
        items_80_power=shown.items,
        rounds_help=_rounds_help(difference, policy),
        items_equivalence=same.items or None,
    )


def _rounds_help(difference: stats.Difference, policy: Policy) -> bool:
    """Tell whether endless rounds of these items would decide what these rounds do not."""
    now = _interval(difference)
    if now is None or difference.without_noise is None or difference.too_few_groups:
        return False
    undecided = interval_verdict(now, policy.margin)[0] is VerdictKind.UNDECIDED
    then = interval_verdict(difference.without_noise, policy.margin)[0]
    return undecided and then is not VerdictKind.UNDECIDED


def _noise(difference: stats.Difference | None) -> NoiseFloor:
    first, second = difference.noise if difference else (None, None)
    return NoiseFloor(
        baseline=stats.floor_of(first),
        candidate=stats.floor_of(second),
        difference=stats.floor_of(first, second),
    )


def _named(ids: Sequence[str], places: Sequence[int]) -> tuple[str, ...]:
    return tuple(ids[place] for place in places) if ids else ()


def _pair_warnings(
    matched: Matched,
    excluded: int,
    difference: stats.Difference | None,
    *,
    macro: bool,
) -> list[Sentence]:
    said = []
    if excluded:
        said.append(
            Sentence(
                "{excluded} of {items} pairs are left out: a side lacks an answer",
                excluded=excluded,
                items=matched.pairs.items,
            ),
        )
    if len(matched.unmatched):
        said.append(
            Sentence(
                "{items} items are not the same on both sides and are left out",
                items=len(matched.unmatched),
            ),
        )
    if macro and matched.pairs.categories is None:
        said.append(Sentence("no item has a category: the average is over items"))
    if difference is not None and difference.too_few_groups:
        said.append(
            Sentence(
                "the items come in {groups} groups: fewer than 8 decide nothing",
                groups=difference.groups,
            ),
        )
    if difference is not None and difference.wider:
        said.append(
            Sentence(
                "answers within a group are less alike than chance: "
                "the wider interval of independent items is used",
            ),
        )
    return said
