"""Puts a task of the port into the words of the judge, and its verdict into an Execution."""

import math
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, cast, get_args

from afere.domain import (
    Execution,
    ExecutionFailure,
    Limits,
    PythonTask,
    RegexTask,
    SandboxError,
    ShellTask,
    SqlTask,
    Task,
    UsageError,
)
from afere.sandbox.inside.codec import FormatError, decode, encode
from afere.sandbox.inside.orders import Order

__all__ = ["execution", "message_of", "order_of"]


def order_of(task: Task) -> Order:
    """Give the limits of a task; raises UsageError where one cannot be used."""
    limits = task.limits
    for name in Limits.__dataclass_fields__:
        value = getattr(limits, name)
        if not (value > 0 and math.isfinite(value)):
            raise UsageError(f"limits: {name} is {value}.\nA limit is a number above 0.")
    kind = {PythonTask: "python", ShellTask: "shell", SqlTask: "sql", RegexTask: "regex"}
    return Order(
        kind=kind[type(task)],
        cpu=float(limits.cpu),
        wall=float(limits.wall),
        memory=limits.memory,
        processes=limits.processes,
        files=limits.files,
        output=limits.output,
        file_size=limits.file_size,
    )


def message_of(task: Task) -> dict[str, Any]:
    """Give what the judge reads of a task, once its candidate is apart."""
    match task:
        case PythonTask():
            if not task.entries and (task.tests or task.cases):
                raise UsageError("a Python task names no entry.\nName what the tests call.")
            return {
                "answer": task.answer,
                "entries": list(task.entries),
                "tests": task.tests,
                "cases": encode([(tuple(case.args), case.expected) for case in task.cases]),
                "prelude": task.prelude,
                "together": task.together,
            }
        case ShellTask():
            return {
                "command": task.command,
                "shell": task.shell,
                "files": encode({_inside(name): bytes(body) for name, body in task.files.items()}),
                "stdin": encode(bytes(task.stdin)),
            }
        case SqlTask():
            return {
                "query": task.query,
                "engine": task.engine,
                "setup": task.setup,
                "database": encode(task.database),
            }
        case RegexTask():
            return {
                "pattern": task.pattern,
                "texts": list(task.texts),
                "how": task.how,
                "flags": task.flags,
            }


def execution(verdict: Mapping[str, Any], task: Task, level: str) -> Execution:
    """Give the record of a verdict; raises SandboxError where it is in no known form."""
    try:
        failure = _failure(verdict["failure"])
        given = {name: decode(verdict[name]) for name in _CODED if name in verdict}
        weak = isinstance(task, PythonTask) and (task.together or verdict.get("together") is True)
        return Execution(
            failure=failure,
            message=" ".join(str(verdict["message"]).translate(_CONTROLS).split()),
            output=given.get("output", b"").decode("utf-8", "replace"),
            level=level,
            integrity="weak" if weak else "strong",
            seconds=given.get("seconds", 0.0),
            stdout=given.get("stdout", b""),
            status=verdict.get("status"),
            files=given.get("files", {}),
            value=given.get("value"),
        )
    except (KeyError, AttributeError, FormatError) as error:
        raise SandboxError(f"the sandbox failed: its verdict cannot be read ({error})") from error


def _failure(name: object) -> ExecutionFailure | None:
    if name is not None and name not in get_args(ExecutionFailure):
        raise FormatError("an unknown failure")
    return cast("ExecutionFailure | None", name)


_CONTROLS = dict.fromkeys((*range(32), *range(127, 160)), " ")
_CODED = ("output", "seconds", "stdout", "files", "value")


def _inside(name: str) -> str:
    """Give a relative path that stays in the folder; raises UsageError on any other."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in name:
        raise UsageError(f"files: {name!r} is no path within the folder.\nWrite it relative.")
    return str(path)
