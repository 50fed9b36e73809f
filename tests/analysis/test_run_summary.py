"""One run in numbers."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from analysis_builders import START, row_of, run_of, suite_of

from afere.analysis import summarize
from afere.domain import (
    Calls,
    Expect,
    Failure,
    FailureKind,
    Invocation,
    Item,
    Run,
    RunStatus,
    RunSummary,
    Suite,
    Tokens,
    decode,
    encode,
    from_plain,
)


def test_twenty_items_and_three_rounds_in_numbers() -> None:
    scores = {f"i{n}": [1, 1, 1] for n in range(17)}
    scores.update({"i17": [1, 0, 0], "i18": [0, 0, 0], "i19": [0, 1, 1]})
    seen = summarize(run_of(scores))
    assert seen.score == pytest.approx(54 / 60)
    assert seen.per_round == pytest.approx((18 / 20, 18 / 20, 18 / 20))
    assert (seen.round_min, seen.round_max, seen.round_sd) == pytest.approx((0.9, 0.9, 0))
    assert seen.status is RunStatus.COMPLETE
    assert seen.bounds == pytest.approx((0.9, 0.9))
    assert seen.outcomes == {"right": 54, "wrong": 6}
    assert seen.interval is not None
    assert seen.interval[0] < 0.9 < seen.interval[1]
    assert seen.noise_floor == pytest.approx(1.96 * (2 / 3 / 20 / 60) ** 0.5)
    assert seen.items_table[17].right == 1
    assert seen.items_table[17].rounds == 3


def test_one_round_has_wilsons_interval_and_no_noise_floor() -> None:
    seen = summarize(run_of({f"i{n}": [int(n < 19)] for n in range(20)}))
    assert seen.interval == pytest.approx((0.763868806553258, 0.9911185511992046), abs=1e-9)
    assert seen.noise_floor is None
    assert seen.round_sd is None


def test_twelve_of_twelve_has_an_interval_that_is_not_empty() -> None:
    seen = summarize(run_of({f"i{n}": [1] for n in range(12)}))
    assert seen.interval == pytest.approx((0.757, 1.0), abs=1e-3)


def test_lost_rows_stay_out_of_the_mean_and_give_bounds() -> None:
    scores: dict[str, Any] = {f"i{n}": [int(n < 6)] for n in range(8)}
    scores.update({"i8": ["endpoint_error"], "i9": ["endpoint_error"]})
    seen = summarize(run_of(scores))
    assert seen.score == pytest.approx(0.75)
    assert seen.bounds == pytest.approx((0.6, 0.8))
    assert (seen.items, seen.scored) == (10, 8)
    assert seen.status is RunStatus.INCOMPLETE
    assert seen.outcomes == {"right": 6, "wrong": 2, "endpoint_error": 2}
    assert seen.first_error is not None
    assert (seen.first_error.item, seen.first_error.status) == ("i8", 503)
    assert seen.first_error.body == "busy"


def test_rows_never_asked_are_counted_so_that_the_sum_is_whole() -> None:
    seen = summarize(run_of({"a": [1, 1, None], "b": [1, None, None], "c": [None, None, None]}))
    assert seen.outcomes == {"right": 3, "not_asked": 6}
    assert [dict(each) for each in seen.round_outcomes] == [
        {"right": 2, "not_asked": 1},
        {"right": 1, "not_asked": 2},
        {"not_asked": 3},
    ]
    assert sum(seen.outcomes.values()) == 9
    assert seen.per_round == (1.0, 1.0, None)
    assert seen.score == 1.0
    assert seen.status is RunStatus.INCOMPLETE


def test_a_run_without_a_graded_row_is_invalid_and_has_no_score() -> None:
    seen = summarize(run_of({"a": ["endpoint_error"], "b": [None]}))
    assert seen.status is RunStatus.INVALID
    assert seen.score is None
    assert seen.interval is None
    assert seen.bounds is None
    assert seen.per_round == (None,)
    assert encode(seen.to_dict())


def test_the_score_weighs_items_alike_and_not_rows() -> None:
    seen = summarize(run_of({"a": [1, "endpoint_error", "endpoint_error"], "b": [0, 0, 0]}))
    assert seen.score == pytest.approx(0.5)


def test_macro_weighs_categories_alike() -> None:
    categories = {f"i{n}": "large" if n < 8 else "small" for n in range(10)}
    scores = {f"i{n}": [int(n < 8)] for n in range(10)}
    micro = summarize(run_of(scores, categories=categories))
    macro = summarize(run_of(scores, categories=categories, average="macro"))
    assert micro.score == pytest.approx(0.8)
    assert macro.score == pytest.approx(0.5)
    assert macro.bounds == pytest.approx((0.5, 0.5))
    assert macro.per_round == pytest.approx((0.5,))
    assert macro.categories["large"].items == 8
    assert macro.categories["small"].score == 0.0
    assert summarize(run_of(scores, categories=categories), average="macro").score == 0.5


def test_partial_scores_are_means_with_an_interval() -> None:
    seen = summarize(run_of({"a": [0.5], "b": [1], "c": [0.25]}))
    assert seen.score == pytest.approx(1.75 / 3)
    assert seen.interval is not None
    assert 0 <= seen.interval[0] < seen.score < seen.interval[1] <= 1


def test_tokens_cost_and_latency() -> None:
    run = run_of(
        {"a": [1, 1], "b": [1, "endpoint_error"]},
        plan={"price": {"input": Decimal("0.29"), "output": 2}},
    )
    seen = summarize(run)
    assert seen.tokens == {"input": 30, "output": 15, "reasoning": None}
    assert seen.cost == pytest.approx((30 * 0.29 + 15 * 2) / 1e6)
    assert seen.latency.p50 == 0.5
    assert summarize(run_of({"a": [1]})).cost is None


def test_answers_without_token_counts_are_said_beside_the_cost() -> None:
    run = run_of({"a": [1], "b": [1]}, plan={"price": {"input": 1, "output": 1}})
    rows = (run.rows[0], replace(run.rows[1], tokens=Tokens()))
    seen = summarize(replace(run, rows=rows))
    assert [str(each) for each in seen.warnings] == [
        "1 answers say no token use: the cost leaves them out",
    ]


def test_latency_interpolates_between_the_nearest_calls() -> None:
    run = run_of({f"i{n}": [1] for n in range(5)})
    rows = tuple(replace(row, latency=float(n)) for n, row in enumerate(run.rows))
    seen = summarize(replace(run, rows=rows))
    assert (seen.latency.p50, seen.latency.p95) == pytest.approx((2.0, 3.8))


def test_times_are_texts_in_utc() -> None:
    run = run_of({"a": [1]})
    calls = Calls(made=3, cached=1, failed=1, retried=1)
    stop = Failure(kind=FailureKind.QUOTA, message="daily quota used up")
    run = replace(
        run,
        invocations=(
            Invocation(started=START, finished=START + 60),
            Invocation(
                started=START + 100,
                finished=START + 160,
                calls=calls,
                resume_after=START + 3600,
                stopped_by=stop,
            ),
        ),
    )
    seen = summarize(run)
    assert seen.started == "2026-11-30T00:53:20Z"
    assert seen.finished == "2026-11-30T00:56:00Z"
    assert seen.resume_after == "2026-11-30T01:53:20Z"
    assert (seen.answered_from, seen.answered_to) == ("2026-11-30", "2026-11-30")
    assert seen.calls == calls
    assert seen.first_error is not None
    assert seen.first_error.message == "daily quota used up"
    assert summarize(run, calls=Calls(cached=1)).calls.made == 0


def test_a_model_that_changes_inside_the_run_is_said() -> None:
    run = run_of({"a": [1], "b": [1], "c": [1]})
    served = ("m-2026-01", "m-2026-02", "m-2026-02")
    rows = tuple(
        replace(row, served_model=each) for row, each in zip(run.rows, served, strict=True)
    )
    seen = summarize(replace(run, rows=rows))
    assert seen.served_model == "m-2026-02"
    assert [str(each) for each in seen.warnings] == [
        "the server's model changed during the run: m-2026-01, m-2026-02",
    ]


def test_rounds_that_cannot_differ_are_said_to_measure_no_noise() -> None:
    plan = {"params": {"temperature": 0}}
    same = summarize(run_of({"a": [1, 1], "b": [0, 0]}, plan=plan))
    assert "they measure no noise" in str(same.warnings[0])
    flips = summarize(run_of({"a": [1, 0], "b": [0, 0]}, plan=plan))
    assert "not deterministic: 1 items changed" in str(flips.warnings[0])
    assert not summarize(run_of({"a": [1], "b": [0]}, plan=plan)).warnings


def test_letters_chosen_stand_beside_the_letters_of_the_key() -> None:
    items = tuple(
        Item(
            id=f"q{n}",
            input="which?",
            expect=Expect(kind="choice", key="ABCD"[n % 4]),
            options={"A": "w", "B": "x", "C": "y", "D": "z"},
        )
        for n in range(8)
    )
    suite = Suite(name="letters", items=items)
    run = run_of({f"q{n}": [int(n % 4 == 1)] for n in range(8)}, suite=suite)
    rows = tuple(replace(row, grade=replace(row.grade, read="B")) for row in run.rows)
    seen = summarize(replace(run, rows=rows))
    assert seen.letters["B"] == {"chosen": 8, "key": 2}
    assert seen.letters["D"] == {"chosen": 0, "key": 2}


def test_rules_that_read_answers_are_counted() -> None:
    assert summarize(run_of({"a": [1], "b": [1], "c": [0]})).rules == {"marker": 2}


def test_a_row_that_is_there_twice_counts_once_and_the_last_one() -> None:
    run = run_of({"a": [1], "b": [1]})
    seen = summarize(replace(run, rows=(*run.rows, row_of("a", 1, 0))))
    assert seen.outcomes == {"right": 1, "wrong": 1}


def test_rows_off_the_plan_do_not_count() -> None:
    run = run_of({"a": [1]})
    extra = (row_of("z", 1, 1), row_of("a", 9, 1), row_of("a", 0, 1))
    assert summarize(replace(run, rows=(*run.rows, *extra))).outcomes == {"right": 1}


def test_a_grade_that_is_no_fraction_never_counts() -> None:
    run = run_of({"a": [1], "b": [1]})
    for wild in (7.0, -1.0, float("nan")):
        rows = (replace(run.rows[0], grade=replace(run.rows[0].grade, score=wild)), run.rows[1])
        seen = summarize(replace(run, rows=rows))
        assert (seen.items, seen.scored) == (2, 1)
        assert seen.score == 1.0
        assert seen.status is RunStatus.INCOMPLETE


def test_a_summary_has_one_json_form() -> None:
    seen = summarize(run_of({"a": [1, 0], "b": [1, "truncated"]}))
    assert from_plain(RunSummary, decode(encode(seen.to_dict()))) == seen


def test_an_empty_run_says_so() -> None:
    run = run_of({"a": [1]}, suite=suite_of(["a"]))
    empty = Run(plan=replace(run.plan, items=()), suite=run.suite, rows=())
    assert summarize(empty).status is RunStatus.INVALID
