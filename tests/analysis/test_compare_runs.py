"""Two runs compared: the verdict, its numbers and its refusals."""

import random
from typing import Any

import pytest
from analysis_builders import run_of, suite_of, table_of

from afere.analysis import compare, compare_scores
from afere.domain import Comparison, Policy, UsageError, VerdictKind, decode, encode, from_plain


def judged(both: int, c: int, b: int, neither: int, **policy: Any) -> Comparison:
    first, second = table_of(both, c, b, neither)
    suite = suite_of(list(first))
    return compare(
        run_of(first, suite=suite, name="old"),
        run_of(second, suite=suite, name="new"),
        Policy(**policy),
    )


def test_the_published_example_is_undecided_and_says_what_would_decide_it() -> None:
    seen = judged(64, 2, 4, 3)
    assert seen.verdict is VerdictKind.UNDECIDED
    assert seen.difference == pytest.approx(0.0273972602739726)
    assert seen.interval == pytest.approx((-0.04858406962310655, 0.11015111535034434), abs=1e-7)
    assert seen.method == "tango"
    assert (seen.needed.items_even, seen.needed.items_80_power) == (421, 858)
    assert seen.needed.rounds_help is False
    assert seen.noise_floor.difference is None
    assert (seen.p_value, seen.p_exact) == pytest.approx((0.453125, 0.6875))
    assert (seen.paired.both_right, seen.paired.only_baseline) == (64, 2)
    assert (seen.paired.only_candidate, seen.paired.both_wrong) == (4, 3)
    assert seen.only_baseline_items == ("i64", "i65")
    assert seen.only_candidate_items == ("i66", "i67", "i68", "i69")
    assert str(seen.why) == (
        "73 items leave it open whether new is better or worse than old "
        "(difference 2.7 points, 95 % interval -4.9 to 11.0, margin 2)"
    )


def test_worse_is_said_in_points_fewer() -> None:
    seen = judged(150, 30, 6, 14)
    assert seen.verdict is VerdictKind.WORSE
    assert str(seen.why).startswith("new answers 12.0 points fewer of these items than old (95 % ")


def test_within_the_margin_is_said_in_words() -> None:
    seen = judged(9900, 60, 20, 20, margin=0.02)
    assert seen.verdict is VerdictKind.WORSE
    assert seen.within_margin
    assert str(seen.why).endswith(", but by less than the margin of 2 points")


def test_equivalent_names_the_margin() -> None:
    seen = judged(990, 2, 3, 5)
    assert seen.verdict is VerdictKind.EQUIVALENT
    assert "differ by less than the margin of 2 points" in str(seen.why)


def test_one_item_decides_nothing() -> None:
    seen = judged(1, 0, 0, 0, margin=0.9)
    assert seen.verdict is VerdictKind.UNDECIDED
    assert str(seen.why) == "one item decides nothing"


def test_swapping_the_runs_mirrors_everything() -> None:
    first, second = table_of(50, 3, 12, 8)
    one = compare(run_of(first, name="old"), run_of(second, name="new"))
    other = compare(run_of(second, name="new"), run_of(first, name="old"))
    assert one.verdict is VerdictKind.BETTER
    assert other.verdict is VerdictKind.WORSE
    assert one.interval is not None
    assert other.interval is not None
    assert one.interval == pytest.approx(tuple(-end for end in reversed(other.interval)))


def test_several_rounds_use_the_dirichlet_interval_and_give_a_noise_floor() -> None:
    baseline = {"a": [1, 1, 1], "b": [1, 0, 1], "c": [0, 0, 0], "d": [1, 1, 0], "e": [0, 1, 0]}
    candidate = {"a": [1, 1, 1], "b": [0, 0, 1], "c": [0, 1, 0], "d": [0, 0, 0], "e": [0, 0, 1]}
    seen = compare(run_of(baseline, name="old"), run_of(candidate, name="new"))
    assert seen.method == "dirichlet"
    assert seen.difference == pytest.approx(-2 / 15)
    assert seen.interval == pytest.approx((-0.41147514550444925, 0.23588463459103937), abs=0.02)
    assert seen.noise_floor.difference is not None
    assert seen.verdict is VerdictKind.UNDECIDED
    assert seen.paired.both_right == 1


def test_row_order_never_changes_the_result() -> None:
    dice = random.Random(4)  # noqa: S311 - test data
    cells = {f"i{n}": [dice.random() < 0.8 for _ in range(3)] for n in range(60)}
    others = {f"i{n}": [dice.random() < 0.7 for _ in range(3)] for n in range(60)}
    suite = suite_of(list(cells), categories={f"i{n}": f"c{n % 3}" for n in range(60)})
    shuffled = sorted(cells, key=lambda _: dice.random())
    mixed = suite_of(shuffled, categories={f"i{n}": f"c{n % 3}" for n in range(60)})
    for average in ("micro", "macro"):
        policy = Policy(average=average)
        one = compare(run_of(cells, suite=suite), run_of(others, suite=suite, name="b"), policy)
        two = compare(
            run_of(cells, suite=mixed, order=shuffled),
            run_of(others, suite=mixed, order=shuffled, name="b"),
            policy,
        )
        assert one.interval == two.interval
        assert one.difference == two.difference
        assert one.p_value == two.p_value


def test_a_pair_with_a_lost_row_is_left_out_and_can_make_it_invalid() -> None:
    first, second = table_of(150, 15, 2, 28)
    second.update({f"lost{n}": ["endpoint_error"] for n in range(5)})
    first.update({f"lost{n}": [1] for n in range(5)})
    seen = compare(run_of(first, name="old"), run_of(second, name="new"))
    assert seen.paired.excluded == 5
    assert seen.verdict is VerdictKind.WORSE
    assert seen.bounds is not None
    assert seen.bounds.hi_verdict is VerdictKind.WORSE
    first.update({f"lost{n}": ["endpoint_error"] for n in range(5)})
    both_lost = compare(run_of(first, name="old"), run_of(second, name="new"))
    assert both_lost.verdict is VerdictKind.INVALID
    assert "5 of 200 pairs were lost" in str(both_lost.why)


def test_every_pair_lost_is_invalid_without_a_number() -> None:
    first = {"a": ["endpoint_error"], "b": [1]}
    second = {"a": [1], "b": ["grader_error"]}
    seen = compare(run_of(first, name="old"), run_of(second, name="new"))
    assert seen.verdict is VerdictKind.INVALID
    assert seen.difference is None
    assert seen.interval is None
    assert seen.paired.excluded == 2


def test_no_common_item_is_refused() -> None:
    with pytest.raises(UsageError, match="no item in common"):
        compare(run_of({"a": [1]}), run_of({"b": [1]}))


def test_another_key_or_text_is_left_out_and_named() -> None:
    scores = {"a": [1], "b": [0], "c": [1], "d": [1]}
    changed = suite_of(["a", "b", "c", "x"], keys={"a": 8}, texts={"b": "another question"})
    seen = compare(
        run_of(scores, name="old"),
        run_of({"a": [1], "b": [1], "c": [1], "x": [0]}, suite=changed, name="new"),
    )
    assert seen.unmatched.different_key == ("a",)
    assert seen.unmatched.different_input == ("b",)
    assert seen.unmatched.only_baseline == ("d",)
    assert seen.unmatched.only_candidate == ("x",)
    assert seen.paired.items == 1


def test_a_changed_prompt_is_allowed_and_said() -> None:
    scores = {f"i{n}": [1] for n in range(10)}
    first = suite_of(list(scores))
    second = suite_of(list(scores), prompt="Think first. {{ input }}", version=2)
    seen = compare(run_of(scores, suite=first), run_of(scores, suite=second))
    assert seen.differing == {
        "prompt": (None, "Think first. {{ input }}"),
        "suite_version": (1, 2),
    }
    assert "model-a (candidate)" in str(seen.why)


def test_a_comparison_has_one_json_form() -> None:
    seen = judged(64, 2, 4, 3)
    text = encode(seen.to_dict())
    assert from_plain(Comparison, decode(text)) == seen
    assert decode(text)["verdict"] == "undecided"


def test_groups_decide_the_interval() -> None:
    scores = [[1.0], [1.0], [0.0]] * 20
    others = [[1.0], [0.0], [0.0]] * 20
    groups = [f"g{place // 3}" for place in range(60)]
    seen = compare_scores(scores, others, groups=groups)
    assert seen.groups == 20
    few = compare_scores(scores[:21], others[:21], groups=groups[:21])
    assert few.verdict is VerdictKind.UNDECIDED
    assert str(few.why) == "the items come in 7 groups, and fewer than 8 groups decide nothing"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": -0.02}, "margin is a fraction"),
        ({"margin": 2}, "margin is a fraction"),
        ({"level": 95}, "level is a fraction"),
        ({"level": 0}, "level is a fraction"),
        ({"level": 1}, "level is a fraction"),
        ({"average": "median"}, "micro or macro"),
        ({"items": ["a", "a", "b"]}, "twice"),
    ],
)
def test_settings_that_are_no_fractions_are_refused(options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compare_scores([1, 0, 1], [1, 1, 0], **options)


@pytest.mark.parametrize(
    ("baseline", "message"),
    [
        ([1, 0, -0.1], "item 3, round 1 has the score -0.1"),
        ([100, 0, 100], "item 1, round 1 has the score 100"),
        ([1, 0], "2 items and candidate 3"),
        ([[1, 0], [1], [0]], "as many rounds"),
        (["a", "b", "c"], "no table of numbers"),
    ],
)
def test_tables_that_are_no_scores_are_refused(baseline: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compare_scores(baseline, [1, 1, 0])


def test_unequal_rounds_compare_the_means_of_the_items() -> None:
    seen = compare_scores(
        [[1, 1], [0, 1], [1, 1]],
        [[1, 1, 1, 1], [0, 0, 1, 1], [1, 0, 1, 0]],
    )
    assert seen.difference == pytest.approx(-1 / 6)
    assert any("2 rounds and the candidate 4" in str(each) for each in seen.warnings)


def test_a_missing_score_is_a_lost_pair_and_never_0() -> None:
    seen = compare_scores([1, 0, 1, 1], [1, 1, 0, None])
    assert seen.paired.items == 3
    assert seen.paired.excluded == 1


def test_nothing_to_compare_is_invalid() -> None:
    assert compare_scores([], []).verdict is VerdictKind.INVALID
