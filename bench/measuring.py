"""What one command costs: time of the processor, its peak memory, and seconds on the clock."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Cost", "cpu_seconds", "instant", "measured"]

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """cpu: user and system seconds, children included. peak: MB. wall: seconds."""

    cpu: float
    peak: float
    wall: float


def measured(
    command: Sequence[object],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Cost:
    """Run a command to its end; raises CalledProcessError where it fails."""
    own = {**os.environ, **(environment or {})}
    own.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program has its bytecode
    own["PYTHONPATH"] = str(HERE.parent / "src")  # this tree is measured, whatever is installed
    words = [str(word) for word in command]
    begun = time.monotonic()
    with (
        tempfile.TemporaryFile("w+", errors="replace") as said,
        subprocess.Popen(
            words, cwd=folder, env=own, stdout=subprocess.DEVNULL, stderr=said
        ) as started,
    ):
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        if started.returncode:
            raise subprocess.CalledProcessError(started.returncode, words, stderr=said.read())
    peak = used.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)
    cpu = used.ru_utime + used.ru_stime
    return Cost(cpu=cpu, peak=peak, wall=time.monotonic() - begun)


def cpu_seconds(command: Sequence[object]) -> float:
    """Give the seconds of the processor that a command takes."""
    return measured(command).cpu


@contextmanager
def instant(latency: float = 0.0) -> Iterator[str]:
    """Run the instant server in another process; gives its base URL."""
    command = [sys.executable, str(HERE / "instant.py"), "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None  # noqa: S101 - it is piped
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()
