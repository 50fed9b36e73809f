"""Meaning: runs in numbers, compared and ranked, the verdict and what lies behind it."""

from afere.analysis.comparison import compare, compare_scores, compare_tables
from afere.analysis.drivers import drivers, error_places, letter_gap
from afere.analysis.exposure import around_cutoff, public_against_private
from afere.analysis.planning import plan_suite, smallest_difference
from afere.analysis.ranking import cost_per_right, rank
from afere.analysis.summary import summarize
from afere.analysis.verdict import interval_verdict

__all__ = [
    "around_cutoff",
    "compare",
    "compare_scores",
    "compare_tables",
    "cost_per_right",
    "drivers",
    "error_places",
    "interval_verdict",
    "letter_gap",
    "plan_suite",
    "public_against_private",
    "rank",
    "smallest_difference",
    "summarize",
]
