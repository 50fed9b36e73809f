"""What crosses between the processes is plain data, bounded, whatever a hostile side sends."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afere.sandbox.inside import wire
from afere.sandbox.inside.codec import DEPTH, FormatError, Opaque, decode, encode

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.integers() | st.text() | st.binary(), inner)
    ),
    max_leaves=20,
)
json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from("ifltdszbycrDFTo"), inner, max_size=2)
    ),
)


@given(plain)
def test_plain_values_cross_unchanged_in_value_and_type(value: Any) -> None:
    crossed = decode(wire.unpack(wire.pack(encode(value))[wire.HEADER :]))
    assert repr(crossed) == repr(value)


@given(json_like)
def test_any_json_is_a_value_or_an_error_of_format(form: Any) -> None:
    with contextlib.suppress(FormatError):
        decode(form)


@given(st.binary())
def test_any_bytes_are_a_message_or_an_error_of_format(body: bytes) -> None:
    with contextlib.suppress(FormatError):
        wire.unpack(body)


@pytest.mark.parametrize(
    "form",
    [
        {"i": "x"},
        {"i": 1},
        {"f": None},
        {"l": 3},
        {"l": {"t": []}},
        {"d": [[1]]},
        {"d": [[{"l": []}, 1]]},
        {"s": [{"l": []}]},
        {"b": "0"},
        {"c": ["0x1p0", "x"]},
        {"r": ["0x0", "0x1", "0x0"]},
        {"F": ["0x1", "0x0"]},
        {"D": "x"},
        {"Td": "yesterday"},
        {"Ts": [10**30, 0, 0]},
        {"o": []},
        {"o": ["a", True, 1]},
        {},
        {"l": [], "t": []},
        {"?": 1},
        [1],
        1.5,
    ],
)
def test_forms_never_sent_are_refused(form: Any) -> None:
    with pytest.raises(FormatError):
        decode(form)


@pytest.mark.parametrize(
    "text", [b"1.5", b"NaN", b"Infinity", b"1e5", b"\xff", b"", b"[" * 100_000]
)
def test_numbers_and_bytes_never_sent_are_refused(text: bytes) -> None:
    with pytest.raises(FormatError):
        wire.unpack(text)


def test_a_message_larger_than_the_bound_is_refused_by_its_header() -> None:
    assert wire.size_of((32 << 20).to_bytes(4, "big")) == 32 << 20
    with pytest.raises(FormatError):
        wire.size_of(((32 << 20) + 1).to_bytes(4, "big"))


def test_an_object_equals_nothing_and_keeps_only_its_truth() -> None:
    class Liar:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = object.__hash__

        def __bool__(self) -> bool:
            return False

    crossed = decode(json.loads(json.dumps(encode([Liar()]))))[0]
    assert isinstance(crossed, Opaque)
    assert crossed != crossed  # noqa: PLR0124 - the claim
    assert not crossed == 3  # noqa: SIM201 - the claim
    assert not crossed
    assert repr(crossed) == "<Liar object>"


def test_a_value_nested_too_deep_is_opaque_at_its_end() -> None:
    value: Any = 1
    for _ in range(DEPTH + 50):
        value = [value]
    crossed = decode(encode(value))
    depth = 0
    while type(crossed) is list:
        crossed, depth = crossed[0], depth + 1
    assert isinstance(crossed, Opaque)
    assert depth == DEPTH + 1


def test_subclasses_cross_as_the_values_they_are_built_on() -> None:
    class Number(int):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = int.__hash__

    class Items(list[int]):
        def __iter__(self) -> Any:
            return iter([9])

    assert type(decode(encode(Number(5)))) is int
    assert decode(encode(Number(5))) == 5
    assert decode(encode(Items([1, 2]))) == [1, 2]
