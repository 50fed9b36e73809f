"""A grader of another package is found by its entry point and judges like the built-in ones."""

import shutil
from pathlib import Path

import pytest
from command import Afere

EXAMPLE = Path(__file__).parents[2] / "examples" / "afere-grader-example" / "src"
SUITE = """\
suite: words
items:
  - {id: a, input: "A palindrome of five letters or more?", expect: {palindrome: 5}}
"""


def installed(afere: Afere, entry: str) -> str:
    """Lay the example out as an installer does: its module and its metadata on the path."""
    site = afere.folder / "site"
    shutil.copytree(EXAMPLE, site)
    metadata = site / "afere_grader_example-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: x\nVersion: 0.1.0\n", "utf-8")
    (metadata / "entry_points.txt").write_text(f"[afere.graders]\n{entry}\n", "utf-8")
    afere.write("suite.yaml", SUITE)
    inherited = afere.environment().get("PYTHONPATH", "")
    return f"{site}:{inherited}" if inherited else str(site)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [("Answer: level", "right"), ("Answer: table", "wrong"), ("", "empty")],
)
def test_a_plugin_s_grader_judges(afere: Afere, reply: str, outcome: str) -> None:
    path = installed(afere, "palindrome = afere_grader_example:palindrome")
    afere.write("answers.jsonl", f'{{"item": "a", "content": "{reply}", "finish_reason": "stop"}}')
    ended = afere("grade", "suite.yaml", "answers.jsonl", "--json", PYTHONPATH=path)
    (row,) = ended.json["answers"]
    assert row["outcome"] == outcome
    assert row["grader"] == "palindrome"


def test_without_the_package_its_kind_is_unknown(afere: Afere) -> None:
    afere.write("suite.yaml", SUITE)
    ended = afere("check", "suite.yaml")
    assert ended.code == 2
    assert "palindrome" in ended.err


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("palindrome = afere_grader_example:nothing", "cannot be loaded"),
        ("number = afere_grader_example:palindrome", "name of another"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_named(afere: Afere, entry: str, said: str) -> None:
    path = installed(afere, entry)
    ended = afere("check", "suite.yaml", PYTHONPATH=path)
    assert ended.code == 2
    assert said in ended.err
