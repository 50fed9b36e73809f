"""The page of a comparison: one HTML file that opens anywhere and asks the network for nothing.

It has no script. All that came from models, suites and servers is escaped by the template engine,
and what could steer the text's direction is written as an escape.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from afere.domain import Behind, Comparison, Response, Run, VerdictKind
from afere.report.causes import (
    category_difference,
    cause_sentences,
    exposure_sentences,
    price_row,
)
from afere.report.evidence import categories, models, outcomes
from afere.report.harmless import harmless
from afere.report.items import ItemRow, item_rows
from afere.report.letters import letter_rows, letter_sentences
from afere.report.limits import unproven
from afere.report.pictures import difference_picture, score_scale
from afere.report.provenance import how_made, how_reached
from afere.report.sides import (
    both,
    cost_rows,
    differing_rows,
    left_out,
    lost_either_way,
    most_rounds,
    noise_sentence,
    paired_sentence,
    passing_rows,
    warning_texts,
)
from afere.report.verdicts import (
    interval_of_difference,
    margin_sentence,
    names,
    needed_sentences,
    points_of_difference,
    verdict_sentence,
)
from afere.report.words import ENGLISH, Words, message

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


def comparison_page(  # noqa: PLR0913 - the comparison with its runs, and options by name
    comparison: Comparison,
    baseline_run: Run,
    candidate_run: Run,
    responses: Mapping[str, Response] | None = None,
    *,
    behind: Behind | None = None,
    words: Words = ENGLISH,
) -> str:
    """Give the whole page as HTML text, to be written in UTF-8.

    responses: the replies to show, by the key of their request (`Row.key`); without them the page
    shows what was read of each. behind: what drives the difference; without it that is left out.
    """
    words = replace(words, minus=_MINUS)
    runs = (baseline_run, candidate_run)
    rows = item_rows(comparison, runs, responses or {}, words)
    style = _style()
    return (
        _environment()
        .get_template("comparison.html")
        .render(
            words=words,
            say=words.say,
            style=style,
            policy=_policy(style),
            comparison=comparison,
            rows=rows,
            turned=_turned(rows, words),
            filters=_filters(rows, words),
            made=how_made(comparison, runs, words),
            reached=how_reached(comparison, words),
            **_told(comparison, behind, words),
            **_causes(comparison, behind, words),
        )
    )


def _told(comparison: Comparison, behind: Behind | None, words: Words) -> dict[str, object]:
    """Give what the template says of the comparison itself, by the names it uses."""
    difference = interval_of_difference(comparison, words=words)
    return {
        "symbol": _SYMBOLS[comparison.verdict],
        "names": names(comparison),
        "sentence": verdict_sentence(comparison, words=words),
        "remarks": _remarks(comparison, words),
        "difference": difference,
        "points": points_of_difference(comparison, words),
        "picture": difference_picture(comparison, words),
        "models": models(comparison, words),
        "model_ticks": score_scale(both(comparison)).ticks(words.level),
        "paired": paired_sentence(comparison.paired, rounds=most_rounds(comparison), words=words),
        "noise": noise_sentence(comparison, words),
        "left_out": left_out(comparison, words),
        "warnings": warning_texts(comparison, words),
        "categories": categories(comparison),
        "outcomes": outcomes(comparison, words),
        "facts": passing_rows(comparison, words)
        + cost_rows(comparison, words)
        + (price_row(behind, words) if behind else []),
        "limits": unproven(comparison, behind, words=words),
        "differing": differing_rows(comparison, limit=_DIFFERING),
    }


def _causes(comparison: Comparison, behind: Behind | None, words: Words) -> dict[str, object]:
    """Give what the template says of what drives the difference."""
    if behind is None:
        return {"causes": (), "letters": (), "letter_texts": (), "exposures": (), "drivers": None}
    return {
        "causes": cause_sentences(comparison, behind, words),
        "letters": letter_rows(comparison, words),
        "letter_texts": letter_sentences(comparison, behind, words),
        "exposures": exposure_sentences(comparison, behind, words),
        "drivers": {
            name: category_difference(behind.drivers, name, words)
            for name in behind.drivers.categories
        },
    }


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
    elif comparison.difference is not None:
        remarks.append(margin_sentence(comparison, words=words))
    return remarks


def _turned(rows: list[ItemRow], words: Words) -> list[tuple[str, list[ItemRow]]]:
    """Give the items that only one side got right, under their titles."""
    found = (
        (words.say(title), [row for row in rows if kind in row.kinds])
        for kind, title in (
            ("lost", message("Lost: right with the baseline alone")),
            ("gained", message("Won: right with the candidate alone")),
        )
    )
    return [(title, each) for title, each in found if each]


def _filters(rows: list[ItemRow], words: Words) -> list[tuple[str, str, str]]:
    """Give the filters that leave something: name, label, how many items pass."""
    labels = (
        ("differs", message("different")),
        ("lost", message("lost by the candidate")),
        ("gained", message("won by the candidate")),
        ("missed", message("right on neither side")),
        ("faulty", message("truncated, empty or unreadable")),
    )
    found = [("all", words.say("all"), words.count(len(rows)))]
    for kind, label in labels:
        if count := sum(kind in row.kinds for row in rows):
            found.append((kind, words.say(label), words.count(count)))
    return found
