"""Loads an answer and answers calls of its entries: hostile code runs here, in its own process."""

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import CodeType, ModuleType
from typing import Any

from .codec import decode, encode

__all__ = ["serve"]

_ROOM = 2000  # frames


def serve(send: Callable[[Any], None], receive: Callable[[], Any]) -> None:
    """Load the answer that comes first, then answer calls of its entries until the end."""
    message = receive()
    module = ModuleType("solution" if message["entries"] else "__main__")
    module.__dict__["__file__"] = f"{module.__name__}.py"
    sys.modules[module.__name__] = module
    try:
        code = compile(message["answer"], "<answer>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        send({"syntax": _described(error)})
        return
    problem = _loaded(code, module)
    if problem is not None:
        send({"raised": _raised(problem)})
        return
    send({"entries": _entries(module, message["entries"])})
    while True:
        call = receive()
        if "tests" in call:
            send(_run_together(module, call))
        else:
            send(_reply(module, call))


def _loaded(code: CodeType, module: ModuleType) -> BaseException | None:
    """Run the answer's own lines; gives what they raised. A program may leave with status 0."""
    program = module.__name__ == "__main__"
    try:
        exec(code, module.__dict__)  # noqa: S102 - this is the sandbox
    except BaseException as error:  # noqa: BLE001 - whatever hostile code raises
        if program and isinstance(error, SystemExit) and not error.code:
            return None
        if program and isinstance(error, SystemExit):
            sys.stderr.write("" if isinstance(error.code, int) else f"{error.code}\n")
        elif program and error.__traceback__ is not None:
            traceback.print_exception(error.with_traceback(error.__traceback__.tb_next))
        return error
    finally:
        _flush()
    return None


def _entries(module: ModuleType, names: list[str]) -> dict[str, Any]:
    """Say of each entry that it can be called, or its value, or (null) that it is missing."""
    found: dict[str, Any] = {}
    for name in names:
        if name in module.__dict__:
            value = module.__dict__[name]
            found[name] = ["callable"] if callable(value) else ["value", encode(value)]
        else:
            found[name] = None
    return found


def _reply(module: ModuleType, call: dict[str, Any]) -> dict[str, Any]:
    arguments = [decode(each) for each in call["args"]]
    named = {name: decode(each) for name, each in call["named"].items()}
    reply: dict[str, Any] = {"call": call["call"]}
    try:
        value = module.__dict__[call["name"]](*arguments, **named)
        with _room():
            reply["value"] = encode(value)
    except BaseException as error:  # noqa: BLE001 - whatever hostile code raises
        reply["raised"] = _raised(error)
    try:
        with _room():
            after = [encode(each) for each in (*arguments, *named.values())]
        if after != [*call["args"], *call["named"].values()]:
            reply["changed"] = after
    except BaseException as error:  # noqa: BLE001 - an argument may hold hostile objects by now
        reply = {"call": call["call"], "raised": _raised(error)}
    _flush()
    return reply


@contextmanager
def _room() -> Iterator[None]:
    """Leave room to look into a value nested deep, whatever limit the answer lives with."""
    own = sys.getrecursionlimit()
    sys.setrecursionlimit(max(own, _ROOM))
    try:
        yield
    finally:
        sys.setrecursionlimit(own)


def _run_together(module: ModuleType, call: dict[str, Any]) -> dict[str, Any]:
    """Run tests beside the answer: a weak judgement, asked for by the suite."""
    names = {**module.__dict__, "__name__": "tests"}
    try:
        for part in ("prelude", "tests"):
            code = compile(call[part], f"<{part}>", "exec", dont_inherit=True)
            exec(code, names)  # noqa: S102 - this is the sandbox
    except BaseException as error:  # noqa: BLE001 - whatever hostile code raises
        _flush()
        line = error.__traceback__
        while line is not None and line.tb_frame.f_code.co_filename != "<tests>":
            line = line.tb_next
        return {"raised": _raised(error), "line": line.tb_lineno if line else 0}
    _flush()
    return {"passed": True}


def _raised(error: BaseException) -> list[str]:
    """Name the nearest builtin type of an exception, its own type, and its text."""
    kinds = type.mro(type(error))
    builtin = next(each.__name__ for each in kinds if each.__module__ == "builtins")
    return [builtin, *_described(error)]


def _described(error: BaseException) -> list[str]:
    try:
        text = str(error)[:300]
    except BaseException:  # noqa: BLE001 - its own __str__ may be hostile
        text = ""
    return [type(error).__name__[:80], text]


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(BaseException):  # closed or replaced by the answer
            stream.flush()
