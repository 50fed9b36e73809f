"""Maps that make confidences hold, fitted on the tuning part alone."""

from collections.abc import Sequence

from afere import stats
from afere.analysis.calibration import loss
from afere.analysis.rated import Rows
from afere.domain import CalibrationPolicy, ConfidenceMap, Recalibration, UsageError

__all__ = ["apply_map", "fit_map", "map_effect", "mapped"]


def fit_map(method: str, confidence: stats.Floats, right: stats.Floats) -> ConfidenceMap:
    """Fit a map on known answers; raises UsageError where there is nothing to fit."""
    try:
        fitted = stats.fit_recalibration(method, confidence, right)
    except ValueError as fault:
        raise UsageError(
            f"--recalibrate {method}: {fault} in the tuning part.\n"
            "Leave the confidences as they are"
        ) from None
    return ConfidenceMap(
        method=fitted.method,
        slope=fitted.slope,
        intercept=fitted.intercept,
        levels=fitted.levels,
        values=fitted.values,
        others=fitted.others,
    )


def apply_map(found: ConfidenceMap, confidence: stats.Floats) -> stats.Floats:
    """Map confidences."""
    fitted = stats.Fitted(
        method=found.method,
        slope=found.slope,
        intercept=found.intercept,
        levels=found.levels,
        values=found.values,
        others=found.others,
    )
    return stats.recalibrated(fitted, confidence)


def mapped(found: ConfidenceMap, confidences: Sequence[float]) -> list[float]:
    """Map a few confidences."""
    return [float(value) for value in apply_map(found, stats.float_column(confidences))]


def map_effect(
    found: ConfidenceMap,
    tuning: Rows,
    reserved: Rows,
    policy: CalibrationPolicy,
) -> Recalibration | None:
    """Tell what a map did to the reserved part, which it never saw; None where that is empty."""
    if not len(reserved.right):
        return None
    before, right = reserved.confidence, reserved.right
    after = apply_map(found, before)
    return Recalibration(
        method=found.method,
        fitted_on=tuning.size,
        measured_on=reserved.size,
        temperature=1 / found.slope if found.method == "temperature" and found.slope else None,
        ece_before=stats.bins_at(before, right, policy.edges).ece,
        ece_after=stats.bins_at(after, right, policy.edges).ece,
        brier_before=stats.brier(before, right),
        brier_after=stats.brier(after, right),
        log_loss_before=loss(before, right),
        log_loss_after=loss(after, right),
    )
