"""Turns an exam's PDF and its official key into clean multiple-choice items, all accounted for.

Characters are read with their places and fonts; layout decides what belongs to a question. Every
question that the exam has gets a row in the audit: kept, or left out with a reason, page and box.
"""

from afere.exams.audit import Choice, Row
from afere.exams.build import Plan, Result, build
from afere.exams.confined import Bounds
from afere.exams.errors import ExamError
from afere.exams.folder import Saved, draw_left_out
from afere.exams.folder import read_folder as read_audit
from afere.exams.identity import Identity
from afere.exams.profile import Profile, load_profile, profile_names, profile_text
from afere.exams.reasons import DROPPED, KEEPABLE, REASONS
from afere.exams.verify import Difference, Verification, verify

__all__ = [
    "DROPPED",
    "KEEPABLE",
    "REASONS",
    "Bounds",
    "Choice",
    "Difference",
    "ExamError",
    "Identity",
    "Plan",
    "Profile",
    "Result",
    "Row",
    "Saved",
    "Verification",
    "build",
    "draw_left_out",
    "load_profile",
    "profile_names",
    "profile_text",
    "read_audit",
    "verify",
]
