"""The first page of the live view: what is under way, and what the store holds, by suite."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from afere.domain import Invocation, RunPlan
from afere.report.filling import asset, fill, in_script
from afere.report.harmless import one_line
from afere.report.page import page_policy
from afere.report.progress import RunProgress, progress_cells, progress_heads
from afere.report.runs import run_state
from afere.report.words import ENGLISH, Words

__all__ = ["library_page", "progress_rows"]

_NAME = 60
_LISTED = 500  # runs of one suite
_PAIRS = 12
_RANKED = 40  # models that one link can name
Listed = Sequence[tuple[RunPlan, Invocation]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shelf:
    """One suite: links to its ranking and comparisons, its runs, the latest first."""

    name: str
    ranking: str
    pairs: list[tuple[str, str, str]]
    runs: Sequence[tuple[str, ...]]
    more: int


def library_page(
    plans: Listed,
    running: Iterable[RunProgress],
    *,
    store: str,
    words: Words = ENGLISH,
) -> str:
    """Give the page as HTML; its script asks the server that gave it how the runs get on.

    plans: all of the store, the latest last. store: what it is called, without a password.
    """
    style, script = asset("page.css"), asset("library.js")
    told = {"progress": "progress.json", "running": words.say("Nothing is running.")}
    return fill(
        "library",
        words,
        style=style,
        script=script,
        policy=page_policy(style, script, more="connect-src 'self'; "),
        store=store,
        shelves=_shelves(plans, words),
        heads=progress_heads(words),
        running=progress_rows(running, words),
        data=in_script(told),
    )


def progress_rows(running: Iterable[RunProgress], words: Words) -> list[list[object]]:
    """Give each run under way as its share of 1, its link, and its cells."""
    return [
        [
            each.done / each.rows if each.rows else 1.0,
            _link([each.run]),
            *progress_cells(each, words),
        ]
        for each in running
    ]


def _shelves(plans: Listed, words: Words) -> list[_Shelf]:
    by_suite: dict[str, list[tuple[RunPlan, Invocation]]] = {}
    for plan, invocation in reversed(plans):
        by_suite.setdefault(plan.suite_name, []).append((plan, invocation))
    return [_shelf(name, found, words) for name, found in by_suite.items()]


def _shelf(name: str, found: Listed, words: Words) -> _Shelf:
    latest: dict[str, RunPlan] = {}
    for plan, invocation in found:
        if not plan.probe and invocation.finished is not None:
            latest.setdefault(_label(plan), plan)
    newest_first = list(latest.items())
    pairs = [
        (_link([ours.id, theirs.id]), base, candidate)
        for place, (candidate, theirs) in enumerate(newest_first)
        for base, ours in newest_first[place + 1 :]
    ]
    runs = [
        (
            plan.id,
            _link([plan.id]),
            one_line(_label(plan), _NAME),
            words.count(len(plan.items)),
            words.count(plan.rounds),
            words.moment(invocation.started),
            words.say("{state}, a probe", state=words.say(run_state(invocation)))
            if plan.probe
            else words.say(run_state(invocation)),
        )
        for plan, invocation in found[:_LISTED]
    ]
    return _Shelf(
        name=name,
        ranking=_link([plan.id for plan in latest.values()][:_RANKED]) if len(latest) > 2 else "",  # noqa: PLR2004 - more than a pair
        pairs=pairs[:_PAIRS],
        runs=runs,
        more=len(found) - len(runs),
    )


def _label(plan: RunPlan) -> str:
    return f"{plan.name}@{plan.series}" if plan.series else plan.name


def _link(runs: Sequence[str]) -> str:
    return "page?" + urlencode([("run", run) for run in runs])
