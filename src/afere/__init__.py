"""`afere` gauges language models: checkable questions, several rounds, a plain verdict.

The library's verbs: `load_suite`, `run`, `arun`, `compare`, `compare_scores`, `grade`,
`calibrate`; statistics that know numbers only are in `afere.stats`. Importing `afere` loads
nothing heavy.
"""

import importlib

TYPE_CHECKING = False  # true for type checkers; `typing` takes longer to load than all the rest
if TYPE_CHECKING:
    from afere import stats
    from afere.analysis import compare_scores
    from afere.app.api import RunResult, arun, compare, grade, load_suite, run
    from afere.app.calibrate_arrays import CalibrationResult, apply_calibration, calibrate
    from afere.domain import (
        AfereError,
        AnswerKeyError,
        Comparison,
        Endpoint,
        Expect,
        Failure,
        Grade,
        Grader,
        Item,
        Outcome,
        Reading,
        Response,
        Run,
        RunSummary,
        Store,
        StoreError,
        Suite,
        SuiteError,
        UsageError,
        VerdictKind,
    )
    from afere.graders import grader

__version__ = "0.1.0"

_HOMES = {
    "afere.analysis": ("compare_scores",),
    "afere.app.api": ("RunResult", "arun", "compare", "grade", "load_suite", "run"),
    "afere.app.calibrate_arrays": ("CalibrationResult", "apply_calibration", "calibrate"),
    "afere.graders": ("grader",),
    "afere.domain": (
        "AfereError",
        "AnswerKeyError",
        "Comparison",
        "Endpoint",
        "Expect",
        "Failure",
        "Grade",
        "Grader",
        "Item",
        "Outcome",
        "Reading",
        "Response",
        "Run",
        "RunSummary",
        "Store",
        "StoreError",
        "Suite",
        "SuiteError",
        "UsageError",
        "VerdictKind",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AfereError",
    "AnswerKeyError",
    "CalibrationResult",
    "Comparison",
    "Endpoint",
    "Expect",
    "Failure",
    "Grade",
    "Grader",
    "Item",
    "Outcome",
    "Reading",
    "Response",
    "Run",
    "RunResult",
    "RunSummary",
    "Store",
    "StoreError",
    "Suite",
    "SuiteError",
    "UsageError",
    "VerdictKind",
    "__version__",
    "apply_calibration",
    "arun",
    "calibrate",
    "compare",
    "compare_scores",
    "grade",
    "grader",
    "load_suite",
    "run",
    "stats",
]


def __getattr__(name: str) -> object:
    """Load a public name's home when it is first used (PEP 562)."""
    if name == "stats":
        return importlib.import_module("afere.stats")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'afere' has no attribute {name!r}")
    found: object = getattr(importlib.import_module(_HOME_OF[name]), name)
    return found


def __dir__() -> list[str]:
    return __all__
