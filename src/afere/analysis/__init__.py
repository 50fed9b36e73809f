"""Meaning: a run in numbers, two runs compared, the verdict under a policy."""

from afere.analysis.comparison import compare, compare_scores, compare_tables
from afere.analysis.planning import smallest_difference
from afere.analysis.summary import summarize
from afere.analysis.verdict import interval_verdict

__all__ = [
    "compare",
    "compare_scores",
    "compare_tables",
    "interval_verdict",
    "smallest_difference",
    "summarize",
]
