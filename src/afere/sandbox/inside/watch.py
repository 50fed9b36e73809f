"""The judge's ears: it waits for the candidate, drains its output, and ends it at a limit."""

import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from . import seatbelt, wire
from .codec import FormatError
from .ended import Ended
from .orders import Order

__all__ = ["Watch", "busy"]

KEPT = 64 << 10  # bytes of what a candidate printed
_STEP, _FIRST_STEP = 0.1, 0.02
_CHUNK = 1 << 16
_TO_START = 10.0
_LATE = 0.2  # seconds that the limit on the candidate is given before the judge is stopped


class Watch:
    """Speaks with one candidate under its limits, from the moment it said that it is ready."""

    def __init__(self, process: int, channel: int, outputs: Sequence[int], order: Order) -> None:
        self.process, self.channel, self.order = process, channel, order
        self.printed: dict[int, bytearray] = {each: bytearray() for each in outputs}
        self.kept = KEPT if order.kind != "shell" else order.output
        self.ended: Ended | None = None
        self.starved = False
        self.wall = order.wall
        self.begin = time.monotonic()
        self._open = list(outputs)
        self._bytes = 0
        self._buffer = bytearray()
        self._step = _FIRST_STEP
        self._schedule = _opened(f"/proc/{process}/schedstat")
        self._load = _opened("/proc/loadavg")
        for each in (*outputs, channel):
            os.set_blocking(each, False)

    def first_word(self) -> Any:
        """Give what the candidate says once it is locked in: its time runs from then on."""
        self.wall = _TO_START
        word = self.receive()
        self.begin, self.wall = time.monotonic(), self.order.wall
        return word

    def send(self, message: Any) -> None:
        """Say something to the candidate; raises Ended where it is gone or at a limit."""
        left = memoryview(wire.pack(message))
        while left:
            try:
                left = left[os.write(self.channel, left) :]
            except BlockingIOError:
                self._wait(writing=True)
            except OSError:
                self._gone()

    def receive(self) -> Any:
        """Give the candidate's next message; raises Ended where none comes."""
        try:
            return wire.read(self._exactly)
        except FormatError as error:
            raise self.end("crash", f"the reply cannot be read: {error}") from None
        except MemoryError:
            raise self.end("output", "the value given back is too large") from None

    @contextmanager
    def deadline(self) -> Iterator[None]:
        """Raise Ended in the judge's own work too, where it goes on past the wall limit.

        A hostile value can keep the tests busy: they are stopped, again and again if need be.
        """
        judging = True

        def late(*_: object) -> None:
            if judging:
                raise self.end("timeout", f"the tests did not end in {self.order.wall:g} s")

        signal.signal(signal.SIGALRM, late)
        left = self.begin + self.order.wall - time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, max(left, 0) + _LATE, _STEP)
        try:
            yield
        finally:
            judging = False
            signal.setitimer(signal.ITIMER_REAL, 0)

    def wait_for_end(self) -> int:
        """Wait until the candidate's process has ended by itself; gives its wait status."""
        with suppress(Ended):
            while True:
                self._exactly(1)
        if self.ended is not None and self.ended.failure != "crash":
            raise self.ended
        status = self.finish()
        self.ended = None
        return status

    def end(self, failure: str, message: str) -> Ended:
        """Note why the candidate is at its end, and end it."""
        if self.ended is None:
            self.ended = Ended(failure, message)
            self.starved = failure == "timeout" and self._was_starved()
        with suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        return self.ended

    def finish(self) -> int:
        """End the candidate, take what is left of its output, give its wait status."""
        with suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        _, status = os.waitpid(self.process, 0)
        self._drain(self._open)
        return status

    def _exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._wait()
            try:
                part = os.read(self.channel, max(_CHUNK, min(size - len(self._buffer), 1 << 20)))
            except BlockingIOError:
                continue
            except OSError:
                part = b""
            if not part:
                self._gone()
            self._buffer += part
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    def _wait(self, *, writing: bool = False) -> None:
        """Wait until the channel has something, draining output; raises Ended at a limit."""
        if self.ended is not None:
            raise self.ended
        step = self._step
        while True:
            read = self._open if writing else [self.channel, *self._open]
            readable, writable, _ = select.select(read, [self.channel] if writing else [], [], step)
            self._drain([each for each in readable if each != self.channel])
            self._check()
            if writable or self.channel in readable:
                return
            step = _STEP

    def _drain(self, readable: Sequence[int]) -> None:
        for each in list(readable):
            while each in self._open:
                try:
                    part = os.read(each, 1 << 16)
                except BlockingIOError:
                    break
                if not part:
                    self._open.remove(each)
                    break
                self._keep(each, part)

    def _keep(self, output: int, part: bytes) -> None:
        room = self.kept - len(self.printed[output])
        self.printed[output] += part[: max(0, room)]
        self._bytes += len(part)
        if self._bytes > self.order.output and self.ended is None:
            self._open.clear()
            self.end("output", f"more than {self.order.output} bytes were printed")

    def _check(self) -> None:
        if self.ended is None:
            if time.monotonic() - self.begin > self.wall:
                self.end("timeout", f"it did not end in {self.wall:g} s")
            elif sys.platform == "darwin" and seatbelt.resident(self.process) > self.order.memory:
                self.end("memory", f"it held more than {self.order.memory} bytes")
            elif self._cpu() > self.order.cpu:
                self.end("timeout", f"it used more than {self.order.cpu:g} s of processor time")
        if self.ended is not None:
            raise self.ended

    def _cpu(self) -> float:
        """Give the processor time that the candidate's process has used."""
        if sys.platform != "linux":
            return 0.0  # the kernel's own limit ends it
        clock = (~self.process << 3) | 2  # the clock of another process
        try:
            return time.clock_gettime(clock)
        except OSError:
            return 0.0

    def _was_starved(self) -> bool:
        """Tell whether the process, ready to run, had to wait for a processor for long.

        A shell works in processes of its own: for it the load of the machine is asked.
        """
        if self.order.execute:
            return self._load is None or busy(os.pread(self._load, 100, 0))
        if self._schedule is None:
            return True
        try:
            waited = os.pread(self._schedule, 100, 0).split()[1]
        except (OSError, IndexError):
            return True
        return int(waited) / 1e9 > 0.1 * self.order.wall

    def _gone(self) -> NoReturn:
        raise self.end("crash", "the program ended before it had answered")


def busy(load: bytes) -> bool:
    """Tell from /proc/loadavg whether more was to be done than there are processors."""
    return float(load.split()[0]) > (os.cpu_count() or 1)


def _opened(path: str) -> int | None:
    """Open a file now, while the judge may still read it."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
