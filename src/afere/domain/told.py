"""Results as a person at a prompt reads them: `str()` and a notebook's `_repr_html_`.

The words are plain English and few; the whole report, in three languages, is the command line's.
"""

from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afere.domain.results import Comparison, RunSummary
    from afere.domain.studies import Ranking, SuitePlan

__all__ = ["Told", "comparison_text", "plan_text", "ranking_text", "run_text", "text_of"]

Limits = tuple[float, float]

_SHOWN = 20


class Told:
    """Shows a result in a notebook as the text of `str()`, with every character escaped."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def comparison_text(comparison: "Comparison") -> str:
    """Tell a comparison: the verdict in a sentence, then its numbers."""
    paired, needed = comparison.paired, comparison.needed
    points = "–" if comparison.difference is None else f"{100 * comparison.difference:+.1f} points"
    limits = _interval(comparison.interval, comparison.level, scale="points")
    facts = [
        ("baseline", _side(comparison.baseline)),
        ("candidate", _side(comparison.candidate)),
        ("difference", f"{points}{limits}, margin {100 * comparison.margin:g}"),
        (
            "items",
            (
                f"{paired.items}: {paired.both_right} both right, {paired.only_baseline} only the "
                f"baseline, {paired.only_candidate} only the candidate, "
                f"{paired.both_wrong} both wrong"
            ),
        ),
    ]
    if paired.excluded:
        facts.append(("left out", f"{paired.excluded} pairs that lack an answer"))
    if len(comparison.unmatched):
        facts.append(("unmatched", f"{len(comparison.unmatched)} items not the same on both sides"))
    if comparison.verdict == "undecided" and needed.items_80_power is not None:
        even, likely = needed.items_even, needed.items_80_power
        items = f"about {even} items (an even chance), {likely} (80 % power), at the rates seen"
        facts.append(("would decide", items))
    if comparison.noise_floor.difference is not None:
        floor = 100 * comparison.noise_floor.difference
        facts.append(("noise floor", f"{floor:.1f} points between reruns of the same items"))
    head = f"{comparison.verdict.value}: {comparison.why}"
    return _text(head, facts, comparison.warnings)


def run_text(summary: "RunSummary") -> str:
    """Tell a run: its score, how the answers came out, what they cost."""
    score = "no score" if summary.score is None else f"{100 * summary.score:.1f} %"
    limits = _interval(summary.interval, summary.level)
    facts = [
        ("run", " ".join(part for part in (summary.run, summary.status.value) if part)),
        ("suite", f"{summary.suite or '–'}, {summary.items} items, {summary.rounds} rounds"),
        ("answers", _counts(summary.outcomes)),
        ("by round", " / ".join(_percent(each) for each in summary.per_round)),
        *(
            (name or "(no category)", f"{_percent(each.score)} of {each.items}")
            for name, each in list(summary.categories.items())[:_SHOWN]
        ),
    ]
    if summary.cost is not None:
        facts.append(("cost", f"${summary.cost:.4g}"))
    return _text(f"{summary.model}: {score}{limits}", facts, summary.warnings)


def ranking_text(ranking: "Ranking") -> str:
    """Tell a ranking: a line a model, the best first."""
    facts = [
        (
            model.model,
            f"{_percent(model.score)}{_interval(model.interval, ranking.level)}"
            + (" could be the best" if model.could_be_best else "")
            + ("" if model.status == "complete" else f" {model.status.value}")
            + ("" if model.tied_group is not None else " no place"),
        )
        for model in ranking.models
    ]
    head = f"{ranking.suite}: {len(ranking.models)} models, {ranking.questions.items} shared items"
    return _text(head, facts, ranking.warnings)


def plan_text(plan: "SuitePlan") -> str:
    """Tell a plan: what it costs and what it can show."""
    shown = "none" if plan.detectable is None else f"{100 * plan.detectable:.1f} points"
    facts = [
        ("smallest difference shown", shown),
        ("items for the difference", str(plan.needed.difference or "–")),
        ("items for equivalence", str(plan.needed.equivalence or "–")),
        ("cost", "–" if plan.cost is None else f"${plan.cost:.4g}"),
    ]
    head = f"{plan.items} items × {plan.rounds} rounds = {plan.calls} calls"
    return _text(head, facts, plan.warnings)


def text_of(head: str) -> str:
    """Give a line of text in which nothing moves a cursor."""
    return _text(head, (), ())


def _side(summary: "RunSummary") -> str:
    score = f"{_percent(summary.score)}{_interval(summary.interval, summary.level)}"
    return f"{summary.model}: {score}"


def _percent(score: float | None) -> str:
    return "–" if score is None else f"{100 * score:.1f} %"


def _interval(limits: Limits | None, level: float, *, scale: str = "%") -> str:
    if limits is None:
        return ""
    sign = "+" if scale == "points" else ""
    low, high = (f"{100 * limit:{sign}.1f}" for limit in limits)
    return f" ({100 * level:g} % interval {low} to {high})"


def _counts(outcomes: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in outcomes.items()) or "–"


def _text(head: str, facts: Iterable[tuple[str, str]], warnings: Iterable[str]) -> str:
    """Write a headline, a fact a line, and the warnings; nothing in them moves a cursor."""
    known = [(_harmless(name), _harmless(value)) for name, value in facts]
    width = max((len(name) for name, _ in known), default=0)
    lines = [_harmless(head), *(f"  {name:{width}}  {value}" for name, value in known)]
    return "\n".join([*lines, *(f"  warning: {_harmless(text)}" for text in warnings)])


def _harmless(text: str) -> str:
    """Write control characters, line breaks and marks of direction as escapes."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape", "surrogatepass").decode()
        for each in text
    )
