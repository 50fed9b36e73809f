"""Calibration arithmetic by a second way: exact fractions, enumeration, other libraries."""

import itertools
import json
from fractions import Fraction
from math import comb, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from afere import stats

CONFIDENCES = st.sampled_from([0.0, 0.25, 0.3, 0.5, 0.55, 0.7, 0.9, 0.95, 0.99, 1.0]) | st.floats(
    0, 1, allow_subnormal=False
)
ROWS = st.lists(st.tuples(CONFIDENCES, st.integers(0, 1)), min_size=1, max_size=40)
EDGES = (0, 0.5, 0.7, 0.9, 1)


def columns(rows: list[tuple[float, int]]) -> tuple[list[float], list[int]]:
    return [row[0] for row in rows], [row[1] for row in rows]


@given(ROWS)
def test_bins_agree_with_exact_fractions(rows: list[tuple[float, int]]) -> None:
    bins = stats.bins_at(*columns(rows), EDGES)
    total = Fraction(0)
    for place, (low, high) in enumerate(itertools.pairwise(EDGES)):
        last = high == EDGES[-1]
        inside = [row for row in rows if low <= row[0] < high or (last and row[0] == high)]
        assert bins.n[place] == len(inside)
        total += abs(sum((Fraction(c) - o for c, o in inside), Fraction(0)))
    assert bins.ece == pytest.approx(float(total / len(rows)), abs=1e-12)
    assert bins.n.sum() == len(rows)
    assert bins.ece <= bins.rmsce + 1e-12 <= bins.mce + 2e-12


@given(ROWS, st.integers(1, 12))
def test_equal_mass_bins_never_part_equal_confidences(
    rows: list[tuple[float, int]], bins: int
) -> None:
    confidences, rights = columns(rows)
    made = stats.bins_of_equal_mass(confidences, rights, bins)
    assert made.bins.n.sum() == len(rows)
    assert (made.bins.n > 0).all()
    assert made.made <= min(bins, len(set(confidences)))
    ends = np.cumsum(made.bins.n)[:-1]
    ordered = sorted(confidences)
    assert all(ordered[end - 1] != ordered[end] for end in ends)


def test_five_bins_asked_of_two_confidences_make_two() -> None:
    made = stats.bins_of_equal_mass([0.9] * 9 + [0.5], [1] * 10, 5)
    assert (made.asked, made.made) == (5, 2)


@given(ROWS)
def test_a_sweep_agrees_with_trying_every_number(rows: list[tuple[float, int]]) -> None:
    confidences, rights = columns(rows)
    best = 1
    for bins in range(2, len(rows) + 1):
        made = stats.bins_of_equal_mass(confidences, rights, bins).bins
        if (np.diff(made.right / made.n) < 0).any():
            break
        best = bins
    assert stats.ece_sweep(confidences, rights).asked == best


@given(ROWS)
def test_risk_and_coverage_agree_with_counting(rows: list[tuple[float, int]]) -> None:
    confidences, rights = columns(rows)
    curve = stats.risk_coverage(confidences, rights)
    for place, threshold in enumerate(curve.thresholds):
        taken = [right for confidence, right in rows if confidence >= threshold]
        assert curve.accepted[place] == len(taken)
        assert curve.errors[place] == len(taken) - sum(taken)
    assert curve.e_aurc >= -1e-12
    looked = stats.accepted_at(confidences, rights, curve.thresholds)
    assert looked[0].tolist() == curve.accepted.tolist()
    assert looked[1].tolist() == curve.errors.tolist()


@given(ROWS, st.lists(st.integers(0, 5), min_size=40, max_size=40), st.randoms())
def test_groups_count_once_whatever_the_order(
    rows: list[tuple[float, int]], groups: list[int], chance: object
) -> None:
    confidences, rights = columns(rows)
    groups, ranks = groups[: len(rows)], list(range(len(rows)))
    seen = stats.accepted_at(confidences, rights, [0.5], groups, ranks)
    by_hand = {}
    for (confidence, right), group in zip(rows, groups, strict=True):
        if confidence >= 0.5:
            by_hand.setdefault(group, right)
    assert (seen[0][0], seen[1][0]) == (len(by_hand), list(by_hand.values()).count(0))
    order = list(range(len(rows)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    again = stats.accepted_at(
        [confidences[at] for at in order],
        [rights[at] for at in order],
        [0.5],
        [groups[at] for at in order],
        [ranks[at] for at in order],
    )
    assert (again[0][0], again[1][0]) == (seen[0][0], seen[1][0])


def cdf(errors: int, accepted: int, rate: Fraction) -> Fraction:
    return sum(
        (comb(accepted, i) * rate**i * (1 - rate) ** (accepted - i) for i in range(errors + 1)),
        Fraction(0),
    )


@given(st.integers(1, 400), st.sampled_from([(1, 100), (1, 20), (1, 10)]))
def test_errors_allowed_agree_with_exact_sums(accepted: int, target: tuple[int, int]) -> None:
    rate, delta = Fraction(*target), Fraction(1, 20)
    allowed = stats.errors_allowed(accepted, float(rate), 0.95)
    if allowed >= 0:
        assert cdf(allowed, accepted, rate) <= delta
    assert cdf(allowed + 1, accepted, rate) > delta


@given(st.integers(0, 30), st.integers(1, 300))
def test_the_bound_and_the_test_say_the_same(errors: int, accepted: int) -> None:
    errors = min(errors, accepted)
    bound = stats.upper_bound(errors, accepted, 0.95)
    theirs = proportion_confint(errors, accepted, alpha=0.1, method="beta")[1]
    assert bound == pytest.approx(1.0 if errors == accepted else theirs, abs=1e-12)
    if abs(bound - 0.05) > 1e-12:
        assert stats.certifies(errors, accepted, 0.05) is (bound <= 0.05)


def rated(seed: int, rows: int = 300) -> tuple[list[float], list[int]]:
    rng = np.random.default_rng(seed)
    confidences = np.round(rng.random(rows), 2)
    return confidences.tolist(), (rng.random(rows) < confidences**1.7).astype(int).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_agrees(seed: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    linear = pytest.importorskip("sklearn.linear_model")
    from sklearn.isotonic import IsotonicRegression

    confidences, rights = rated(seed)
    clipped = np.clip(confidences, 1e-6, 1 - 1e-6)
    assert stats.brier(confidences, rights) == pytest.approx(
        metrics.brier_score_loss(rights, confidences), abs=1e-12
    )
    assert stats.log_loss(clipped, rights) == pytest.approx(
        metrics.log_loss(rights, clipped), abs=1e-12
    )
    assert stats.auroc(confidences, rights) == pytest.approx(
        metrics.roc_auc_score(rights, confidences), abs=1e-12
    )
    logit = np.log(clipped / (1 - clipped))[:, None]
    theirs = linear.LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(logit, rights)
    ours = stats.fit_recalibration("platt", confidences, rights)
    assert ours.slope == pytest.approx(theirs.coef_[0, 0], abs=1e-5)
    assert ours.intercept == pytest.approx(theirs.intercept_[0], abs=1e-5)
    ladder = IsotonicRegression(out_of_bounds="clip").fit(confidences, rights)
    between = np.linspace(0, 1, 101)
    mapped = stats.recalibrated(stats.fit_recalibration("isotonic", confidences, rights), between)
    assert mapped.tolist() == pytest.approx(ladder.predict(between).tolist(), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_venn_abers_agrees(seed: int) -> None:
    abers = pytest.importorskip("venn_abers.venn_abers")
    confidences, rights = rated(seed)
    both = np.column_stack([1 - np.array(confidences), confidences])
    low, high, levels = abers.calc_p0p1(both, np.array(rights))
    asked = np.round(np.random.default_rng(seed).random(200), 3)
    _, theirs = abers.calc_probs(low, high, levels, np.column_stack([1 - asked, asked]))
    mapped = stats.recalibrated(stats.fit_recalibration("venn-abers", confidences, rights), asked)
    merged = theirs[:, 1] / (1 - theirs[:, 0] + theirs[:, 1])
    assert mapped.tolist() == pytest.approx(merged.tolist(), abs=1e-12)


@pytest.mark.parametrize("method", ["temperature", "platt", "isotonic", "venn-abers"])
@pytest.mark.parametrize(
    ("confidences", "rights"),
    [([0.6, 0.7, 0.9], [1, 1, 1]), ([0.6, 0.7, 0.9], [0, 0, 0])],
    ids=["all right", "all wrong"],
)
def test_nothing_to_fit_is_said(method: str, confidences: list[float], rights: list[int]) -> None:
    with pytest.raises(ValueError, match="nothing to fit"):
        stats.fit_recalibration(method, confidences, rights)


def test_answers_told_apart_perfectly_are_nothing_to_fit() -> None:
    with pytest.raises(ValueError, match="a single cut tells right from wrong"):
        stats.fit_recalibration("platt", [0.2, 0.3, 0.8, 0.9], [0, 0, 1, 1])
    with pytest.raises(ValueError, match=r"above 0\.5"):
        stats.fit_recalibration("temperature", [0.2, 0.3, 0.8, 0.9], [0, 0, 1, 1])
    with pytest.raises(ValueError, match="no more confidence"):
        stats.fit_recalibration("temperature", [0.2, 0.8, 0.9, 0.7], [1, 0, 0, 0])


def test_a_smooth_error_agrees_with_a_direct_sum() -> None:
    confidences, rights = rated(1, 60)
    c, away = np.array(confidences), np.array(confidences) - rights
    at = (np.arange(2000) + 0.5) / 2000

    def error(width: float) -> float:
        images = (c, -c, 2 - c)
        kernel = sum(np.exp(-(((at[:, None] - x) / width) ** 2) / 2) for x in images)
        smoothed = kernel @ away / (len(c) * width * sqrt(2 * np.pi))
        return float(np.abs(smoothed).mean())

    low, high = 1e-3, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if error(middle) > middle else (low, middle)
    assert stats.smooth_ece(confidences, rights) == pytest.approx(high, abs=1e-3)


def test_a_band_holds_the_fit_of_honest_confidences_mostly() -> None:
    rng = np.random.default_rng(3)
    confidences = np.round(rng.random(4000), 2)
    rights = (rng.random(4000) < confidences).astype(int)
    band = stats.corp_band(confidences, rng)
    fit = stats.corp(confidences, rights)
    assert band.whole
    assert band.levels.tolist() == fit.levels.tolist()
    inside = (band.lower <= fit.fitted) & (fit.fitted <= band.upper)
    assert inside.mean() > 0.8


def test_a_band_of_many_confidences_is_drawn_on_blocks_and_says_so() -> None:
    rng = np.random.default_rng(4)
    band = stats.corp_band(rng.random(3000), rng, draws=20, most=500)
    assert (band.blocks, band.whole) == (500, False)
    assert len(band.levels) <= 200
    assert (band.lower <= band.upper).all()


def test_the_interval_of_an_error_is_repeated_by_its_seed_and_knows_groups() -> None:
    confidences, rights = rated(5, 400)

    def interval(groups: list[int] | None) -> stats.Interval:
        rng = np.random.default_rng(1)
        return stats.ece_interval(confidences, rights, EDGES, rng, groups=groups)

    alone = interval(None)
    assert alone == interval(None)
    assert alone.lower < alone.upper
    doubled = stats.ece_interval(
        confidences * 2,
        rights * 2,
        EDGES,
        np.random.default_rng(1),
        groups=list(range(400)) * 2,
    )
    assert doubled.upper - doubled.lower == pytest.approx(alone.upper - alone.lower, rel=0.1)


def test_the_difference_of_a_table_with_itself_is_nothing() -> None:
    rows = rated(6)
    seen = stats.ece_difference(rows, rows, EDGES, np.random.default_rng(0))
    assert (seen.estimate, seen.lower, seen.upper) == (0, 0, 0)


@pytest.mark.parametrize(
    ("confidence", "right", "edges", "said"),
    [
        ([1.2], [1], EDGES, "outside 0 to 1"),
        ([float("nan")], [1], EDGES, "confidence holds nan"),
        ([0.5], [2], EDGES, "right is 0 or 1"),
        ([0.5, 0.6], [1], EDGES, "2 confidences and 1 answers"),
        ([], [], EDGES, "no row"),
        ([0.5], [1], (0, 0.5, 0.5, 1), "rise strictly"),
        ([0.5], [1], (0.1, 1), "begin at 0"),
        ([0.5], [1], (0, 0.9), "end at 1"),
        ([0.5], [1], (0,), "at least two"),
        ([0.5], [1], (0, float("nan"), 1), "finite"),
    ],
)
def test_what_is_no_confidence_is_refused(
    confidence: list[float], right: list[int], edges: tuple[float, ...], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        stats.bins_at(confidence, right, edges)


def test_a_promise_is_a_fraction() -> None:
    for wrong in (0.0, 1.0, 5.0):
        with pytest.raises(ValueError, match="max_error"):
            stats.accepted_needed(wrong)
    assert stats.accepted_for_power(0.05, 0.05) is None
    assert stats.upper_bound(0, 0) == 1.0
    assert stats.certifies(0, 0, 0.05) is False
    with pytest.raises(ValueError, match="too many"):
        stats.upper_bound(3, 2)


def test_no_threshold_is_picked_where_none_can_certify() -> None:
    looked = stats.power_candidates([0.9], [20], [0], 25, 25, 0.05)
    assert stats.power_pick(looked) is None
    assert stats.sequence_of(looked) == ()


def test_a_sequence_stops_at_the_first_that_fails() -> None:
    looks = [(0.99, 100, 0), (0.95, 200, 4), (0.9, 300, 20), (0.8, 1000, 10)]
    found = stats.fixed_sequence(looks, 0.05)
    assert found is not None
    assert (found.threshold, found.accepted, found.errors) == (0.95, 200, 4)
    assert stats.fixed_sequence([(0.99, 20, 0)], 0.05) is None


def test_log_loss_is_infinite_where_a_sure_answer_is_wrong() -> None:
    assert stats.log_loss([1.0], [0]) == float("inf")
    assert stats.log_loss([1.0, 0.5], [1, 1]) == pytest.approx(log(2) / 2)
    assert json.dumps(stats.auroc([0.5, 0.6], [1, 1])) == "null"
