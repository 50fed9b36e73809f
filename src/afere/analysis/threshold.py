"""A threshold to act on, and whether its promise holds: chosen, frozen, looked at once.

`plan` reads the tuning part alone; `look` reads the reserved part. Between the two the plan is
written down: whoever calls them keeps that order, and refuses a second look.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from afere import stats
from afere.analysis.rated import Rows, rated, split_sides
from afere.analysis.recalibrating import apply_map, fit_map
from afere.domain import (
    CalibrationPolicy,
    CategoryAtThreshold,
    ConfidenceMap,
    RatedTable,
    Sentence,
    Threshold,
    ThresholdPlan,
    UsageError,
    digest,
)

__all__ = ["Prepared", "candidates_of", "look", "prepare"]

FEW_ROWS = 400  # below it the sequence from the top finds more than a search of all rows
PROCEDURES = ("single", "sequence", "no-reserved", "given")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """A plan made before the reserved part was read.

    plan: None where nothing could be certified, or no certificate was asked for: `outcome` then
    says why and no look is to be taken. tested: the rows to look at; whole: all rows.
    reserved_hash, data_hash: of these, whatever their order.
    """

    plan: ThresholdPlan | None
    outcome: Threshold | None
    tuning: Rows | None
    tested: Rows
    reserved_hash: str
    data_hash: str
    warnings: tuple[Sentence, ...] = ()

    @property
    def plan_hash(self) -> str:
        """The hash of the plan, by which a second look is told from the first repeated."""
        return digest(self.plan)


def prepare(table: RatedTable, policy: CalibrationPolicy) -> Prepared:
    """Split, choose and fix: everything that comes before the look. Raises UsageError."""
    if policy.procedure not in PROCEDURES:
        raise UsageError(
            f"there is no procedure {policy.procedure!r}.\nThere are: {', '.join(PROCEDURES[:3])}"
        )
    rows = rated(table)
    if policy.threshold is not None:
        return _given(rows, policy, policy.threshold)
    if policy.procedure == "no-reserved":
        return _all_rows(rows, policy)
    sides = split_sides(rows, seed=policy.seed, share=policy.share)
    tuning, reserved = sides.tuning, sides.reserved
    made = replace(
        _chosen(tuning, reserved, policy),
        tuning=tuning,
        data_hash=rows.fingerprint,
        warnings=sides.warnings,
    )
    return (
        made
        if made.outcome is None
        else replace(made, outcome=replace(made.outcome, warnings=sides.warnings))
    )


def look(prepared: Prepared, plan: ThresholdPlan) -> Threshold:
    """Read the rows that were kept for it, and tell whether the promise holds."""
    rows = prepared.tested
    if plan.recalibration is not None:
        rows = replace(rows, confidence=apply_map(plan.recalibration, rows.confidence))
    if plan.procedure == "no-reserved":
        found = _search(rows, plan)
    elif plan.procedure == "sequence":
        found = _sequence(rows, plan)
    else:
        found = _one(rows, plan, plan.thresholds[0])
    chosen_on = prepared.tuning.size if prepared.tuning is not None else None
    return replace(found, chosen_on=chosen_on, warnings=prepared.warnings)


def _given(rows: Rows, policy: CalibrationPolicy, threshold: float) -> Prepared:
    plan = _plan(policy, "given", (threshold,), None)
    hashed = rows.fingerprint
    prepared = Prepared(
        plan=plan,
        outcome=None,
        tuning=None,
        tested=rows,
        reserved_hash=hashed,
        data_hash=hashed,
    )
    if policy.declared:
        return prepared
    seen = look(prepared, plan)
    why = Sentence(
        "not certified: the threshold was not declared before these cases were seen (--declared)"
    )
    if not seen.accepted:
        why = _nothing_accepted(threshold)
    return replace(prepared, plan=None, outcome=replace(seen, certified=False, why=why))


def _all_rows(rows: Rows, policy: CalibrationPolicy) -> Prepared:
    if policy.recalibrate is not None:
        raise UsageError(
            "a map is fitted on a tuning part, and no-reserved has none.\n"
            "Type: --procedure single or sequence with --recalibrate"
        )
    method = "sequence-from-top" if rows.units < FEW_ROWS else "search"
    plan = replace(_plan(policy, "no-reserved", (), None), method=method)
    hashed = rows.fingerprint
    prepared = Prepared(
        plan=plan,
        outcome=None,
        tuning=None,
        tested=rows,
        reserved_hash=hashed,
        data_hash=hashed,
    )
    needed = stats.accepted_needed(policy.max_error, _confidence(policy))
    if rows.units >= needed:
        return prepared
    return replace(prepared, plan=None, outcome=_impossible(rows, rows.units, needed, plan))


def _chosen(tuning: Rows, reserved: Rows, policy: CalibrationPolicy) -> Prepared:
    """Choose on the tuning part by power; of the reserved part only its size is known."""
    confidence = _confidence(policy)
    needed = stats.accepted_needed(policy.max_error, confidence)
    fitted = None
    prepared = Prepared(
        plan=None,
        outcome=None,
        tuning=tuning,
        tested=reserved,
        reserved_hash=reserved.fingerprint,
        data_hash="",
    )
    draft = _plan(policy, policy.procedure, (), None)
    if not len(tuning.right) or reserved.units < needed:
        outcome = _impossible(reserved, reserved.units, needed, draft)
        return replace(prepared, outcome=replace(outcome, chosen_on=tuning.size))
    if policy.recalibrate is not None:
        fitted = fit_map(policy.recalibrate, tuning.confidence, tuning.right)
        tuning = replace(tuning, confidence=apply_map(fitted, tuning.confidence))
    candidates = candidates_of(tuning, reserved.units, policy)
    pick = stats.power_pick(candidates)
    if pick is None:
        outcome = replace(
            _nothing_chosen(reserved, draft),
            chosen_on=tuning.size,
            why=Sentence(
                "no threshold can be certified: with the share that each accepts of the tuning "
                "part, fewer than {needed} reserved cases would be accepted",
                needed=needed,
            ),
        )
        return replace(prepared, outcome=outcome)
    thresholds: tuple[float, ...] = (pick.threshold,)
    if policy.procedure == "sequence":
        thresholds = stats.sequence_of(candidates)
    plan = replace(
        _plan(policy, policy.procedure, thresholds, fitted),
        tuning=tuning.fingerprint,
        power=next(each.power for each in candidates if each.threshold == thresholds[0]),
    )
    return replace(prepared, plan=plan)


def candidates_of(
    tuning: Rows,
    reserved: int,
    policy: CalibrationPolicy,
) -> tuple[stats.Candidate, ...]:
    """Look at the thresholds of the tuning part with the eyes of a reserved part of that size."""
    thresholds = stats.spread_thresholds(tuning.confidence)
    ranks = tuning.ranks(policy.seed)
    accepted, errors = stats.accepted_at(
        tuning.confidence, tuning.right, thresholds, tuning.group, ranks
    )
    return stats.power_candidates(
        thresholds,
        accepted,
        errors,
        tuning.units,
        reserved,
        policy.max_error,
        _confidence(policy),
    )


def _plan(
    policy: CalibrationPolicy,
    procedure: str,
    thresholds: tuple[float, ...],
    fitted: ConfidenceMap | None,
) -> ThresholdPlan:
    return ThresholdPlan(
        procedure=procedure,
        thresholds=thresholds,
        max_error=policy.max_error,
        confidence=policy.confidence,
        looks=policy.looks,
        seed=policy.seed,
        share=policy.share,
        tuning=None,
        recalibration=fitted,
        declared=policy.declared,
    )


def _confidence(policy: CalibrationPolicy | ThresholdPlan) -> float:
    """Give the confidence of one look: the error budget is divided among all looks."""
    return 1 - (1 - policy.confidence) / policy.looks


def _one(rows: Rows, plan: ThresholdPlan, threshold: float) -> Threshold:
    """Look at one threshold."""
    places = stats.units_accepted(rows.confidence, threshold, rows.group, rows.ranks(plan.seed))
    accepted = len(places)
    errors = accepted - int(rows.right[places].sum())
    return _told(rows, plan, threshold, (accepted, errors), 1 - _confidence(plan))


def _sequence(rows: Rows, plan: ThresholdPlan) -> Threshold:
    """Go laxer while each threshold certifies; the last that did is the one."""
    accepted, errors = stats.accepted_at(
        rows.confidence, rows.right, plan.thresholds, rows.group, rows.ranks(plan.seed)
    )
    looks = list(zip(plan.thresholds, accepted.tolist(), errors.tolist(), strict=True))
    best = stats.fixed_sequence(looks, plan.max_error, _confidence(plan))
    if best is None:
        threshold, *counts = looks[0]
        return _told(rows, plan, threshold, (counts[0], counts[1]), 1 - _confidence(plan))
    return _told(rows, plan, best.threshold, (best.accepted, best.errors), best.budget)


def _search(rows: Rows, plan: ThresholdPlan) -> Threshold:
    """Search all rows by the method that was fixed, one row of each group."""
    units = rows
    if rows.group is not None:
        units = rows.at(stats.one_of_each(rows.group, rows.ranks(plan.seed) or ()))
    curve = stats.risk_coverage(units.confidence, units.right)
    search = (
        stats.sequence_from_top if plan.method == "sequence-from-top" else stats.search_all_rows
    )
    best = search(curve, plan.max_error, _confidence(plan))
    if best is None:
        return replace(
            _nothing_chosen(rows, plan),
            why=Sentence("the search over all cases found no threshold that it can certify"),
        )
    counts = (best.accepted, best.errors)
    return _told(units, plan, best.threshold, counts, best.budget, whole=rows)


def _told(  # noqa: PLR0913 - what was counted, and what it is counted by
    rows: Rows,
    plan: ThresholdPlan,
    threshold: float,
    counts: tuple[int, int],
    budget: float,
    *,
    whole: Rows | None = None,
) -> Threshold:
    accepted, errors = counts
    certified = stats.certifies(errors, accepted, plan.max_error, 1 - budget)
    bound = stats.upper_bound(errors, accepted, 1 - budget)
    every = whole or rows
    taken = int((every.confidence >= threshold).sum())
    units = every.units
    return Threshold(
        value=threshold,
        chosen_on=None,
        tested_on=every.size,
        accepted=accepted,
        errors=errors,
        error_rate=errors / accepted if accepted else None,
        coverage=accepted / units,
        upper_bound=bound if accepted else None,
        max_error=plan.max_error,
        confidence=plan.confidence,
        certified=certified,
        why=_why(plan, threshold, counts, budget),
        by_category=_categories(every, threshold, plan),
        unit="row" if every.group is None else "group",
        procedure=plan.procedure,
        method=plan.method,
        declared=plan.declared,
        power=plan.power,
        rows_accepted=taken,
        rows_coverage=taken / len(every.right),
        needed_more=_needed_more(plan, counts, budget),
        looks=plan.looks,
        seed=plan.seed,
        share=plan.share,
    )


def _why(
    plan: ThresholdPlan,
    threshold: float,
    counts: tuple[int, int],
    budget: float,
) -> Sentence:
    accepted, errors = counts
    if not accepted:
        return _nothing_accepted(threshold)
    allowed = stats.errors_allowed(accepted, plan.max_error, 1 - budget)
    if allowed < 0:
        needed = stats.accepted_needed(plan.max_error, 1 - budget)
        return Sentence(
            "too few accepted: {accepted} cases cannot certify {max_error} %, {needed} without an "
            "error could, {more} more",
            accepted=accepted,
            max_error=_short(plan.max_error),
            needed=needed,
            more=needed - accepted,
        )
    if errors > allowed:
        return Sentence(
            "not certified: {errors} errors among {accepted} accepted cases, and at most "
            "{allowed} would certify {max_error} %",
            errors=errors,
            accepted=accepted,
            allowed=allowed,
            max_error=_short(plan.max_error),
        )
    return Sentence(
        "certified: with {errors} errors among {accepted} accepted cases the error rate is at "
        "most {bound} %, with {confidence} % confidence",
        errors=errors,
        accepted=accepted,
        bound=round(100 * stats.upper_bound(errors, accepted, 1 - budget), 2),
        confidence=_short(plan.confidence),
    )


def _needed_more(plan: ThresholdPlan, counts: tuple[int, int], budget: float) -> int | None:
    """Count the accepted cases without a further error that would certify; None where certified."""
    accepted, errors = counts
    if stats.certifies(errors, accepted, plan.max_error, 1 - budget):
        return None
    return stats.accepted_needed(plan.max_error, 1 - budget, errors) - accepted


def _nothing_accepted(threshold: float) -> Sentence:
    return Sentence("nothing is accepted at {threshold}", threshold=threshold)


def _impossible(rows: Rows, units: int, needed: int, plan: ThresholdPlan) -> Threshold:
    return replace(
        _nothing_chosen(rows, plan),
        needed_more=needed - units,
        why=Sentence(
            "no look was taken: {units} reserved cases cannot certify {max_error} %, {needed} "
            "accepted without an error could",
            units=units,
            max_error=_short(plan.max_error),
            needed=needed,
        ),
    )


def _nothing_chosen(rows: Rows, plan: ThresholdPlan) -> Threshold:
    return Threshold(
        value=None,
        chosen_on=None,
        tested_on=rows.size,
        accepted=None,
        errors=None,
        error_rate=None,
        coverage=None,
        upper_bound=None,
        max_error=plan.max_error,
        confidence=plan.confidence,
        certified=False,
        why="",
        unit="row" if rows.group is None else "group",
        procedure=plan.procedure,
        method=plan.method,
        looks=plan.looks,
        seed=plan.seed,
        share=plan.share,
    )


def _categories(
    rows: Rows,
    threshold: float,
    plan: ThresholdPlan,
) -> Mapping[str, CategoryAtThreshold]:
    """Tell each category apart: descriptive, with its own bound at the whole confidence."""
    if rows.category is None:
        return {}
    found = {}
    places = stats.by_code(rows.category, len(rows.categories))
    for name, each in zip(rows.categories, places, strict=True):
        if not len(each):
            continue
        part = rows.at(each)
        taken = stats.units_accepted(part.confidence, threshold, part.group, part.ranks(plan.seed))
        accepted = len(taken)
        errors = accepted - int(part.right[taken].sum())
        found[name] = CategoryAtThreshold(
            accepted=accepted,
            errors=errors,
            coverage=accepted / part.units,
            upper_bound=stats.upper_bound(errors, accepted, plan.confidence),
            warning=_category_warning(accepted, errors, plan),
        )
    return found


def _category_warning(accepted: int, errors: int, plan: ThresholdPlan) -> Sentence | None:
    if accepted and errors / accepted > plan.max_error:
        return Sentence("above the target")
    if stats.errors_allowed(accepted, plan.max_error, plan.confidence) < 0:
        return Sentence("too few to tell")
    return None


def _short(fraction: float) -> int | float:
    rounded = round(100 * fraction, 6)
    return int(rounded) if rounded == int(rounded) else rounded
