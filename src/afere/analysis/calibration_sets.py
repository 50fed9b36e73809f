"""Several tables of confidences beside one another, and how many cases a promise needs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import ceil

from afere import stats
from afere.analysis.calibration import check_policy, measure, needed
from afere.analysis.rated import Rows, rated, split_sides
from afere.analysis.threshold import candidates_of
from afere.domain import (
    Calibration,
    CalibrationComparison,
    CalibrationGap,
    CalibrationPlan,
    CalibrationPolicy,
    RatedTable,
    SourceMeasures,
    UsageError,
)

__all__ = ["choose_source", "measure_several", "plan_certificate"]


def measure_several(
    tables: Sequence[RatedTable],
    policy: CalibrationPolicy,
    measured: Sequence[Calibration] | None = None,
) -> CalibrationComparison:
    """Measure tables with the same edges, and the differences of their errors on equal ids.

    measured: the tables' own measures where they are at hand. Raises UsageError.
    """
    check_policy(policy)
    found = measured or [measure(table, policy) for table in tables]
    return CalibrationComparison(
        calibrations=tuple(found),
        pairs=tuple(_gap(a, b, policy) for a, b in combinations(tables, 2)),
        level=policy.level,
    )


def choose_source(
    tables: Mapping[str, RatedTable],
    policy: CalibrationPolicy,
) -> tuple[str, Mapping[str, SourceMeasures]]:
    """Compare sources of confidence on their tuning parts, and choose one.

    The reserved part is not read. The source of the largest expected certified coverage is
    chosen, then of the smallest Brier score. Raises UsageError where no source has a row.
    """
    found = {}
    for name, table in tables.items():
        try:
            rows = rated(table)
        except UsageError:  # this source says nothing: the others may
            continue
        sides = split_sides(rows, seed=policy.seed, share=policy.share)
        if len(sides.tuning.right):
            missing = table.rows - len(rows.right)
            found[name] = _source(sides.tuning, sides.reserved.units, missing, policy)
    if not found:
        raise UsageError(
            "no source gives a confidence.\n"
            "Ask for log-probabilities, for a stated confidence, or several rounds"
        )
    best = max(found, key=lambda name: (found[name].expected_coverage, -found[name].brier))
    return best, {
        name: replace(each, chosen=True) if name == best else each for name, each in found.items()
    }


def plan_certificate(  # noqa: PLR0913 - the options of the command, by name
    *,
    max_error: float = 0.05,
    confidence: float = 0.95,
    true_error: float | None = None,
    power: float = 0.8,
    coverage: float = 0.8,
    share: float = 0.5,
) -> CalibrationPlan:
    """Tell how many cases to collect, if the error rate above the threshold is as guessed.

    true_error: two fifths of max_error unless given. coverage: the share of cases that will be
    accepted. cases: accepted / coverage; with_tuning: that and a tuning part of the share besides.
    Raises UsageError for what is no fraction.
    """
    check_policy(CalibrationPolicy(max_error=max_error, confidence=confidence, share=share))
    guess = 0.4 * max_error if true_error is None else true_error
    inside = {"true-error": 0 <= guess <= 1, "coverage": 0 < coverage <= 1, "power": 0 < power < 1}
    for name, fits in inside.items():
        if not fits:
            raise UsageError(f"--{name} is a fraction between 0 and 1.\nType: --{name} 0.8")
    accepted = stats.accepted_for_power(max_error, guess, confidence, power)
    cases = None if accepted is None else ceil(accepted / coverage)
    return CalibrationPlan(
        cases=cases,
        accepted=accepted,
        power=power,
        assumptions={
            "max_error": max_error,
            "confidence": confidence,
            "true_error": guess,
            "true_error_from": "0.4 × max_error" if true_error is None else "given",
            "coverage": coverage,
            "share": share,
        },
        with_tuning=None if cases is None else ceil(cases / (1 - share)),
        needed=needed(max_error, confidence),
    )


def _source(
    tuning: Rows,
    reserved: int,
    missing: int,
    policy: CalibrationPolicy,
) -> SourceMeasures:
    c, r = tuning.confidence, tuning.right
    candidates = candidates_of(tuning, reserved, policy)
    return SourceMeasures(
        n=len(r),
        accuracy=float(r.mean()),
        ece=stats.bins_at(c, r, policy.edges).ece,
        brier=stats.brier(c, r),
        auroc=stats.auroc(c, r),
        aurc=stats.risk_coverage(c, r).aurc,
        expected_coverage=max(each.value for each in candidates),
        no_confidence=missing,
    )


def _gap(a: RatedTable, b: RatedTable, policy: CalibrationPolicy) -> CalibrationGap:
    places = {name: place for place, name in enumerate(b.ids)}
    both = [(at, places[name]) for at, name in enumerate(a.ids) if name in places]
    first, second = stats.float_column(a.confidence), stats.float_column(b.confidence)
    both = [(i, j) for i, j in both if first[i] == first[i] and second[j] == second[j]]
    if not both:
        return CalibrationGap(
            a=a.name, b=b.name, rows=0, difference=None, interval=None, order_shown=False
        )
    left = stats.integer_column([i for i, _ in both])
    right = stats.integer_column([j for _, j in both])
    groups = stats.integer_column(a.group) if a.groups else None
    seen = stats.ece_difference(
        (first[left], stats.float_column(a.right)[left]),
        (second[right], stats.float_column(b.right)[right]),
        policy.edges,
        stats.generator(policy.seed, "pair"),
        policy.level,
        None if groups is None else stats.own_codes(groups, len(a.groups))[left],
    )
    return CalibrationGap(
        a=a.name,
        b=b.name,
        rows=len(both),
        difference=seen.estimate,
        interval=(seen.lower, seen.upper),
        order_shown=not seen.lower <= 0 <= seen.upper,
    )
