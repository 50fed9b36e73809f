"""Coding suites in the formats of others: rows become items that the real graders take."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from afere.domain import Suite, SuiteError
from afere.graders import builtin
from afere.suites import load, load_with_warnings, render

Write = Callable[[str, str | bytes], Path]

HUMANEVAL = {
    "task_id": "Own/0",
    "prompt": 'from math import pi\n\n\ndef area(r: float) -> float:\n    """Of a circle."""\n',
    "entry_point": "area",
    "canonical_solution": "    return pi * r**2\n",
    "test": "def check(candidate):\n    assert abs(candidate(1) - 3.14159) < 1e-4\n",
}
MBPP = {
    "task_id": 7,
    "text": "Write a function to double a number.",
    "code": "def double(x):\r\n    return 2 * x",
    "test_list": ["assert double(2) == 4", "assert math.isclose(double(0.1), 0.2)"],
    "test_setup_code": "",
    "challenge_test_list": [],
}
TASK = {
    "name": "slug",
    "prompt": "Write slug(title).",
    "test": "from solution import slug\n\ndef test_it():\n    assert slug('A B') == 'a-b'\n",
}


def lines(*rows: object) -> str:
    return "\n".join(map(json.dumps, rows)) + "\n"


def loaded(place: object) -> Suite:
    return load(str(place), builtin())


def test_a_humaneval_file_is_a_suite_whose_ids_are_the_tasks(written: Write) -> None:
    path = written("HumanEval.jsonl", lines(HUMANEVAL))
    suite = loaded(f"humaneval:{path}")
    (item,) = suite.items
    assert (suite.name, suite.public) == ("HumanEval", True)
    assert (item.id, item.expect.kind) == ("Own/0", "python")
    assert item.expect.key["entry"] == "area"
    assert item.expect.key["solution"] == HUMANEVAL["prompt"] + HUMANEVAL["canonical_solution"]
    request = render(suite, item, endpoint="", model="", params={}, round=1)
    shown = request.body["messages"][-1]["content"]
    assert HUMANEVAL["prompt"].strip() in shown
    assert "canonical" not in shown
    assert "check(" not in shown


def test_a_packed_file_and_one_without_its_prefix_are_the_same_suite(written: Write) -> None:
    plain = written("he.jsonl", lines(HUMANEVAL))
    packed = written("he.jsonl.gz", gzip.compress(lines(HUMANEVAL).encode()))
    assert loaded(plain).items == loaded(packed).items == loaded(f"humaneval:{packed}").items
    assert loaded(packed).name == "he"


def test_an_mbpp_file_shows_its_tests_and_names_the_function_that_they_call(
    written: Write,
) -> None:
    suite = loaded(f"mbpp:{written('mbpp.jsonl', lines(MBPP))}")
    (item,) = suite.items
    assert item.id == "7"
    assert "assert double(2) == 4" in str(item.input)
    builtin()["python"].check(item, suite.reading)


def test_tasks_of_name_prompt_and_test_are_a_suite_as_they_are(written: Write) -> None:
    for path in (
        written("tasks.json", json.dumps([TASK])),
        written("tasks.json", json.dumps([TASK], indent=2)),
        written("tasks.jsonl", "\n" + lines(TASK)),
    ):
        (item,) = loaded(path).items
        assert (item.id, item.input) == ("slug", "Write slug(title).")
        assert item.expect.key == {"tests": TASK["test"]}


def test_inputs_of_evalplus_are_judged_against_the_reference(written: Write) -> None:
    row: dict[str, Any] = {**HUMANEVAL, "base_input": [[1.0], [2]], "plus_input": [[0.5]]}
    row |= {"atol": 1e-4}
    (item,) = loaded(f"humaneval:{written('plus.jsonl', lines(row))}").items
    assert [[float(each) for each in one] for one in item.expect.key["inputs"]] == [[1], [2], [0.5]]
    assert float(item.expect.key["tolerance"]) == 1e-4
    assert "tests" not in item.expect.key


def test_inputs_that_json_cannot_hold_are_left_out_and_counted(written: Write) -> None:
    text = json.dumps({**HUMANEVAL, "base_input": [[1.0], [float("inf")]]})
    path = written("plus.jsonl", text)
    found = load_with_warnings(f"humaneval:{path}", builtin())
    assert len(found.suite.items[0].expect.key["inputs"]) == 1
    assert [str(each) for each in found.warnings] == [
        "1 inputs with numbers that are not finite are left out",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (lines({**HUMANEVAL, "test": "assert ("}), "do not compile"),
        (lines({**HUMANEVAL, "test": "area(1)"}), "assert nothing"),
        (lines({"task_id": "a", "prompt": "p"}), "`entry_point` is missing"),
        (lines(HUMANEVAL, HUMANEVAL), "Own/0"),
        ("{", "not JSON"),
        ("[1]", "no JSON object"),
        ("", "no items"),
        (lines({**HUMANEVAL, "entry_point": "a b"}), "no name"),
    ],
    ids=str,
)
def test_a_row_that_cannot_be_used_is_refused_with_its_file(
    written: Write, text: str, said: str
) -> None:
    path = written("bad.jsonl", text)
    with pytest.raises(SuiteError, match=r"bad\.jsonl") as raised:
        loaded(f"humaneval:{path}")
    assert said in str(raised.value)


def test_a_broken_package_and_a_missing_file_are_plain_errors(written: Write) -> None:
    path = written("he.jsonl.gz", b"\x1f\x8b not packed")
    with pytest.raises(SuiteError, match="cannot be read"):
        loaded(f"humaneval:{path}")
    with pytest.raises(SuiteError, match="nowhere"):
        loaded("mbpp:nowhere.jsonl")


def test_a_json_file_of_anything_else_is_no_suite(written: Write) -> None:
    with pytest.raises(SuiteError, match="name"):
        loaded(written("other.json", '{"a": 1}'))


def test_declared_tries_are_whole_numbers_and_old_suites_keep_their_hash(written: Write) -> None:
    text = "suite: s\n{}items: [{{id: a, input: '?', expect: {{number: 1}}}}]\n"
    plain = loaded(written("suite.yaml", text.format("")))
    assert plain.pass_at == ()
    assert plain.hash == "b976e453661e147ba2f2f72941e62b74aed92a563a2ca7ad2edfc8a921396b51"
    assert loaded(written("suite.yaml", text.format("pass_at: [5, 2]\n"))).pass_at == (2, 5)
    for wrong in ("0", "1.5", "[]", "[2, 2]", "two", "true"):
        with pytest.raises(SuiteError, match="pass_at"):
            loaded(written("suite.yaml", text.format(f"pass_at: {wrong}\n")))
