"""Which run a user means: an id, the beginning of one, `latest`, or a model's name."""

from collections.abc import Sequence
from pathlib import Path

from afere.domain import Invocation, Run, RunPlan, Store, UsageError

__all__ = ["file_fault", "find_pair", "find_run", "last_two", "latest_runs"]

Listed = Sequence[tuple[RunPlan, Invocation]]
SHORTEST_ID = 2


async def find_run(store: Store, text: str, suite: str | None = None) -> Run:
    """Give the run of an id, a unique beginning of one, `latest`, or a model's latest run.

    `suite` is that of a model's run; an id is of the suite that it has.
    """
    listed = await store.plans()
    found = _one_run(listed, text) or _latest(listed, text, suite=suite)
    if found is None:
        raise _unknown(listed, text)
    return await _load(store, found)


async def find_pair(
    store: Store,
    baseline: str,
    candidate: str,
    suite: str | None = None,
) -> tuple[Run, Run]:
    """Give the two runs; a model's name is its latest run of the newest suite both sides have."""
    listed = await store.plans()
    by_id = {text: _one_run(listed, text) for text in (baseline, candidate)}
    names = [text for text, plan in by_id.items() if plan is None]
    for text in names:
        if not _runs_of(listed, text):
            raise _unknown(listed, text)
    wanted = suite or _shared_suite(listed, by_id)
    if wanted is None:
        raise UsageError(
            f"{baseline} and {candidate} have no suite in common.\n"
            "Run one suite with both: afere run SUITE -m MODEL -m OTHER",
        )
    sides = []
    for text, plan in by_id.items():
        side = plan or _latest(listed, text, suite=wanted)
        if side is None:
            raise UsageError(
                f"{text} has no finished run of suite {wanted}.\n"
                f"Type: afere run {wanted} -m {text}",
            )
        sides.append(await _load(store, side))
    if len(sides) == 1 or sides[0].id == sides[1].id:
        raise UsageError(
            f"{baseline} and {candidate} are the same run.\n"
            "Name two runs or two models: afere runs",
        )
    return (sides[0], sides[1])


async def last_two(store: Store, suite: str | None = None) -> tuple[Run, Run]:
    """Give the latest runs of the two models of the last suite, the earlier one as baseline."""
    listed = [entry for entry in await store.plans() if not entry[0].probe]
    if suite is not None:
        listed = [entry for entry in listed if entry[0].suite_name == suite]
    if not listed:
        raise UsageError(
            "There is no run to compare yet.\nType first: afere run SUITE -m MODEL -m OTHER",
        )
    last = listed[-1][0].suite_name
    latest: dict[str, RunPlan] = {}
    for plan, invocation in listed:
        if plan.suite_name == last and _is_finished(invocation):
            latest.pop(_label(plan), None)
            latest[_label(plan)] = plan
    if len(latest) != 2:  # noqa: PLR2004 - a pair
        names = ", ".join(latest) or "none that finished"
        raise UsageError(
            f"Suite {last} has runs of {len(latest)} models ({names}), not of two.\n"
            + (
                f"Type: afere compare BASELINE CANDIDATE --suite {last}"
                if len(latest) > 2  # noqa: PLR2004 - more than a pair
                else f"Type first: afere run {last} -m OTHER"
            ),
        )
    baseline, candidate = latest.values()
    return (await _load(store, baseline), await _load(store, candidate))


async def latest_runs(
    store: Store,
    suite: str | None = None,
    names: Sequence[str] = (),
) -> list[Run]:
    """Give the latest finished run of each model of a suite, probes passed over.

    names: models, or `MODEL@SERIES`; without any all that have a run of the suite. Without a suite
    it is the newest that all named models have, or the last of the store.
    """
    listed = [entry for entry in await store.plans() if not entry[0].probe]
    for name in names:
        if not _runs_of(listed, name):
            raise _unknown(listed, name)
    wanted = suite or _newest_suite(listed, names)
    of_suite = [entry for entry in listed if entry[0].suite_name == wanted]
    if not of_suite:
        raise _no_runs(listed, suite, names)
    known = names or list(dict.fromkeys(_label(plan) for plan, _ in of_suite))
    found: dict[str, RunPlan] = {}
    for name in known:
        exact = [entry for entry in of_suite if names or _label(entry[0]) == name]
        latest = _latest(exact, name, suite=wanted)
        if latest is not None:
            found[latest.id] = latest
        elif names:
            raise UsageError(
                f"{name} has no finished run of suite {wanted}.\n"
                f"Type: afere run {wanted} -m {name}",
            )
    if not found:
        raise UsageError(
            f"Suite {wanted} has no finished run.\n"
            f"Type first: afere run {wanted} -m MODEL -m OTHER   (a run goes on where it stopped)",
        )
    return [await _load(store, plan) for plan in found.values()]


def _newest_suite(listed: Listed, names: Sequence[str]) -> str | None:
    if names:
        return _shared_suite(listed, dict.fromkeys(names))
    return listed[-1][0].suite_name if listed else None


def _no_runs(listed: Listed, suite: str | None, names: Sequence[str]) -> UsageError:
    if not listed:
        return UsageError(
            "There is no run to rank yet.\nType first: afere run SUITE -m MODEL -m OTHER"
        )
    if suite is None:
        return UsageError(
            f"{', '.join(names)} have no suite in common.\n"
            "Run one suite with all of them: afere run SUITE -m MODEL -m OTHER",
        )
    suites = ", ".join(sorted({plan.suite_name for plan, _ in listed}))
    return UsageError(f"The store has no run of suite {suite!r}.\nIt has: {suites}  (afere runs)")


def _label(plan: RunPlan) -> str:
    return f"{plan.name}@{plan.series}" if plan.series else plan.name


def _is_finished(invocation: Invocation) -> bool:
    return invocation.finished is not None and not invocation.interrupted


def _one_run(listed: Listed, text: str) -> RunPlan | None:
    """Give the run that an id or a beginning of one names; an ambiguous beginning is refused."""
    if text == "latest":
        whole = [plan for plan, _ in listed if not plan.probe]
        return whole[-1] if whole else None
    if len(text) < SHORTEST_ID:
        return None
    found = {plan.id: plan for plan, _ in listed if plan.id.startswith(text)}
    if len(found) > 1 and not _runs_of(listed, text):
        raise UsageError(
            f"{text} begins {len(found)} runs: {', '.join(found)}.\nType more of the id.",
        )
    return next(iter(found.values())) if len(found) == 1 else None


def _runs_of(listed: Listed, text: str) -> list[tuple[RunPlan, Invocation]]:
    return [(plan, last) for plan, last in listed if not plan.probe and _is_named(plan, text)]


def _is_named(plan: RunPlan, text: str) -> bool:
    if text in {plan.name, _label(plan)}:
        return True
    name, at, series = text.rpartition("@")
    return bool(at) and name == plan.name and series == plan.series


def _latest(listed: Listed, text: str, suite: str | None) -> RunPlan | None:
    finished = [
        plan
        for plan, invocation in _runs_of(listed, text)
        if _is_finished(invocation) and suite in {None, plan.suite_name}
    ]
    if finished:
        return finished[-1]
    begun = [plan for plan, _ in _runs_of(listed, text) if suite in {None, plan.suite_name}]
    return begun[-1] if begun else None


def _shared_suite(listed: Listed, by_id: dict[str, RunPlan | None]) -> str | None:
    """Find the suite of the newest run that every side has."""
    suites = [
        {plan.suite_name}
        if plan is not None
        else {each.suite_name for each, _ in _runs_of(listed, text)}
        for text, plan in by_id.items()
    ]
    shared = set.intersection(*suites)
    return next(
        (plan.suite_name for plan, _ in reversed(listed) if plan.suite_name in shared), None
    )


async def _load(store: Store, plan: RunPlan) -> Run:
    run = await store.run(plan.id)
    if run is None:
        raise UsageError(f"Run {plan.id} is not in the store.\nType: afere runs")
    return run


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False


def file_fault(text: str) -> UsageError | None:
    """Give what is wrong with a text that was meant as a file; None where it was not."""
    from afere.exchange import RESULT_SUFFIXES

    if text.lower().partition("::")[0].endswith(RESULT_SUFFIXES):
        return UsageError(
            f"There is no file {text}, and no run or model of that name.\n"
            "Look at the path: a result file is read where it stands.",
        )
    if _is_file(text):
        return UsageError(
            f"{text} is a file, and no result file: its name ends otherwise.\n"
            f"Give it unpacked, named as what it is: {', '.join(RESULT_SUFFIXES)}",
        )
    return None


def _unknown(listed: Listed, text: str) -> UsageError:
    if fault := file_fault(text):
        return fault
    names = sorted({_label(plan) for plan, _ in listed if not plan.probe})
    known = f"It has: {', '.join(names)}" if names else "It is empty: afere run SUITE -m MODEL"
    return UsageError(f"The store has no run and no model {text!r}.\n{known}  (afere runs)")
