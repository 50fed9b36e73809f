"""Expressions: Python's own behaviour, and an end within a fixed number of steps."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afere.domain import Outcome
from afere.graders.expressions import Expression, InvalidExpressionError, UnfinishedError

ATOMS = st.sampled_from([
    "a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", r"\s", r"\b", "^", "$", "(a)", "(b|c)", "(a|ab)",
    "(?:ab|a)", r"\1", "(?=a)", "(?!b)", "(?<=a)", "(?<!b)", "(?i:A)", "(?m:^)", "(?s:.)", "(a*)",
    "(?(1)b|c)", r"\B", r"\Z", r"\A", r"\W", "[a-c]", "é", r"(?a:\w)",
])  # fmt: skip
REPEATS = st.sampled_from(["", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?"])
PATTERNS = st.lists(st.tuples(ATOMS, REPEATS), min_size=1, max_size=6).map(
    lambda parts: "".join(atom + repeat for atom, repeat in parts)
)


@settings(max_examples=400, deadline=None)
@given(pattern=PATTERNS, text=st.text("abcA \n1é", max_size=7))
def test_an_expression_matches_what_it_matches_in_python(pattern: str, text: str) -> None:
    try:
        theirs = re.compile(pattern)
    except re.error:
        with pytest.raises(InvalidExpressionError):
            Expression(pattern)
        return
    ours = Expression(pattern)
    assert ours.fullmatch(text) == bool(theirs.fullmatch(text))
    assert ours.match(text) == bool(theirs.match(text))
    assert ours.search(text) == bool(theirs.search(text))


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        (r"(?i)straße", "STRAßE", True),
        (r"(?i)[à-é]+", "ÀÉ", True),
        (r"(?x) a b # ab", "ab", True),
        (r"(?P<x>a)(?P=x)", "aa", True),
        (r"a++b", "aaab", True),
        (r"a++ab", "aaab", False),
        (r"(?>a+)ab", "aaab", False),
        (r"[[a]", "[", True),
        (r"[^\W\d]+", "maçã", True),
        (r"\d+", "٣", True),
        (r"(?a:\d+)", "٣", False),
        (r"(a+)+b", "a" * 60 + "!", False),
        (r"(a+)+b", "a" * 60 + "b", True),
        (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 60, False),
        (r"(x+x+)+y", "x" * 40, False),
        (r"[\s\S]*end", "x\n" * 20_000 + "end", True),
    ],
)
def test_a_pattern_that_explodes_elsewhere_is_decided(
    pattern: str, text: str, *, matches: bool
) -> None:
    assert Expression(pattern).fullmatch(text) is matches


HOSTILE = [
    (r"(\w+\s?)*\1$", "word " * 400 + "!"),
    (r"(.*)\1(.*)\2(.*)\3x", "ab" * 400),
    ("a?" * 3000 + "a" * 3000, "a" * 3000),
    (".*" * 300 + "y", "x" * 300),
    ("(?:(?:(?:a*)*)*)*b", "a" * 100_000),
    ("(?:(?:a{1000}){1000}){1000}", "a"),
    ("(?:a?){60000}b", "a"),
    ("(" * 5000 + "a" + ")" * 5000, "a"),
    ("[" * 20_000, "a"),
    ("(?i)" + "[\0-\U0010ffff]" * 900, "a" * 900),
    ("(?<=a{50000})b", "b"),
    ("a{4294967294}", "a"),
    ("a{99999999999999999999}", "a"),
    ("|".join(["a" * 50] * 190), "a" * 51),
]


@pytest.mark.parametrize(("pattern", "text"), HOSTILE, ids=lambda value: value[:24])
def test_a_hostile_expression_ends(graded: Any, pattern: str, text: str) -> None:
    grade = graded({"regex": {"matches": [text + "z"], "rejects": [text]}}, pattern)
    assert grade.outcome in {Outcome.WRONG, Outcome.UNREADABLE}


def test_an_expression_of_the_suite_that_does_not_end_is_our_fault(graded: Any) -> None:
    with pytest.raises(UnfinishedError):
        graded({"match": r"(.*)\1(.*)\2(.*)\3x"}, "ab" * 400)


def test_the_same_steps_are_counted_everywhere() -> None:
    pattern, text = r"(a*)*\1b", "a" * 200
    outcomes = set()
    for _ in range(3):
        try:
            outcomes.add(Expression(pattern).fullmatch(text))
        except UnfinishedError:
            outcomes.add("unfinished")
    assert len(outcomes) == 1
