"""Corners of runs: what is missing, unknown, lost or the same twice."""

from dataclasses import replace

import pytest
from analysis_builders import run_of, suite_of

from afere.analysis import (
    around_cutoff,
    compare,
    compare_scores,
    compare_tables,
    drivers,
    rank,
    smallest_difference,
    summarize,
)
from afere.domain import Grade, Item, Outcome, Policy, ScoreTable, Suite, UsageError


def test_one_name_at_two_times_is_told_by_series_and_served_model() -> None:
    scores = {f"i{n}": [int(n % 5 > 0)] for n in range(30)}
    old = run_of(scores, row={"served_model": "m-1", "fingerprint": "fp_1"})
    new = run_of(scores, row={"served_model": "m-2", "fingerprint": "fp_2"}, plan={"series": "b"})
    seen = compare(old, new)
    assert "model-a@b" in str(seen.why)
    assert [str(each) for each in seen.warnings] == [
        "the server answered as model m-1 in the baseline and as m-2 in the candidate",
        "the server answered as fingerprint fp_1 in the baseline and as fp_2 in the candidate",
    ]


def test_a_grade_without_a_score_counts_by_its_outcome() -> None:
    run = run_of({"a": [1], "b": [0]})
    rows = tuple(replace(row, grade=replace(row.grade, score=None)) for row in run.rows)
    assert summarize(replace(run, rows=rows)).score == 0.5


def test_names_of_rows_must_be_as_many_as_the_rows() -> None:
    with pytest.raises(UsageError, match="2 items are named for 3 rows"):
        compare_scores([1, 0, 1], [1, 1, 0], items=["a", "b"])
    seen = compare_scores([1, 0, 1], [1, 1, 0], items=["a", "b", "c"])
    assert (seen.only_baseline_items, seen.only_candidate_items) == (("c",), ("b",))


def test_an_average_over_categories_without_categories_is_said() -> None:
    run = run_of({"a": [1], "b": [0]})
    seen = compare(run, replace(run, plan=replace(run.plan, name="b")), Policy(average="macro"))
    assert "no item has a category" in str(seen.warnings[0])


def test_a_table_that_lists_an_item_twice_is_refused() -> None:
    twice = replace(ScoreTable.of([("a", 1, 1.0), ("b", 1, 1.0)]), items=("a", "a"))
    with pytest.raises(UsageError, match="listed twice"):
        compare_tables(twice, ScoreTable.of([("a", 1, 1.0)]))


def test_categories_and_groups_of_result_files_are_used() -> None:
    rows = [(f"i{n}", 1, float(n % 3 > 0)) for n in range(60)]
    named = replace(
        ScoreTable.of(rows),
        categories=[f"c{n % 2}" for n in range(60)],
        groups=[f"g{n // 5}" for n in range(60)],
    )
    seen = compare_tables(named, ScoreTable.of(rows), Policy(average="macro"))
    assert seen.groups == 12
    assert set(seen.baseline.categories) == {"c0", "c1"}
    assert seen.average == "macro"


def test_runs_whose_items_share_their_ids_alone_are_refused() -> None:
    first, second = suite_of(["a"], keys={"a": 1}), suite_of(["a"], keys={"a": 2})
    with pytest.raises(UsageError, match="another key or text"):
        compare(run_of({"a": [1]}, suite=first), run_of({"a": [1]}, suite=second))


def test_a_suite_that_can_show_nothing_has_no_smallest_difference() -> None:
    assert smallest_difference(1, rounds=3, rate=0.9) is None
    assert smallest_difference(100, rounds=3, rate=1.0) is None


def test_runs_without_a_graded_row_are_ranked_last_and_leave_nothing_to_compare() -> None:
    seen = rank([run_of({"a": ["endpoint_error"]}, name="down")])
    assert seen.models[0].could_be_best is None
    assert seen.questions.items == 0
    apart = rank([run_of({"a": [1, 0]}, name="a"), run_of({"a": [1, "endpoint_error"]}, name="b")])
    assert apart.questions.items == 0


def test_lost_items_have_no_part_in_what_drives_a_difference() -> None:
    suite = suite_of(["a", "b"], categories={"a": "x", "b": "y"})
    first = run_of({"a": [1], "b": ["endpoint_error"]}, suite=suite)
    second = run_of({"a": [0], "b": [1]}, suite=suite, name="b")
    seen = drivers(first, second)
    assert seen.categories["y"].difference is None
    assert seen.categories["x"].interval is None
    assert seen.outcomes["endpoint_error"] == (1, 0)
    assert seen.agreement.both_wrong == 0
    assert seen.remarks == ()


def test_no_stretch_is_denser_where_errors_lie_evenly() -> None:
    run = run_of({f"i{n}": [0.5] for n in range(40)})
    assert drivers(run, run).places[0].densest is None


def test_a_reference_that_shares_no_item_on_a_side_says_nothing() -> None:
    template = suite_of(["a"]).items[0]
    items = [replace(template, id=f"i{n}", date="2024" if n < 20 else "2026") for n in range(40)]
    suite = Suite(name="dated", items=tuple(items))
    cells = {item.id: [int(n % 4 > 0)] for n, item in enumerate(items)}
    run = run_of(cells, suite=suite, plan={"cutoff": "2025"})
    half = {item: score for n, (item, score) in enumerate(cells.items()) if n < 20}
    other = run_of({**half, "z": [1]}, suite=suite, name="ref")
    seen = around_cutoff(run, reference=other)
    assert seen.beyond_reference is None
    lost = run_of({**cells, "i0": ["endpoint_error"]}, suite=suite, name="ref")
    assert around_cutoff(run, reference=lost).beyond_reference == pytest.approx(0.0)


def test_letters_of_shuffled_options_and_of_other_answers_are_not_counted() -> None:
    item = Item(
        id="q",
        input="which?",
        expect=replace(suite_of(["q"]).items[0].expect, kind="choice", key="A"),
        options={"A": "w", "B": "x"},
    )
    run = run_of({"q": [1]}, suite=Suite(name="letters", items=(item,)))
    assert summarize(run).letters == {"A": {"chosen": 0, "key": 1}}
    shuffled = replace(run, plan=replace(run.plan, shuffle=3))
    assert summarize(shuffled).letters == {}
    half = replace(run, plan=replace(run.plan, variants=2))
    assert summarize(half).positions is None
    lost = Grade(outcome=Outcome.GRADER_ERROR, score=None, grader="choice", grader_version="1")
    broken = replace(run, rows=(replace(run.rows[0], grade=lost),))
    seen = summarize(broken)
    assert seen.letters == {}
    assert seen.first_error is not None
    assert seen.first_error.message == "the grader choice could not judge the answer"


def test_an_item_with_a_lost_round_keeps_the_mean_of_the_others() -> None:
    scores = {f"i{n}": [1, 1, 1] for n in range(10)}
    seen = summarize(run_of({**scores, "i9": [1, 0, "endpoint_error"]}))
    assert seen.score == pytest.approx(0.95)
    assert seen.interval is not None
    assert seen.interval[0] < 0.95 < seen.interval[1]
    assert seen.bounds == pytest.approx(((9 + 1 / 3) / 10, (9 + 2 / 3) / 10))


def test_categories_of_one_item_each_weigh_as_items_do() -> None:
    first, second = [1] * 90 + [0] * 10, [1] * 50 + [0] * 50
    names = [f"c{place}" for place in range(100)]
    macro = compare_scores(first, second, categories=names)
    micro = compare_scores(first, second)
    assert macro.difference == micro.difference == pytest.approx(-0.4)
    assert macro.interval is not None
    assert micro.interval is not None
    assert macro.interval[0] == pytest.approx(micro.interval[0], abs=0.02)
    assert macro.interval[1] >= micro.interval[1] - 0.02


def test_more_than_a_thousand_categories_take_no_draw_each() -> None:
    count = 20_000
    first = [float(place % 10 > 0) for place in range(count)]
    second = [float(place % 10 > 1) for place in range(count)]
    names = [f"c{place}" for place in range(count)]
    seen = compare_scores(first, second, categories=names)
    assert seen.method == "pseudo_t_weighted"
    assert seen.interval == pytest.approx((-0.104, -0.096), abs=0.001)
    assert seen.baseline.categories == {}
    assert "20000 categories are too many to be scored one by one" in map(
        str, seen.baseline.warnings
    )


def test_a_margin_next_to_nothing_needs_no_number_of_items() -> None:
    seen = compare_scores([1, 1, 0, 1], [1, 0, 0, 1], margin=1e-300)
    assert seen.needed.items_equivalence is None
    assert seen.needed.items_even is not None
