"""Every case of cases/calibration.json that is arithmetic, at its tolerance."""

import json
from collections.abc import Iterator
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from afere import stats

Case = dict[str, Any]
SEED_EDGES = (0, 0.5, 0.7, 0.9, 1)


@cache
def all_cases() -> dict[str, list[Case]]:
    path = Path(__file__).parent / "cases" / "calibration.json"
    return dict(json.loads(path.read_text("utf-8")))


def cases(section: str) -> Any:
    found = all_cases()[section]
    assert found
    return pytest.mark.parametrize(
        "case", found, ids=[str(case.get("name", number)) for number, case in enumerate(found)]
    )


def near(value: float, tolerance: float = 1e-9) -> Any:
    return pytest.approx(value, abs=tolerance, rel=0)


@cases("ece_cases")
def test_bins_and_errors(case: Case) -> None:
    bins, expected = stats.bins_at(case["conf"], case["correct"], case["edges"]), case["expected"]
    for name in ("ece", "mce", "rmsce", "signed"):
        assert getattr(bins, name) == near(expected[name]), name
    assert bins.rows == len(case["conf"])
    for place, wanted in enumerate(expected["bins"]):
        assert (bins.edges[place], bins.edges[place + 1]) == (wanted["lo"], wanted["hi"])
        assert bins.n[place] == wanted["n"]
        if wanted["n"]:
            assert bins.right[place] == wanted["correct"]
            assert bins.confidence[place] / bins.n[place] == near(wanted["mean_conf"])
            assert bins.gaps[place] == near(wanted["gap"])


@cases("proper_score_cases")
def test_proper_scores(case: Case) -> None:
    expected, rows = case["expected"], (case["conf"], case["correct"])
    assert stats.brier(*rows) == near(expected["brier"])
    loss = inf if expected["log_loss"] == "inf" else near(expected["log_loss"])
    assert stats.log_loss(*rows) == loss
    if "log_loss_clipped_1e_15" in expected:
        assert stats.log_loss(*rows, 1e-15) == near(expected["log_loss_clipped_1e_15"])


@cases("corp_brier_decomposition_cases")
def test_corp(case: Case) -> None:
    corp, expected = stats.corp(case["conf"], case["correct"]), case["expected"]
    for name in ("score", "miscalibration", "discrimination", "uncertainty"):
        assert getattr(corp, name) == near(expected[name]), name
    fitted = dict(zip(map(float, corp.levels), map(float, corp.fitted), strict=True))
    assert fitted == {float(level): near(value) for level, value in expected["pav"].items()}


@cases("murphy_decomposition_cases")
def test_brier_taken_apart(case: Case) -> None:
    edges, expected = stats.equal_edges(case["n_bins"]), case["expected"]
    parts = stats.brier_parts(case["conf"], case["correct"], edges)
    assert parts.reliability == near(expected["reliability"])
    assert parts.resolution == near(expected["resolution"])
    assert parts.uncertainty == near(expected["uncertainty"])
    assert parts.within_variance == near(expected["within_bin_variance"])
    assert parts.within_covariance == near(expected["within_bin_covariance"])
    whole = parts.reliability - parts.resolution + parts.uncertainty
    whole += parts.within_variance - parts.within_covariance
    assert stats.brier(case["conf"], case["correct"]) == near(whole)


@cases("equal_mass_and_debiased_cases")
def test_equal_mass_and_debiased(case: Case) -> None:
    made = stats.bins_of_equal_mass(case["conf"], case["correct"], case["n_bins"])
    assert made.made == made.asked == case["n_bins"]
    assert made.bins.ece == near(case["expected"]["ece_equal_mass"])
    assert made.bins.debiased_squared == near(case["expected"]["unbiased_l2_squared"])
    assert made.bins.debiased == near(case["expected"]["unbiased_l2"])


@cases("ece_sweep_cases")
def test_sweep(case: Case) -> None:
    swept = stats.ece_sweep(case["conf"], case["correct"])
    assert swept.made == case["expected"]["bins"]
    assert swept.bins.ece == near(case["expected"]["ece_sweep"])


@cases("smooth_ece_cases")
def test_smooth_error(case: Case) -> None:
    seen = stats.smooth_ece(case["conf"], case["correct"])
    assert seen == near(case["expected"]["smece"], case["tolerance"])
    assert seen == near(case["own_direct_sum"]["fixed_point"], 1e-3)


@cases("risk_coverage_cases")
def test_risk_and_coverage(case: Case) -> None:
    curve, expected = stats.risk_coverage(case["conf"], case["correct"]), case["expected"]
    assert curve.aurc == near(expected["aurc"])
    assert curve.e_aurc == near(expected["e_aurc"])
    assert curve.optimum == near(expected["optimal_aurc"])
    for place, wanted in enumerate(expected.get("curve", ())):
        assert curve.thresholds[place] == wanted["threshold"]
        assert curve.accepted[place] == wanted["accepted"]
        assert curve.errors[place] == wanted["errors"]
        assert curve.at(wanted["threshold"]) == (wanted["accepted"], wanted["errors"])


@cases("clopper_pearson_cases")
def test_upper_bound(case: Case) -> None:
    seen = stats.upper_bound(case["errors"], case["n"], case["confidence"])
    assert seen == near(case["expected"]["clopper_pearson_upper_one_sided"])


@cases("sample_size_cases")
def test_accepted_rows_needed(case: Case) -> None:
    seen = stats.accepted_needed(case["max_error_rate"], case["confidence"], case["errors_allowed"])
    assert seen == case["expected"]
    allowed = stats.errors_allowed(seen, case["max_error_rate"], case["confidence"])
    assert allowed == case["errors_allowed"]


@cases("planning_cases")
def test_planning(case: Case) -> None:
    seen = stats.accepted_for_power(
        case["max_error_rate"], case["true_error_rate"], case["confidence"], case["power"]
    )
    assert seen == case["expected_accepted_for_all_larger_n"]


@cases("ltt_p_value_cases")
def test_what_rejects(case: Case) -> None:
    assert (
        stats.certifies(case["errors"], case["accepted"], case["target"])
        is (case["rejects_at_5_percent"])
    )


@cases("hosmer_lemeshow_cases")
def test_hosmer_lemeshow_has_as_many_degrees_as_groups(case: Case) -> None:
    seen = stats.hosmer_lemeshow(case["conf"], case["correct"], case["groups"])
    assert seen.statistic == near(case["expected"]["statistic"])
    assert seen.degrees_of_freedom == case["groups"]
    assert seen.p == near(case["expected"]["p_dof_groups"])


@cases("recalibration_cases")
def test_recalibration(case: Case) -> None:
    rows, expected = (case["conf"], case["correct"]), case["expected"]
    after = case.get("ece_after") or expected["ece_after"]
    platt = stats.fit_recalibration("platt", *rows)
    assert platt.slope == near(expected["platt_on_logit"]["slope"], 1e-7)
    assert platt.intercept == near(expected["platt_on_logit"]["intercept"], 1e-7)
    temperature = stats.fit_recalibration("temperature", *rows)
    assert temperature.slope is not None
    assert 1 / temperature.slope == near(expected["temperature"]["T"], 1e-6)
    mapped = stats.recalibrated(temperature, case["conf"])
    assert stats.log_loss(*rows) == near(expected["temperature"]["nll_before"])
    assert stats.log_loss(mapped, case["correct"]) == near(expected["temperature"]["nll_after"])
    isotonic = stats.fit_recalibration("isotonic", *rows)
    fitted = stats.recalibrated(isotonic, case["conf"])
    assert fitted.tolist() == near(expected["isotonic"]["fitted"])
    for name, fit in (("platt", platt), ("temperature", temperature), ("isotonic", isotonic)):
        bins = stats.bins_at(stats.recalibrated(fit, case["conf"]), case["correct"], SEED_EDGES)
        assert bins.ece == near(after[name], 1e-6), name
    abers = stats.fit_recalibration("venn-abers", *rows)
    for point, (low, high) in zip(
        expected["venn_abers"]["points"], expected["venn_abers"]["p0_p1"], strict=True
    ):
        merged = high / (1 - low + high)
        assert stats.recalibrated(abers, [point]).tolist() == [near(merged)]


@cases("large_cases")
def test_many_rows(case: Case) -> None:
    i = np.arange(case["n"], dtype=np.int64)
    conf = ((i * 7919) % 10007) / 10006
    correct = (((i * 104729) % 1000003) / 1000003 < conf**1.5).astype(float)
    expected, tolerance = case["expected"], case["tolerance"]
    own = stats.bins_at(conf, correct, SEED_EDGES)
    assert own.ece == near(expected["ece_seed_edges"], tolerance)
    assert own.n.tolist() == expected["counts_seed_edges"]
    equal = stats.bins_at(conf, correct, stats.equal_edges(10))
    assert equal.ece == near(expected["ece_10_equal"], tolerance)
    assert correct.mean() == near(expected["accuracy"])
    accepted, errors = stats.risk_coverage(conf, correct).at(0.9)
    assert (accepted, errors) == (expected["accepted_at_0_9"], expected["errors_at_0_9"])
    assert stats.brier(conf, correct) == near(expected["brier"], tolerance)


def congruential(seed: int, rows: int) -> tuple[list[float], list[int]]:
    x, confidences, rights = seed, [], []

    def draw() -> float:
        nonlocal x
        x = (1103515245 * x + 12345) % 2**31
        return (x >> 8) / 2**23

    for _ in range(rows):
        u, v = draw(), draw()
        confidences.append(round(1 - 0.5 * u**2, 6))
        rights.append(int(v >= 0.002 + 0.35 * u**3))
    return confidences, rights


@cases("threshold_cases")
def test_procedures_on_all_rows(case: Case) -> None:
    confidences, rights = congruential(case["seed"], case["n"])
    first = [list(row) for row in zip(confidences, rights, strict=True)][:4]
    assert first == case["first_rows"]
    curve, expected = stats.risk_coverage(confidences, rights), case["expected"]
    target, level = case["target"], 1 - case["delta"]
    same_certified(
        stats.sequence_from_top(curve, target, level), expected["ltt_fixed_sequence_all_data"]
    )
    same_certified(
        stats.search_all_rows(curve, target, level), expected["sgr_binary_search_all_data"]
    )
    naive = expected["naive_lowest_threshold"]
    assert curve.at(naive["threshold"]) == (naive["accepted"], naive["errors"])


def same_certified(seen: stats.Certified | None, expected: Case | None) -> None:
    if expected is None:
        assert seen is None
        return
    assert seen is not None
    assert (seen.threshold, seen.accepted) == (expected["threshold"], expected["accepted"])
    assert seen.errors == expected["errors"]
    bound = stats.upper_bound(seen.errors, seen.accepted)
    assert bound == near(expected["upper_bound_95"])


def test_the_notes_other_two_tables_of_procedures() -> None:
    curve = stats.risk_coverage(*congruential(1, 200))
    top = stats.sequence_from_top(curve, 0.05)
    assert top is not None
    assert (top.threshold, top.accepted, top.errors) == (0.91041, 85, 0)
    assert stats.upper_bound(0, 85) == near(0.034630075)
    assert stats.search_all_rows(curve, 0.05) is None
    curve = stats.risk_coverage(*congruential(3, 2000))
    assert stats.sequence_from_top(curve, 0.05) is None
    found = stats.search_all_rows(curve, 0.05)
    assert found is not None
    assert (found.threshold, found.accepted, found.errors) == (0.740568, 1451, 51)
    assert stats.upper_bound(51, 1451) == near(0.044178453)
    assert stats.upper_bound(51, 1451, 1 - found.budget) == near(0.049754197)


@cases("tie_trap_cases")
def test_tied_rows_are_accepted_together(case: Case) -> None:
    rights = [int(not 100 <= row < 140) for row in range(400)]
    curve = stats.risk_coverage([1.0] * 400, rights)
    expected = case["expected"]
    assert curve.at(1.0) == (expected["accepted"], expected["errors"])
    assert len(curve.thresholds) == 1
    assert stats.sequence_from_top(curve, 0.05) is None
    assert stats.search_all_rows(curve, 0.05) is None
    assert stats.certifies(40, 400, 0.05) is expected["certified"]


@cases("group_certificate_cases")
def test_a_group_counts_once(case: Case) -> None:
    groups = [row // 5 for row in range(59)]
    expected = case["expected"]
    rows = stats.accepted_at([0.95] * 59, [1] * 59, [0.9])
    units = stats.accepted_at([0.95] * 59, [1] * 59, [0.9], groups, list(range(59)))
    assert [int(counts[0]) for counts in rows] == [59, 0]
    assert [int(counts[0]) for counts in units] == [12, 0]
    assert stats.upper_bound(0, 59) == near(expected["row_level_upper_95"])
    assert stats.upper_bound(0, 12) == near(expected["group_level_upper_95"])
    assert stats.certifies(0, 12, 0.05) is expected["certified_at_5_percent"]


LEVELS = (1, 0.99, 0.98, 0.95, 0.9, 0.8, 0.7, 0.5)
POWER = {
    200: (0.7082, 0.6198, 0.5921, 0.4161, 0.3021, 0.1557, 0.0426, 0.0159),
    1000: (0.9284, 0.9049, 0.8631, 0.8501, 0.6743, 0.3369, 0.1271, 0.0493),
}
ALLOWED = {200: (0, 1, 2, 2, 3, 4, 4, 4), 1000: (8, 16, 21, 27, 31, 34, 37, 38)}


def worked_example() -> Iterator[tuple[float, int]]:
    counts, errors = (60, 40, 24, 24, 20, 16, 10, 6), (0, 1, 1, 1, 2, 3, 3, 2)
    for level, n, wrong in zip(LEVELS, counts, errors, strict=True):
        yield from ((level, int(row >= wrong)) for row in range(n))


@pytest.mark.parametrize(("reserved", "chosen"), [(200, 0.98), (1000, 0.95)])
def test_the_worked_example_of_the_power_pick(reserved: int, chosen: float) -> None:
    confidences, rights = zip(*worked_example(), strict=True)
    thresholds = stats.spread_thresholds(confidences)
    assert thresholds.tolist() == list(LEVELS)
    accepted, errors = stats.accepted_at(confidences, rights, thresholds)
    assert accepted.tolist() == [60, 100, 124, 148, 168, 184, 194, 200]
    assert errors.tolist() == [0, 1, 2, 3, 5, 8, 11, 13]
    looked = stats.power_candidates(thresholds, accepted, errors, 200, reserved, 0.05)
    assert [each.allowed for each in looked] == list(ALLOWED[reserved])
    assert [round(each.power, 4) for each in looked] == list(POWER[reserved])
    pick = stats.power_pick(looked)
    assert pick is not None
    assert pick.threshold == chosen
