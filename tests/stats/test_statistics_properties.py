"""What holds for every input: mirrors, order, refusals, limits that enclose the estimate."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from afere import stats

CELLS = st.tuples(*[st.integers(0, 60)] * 4).filter(any)
PAIRED: list[Callable[..., stats.Interval]] = [
    stats.tango,
    stats.newcombe_paired,
    stats.bonett_price,
]
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize("method", PAIRED)
@given(CELLS)
def test_swapping_the_models_mirrors_the_interval(
    method: Callable[..., stats.Interval],
    cells: tuple[int, int, int, int],
) -> None:
    both, c, b, neither = cells
    one, other = method(both, c, b, neither), method(both, b, c, neither)
    assert (one.lower, one.upper) == pytest.approx((-other.upper, -other.lower), abs=1e-9)
    assert one.estimate == -other.estimate


@pytest.mark.parametrize("method", PAIRED)
@given(CELLS)
def test_limits_are_numbers_within_one_and_the_estimate_lies_between(
    method: Callable[..., stats.Interval],
    cells: tuple[int, int, int, int],
) -> None:
    seen = method(*cells)
    assert -1 <= seen.lower <= seen.upper <= 1
    if method is not stats.bonett_price:
        assert seen.lower <= seen.estimate <= seen.upper


@given(CELLS)
def test_a_higher_level_gives_a_wider_interval(cells: tuple[int, int, int, int]) -> None:
    narrow, wide = stats.tango(*cells, 0.9), stats.tango(*cells, 0.99)
    assert wide.lower <= narrow.lower
    assert narrow.upper <= wide.upper


@given(st.integers(1, 10_000))
def test_without_discordant_items_the_limits_are_z_squared_over_n(n: int) -> None:
    z = 1.959963984540054
    seen = stats.tango(n, 0, 0, 0)
    assert seen.upper == pytest.approx(z * z / (n + z * z), rel=1e-6)
    assert seen.lower == -seen.upper


def tables() -> st.SearchStrategy[Any]:
    rounds = st.integers(1, 4)
    return rounds.flatmap(
        lambda k: st.lists(
            st.tuples(*[st.tuples(*[st.sampled_from([0.0, 1.0])] * k)] * 2),
            min_size=2,
            max_size=25,
        ),
    )


def difference_of(rows: list[Any], **options: Any) -> stats.Difference:
    labels = {name: options.pop(name, None) for name in ("categories", "groups")}
    data = stats.pairs([row[0] for row in rows], [row[1] for row in rows], **labels)
    settings_ = {"macro": labels["categories"] is not None, "level": 0.95, "margin": 0.02}
    return stats.paired_difference(data, **{**settings_, "seed": 0, **options})


@settings(deadline=None, max_examples=60)
@given(tables(), st.randoms(use_true_random=False), st.sampled_from(["", "categories", "groups"]))
def test_shuffled_rows_give_the_same_numbers(rows: list[Any], dice: Any, labelled: str) -> None:
    names = [f"g{n % 3}" for n in range(len(rows))]
    order = list(range(len(rows)))
    dice.shuffle(order)
    mixed = [rows[n] for n in order]
    one = difference_of(rows, **({labelled: names} if labelled else {}))
    two = difference_of(mixed, **({labelled: [names[n] for n in order]} if labelled else {}))
    assert (one.estimate, one.lower, one.upper) == (two.estimate, two.lower, two.upper)
    assert (one.p_value, one.variance, one.noise) == (two.p_value, two.variance, two.noise)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=20))
def test_shuffled_partial_scores_give_the_same_numbers(rows: list[Any]) -> None:
    one = difference_of([([a], [b]) for a, b in rows])
    two = difference_of([([a], [b]) for a, b in reversed(rows)])
    assert (one.estimate, one.lower, one.upper) == (two.estimate, two.lower, two.upper)


@settings(deadline=None, max_examples=40)
@given(tables())
def test_a_model_against_itself_differs_by_nothing(rows: list[Any]) -> None:
    seen = difference_of([(row[0], row[0]) for row in rows])
    assert seen.estimate == 0
    assert seen.p_value == 1
    assert seen.lower is not None
    assert seen.upper is not None
    assert seen.lower < 0 < seen.upper


@settings(deadline=None, max_examples=40)
@given(tables(), st.sampled_from(["", "categories", "groups"]))
def test_swapping_the_sides_turns_the_sign(rows: list[Any], labelled: str) -> None:
    names = {labelled: [f"g{n % 4}" for n in range(len(rows))]} if labelled else {}
    one = difference_of(rows, **names)
    two = difference_of([(row[1], row[0]) for row in rows], **names)
    assert one.estimate == pytest.approx(-two.estimate)
    assert one.counts.only_baseline == two.counts.only_candidate
    assert one.p_exact == pytest.approx(two.p_exact)


@settings(deadline=None, max_examples=40)
@given(tables())
def test_counts_of_items_add_up(rows: list[Any]) -> None:
    counts = difference_of(rows).counts
    parts = counts.both_right, counts.only_baseline, counts.only_candidate, counts.both_wrong
    assert sum(parts) + counts.split == len(rows)


@pytest.mark.parametrize("wild", [NAN, INF, -INF])
@pytest.mark.parametrize(
    "call",
    [
        lambda x: stats.wilson(x, 10),
        lambda x: stats.wilson(1, x),
        lambda x: stats.wilson(1, 10, x),
        lambda x: stats.clopper_pearson(x, 10),
        lambda x: stats.tango(x, 1, 1, 1),
        lambda x: stats.tango(1, 1, 1, 1, x),
        lambda x: stats.newcombe_paired(1, x, 1, 1),
        lambda x: stats.bonett_price(1, 1, x, 1),
        lambda x: stats.mcnemar(x, 1),
        lambda x: stats.sign_flip([1, x]),
        lambda x: stats.dirichlet_mean([0.0, x], 3, 0.95, np.random.default_rng(0)),
        lambda x: stats.dirichlet_strata({"a": [x]}, 1, 0.95, np.random.default_rng(0)),
        lambda x: stats.stratified_bootstrap({"a": [x]}, 0.95, 10, np.random.default_rng(0)),
        lambda x: stats.cluster_interval([0.0, x], ["a", "b"]),
        lambda x: stats.noise_floor([[0.0, x]]),
        lambda x: stats.holm([x]),
        lambda x: stats.cochran_q([[0, x]]),
        lambda x: stats.two_proportions(x, 10, 1, 10),
        lambda x: stats.difference_in_differences([0.0, x], [1.0, 0.0]),
        lambda x: stats.required_items(x, 0.2),
        lambda x: stats.required_items(0.1, x),
        lambda x: stats.detectable_difference(x, 0.2),
        lambda x: stats.detectable_difference(10, x),
        lambda x: stats.mcnemar_power(10, x, 0.2),
    ],
)
def test_what_is_no_number_is_refused(call: Callable[[float], object], wild: float) -> None:
    with pytest.raises(ValueError, match=r"."):
        call(wild)


def test_nothing_to_estimate_is_refused_or_said() -> None:
    rng = np.random.default_rng(0)
    for call in (
        lambda: stats.dirichlet_mean([], 3, 0.95, rng),
        lambda: stats.stratified_bootstrap({}, 0.95, 100, rng),
        lambda: stats.stratified_bootstrap({"a": []}, 0.95, 100, rng),
        lambda: stats.dirichlet_strata({}, 1, 0.95, rng),
        lambda: stats.cluster_interval([], []),
        lambda: stats.difference_in_differences([], [1.0]),
        lambda: stats.tango(0, 0, 0, 0),
    ):
        with pytest.raises(ValueError, match="not estimable"):
            call()
    assert stats.required_items(0, 0.2).items is None
    assert stats.required_items_equivalence(0.2, 0).items is None
    assert stats.difference_in_differences([1.0], [0.0]).lower is None


def test_a_difference_off_the_grid_of_the_rounds_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="no mean that these rounds can give"):
        stats.dirichlet_mean([0.25], 3, 0.95, rng)
    with pytest.raises(ValueError, match="not multiples of 1/3"):
        stats.sign_flip([0.25], 3)


def test_unequal_rounds_have_the_distinct_values_of_both() -> None:
    seen = stats.dirichlet_mean([0.5, -0.25, 0.0, 1.0], (2, 4), 0.95, np.random.default_rng(0))
    assert seen.estimate == pytest.approx(0.3125)
    assert -1 < seen.lower < seen.estimate < seen.upper < 1


def test_a_further_stratum_does_not_shift_the_draws_of_the_others() -> None:
    strata = {"b": [0.0, 1.0, 0.0], "c": [1.0, 0.0, -1.0]}
    from afere.stats.resampling import _generator_each, difference_values, spread_on

    def draws(names: str) -> np.ndarray[Any, Any]:
        spreads = {
            name: spread_on(difference_values(1), np.array(strata.get(name, [0.0])))
            for name in names
        }
        return _generator_each(spreads, np.random.default_rng(7))["b"].random(5)

    assert (draws("bc") == draws("abc")).all()


def test_a_limit_close_to_a_value_that_matters_is_drawn_more() -> None:
    data = np.repeat([-1, -2 / 3, -1 / 3, 0, 1 / 3, 2 / 3, 1], [0, 0, 2, 60, 6, 3, 2])
    plain = stats.dirichlet_mean(data, 3, 0.95, np.random.default_rng(0))
    close = stats.dirichlet_mean(data, 3, 0.95, np.random.default_rng(0), settle=(plain.lower,))
    assert plain.draws == 10_000
    assert close.draws > 100_000


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_adjusted_p_values_keep_their_order_and_never_fall(p_values: list[float]) -> None:
    adjusted = stats.holm(p_values)
    assert all(a >= p for a, p in zip(adjusted, p_values, strict=True))
    ranked = [adjusted[i] for i in sorted(range(len(p_values)), key=lambda i: p_values[i])]
    assert ranked == sorted(ranked)


@given(st.integers(1, 500), st.floats(0.01, 0.9))
def test_more_items_show_a_smaller_difference(n: int, discordance: float) -> None:
    few, many = (stats.detectable_difference(m, discordance) for m in (n, 4 * n))
    assume(few is not None)
    assert many is not None
    assert few is not None
    assert many < few


def test_safety_claims_without_a_failure_have_the_rule_of_the_root() -> None:
    for n, expected in ((58, 0.050339), (59, 0.049508), (298, 0.010002), (299, 0.009969)):
        upper = stats.clopper_pearson(0, n, 0.95, "upper").upper
        assert upper == pytest.approx(expected, abs=1e-6)
        assert upper == pytest.approx(1 - 0.05 ** (1 / n))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: stats.wilson(3, 2), "3 successes of 2 are too many"),
        (lambda: stats.clopper_pearson(1, 2, 0.95, "left"), "side is two-sided"),
        (lambda: stats.cluster_interval([0.0, 1.0], ["a"]), "do not match"),
        (lambda: stats.cochran_q([[1], [0]]), "at least two columns"),
        (lambda: stats.noise_floor([]), "items in rows"),
        (lambda: stats.required_items(0.5, 0.2), "needs a discordance above 0.2"),
        (lambda: stats.detectable_difference(0, 0.2), "no items"),
        (lambda: stats.detectable_difference_rounds(0, 0.1, (0, 0), (1, 1)), "no items"),
        (lambda: stats.required_items_rounds(0.1, -1, (0, 0), (1, 1)), "not negative"),
        (lambda: stats.dirichlet_mean([0.5], 0, 0.95, np.random.default_rng(0)), "at least 1"),
        (lambda: stats.dirichlet_score([0.5], 0, 0.95, np.random.default_rng(0)), "at least 1"),
        (lambda: stats.score_table("scores", np.zeros((2, 2, 2))), "not of 3 dimensions"),
        (lambda: stats.labels("groups", ["a"], 2), "1 labels for 2 items"),
        (lambda: stats.spread_rows(1, [0], [1], []), "differ in length"),
        (lambda: stats.model_confidence_set(np.zeros((0, 2)), 0.95, None), "models in columns"),
        (
            lambda: stats.paired_difference(
                stats.pairs([], []), macro=False, level=0.95, margin=0.02, seed=0
            ),
            "not estimable",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_words(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_no_difference_needs_no_number_of_items() -> None:
    assert stats.required_items_rounds(0, 0.1, (0.1, 0.1), (3, 3)).items is None


def test_one_models_rounds_have_a_dirichlet_interval() -> None:
    seen = stats.dirichlet_score([1.0, 2 / 3, 1.0, 0.0], 3, 0.95, np.random.default_rng(0))
    assert seen.estimate == pytest.approx(2 / 3)
    assert 0 < seen.lower < 2 / 3 < seen.upper < 1


def test_models_that_are_all_alike_could_all_be_the_best() -> None:
    table = np.ones((30, 3))
    assert stats.model_confidence_set(table, 0.95, np.random.default_rng(0)) == [True] * 3


def test_noise_of_one_round_is_not_known() -> None:
    seen = stats.noise_floor([[1.0], [0.0]])
    assert (seen.estimable, seen.noise_floor, seen.within_variance) == (False, None, None)
    assert seen.variance_of_item_means == 0.5
    lost = np.array([[1.0, np.nan], [np.nan, 0.0]])
    assert stats.rerun_variance(lost, np.full(2, 0.5)) is None


def test_an_item_with_one_counted_round_takes_the_noise_of_the_others() -> None:
    table = np.array([[1.0, 0.0], [1.0, np.nan]])
    assert stats.rerun_variance(table, np.full(2, 0.5)) == pytest.approx(0.25 * (0.25 + 0.5))


def test_rotated_options_are_no_noise() -> None:
    """Each shift repeats exactly: the shifts differ by design, and a rerun would not differ."""
    table = np.array([[1.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]])
    assert stats.rerun_variance(table, np.full(2, 0.5), variants=2) == 0.0
    assert stats.rerun_variance(table[:, :2], np.full(2, 0.5), variants=2) is None


def test_a_single_category_is_an_average_over_items() -> None:
    rows = [([1.0], [0.0]), ([1.0], [1.0]), ([0.0], [1.0])]
    assert difference_of(rows, categories=["a"] * 3).method == "tango"


def test_items_without_a_group_stand_alone() -> None:
    rows = [([1.0], [0.0])] * 4 + [([1.0], [1.0])] * 8
    seen = difference_of(rows, groups=["a", "a", *[None] * 10])
    assert seen.groups == 11


def test_one_group_alone_has_no_interval() -> None:
    seen = difference_of([([1.0], [0.0]), ([1.0], [1.0])], groups=["a", "a"])
    assert (seen.lower, seen.upper, seen.too_few_groups) == (None, None, True)


@pytest.mark.parametrize("labelled", ["", "categories", "groups"])
def test_partial_scores_have_an_interval_and_a_test(labelled: str) -> None:
    rng = np.random.default_rng(8)
    baseline = rng.random((1200, 1))
    candidate = np.clip(baseline + rng.normal(0.05, 0.1, size=(1200, 1)), 0, 1)
    names = {labelled: [f"g{n % 30:02}" for n in range(1200)]} if labelled else {}
    data = stats.pairs(baseline, candidate, **names)
    seen = stats.paired_difference(
        data, macro=labelled == "categories", level=0.95, margin=0.02, seed=0
    )
    plain = candidate.ravel() - baseline.ravel()
    assert seen.estimate == pytest.approx(plain.mean(), abs=1e-3)
    assert seen.lower is not None
    assert seen.upper is not None
    assert seen.lower < seen.estimate < seen.upper
    assert seen.p_exact is None
    assert seen.p_value is not None
    assert seen.p_value < 0.001


@pytest.mark.parametrize(
    ("sizes", "moving", "method"),
    [
        ((40, 50), 20, "stratified_bootstrap"),
        ((40, 50), 19, "dirichlet_strata"),
        ((39, 51), 20, "dirichlet_strata"),
        ((40, 50), 0, "dirichlet_strata"),
    ],
)
def test_large_categories_are_resampled_unless_hardly_any_item_differs(
    sizes: tuple[int, int],
    moving: int,
    method: str,
) -> None:
    names = [name for name, size in zip("ab", sizes, strict=True) for _ in range(size)]
    rows = [([1.0], [float(n % 4 != 0 or n // 4 >= moving)]) for n in range(sum(sizes))]
    seen = difference_of(rows, categories=names)
    assert seen.method == method
    assert seen.lower is not None
    assert seen.upper is not None
    assert seen.upper - seen.lower > 0.01
