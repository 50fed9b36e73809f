"""llama.cpp's own HTTP server as a child process on a loopback port."""

import asyncio
import contextlib
import importlib.metadata
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from afere.domain import UsageError
from afere.endpoints.local.digest import check_gguf, gguf_digest
from afere.endpoints.wording import one_line

__all__ = ["LlamaServer", "LlamaSettings", "engine_version", "llama_endpoint"]

_ENGINE = "xllamacpp"
_PROGRAM = Path(__file__).with_name("serve.py")
_GRACE = 3.0  # seconds to leave by itself before it is killed
_LOG_TAIL = 4000
_ERROR = " E "  # the level of a line in the engine's log


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaSettings:
    """How a GGUF file is served.

    alias: the name under which the model answers. slots: calls answered at once.
    context: tokens of each slot. threads: None for the cores that are free. startup: seconds.
    """

    gguf: Path
    alias: str
    slots: int = 1
    context: int = 4096
    threads: int | None = None
    startup: float = 300.0


class LlamaServer:
    """Serves a GGUF file while it is open; an async context manager.

    It ends with us whatever happens: on leaving the context, on an error, on Ctrl-C, and when we
    are killed, since the child watches a pipe that closes with us.
    """

    def __init__(self, settings: LlamaSettings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._base_url = ""

    @property
    def base_url(self) -> str:
        """Where it answers, with `/v1`; empty before it runs."""
        return self._base_url

    @property
    def running(self) -> bool:
        """Whether the child process is alive."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        """The child's process id, None where there is none."""
        return self._process.pid if self._process is not None else None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    async def start(self) -> None:
        """Start the child and wait until it answers; raises UsageError where it does not."""
        engine_version()
        check_gguf(self._settings.gguf)
        self.stop()
        process = self._spawn()
        try:
            self._base_url = await self._ready(process)
        except BaseException:  # Ctrl-C and cancellation included: no child is left behind
            self.stop()
            raise

    def stop(self) -> None:
        """End the child at once; harmless where there is none."""
        process, log = self._process, self._log
        self._process = self._log = None
        self._base_url = ""
        if process is not None:
            _end(process)
        if log is not None:
            log.close()

    def _spawn(self) -> "subprocess.Popen[bytes]":
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by stop()
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            self._command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        return self._process

    def _command(self) -> list[str]:
        own = self._settings
        command = [
            sys.executable,
            "-P",
            str(_PROGRAM),
            "--gguf",
            str(own.gguf),
            "--alias",
            own.alias,
        ]
        command += ["--slots", str(own.slots), "--context", str(own.context)]
        return command if own.threads is None else [*command, "--threads", str(own.threads)]

    async def _ready(self, process: "subprocess.Popen[bytes]") -> str:
        """Wait for the child's line `ready URL`; give the base URL."""
        name = self._settings.gguf.name
        try:
            reading = asyncio.to_thread(_first_line, process)
            line = await asyncio.wait_for(reading, self._settings.startup)
        except TimeoutError as error:
            raise UsageError(
                f"the model {name} was not ready within {self._settings.startup:g} s\n"
                "take a smaller model, or allow it more time",
            ) from error
        word, _, url = line.decode("utf-8", "replace").strip().partition(" ")
        if word == "ready":
            return f"{url}/v1"
        _end(process)
        raise UsageError(
            f"the model {name} cannot be served: {_reason(self._tail())}\n"
            "check that the file is whole and that llama.cpp knows this kind of model",
        )

    def _tail(self) -> str:
        if self._log is None:
            return ""
        self._log.seek(0, 2)
        self._log.seek(max(0, self._log.tell() - _LOG_TAIL))
        return self._log.read().decode("utf-8", "replace")


def engine_version() -> str:
    """Give the engine's name and version; raises UsageError where it is not installed."""
    try:
        return f"{_ENGINE}-{importlib.metadata.version(_ENGINE)}"
    except importlib.metadata.PackageNotFoundError as error:
        raise UsageError(
            "local models need the engine llama, which is not installed\n"
            "install it with: pip install 'afere[local]'",
        ) from error


def llama_endpoint(gguf: Path) -> str:
    """Give what stands in a request's key for a local model: engine and weights, no port."""
    return f"llama:{engine_version()}:{gguf_digest(gguf)}"


def _reason(log: str) -> str:
    """Give the engine's first error, else its last line."""
    lines = [line for line in log.splitlines() if line.strip()]
    errors = [line.partition(_ERROR)[2] for line in lines if _ERROR in line]
    return one_line((errors or lines[-1:] or ["no reason told"])[0])


def _first_line(process: subprocess.Popen[bytes]) -> bytes:
    return process.stdout.readline() if process.stdout is not None else b""


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()  # the child leaves when it sees this
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
