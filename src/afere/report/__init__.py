"""Turns runs and comparisons into texts and pages; it computes nothing and prints nothing."""

from afere.report.answers import answers_report
from afere.report.blocks import Report
from afere.report.calibrations import (
    applied_report,
    calibration_report,
    calibrations_report,
    certificate_plan_report,
    threshold_sentence,
)
from afere.report.charts import can_draw
from afere.report.comparisons import comparison_report
from afere.report.confidences import confidence_section
from afere.report.exams import (
    ExamCounts,
    exam_audit_report,
    exam_built_report,
    exam_section,
    exam_verified_report,
)
from afere.report.harmless import harmless
from afere.report.items import ItemsTable
from afere.report.junit import comparison_junit
from afere.report.languages import LANGUAGES, words_for
from afere.report.library import library_page, progress_rows
from afere.report.markdown import comparison_markdown
from afere.report.offline import check_report, graded_report, regraded_report
from afere.report.page import comparison_page, report_page
from afere.report.pings import ping_report
from afere.report.plans import plan_report
from afere.report.plots import calibration_plots
from afere.report.progress import RunProgress, progress_line, progress_report
from afere.report.rankings import rank_report
from afere.report.runs import round_line, run_report, run_state, runs_table
from afere.report.sections import Section
from afere.report.subject import PageSide, Subject
from afere.report.verdicts import gate_line, verdict_sentence
from afere.report.words import ENGLISH, Words

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "ExamCounts",
    "ItemsTable",
    "PageSide",
    "Report",
    "RunProgress",
    "Section",
    "Subject",
    "Words",
    "answers_report",
    "applied_report",
    "calibration_plots",
    "calibration_report",
    "calibrations_report",
    "can_draw",
    "certificate_plan_report",
    "check_report",
    "comparison_junit",
    "comparison_markdown",
    "comparison_page",
    "comparison_report",
    "confidence_section",
    "exam_audit_report",
    "exam_built_report",
    "exam_section",
    "exam_verified_report",
    "gate_line",
    "graded_report",
    "harmless",
    "library_page",
    "ping_report",
    "plan_report",
    "progress_line",
    "progress_report",
    "progress_rows",
    "rank_report",
    "regraded_report",
    "report_page",
    "round_line",
    "run_report",
    "run_state",
    "runs_table",
    "threshold_sentence",
    "verdict_sentence",
    "words_for",
]
