"""`afere report` and its page in a real browser: filters, links, keys, charts, accessibility."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import Seen, seen, started
from command import Afere
from servers import ChatServer
from servers.replies import Reply
from twenty import SUITE, answers

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PRICES = """\
providers:
  here: {{base_url: "{url}"}}
models:
  good: {{provider: here, price: {{input: 4, output: 8}}}}
  fair: {{provider: here, price: {{input: 1, output: 2}}}}
  late: {{provider: here, model: fair, price: {{input: 2, output: 2}}}}
"""
LOST = ["i14", "i15", "i16", "i19"]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Afere:
    """A folder in which three models were asked twenty items, three rounds each."""
    afere = Afere(tmp_path_factory.mktemp("asked"))
    with ChatServer(answers) as server:
        afere.write("suite.yaml", SUITE)
        afere.write("models.yaml", PRICES.format(url=server.base_url))
        for model in ("good", "fair", "late"):
            assert afere("run", "suite.yaml", "-m", model).code == 0
    return afere


@pytest.fixture(scope="module")
def pages(asked: Afere) -> dict[str, Path]:
    """The page of one run, of two and of three."""
    named = {"one": ["fair"], "two": ["good", "fair"], "three": ["good", "fair", "late"]}
    for name, runs in named.items():
        ended = asked("report", *runs, "-o", f"{name}.html")
        assert ended.code == 0, ended
        assert ended.out == f"The page: {name}.html\n"
    return {name: asked.folder / f"{name}.html" for name in named}


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with started() as found:
        yield found


@pytest.fixture
def two(browser: "Browser", pages: dict[str, Path]) -> Iterator[Seen]:
    with seen(browser, pages["two"]) as page:
        yield page


def test_the_json_output_names_the_page_and_counts_its_answers(asked: Afere) -> None:
    ended = asked("report", "good", "fair", "-o", "counted.html", "--json")
    assert ended.json == {"path": "counted.html", "rows": 120}


def test_without_a_name_the_page_is_of_the_last_suite_s_models(asked: Afere) -> None:
    assert asked("report", "-o", "all.html", "--json").json["rows"] == 180


def test_result_files_make_the_same_verdict_as_their_runs(asked: Afere) -> None:
    for model in ("good", "fair"):
        assert asked("export", model, "-o", f"{model}.csv").code == 0
    ended = asked("report", "good.csv", "fair.csv", "-o", "files.html")
    assert ended.code == 0, ended
    verdict = (asked.folder / "files.html").read_text("utf-8")
    assert "fair answers 20.0 points fewer of these items right than good" in verdict
    mixed = asked("report", "good.csv", "fair", "late", "-o", "mixed.html", "--json")
    assert mixed.json["rows"] == 180


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["nobody"], "no model 'nobody'"),
        (["good", "good"], "the same run"),
        (["good", "fair", "good"], "named twice"),
        (["none.csv", "good"], "There is no file none.csv"),
    ],
)
def test_a_side_that_is_none_is_refused(asked: Afere, names: list[str], said: str) -> None:
    ended = asked("report", *names, "-o", "never.html")
    assert ended.code == 2
    assert said in ended.err
    assert not (asked.folder / "never.html").exists()


def test_a_page_that_cannot_be_written_is_said_in_a_line(asked: Afere) -> None:
    ended = asked("report", "good", "-o", "no/folder/page.html")
    assert ended.code == 2
    assert "cannot be written" in ended.err


def test_without_the_library_of_charts_the_tables_stand(asked: Afere) -> None:
    absent = asked.folder / "absent"
    absent.mkdir()
    (absent / "vl_convert.py").write_text("raise ImportError('not installed')", "utf-8")
    inherited = asked.environment().get("PYTHONPATH", "")
    path = os.pathsep.join([str(absent), inherited])
    ended = asked("report", "good", "fair", "-o", "bare.html", PYTHONPATH=path)
    assert ended.code == 0
    assert "no charts: pip install 'afere[report]'" in ended.err
    html = (asked.folder / "bare.html").read_text("utf-8")
    assert 'class="chart' not in html
    assert "latency, median" in html


# --- in the browser


def test_the_first_link_shows_the_lost_questions_alone(two: Seen) -> None:
    two.page.click("text=4 questions lost")
    assert two.items == LOST
    assert two.fragment == "filter=to-wrong"


FILTERED = {
    "all": [f"i{n}" for n in range(20)],
    "different": LOST,
    "to-wrong": LOST,
    "to-right": [],
    "both-wrong": ["i17", "i18"],
}


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two models: one says nothing that can be read, or is cut off, at some items."""

    def troubled_answers(body: Mapping[str, Any]) -> Reply:
        question = body["messages"][-1]["content"]
        if body["model"] == "late" or "plain" in question:
            return Reply(content="2")
        if "cut" in question:
            return Reply(content="It is surely", finish_reason="length")
        return Reply(content="" if "empty" in question else "No idea.")

    afere = Afere(tmp_path_factory.mktemp("troubled"))
    names = ("plain-1", "cut-1", "unreadable-1", "empty-1", "plain-2", "cut-2", "unreadable-2")
    items = [{"id": name, "input": f"{name}: 1 + 1?", "expect": {"number": 2}} for name in names]
    afere.write("suite.yaml", json.dumps({"suite": "troubled", "items": items}))
    with ChatServer(troubled_answers) as server:
        asked = ("-m", "good", "-m", "late", "--base-url", server.base_url, "--rounds", "2")
        assert afere("run", "suite.yaml", *asked).code == 0
    assert afere("report", "good", "late", "-o", "page.html").code == 0
    return afere.folder / "page.html"


@pytest.mark.parametrize(
    ("name", "items", "word"),
    [
        ("unreadable", ["unreadable-1", "empty-1", "unreadable-2"], "unreadable"),
        ("truncated", ["cut-1", "cut-2"], "truncated"),
    ],
)
def test_answers_that_could_not_be_read_and_those_cut_off_have_filters(
    browser: "Browser", troubled: Path, name: str, items: list[str], word: str
) -> None:
    with seen(browser, troubled) as page:
        page.choose(name)
        assert page.items == items
        assert page.fragment == f"filter={name}"
        assert page.page.locator(f"[data-filter={name}] b").inner_text() == str(len(items))
        page.page.click(f"tr[data-item={items[0]}] .open")
        good, late = page.page.locator("tr.more .column").all_inner_texts()
        assert good.count(word) == 2, "both rounds"
        assert word not in late
    with seen(browser, f"{troubled.as_uri()}#filter={name}") as page:
        assert page.items == items


def test_on_paper_nothing_that_is_needed_is_hidden(browser: "Browser", troubled: Path) -> None:
    with seen(browser, f"{troubled.as_uri()}#item=cut-1") as found:
        page = found.page
        page.locator("tr.more details summary").first.click()
        page.emulate_media(media="print")
        for section in page.locator("main > header, main section").all():
            assert section.is_visible()
        assert page.locator("tr[data-item]:visible").count() == 7
        for needed in ("#verdict", "#told", "tr.more pre", "#made table", "#limits"):
            assert page.locator(needed).first.is_visible(), needed
        opened, *closed = page.locator("tr.more details").all()
        assert opened.locator("pre").is_visible()
        assert not any(each.is_visible() for each in closed)
        cut = "nodes => nodes.filter(each => each.scrollHeight > each.clientHeight + 1).length"
        assert page.eval_on_selector_all("pre", cut) == 0
        beyond = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        for width in (1280, 718):  # of a window, and of a sheet of A4
            page.set_viewport_size({"width": width, "height": 1000})
            assert not page.evaluate(beyond)
        for useless in (".filters", ".fields", ".around"):
            assert not page.locator(useless).first.is_visible()
        assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("name", FILTERED)
def test_a_filter_shows_its_items_and_their_number(two: Seen, name: str) -> None:
    two.choose(name)
    assert two.items == FILTERED[name]
    pressed = two.page.locator("[data-filter][aria-pressed=true]")
    assert pressed.get_attribute("data-filter") == name
    assert pressed.locator("b").inner_text() == str(len(FILTERED[name]))
    assert f"{len(FILTERED[name])} of 20 items" in two.page.inner_text("#told")


def test_the_filters_of_one_run(browser: "Browser", pages: dict[str, Path]) -> None:
    with seen(browser, pages["one"]) as one:
        one.choose("wrong")
        assert one.items == ["i14", "i15", "i16", "i17", "i18", "i19"]
        assert one.page.locator("[data-filter]").count() == 2, "what leaves nothing is not offered"


def test_faults_have_filters_of_their_own(browser: "Browser", afere: Afere) -> None:
    """An answer that is cut, one that cannot be read, one that fails, one that comes and goes."""
    lines = []
    for number in range(20):
        for round_ in (1, 2):
            line: dict[str, Any] = {"item": f"i{number}", "round": round_, "score": 1}
            if number == 3 and round_ == 2:
                line["score"] = 0
            if number == 4:
                line["score"] = None
            lines.append(json.dumps(line))
    afere.write("other.jsonl", "\n".join(lines))
    assert afere("report", "other.jsonl", "-o", "page.html").code == 0
    with seen(browser, afere.folder / "page.html") as page:
        page.choose("unsteady")
        assert page.items == ["i3"]
        page.choose("failed")
        assert page.items == ["i4"]


def test_categories_search_and_sort(two: Seen) -> None:
    two.page.select_option("#category", "low")
    assert two.items == [f"i{n}" for n in range(10)]
    assert two.page.inner_text("[data-filter=all] b") == "10"
    two.page.fill("#search", "what is 7 +")
    two.wait_for_rows(1)
    assert two.items == ["i7"]
    assert two.fragment == "category=low&q=what%20is%207%20%2B"
    two.page.fill("#search", "nothing like it")
    two.page.wait_for_selector("text=no item passes")
    two.page.fill("#search", "")
    two.wait_for_rows(10)
    two.page.select_option("#category", "")
    two.page.click("[data-sort=item]")
    assert two.items[:3] == ["i0", "i1", "i2"]
    two.page.click("[data-sort=item]")
    assert two.items[:3] == ["i19", "i18", "i17"]
    assert two.page.locator("th[aria-sort=descending]").inner_text().startswith("item")
    two.page.click("[data-sort=model-2]")
    assert set(two.items[:6]) == {"i14", "i15", "i16", "i17", "i18", "i19"}


def test_one_click_shows_question_key_replies_and_request(two: Seen) -> None:
    two.page.click("tr[data-item=i14] td.key")
    told = two.page.inner_text("tr.more")
    assert "Item 14 : what is 14 + 14?" in told
    assert "right answer: 28" in told
    columns = two.page.locator("tr.more .column")
    assert columns.count() == 2
    assert [columns.nth(n).locator(".answer").count() for n in (0, 1)] == [3, 3]
    ours, theirs = (columns.nth(n).inner_text() for n in (0, 1))
    assert "round 1: ✓ right, read 28 by the rule whole" in ours
    assert "round 3: ✗ wrong, read 29 by the rule whole" in theirs
    assert "11 tokens in, 7 tokens out" in ours
    two.page.click("tr.more .answer summary")
    shown = two.page.inner_text("tr.more details[open] pre")
    where, _, body = shown.partition("\n")
    assert re.fullmatch(r"POST http://127\.0\.0\.1:\d+/v1/chat/completions", where)
    assert json.loads(body) == {
        "model": "good",
        "messages": [{"role": "user", "content": "Item 14 : what is 14 + 14?"}],
        "temperature": 0.5,
        "max_tokens": 16,
    }
    two.page.click("[data-step=next]")
    assert two.fragment == "item=i15"
    two.page.click("[data-step=close]")
    assert two.page.locator("tr.more").count() == 0
    assert two.fragment == ""


@pytest.mark.parametrize(
    ("fragment", "items", "opened"),
    [
        ("item=i15&filter=different", LOST, "i15"),
        ("filter=different&category=low", [], None),
        ("item=i2&filter=different", FILTERED["all"], "i2"),
        ("filter=nonsense&page=99", FILTERED["all"], None),
        ("sort=-item&filter=both-wrong", ["i18", "i17"], None),
    ],
)
def test_a_link_leads_to_what_its_sender_saw(
    browser: "Browser",
    pages: dict[str, Path],
    fragment: str,
    items: list[str],
    opened: str | None,
) -> None:
    with seen(browser, f"{pages['two'].as_uri()}#{fragment}") as page:
        assert page.items == items
        found = page.page.locator("tr.opened")
        assert [row.get_attribute("data-item") for row in found.all()] == [opened] * bool(opened)
        if opened:
            assert page.page.locator("tr.opened").is_visible()
            top = page.page.evaluate(
                "document.querySelector('tr.opened').getBoundingClientRect().top"
            )
            assert 0 <= top < 900


def test_a_link_to_no_item_says_so(browser: "Browser", pages: dict[str, Path]) -> None:
    with seen(browser, f"{pages['two'].as_uri()}#item=i99") as page:
        assert "There is no item i99 here." in page.page.inner_text("#told")
        assert len(page.items) == 20


def test_everything_can_be_done_by_keys(two: Seen) -> None:
    page = two.page
    page.focus("[data-filter=to-wrong]")
    page.keyboard.press("Enter")
    assert two.items == LOST
    page.focus("tr[data-item=i14] .open")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert two.fragment == "item=i15&filter=to-wrong"
    assert page.locator("tr[data-item=i15] .open").get_attribute("aria-expanded") == "true"
    page.keyboard.press("n")
    assert two.fragment == "item=i16&filter=to-wrong"
    page.keyboard.press("p")
    page.keyboard.press("Escape")
    assert two.fragment == "filter=to-wrong"
    focused = "document.activeElement.closest('tr')?.dataset.item"
    assert page.evaluate(focused) == "i15", "the row keeps the focus"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("i16")
    two.wait_for_rows(1)
    page.keyboard.press("Escape")
    assert two.items == LOST


def test_of_three_models_any_two_can_be_set_against_each_other(
    browser: "Browser", pages: dict[str, Path]
) -> None:
    with seen(browser, pages["three"]) as three:
        names = three.page.locator("#pair-a option").all_inner_texts()
        assert sorted(names) == ["fair", "good", "late"]
        three.page.select_option("#pair-a", label="fair")
        three.page.select_option("#pair-b", label="good")
        three.choose("to-right")
        assert three.items == LOST
        assert f"a={names.index('fair') + 1}" in three.fragment
        three.page.reload()
        assert three.items == LOST


def test_ten_thousand_items_are_paged(browser: "Browser", afere: Afere) -> None:
    rows = [f"q{n},{int(n % 7 > 0)},{n % 3}" for n in range(10_000)]
    afere.write("many.csv", "item,score,category\n" + "\n".join(rows))
    assert afere("report", "many.csv", "-o", "many.html").code == 0
    with seen(browser, afere.folder / "many.html") as page:
        assert len(page.items) == 250
        page.choose("wrong")
        assert page.items[0] == "q0"
        page.page.click("[data-page=next]")
        assert page.items[0] == "q1750"
        assert page.fragment == "filter=wrong&page=2"
        page.page.fill("#search", "q9996")
        page.wait_for_rows(1)
        assert page.items == ["q9996"]
        page.page.goto(f"{page.address}#item=q7777")
        assert page.page.locator("tr.opened").get_attribute("data-item") == "q7777"


def test_what_a_hostile_server_and_suite_say_is_text(browser: "Browser", afere: Afere) -> None:
    """The attacks of the case book, through the whole program."""
    model, item = 'x" onmouseover="alert(1)', "<svg/onload=alert(1)>"
    reply = "</script><img src=x onerror=alert(1)>"
    afere.write(
        "suite.yaml",
        json.dumps(
            {
                "suite": item,
                "items": [
                    {"id": item, "category": reply, "input": reply, "expect": {"text": [reply]}},
                    {"id": "plain", "category": item, "input": "2?", "expect": {"number": 2}},
                ],
            }
        ),
    )
    with ChatServer(lambda _: reply) as server:
        asked = ("-m", model, "-m", item, "--base-url", server.base_url)
        assert afere("run", "suite.yaml", *asked, "--rounds", "2").code == 0
    assert afere("report", model, item, "-o", "page.html").code == 0
    with seen(browser, afere.folder / "page.html") as page:
        assert page.items == [item, "plain"]
        page.page.locator("tr[data-item] .open").first.click()
        told = page.page.inner_text("tr.more")
        assert told.count(reply) >= 5, "the question, and four replies"
        for summary in page.page.locator("tr.more summary").all():
            summary.click()
        page.page.select_option("#category", reply)
        assert page.items == [item]
        assert page.page.locator("img, body > svg").count() == 0
        page.page.reload()
        assert page.items == [item], "an address with an attack in it is text as well"


# --- the numbers of the charts


def marks(seen_page: Seen, selector: str) -> list[dict[str, float]]:
    """Read the numbers of marks, whichever way they carry them."""
    found = seen_page.page.eval_on_selector_all(
        selector,
        "marks => marks.map(mark => [mark.dataset.value, mark.dataset.low, mark.dataset.high])",
    )
    names = ("value", "low", "high")
    return [
        {name: float(each) for name, each in zip(names, mark, strict=True) if each is not None}
        for mark in found
    ]


def labels(page: Seen, chart: str) -> list[dict[str, str]]:
    """Read the labels of the marks of a wide chart: `score: 0.9; model: good`."""
    found = page.page.eval_on_selector_all(
        f"svg.wide[aria-label^='{chart}'] [aria-roledescription$=mark], "
        f"svg.wide[aria-label^='{chart}'] [aria-roledescription=point], "
        f"svg.wide[aria-label^='{chart}'] [aria-roledescription=bar]",
        "marks => marks.map(mark => mark.getAttribute('aria-label'))",
    )
    return [dict(part.split(": ", 1) for part in each.split("; ")) for each in found]


def test_the_verdict_s_picture_shows_the_numbers_of_compare(asked: Afere, two: Seen) -> None:
    known = asked("compare", "good", "fair", "--json").json
    low, high = known["interval"]
    assert marks(two, "header .interval") == [
        {"value": known["difference"], "low": low, "high": high}
    ]
    margin = known["margin"]
    assert marks(two, "header .band") == [{"low": -margin, "high": margin}]


def test_the_models_are_drawn_as_compare_tells_them(asked: Afere, two: Seen) -> None:
    known = asked("compare", "good", "fair", "--json").json
    sides = [known["baseline"], known["candidate"]]
    assert marks(two, "#models .interval") == [
        {"low": side["interval"][0], "high": side["interval"][1]} for side in sides
    ]
    assert [mark["value"] for mark in marks(two, "#models g[data-value]")] == [
        side["score"] for side in sides
    ]
    rounds = [score for side in sides for score in side["per_round"]]
    assert [mark["value"] for mark in marks(two, "#models .round")] == rounds


def test_categories_and_outcomes_are_drawn_as_compare_tells_them(asked: Afere, two: Seen) -> None:
    known = asked("compare", "good", "fair", "--json").json
    sides = [known["baseline"], known["candidate"]]
    scores = [
        side["categories"][name]["score"] for name in sides[0]["categories"] for side in sides
    ]
    assert [mark["value"] for mark in marks(two, "#categories g[data-value]")] == scores
    counts = [side["outcomes"][name] for side in sides for name in ("right", "wrong")]
    assert [mark["value"] for mark in marks(two, "#outcomes rect")] == counts


def test_the_charts_name_the_numbers_of_rank(
    asked: Afere, browser: "Browser", pages: dict[str, Path]
) -> None:
    known = {model["model"]: model for model in asked("rank", "--json").json["models"]}
    with seen(browser, pages["three"]) as three:
        cost = labels(three, "Cost")
        points = [each for each in cost if "score" in each]
        assert len(points) == 3
        for each in points:
            model = known[each["model"]]
            assert float(each["score"]) == model["score"]
            assert float(each["cost in US dollars"]) == pytest.approx(model["cost"], rel=1e-9)
        for each in cost:
            if "low" in each:
                interval = known[each["model"]]["interval"]
                assert [float(each["low"]), float(each["high"])] == pytest.approx(interval)
        latency = [each for each in labels(three, "Latency") if "median, seconds" in each]
        assert {each["model"]: float(each["median, seconds"]) for each in latency} == {
            name: pytest.approx(model["latency"]["p50"]) for name, model in known.items()
        }


# --- for every eye


LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "narrow": {"viewport": {"width": 390, "height": 800}},
}


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", ["one", "two", "three"])
def test_no_serious_finding_of_accessibility(
    browser: "Browser", pages: dict[str, Path], name: str, look: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe installed")
    with seen(browser, f"{pages[name].as_uri()}#item=i15", **LOOKS[look]) as page:
        found = axe.Axe().run(page.page).response["violations"]
        serious = [
            (each["id"], [node["html"][:200] for node in each["nodes"][:3]])
            for each in found
            if each["impact"] in {"serious", "critical"}
        ]
        assert serious == []


@pytest.mark.parametrize("name", ["one", "two", "three"])
def test_a_narrow_window_needs_no_scrolling_sideways(
    browser: "Browser", pages: dict[str, Path], name: str
) -> None:
    with seen(browser, f"{pages[name].as_uri()}#item=i15", **LOOKS["narrow"]) as page:
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_page_is_read_in_other_languages(asked: Afere, browser: "Browser") -> None:
    for language, said in (("pt-BR", "4 questões perdidas"), ("zh-CN", "失分 4 题")):
        name = f"{language}.html"
        assert asked("report", "good", "fair", "-o", name, "--lang", language).code == 0
        with seen(browser, asked.folder / name) as page:
            page.page.click(f"text={said}")
            assert page.items == LOST
