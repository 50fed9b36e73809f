"""The page of a comparison: complete, self-contained, and deaf to what models write."""

import base64
import hashlib
import json
import unicodedata
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_attacks import ATTACKS, hostile
from report_records import Marked, comparison, incomplete, invalid, row, run, suite, summary

from afere.domain import (
    CategoryScore,
    Comparison,
    LostBounds,
    NoiseFloor,
    Outcome,
    Run,
    VerdictKind,
)
from afere.report import Words, comparison_page

VOID = {"meta", "link", "input", "br"}


class Page(HTMLParser):
    """The elements of a page as a browser would see them, with their texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open, "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    @property
    def shape(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(tag, tuple(attributes)) for tag, attributes in self.elements]

    def text_of(self, tag: str) -> list[str]:
        return [text for name, text in self.texts if name == tag]

    @property
    def data(self) -> Any:
        return json.loads(self.text_of("script")[0])

    def attributes(self, name: str) -> list[str]:
        return [
            value or "" for _, found in self.elements for key, value in found.items() if key == name
        ]


def two_runs(ids: tuple[str, str] = ("p01", "p02")) -> tuple[Run, Run]:
    asked = suite(*ids)
    right = tuple(row(item, number) for item in ids for number in (1, 2))
    mixed = (
        row(ids[0], 1),
        row(ids[0], 2, Outcome.WRONG),
        row(ids[1], 1, Outcome.TRUNCATED),
        row(ids[1], 2, Outcome.UNREADABLE),
    )
    return run(asked, right, name="gpt-oss-120b"), run(asked, mixed)


def plain_page(case: Comparison | None = None) -> Page:
    return Page(comparison_page(case or comparison(), *two_runs()))


def test_the_verdict_is_the_heading() -> None:
    page = plain_page()
    headline = "".join(text for tag, text in page.texts if tag in {"h1", "b"})
    assert headline.startswith(
        "worse: qwen-27b answers 3.2 points fewer of these items right than gpt-oss-120b "
        "(95 % interval 1.1 to 5.4)"
    )


def test_the_policy_allows_our_style_and_script_and_nothing_else() -> None:
    html = comparison_page(comparison(), *two_runs())
    page = Page(html)
    policy = next(
        found["content"]
        for tag, found in page.elements
        if tag == "meta" and found.get("http-equiv") == "Content-Security-Policy"
    )
    style = html.split("<style>")[1].split("</style>")[0]
    script = html.split("<script>")[1].split("</script>")[0]
    shas = [
        base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()
        for each in (style, script)
    ]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{shas[0]}'; script-src 'sha256-{shas[1]}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert html.index("Content-Security-Policy") < html.index("<style>")


def test_nothing_is_loaded_and_only_our_script_can_run() -> None:
    page = plain_page()
    tags = [tag for tag, _ in page.elements]
    assert not set(tags) & {"img", "iframe", "object", "embed", "form", "base", "video"}
    scripts = [found for tag, found in page.elements if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "data"}, {}]
    assert page.attributes("style") == []
    assert page.attributes("src") == []
    assert not [name for _, found in page.elements for name in found if name.startswith("on")]
    links = page.attributes("href")
    assert all(link == "data:," or link.startswith("#") for link in links)
    assert "url(" not in comparison_page(comparison(), *two_runs())


def test_every_item_is_in_the_data_and_a_link_names_it() -> None:
    case = comparison(only_baseline_items=("p 2/ü#",))
    page = Page(comparison_page(case, *two_runs(("p01", "p 2/ü#"))))
    assert [item[0] for item in page.data["items"]] == ["p01", "p 2/ü#"]
    targets = [unquote(link[1:]) for link in page.attributes("href") if "item=" in link]
    assert targets == ["item=p 2/ü#&filter=to-wrong", "item=p11&filter=to-right"]


def test_the_first_links_lead_to_the_lost_questions() -> None:
    page = plain_page()
    links = [
        found["href"]
        for tag, found in page.elements
        if found.get("class", "") != "id" and tag == "a"
    ]
    assert links[0] == "#filter=to-wrong"
    assert "2 questions lost" in page.text_of("a")


def test_the_marks_of_the_pictures_carry_the_numbers_of_the_records() -> None:
    case = comparison(
        baseline=replace(
            comparison().baseline,
            categories={
                "units": CategoryScore(items=5, score=0.4, interval=(0.1, 0.7)),
                "time": CategoryScore(items=0, score=None, interval=None),
            },
        )
    )
    page = plain_page(case)
    intervals = [
        (float(found["data-low"] or 0), float(found["data-high"] or 0))
        for _, found in page.elements
        if "data-low" in found
    ]
    assert (-0.054, -0.011) in intervals
    assert (-0.02, 0.02) in intervals
    assert {(0.84, 0.94), (0.712, 0.951), (0.1, 0.7)} <= set(intervals)
    values = [float(value) for value in page.attributes("data-value")]
    assert {-0.032, 0.899, 0.8667, 0.9, 0.85, 0.4} <= set(values)
    assert [values.count(52.0), values.count(4.0)] == [2, 4]


BARE = {
    "difference": None,
    "interval": None,
    "noise_floor": NoiseFloor(baseline=None, candidate=None, difference=None),
}


@pytest.mark.parametrize(
    "case",
    [
        comparison(**BARE, verdict=VerdictKind.INVALID, candidate=invalid()),
        comparison(
            verdict=VerdictKind.INVALID,
            candidate=incomplete(),
            bounds=LostBounds(lo_verdict=VerdictKind.WORSE, hi_verdict=VerdictKind.BETTER),
        ),
        comparison(**BARE, verdict=VerdictKind.UNDECIDED, why="one item decides nothing"),
        comparison(baseline=invalid(), candidate=invalid(), **BARE),
        comparison(difference=0.0, interval=(0.0, 0.0), margin=0.0),
        comparison(
            difference=1.0,
            interval=(1.0, 1.0),
            verdict=VerdictKind.BETTER,
            baseline=summary(score=0.0, interval=(0.0, 0.0), per_round=(0.0,) * 12),
            candidate=summary(score=1.0, interval=(1.0, 1.0), per_round=(1.0,) * 12),
        ),
    ],
    ids=["side-invalid", "lost-pairs", "one-item", "both-invalid", "no-width", "extremes"],
)
def test_what_cannot_be_drawn_is_left_out_and_the_rest_is_whole(case: Comparison) -> None:
    page = plain_page(case)
    assert [item[0] for item in page.data["items"]] == ["p01", "p02"]
    assert "None" not in " ".join(
        text for tag, text in page.texts if tag not in {"style", "script"}
    )
    assert "nan" not in " ".join(page.attributes("x1"))


def test_a_key_in_the_address_is_not_on_the_page() -> None:
    where = "https://sk-TEST1@api.example.com/v1?key=sk-TEST2"
    html = comparison_page(comparison(candidate=summary(base_url=where)), *two_runs())
    assert "https://api.example.com/v1" in html
    assert "sk-TEST" not in html


def hostile_page(text: str) -> Page:
    html = comparison_page(*hostile(text))
    html.encode("utf-8")
    return Page(html)


def check_harmless(text: str) -> None:
    page = hostile_page(text)
    assert page.shape == hostile_page("plain").shape
    assert all(link == "data:," or link.startswith("#") for link in page.attributes("href"))
    everything = "".join(data for _, data in page.texts)
    everything += "".join(value or "" for _, found in page.elements for value in found.values())
    controls = {"Cc", "Cs", "Zl", "Zp"}
    kept = everything.replace("\n", "").replace("\t", "")
    assert not {unicodedata.category(each) for each in kept} & controls


@pytest.mark.parametrize("text", ATTACKS)
def test_an_attack_in_any_field_changes_nothing_of_the_page_s_shape(text: str) -> None:
    check_harmless(text)


@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=30))
@settings(max_examples=25, deadline=None)
def test_no_text_whatever_changes_the_page_s_shape(text: str) -> None:
    check_harmless(f"x{text}x")


@pytest.mark.parametrize("text", ATTACKS)
def test_the_data_hold_an_attack_as_it_was_written(text: str) -> None:
    data = hostile_page(text).data
    assert data["items"][0][0] == text
    assert {text, f"reply {text}"} <= set(data["texts"])
    assert all(code[0].isascii() for code in data["outcomes"].values())


def test_every_label_of_the_page_can_be_translated() -> None:
    page = Page(comparison_page(*hostile("plain"), words=Words(language="xx", catalogue=Marked())))
    own = ("h2", "h3", "label", "figcaption", "title", "footer", "li", "noscript")
    labels = [text for tag, text in page.texts if tag in own and text.strip()]
    assert len(labels) > 20
    assert not [text for text in labels if "⟦" not in text]
    assert not [text for text in page.data["say"].values() if "⟦" not in text]
    assert page.elements[0] == ("html", {"lang": "xx"})
