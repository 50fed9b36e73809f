"""What lies behind the difference of two runs: asked of the analysis wherever the runs can tell."""

from collections.abc import Iterator

from afere.domain import Behind, Exposure, Policy, Run, Sentence, Suite, UsageError

__all__ = ["behind"]


def behind(baseline: Run, candidate: Run, policy: Policy) -> Behind:
    """Trace a difference to categories, outcomes, items, letters and dates.

    Raises UsageError where the runs share no item.
    """
    from afere import analysis

    asked = {item.id: item for run in (baseline, candidate) for item in run.suite.items}
    dated = any(item.date for item in asked.values())
    found = list(_exposures(baseline, candidate, policy))
    return Behind(
        drivers=analysis.drivers(baseline, candidate, policy),
        exposures=tuple(each for each in found if isinstance(each, Exposure)),
        notes=tuple(each for each in found if isinstance(each, Sentence)),
        no_cutoff=tuple(
            dict.fromkeys(
                run.plan.name for run in (baseline, candidate) if dated and not run.plan.cutoff
            ),
        ),
        public_items=sum(_public(baseline.suite).values()),
        left_out=_left_out(baseline.suite),
        source=_source([item.source for item in asked.values()]),
    )


def _exposures(baseline: Run, candidate: Run, policy: Policy) -> Iterator[Exposure | Sentence]:
    """Look at each model before and after its cut-off, and on public items against the others."""
    from afere import analysis

    for run, other in ((baseline, candidate), (candidate, baseline)):
        if run.plan.cutoff and any(item.date for item in run.suite.items):
            try:
                yield analysis.around_cutoff(run, reference=other, level=policy.level)
            except UsageError:
                yield Sentence(
                    "{model}: no graded item is dated before its cut-off {cutoff}, or none after "
                    "it: nothing can be said of training",
                    model=run.plan.name,
                    cutoff=run.plan.cutoff,
                )
        if len(set(_public(run.suite).values())) > 1:
            try:
                yield analysis.public_against_private(run, level=policy.level)
            except UsageError:
                yield Sentence(
                    "{model}: nothing was graded of the public items, or of the others",
                    model=run.plan.name,
                )


def _public(suite: Suite) -> dict[str, bool]:
    return {item.id: item.public or suite.public for item in suite.items}


def _left_out(suite: Suite) -> int:
    """Give how many questions of an exam the suite says that it leaves out."""
    count = suite.metadata.get("left_out", 0)
    return count if isinstance(count, int) else 0


def _source(sources: list[str | None]) -> str:
    one = set(sources)
    return (one.pop() or "") if len(one) == 1 else ""
