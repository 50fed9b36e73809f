"""The page of a comparison: one HTML file that opens anywhere and asks the network for nothing.

It has no script. All that came from models, suites and servers is escaped by the template engine,
and what could steer the text's direction is written as an escape.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from afere.domain import (
    Comparison,
    Outcome,
    Response,
    Run,
    RunStatus,
    RunSummary,
    VerdictKind,
    encode,
)
from afere.report.harmless import address, harmless
from afere.report.items import ItemRow, item_rows
from afere.report.limits import unproven
from afere.report.pictures import (
    Scale,
    ScoreStrip,
    difference_picture,
    score_scale,
    score_strip,
)
from afere.report.sides import (
    both,
    cost_rows,
    differing_rows,
    left_out,
    lost_either_way,
    most_rounds,
    noise_sentence,
    paired_sentence,
    warning_texts,
)
from afere.report.trouble import missing
from afere.report.verdicts import (
    interval_of_difference,
    margin_sentence,
    names,
    needed_sentences,
    verdict_sentence,
)
from afere.report.words import ENGLISH, Words

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["comparison_page"]

_MINUS = "−"
_READABLE = "\n\t\u200c\u200d"  # line ends, tabs and joiners are part of a reply's text
_DIFFERING = 2_000
_SYMBOLS = {
    VerdictKind.BETTER: "▲",
    VerdictKind.WORSE: "▼",
    VerdictKind.EQUIVALENT: "=",
    VerdictKind.UNDECIDED: "?",
    VerdictKind.INVALID: "!",
}


def comparison_page(
    comparison: Comparison,
    baseline_run: Run,
    candidate_run: Run,
    responses: Mapping[str, Response] | None = None,
    *,
    words: Words = ENGLISH,
) -> str:
    """Give the whole page as HTML text, to be written in UTF-8.

    responses: the replies to show, by the key of their request (`Row.key`); without them the page
    shows what was read of each.
    """
    words = replace(words, minus=_MINUS)
    rows = item_rows(comparison, (baseline_run, candidate_run), responses or {}, words)
    style, difference = _style(), interval_of_difference(comparison, words=words)
    template = _environment().get_template("comparison.html")
    return template.render(
        words=words,
        say=words.say,
        style=style,
        policy=_policy(style),
        comparison=comparison,
        symbol=_SYMBOLS[comparison.verdict],
        names=names(comparison),
        sentence=verdict_sentence(comparison, words=words),
        remarks=_remarks(comparison, words),
        difference=difference,
        points=difference.partition(" ")[0],
        picture=difference_picture(comparison, words),
        models=_models(comparison, words),
        model_ticks=score_scale(both(comparison)).ticks(words.level),
        paired=paired_sentence(comparison.paired, rounds=most_rounds(comparison), words=words),
        noise=noise_sentence(comparison, words),
        left_out=left_out(comparison, words),
        warnings=warning_texts(comparison, words),
        categories=_categories(comparison),
        outcomes=_outcomes(comparison, words),
        facts=cost_rows(comparison, words),
        limits=unproven(comparison, words=words),
        rows=rows,
        turned=_turned(rows, words),
        filters=_filters(rows, words),
        differing=differing_rows(comparison, limit=_DIFFERING),
        made=_made(comparison, (baseline_run, candidate_run), words),
        method=_method(comparison, words),
        suite=baseline_run.suite,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    """One side among the models."""

    role: str
    name: str
    summary: RunSummary
    strip: ScoreStrip
    rounds: str
    lost: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Category:
    """One category on both sides."""

    name: str
    items: int
    scores: tuple[tuple[float | None, tuple[float, float] | None, ScoreStrip], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    """One outcome on both sides: counts, and where its part of each bar begins and ends."""

    outcome: str
    name: str
    counts: tuple[int, int]
    bars: tuple[tuple[float, float], ...]


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup, escape

    def fit(value: Any) -> Any:  # noqa: ANN401 - whatever a template prints
        is_text = isinstance(value, str) and not isinstance(value, Markup)
        return harmless(value, keep=_READABLE) if is_text else value

    def exact(value: str) -> Markup:
        """Write an attribute that scripts compare: only what HTML cannot hold is replaced."""
        return escape("".join(each if each.isprintable() else harmless(each) for each in value))

    environment = Environment(
        loader=PackageLoader("afere.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=fit,
    )
    environment.filters["exact"] = exact
    return environment


@cache
def _style() -> str:
    from markupsafe import Markup

    text = resources.files("afere.report").joinpath("templates", "page.css").read_text("utf-8")
    return Markup(text)  # noqa: S704 - our own style sheet, no foreign text in it


def _policy(style: str) -> str:
    """Give the content security policy: nothing may be loaded, and only our style applies."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _remarks(comparison: Comparison, words: Words) -> list[str]:
    remarks = list(needed_sentences(comparison, words=words))
    if comparison.verdict is VerdictKind.INVALID:
        remarks += lost_either_way(comparison, words)
    if comparison.difference is not None:
        remarks.append(margin_sentence(comparison, words=words))
    return remarks


def _models(comparison: Comparison, words: Words) -> list[_Model]:
    scale, called = score_scale(both(comparison)), names(comparison)
    return [
        _Model(
            role=role,
            name=name,
            summary=side,
            strip=score_strip(scale, side.score, side.interval, side.per_round),
            rounds=words.listing(words.percent(score) for score in side.per_round),
            lost="" if side.status is RunStatus.COMPLETE else missing(side, words),
        )
        for role, name, side in zip(
            ("baseline", "candidate"),
            (called.baseline, called.candidate),
            both(comparison),
            strict=True,
        )
    ]


def _categories(comparison: Comparison) -> list[_Category]:
    sides = both(comparison)
    found = dict.fromkeys(name for side in sides for name in side.categories)
    if len(found) <= 1:
        return []
    whole, rows = Scale(-0.02, 1.02), []
    for name in found:
        scores = []
        for side in sides:
            category = side.categories.get(name)
            score, interval = (category.score, category.interval) if category else (None, None)
            scores.append((score, interval, score_strip(whole, score, interval)))
        items = max(side.categories[name].items for side in sides if name in side.categories)
        rows.append(_Category(name=name, items=items, scores=tuple(scores)))
    return rows


def _outcomes(comparison: Comparison, words: Words) -> list[_Share]:
    sides, shares = both(comparison), []
    totals = [sum(side.outcomes.values()) or 1 for side in sides]
    starts = [0, 0]
    for outcome in Outcome:
        counts = (sides[0].outcomes.get(outcome, 0), sides[1].outcomes.get(outcome, 0))
        if not any(counts):
            continue
        bars = tuple(
            (round(100 * start / total, 3), round(100 * count / total, 3))
            for start, count, total in zip(starts, counts, totals, strict=True)
        )
        starts = [start + count for start, count in zip(starts, counts, strict=True)]
        shares.append(
            _Share(outcome=outcome.value, name=words.outcome(outcome), counts=counts, bars=bars)
        )
    return shares


def _turned(rows: list[ItemRow], words: Words) -> list[tuple[str, list[ItemRow]]]:
    """Give the items that only one side got right, under their titles."""
    found = (
        (words.say(title), [row for row in rows if kind in row.kinds])
        for kind, title in (
            ("lost", "Lost: right with the baseline alone"),
            ("gained", "Won: right with the candidate alone"),
        )
    )
    return [(title, each) for title, each in found if each]


def _filters(rows: list[ItemRow], words: Words) -> list[tuple[str, str, str]]:
    """Give the filters that leave something: name, label, how many items pass."""
    labels = (
        ("differs", "different"),
        ("lost", "lost by the candidate"),
        ("gained", "won by the candidate"),
        ("missed", "right on neither side"),
        ("faulty", "truncated, empty or unreadable"),
    )
    found = [("all", words.say("all"), words.count(len(rows)))]
    for kind, label in labels:
        if count := sum(kind in row.kinds for row in rows):
            found.append((kind, words.say(label), words.count(count)))
    return found


def _made(
    comparison: Comparison, runs: tuple[Run, Run], words: Words
) -> list[tuple[str, str, str, bool]]:
    """Give what made the two runs: name, baseline's, candidate's, and whether they differ."""
    columns = [_made_by(side, run, words) for side, run in zip(both(comparison), runs, strict=True)]
    own = {words.say(name) for name in _ITS_OWN}
    rows = []
    for name in dict.fromkeys(name for column in columns for name in column):
        ours, theirs = (column.get(name, "") for column in columns)
        if ours or theirs:
            rows.append((name, ours or "–", theirs or "–", ours != theirs and name not in own))
    return rows


_ITS_OWN = ("model", "asked for as", "run", "dates", "answers given")


def _made_by(side: RunSummary, run: Run, words: Words) -> dict[str, str]:
    versions = dict.fromkeys(each.version for each in run.invocations if each.version)
    given = ""
    if side.answered_from:
        given = f"{words.time(side.answered_from)} – {words.time(side.answered_to)}"
    named = {
        "model": run.plan.name,
        "asked for as": run.plan.model,
        "served as": side.served_model or "",
        "fingerprint": side.fingerprint or "",
        "base URL": address(side.base_url),
        "suite": f"{run.suite.name}, version {run.suite.version}",
        "suite hash": side.suite_hash,
        "items": words.count(len(run.plan.items)),
        "rounds": words.count(run.plan.rounds),
        "series": run.plan.series,
        "run": side.run,
        "dates": f"{words.time(side.started)} – {words.time(side.finished)}",
        "answers given": given,
        "afere": ", ".join(versions),
    }
    facts = {words.say(name): value for name, value in named.items()}
    facts |= {f"params.{name}": _value(value) for name, value in run.plan.params.items()}
    return facts


def _value(value: object) -> str:
    return value if isinstance(value, str) else encode(value)


def _method(comparison: Comparison, words: Words) -> list[tuple[str, str]]:
    facts = [
        ("method", comparison.method),
        ("level", words.level(comparison.level)),
        ("margin", words.margin(comparison.margin)),
        ("average", comparison.average),
        ("seed", str(comparison.seed)),
    ]
    facts += [
        (name, f"{value:.4g}")
        for name, value in (("p", comparison.p_value), ("p, exact", comparison.p_exact))
        if value is not None
    ]
    facts.append(("reason", words.tell(comparison.why)))
    return [(words.say(name), value) for name, value in facts if value]
