"""One JSON form: what goes in comes out, the text is canonical, nonsense is refused."""

import hashlib
import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afere.domain import (
    Expect,
    Failure,
    FailureKind,
    Grade,
    Item,
    Message,
    Outcome,
    Reading,
    Request,
    Response,
    Row,
    RunPlan,
    Scope,
    Suite,
    Tokens,
    decode,
    digest,
    encode,
    from_plain,
)

texts = st.text(st.characters(codec=None, exclude_categories=()))  # lone surrogates included
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(texts.filter(lambda key: key != "$decimal"), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(plain)
def test_plain_data_of_any_shape_survives(value: object) -> None:
    assert decode(encode(value)) == value


@given(st.dictionaries(texts.filter(lambda key: key != "$decimal"), st.integers()))
def test_the_order_of_keys_changes_nothing(value: dict[str, int]) -> None:
    backwards = dict(reversed(list(value.items())))
    assert encode(value) == encode(backwards)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, Decimal("NaN")])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        encode({"a": [value]})


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}', "{", ""])
def test_broken_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode(text)


def test_a_decimal_keeps_its_written_digits() -> None:
    assert str(decode(encode(Decimal("2.50")))) == "2.50"


RECORDS = [
    Suite(
        name="s",
        reading=Reading(language="pt-BR", strict=True),
        params={"temperature": 0.7},
        items=(
            Item(id="a", input="maçã 世 \ud800", expect=Expect(kind="number", key=Decimal("2.5"))),
            Item(
                id="b",
                input=(
                    Message(role="user", content="x"),
                    Message(role="user", content=({"t": 1},)),
                ),
                expect=Expect(kind="choice", key="A"),
                options={"A": "one", "B": "two"},
                labels=("x", "y"),
            ),
        ),
    ),
    Response(content="x", tokens=Tokens(input=3), latency=0.25, body='{"a":1}'),
    Failure(kind=FailureKind.SERVER, message="503", status=503, transient=True, scope=Scope.MODEL),
    Row(
        item="a",
        round=2,
        grade=Grade(outcome=Outcome.RIGHT, score=1.0, grader="number", grader_version="1"),
        error=Failure(kind=FailureKind.TIMEOUT, message="no reply"),
    ),
    RunPlan(
        suite_name="s",
        suite_hash="h",
        endpoint="e",
        base_url="u",
        name="n",
        model="m",
        params={"max_tokens": 5},
        rounds=3,
        items=("a", "b"),
    ),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_record_comes_back_equal(record: object) -> None:
    assert from_plain(type(record), decode(encode(record))) == record


def test_a_field_of_a_newer_version_is_passed_over() -> None:
    assert from_plain(Tokens, {"input": 3, "later": True}) == Tokens(input=3)


def request(**changes: object) -> Request:
    fields: dict[str, object] = {
        "item": "a",
        "round": 1,
        "endpoint": "http://x/v1",
        "model": "m",
        "body": {"model": "m", "max_tokens": 16},
    }
    return Request(**(fields | changes))  # type: ignore[arg-type] # fields by name


@pytest.mark.parametrize(
    "changes",
    [
        {"round": 2},
        {"variant": 1},
        {"endpoint": "http://y/v1"},
        {"model": "n"},
        {"series": "again"},
        {"body": {"model": "m", "max_tokens": 4000}},
        {"body": {"model": "m", "max_tokens": 16, "temperature": 0}},
        {"body": {"model": "m", "max_tokens": 16, "temperature": None}},
        {"body": {"model": "m", "max_tokens": 16, "stop": []}},
    ],
    ids=str,
)
def test_whatever_could_change_the_answer_changes_the_key(changes: dict[str, object]) -> None:
    assert request(**changes).key != request().key


def test_the_item_s_name_is_no_part_of_the_key() -> None:
    assert request(item="b").key == request().key


def test_a_digest_is_that_of_the_canonical_text() -> None:
    assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_a_record_s_digest_is_that_of_its_text_whatever_its_length() -> None:
    items = tuple(
        Item(id=f"i{n}", input="a\ud800", expect=Expect(kind="number", key=Decimal("2.50")))
        for n in range(3)
    )
    for suite in (Suite(name="s", items=items), Suite(name="s"), items[0], Tokens()):
        assert digest(suite) == hashlib.sha256(encode(suite).encode("ascii")).hexdigest()


def test_a_field_left_out_of_a_digest_is_as_if_it_were_not_there() -> None:
    plain = {"input": 1, "output": None}
    assert digest(Tokens(input=1), without=frozenset({"reasoning"})) == digest(plain)
