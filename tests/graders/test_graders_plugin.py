"""A plain function becomes a grader; the example package is one."""

import asyncio
import importlib.util
import tomllib
from types import ModuleType
from typing import Any

import pytest
from grading_cases import ROOT, make_item

from afere.domain import AnswerKeyError, Grade, Outcome, Reading, Response
from afere.graders import grader

EXAMPLE = ROOT / "examples" / "afere-grader-example"


def grade(judge: Any, expect: dict[str, Any], reply: str, **reading: Any) -> Grade:
    response = Response(content=reply, finish_reason=reading.pop("finish", "stop"))
    item = make_item(expect)
    judge.check(item, Reading(**reading))
    result: Grade = asyncio.run(judge.grade(item, response, Reading(**reading)))
    return result


@grader("shorter", version="3", check=lambda key: None if isinstance(key, int) else "no length")
def shorter(answer: str, key: int, *, words: bool = False) -> float:
    """Score an answer by how much shorter than the key it is."""
    size = len(answer.split()) if words else len(answer)
    return 1.0 if size <= key else max(0.0, 2 - size / key)


@grader("polite", reads="reply")
def polite(reply: str, key: str) -> bool:
    """Tell whether the whole reply holds a word."""
    return key in reply


@pytest.mark.parametrize(
    ("reply", "read", "rule"),
    [
        ("abc", "abc", "whole"),
        ("**abc**.", "abc", "whole"),
        ("Some words before it.\nAnswer: `abc`", "abc", "marker"),
        ("Here you are:\nabc", "abc", "last-line"),
        ("```\nabc\n```", "abc", "whole"),
    ],
)
def test_the_function_is_given_the_answer_that_was_read(reply: str, read: str, rule: str) -> None:
    result = grade(shorter, {"shorter": 5}, reply)
    assert (result.outcome, result.read, result.rule) == (Outcome.RIGHT, read, rule)
    assert (result.grader, result.grader_version) == ("shorter", "3")


def test_a_score_between_is_kept_and_is_not_right() -> None:
    result = grade(shorter, {"shorter": 4}, "abcde")
    assert (result.outcome, result.score) == (Outcome.WRONG, 0.75)


def test_keyword_only_parameters_are_the_options() -> None:
    assert grade(shorter, {"shorter": 3, "words": True}, "a long answer").outcome == "right"
    with pytest.raises(AnswerKeyError, match="Did you mean `words`"):
        grade(shorter, {"shorter": 3, "word": True}, "abc")


def test_a_key_that_the_plugin_refuses_is_refused_at_the_door() -> None:
    with pytest.raises(AnswerKeyError, match="no length"):
        grade(shorter, {"shorter": "x"}, "abc")


def test_settled_outcomes_never_reach_the_function() -> None:
    assert grade(shorter, {"shorter": 5}, "").outcome is Outcome.EMPTY
    assert grade(shorter, {"shorter": 5}, "abc", finish="length").outcome is Outcome.TRUNCATED
    assert grade(polite, {"polite": "abc"}, "abc", finish="length").outcome is Outcome.TRUNCATED


def test_a_function_may_read_the_whole_reply() -> None:
    assert grade(polite, {"polite": "please"}, "Sit down,\nplease.").outcome is Outcome.RIGHT
    assert grade(polite, {"polite": "please"}, "<think>please</think>Sit").outcome == "wrong"


def test_what_is_no_score_and_what_is_raised_are_faults_and_never_scores() -> None:
    far = grader("far")(lambda _answer, _key: 7)
    with pytest.raises(ValueError, match="no score"):
        grade(far, {"far": 1}, "x")
    text = grader("text")(lambda _answer, _key: "yes")  # type: ignore[arg-type, return-value]
    with pytest.raises(ValueError, match="no score"):
        grade(text, {"text": 1}, "x")

    def broken(answer: str, key: int) -> bool:
        return bool(key / len(answer.strip("x")))

    with pytest.raises(ZeroDivisionError):
        grade(grader("broken")(broken), {"broken": 1}, "xxx")


def test_an_unknown_way_of_reading_is_refused() -> None:
    with pytest.raises(ValueError, match="`answer` or `reply`"):
        grader("x", reads="all")


def test_the_function_can_still_be_called() -> None:
    assert shorter("abc", 5) == 1.0  # type: ignore[operator] # a grader that remembers its function


@pytest.fixture(scope="module")
def example() -> ModuleType:
    source = EXAMPLE / "src" / "afere_grader_example" / "__init__.py"
    spec = importlib.util.spec_from_file_location("afere_grader_example", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_package_names_its_grader_in_the_entry_point_group(
    example: ModuleType,
) -> None:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    for name, place in project["entry-points"]["afere.graders"].items():
        module, _, attribute = place.partition(":")
        assert module == example.__name__
        assert getattr(example, attribute).name == name


@pytest.mark.parametrize(
    ("expect", "reply", "outcome"),
    [
        ({"palindrome": 5}, "level", "right"),
        ({"palindrome": 5}, "Answer: **Level**", "right"),
        ({"palindrome": 5}, "noon", "wrong"),
        ({"palindrome": 5}, "levels", "wrong"),
        ({"palindrome": 12, "spaces": "ignore"}, "Was it a car or a cat I saw?", "right"),
        ({"palindrome": 12}, "Was it a car or a cat I saw?", "wrong"),
        ({"palindrome": 5}, "", "empty"),
    ],
)
def test_the_example_grader_judges(
    example: ModuleType, expect: dict[str, Any], reply: str, outcome: str
) -> None:
    assert grade(example.palindrome, expect, reply).outcome == outcome


def test_the_example_grader_refuses_a_key_that_is_no_length(example: ModuleType) -> None:
    with pytest.raises(AnswerKeyError, match="no length"):
        grade(example.palindrome, {"palindrome": "long"}, "level")
