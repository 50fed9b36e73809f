"""Pages of one run and of many: whole, whatever is missing of the runs."""

import re
from dataclasses import replace

import pytest
from report_records import Marked, incomplete, invalid, row, run, suite, summary

from afere import analysis
from afere.domain import Outcome, Run, RunSummary
from afere.report import ItemsTable, PageSide, Section, Subject, Words, report_page


def one_run(*names: str) -> list[Run]:
    asked = suite("p01", "p02")
    rows = (row("p01", 1), row("p02", 1, Outcome.WRONG))
    return [run(asked, rows, name=name, rounds=1) for name in names]


def page_of_one(told: RunSummary, words: Words | None = None) -> str:
    runs = one_run("qwen-27b")
    subject = Subject(sides=(PageSide(summary=told, run=runs[0]),))
    return report_page(subject, ItemsTable(runs), words=words or Words())


def page_of_many(*names: str, **changes: object) -> str:
    runs = one_run(*names)
    ranking = replace(analysis.rank(runs), **changes)
    by_id = {each.id: each for each in runs}
    ranked = [by_id[model.run] for model in ranking.models]
    subject = Subject(
        sides=tuple(PageSide(summary=analysis.summarize(each), run=each) for each in ranked),
        ranking=ranking,
    )
    return report_page(subject, ItemsTable(ranked))


def headline(page: str) -> str:
    found = re.search(r"<h1[^>]*>(.*?)</h1>", page)
    assert found is not None
    return re.sub("<[^>]+>", "", found.group(1))


def texts(page: str) -> str:
    return re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (summary(), "qwen-27b: 86.7 % right (95 % interval 71.2 to 95.1 %)"),
        (summary(interval=None), "qwen-27b: 86.7 % right"),
        (invalid(), "qwen-27b: nothing was graded"),
    ],
)
def test_the_page_of_a_run_leads_with_its_score(told: RunSummary, said: str) -> None:
    page = page_of_one(told)
    assert headline(page) == said
    assert "None" not in texts(page)


def test_an_incomplete_run_says_what_is_missing() -> None:
    page = page_of_one(incomplete())
    assert "INCOMPLETE: 3 of 60 calls failed." in page
    assert "HTTP 503 after 4 tries" in page
    assert "Score if everything missing were wrong: 81.7 %" in page


def test_a_run_alone_says_what_it_does_not_prove_and_how_to_repeat_it() -> None:
    page = page_of_one(summary())
    assert "whether another is better takes a comparison on the same items" in page
    assert (
        "afere run mine -m qwen-27b --rounds 1 --param temperature=0.7 --param max_tokens=64"
    ) in page


def test_the_page_of_many_leads_with_who_could_be_best() -> None:
    page = page_of_many("one", "two", "three")
    assert headline(page).startswith("Each of 3 models could be the best")
    assert "Each against each" in page
    assert page.count('class="interval"') >= 3


def test_models_of_one_name_are_told_apart_by_their_runs() -> None:
    runs = one_run("same", "same")
    runs[1] = replace(runs[1], plan=replace(runs[1].plan, series="b"))
    summaries = [replace(analysis.summarize(each), model="same") for each in runs]
    sides = tuple(
        PageSide(summary=told, run=each) for told, each in zip(summaries, runs, strict=True)
    )
    names = Subject(sides=sides).names
    assert names == tuple(f"same ({each.id})" for each in runs)


def test_what_differs_between_ranked_models_is_said() -> None:
    page = page_of_many("one", "two", differing={"params.seed": {"one": 1, "two": 2}})
    assert "Not the same for all models: params.seed." in page


def test_a_section_of_another_room_stands_before_the_items() -> None:
    runs = one_run("qwen-27b")
    subject = Subject(sides=(PageSide(summary=summary(), run=runs[0]),))
    extra = Section(id="calibration", title="Calibration <b>", body="<p>body</p>")
    page = report_page(subject, ItemsTable(runs), extra=[extra])
    assert '<h2 id="h-calibration">Calibration &lt;b&gt;</h2>' in page
    assert page.index("h-calibration") < page.index('id="items"')


def test_every_sentence_of_a_run_s_page_can_be_translated() -> None:
    page = page_of_one(incomplete(), Words(language="xx", catalogue=Marked()))
    heads = re.findall(r"<h[12][^>]*>(.*?)</h[12]>", page)
    assert len(heads) > 6
    assert all("⟦" in head for head in heads)
