"""Every case of cases/statistics.json that has a function here."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from afere import stats

Case = dict[str, Any]


@cache
def all_cases() -> dict[str, list[Case]]:
    path = Path(__file__).parent / "cases" / "statistics.json"
    return dict(json.loads(path.read_text("utf-8")))


def cases(section: str, **having: Any) -> Any:
    chosen = [
        case
        for case in all_cases()[section]
        if all(case.get(name) == value for name, value in having.items())
    ]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=[case["name"] for case in chosen])


def agree(case: Case, seen: Mapping[str, Any]) -> None:
    """Compare named numbers with the expected ones, to the case's tolerance."""
    for name, value in seen.items():
        expected = case["expected"][name]
        if expected is None or isinstance(expected, bool):
            assert value is expected, name
            continue
        tolerance = case["tolerance"]
        within = tolerance.get(name, 0) if isinstance(tolerance, dict) else tolerance
        right = [expected, case.get("also_accepted", {}).get(name, expected)]
        agreeing = [value == pytest.approx(each, abs=within, rel=0) for each in right]
        assert any(agreeing), f"{name}: {value} is not {expected}"


def table(case: Case) -> tuple[int, int, int, int]:
    return (
        case["both_right"],
        case["only_baseline"],
        case["only_candidate"],
        case["both_wrong"],
    )


def from_counts(counts: list[int], rounds: int) -> list[float]:
    """Items of each difference, from their counts."""
    values = [(place - rounds) / rounds for place in range(2 * rounds + 1)]
    return [value for value, count in zip(values, counts, strict=True) for _ in range(count)]


@cases("tango_interval")
def test_tango(case: Case) -> None:
    interval = stats.tango(*table(case), case["level"])
    agree(
        case,
        {
            "difference": interval.estimate,
            "lower": interval.lower,
            "upper": interval.upper,
        },
    )


@cases("newcombe10")
def test_newcombe_paired(case: Case) -> None:
    interval = stats.newcombe_paired(*table(case), case["level"])
    agree(
        case,
        {"difference": interval.estimate, "lower": interval.lower, "upper": interval.upper},
    )


@cases("bonett_price")
def test_bonett_price(case: Case) -> None:
    interval = stats.bonett_price(*table(case), case["level"])
    agree(case, {"lower": interval.lower, "upper": interval.upper})


@cases("mcnemar")
def test_mcnemar(case: Case) -> None:
    test = stats.mcnemar(case["only_baseline"], case["only_candidate"])
    agree(case, {"exact_p": test.exact, "mid_p": test.mid_p})


@cases("sign_flip")
def test_sign_flip(case: Case) -> None:
    whole = case["differences_times_rounds"]
    agree(case, {"p": stats.sign_flip(whole)})
    fractions = [each / case["rounds"] for each in whole]
    agree(case, {"p": stats.sign_flip(fractions, case["rounds"])})


@cases("wilson")
def test_wilson(case: Case) -> None:
    interval = stats.wilson(case["successes"], case["n"], case["level"])
    agree(case, {"lower": interval.lower, "upper": interval.upper})


@cases("clopper_pearson")
def test_clopper_pearson(case: Case) -> None:
    interval = stats.clopper_pearson(case["successes"], case["n"], case["level"], case["side"])
    agree(case, {name: getattr(interval, name) for name in case["expected"]})


@cases("holm")
def test_holm(case: Case) -> None:
    assert stats.holm(case["p"]) == pytest.approx(case["expected"]["adjusted"], abs=1e-12, rel=0)


@cases("dirichlet_interval")
@pytest.mark.parametrize("seed", [0, 1])
def test_dirichlet_mean(case: Case, seed: int) -> None:
    differences = from_counts(case["counts"], case["rounds"])
    if "baseline" in case:
        from_tables = np.mean(case["candidate"], axis=1) - np.mean(case["baseline"], axis=1)
        assert sorted(differences) == pytest.approx(sorted(from_tables))
        differences = list(from_tables)
    rng = np.random.default_rng(seed)
    interval = stats.dirichlet_mean(differences, case["rounds"], case["level"], rng)
    assert interval.draws == case["tolerance"]["for_draws"]
    agree(
        case,
        {
            "lower": interval.lower,
            "upper": interval.upper,
            "mean_difference": interval.estimate,
        },
    )


@cases("stratified_percentile_bootstrap")
def test_stratified_bootstrap(case: Case) -> None:
    strata = {
        f"stratum {place}": from_counts(counts, case["rounds"])
        for place, counts in enumerate(case["strata_counts"])
    }
    rng = np.random.default_rng(0)
    interval = stats.stratified_bootstrap(strata, case["level"], 2000, rng)
    agree(case, {"macro_difference": interval.estimate})
    for name in ("lower", "upper"):
        low, high = case["tolerance"]["accepted"][name]
        assert low - 1e-9 <= getattr(interval, name) <= high + 1e-9, name


@cases("macro_and_micro")
def test_macro_and_micro(case: Case) -> None:
    strata = [from_counts(counts, case["rounds"]) for counts in case["strata_counts"]]
    rounds = case["rounds"]
    whole = [round(each * rounds) for stratum in strata for each in stratum]
    categories = [f"c{place}" for place, stratum in enumerate(strata) for _ in stratum]
    baseline = [[float(each < -place) for place in range(rounds)] for each in whole]
    candidate = [[float(each > place) for place in range(rounds)] for each in whole]
    data = stats.pairs(baseline, candidate, categories=categories)
    options: dict[str, Any] = {"level": 0.95, "margin": 0.02, "seed": 0}
    macro = stats.paired_difference(data, macro=True, **options)
    micro = stats.paired_difference(data, macro=False, **options)
    agree(case, {"macro_difference": macro.estimate, "micro_difference": micro.estimate})
    # variances here have the denominator n, the case's n - 1
    n = len(whole)
    assert micro.variance * n / (n - 1) == pytest.approx(
        case["expected"]["micro_standard_error"] ** 2,
        rel=1e-9,
    )


@cases("dirichlet_strata")
@pytest.mark.parametrize("seed", [0, 1])
def test_dirichlet_strata(case: Case, seed: int) -> None:
    strata = {
        f"stratum {place}": from_counts(counts, case["rounds"])
        for place, counts in enumerate(case["strata_counts"])
    }
    rng = np.random.default_rng(seed)
    interval = stats.dirichlet_strata(strata, case["rounds"], case["level"], rng)
    agree(case, {"lower": interval.lower, "upper": interval.upper})


@cases("clustered_se")
def test_cluster_interval(case: Case) -> None:
    interval = stats.cluster_interval(case["differences"], case["groups"], case["level"])
    seen = {
        name: getattr(interval, name)
        for name in case["expected"]
        if name not in {"estimable", "degrees_of_freedom"}
    }
    agree(case, seen)
    assert (interval.lower is not None) is case["expected"]["estimable"]
    if case["expected"]["estimable"]:
        assert interval.degrees_of_freedom == case["expected"]["degrees_of_freedom"]


@cases("noise_floor")
def test_noise_floor(case: Case) -> None:
    expected = case["expected"]
    if "scores" in case:
        noise = stats.noise_floor(case["scores"])
        agree(
            case,
            {
                "within_variance": noise.within_variance,
                "variance_of_item_means": noise.variance_of_item_means,
                "between_variance": noise.between_variance_raw,
                "between_variance_reported": noise.between_variance,
                "standard_error_same_items": noise.standard_error_same_items,
                "standard_error_new_items": noise.standard_error_new_items,
                "estimable": noise.estimable,
            }
            if expected.get("estimable")
            else {"estimable": noise.estimable},
        )
        floor = noise.noise_floor
    else:
        sides = [stats.noise_floor(case["baseline"]), stats.noise_floor(case["candidate"])]
        errors = [side.standard_error_same_items or 0.0 for side in sides]
        error = (errors[0] ** 2 + errors[1] ** 2) ** 0.5
        agree(
            case,
            {
                "within_variance_baseline": sides[0].within_variance,
                "within_variance_candidate": sides[1].within_variance,
                "standard_error_same_items": error,
            },
        )
        floor = 1.96 * error
    if expected.get("noise_floor") is None:
        assert floor is None
    else:
        assert floor == pytest.approx(expected["noise_floor"], abs=case["noise_floor_tolerance"])


@cases("required_items", question="how many items would decide it at the rates seen")
def test_items_that_would_decide_it(case: Case) -> None:
    b, c, n = case["only_candidate"], case["only_baseline"], case["n"]
    needed = stats.required_items((b - c) / n, (b + c) / n, case["level"], case["power"])
    agree(
        case,
        {
            "break_even_score": needed.even,
            "n_80_power": needed.planned,
        },
    )
    low, high = case["accepted"]["items_even"]
    assert needed.items_even is not None
    assert low <= needed.items_even <= high
    low, high = case["accepted"]["items_80_power"]
    assert needed.items is not None
    assert low <= needed.items <= high


@cases("required_items", question="planned difference")
def test_items_for_a_planned_difference(case: Case) -> None:
    needed = stats.required_items(
        case["difference"],
        case["discordance"],
        1 - case["alpha"],
        case["power"],
    )
    agree(case, {"n": needed.planned, "items": needed.items})


@cases("required_items", question="equivalence, true difference 0")
def test_items_for_equivalence(case: Case) -> None:
    needed = stats.required_items_equivalence(
        case["discordance"],
        case["margin"],
        case["level"],
        case["power"],
    )
    agree(case, {"n": needed.planned, "items": needed.items})


def design(case: Case) -> dict[str, Any]:
    return {
        "between": case["between_variance_of_differences"],
        "within": (case["within_variance_baseline"], case["within_variance_candidate"]),
        "rounds": (case["rounds_baseline"], case["rounds_candidate"]),
        "level": 1 - case["alpha"],
        "power": case["power"],
    }


@cases("required_items", question="planned difference, several rounds")
def test_items_for_a_planned_difference_over_rounds(case: Case) -> None:
    needed = stats.required_items_rounds(case["difference"], **design(case))
    agree(case, {"n": needed.planned, "items": needed.items})


@cases("required_items", question="smallest detectable difference")
def test_smallest_difference(case: Case) -> None:
    seen = stats.detectable_difference(
        case["n"],
        case["discordance"],
        1 - case["alpha"],
        case["power"],
    )
    agree(case, {"smallest_detectable_difference": seen})


@cases("required_items", question="smallest detectable difference, several rounds")
def test_smallest_difference_over_rounds(case: Case) -> None:
    seen = stats.detectable_difference_rounds(case["n"], **design(case))
    agree(case, {"smallest_detectable_difference": seen})


@cases("required_items", question="exact power")
def test_power_of_mcnemar(case: Case) -> None:
    power = stats.mcnemar_power(
        case["n"],
        case["difference"],
        case["discordance"],
        1 - case["alpha"],
    )
    agree(
        case,
        {"asymptotic": power.asymptotic, "exact": power.exact, "mid_p": power.mid_p},
    )


@cases("cochran_q")
def test_cochran_q(case: Case) -> None:
    test = stats.cochran_q(case["items_by_position"])
    agree(case, {"q": test.q, "p": test.p})
    if "df" in case["expected"]:
        assert test.degrees_of_freedom == case["expected"]["df"]
        assert list(test.shares) == pytest.approx(case["expected"]["accuracy_by_position"])


@cases("two_proportions")
def test_two_proportions(case: Case) -> None:
    both = stats.two_proportions(
        case["before_right"],
        case["before_n"],
        case["after_right"],
        case["after_n"],
        case["level"],
    )
    agree(
        case,
        {
            "drop": both.drop,
            "newcombe_lower": both.newcombe.lower,
            "newcombe_upper": both.newcombe.upper,
            "miettinen_nurminen_lower": both.miettinen_nurminen.lower,
            "miettinen_nurminen_upper": both.miettinen_nurminen.upper,
            "fisher_p": both.fisher_p,
        },
    )


@cases("difference_in_differences")
def test_difference_in_differences(case: Case) -> None:
    before = from_counts(case["before_counts"], case["rounds"])
    after = from_counts(case["after_counts"], case["rounds"])
    seen = stats.difference_in_differences(before, after, case["level"])
    agree(
        case,
        {
            "difference_in_differences": seen.estimate,
            "standard_error": seen.standard_error,
            "degrees_of_freedom": seen.degrees_of_freedom,
            "lower": seen.lower,
            "upper": seen.upper,
            "p": seen.p,
        },
    )


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="only_baseline is a count of items, not -1"):
        stats.tango(5, -1, 2, 0)


def test_a_proportion_of_no_items_is_not_estimable() -> None:
    with pytest.raises(ValueError, match="not estimable"):
        stats.wilson(0, 0)


def test_a_p_value_above_one_is_refused() -> None:
    with pytest.raises(ValueError, match=r"1\.2"):
        stats.holm([0.01, 1.2])
