"""Verdict and edge cases of cases/statistics.json: the same file as the statistics' tests read."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from analysis_builders import run_of, suite_of, table_of

from afere.analysis import compare, compare_scores, compare_tables, interval_verdict, summarize
from afere.domain import Comparison, Policy, ScoreTable, UsageError, VerdictKind

Case = dict[str, Any]
FILE = Path(__file__).parents[1] / "stats" / "cases" / "statistics.json"
CASES: dict[str, list[Case]] = json.loads(FILE.read_text("utf-8"))


def named(cases: Sequence[Case]) -> Any:
    assert cases
    return pytest.mark.parametrize("case", cases, ids=[case["name"] for case in cases])


@named([case for case in CASES["verdict"] if "interval" in case])
def test_the_verdict_of_an_interval(case: Case) -> None:
    low, high = case["interval"]
    kind, within = interval_verdict((low, high), case["margin"])
    assert kind.value == case["expected"]["verdict"]
    assert within is case["expected"]["within_margin"]


@named([case for case in CASES["verdict"] if "both_right" in case and "lost_pairs" not in case])
def test_the_verdict_of_counts(case: Case) -> None:
    first, second = table_of(
        case["both_right"],
        case["only_baseline"],
        case["only_candidate"],
        case["both_wrong"],
    )
    policy = Policy(margin=case["margin"], level=case["level"])
    seen = compare(run_of(first, name="a"), run_of(second, name="b"), policy)
    expected = case["expected"]
    assert seen.verdict.value == expected["verdict"]
    assert seen.within_margin is expected["within_margin"]
    assert seen.difference == pytest.approx(expected["difference"], abs=case["tolerance"])
    assert seen.interval == pytest.approx(
        (expected["lower"], expected["upper"]),
        abs=case["tolerance"],
    )


@named([case for case in CASES["verdict"] if "lost_pairs" in case])
def test_lost_pairs_that_could_turn_the_verdict_make_it_invalid(case: Case) -> None:
    first, second = table_of(
        case["both_right"],
        case["only_baseline"],
        case["only_candidate"],
        case["both_wrong"],
    )
    lost = [f"lost{place}" for place in range(case["lost_pairs"])]
    first.update({each: ["endpoint_error"] for each in lost})
    second.update({each: ["endpoint_error"] for each in lost})
    policy = Policy(margin=case["margin"], level=case["level"])
    seen = compare(run_of(first, name="a"), run_of(second, name="b"), policy)
    assert seen.verdict.value in case["expected"]["verdict_one_of"]
    assert seen.paired.excluded == case["expected"]["excluded"]
    everything = {**first, **{n: [0] for n in lost}}, {**second, **{n: [1] for n in lost}}
    most = compare(run_of(everything[0], name="a"), run_of(everything[1], name="b"), policy)
    assert most.difference == pytest.approx(case["expected"]["bounds_difference"][1])
    assert seen.bounds is not None
    assert seen.bounds.hi_verdict is most.verdict


def judged(case: Case) -> Comparison:
    return compare_tables(
        ScoreTable.of([tuple(row) for row in case["baseline"]]),
        ScoreTable.of([tuple(row) for row in case["candidate"]]),
        Policy(margin=case["margin"], level=case["level"]),
    )


@named([case for case in CASES["edge_cases"] if "baseline" in case])
def test_edge_cases_of_result_files(case: Case) -> None:
    expected = case["expected"]
    if expected["outcome_one_of"] == ["refused"]:
        with pytest.raises(UsageError, match=r"."):
            judged(case)
        return
    seen = judged(case)
    allowed = {VerdictKind(each) for each in VerdictKind} - {
        VerdictKind(each) for each in expected.get("verdict_never", [])
    }
    assert seen.verdict in allowed
    if "difference" in expected:
        assert seen.difference == pytest.approx(expected["difference"], abs=case["tolerance"])
    if "excluded" in expected:
        assert seen.paired.excluded == expected["excluded"]
        assert seen.paired.items == expected["common_items"]


@named([case for case in CASES["dirichlet_interval"] if "baseline" in case])
def test_tables_of_scores_have_the_interval_of_their_counts(case: Case) -> None:
    seen = compare_scores(case["baseline"], case["candidate"], level=case["level"])
    assert seen.difference == pytest.approx(case["expected"]["mean_difference"])
    assert seen.interval is not None
    for end, name in zip(seen.interval, ("lower", "upper"), strict=True):
        assert end == pytest.approx(case["expected"][name], abs=case["tolerance"][name])


def test_a_result_file_has_the_verdict_of_its_run() -> None:
    cells = {f"i{n}": [int((n * k) % 7 != 0) for k in (1, 2, 3)] for n in range(80)}
    others = {f"i{n}": [int((n * k) % 5 != 0) for k in (1, 2, 3)] for n in range(80)}
    runs = run_of(cells, name="a"), run_of(others, name="b")
    tables = [
        ScoreTable.of(
            [(item, k, score) for item, row in scores.items() for k, score in enumerate(row)],
            model=name,
        )
        for scores, name in ((cells, "a"), (others, "b"))
    ]
    one, two = compare(*runs), compare_tables(tables[0], tables[1])
    arrays = compare_scores(list(cells.values()), list(others.values()), names=("a", "b"))
    for name in ("verdict", "difference", "interval", "method", "p_value", "needed", "why"):
        assert getattr(one, name) == getattr(two, name) == getattr(arrays, name), name
    assert one.only_baseline_items == two.only_baseline_items


def test_a_second_row_names_its_place() -> None:
    rows = [("a", 1, 1.0), ("b", 1, 0.0), ("a", 1, 1.0)]
    with pytest.raises(UsageError, match="row 3 is a second row of its item in round 1"):
        compare_tables(ScoreTable.of(rows), ScoreTable.of(rows[:2]))


def test_a_row_that_is_not_there_is_a_lost_pair() -> None:
    rows = [(item, k, 1.0) for item in "abc" for k in (1, 2)]
    seen = compare_tables(ScoreTable.of(rows), ScoreTable.of(rows[:-1]))
    assert (seen.paired.items, seen.paired.excluded) == (2, 1)


def test_disjoint_tables_are_refused() -> None:
    with pytest.raises(UsageError, match="no id in common"):
        compare_tables(ScoreTable.of([("a", 1, 1.0)]), ScoreTable.of([("b", 1, 1.0)]))


# bug_reports.md, sections 5 and 9


def test_br_025_one_task_that_the_endpoint_never_answers_is_no_fault_of_the_model() -> None:
    seen = summarize(run_of({**{f"i{n}": [1] for n in range(19)}, "i19": ["endpoint_error"]}))
    assert (seen.score, seen.status.value) == (1.0, "incomplete")
    assert seen.bounds == pytest.approx((0.95, 1.0))


def test_br_026_errors_never_make_a_score_rise_and_the_pair_goes_on_both_sides() -> None:
    good = {f"i{n}": [int(n < 6)] for n in range(10)}
    seen = compare(
        run_of({**good, "i8": ["endpoint_error"], "i9": ["endpoint_error"]}, name="a"),
        run_of(good, name="b"),
    )
    assert seen.baseline.bounds == pytest.approx((0.6, 0.8))
    assert (seen.paired.items, seen.paired.excluded) == (8, 2)
    assert "2 of 10 pairs are left out" in str(seen.warnings[0])


def test_br_027_empty_refused_and_wrong_are_told_apart() -> None:
    seen = summarize(run_of({"a": ["empty"], "b": ["refused"], "c": [0], "d": ["blocked"]}))
    assert seen.outcomes == {"wrong": 1, "empty": 1, "refused": 1, "blocked": 1}
    assert seen.score == 0.0


def test_br_051_a_category_without_an_answered_row_is_not_available() -> None:
    scores = {"a": [1], "b": [0], "c": ["endpoint_error"]}
    suite = suite_of(list(scores), categories={"a": "easy", "b": "easy", "c": "hard"})
    seen = summarize(run_of(scores, suite=suite), average="macro")
    assert seen.categories["hard"].items == 0
    assert seen.categories["hard"].score is None
    assert seen.score == 0.5


def test_br_053_two_models_on_the_same_items_are_compared_in_pairs() -> None:
    first, second = table_of(60, 14, 4, 22)
    seen = compare(run_of(first, name="a"), run_of(second, name="b"))
    assert seen.p_exact == pytest.approx(0.0309, abs=1e-4)
    assert seen.verdict is VerdictKind.WORSE
    assert seen.paired.both_right + seen.paired.both_wrong == 82


def test_br_055_an_interval_of_a_score_is_never_empty() -> None:
    for right, n in ((5, 200), (12, 12), (0, 12)):
        seen = summarize(run_of({f"i{place}": [int(place < right)] for place in range(n)}))
        assert seen.interval is not None
        assert seen.interval[1] - seen.interval[0] > 0.02
