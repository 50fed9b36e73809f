"""What confidences are worth: every measure of one table, by bins and by category."""

from collections.abc import Mapping
from math import isinf

from afere import stats
from afere.analysis.rated import Rows, rated
from afere.domain import (
    BinState,
    BrierSplit,
    Calibration,
    CalibrationBin,
    CalibrationPolicy,
    CategoryCalibration,
    CertificateNeeded,
    CorpParts,
    CorpPoint,
    CoveragePoint,
    RatedTable,
    Sentence,
    UsageError,
)

__all__ = ["check_policy", "loss", "measure", "needed"]

EQUAL_MASS = 10
MOST_POINTS = 200
MOST_CATEGORIES = 200
_LABEL_MASS = 0.9


def measure(table: RatedTable, policy: CalibrationPolicy) -> Calibration:
    """Measure the confidences of a table; `threshold` is None. Raises UsageError.

    Draws of the bootstrap and of the band come from the policy's seed.
    """
    check_policy(policy)
    rows = rated(table, keyed=False)
    c, r = rows.confidence, rows.right
    bins = stats.bins_at(c, r, policy.edges)
    equal = stats.bins_of_equal_mass(c, r, EQUAL_MASS)
    swept = stats.ece_sweep(c, r)
    band = stats.corp_band(c, stats.generator(policy.seed, "band"))
    corp, points = _corp(stats.corp(c, r), band)  # the whole fit, long as the table, is let go
    curve = stats.risk_coverage(c, r)
    spread = stats.ece_interval(
        c, r, policy.edges, stats.generator(policy.seed, "ece"), policy.level, rows.group
    )
    parts = stats.brier_parts(c, r, policy.edges)
    return Calibration(
        name=table.name,
        n=len(r),
        accuracy=float(r.mean()),
        ece=bins.ece,
        ece_interval=(spread.lower, spread.upper),
        ece_equal_mass=equal.bins.ece,
        ece_debiased=bins.debiased,
        ece_sweep=swept.bins.ece,
        smooth_ece=stats.smooth_ece(c, r),
        mce=bins.mce,
        rmsce=bins.rmsce,
        signed_gap=bins.signed,
        brier=stats.brier(c, r),
        brier_parts=BrierSplit(
            reliability=parts.reliability,
            resolution=parts.resolution,
            uncertainty=parts.uncertainty,
            within_variance=parts.within_variance,
            within_covariance=parts.within_covariance,
        ),
        corp=corp,
        log_loss=loss(c, r),
        auroc=stats.auroc(c, r),
        aurc=curve.aurc,
        e_aurc=curve.e_aurc,
        edges=tuple(float(edge) for edge in policy.edges),
        bins=_bins(bins, policy.level),
        equal_mass_bins=(equal.asked, equal.made),
        sweep_bins=swept.made,
        by_category=_by_category(rows, policy),
        level=policy.level,
        threshold=None,
        needed=needed(policy.max_error, policy.confidence),
        skipped=table.skipped,
        no_confidence=table.rows - len(r),
        groups=rows.size.groups,
        without_group=rows.without_group,
        confidence_from=table.provenance.confidence_from or "file",
        curve=points,
        band_blocks=None if band.whole else band.blocks,
        coverage_curve=_coverage(curve),
        label_mass=table.label_mass,
        provenance=table.provenance,
        warnings=(*table.warnings, *_warnings(table, rows)),
        notes=table.notes,
    )


def needed(max_error: float, confidence: float) -> CertificateNeeded:
    """Tell how many accepted cases certify a promise, without an error and with up to three."""
    return CertificateNeeded(
        accepted_without_error=stats.accepted_needed(max_error, confidence),
        with_errors={
            str(errors): stats.accepted_needed(max_error, confidence, errors)
            for errors in (1, 2, 3)
        },
    )


def loss(confidence: stats.Floats, right: stats.Floats) -> float | str:
    """Give the log loss; the text "inf" where a sure answer was wrong."""
    found = stats.log_loss(confidence, right)
    return "inf" if isinf(found) else found


def check_policy(policy: CalibrationPolicy) -> None:
    """Raise UsageError for a setting that is no setting, before any row is looked at."""
    for name in ("max_error", "confidence", "level", "share"):
        value = getattr(policy, name)
        if not 0 < value < 1:
            option = name.replace("_", "-")
            raise UsageError(
                f"{name} is a fraction between 0 and 1, not {value:g}.\n5 % is --{option} 0.05"
            )
    if policy.threshold is not None and not 0 <= policy.threshold <= 1:
        raise UsageError(
            f"threshold {policy.threshold:g} is outside 0 to 1.\n90 % is --threshold 0.9"
        )
    if policy.looks < 1:
        raise UsageError("looks is a whole number from 1.\nType: --looks 1")
    try:
        stats.bins_at([0.5], [1], policy.edges)
    except ValueError as fault:
        raise UsageError(f"{fault}.\nType: --edges 0,0.5,0.7,0.9,1") from None


def _bins(bins: stats.Bins, level: float) -> tuple[CalibrationBin, ...]:
    return tuple(_bin(bins, place, level) for place in range(len(bins.n)))


def _bin(bins: stats.Bins, place: int, level: float) -> CalibrationBin:
    n, right = int(bins.n[place]), int(bins.right[place])
    low, high = float(bins.edges[place]), float(bins.edges[place + 1])
    if not n:
        return CalibrationBin(
            low=low,
            high=high,
            n=0,
            right=0,
            confidence=None,
            accuracy=None,
            interval=None,
            gap=None,
            contribution=0.0,
            state=BinState.EMPTY,
        )
    mean, interval = float(bins.confidence[place]) / n, stats.wilson(right, n, level)
    state = BinState.NOT_DECIDED
    if mean > interval.upper:
        state = BinState.OVERCONFIDENT
    elif mean < interval.lower:
        state = BinState.UNDERCONFIDENT
    return CalibrationBin(
        low=low,
        high=high,
        n=n,
        right=right,
        confidence=mean,
        accuracy=right / n,
        interval=(interval.lower, interval.upper),
        gap=float(bins.gaps[place]),
        contribution=float(bins.contributions[place]),
        state=state,
    )


def _by_category(rows: Rows, policy: CalibrationPolicy) -> Mapping[str, CategoryCalibration]:
    if rows.category is None:
        return {}
    places = stats.by_code(rows.category, len(rows.categories))
    sized = [(-len(each), name, each) for name, each in zip(rows.categories, places, strict=True)]
    if len(sized) > MOST_CATEGORIES:
        sized.sort(key=lambda one: one[:2])
    return {
        name: _category(rows.at(each), policy)
        for size, name, each in sized[:MOST_CATEGORIES]
        if size
    }


def _category(rows: Rows, policy: CalibrationPolicy) -> CategoryCalibration:
    c, r = rows.confidence, rows.right
    bins = stats.bins_at(c, r, policy.edges)
    interval = stats.wilson(int(r.sum()), len(r), policy.level)
    return CategoryCalibration(
        n=len(r),
        accuracy=float(r.mean()),
        ece=bins.ece,
        mce=bins.mce,
        brier=stats.brier(c, r),
        log_loss=loss(c, r),
        aurc=stats.risk_coverage(c, r).aurc,
        interval=(interval.lower, interval.upper),
    )


def _corp(corp: stats.Corp, band: stats.CorpBand) -> tuple[CorpParts, tuple[CorpPoint, ...]]:
    """Give the parts of the score, and the isotonic fit at the levels of the band."""
    fitted = corp.at(band.levels)
    parts = CorpParts(
        miscalibration=corp.miscalibration,
        discrimination=corp.discrimination,
        uncertainty=corp.uncertainty,
    )
    return parts, tuple(
        CorpPoint(confidence=confidence, fitted=value, low=low, high=high)
        for confidence, value, low, high in zip(
            band.levels.tolist(),
            fitted.tolist(),
            band.lower.tolist(),
            band.upper.tolist(),
            strict=True,
        )
    )


def _coverage(curve: stats.RiskCoverage) -> tuple[CoveragePoint, ...]:
    places = stats.spread_places(len(curve.thresholds), MOST_POINTS)
    return tuple(
        CoveragePoint(
            threshold=float(curve.thresholds[place]),
            accepted=int(curve.accepted[place]),
            errors=int(curve.errors[place]),
            coverage=int(curve.accepted[place]) / curve.rows,
            error_rate=int(curve.errors[place]) / int(curve.accepted[place]),
        )
        for place in places.tolist()
    )


def _warnings(table: RatedTable, rows: Rows) -> list[Sentence]:
    found = []
    if table.label_mass is not None and table.label_mass < _LABEL_MASS:
        found.append(
            Sentence(
                "the labels hold only {share} % of the probability on average: the rest went to "
                "other answers",
                share=round(100 * table.label_mass, 1),
            )
        )
    if rows.category is not None and len(rows.categories) > MOST_CATEGORIES:
        found.append(
            Sentence(
                "only the {shown} largest of {n} categories are measured apart",
                shown=MOST_CATEGORIES,
                n=len(rows.categories),
            )
        )
    return found
