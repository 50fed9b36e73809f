"""One run in numbers."""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from afere import stats
from afere.analysis.cautions import cut_rounds_warning, run_warnings
from afere.analysis.cells import Cells, cells_of
from afere.analysis.letters import letters_of, positions_of
from afere.analysis.passing import executed_of, passing_of
from afere.domain import (
    Calls,
    CategoryScore,
    ErrorSummary,
    Invocation,
    ItemLine,
    Latency,
    Outcome,
    PassRate,
    Row,
    Run,
    RunStatus,
    RunSummary,
    Sentence,
)

__all__ = ["UNCATEGORISED", "labels_of", "summarize"]

UNCATEGORISED = ""


def summarize(
    run: Run,
    *,
    level: float = 0.95,
    average: str | None = None,
    seed: int = 0,
    calls: Calls | None = None,
) -> RunSummary:
    """Give a run in numbers.

    The score is the mean over items of the means of their counted rows; under `average` macro (by
    default what the suite declares) every category weighs the same. Its interval is Wilson's for
    one round and a Dirichlet posterior for several; clustered where items share a group. `calls`
    are those of the last invocation unless given.

    A run in which a row is lost or was never asked is incomplete, and its score has bounds; one
    without a graded row is invalid and has no score.
    """
    cells = cells_of(run)
    plan = run.plan
    average = average or run.suite.average
    table = stats.score_table("scores", cells.scores, cells.columns)
    categories, groups = labels_of(cells)
    mean = stats.mean_score(
        table,
        variants=plan.variants,
        categories=categories if average == "macro" else None,
        groups=groups,
        level=level,
        seed=seed,
    )
    answered = [row for row in cells.rows if row is not None and row.error is None]
    lost = sum(1 for score in cells.scores if score != score)  # noqa: PLR0124 - NaN alone differs
    per_round = [each for each in mean.per_round if each is not None]
    cut = stats.rounds_with_losses(table, plan.variants)
    interval = _limits(mean.lower, mean.upper)
    pass_at, all_of = passing_of(
        cells,
        first=PassRate(items=mean.items, score=mean.score, interval=interval),
        categories=categories if average == "macro" else None,
        groups=groups,
        level=level,
        seed=seed,
    )
    dates = _dates(answered)
    last = run.invocations[-1] if run.invocations else Invocation(started=0.0)
    return RunSummary(
        run=run.id,
        suite=plan.suite_name,
        suite_hash=plan.suite_hash,
        model=plan.name,
        base_url=plan.base_url,
        rounds=plan.rounds,
        items=len(plan.items),
        scored=mean.items,
        score=mean.score,
        interval=interval,
        level=level,
        per_round=tuple(mean.per_round),
        round_min=min(per_round, default=None),
        round_max=max(per_round, default=None),
        round_sd=stats.deviation(per_round),
        noise_floor=stats.floor_of(mean.rerun_variance),
        average=average,
        categories=_categories(cells, level, seed),
        outcomes=_outcomes(cells.rows),
        round_outcomes=tuple(_outcomes(rows) for rows in cells.of_rounds()),
        bounds=mean.bounds,
        status=_status(mean.items, lost),
        started=_moment(run.invocations[0].started if run.invocations else None),
        finished=_moment(last.finished),
        series=plan.series,
        served_model=_commonest(row.served_model for row in answered),
        fingerprint=_commonest(row.fingerprint for row in answered),
        letters=letters_of(cells),
        positions=positions_of(cells),
        items_table=tuple(_line(item, rows) for item, rows in cells.of_items()),
        calls=calls or last.calls,
        tokens=_tokens(answered),
        cost=_cost(answered, plan.price),
        latency=_latency(answered),
        resume_after=_moment(last.resume_after),
        params=plan.params,
        rules=dict(Counter(row.grade.rule for row in answered if row.grade.rule)),
        first_error=_first_error(cells, last),
        answered_from=dates[0],
        answered_to=dates[1],
        warnings=(*run_warnings(cells, answered), *_told_cut(cut, mean.per_round)),
        cut_rounds=cut,
        executed=executed_of(answered),
        pass_at=pass_at,
        all_of=all_of,
    )


def labels_of(cells: Cells) -> tuple[stats.Labels | None, stats.Labels | None]:
    """Give the categories and the groups of a run's items, None where no item has one."""
    items = cells.items()
    categories = [item.category if item else None for item in items]
    groups = [item.group if item else None for item in items]
    n = len(items)
    return (
        stats.labels("categories", categories, n) if any(categories) else None,
        stats.labels("groups", groups, n, alone=True) if any(groups) else None,
    )


def _told_cut(cut: Sequence[int], per_round: Sequence[float | None]) -> tuple[Sentence, ...]:
    """Speak of rounds that have a score, since they alone are marked."""
    if len(per_round) < 2:  # noqa: PLR2004 - one round is the whole run
        return ()
    return cut_rounds_warning([number for number in cut if per_round[number - 1] is not None])


def _categories(cells: Cells, level: float, seed: int) -> Mapping[str, CategoryScore]:
    """Give each category's score; items without a category stand under an empty name."""
    items = cells.items()
    if not any(item and item.category for item in items):
        return {}
    rows: dict[str, array[float]] = {}
    for place, item in enumerate(items):
        name = (item.category if item else None) or UNCATEGORISED
        start = place * cells.columns
        rows.setdefault(name, array("d")).extend(cells.scores[start : start + cells.columns])
    return {name: _category(rows[name], cells, level, seed) for name in sorted(rows)}


def _category(scores: "array[float]", cells: Cells, level: float, seed: int) -> CategoryScore:
    table = stats.score_table("scores", scores, cells.columns)
    mean = stats.mean_score(table, variants=cells.run.plan.variants, level=level, seed=seed)
    return CategoryScore(
        items=mean.items,
        score=mean.score,
        interval=_limits(mean.lower, mean.upper),
    )


def _limits(lower: float | None, upper: float | None) -> tuple[float, float] | None:
    return None if lower is None or upper is None else (lower, upper)


def _outcomes(rows: Iterable[Row | None]) -> Mapping[str, int]:
    counts = Counter(Outcome.NOT_ASKED if row is None else row.grade.outcome for row in rows)
    return {outcome.value: counts[outcome] for outcome in Outcome if counts[outcome]}


def _status(items: int, lost: int) -> RunStatus:
    if items == 0:
        return RunStatus.INVALID
    return RunStatus.INCOMPLETE if lost else RunStatus.COMPLETE


def _line(item: str, rows: Sequence[Row | None]) -> ItemLine:
    counted = [row for row in rows if row is not None and row.grade.outcome.counts]
    return ItemLine(
        item=item,
        right=sum(row.grade.outcome is Outcome.RIGHT for row in counted),
        rounds=len(counted),
        seconds_asking=_mean(row.latency for row in counted),
        seconds_executing=_mean(row.grade.seconds for row in counted),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _tokens(rows: Sequence[Row]) -> Mapping[str, int | None]:
    sums: dict[str, int | None] = {}
    for name in ("input", "output", "reasoning"):
        known = [count for row in rows if (count := getattr(row.tokens, name)) is not None]
        sums[name] = sum(known) if known else None
    return sums


def _cost(rows: Sequence[Row], price: Mapping[str, Any]) -> float | None:
    """Give USD from a price per million tokens; None where price or tokens are not known."""
    tokens = _tokens(rows)
    parts = [(tokens[name], price.get(name)) for name in ("input", "output")]
    known = [(count, each) for count, each in parts if count is not None and each is not None]
    if not known:
        return None
    return sum(count * float(each) for count, each in known) / 1_000_000


def _latency(rows: Sequence[Row]) -> Latency:
    seconds = sorted(row.latency for row in rows if row.latency is not None)
    return Latency(p50=_quantile(seconds, 0.5), p95=_quantile(seconds, 0.95))


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    """Interpolate linearly between the two nearest values."""
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _commonest(values: Iterable[str | None]) -> str | None:
    counts = Counter(value for value in values if value is not None)
    return max(counts, key=lambda value: (counts[value], value)) if counts else None


def _first_error(cells: Cells, last: Invocation) -> ErrorSummary | None:
    """Give the failure that came first in time, else what stopped the run."""
    failed = [row for row in cells.rows if row is not None and row.error is not None]
    if failed:
        row = min(failed, key=lambda each: each.error.failed_at if each.error else 0.0)
        item, failure = row.item, row.error
    else:
        item, failure = None, last.stopped_by
    if failure is not None:
        return ErrorSummary(
            item=item,
            kind=failure.kind.value,
            status=failure.status,
            message=failure.message,
            body=failure.body[:200],
        )
    for graded in cells.rows:
        if graded is not None and graded.grade.outcome is Outcome.GRADER_ERROR:
            message = f"the grader {graded.grade.grader} could not judge the answer"
            return ErrorSummary(item=graded.item, kind="grader", status=None, message=message)
    return None


def _dates(rows: Sequence[Row]) -> tuple[str | None, str | None]:
    moments = [row.answered_at for row in rows if row.answered_at]
    if not moments:
        return None, None
    return _text(min(moments))[:10], _text(max(moments))[:10]


def _moment(seconds: float | None) -> str | None:
    return _text(seconds) if seconds else None


def _text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
