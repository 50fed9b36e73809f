"""How far the runs are that have begun and not ended, read from the store by another process."""

from collections import Counter
from datetime import UTC, datetime

from afere.domain import Invocation, Outcome, Row, RunPlan, Store
from afere.report import RunProgress

__all__ = ["progress_of"]

RECENT = 60.0  # seconds over which the speed is measured
GIVEN_UP = 86_400.0  # seconds of silence after which an unfinished run is no longer watched


async def progress_of(store: Store, now: float) -> list[RunProgress]:
    """Give the runs under way, the earliest begun first.

    A run whose process was killed looks the same as one that waits: after a day of silence it is
    left out.
    """
    found = []
    for plan, invocation in await store.plans():
        if invocation.finished is None:
            progress = await _progress(store, plan, invocation, now)
            if progress.silent < GIVEN_UP:
                found.append(progress)
    return found


async def _progress(store: Store, plan: RunPlan, begun: Invocation, now: float) -> RunProgress:
    run = await store.run(plan.id)
    rows = () if run is None else run.rows
    done = [row for row in rows if row.grade.outcome is not Outcome.NOT_ASKED]
    times = [at for row in done if (at := _at(row)) is not None and at >= begun.started]
    left = plan.rows - len(done)
    rate = _rate(times, begun.started, now)
    sent = await store.asked(plan.endpoint, now - RECENT)
    recent = sum(at > now - RECENT for at in times)
    outputs = [row.tokens.output for row in done if row.tokens.output is not None]
    return RunProgress(
        run=plan.id,
        suite=plan.suite_name,
        model=f"{plan.name}@{plan.series}" if plan.series else plan.name,
        done=len(done),
        rows=plan.rows,
        outcomes=dict(Counter(row.grade.outcome.value for row in done)),
        started=datetime.fromtimestamp(begun.started, UTC).isoformat(timespec="seconds"),
        silent=max(now - max(times, default=begun.started), 0.0),
        rate=rate,
        left=left / rate if rate else None,
        waiting=max(sent.get(plan.model, 0) - recent, 0),
        cost=_cost(plan, done),
        tokens=sum(outputs) if outputs else None,
    )


def _at(row: Row) -> float | None:
    return row.error.failed_at if row.error is not None else row.answered_at


def _rate(times: list[float], started: float, now: float) -> float | None:
    """Give the answers a second over the last minute, or since the start where that is later."""
    since = max(started, now - RECENT)
    recent = sum(at > since for at in times)
    return recent / (now - since) if recent and now > since else None


def _cost(plan: RunPlan, rows: list[Row]) -> float | None:
    """Give what the answers cost so far, by the plan's price in USD per million tokens."""
    if not plan.price:
        return None
    total = 0.0
    for row in rows:
        for name, tokens in (("input", row.tokens.input), ("output", row.tokens.output)):
            total += float(plan.price.get(name) or 0) * (tokens or 0) / 1e6
    return total
