"""One zygote seen from outside: started by exec with an empty environment, given task by task."""

import asyncio
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from afere.domain import SandboxError
from afere.sandbox.inside import wire
from afere.sandbox.inside.codec import FormatError
from afere.sandbox.inside.folders import empty
from afere.sandbox.inside.orders import Order, Setting

__all__ = ["Launch", "Worker"]

_HERE = Path(__file__).parent
_START = (
    "import sys; sys.path.insert(0, sys.argv[2]);"
    "from inside.zygote import main; del sys.path[0]; main(int(sys.argv[1]))"
)
_TO_START, _TO_LEAVE, _GRACE = 60.0, 2.0, 30.0
_LARGEST_VERDICT = 128 << 20
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a zygote is started.

    prefix: a program that starts the interpreter isolated (bubblewrap), with its arguments.
    tasks: after so many tasks the zygote is replaced; None for never.
    """

    setting: Setting
    python: str
    hash_seed: int = 0
    prefix: tuple[str, ...] = ()
    tasks: int | None = None


class Worker:
    """A running zygote. One task at a time; after any irregularity it is closed, not reused."""

    def __init__(self, launch: Launch) -> None:
        folder = None
        if not launch.setting.namespaces and not launch.prefix:
            folder = tempfile.mkdtemp(prefix="afere-")
            Path(folder).chmod(0o711)  # the task's own folder below is closed
            launch = replace(launch, setting=replace(launch.setting, folder=folder))
        self.launch, self.served = launch, 0
        self._folder = folder
        self._control, theirs = _pair()
        try:
            self._process = _spawn(launch, theirs)
        except OSError as error:
            self._control.close()
            raise SandboxError(f"the sandbox cannot be started: {error}") from error
        finally:
            theirs.close()

    @classmethod
    async def start(cls, launch: Launch) -> "Worker":
        """Start a zygote and wait until it is isolated; raises SandboxError with its reason."""
        worker = cls(launch)
        await worker._say_hello()
        return worker

    @property
    def spent(self) -> bool:
        """Whether it is to be replaced before the next task."""
        return self.launch.tasks is not None and self.served >= self.launch.tasks

    async def run(self, order: Order, message: Any) -> dict[str, Any]:
        """Give the judge's verdict on one task, when nothing of the task is alive any more.

        Raises SandboxError on a fault of the sandbox; the worker is closed then.
        """
        ours, theirs = _pair()
        finished = False
        self.served += 1
        try:
            async with asyncio.timeout(order.wall + _GRACE):
                socket.send_fds(self._control, [wire.pack(order.plain())], [theirs.fileno()])
                theirs.close()
                verdict = await self._verdict(ours, message)
                done = await _receive(self._control)
            finished = True
        except (OSError, EOFError, FormatError, TimeoutError) as error:
            raise SandboxError(f"the sandbox failed: {type(error).__name__} {error}") from error
        finally:
            ours.close()
            theirs.close()
            if not finished:
                self.close()
        return _of(verdict, done, order)

    def close(self) -> None:
        """End the zygote and all below it; it leaves by itself when its control ends."""
        self._control.close()
        try:
            self._process.wait(_TO_LEAVE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._folder is not None:
            empty(self._folder)
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _say_hello(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(_TO_START):
                await loop.sock_sendall(self._control, wire.pack(self.launch.setting.plain()))
                word = await _receive(self._control)
        except (OSError, EOFError, FormatError, TimeoutError) as error:
            self.close()
            raise SandboxError(f"the sandbox did not start: {type(error).__name__}") from error
        except BaseException:
            self.close()
            raise
        if word != {"ready": True}:
            self.close()
            raise SandboxError(f"the sandbox did not start: {word.get('fault', word)}")

    async def _verdict(self, task: socket.socket, message: Any) -> dict[str, Any] | None:
        """Give the verdict, None where the judge ended without one."""
        loop = asyncio.get_running_loop()
        try:
            await loop.sock_sendall(task, wire.pack(message))
            verdict = await _receive(task)
        except (EOFError, ConnectionError, FormatError):
            return None
        return verdict if isinstance(verdict, dict) else None


def _pair() -> tuple[socket.socket, socket.socket]:
    """Give both ends of a connection, ours for use in a loop."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)  # noqa: FBT003 - the standard library's signature
    return ours, theirs


def _spawn(launch: Launch, control: socket.socket) -> "subprocess.Popen[bytes]":
    """Start the interpreter with an empty environment, and nothing open but its control."""
    return subprocess.Popen(  # noqa: S603 - our own interpreter
        [*launch.prefix, *_command(launch.python, control.fileno())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PYTHONHASHSEED": str(launch.hash_seed), "LANG": "C.UTF-8"},
        pass_fds=(control.fileno(),),
        cwd="/",
    )


def _command(python: str, control: int) -> Sequence[str]:
    """Start without site packages, user folder, or paths from the environment."""
    return (python, "-s", "-S", "-P", "-c", _START, str(control), str(_HERE))


def _of(verdict: dict[str, Any] | None, done: Any, order: Order) -> dict[str, Any]:
    """Join what the judge and the zygote say."""
    how = done.get("done") if isinstance(done, dict) else None
    if verdict is not None and "fault" in verdict:
        raise SandboxError(f"the sandbox failed: {verdict['fault']}")
    if verdict is not None:
        return verdict
    if how == "memory":
        return {"failure": "memory", "message": f"all processes together passed {order.memory} B"}
    if how == "disk":
        return {"failure": "output", "message": "it wrote too much into its folder"}
    if how == "wall":
        return {"failure": "timeout", "message": "the tests did not end in time", "starved": True}
    raise SandboxError("the sandbox failed: its judge ended without a verdict")


async def _receive(sock: socket.socket) -> Any:
    """Give the one message that is on its way; raises EOFError where the other side is gone."""
    loop = asyncio.get_running_loop()
    came, whole = bytearray(), wire.HEADER
    while len(came) < whole:
        part = await loop.sock_recv(sock, max(_CHUNK, min(whole - len(came), 1 << 20)))
        if not part:
            raise EOFError
        came += part
        if whole == wire.HEADER <= len(came):
            whole += wire.size_of(bytes(came[: wire.HEADER]), _LARGEST_VERDICT)
    return wire.unpack(bytes(came[wire.HEADER : whole]))
