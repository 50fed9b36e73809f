"""The judge's process: it makes the verdict from plain data, where no candidate's code ever ran.

The candidate is forked before the judge reads tests and expected values, so neither is in the
candidate's memory, descriptors or files.
"""

import os
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Any, NoReturn

from . import candidate, kernel, wire
from .codec import encode
from .confine import CHANNEL, Locks, confine_judge, keep_only
from .ended import Ended
from .folders import read_folder
from .orders import Order
from .trial import try_python
from .watch import Watch

__all__ = ["judge"]

_DEEP = 4000  # frames: room for values nested as deep as the codec allows


def judge(locks: Locks, order: Order, task: int, work: str) -> NoReturn:
    """Start the candidate, judge it, say the verdict on `task`; never returns."""
    if locks.setting.namespaces:
        kernel.unshare(kernel.NEW_PID | kernel.NEW_NS)  # no call that shares memory is allowed
    ours, theirs = socket.socketpair()
    pipes = [os.pipe()] if order.kind != "shell" else [os.pipe(), os.pipe()]
    process = os.fork()
    if process == 0:
        ours.close()
        os.close(task)
        writers = (pipes[0][1], pipes[-1][1])
        _be_candidate(locks, order, work, theirs.detach(), writers)
    theirs.close()
    for _, writer in pipes:
        os.close(writer)
    watch = Watch(process, ours.fileno(), [reader for reader, _ in pipes], order)
    confine_judge(locks, order, process)
    sys.setrecursionlimit(_DEEP)
    verdict = _verdict(watch, order, task, work)
    wire.send(task, verdict)
    os._exit(0)


def _be_candidate(
    locks: Locks, order: Order, work: str, channel: int, writers: tuple[int, int]
) -> NoReturn:
    keep_only(channel, writers, locks.candidate_rules(order.kind))
    try:
        candidate.live(locks, order, work)
    except BaseException as error:  # noqa: BLE001 - said to the judge: it decides whose fault
        with suppress(OSError):
            wire.send(CHANNEL, {"fault": f"{type(error).__name__}: {error}"[:300]})
    os._exit(97)


def _verdict(watch: Watch, order: Order, task: int, work: str) -> dict[str, Any]:
    first = _first_word(watch)
    if first is not None:
        watch.finish()
        return {"fault": first}
    message = wire.receive(task)
    if order.kind == "shell":
        found = _shell(watch, message, work)
    else:
        conduct = try_python if order.kind == "python" else _program
        try:
            with watch.deadline():
                found = conduct(watch, message)
        except Ended as end:
            found = {"failure": end.failure, "message": end.message}
        status = watch.finish()
        _explain(found, watch, status)
    seconds = time.monotonic() - watch.begin
    return {
        **found,
        "output": {"b": bytes(b"".join(watch.printed.values())[: 64 << 10]).hex()},
        "seconds": {"f": seconds.hex()},
        "starved": watch.starved,
    }


def _first_word(watch: Watch) -> str | None:
    """Wait for the candidate to be locked in; gives the fault where it is not."""
    try:
        word = watch.first_word()
    except Ended as end:
        return f"the candidate did not start: {end.message}"
    if word == {"ready": True}:
        return None
    return str(word.get("fault", word))[:300] if isinstance(word, dict) else "no first word"


def _program(watch: Watch, message: dict[str, Any]) -> dict[str, Any]:
    """Pass a SQL query or a regular expression on; the values go to the runner as they are."""
    watch.send(message)
    reply = watch.receive()
    if isinstance(reply, dict) and "value" in reply:
        return {"failure": None, "message": "", "value": reply["value"]}
    raised = reply.get("raised") if isinstance(reply, dict) else None
    if not (isinstance(raised, list) and len(raised) == 3 and all(type(x) is str for x in raised)):  # noqa: PLR2004
        raise watch.end("crash", "the reply cannot be read")
    kind, name, text = raised
    failure = "memory" if kind == "MemoryError" else "exception"
    return {"failure": failure, "message": f"{name}: {text}"[:300]}


def _shell(watch: Watch, message: dict[str, Any], work: str) -> dict[str, Any]:
    try:
        watch.send(message)
        laid = watch.receive()  # no hostile command has run yet
        if laid != {"laid": True}:
            watch.finish()
            return {"failure": None, "message": "", "fault": f"no folder: {laid}"[:300]}
        status = watch.wait_for_end()
    except Ended as end:
        status = watch.finish()
        found: dict[str, Any] = {"failure": end.failure, "message": end.message}
        _explain(found, watch, status)
        return found
    if not os.WIFEXITED(status):
        return {"failure": "crash", "message": f"ended by signal {os.WTERMSIG(status)}"}
    files, problem = read_folder(work)
    return {
        "failure": "output" if problem else None,
        "message": problem,
        "status": os.WEXITSTATUS(status),
        "stdout": encode(bytes(watch.printed[min(watch.printed)])),
        "files": encode(files),
    }


def _explain(found: dict[str, Any], watch: Watch, status: int) -> None:
    """Say of a candidate that ended by itself what ended it."""
    if found["failure"] != "crash" or watch.ended is None:
        return
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            found["failure"] = "timeout"
        elif number != signal.SIGKILL:
            found["message"] = f"the program was ended by {signal.Signals(number).name}"
    elif os.WIFEXITED(status):
        code = os.WEXITSTATUS(status)
        found["message"] = f"the program left by itself (exit status {code})"
