"""Tries a Python answer: the suite's tests run here and reach the answer through stubs alone."""

import builtins
import reprlib
import sys
import traceback
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .codec import FormatError, decode, encode, foreign
from .ended import Ended, Line

__all__ = ["CandidateError", "try_python"]

_SHORT = 300
_Found = dict[str, Any]


class CandidateError(Exception):
    """An exception of the answer whose type the tests cannot know."""


class _Foreign(BaseException):
    """Tests hand over what cannot cross. Not an Exception: no test is to swallow it."""


class _Answer:
    """The answer as the tests see it: names that call into the candidate's process.

    foreign: the type of what the tests handed over and cannot cross, None where all did.
    """

    def __init__(self, line: Line, tests: str) -> None:
        self.line = line
        self.calls = 0
        self.raised: BaseException | None = None
        self.foreign: str | None = None
        self._may_stop = "StopIteration" in tests

    def stub(self, name: str) -> Callable[..., Any]:
        """Give a function that calls the entry in the candidate's process."""

        def entry(*arguments: Any, **named: Any) -> Any:
            return self._call(name, arguments, named)

        entry.__name__ = entry.__qualname__ = name
        return entry

    def _call(self, name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        values = (*arguments, *named.values())
        self.foreign = self.foreign or next(filter(None, map(foreign, values)), None)
        if self.foreign is not None:
            raise _Foreign
        self.calls += 1
        self.line.send(
            {
                "call": self.calls,
                "name": name,
                "args": [encode(each) for each in arguments],
                "named": {key: encode(each) for key, each in named.items()},
            },
        )
        reply = self.line.receive()
        try:
            if reply["call"] != self.calls:
                raise FormatError("a reply to another call")
            if "changed" in reply:
                _copy_back(values, reply["changed"])
            if "raised" not in reply:
                return decode(reply["value"])
            builtin, own, text = map(_text, reply["raised"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self.line.end("crash", f"the reply cannot be read: {error}") from None
        except MemoryError:
            raise self.line.end("output", "the value given back is too large") from None
        self.raised = self._exception(builtin, own, text)
        raise self.raised

    def _exception(self, builtin: str, own: str, text: str) -> BaseException:
        kind = getattr(builtins, builtin, None)
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            return CandidateError(f"{own}: {text}")
        if not issubclass(kind, Exception):
            return self.line.end("exception", f"{own}: {text}"[:_SHORT])
        if issubclass(kind, StopIteration | StopAsyncIteration) and not self._may_stop:
            return RuntimeError(f"the answer raised {own}")  # else `map` and `all` end quietly
        try:
            raised: BaseException = kind(text) if own == builtin else kind(f"{own}: {text}")
        except TypeError:  # UnicodeDecodeError and the like want more than a text
            raised = CandidateError(f"{own}: {text}")
        return raised


def try_python(line: Line, message: dict[str, Any]) -> _Found:
    """Load the answer in the candidate, then run tests or cases; gives failure and message."""
    entries = message["entries"]
    line.send({"answer": message["answer"], "entries": entries})
    reply = line.receive()
    try:
        if "syntax" in reply:
            return _failed("syntax", ": ".join(map(_text, reply["syntax"])))
        if "raised" in reply:
            builtin, own, text = map(_text, reply["raised"])
            return _failed(_kind_of(builtin), f"{own}: {text}" if text else own)
        answer = _Answer(line, message["tests"] + message["prelude"])
        names = _names(answer, entries, reply["entries"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise line.end("crash", "the reply cannot be read") from None
    missing = [name for name in entries if name not in names]
    if missing:
        return _failed("exception", f"the answer does not define {missing[0]}")
    if message["together"]:
        return _together(line, message["prelude"], message["tests"])
    return _judged(answer, message, names)


def _names(answer: _Answer, entries: list[str], reply: dict[str, Any]) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for name in entries:
        found = reply[name]
        if found is not None:
            names[name] = answer.stub(name) if found[0] == "callable" else decode(found[1])
    return names


def _judged(answer: _Answer, message: dict[str, Any], names: dict[str, Any]) -> _Found:
    module = ModuleType("solution")
    module.__dict__.update(names)
    sys.modules["solution"] = module
    scope: dict[str, Any] = {"__name__": "tests"}
    try:
        if message["prelude"]:
            exec(compile(message["prelude"], "<prelude>", "exec", dont_inherit=True), scope)  # noqa: S102 - the suite's tests, in the sandbox
        scope.update(names)
        if message["tests"]:
            exec(compile(message["tests"], "<tests>", "exec", dont_inherit=True), scope)  # noqa: S102 - the suite's tests, in the sandbox
        cases = decode(message["cases"])
        found = _cases(names[message["entries"][0]], cases) if cases else None
    except Ended:
        raise
    except AssertionError as error:
        if error is answer.raised:  # the answer's own
            found = _failed("exception", _joined(_named(error), _where(error, message["tests"])))
        else:
            found = _failed("assertion", _where(error, message["tests"]))
    except MemoryError as error:
        found = _failed("memory", _named(error))
    except BaseException as error:  # noqa: BLE001 - tests may raise anything
        found = _failed("exception", _joined(_named(error), _where(error, message["tests"])))
    if answer.foreign is not None:
        handed = f"the tests hand over a value of type {answer.foreign}, which cannot cross"
        return {**_failed("exception", handed), "together": True}
    if answer.line.ended is not None:  # the tests may have swallowed it
        raise answer.line.ended
    return found or {"failure": None, "message": ""}


def _cases(entry: Callable[..., Any], cases: list[Any]) -> _Found | None:
    """Compare each call's value with the expected one; gives the first that differs."""
    for number, (arguments, expected) in enumerate(cases, 1):
        shown = _shown(arguments)[1:-1].rstrip(",")
        try:
            value = entry(*arguments)
        except Exception as error:  # noqa: BLE001 - raised again in the candidate's name
            return _failed(
                "memory" if isinstance(error, MemoryError) else "exception",
                f"case {number}, ({shown}): {_named(error)}",
            )
        if not _same(value, expected):
            return _failed(
                "assertion",
                f"case {number}, ({shown}): gave {_shown(value)}, expected {_shown(expected)}",
            )
    return None


def _same(value: Any, expected: Any) -> bool:
    """Tell whether two plain values are equal; NaN equals NaN."""
    return bool(value == expected) or (value != value and expected != expected)  # noqa: PLR0124


def _together(line: Line, prelude: str, tests: str) -> _Found:
    line.send({"prelude": prelude, "tests": tests})
    reply = line.receive()
    if reply == {"passed": True}:
        return {"failure": None, "message": ""}
    try:
        builtin, own, text = map(_text, reply["raised"])
        place = _line(tests, reply["line"])
    except (KeyError, TypeError, ValueError):
        raise line.end("crash", "the reply cannot be read") from None
    return _failed(_kind_of(builtin), _joined(f"{own}: {text}" if text else own, place))


def _copy_back(arguments: tuple[Any, ...], changed: Any) -> None:
    """Show the tests what the answer did to its arguments."""
    for ours, form in zip(arguments, changed, strict=True):
        theirs = decode(form)
        if (type(ours) is list and type(theirs) is list) or (
            type(ours) is bytearray and type(theirs) is bytearray
        ):
            ours[:] = theirs
        elif type(ours) in {dict, set} and type(theirs) is type(ours):
            ours.clear()
            ours.update(theirs)


def _kind_of(builtin: str) -> str:
    kinds = {"AssertionError": "assertion", "MemoryError": "memory"}
    return kinds.get(builtin, "exception")


def _where(error: BaseException, tests: str) -> str:
    """Give the line of the tests at which they stopped."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == "<tests>"
    ]
    text = f"{error}" if isinstance(error, AssertionError) and str(error) else ""
    line = _line(tests, lines[-1]) if lines else ""
    return _joined(line, text)


def _joined(*texts: str) -> str:
    return "; ".join(each for each in texts if each)


def _line(tests: str, number: Any) -> str:
    lines = tests.splitlines()
    known = type(number) is int and 0 < number <= len(lines)
    return lines[number - 1].strip() if known else ""


def _named(error: BaseException) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _failed(failure: str, message: str) -> _Found:
    return {"failure": failure, "message": " ".join(message.split())[:_SHORT]}


def _text(value: Any) -> str:
    if type(value) is not str:
        raise FormatError("a text is due")
    return value[:_SHORT]


def _shown(value: Any) -> str:
    try:
        return reprlib.repr(value)
    except Exception:  # noqa: BLE001 - an integer too long to be written
        return f"<{type(value).__name__}>"
