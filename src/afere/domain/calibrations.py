"""What is said of confidences: bins, errors, thresholds and their promise.

Fields are those of the JSON outputs, with the conventions of `afere.domain.results`. A gap is mean
confidence minus accuracy: above 0 the confidence is too high.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from afere.domain.ratings import Provenance
from afere.domain.results import Limits, _Record

__all__ = [
    "BinState",
    "BrierSplit",
    "Calibration",
    "CalibrationBin",
    "CalibrationComparison",
    "CalibrationGap",
    "CalibrationPlan",
    "CalibrationPolicy",
    "CategoryAtThreshold",
    "CategoryCalibration",
    "CertificateNeeded",
    "ConfidenceMap",
    "CorpParts",
    "CorpPoint",
    "CoveragePoint",
    "FrozenThreshold",
    "Look",
    "PartSize",
    "Recalibration",
    "SourceMeasures",
    "Threshold",
    "ThresholdPlan",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationPolicy:
    """How confidences are measured and a threshold is chosen: fixed before the data are seen.

    edges: of the bins, or as many of equal width as `bins` says. max_error: the largest error rate
    among accepted cases that is acceptable; confidence: that of its promise. level: of intervals.
    share: the tuning part's share of groups. procedure: `single`, `sequence` or `no-reserved`.
    threshold: a given one, looked at on all rows; declared: it was named before the data were
    seen. looks: how many looks the error budget is divided among. recalibrate: a method, or None.
    """

    edges: tuple[float, ...] = (0, 0.5, 0.7, 0.9, 1)
    max_error: float = 0.05
    confidence: float = 0.95
    level: float = 0.95
    seed: int = 0
    share: float = 0.5
    procedure: str = "single"
    threshold: float | None = None
    declared: bool = False
    looks: int = 1
    recalibrate: str | None = None


class BinState(StrEnum):
    """What the interval of a bin's accuracy says of its mean confidence."""

    OVERCONFIDENT = "overconfident"
    UNDERCONFIDENT = "underconfident"
    NOT_DECIDED = "not_decided"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin(_Record):
    """The rows with a confidence in [low, high), the last bin closed; None where it is empty."""

    low: float
    high: float
    n: int
    right: int
    confidence: float | None
    accuracy: float | None
    interval: Limits | None
    gap: float | None
    contribution: float
    state: BinState


@dataclass(frozen=True, slots=True, kw_only=True)
class BrierSplit(_Record):
    """The Brier score taken apart over bins, with both terms within them."""

    reliability: float
    resolution: float
    uncertainty: float
    within_variance: float
    within_covariance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpParts(_Record):
    """The Brier score taken apart by the isotonic fit."""

    miscalibration: float
    discrimination: float
    uncertainty: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpPoint(_Record):
    """A point of the reliability curve: low and high are where an honest one lies mostly."""

    confidence: float
    fitted: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CoveragePoint(_Record):
    """What is accepted from a threshold on, as shares of all rows and of those accepted."""

    threshold: float
    accepted: int
    errors: int
    coverage: float
    error_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryCalibration(_Record):
    """The measures of one category."""

    n: int
    accuracy: float
    ece: float
    mce: float
    brier: float
    log_loss: float | str
    aurc: float
    interval: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class PartSize(_Record):
    """How large a part is; groups is None where rows have none."""

    rows: int
    groups: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryAtThreshold(_Record):
    """One category at the threshold: descriptive, it is not certified by itself."""

    accepted: int
    errors: int
    coverage: float | None
    upper_bound: float
    warning: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold(_Record):
    """A threshold, how it did, and whether its promise is certified.

    unit: `row` or `group`; `accepted` and `errors` count these. procedure: `single`, `sequence`,
    `no-reserved`, or `given` for a threshold that was named. value: None where none was chosen.
    rows_accepted, rows_coverage: the same in rows. power: the chance to certify that was seen
    beforehand. tests: how many looks share the error budget. needed_more: accepted cases without
    an error that are still missing. looked_at: when the look was recorded, ISO 8601.
    """

    value: float | None
    chosen_on: PartSize | None
    tested_on: PartSize | None
    accepted: int | None
    errors: int | None
    error_rate: float | None
    coverage: float | None
    upper_bound: float | None
    max_error: float
    confidence: float
    certified: bool
    why: str
    by_category: Mapping[str, CategoryAtThreshold] = field(default_factory=dict)
    unit: str = "row"
    procedure: str = "single"
    method: str | None = None
    declared: bool = False
    power: float | None = None
    rows_accepted: int | None = None
    rows_coverage: float | None = None
    needed_more: int | None = None
    looks: int = 1
    looked_at: str | None = None
    seed: int = 0
    share: float = 0.5
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateNeeded(_Record):
    """How many accepted cases certify the promise, without an error and with some."""

    accepted_without_error: int
    with_errors: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceMap(_Record):
    """A map from stated confidences to ones that hold; see `afere.stats.Fitted`."""

    method: str
    slope: float | None = None
    intercept: float | None = None
    levels: tuple[float, ...] = ()
    values: tuple[float, ...] = ()
    others: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibration(_Record):
    """What a map did on the reserved part, which it never saw."""

    method: str
    fitted_on: PartSize
    measured_on: PartSize
    temperature: float | None
    ece_before: float
    ece_after: float
    brier_before: float
    brier_after: float
    log_loss_before: float | str
    log_loss_after: float | str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceMeasures(_Record):
    """One source of confidence on the tuning part; expected_coverage is power times coverage."""

    n: int
    accuracy: float
    ece: float
    brier: float
    auroc: float | None
    aurc: float
    expected_coverage: float
    no_confidence: int
    chosen: bool = False


@dataclass(frozen=True, kw_only=True)
class Calibration(_Record):
    """Confidences measured.

    n: rows with a confidence; no_confidence: rows without, out of every measure; skipped: rows of
    another kind. log_loss: the text "inf" where a sure answer was wrong. ece_interval: by the
    bootstrap. equal_mass_bins: bins asked and made. band_blocks: how many levels the band of the
    reliability curve was drawn on where these are not all. groups: None where rows have none.
    """

    name: str
    n: int
    accuracy: float
    ece: float
    ece_interval: Limits
    ece_equal_mass: float
    ece_debiased: float
    ece_sweep: float
    smooth_ece: float
    mce: float
    rmsce: float
    signed_gap: float
    brier: float
    brier_parts: BrierSplit
    corp: CorpParts
    log_loss: float | str
    auroc: float | None
    aurc: float
    e_aurc: float
    edges: tuple[float, ...]
    bins: tuple[CalibrationBin, ...]
    equal_mass_bins: tuple[int, int]
    sweep_bins: int
    by_category: Mapping[str, CategoryCalibration]
    level: float
    threshold: Threshold | None
    needed: CertificateNeeded
    skipped: int
    no_confidence: int
    groups: int | None
    without_group: int
    confidence_from: str
    curve: tuple[CorpPoint, ...]
    band_blocks: int | None
    coverage_curve: tuple[CoveragePoint, ...]
    label_mass: float | None = None
    recalibration: Recalibration | None = None
    sources: Mapping[str, SourceMeasures] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance)
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationGap(_Record):
    """The ECE of `a` minus that of `b` on the rows that both have.

    order_shown: whether the interval leaves out 0.
    """

    a: str
    b: str
    rows: int
    difference: float | None
    interval: Limits | None
    order_shown: bool


@dataclass(frozen=True, kw_only=True)
class CalibrationComparison(_Record):
    """Several tables measured with the same edges."""

    calibrations: tuple[Calibration, ...]
    pairs: tuple[CalibrationGap, ...]
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationPlan(_Record):
    """How many cases to collect for a promise.

    accepted: cases that must be accepted by the threshold; cases: those to look at for that;
    with_tuning: these and a tuning part to choose the threshold on. None where no number is enough.
    """

    cases: int | None
    accepted: int | None
    power: float
    assumptions: Mapping[str, Any]
    with_tuning: int | None = None
    needed: CertificateNeeded | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdPlan(_Record):
    """What is fixed before the reserved part is read.

    thresholds: one, or the falling sequence to test; none where all rows are searched. tuning:
    hash of the tuning rows. method: how all rows are searched. recalibration: the map that comes
    before the threshold.
    """

    procedure: str
    thresholds: tuple[float, ...]
    max_error: float
    confidence: float
    looks: int
    seed: int
    share: float
    tuning: str | None
    power: float | None = None
    recalibration: ConfidenceMap | None = None
    declared: bool = False
    method: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look(_Record):
    """One look at rows that were reserved for it; at: ISO 8601.

    reserved: hash of the rows looked at; data: hash of all rows, whatever the seed. looks: how
    many looks the error budget was divided among. policy: what was asked, by which the look can be
    told again; None of older looks.
    """

    reserved: str
    data: str
    plan: str
    threshold: float | None
    number: int
    looks: int
    at: str
    policy: CalibrationPolicy | None = None


@dataclass(frozen=True, kw_only=True)
class FrozenThreshold(_Record):
    """The small file of a frozen threshold: plan, its hash, where it comes from, and its looks.

    result: what the look found, None until it is taken.
    """

    version: int
    plan: ThresholdPlan
    plan_hash: str
    provenance: Provenance
    frozen_at: str
    looks: tuple[Look, ...] = ()
    result: Threshold | None = None
