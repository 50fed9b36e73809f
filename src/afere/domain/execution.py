"""What is to be executed in the sandbox, under which limits, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

__all__ = [
    "EXECUTED_KINDS",
    "Case",
    "Execution",
    "ExecutionFailure",
    "Integrity",
    "Limits",
    "PythonTask",
    "RegexTask",
    "ShellTask",
    "SqlTask",
    "Task",
]

EXECUTED_KINDS = frozenset({"python", "shell", "sql"})
"""The kinds of `expect` whose answers are executed; a `regex` is for a rare answer alone."""

ExecutionFailure: TypeAlias = Literal[
    "assertion", "exception", "timeout", "memory", "output", "crash", "syntax"
]
"""Why a program failed: each is the answer's own doing, never a fault of the sandbox."""

Integrity: TypeAlias = Literal["strong", "weak"]
"""Weak: the answer shared a process with what judged it, and could have cheated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one task may use: seconds, bytes, counts.

    wall: generous, since CPU time decides; a time-out under load is run again alone.
    """

    cpu: float = 10.0
    wall: float = 30.0
    memory: int = 1 << 30
    processes: int = 1
    files: int = 64
    output: int = 1 << 20
    file_size: int = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call of the entry point: its arguments and the value it must give, as plain data."""

    args: tuple[Any, ...]
    expected: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonTask:
    """A Python answer with its tests or cases, which the answer's process never sees.

    answer: the candidate's source, hostile by assumption.
    entries: the names that tests take from the answer; the first is the entry point. Without any
        the answer is a program, run as `__main__`.
    tests: trusted source that calls the entries, or imports them from `solution`; or empty.
    cases: calls with their values, compared outside the sandbox's candidate.
    prelude: trusted source that tests need besides the entries (helpers of the prompt).
    hash_seeds: values of PYTHONHASHSEED; the answer must pass under each.
    packages: distributions made available read-only.
    together: tests run in the answer's own process (classes, generators): weak integrity.
    """

    answer: str
    entries: tuple[str, ...]
    tests: str = ""
    cases: tuple[Case, ...] = ()
    prelude: str = ""
    hash_seeds: tuple[int, ...] = (0,)
    packages: tuple[str, ...] = ()
    together: bool = False
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellTask:
    """A command run in a fresh folder that holds the files (relative path to content).

    stdin: what the command reads.
    """

    command: str
    shell: Literal["bash", "sh"] = "bash"
    files: Mapping[str, bytes] = field(default_factory=dict)
    stdin: bytes = b""
    limits: Limits = field(default_factory=lambda: Limits(processes=32))


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlTask:
    """A query on a private database made by `setup` (trusted) or copied from `database`."""

    query: str
    engine: Literal["sqlite", "duckdb"] = "sqlite"
    setup: str = ""
    database: bytes | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegexTask:
    """A Python regular expression tried on texts: each True or False comes back in `value`."""

    pattern: str
    texts: tuple[str, ...]
    how: Literal["full", "prefix", "search"] = "full"
    flags: int = 0
    limits: Limits = field(default_factory=Limits)


Task: TypeAlias = PythonTask | ShellTask | SqlTask | RegexTask


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What came of one task.

    failure: None where the program ran to its end (and, for Python, passed its tests).
    message: what a person needs to see of the failure, one line.
    output: what the program printed, decoded with replacement, cut at 64 KiB.
    level: of the sandbox that ran it; `integrity` is `weak` where a test shared its process.
    seconds: wall time of the program.
    stdout, status, files: of a shell task: raw bytes, exit status, the folder's files afterwards.
    value: of a SQL task the rows as tuples of exact values, in the query's order; of a regular
        expression one truth value a text.
    """

    failure: ExecutionFailure | None
    message: str = ""
    output: str = ""
    level: str = ""
    integrity: Integrity = "strong"
    seconds: float = 0.0
    stdout: bytes = b""
    status: int | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    value: Any = None
