"""The errors that `afere` raises.

AfereError
├── UsageError        wrong command, option or setting                 exit 2
│   ├── SuiteError    a suite file that cannot be used
│   ├── AnswerKeyError  a right answer that its own grader cannot use
│   └── NoSandboxError  this machine offers no isolation that is asked for
├── SandboxError      the sandbox failed: the answer is not judged     grader_error
└── StoreError        the store cannot be read or written              exit 2

A failure of an endpoint is no error but a value, `afere.Failure`.
"""

from pathlib import PurePath

__all__ = [
    "AfereError",
    "AnswerKeyError",
    "NoSandboxError",
    "NoStoreError",
    "SandboxError",
    "StoreError",
    "SuiteError",
    "UsageError",
]


class AfereError(Exception):
    """Base of every error raised by `afere`; its text is fit to be shown to a user."""


class UsageError(AfereError):
    """A wrong command, option, file or setting; the text names the mend."""


class SuiteError(UsageError):
    """A suite cannot be used: says what is wrong, where, and how to mend it."""

    def __init__(
        self,
        problem: str,
        *,
        mend: str = "",
        file: PurePath | str | None = None,
        line: int | None = None,
        field: str | None = None,
    ) -> None:
        self.problem, self.mend, self.file, self.line, self.field = problem, mend, file, line, field
        super().__init__(self._text())

    def _text(self) -> str:
        place = f"{self.file}" if self.file is not None else ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        if self.field:
            place = f"{place}: {self.field}" if place else self.field
        head = f"{place}: {self.problem}" if place else self.problem
        return f"{head}\n{self.mend}" if self.mend else head


class AnswerKeyError(UsageError):
    """The right answer of an item cannot be used by its own grader."""

    def __init__(self, problem: str, *, mend: str = "", field: str = "expect") -> None:
        self.problem, self.mend, self.field = problem, mend, field
        super().__init__(f"{field}: {problem}" + (f"\n{mend}" if mend else ""))


class NoSandboxError(UsageError):
    """No isolation works on this machine; the text names why, and the mend for the platform."""


class SandboxError(AfereError):
    """The sandbox itself failed, also on a second try: never the answer's doing."""


class StoreError(AfereError):
    """The store cannot be opened, read or written; the text names file and mend."""


class NoStoreError(StoreError):
    """Nothing was ever kept there, and a command that only reads makes no store."""
