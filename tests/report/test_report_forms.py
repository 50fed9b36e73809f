"""Markdown for a pull request and JUnit for a CI system: whole, and deaf to foreign text."""

# ruff: noqa: E501 - the expected texts stand as they are printed
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot
from report_records import behind, comparison, incomplete, summary

from afere.domain import Comparison, LostBounds, VerdictKind
from afere.report import comparison_junit, comparison_markdown
from afere.report.markdown import escaped


def cases(text: str) -> list[ET.Element]:
    top = ET.fromstring(text)  # noqa: S314 - our own text
    assert top.tag == "testsuites"
    (suite,) = top
    assert suite.tag == "testsuite"
    found = suite.findall("testcase")
    for each in (top, suite):
        assert int(each.attrib["tests"]) == len(found)
        for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(each.attrib[name]) == sum(case.find(tag) is not None for case in found)
    return found


def test_a_comment_has_verdict_table_and_limits() -> None:
    text = comparison_markdown(comparison(), gate="not-worse", exit_code=1)
    assert text.split("\n\n") == snapshot(
        [
            "### 🔴 worse: qwen-27b answers 3.2 points fewer of these items right than gpt-oss-120b (95 % interval 1.1 to 5.4)",
            "**gate not-worse failed**",
            "A difference below 2 points is taken not to matter (the default; --margin).",
            """\
|  | baseline | candidate |
| :-- | --: | --: |
| model | gpt-oss-120b | qwen-27b |
| run | 0b0b0b0b0b0b | 1a2b3c4d5e6f |
| score | 89.9 % | 86.7 % |
| interval | 84.0 to 94.0 % | 71.2 to 95.1 % |
| score by round | 90.0 / 90.0 / 89.7 % | 85.0 / 90.0 / 85.0 % |
| right | 52 | 52 |
| wrong | 4 | 4 |
| truncated | 4 | 4 |
| noise floor | 3.1 points | 3.1 points |
| tokens in | 12,345 | 12,345 |
| tokens out | 2,345 | 2,345 |
| latency, median | 0.85 s | 0.85 s |
| latency, 95 % within | 2.3 s | 2.3 s |
| cost | <span>$</span>0.0042 | <span>$</span>0.0042 |\
""",
            "Difference, candidate minus baseline: -3.2 points (95 % interval -5.4 to -1.1).",
            "Of 250 items: 210 both right, 12 only the baseline, 4 only the candidate, 23 both wrong, 1 split. Right means: in more than half of the rounds.",
            "Only the baseline got right: p03, p07",
            "Only the candidate got right: p11",
            "See the answers to one of them: afere show 1a2b3c4d5e6f --item p03",
            "Noise between rounds: a rerun of the same items may move the difference by 3.7 points by chance alone.",
            "**What this does not prove**",
            """\
- It speaks of items like these, asked and read in this way: not of other tasks.
- Latency holds the provider's queue, and is no part of the verdict.\
""",
            "<sub>again: `afere compare 0b0b0b0b0b0b 1a2b3c4d5e6f --margin 0.02 --level 0.95`</sub>\n",
        ]
    )


def test_causes_are_folded_away_in_a_comment() -> None:
    text = comparison_markdown(comparison(), behind())
    inside = text.partition("<details>")[2].partition("</details>")[0]
    assert "7 truncated, 1 wrong" in inside
    assert "| arithmetic | 8 |" in inside


def test_an_invalid_comparison_says_what_would_mend_it() -> None:
    lost = comparison(
        verdict=VerdictKind.INVALID,
        candidate=incomplete(),
        bounds=LostBounds(lo_verdict=VerdictKind.WORSE, hi_verdict=VerdictKind.UNDECIDED),
        why="3 pairs were lost",
    )
    text = comparison_markdown(lost, gate="decided", exit_code=3)
    assert text.startswith("### ⚪ invalid: 3 pairs were lost\n\n**gate decided cannot be judged**")
    assert "only what is missing is asked" in text
    assert "The candidate's run is incomplete: 3 of 60 calls failed." in text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a|b", "a\\|b"),
        ("*bold* _it_ `code` ~~x~~", "\\*bold\\* \\_it\\_ \\`code\\` \\~\\~x\\~\\~"),
        ("<img src=x onerror=y>", "&lt;img src=x onerror=y&gt;"),
        ("![p](http://e/x)", "!\\[p\\](http:&#8203;//e/x)"),
        ("@everyone", "@&#8203;everyone"),
        ("fixes #12", "fixes \\#&#8203;12"),
        ("www.e.example", "www&#8203;.e.example"),
        ("&copy;", "&amp;copy;"),
        ("- a", "\\- a"),
        ("1. a", "1\\. a"),
        ("$a$", "<span>$</span>a<span>$</span>"),
        ("a\nb\x1b", "a\\\\nb\\\\x1b"),
        ("-3.2 points", "-3.2 points"),
    ],
)
def test_foreign_text_does_nothing_in_a_comment(text: str, safe: str) -> None:
    assert escaped(text) == safe


@given(st.text(st.characters(exclude_categories=())))
def test_no_text_breaks_out_of_its_line_or_cell(text: str) -> None:
    safe = escaped(text)
    safe.encode("utf-8")
    assert len(safe.splitlines()) <= 1
    assert not re.search(r"(?<!\\)(?:\\\\)*[|`*_\[\]~#]", re.sub(r"&#8203;", "", safe))
    assert set(re.findall(r"<[^>]*>", safe)) <= {"<span>", "</span>"}


def test_a_failed_gate_is_a_failure_and_each_lost_item_a_case() -> None:
    gate, *items = cases(comparison_junit(comparison(), gate="not-worse", exit_code=1))
    assert gate.attrib["name"] == "gate not-worse"
    failure = gate.find("failure")
    assert failure is not None
    assert failure.attrib["message"].startswith("gate not-worse failed: worse: qwen-27b")
    assert "What this does not prove" in (failure.text or "")
    assert [item.attrib["name"] for item in items] == ["item p03", "item p07"]
    assert items[0].findtext("system-out") == (
        "Right with gpt-oss-120b, and not with qwen-27b. afere show 1a2b3c4d5e6f --item p03"
    )


@pytest.mark.parametrize(
    ("changes", "gate", "code", "tag"),
    [
        ({}, "not-worse", 0, None),
        ({}, "not-worse", 1, "failure"),
        ({}, "not-worse", 3, "error"),
        ({}, "not-worse", 4, "skipped"),
        ({}, None, 0, None),
        ({"verdict": VerdictKind.UNDECIDED, "interval": (-0.1, 0.1)}, None, 0, "skipped"),
        ({"verdict": VerdictKind.INVALID}, None, 3, "error"),
        ({"verdict": VerdictKind.BETTER, "difference": 0.1}, None, 0, None),
    ],
)
def test_each_end_of_a_gate_has_its_element(
    changes: dict[str, object], gate: str | None, code: int, tag: str | None
) -> None:
    case, *_ = cases(comparison_junit(comparison(**changes), gate=gate, exit_code=code))
    found = {child.tag for child in case} - {"system-out"}
    assert found == ({tag} if tag else set())
    assert case.findtext("system-out")
    assert case.attrib["name"] == (f"gate {gate}" if gate else "verdict")


def named(text: str) -> Comparison:
    return comparison(
        suite=text,
        candidate=summary(model=text, run=text[:12]),
        only_baseline_items=(text, "p07"),
        warnings=(text,),
        why=text,
    )


def test_results_made_elsewhere_have_no_run_to_show() -> None:
    elsewhere = comparison(baseline=summary(run="", model="a"), candidate=summary(run=""))
    assert "afere show" not in comparison_junit(elsewhere)
    text = comparison_markdown(elsewhere)
    assert "afere show" not in text
    assert "afere compare" not in text


@given(st.text(st.characters(exclude_categories=())))
def test_every_text_makes_a_well_formed_file(text: str) -> None:
    hostile = named(text)
    assert len(cases(comparison_junit(hostile, gate="decided", exit_code=1))) == 3
    broken = replace(hostile, verdict=VerdictKind.INVALID)
    assert len(cases(comparison_junit(broken))) == 3
    markdown = comparison_markdown(hostile, behind())
    markdown.encode("utf-8")
    assert markdown.count("<details>") == 1
