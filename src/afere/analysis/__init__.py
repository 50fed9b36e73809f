"""Meaning: runs in numbers, compared and ranked, the verdict and what lies behind it."""

from afere.analysis.calibration import check_policy, measure
from afere.analysis.calibration_sets import choose_source, measure_several, plan_certificate
from afere.analysis.comparison import compare, compare_scores, compare_tables
from afere.analysis.confidences import SOURCES, run_confidences, stated_confidence
from afere.analysis.drivers import drivers, error_places, letter_gap
from afere.analysis.exposure import around_cutoff, public_against_private
from afere.analysis.label_confidence import LabelConfidence, label_confidence
from afere.analysis.planning import plan_suite, smallest_difference
from afere.analysis.ranking import cost_per_right, rank
from afere.analysis.recalibrating import map_effect, mapped
from afere.analysis.summary import summarize
from afere.analysis.threshold import Prepared, look, prepare
from afere.analysis.verdict import interval_verdict

__all__ = [
    "SOURCES",
    "LabelConfidence",
    "Prepared",
    "around_cutoff",
    "check_policy",
    "choose_source",
    "compare",
    "compare_scores",
    "compare_tables",
    "cost_per_right",
    "drivers",
    "error_places",
    "interval_verdict",
    "label_confidence",
    "letter_gap",
    "look",
    "map_effect",
    "mapped",
    "measure",
    "measure_several",
    "plan_certificate",
    "plan_suite",
    "prepare",
    "public_against_private",
    "rank",
    "run_confidences",
    "smallest_difference",
    "stated_confidence",
    "summarize",
]
