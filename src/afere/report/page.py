"""A page: one HTML file that opens anywhere and asks the network for nothing.

All that came from models, suites and servers is data: the sections before and after the items are
escaped by the template engine, the items are JSON in a script block that is read, never run, and
shown as text. The content security policy lets our style and our script in, and nothing else.
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence

from afere.domain import Behind, Comparison, Response, Run
from afere.report.filling import asset, fill, in_script, page_words
from afere.report.heading import head_of
from afere.report.items import ItemsTable
from afere.report.labels import labels
from afere.report.sections import Section, grounds, sections
from afere.report.subject import PageSide, Subject
from afere.report.words import ENGLISH, Words

__all__ = ["comparison_page", "page_policy", "report_page"]


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
    words = page_words(words)
    data = {**items.data(), **labels(told, words)}
    style, script = asset("page.css"), asset("page.js")
    return fill(
        "page",
        words,
        style=style,
        script=script,
        policy=page_policy(style, script),
        data=in_script(data),
        head=head_of(told, words),
        kind=told.kind,
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
