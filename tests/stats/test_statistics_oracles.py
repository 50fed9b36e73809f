"""Each statistic a second way: scipy, statsmodels, whole enumeration."""

import itertools
from math import comb
from typing import Any

import numpy as np
import pytest
import scipy.stats
from bench_coverage import posterior_below
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import cochrans_q
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from afere import stats
from afere.stats.clusters import Weighted, effective_clusters

COUNTS = st.integers(0, 40)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_and_clopper_pearson_agree_with_statsmodels(case: tuple[int, int]) -> None:
    x, n = case
    wilson = stats.wilson(x, n)
    assert (wilson.lower, wilson.upper) == pytest.approx(
        proportion_confint(x, n, method="wilson"),
        abs=1e-9,
    )
    exact = stats.clopper_pearson(x, n)
    assert (exact.lower, exact.upper) == pytest.approx(
        proportion_confint(x, n, method="beta"),
        abs=1e-9,
    )


@given(COUNTS, COUNTS)
def test_mcnemar_agrees_with_statsmodels_and_with_the_binomial(c: int, b: int) -> None:
    seen = stats.mcnemar(c, b)
    assert seen.exact == pytest.approx(statsmodels_mcnemar([[0, c], [b, 0]], exact=True).pvalue)
    if b != c:
        below = sum(comb(b + c, i) for i in range(min(b, c))) / 2 ** (b + c)
        point = comb(b + c, b) / 2 ** (b + c)
        assert seen.mid_p == pytest.approx(2 * below + point)


def test_mcnemar_of_many_thousands_agrees_with_the_binomial() -> None:
    for c, b in ((4000, 4200), (60_000, 61_000), (0, 6000)):
        expected = 2 * scipy.stats.binom.cdf(min(b, c), b + c, 0.5)
        assert stats.mcnemar(c, b).exact == pytest.approx(expected, rel=1e-8)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_sign_flip_agrees_with_every_pattern_of_signs(whole: list[int]) -> None:
    seen = abs(sum(whole))
    patterns = itertools.product((-1, 1), repeat=len(whole))
    sums = [abs(sum(s * w for s, w in zip(signs, whole, strict=True))) for signs in patterns]
    expected = sum(each >= seen for each in sums) / len(sums)
    assert stats.sign_flip(whole) == pytest.approx(expected, abs=1e-12)


@given(COUNTS, COUNTS)
def test_sign_flip_of_one_round_is_mcnemars_exact_test(c: int, b: int) -> None:
    assert stats.sign_flip([-1] * c + [1] * b) == pytest.approx(stats.mcnemar(c, b).exact)


def test_sign_flip_of_many_items_agrees_with_the_normal_law() -> None:
    whole = np.repeat([-3, -2, -1, 1, 2, 3], [9000, 20_000, 50_000, 51_000, 20_100, 9100])
    z = (whole.sum() - 1) / np.sqrt((whole**2).sum())  # the sum moves in steps of 2
    assert stats.sign_flip(whole) == pytest.approx(2 * scipy.stats.norm.sf(abs(z)), rel=1e-3)


def test_random_flips_agree_with_the_exact_test() -> None:
    whole = np.array([3, 3, 2, 2, 1, 1, 1, -1, -1, -2, 0, 0, 0], dtype=float)
    weights = np.full(13, 1 / 39)
    from afere.stats.flips import weighted_sign_flip

    seen = weighted_sign_flip(whole, weights, np.random.default_rng(0))
    assert seen == pytest.approx(0.18359375, abs=0.012)


@settings(deadline=None, max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    assert stats.holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=2, max_size=15))
def test_cochran_q_agrees_with_statsmodels(rows: list[list[int]]) -> None:
    seen = stats.cochran_q(rows)
    if all(len(set(row)) == 1 for row in rows):
        assert seen.q is None
        return
    expected = cochrans_q(np.array(rows))
    assert seen.q == pytest.approx(expected.statistic)
    assert seen.p == pytest.approx(expected.pvalue)


def test_the_clustered_error_agrees_with_statsmodels() -> None:
    rng = np.random.default_rng(3)
    data = rng.choice([-1.0, 0.0, 1.0], size=60)
    groups = rng.integers(0, 14, size=60)
    fit = OLS(data, np.ones(60)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    seen = stats.cluster_interval(data, groups)
    assert seen.standard_error == pytest.approx(float(fit.bse[0]))
    assert seen.groups == np.unique(groups).size


def test_pseudo_groups_are_two_further_groups_of_an_average_size() -> None:
    """With groups of one size the limits are those of t over the groups' means and the two."""
    from afere.stats.clusters import Weighted, pseudo_clusters

    rng = np.random.default_rng(6)
    data = rng.choice([-1.0, 0.0, 0.0, 1.0], size=60)
    codes = np.repeat(np.arange(12), 5)
    weighted = Weighted(data, np.full(60, 1 / 60), data - data.mean(), 0.0)
    low, high = pseudo_clusters(weighted, codes, 0.95)
    means = [*data.reshape(12, 5).mean(axis=1), 1 / 3, -1 / 3]
    expected = scipy.stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_groups_that_never_differ_have_an_interval_that_is_not_empty() -> None:
    scores, groups = np.ones((300, 1)), [f"g{n // 5}" for n in range(300)]
    data = stats.pairs(scores, scores, groups=groups)
    seen = stats.paired_difference(data, macro=False, level=0.95, margin=0.02, seed=0)
    assert seen.method == "cluster_pseudo_t"
    assert (seen.lower, seen.upper) == pytest.approx((-0.01532, 0.01532), abs=1e-4)


def test_the_posterior_computed_and_drawn_agree() -> None:
    """The limits that are drawn lie where the computed posterior has its tails."""
    rng = np.random.default_rng(0)
    for counts in ([1, 0, 3, 10, 4, 1, 1], [0, 0, 2, 60, 6, 3, 2], [0, 0, 0, 20, 0, 0, 0]):
        values = np.arange(-3, 4) / 3
        data = np.repeat(values, counts)
        seen = stats.dirichlet_mean(data, 3, 0.95, rng, draws=200_000)
        shapes = np.array([counts]) + 2 / 7
        tails = [float(posterior_below(shapes, values, at)[0]) for at in (seen.lower, seen.upper)]
        assert tails == pytest.approx([0.025, 0.975], abs=0.0015)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 60), st.integers(1, 60), st.floats(-0.9, 0.9))
def test_the_computed_posterior_of_two_values_is_a_beta(a: int, b: int, at: float) -> None:
    values = np.array([-1.0, 1.0])
    shapes = np.array([[float(a), float(b)]])
    expected = scipy.stats.beta.cdf((at + 1) / 2, b, a)
    assert float(posterior_below(shapes, values, at)[0]) == pytest.approx(expected, abs=2e-6)


def test_the_bootstrap_by_counts_agrees_with_resampled_rows() -> None:
    rng = np.random.default_rng(1)
    strata = {name: rng.choice([-1.0, 0.0, 1.0], size=60, p=[0.1, 0.7, 0.2]) for name in "abc"}
    seen = stats.stratified_bootstrap(strata, 0.95, 20_000, rng)
    rows = [
        np.mean([rng.choice(data, size=data.size).mean() for data in strata.values()])
        for _ in range(5000)
    ]
    assert (seen.lower, seen.upper) == pytest.approx(np.quantile(rows, [0.025, 0.975]), abs=0.01)


def test_a_bootstrap_spread_is_the_standard_error_and_not_divided_again() -> None:
    """Ten values, seven ones: 0.145 to 0.153, where a known fault shows 0.0048."""
    data = [1.0] * 7 + [0.0] * 3
    seen = stats.stratified_bootstrap({"all": data}, 0.6827, 4000, np.random.default_rng(0))
    assert 0.1 <= (seen.upper - seen.lower) / 2 <= 0.2


def test_paired_and_unpaired_tests_differ_as_they_should() -> None:
    """Both right 60, only A 14, only B 4, none 22: an unpaired z says 0.126."""
    assert stats.mcnemar(14, 4).exact == pytest.approx(0.0309, abs=1e-4)


def test_the_power_of_mcnemars_test_agrees_with_simulation() -> None:
    rng = np.random.default_rng(2)
    draws = rng.multinomial(57, [0.05, 0.25, 0.7], size=4000)
    rejected = [stats.mcnemar(c, b).mid_p <= 0.05 for c, b, _ in draws]
    seen = stats.mcnemar_power(57, 0.2, 0.3)
    assert (seen.asymptotic, seen.exact, seen.mid_p) == pytest.approx(
        (0.8362, 0.7717, 0.8315),
        abs=1e-4,
    )
    assert np.mean(rejected) == pytest.approx(seen.mid_p, abs=0.025)


def test_the_size_of_mcnemars_test_is_what_the_notes_say() -> None:
    seen = stats.mcnemar_power(20, 0.0, 0.2)
    assert (seen.asymptotic, seen.exact, seen.mid_p) == pytest.approx(
        (0.0444, 0.0048, 0.0171),
        abs=1e-4,
    )


@given(st.integers(20, 5000), st.floats(0.02, 0.5))
def test_a_detectable_difference_needs_just_those_items(n: int, discordance: float) -> None:
    smallest = stats.detectable_difference(n, discordance)
    if smallest is not None:
        needed = stats.required_items(smallest, discordance)
        assert needed.planned == pytest.approx(n, rel=1e-6)


def test_welch_agrees_with_scipy() -> None:
    rng = np.random.default_rng(4)
    before, after = rng.choice([-1.0, 0.0, 1.0], 70), rng.choice([-1.0, 0.0, 1.0], 45)
    seen = stats.difference_in_differences(before, after)
    expected = scipy.stats.ttest_ind(before, after, equal_var=False)
    assert seen.p == pytest.approx(expected.pvalue)
    limits = expected.confidence_interval()
    assert (seen.lower, seen.upper) == pytest.approx((limits.low, limits.high))


def brute_score(b: int, c: int, n: int, delta: float) -> float:
    """Tango's statistic with the constrained likelihood maximised on a grid, no formula."""
    grid = np.linspace(max(0.0, -delta), (1 - delta) / 2, 400_001)
    with np.errstate(divide="ignore", invalid="ignore"):
        likelihood = np.where(
            grid + delta > 0, b * np.log(grid + delta), 0.0 if b == 0 else -np.inf
        )
        likelihood += np.where(grid > 0, c * np.log(grid), 0.0 if c == 0 else -np.inf)
        rest = 1 - 2 * grid - delta
        likelihood += np.where(rest > 0, (n - b - c) * np.log(rest), 0.0 if n == b + c else -np.inf)
    cell = grid[int(np.nanargmax(likelihood))]
    return float((b - c - n * delta) / np.sqrt(n * (2 * cell + delta * (1 - delta))))


@pytest.mark.parametrize(("b", "c", "n"), [(4, 2, 73), (12, 2, 50), (1, 7, 21), (6, 16, 161)])
def test_tangos_limits_are_where_the_score_is_the_quantile(b: int, c: int, n: int) -> None:
    seen = stats.tango(n - b - c, c, b, 0)
    assert brute_score(b, c, n, seen.lower) == pytest.approx(1.959964, abs=2e-3)
    assert brute_score(b, c, n, seen.upper) == pytest.approx(-1.959964, abs=2e-3)


def test_the_model_confidence_set_keeps_the_best_and_drops_the_far() -> None:
    rng = np.random.default_rng(5)
    difficulty = rng.normal(size=(400, 1))
    skill: Any = np.array([1.5, 1.5, 0.0])
    scores = (rng.normal(size=(400, 3)) < skill + difficulty).astype(float)
    assert stats.model_confidence_set(scores, 0.95, rng) == [True, True, False]


def test_groups_of_one_size_are_all_effective_and_a_few_large_ones_are_few() -> None:
    level = 0.95
    equal = np.repeat(np.arange(10), 4)
    data = np.random.default_rng(3).choice([-1.0, 0.0, 1.0], equal.size)
    known = stats.cluster_interval(data, equal, level)
    assert effective_clusters(weighted(data), equal, level) == pytest.approx(
        (known.lower, known.upper)
    )
    uneven = np.concatenate([np.zeros(37, dtype=int), np.arange(1, 4)])  # nearly all in one
    low, high = effective_clusters(weighted(data), uneven, level)
    narrow = stats.cluster_interval(data, uneven, level)
    assert narrow.lower is not None
    assert narrow.upper is not None
    assert high - low > 2 * (narrow.upper - narrow.lower)


def test_a_few_large_groups_among_many_small_ones_keep_the_interval_honest() -> None:
    rng = np.random.default_rng(1)
    sets, held = 300, 0
    for _ in range(sets):
        sizes = rng.choice([1, 1, 1, 40], 20)
        sides = [
            (rng.random(sizes.sum()) < np.repeat(rng.beta(3.2, 0.8, 20), sizes)).astype(float)
            for _ in range(2)
        ]
        names = [str(code) for code in np.repeat(np.arange(20), sizes)]
        found = stats.paired_difference(
            stats.pairs(*(side.tolist() for side in sides), groups=names),
            macro=False,
            level=0.95,
            margin=0.02,
            seed=0,
        )
        assert found.lower is not None
        assert found.upper is not None
        held += found.lower <= 0 <= found.upper
    assert held / sets >= 0.92  # 0.95 less two standard errors; 0.87 with t(19)


def weighted(data: "np.ndarray[Any, Any]") -> Weighted:
    n = data.size
    residuals = data - data.mean()
    return Weighted(data, np.full(n, 1 / n), residuals, float(residuals @ residuals) / (n - 1) / n)
