"""Meaning: a run in numbers, two runs compared, the verdict under a policy."""

from afere.analysis.comparison import compare, compare_scores
from afere.analysis.planning import smallest_difference
from afere.analysis.summary import summarize
from afere.analysis.verdict import interval_verdict

__all__ = ["compare", "compare_scores", "interval_verdict", "smallest_difference", "summarize"]
