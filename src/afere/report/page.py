"""A page: one HTML file that opens anywhere and asks the network for nothing.

All that came from models, suites and servers is data: the sections before and after the items are
escaped by the template engine, the items are JSON in a script block that is read, never run, and
shown as text. The content security policy lets our style and our script in, and nothing else.
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

from afere.domain import Behind, Comparison, Outcome, Response, Run, VerdictKind
from afere.report.filling import asset, fill, in_script
from afere.report.items import CODES, PARTLY, ItemsTable
from afere.report.pictures import difference_picture
from afere.report.rankings import rank_headline, rank_subject
from afere.report.sections import Section, grounds, sections
from afere.report.sides import lost_either_way, warning_texts
from afere.report.subject import PageSide, Subject
from afere.report.trouble import trouble
from afere.report.verdicts import (
    interval_of_difference,
    margin_sentence,
    needed_sentences,
    points_of_difference,
    verdict_sentence,
)
from afere.report.words import ENGLISH, Words, message

__all__ = ["comparison_page", "page_policy", "report_page"]

_MINUS = "−"
_SYMBOLS = {
    VerdictKind.BETTER: "▲",
    VerdictKind.WORSE: "▼",
    VerdictKind.EQUIVALENT: "=",
    VerdictKind.UNDECIDED: "?",
    VerdictKind.INVALID: "!",
}
_MARKS = {
    Outcome.RIGHT: "✓",
    Outcome.WRONG: "✗",
    Outcome.UNREADABLE: "?",
    Outcome.EMPTY: "∅",
    Outcome.TRUNCATED: "…",
    Outcome.REFUSED: "⊘",
    Outcome.BLOCKED: "⊘",
    Outcome.NOT_ASKED: "·",
    Outcome.ENDPOINT_ERROR: "!",
    Outcome.GRADER_ERROR: "!",
}
_PARTLY = "◐"


def report_page(
    told: Subject,
    items: ItemsTable,
    *,
    extra: Sequence[Section] = (),
    words: Words = ENGLISH,
) -> str:
    """Give the whole page as HTML text, to be written in UTF-8.

    items: of the same runs as `told.sides`, in the same order. extra: sections of other rooms'
    making, shown before the items.
    """
    words = replace(words, minus=_MINUS)
    data = {**items.data(), **_labels(told, words)}
    style, script = asset("page.css"), asset("page.js")
    return fill(
        "page",
        words,
        style=style,
        script=script,
        policy=page_policy(style, script),
        data=in_script(data),
        head=_head(told, words),
        kind=_kind(told),
        before=[*sections(told, words), *extra],
        after=grounds(told, words),
        pair=len(told.sides) > 1,
    )


def comparison_page(  # noqa: PLR0913 - the comparison with its runs, and options by name
    comparison: Comparison,
    baseline_run: Run,
    candidate_run: Run,
    responses: Mapping[str, Response] | None = None,
    *,
    behind: Behind | None = None,
    words: Words = ENGLISH,
) -> str:
    """Give the page of a comparison whose replies are at hand, by the key of their request."""
    runs = (baseline_run, candidate_run)
    unmatched = comparison.unmatched
    items = ItemsTable(runs, apart={*unmatched.different_key, *unmatched.different_input})
    for side, run in enumerate(runs):
        for row in run.rows:
            if responses and row.key in responses:
                items.add(side, row, responses[row.key])
    told = Subject(
        sides=(
            PageSide(summary=comparison.baseline, run=baseline_run),
            PageSide(summary=comparison.candidate, run=candidate_run),
        ),
        comparison=comparison,
        behind=behind,
    )
    return report_page(told, items, words=words)


def _head(told: Subject, words: Words) -> dict[str, object]:
    """Give what stands above all sections."""
    case = told.comparison
    suite = told.summaries[0].suite
    if case is not None:
        ours, theirs = told.names
        return {
            "title": words.say(
                "{verdict}: {candidate} against {baseline}",
                verdict=words.verdict(case.verdict),
                candidate=theirs,
                baseline=ours,
            ),
            "kicker": words.say(
                "Suite {suite}: {candidate} against {baseline}",
                suite=case.suite,
                candidate=theirs,
                baseline=ours,
            ),
            "sentence": verdict_sentence(case, words=words),
            "tone": case.verdict.value,
            "symbol": _SYMBOLS[case.verdict],
            "remarks": _remarks(case, words),
            "warnings": warning_texts(case, words),
            "picture": difference_picture(case, words),
            "case": case,
            "difference": interval_of_difference(case, words=words),
            "points": points_of_difference(case, words),
            "leads": _leads(case, words),
        }
    if told.ranking is not None:
        remarks = [rank_subject(told.ranking, words)]
        if told.ranking.differing:
            names = words.listing(told.ranking.differing)
            remarks.append(words.say("Not the same for all models: {names}.", names=names))
        sentence = rank_headline(told.ranking, words)
        warnings = [words.tell(text) for text in told.ranking.warnings]
        lead = ("different", "", words.say("the questions that tell them apart"))
    else:
        sentence = _score_sentence(told, words)
        remarks = [line.text for line in trouble(told.summaries[0], words)]
        warnings = [words.tell(text) for text in told.summaries[0].warnings]
        lead = ("wrong", "", words.say("the questions it has wrong"))
    return {
        "title": words.say("{suite}: {names}", suite=suite, names=words.listing(told.names)),
        "kicker": words.say("Suite {suite}", suite=suite),
        "sentence": sentence,
        "tone": "plain",
        "symbol": "",
        "remarks": remarks,
        "warnings": warnings,
        "picture": None,
        "leads": [lead],
    }


def _leads(case: Comparison, words: Words) -> list[tuple[str, str, str]]:
    """Give the links to the items that a reader asks for first: filter, look, text."""
    lost, won = len(case.only_baseline_items), len(case.only_candidate_items)
    leads = [("different", "", words.say("all that differ"))]
    if won:
        told = words.many("{n} question won", "{n} questions won", n=won)
        leads.insert(0, ("to-right", "gained", told))
    if lost:
        told = words.many("{n} question lost", "{n} questions lost", n=lost)
        leads.insert(0, ("to-wrong", "lost", told))
    return leads


def _score_sentence(told: Subject, words: Words) -> str:
    side = told.summaries[0]
    if side.score is None:
        return words.say("{model}: nothing was graded", model=told.names[0])
    if side.interval is None:
        return words.say(
            "{model}: {score} right", model=told.names[0], score=words.percent(side.score)
        )
    return words.say(
        "{model}: {score} right ({level} interval {limits})",
        model=told.names[0],
        score=words.percent(side.score),
        level=words.level(side.level),
        limits=words.percent_limits(side.interval),
    )


def _kind(told: Subject) -> str:
    if told.comparison is not None:
        return "comparison"
    return "run" if len(told.sides) == 1 else "ranking"


def page_policy(style: str, script: str, *, more: str = "") -> str:
    """Give the content security policy: nothing may be loaded; our style and script alone apply.

    more: a directive besides, for a page that is served.
    """
    return (
        f"default-src 'none'; style-src '{_sha(style)}'; script-src '{_sha(script)}'; "
        f"{more}img-src data:; base-uri 'none'; form-action 'none'"
    )


def _sha(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"sha256-{digest}"


def _remarks(comparison: Comparison, words: Words) -> list[str]:
    remarks = list(needed_sentences(comparison, words=words))
    if comparison.verdict is VerdictKind.INVALID:
        remarks += lost_either_way(comparison, words)
    elif comparison.difference is not None:
        remarks.append(margin_sentence(comparison, words=words))
    return remarks


def _labels(told: Subject, words: Words) -> dict[str, object]:
    """Give what the page's script shows besides the data: names, marks, texts in one language."""
    outcomes = {
        code: [outcome.value, _MARKS[outcome], words.outcome(outcome, one=True)]
        for outcome, code in CODES.items()
    }
    outcomes[PARTLY] = ["partly", _PARTLY, words.say("partly right")]
    return {
        "language": words.language,
        "kind": _kind(told),
        "names": list(told.names),
        "roles": list(told.roles),
        "heads": list(words.each("baseline", "candidate") if told.comparison else told.names),
        "outcomes": outcomes,
        "colon": words.colon,
        "comma": words.comma,
        "say": {text: words.say(text, **_HELD) for text in _SAID},
    }


_FIELDS = "n total first last item name round shift rule reason flag grader names command level"
_HELD = {name: f"{{{name}}}" for name in _FIELDS.split()}  # for the script to fill in
_SAID = (
    message("all"),
    message("different"),
    message("lost by the candidate"),
    message("won by the candidate"),
    message("wrong with both"),
    message("wrong"),
    message("unsteady"),
    message("unreadable"),
    message("truncated"),
    message("failed"),
    message("all categories"),
    message("item"),
    message("category"),
    message("right answer"),
    message("read"),
    message("question"),
    message("lost"),
    message("won"),
    message("not the same"),
    message("round {n}"),
    message("round {n}, shift {shift}"),
    message("by the rule {rule}"),
    message("{n} token in"),
    message("{n} tokens in"),
    message("{n} token out"),
    message("{n} tokens out"),
    message("{n} of them reasoning"),
    message("{n} s"),
    message("ended: {reason}"),
    message("flag: {flag}"),
    message("score {n}"),
    message("executed under {level}"),
    message("failures"),
    message("output"),
    message("graded by {grader}"),
    message("sent otherwise, as the server asked: {names}"),
    message("reasoning"),
    message("the request"),
    message("The reply is empty."),
    message("not asked"),
    message("So that the page opens at once, replies to this item are left out: {command}"),
    message("{n} of {total} items"),
    message("items {first} to {last} of {total}"),
    message("no item passes"),
    message("There is no item {item} here."),
    message("previous"),
    message("next"),
    message("close"),
    message("Question and replies of {item}"),
    message("sort by {name}"),
    message("baseline"),
    message("candidate"),
    message("So that the page opens at once, {n} items are not listed: afere export RUN has all."),
    message("So that the page opens at once, the replies to {n} items are left out."),
    message("This item is not the same for all models: it is in no comparison."),
)
