"""Runs code that a model wrote, hostile by assumption, and tells its own failure from the code's.

Three processes: this one, a judge that runs the tests, and the candidate, which never holds tests,
expected values or the channel of the verdict. `inside` holds what runs in there.
"""

from afere.sandbox.levels import LEVELS, UNSAFE
from afere.sandbox.opening import LevelFinding, examine, open_sandbox

__all__ = ["LEVELS", "UNSAFE", "LevelFinding", "examine", "open_sandbox"]
