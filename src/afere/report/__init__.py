"""Turns runs and comparisons into texts and pages; it computes nothing and prints nothing."""

from afere.report.answers import answers_report
from afere.report.blocks import Report
from afere.report.comparisons import comparison_report
from afere.report.exams import exam_audit_report, exam_built_report, exam_verified_report
from afere.report.harmless import harmless
from afere.report.junit import comparison_junit
from afere.report.languages import LANGUAGES, words_for
from afere.report.markdown import comparison_markdown
from afere.report.offline import check_report, graded_report, regraded_report
from afere.report.page import comparison_page
from afere.report.pings import ping_report
from afere.report.plans import plan_report
from afere.report.rankings import rank_report
from afere.report.runs import round_line, run_report, runs_table
from afere.report.verdicts import gate_line, verdict_sentence
from afere.report.words import ENGLISH, Words

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "Report",
    "Words",
    "answers_report",
    "check_report",
    "comparison_junit",
    "comparison_markdown",
    "comparison_page",
    "comparison_report",
    "exam_audit_report",
    "exam_built_report",
    "exam_verified_report",
    "gate_line",
    "graded_report",
    "harmless",
    "ping_report",
    "plan_report",
    "rank_report",
    "regraded_report",
    "round_line",
    "run_report",
    "runs_table",
    "verdict_sentence",
    "words_for",
]
