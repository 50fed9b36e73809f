"""The page of a comparison: complete, self-contained, and deaf to what models write."""

import base64
import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_records import Marked, comparison, incomplete, invalid, row, run, suite, summary

from afere.domain import (
    CategoryScore,
    Comparison,
    Expect,
    Failure,
    FailureKind,
    LostBounds,
    Message,
    NoiseFloor,
    Outcome,
    Response,
    Run,
    Unmatched,
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


def test_the_policy_allows_our_style_and_nothing_else() -> None:
    html = comparison_page(comparison(), *two_runs())
    page = Page(html)
    policy = next(
        found["content"]
        for tag, found in page.elements
        if tag == "meta" and found.get("http-equiv") == "Content-Security-Policy"
    )
    style = html.split("<style>")[1].split("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    assert html.index("Content-Security-Policy") < html.index("<style>")


def test_nothing_is_loaded_and_nothing_can_run() -> None:
    page = plain_page()
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "img", "iframe", "object", "embed", "form", "base", "video"}
    assert page.attributes("style") == []
    assert page.attributes("src") == []
    links = page.attributes("href")
    assert all(link == "data:," or link.startswith("#item=") for link in links)
    assert "url(" not in comparison_page(comparison(), *two_runs())


def test_every_item_is_a_row_that_a_link_can_reach() -> None:
    case = comparison(only_baseline_items=("p 2/ü#",))
    page = Page(comparison_page(case, *two_runs(("p01", "p 2/ü#"))))
    assert page.attributes("data-item") == ["p01", "p 2/ü#"]
    targets = [unquote(link[1:]) for link in page.attributes("href") if link != "data:,"]
    assert targets == ["item=p 2/ü#"]
    assert set(targets) <= set(page.attributes("id"))


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


def test_question_and_replies_stand_with_what_was_read() -> None:
    replies = {"key-p01-2": Response(content="I think\n  it is 7")}
    html = comparison_page(comparison(), *two_runs(), replies)
    page = Page(html)
    assert "How much is 0 + 0?" in page.text_of("pre")
    assert "I think\n  it is 7" in page.text_of("pre")
    assert "by the rule whole" in page.text_of("span")


def test_a_question_of_messages_and_options_is_shown_whole() -> None:
    asked = suite("p01", "p02")
    parts = ({"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {}})
    item = replace(
        asked.items[0],
        input=(Message(role="system", content="Be brief."), Message(role="user", content=parts)),
        options={"A": "trout", "B": "whale"},
        expect=Expect(kind="choice", key="B"),
    )
    asked = replace(asked, items=(item, asked.items[1]))
    runs = tuple(replace(each, suite=asked) for each in two_runs())
    page = Page(comparison_page(comparison(), *runs))
    assert "system: Be brief.\n\nuser: Look:\n[…]\n\nA) trout\nB) whale" in page.text_of("pre")
    assert "B) whale" in page.text_of("td")


@pytest.mark.parametrize(
    ("key", "shown"),
    [(["a", 2], "a, 2"), ({"all": ["x"]}, '{"all":["x"]}'), (True, "True"), (None, "null")],
)
def test_a_key_of_any_shape_is_shown(key: object, shown: str) -> None:
    asked = suite("p01", "p02")
    item = replace(asked.items[0], expect=Expect(kind="set", key=key))
    runs = tuple(replace(each, suite=replace(asked, items=(item,))) for each in two_runs())
    assert shown in Page(comparison_page(comparison(), *runs)).text_of("td")


def test_the_filters_count_what_they_show() -> None:
    case = comparison(only_baseline_items=("p02",), only_candidate_items=())
    page = Page(comparison_page(case, *two_runs()))
    labels = page.text_of("label")
    counts = page.text_of("b")[1:]
    assert dict(zip(labels, counts, strict=True)) == {
        "all": "2",
        "different": "2",
        "lost by the candidate": "1",
        "truncated, empty or unreadable": "1",
    }
    kinds = [
        found["class"] for tag, found in page.elements if tag == "tbody" and found.get("class")
    ]
    assert kinds == ["item differs", "item differs faulty lost"]


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
    assert page.attributes("data-item") == ["p01", "p02"]
    assert "None" not in " ".join(text for tag, text in page.texts if tag != "style")
    assert "nan" not in " ".join(page.attributes("x1"))


def test_a_run_without_rows_says_that_nothing_was_asked() -> None:
    baseline, candidate = two_runs()
    page = Page(comparison_page(comparison(), baseline, replace(candidate, rows=())))
    assert page.text_of("p").count("not asked") == 2


def test_a_key_in_the_address_is_not_on_the_page() -> None:
    where = "https://sk-TEST1@api.example.com/v1?key=sk-TEST2"
    html = comparison_page(comparison(candidate=summary(base_url=where)), *two_runs())
    assert "https://api.example.com/v1" in html
    assert "sk-TEST" not in html


def test_of_very_many_items_those_that_differ_keep_their_replies() -> None:
    ids = tuple(f"q{n}" for n in range(1_600))
    asked = suite(*ids)
    baseline = run(asked, tuple(row(item, 1) for item in ids))
    wrong = row(ids[-1], 1, Outcome.WRONG)
    candidate = run(asked, (*(row(item, 1) for item in ids[:-1]), wrong))
    page = Page(comparison_page(comparison(), baseline, candidate))
    assert len(page.attributes("data-item")) == 1_600
    questions = [text for text in page.text_of("pre") if text.startswith("How much")]
    assert len(questions) == 1_500
    assert questions[-1] == "How much is 1599 + 1599?"
    assert any("it shows the replies to 1,500 items" in text for text in page.text_of("p"))


def test_long_replies_are_cut_and_say_so() -> None:
    html = comparison_page(comparison(), *two_runs(), {"key-p01-1": Response(content="x" * 90_000)})
    shown = next(text for text in Page(html).text_of("pre") if text.startswith("xx"))
    assert shown == "x" * 6_000 + "… (+84,000)"


ATTACKS = [
    'x" onmouseover="alert(1)',
    "</script><img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "</style><script>alert(1)</script>",
    "</title></textarea></pre><script>alert(1)</script>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}{0}{x.__class__}",
    "<!-- --> <![CDATA[ ]]> &lt;b&gt; &#60;b&#62;",
    "'onfocus='alert(1)' autofocus='",
    "\u202eevil\u2066 \x00\x1b[31m\x07 \u2028",
    "lone \ud800 surrogate",
    "a\r\nb\tc",
]


def hostile(text: str) -> tuple[Comparison, Run, Run, Mapping[str, Response]]:
    """A comparison with the text in each field that comes from outside."""
    other = text + "'"
    ids = (text, other)
    asked = suite(*ids, name=text, version=text, prompt=text, system=text)
    items = tuple(
        replace(
            item,
            category=text,
            group=text,
            source=text,
            input=text if place else (Message(role=text, content=text),),
            options={text: text},
            expect=Expect(kind="choice", key=text),
        )
        for place, item in enumerate(asked.items)
    )
    asked = replace(asked, items=items)
    failure = Failure(kind=FailureKind.SERVER, message=text, body=text)
    rows = []
    for item in ids:
        for number in (1, 2):
            plain = row(item, number, key=f"{number}{item}", finish_reason=text, served_model=text)
            grade = replace(plain.grade, read=text, rule=text, flags=(text,), grader=text)
            rows.append(replace(plain, grade=grade, error=failure if number == 2 else None))
    plan = {"name": text, "model": text, "params": {f"p{text}": text}, "series": text}
    runs = [run(asked, tuple(rows), **plan) for _ in (1, 2)]
    runs = [
        replace(each, invocations=(replace(each.invocations[0], version=f"0{text}"),))
        for each in runs
    ]
    replies = {each.key: Response(content=f"reply {text}") for each in rows}
    score = CategoryScore(items=2, score=0.5, interval=(0.2, 0.8))
    outside = {
        "run": f"r{text}",
        "suite": text,
        "suite_hash": f"h{text}",
        "base_url": "https://x",
        "series": f"s{text}",
        "served_model": f"m{text}",
        "fingerprint": f"f{text}",
        "started": f"t{text}",
        "finished": f"t{text}",
        "categories": {f"c{text}": score, "other": score},
        "warnings": (f"w{text}",),
    }
    sides = [summary(model=name, **outside) for name in (f"a{text}", f"b{text}")]
    case = comparison(
        suite=text,
        baseline=sides[0],
        candidate=sides[1],
        why=f"y{text}",
        method=f"m{text}",
        only_baseline_items=(text,),
        only_candidate_items=(other,),
        unmatched=Unmatched(only_baseline=(f"u{text}",)),
        differing={f"d{text}": (text, {text: text})},
        warnings=(f"v{text}",),
    )
    return case, *runs, replies


def hostile_page(text: str) -> Page:
    html = comparison_page(*hostile(text))
    html.encode("utf-8")
    return Page(html)


def check_harmless(text: str) -> None:
    page = hostile_page(text)
    assert page.shape == hostile_page("plain").shape
    assert all(link == "data:," or link.startswith("#item%3D") for link in page.attributes("href"))
    everything = "".join(data for _, data in page.texts)
    everything += "".join(value or "" for _, found in page.elements for value in found.values())
    controls = {"Cc", "Cs", "Zl", "Zp"}
    kept = everything.replace("\n", "").replace("\t", "")
    assert not {unicodedata.category(each) for each in kept} & controls


@pytest.mark.parametrize("text", ATTACKS)
def test_an_attack_in_any_field_changes_nothing_of_the_page_s_shape(text: str) -> None:
    check_harmless(text)


@given(st.text(st.characters(exclude_categories=()), min_size=1, max_size=30))
@settings(max_examples=60, deadline=None)
def test_no_text_whatever_changes_the_page_s_shape(text: str) -> None:
    check_harmless(f"x{text}x")


def test_an_attack_is_shown_as_it_was_written() -> None:
    attack = ATTACKS[1]
    page = hostile_page(attack)
    assert page.attributes("data-item")[0] == attack
    assert f"reply {attack}" in page.text_of("pre")
    assert attack in page.text_of("td")
    override = hostile_page("\u202eevil")
    assert "reply \\u202eevil" in override.text_of("pre")


def test_every_label_of_the_page_can_be_translated() -> None:
    page = Page(comparison_page(*hostile("plain"), words=Words(language="xx", catalogue=Marked())))
    own = ("h2", "h3", "label", "legend", "figcaption", "title", "footer", "li")
    labels = [text for tag, text in page.texts if tag in own and text.strip()]
    assert len(labels) > 20
    assert not [text for text in labels if "⟦" not in text]
    assert page.elements[0] == ("html", {"lang": "xx"})
