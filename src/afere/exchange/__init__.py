"""Reads and writes what other tools made: answers to be graded, result files, exported runs."""

from afere.exchange.answers import Answer, read_answers
from afere.exchange.export_files import EXPORT_FORMATS, RowFile, export_file
from afere.exchange.exported import EXPORT_COLUMNS, RunExport, question_hashes
from afere.exchange.ratings import RATING_FIELDS, RATING_SUFFIXES, RatingForm, read_ratings
from afere.exchange.results import RESULT_SUFFIXES, read_result, read_results

__all__ = [
    "EXPORT_COLUMNS",
    "EXPORT_FORMATS",
    "RATING_FIELDS",
    "RATING_SUFFIXES",
    "RESULT_SUFFIXES",
    "Answer",
    "RatingForm",
    "RowFile",
    "RunExport",
    "export_file",
    "question_hashes",
    "read_answers",
    "read_ratings",
    "read_result",
    "read_results",
]
