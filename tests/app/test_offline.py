"""Grading without a call: files of answers, stored answers again, suites looked over."""

import json

import pytest
from command import Afere
from servers import ChatServer

SUITE = """\
suite: three
items:
  - {id: a, input: "2 + 2?", expect: {number: 4}}
  - {id: b, input: "Capital of France?", expect: {text: [Paris]}}
  - {id: c, input: "Which is blue?", options: {A: sky, B: grass}, expect: {choice: A}}
"""


def answers(afere: Afere, *lines: object) -> None:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    afere.write("suite.yaml", SUITE)
    afere.write("answers.jsonl", text + "\n")


GOOD = (
    {"item": "a", "content": "The answer is 4.", "finish_reason": "stop"},
    {"item": "b", "content": "**Paris**"},
    {"item": "c", "content": "Answer: (A)"},
)


def test_answers_made_elsewhere_are_graded(afere: Afere) -> None:
    answers(afere, *GOOD)
    ended = afere("grade", "suite.yaml", "answers.jsonl", "--json")
    assert ended.code == 0, ended
    assert ended.json["score"] == 1.0
    assert ended.json["outcomes"] == {"right": 3}
    assert [row["rule"] for row in ended.json["answers"]][2] == "marker"
    assert (ended.json["missing"], ended.json["unknown"], ended.json["duplicates"]) == (0, 0, 0)


def test_what_is_missing_unknown_or_double_is_counted_and_said(afere: Afere) -> None:
    answers(afere, GOOD[0], GOOD[0], {"item": "z", "content": "x"}, {**GOOD[1], "round": 2})
    ended = afere("grade", "suite.yaml", "answers.jsonl", "--json")
    assert ended.code == 3
    assert (ended.json["missing"], ended.json["unknown"], ended.json["duplicates"]) == (4, 1, 1)
    told = afere("grade", "suite.yaml", "answers.jsonl").out
    first = told.splitlines()[0]
    assert first == ("incomplete: 4 of 6 answers are missing; the score is of the others alone")
    assert "Missing: 4" in told
    assert "z" in told


def test_a_failed_call_is_no_wrong_answer(afere: Afere) -> None:
    answers(afere, *GOOD[:2], {"item": "c", "error": {"message": "503"}})
    ended = afere("grade", "suite.yaml", "answers.jsonl", "--json")
    assert ended.code == 3
    assert ended.json["score"] == 1.0
    assert ended.json["outcomes"] == {"right": 2, "endpoint_error": 1}
    told = afere("grade", "suite.yaml", "answers.jsonl").out
    assert told.startswith("incomplete: 1 has no reply that counts; the score is of the others")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"item": "a", "content": "5"}, "lines 1 and 4"),
        ({"item": "a"}, "answers.jsonl:4"),
        ({"content": "5"}, "answers.jsonl:4: item"),
        ({"item": "a", "round": 0, "content": "4"}, "round"),
        ({"item": "a", "content": 4}, "content"),
        ("{", "answers.jsonl:4"),
        ("[1]", "answers.jsonl:4"),
        ('{"item": "a", "content": "4", "round": NaN}', "NaN"),
    ],
    ids=str,
)
def test_a_line_that_cannot_be_used_is_refused_with_its_number(
    afere: Afere,
    line: object,
    said: str,
) -> None:
    answers(afere, *GOOD, line)
    ended = afere("grade", "suite.yaml", "answers.jsonl")
    assert ended.code == 2
    assert said in ended.err
    assert ended.out == ""


def test_a_file_that_is_not_there_is_told(afere: Afere) -> None:
    answers(afere, *GOOD)
    ended = afere("grade", "suite.yaml", "none.jsonl")
    assert ended.code == 2
    assert "none.jsonl" in ended.err


def test_outcomes_come_from_how_the_reply_ended(afere: Afere) -> None:
    answers(
        afere,
        {"item": "a", "content": "", "finish_reason": "length", "reasoning": "so 4"},
        {"item": "b", "content": None, "refusal": "I can't help with that."},
        {"item": "c", "content": "", "finish_reason": "stop"},
    )
    found = afere("grade", "suite.yaml", "answers.jsonl", "--json").json
    assert [row["outcome"] for row in found["answers"]] == ["truncated", "refused", "empty"]
    assert found["score"] == 0


def test_regrading_with_mended_keys_makes_no_call_and_keeps_both_grades(
    project: Afere,
    server: ChatServer,
) -> None:
    before = project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--json").json["runs"][0]
    asked = server.count
    text = (project.folder / "suite.yaml").read_text("utf-8")
    project.write("mended.yaml", text.replace("number: 36}", "number: 37}"))
    ended = project("regrade", "good", "--suite", "mended.yaml", "--json")
    assert ended.code == 0, ended
    assert ended.json["changed"] == [{"item": "i18", "round": 1, "from": "wrong", "to": "right"}]
    assert (ended.json["score_before"], ended.json["score_after"]) == (0.9, 0.95)
    assert server.count == asked
    kept = project("show", before["run"], "--json").json["run"]
    assert kept["score"] == 0.9


def test_regrading_with_the_same_graders_changes_nothing(project: Afere) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "2")
    ended = project("regrade", "latest", "--json")
    assert ended.json["changed"] == []
    assert ended.json["score_before"] == ended.json["score_after"]


def test_a_suite_is_looked_over_before_money_is_spent(afere: Afere) -> None:
    afere.write(
        "suite.yaml",
        'suite: s\nitems:\n  - {id: a, input: "The answer is 42. What is it?", '
        "expect: {number: 42}}\n"
        '  - {id: b, input: "Say x.", expect: {text: [x]}}\n'
        '  - {id: c, input: "Say x.", expect: {text: [x]}}\n',
    )
    ended = afere("check", "suite.yaml", "--json")
    codes = {(problem["item"], problem["code"]) for problem in ended.json["problems"]}
    assert ("a", "answer_in_prompt") in codes
    assert any(code == "duplicate" for _, code in codes)
    assert ended.json["items"] == 3
    assert set(ended.json["smallest_detectable_difference"]) == {"1", "3"}


@pytest.mark.parametrize("suite", ["first-steps", "swap-20", "swap-20-en", "swap-20-zh"])
def test_the_shipped_suites_have_no_error(afere: Afere, suite: str) -> None:
    ended = afere("check", suite, "--json")
    assert ended.code == 0, ended
    assert not [each for each in ended.json["problems"] if each["severity"] == "error"]


CHOICES = """\
suite: choices
params: {max_tokens: 8}
items:
  - {id: a, input: "Blue?", options: {A: sky, B: grass, C: coal}, expect: {choice: A}}
  - {id: b, input: "Green?", options: {A: sky, B: grass, C: coal}, expect: {choice: B}}
"""


def test_rotation_asks_every_shift_and_shows_a_favourite_letter(
    project: Afere,
    server: ChatServer,
) -> None:
    project.write("choices.yaml", CHOICES)
    server.answers = lambda _body: "A"
    ended = project("run", "choices.yaml", "-m", "good", "--rounds", "1", "--rotate", "--json")
    assert ended.code == 0, ended
    (run,) = ended.json["runs"]
    assert server.count == 6
    assert run["score"] == pytest.approx(1 / 3)
    assert run["outcomes"]["right"] == 2
    assert run["letters"]["A"] == {"chosen": 6, "key": 2}
    assert run["letters"]["B"] == {"chosen": 0, "key": 2}


def test_a_model_that_knows_is_right_in_every_shift(project: Afere, server: ChatServer) -> None:
    project.write("choices.yaml", CHOICES)

    def knows(body: dict[str, object]) -> str:
        text = str(body["messages"][0]["content"])  # type: ignore[index]
        wanted = "sky" if text.startswith("Blue") else "grass"
        return next(line[0] for line in text.splitlines() if line.endswith(wanted))

    server.answers = knows  # type: ignore[assignment]
    (run,) = project(
        "run",
        "choices.yaml",
        "-m",
        "good",
        "--rounds",
        "1",
        "--rotate",
        "--json",
    ).json["runs"]
    assert run["score"] == 1.0
    rows = project("show", "latest", "--json").json["rows"]
    assert {(row["item"], row["read"]) for row in rows} == {("a", "A"), ("b", "B")}


def test_rotation_needs_equally_many_options(project: Afere) -> None:
    ended = project("run", "suite.yaml", "-m", "good", "--rotate")
    assert ended.code == 2
    assert "--rotate" in ended.err


def test_a_shuffle_puts_options_in_another_order_and_is_undone(
    project: Afere,
    server: ChatServer,
) -> None:
    project.write("choices.yaml", CHOICES)
    server.answers = lambda _body: "sky"
    for seed in range(4):
        ended = project(
            "run", "choices.yaml", "-m", "good", "--rounds", "1", "--shuffle", str(seed), "--json"
        )
        assert ended.json["runs"][0]["score"] == 0.5
        rows = project("show", "latest", "--json").json["rows"]
        assert {row["read"] for row in rows} == {"A"}


def test_a_strict_run_says_what_lenient_reading_would_have_read(
    project: Afere,
    server: ChatServer,
) -> None:
    text = (project.folder / "suite.yaml").read_text("utf-8")
    project.write("suite.yaml", text.replace("items:", "reading: strict\nitems:", 1))
    server.answers = lambda body: (
        f"I would say it is {2 * int(body['messages'][0]['content'].split()[1])} in the end, yes."
    )
    (run,) = project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--json").json["runs"]
    assert run["outcomes"] == {"unreadable": 20}
    assert any("20 of the unreadable" in text and "20 of them" in text for text in run["warnings"])


def test_an_input_error_leaves_standard_output_empty_with_json_too(afere: Afere) -> None:
    answers(afere, *GOOD)
    ended = afere("grade", "suite.yaml", "no-such-file.jsonl", "--json")
    assert ended.code == 2
    assert ended.out == ""
    assert "no-such-file.jsonl" in ended.err
