"""pass@k of runs: declared tries are kept, lost rows left out in sight, intervals hold it."""

from dataclasses import replace
from typing import Any

import pytest
from analysis_builders import run_of, suite_of

from afere.analysis import summarize
from afere.domain import Run, Suite

SCORES = {"a": [1, 1, 1], "b": [1, 0, 0], "c": [0, 0, 0], "d": [1, 1, 0]}


def coding(**changes: Any) -> Suite:
    suite = suite_of(list(SCORES), **changes)
    items = tuple(replace(item, expect=replace(item.expect, kind="python")) for item in suite.items)
    return replace(suite, items=items)


def executed(run: Run, **fields: Any) -> Run:
    """The same run with every answer executed."""
    grades = {"sandbox": "namespaces", "integrity": "strong", **fields}
    rows = tuple(replace(row, grade=replace(row.grade, **grades)) for row in run.rows)
    return replace(run, rows=rows)


def test_a_suite_of_code_has_pass_at_one_and_at_its_rounds() -> None:
    summary = summarize(run_of(SCORES, suite=coding()))
    assert set(summary.pass_at) == {"1", "3"}
    assert (summary.pass_at["1"].score, summary.pass_at["1"].interval) == (
        summary.score,
        summary.interval,
    )
    assert summary.pass_at["3"].score == 0.75
    assert summary.all_of["3"].score == 0.25
    low, high = summary.pass_at["3"].interval or (0, 0)
    assert 0 < low < 0.75 < high < 1


def test_declared_tries_are_estimated_from_all_rounds() -> None:
    summary = summarize(run_of(SCORES, suite=coding(pass_at=(2,))))
    assert list(summary.pass_at) == ["1", "2", "3"]
    assert summary.pass_at["2"].score == pytest.approx((1 + 2 / 3 + 0 + 1) / 4)
    assert summary.all_of["2"].score == pytest.approx((1 + 0 + 0 + 1 / 3) / 4)
    low, high = summary.pass_at["2"].interval or (0, 0)
    assert low < 2 / 3 < high


def test_items_of_too_few_graded_rounds_are_left_out_and_counted() -> None:
    scores = {**SCORES, "d": [1, "endpoint_error", 1]}
    summary = summarize(run_of(scores, suite=coding(pass_at=(2,))))
    assert (summary.pass_at["3"].items, summary.pass_at["3"].score) == (3, pytest.approx(2 / 3))
    assert summary.pass_at["2"].items == 4


def test_other_suites_have_none_unless_they_declare_it() -> None:
    plain = suite_of(list(SCORES))
    assert summarize(run_of(SCORES, suite=plain)).pass_at == {}
    assert set(summarize(run_of(SCORES, suite=replace(plain, pass_at=(2,)))).pass_at) == {
        "1",
        "2",
        "3",
    }


def test_macro_average_weighs_categories_in_pass_at_k_too() -> None:
    suite = coding(categories={"a": "x", "b": "x", "c": "x", "d": "y"}, average="macro")
    summary = summarize(run_of(SCORES, suite=suite))
    assert summary.pass_at["3"].score == pytest.approx((2 / 3 + 1) / 2)


def test_how_answers_were_executed_is_counted() -> None:
    run = run_of(SCORES, suite=coding())
    assert summarize(run).executed is None
    told = summarize(executed(run, failure="timeout")).executed
    assert told is not None
    assert (told.answers, told.weak) == (12, 0)
    assert dict(told.sandbox) == {"namespaces": 12}
    assert dict(told.failures) == {"timeout": 12}


def test_weak_and_unguarded_results_are_warned_of() -> None:
    run = run_of(SCORES, suite=coding())
    weak = summarize(executed(run, integrity="weak")).warnings
    assert any("12 answers shared a process" in each for each in weak)
    bare = summarize(executed(run, sandbox="none", integrity="weak")).warnings
    assert any("--unsafe-no-sandbox" in each for each in bare)
    assert not any("shared a process" in each for each in bare)
