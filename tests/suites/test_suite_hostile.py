"""Whatever a file holds, loading, rendering and auditing end in a result or a SuiteError."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from afere.domain import Grader, SuiteError, decode, encode, from_plain
from afere.domain.suite import Suite
from afere.suites import audit, load, original_letter, render, rotate, shuffle
from afere.suites.door import ITEM_FIELDS, SUITE_FIELDS

KINDS = ("number", "text", "contains", "list", "choice", "label", "regex", "match", "json")
scalar = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.sampled_from([0.5, 1e300, "", " ", "A", "B", "x", "A) x", "{{ input }}", "\x00", "é"])
    | st.text(max_size=5)
)
anything = st.recursive(
    scalar,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["A", "B", "all", "any", "equals", "matches", "role", "content", *KINDS]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
options = st.fixed_dictionaries({"A": st.text(min_size=1), "B": st.text(min_size=1)})
good = {
    "id": st.text(min_size=1, max_size=3),
    "input": st.sampled_from(["Which?", "How many x?"]),
    "options": st.none() | options,
    "labels": st.none() | st.just(["A", "B"]),
    "expect": st.sampled_from(KINDS).flatmap(
        lambda kind: st.fixed_dictionaries({kind: st.sampled_from(["A", 3, ["x"]]) | anything})
    ),
}
odd_item = st.tuples(
    st.fixed_dictionaries(good),
    st.dictionaries(st.sampled_from(ITEM_FIELDS), anything, max_size=2),
).map(lambda both: {**both[0], **both[1]})
item = st.fixed_dictionaries(good) | st.fixed_dictionaries(good) | odd_item
odd_suite = st.dictionaries(st.sampled_from(SUITE_FIELDS), anything, max_size=2)
suite = st.tuples(
    odd_suite | st.just({}) | st.just({}),
    st.fixed_dictionaries(
        {"suite": st.just("s"), "items": st.lists(item, min_size=1, max_size=3)},
        optional={
            "prompt": st.sampled_from(["{{ input }}", "{{ options.A }}", "{{ id | upper }}"])
        },
    ),
).map(lambda both: {**both[0], **both[1]})


@given(suite)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_suite_crashes_the_door_or_what_comes_after(
    graders: Mapping[str, Grader], tmp_path_factory: pytest.TempPathFactory, content: object
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    try:
        loaded = load(path, graders)
    except SuiteError as error:
        assert error.problem  # noqa: PT017 - both ways are right here
        return
    event("loaded")
    assert from_plain(Suite, decode(encode(loaded))) == loaded
    assert len(loaded.hash) == 64
    asyncio.run(audit(loaded, graders))
    for each in loaded.items:
        shown = shuffle(rotate(each, 1), 2)
        letters = [original_letter(shown, letter) for letter in shown.options]
        assert sorted(map(str, letters)) == sorted(each.options)
        request = render(loaded, shown, endpoint="e", model="m", params={}, round=1)
        assert len(request.key) == 64


@given(st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_no_bytes_crash_a_reader(
    graders: Mapping[str, Grader], tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    folder: Path = tmp_path_factory.getbasetemp()
    for name in ("any.yaml", "any.jsonl", "any.csv"):
        path = folder / name
        path.write_bytes(content)
        with pytest.raises(SuiteError):
            load(path, graders)
