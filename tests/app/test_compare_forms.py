"""`afere compare`: what drives the difference, and the forms for CI."""

from xml.etree import ElementTree as ET

import pytest
from command import Afere
from servers import ChatServer, Reply
from twenty import SUITE, answers, models_yaml

BOTH = ("run", "suite.yaml", "-m", "good", "-m", "fair", "--rounds", "1")


def test_the_json_has_what_drives_the_difference(project: Afere) -> None:
    project(*BOTH)
    found = project("compare", "--json").json
    drivers = found["drivers"]
    assert drivers["categories"]["low"]["difference"] == 0
    assert drivers["categories"]["high"]["difference"] == pytest.approx(-0.4)
    assert drivers["lost_to"] == {"wrong": 4}
    assert drivers["both_wrong_items"] == ["i17", "i18"]
    assert drivers["agreement"]["same_answer"] == 2
    assert found["exposures"] == []
    assert found["verdict"] == "worse"


def test_worse_by_the_token_limit_is_told_from_worse_answers(
    project: Afere,
    server: ChatServer,
) -> None:
    def cut(body: dict[str, object]) -> Reply | str:
        number = int(str(body["messages"][-1]["content"]).split()[1])  # type: ignore[index]
        if body["model"] == "fair" and number >= 14:
            return Reply(content="Let me think about", finish_reason="length")
        return answers(body)

    server.answers = cut  # type: ignore[assignment]
    project(*BOTH)
    text = project("compare").out
    assert "What drives the difference:" in text
    assert "4 are truncated" in text
    assert "that may be a limit of the settings, not of the model" in text


def test_dates_and_cut_offs_are_compared(project: Afere, server: ChatServer) -> None:
    dated = SUITE
    for number in range(20):
        year = 2024 if number < 10 else 2026
        dated = dated.replace(f"{{id: i{number}, ", f"{{id: i{number}, date: {year}-01-01, ")
    project.write("suite.yaml", dated)
    models = models_yaml(server.base_url)
    project.write("models.yaml", models.replace("  fair: {", "  fair: {cutoff: 2025-03-01, "))
    project(*BOTH)
    (exposure,) = project("compare", "--json").json["exposures"]
    assert exposure["model"] == "fair"
    assert exposure["reference"] == "good"
    assert exposure["drop"] == pytest.approx(0.6)
    assert exposure["beyond_reference"] == pytest.approx(0.4)
    text = project("compare").out
    assert "fair: 100.0 % right on the 10 items dated up to its cut-off 2025-03-01" in text
    assert "too few to tell" in text
    assert "No cut-off date is known of good" in text


def test_a_comment_is_written_and_the_gate_told(project: Afere) -> None:
    project(*BOTH)
    ended = project("compare", "--gate", "better", "--format", "md", "-o", "comment.md")
    assert ended.code == 1
    assert ended.out.startswith("gate better failed: worse: fair")
    assert ended.out.count("\n") == 1
    text = (project.folder / "comment.md").read_bytes().decode("utf-8")
    assert text.startswith("### 🔴 worse: fair")
    assert "| score | 90.0 % | 70.0 % |" in text
    assert "What this does not prove" in text


def test_a_junit_file_fails_where_the_gate_does(project: Afere) -> None:
    project(*BOTH)
    ended = project("compare", "--gate", "not-worse", "--format", "junit")
    assert ended.code == 1
    top = ET.fromstring(ended.out)  # noqa: S314 - our own text
    names = [case.attrib["name"] for case in top.iter("testcase")]
    assert names == ["gate not-worse", "item i14", "item i15", "item i16", "item i19"]
    assert top.attrib["failures"] == "1"


def test_json_on_standard_output_and_a_file_of_another_form(project: Afere) -> None:
    project(*BOTH)
    ended = project("compare", "--json", "--format", "junit", "-o", "out.xml")
    assert ended.json["verdict"] == "worse"
    assert (project.folder / "out.xml").read_text("utf-8").startswith("<?xml")
    refused = project("compare", "--json", "--format", "md")
    assert refused.code == 2
    assert "-o FILE" in refused.err


def test_a_text_is_written_whole(project: Afere) -> None:
    project(*BOTH)
    printed = project("compare", "--gate", "decided").out
    project("compare", "--gate", "decided", "-o", "told.txt")
    assert (project.folder / "told.txt").read_text("utf-8") == printed


def test_a_file_that_cannot_be_written_is_named(project: Afere) -> None:
    project(*BOTH)
    ended = project("compare", "-o", "no/such/folder/x.md", "--format", "md")
    assert ended.code == 2
    assert "x.md" in ended.err


def test_a_run_shows_where_its_errors_lie(project: Afere) -> None:
    project(*BOTH)
    assert "lie densest from i" in project("show", "fair").out
    found = project("show", "fair", "--json").json["places"]
    assert found["categories"] == {"high": [10, 6.0], "low": [10, 0.0]}
