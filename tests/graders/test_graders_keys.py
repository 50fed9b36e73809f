"""A key that its own grader cannot use is refused at the door, with the mend."""

from decimal import Decimal
from typing import Any

import pytest

from afere.domain import AnswerKeyError, Reading
from afere.graders import builtin

OPTIONS = {"A": "one", "B": "two"}
DEEP: dict[str, Any] = {"$ref": "#/$defs/missing"}


@pytest.mark.parametrize(
    ("expect", "says"),
    [
        ({"number": "twelve"}, "no number"),
        ({"number": True}, "no number"),
        ({"number": None}, "no number"),
        ({"number": [1]}, "no number"),
        ({"number": ""}, "no number"),
        ({"number": "1.2.3"}, "no number"),
        ({"number": Decimal("Infinity")}, "no number"),
        ({"number": Decimal("1e99999")}, "no number that can be compared"),
        ({"number": 5, "tolerance": -1}, "tolerance"),
        ({"number": 5, "tolerance": "a bit"}, "tolerance"),
        ({"number": 5, "relative": True}, "relative"),
        ({"number": 5, "base": 1}, "base"),
        ({"number": 5, "base": "hex"}, "base"),
        ({"number": "xyz", "base": 16}, "base 16"),
        ({"number": 5, "unit": ""}, "unit"),
        ({"number": 5, "unit": 7}, "unit"),
        ({"text": []}, "no list of texts"),
        ({"text": ["  "]}, "no list of texts"),
        ({"text": [{"a": 1}]}, "no list of texts"),
        ({"text": ["a"], "accents": "ignore"}, "accents"),
        ({"contains": {}}, "names no words"),
        ({"contains": ["cp"]}, "names no words"),
        ({"contains": {"all": []}}, "no list of texts"),
        ({"list": []}, "no list"),
        ({"list": "a, b"}, "no list"),
        ({"list": [["a"]]}, "neither text nor number"),
        ({"set": ["a", "A"]}, "twice"),
        ({"set": [1, Decimal("1.0")]}, "twice"),
        ({"match": ""}, "no expression"),
        ({"match": "(a"}, "cannot be used"),
        ({"match": "(?:(?:a{1000}){1000}){1000}"}, "cannot be used"),
        ({"regex": {"matches": [], "rejects": []}}, "no text"),
        ({"regex": "abc"}, "names no texts"),
        ({"regex": {"matches": ["a"], "rejects": ["a"]}}, "to match and to be rejected"),
        ({"regex": {"matches": ["a"]}, "how": "whole"}, "how"),
        ({"choice": "C"}, "none of the options"),
        ({"choice": "one, two"}, "none of the options"),
        ({"label": "none"}, "none of the labels"),
        ({"json": {}}, "neither schema nor value"),
        ({"json": {"schema": {"type": "strin"}}}, "schema is broken"),
        ({"json": {"schema": 7}}, "no schema"),
        ({"json": {"schema": {"$ref": "http://127.0.0.1:1/x.json"}}}, "leads out"),
        ({"json": {"schema": DEEP}}, "leads nowhere"),
        ({"json": {"schema": {"pattern": "(a"}}}, "the schema is broken"),
        ({"json": {"schema": {"pattern": "(?:(?:a{999}){999}){999}"}}}, "cannot be used"),
    ],
    ids=str,
)
def test_a_key_that_cannot_be_used_is_refused(make: Any, expect: dict[str, Any], says: str) -> None:
    item = make(expect, options=OPTIONS, labels=["x", "y"])
    with pytest.raises(AnswerKeyError, match=says):
        builtin()[item.expect.kind].check(item, Reading())


@pytest.mark.parametrize(
    ("expect", "near"),
    [
        ({"number": 5, "tolerence": 1}, "tolerance"),
        ({"number": 5, "units": "kg"}, "unit"),
        ({"contains": {"al": ["x"]}}, "all"),
        ({"regex": {"match": ["x"]}}, "matches"),
        ({"json": {"shema": {}}}, "schema"),
        ({"text": ["a"], "accent": "strict"}, "accents"),
    ],
    ids=str,
)
def test_an_unknown_option_is_named_with_the_nearest_right_one(
    make: Any, expect: dict[str, Any], near: str
) -> None:
    item = make(expect)
    with pytest.raises(AnswerKeyError, match=f"Did you mean `{near}`"):
        builtin()[item.expect.kind].check(item, Reading())


@pytest.mark.parametrize("kind", ["choice", "label"])
def test_an_item_without_its_closed_set_is_refused(make: Any, kind: str) -> None:
    with pytest.raises(AnswerKeyError, match="the item has no"):
        builtin()[kind].check(make({kind: "A"}), Reading())


@pytest.mark.parametrize(
    ("expect", "reply", "language"),
    [
        ({"number": "1.234,5"}, "1234,5", "pt-BR"),
        ({"number": "1,234.5"}, "1234.5", "en"),
        ({"number": "−6"}, "-6", "en"),
        ({"number": "3/4"}, "0.75", "en"),
        ({"number": "0x100", "base": 16}, "0x100", "en"),
        ({"number": "ff", "base": 16}, "255 = 0xFF", "en"),
        ({"number": "R$ 2,50"}, "2,5", "pt-BR"),
        ({"choice": "b"}, "B", "en"),
        ({"choice": "two"}, "B", "en"),
        ({"label": "X"}, "x", "en"),
        ({"text": [42, True]}, "42", "en"),
        ({"text": "one alone"}, "One alone.", "en"),
        ({"list": [True, "b"]}, "true, b", "en"),
    ],
    ids=str,
)
def test_a_key_may_be_written_as_an_answer_would_be(
    graded: Any, expect: dict[str, Any], reply: str, language: str
) -> None:
    grade = graded(expect, reply, language, options=OPTIONS, labels=["x", "y"])
    assert grade.outcome == "right"
