"""The zygote: a small interpreter, isolated once, that forks a judge for every task.

It never holds tests, answers or secrets. It ends when its control socket ends.
"""

import builtins
import gc
import os
import select
import signal
import socket
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from . import kernel, root, seatbelt, wire
from .candidate import standard_streams
from .confine import BOX, Locks, die_with_parent, warm
from .folders import empty, outgrown
from .judge import judge
from .orders import Order, Setting

__all__ = ["main"]

_GRACE = 12.0  # seconds beyond the wall limit: to start, and for the judge to stop by itself
_STEP, _LONG_STEP = 0.05, 0.2
_CHILD_SUBREAPER, _DUMPABLE = 36, 4


def main(control: int) -> NoReturn:
    """Isolate as told by the first message on `control`, say so, then serve tasks."""
    channel = socket.socket(fileno=control)
    try:
        setting = Setting.of(wire.receive(control))
        locks = _isolate(setting, channel)
    except Exception as error:  # noqa: BLE001 - the runner must know why
        wire.send(control, {"fault": f"{type(error).__name__}: {error}"[:500]})
        os._exit(1)
    gc.collect()
    gc.disable()
    gc.freeze()
    wire.send(control, {"ready": True})
    with suppress(ConnectionError):  # the runner is gone
        while True:
            _serve(locks, channel)
    _leave(setting)


def _isolate(setting: Setting, channel: socket.socket) -> Locks:
    real_root = False
    if setting.namespaces:
        child = root.enter(setting.visible)
        if child:
            channel.close()
            _keep(child)
        die_with_parent()
        _link_packages("/packages", setting)
        root.close_root()
    else:
        if sys.platform == "linux":
            kernel.prctl(_CHILD_SUBREAPER, 1)
        real_root = _leave_root(setting)
        if sys.platform == "linux":
            kernel.prctl(_DUMPABLE, 0)  # candidates may not look into it, nor into the judge
        Path(setting.folder, BOX).mkdir()
        _link_packages(f"{setting.folder}/packages", setting)
    if not setting.private and not setting.namespaces:
        os.chdir("/")
    for name in setting.preload:
        with suppress(ImportError):
            __import__(name)
    if setting.seccomp:
        kernel.bound_capabilities()
    locks = Locks.prepare(setting, real_root=real_root)
    standard_streams()
    warm(locks)
    vars(builtins).update(exit=sys.exit, quit=sys.exit)  # as in any interpreter with `site`
    os.environ.clear()
    os.environ.update(PATH="/usr/bin:/bin", LANG="C.UTF-8", OMP_NUM_THREADS="1")
    os.environ["HOME"] = "/tmp" if setting.namespaces else setting.folder  # noqa: S108 - its own
    return locks


def _keep(child: int) -> NoReturn:
    """Wait, outside the namespaces, for the zygote's end."""
    os.waitpid(child, 0)
    os._exit(0)


def _leave_root(setting: Setting) -> bool:
    """As root become an ordinary user where the interpreter stays readable; tell if still root."""
    if os.getuid() != 0 or not (setting.seccomp or setting.landlock):
        return False
    if root.closed_to_others(setting.visible):
        return True
    try:
        os.chown(setting.folder, root.NOBODY, root.NOBODY)
        root.become_nobody()
    except OSError:
        return True
    return False


def _link_packages(folder: str, setting: Setting) -> None:
    """Make the packages importable, and nothing else that lies beside them."""
    if not setting.packages:
        return
    Path(folder).mkdir()
    for path in setting.packages:
        Path(folder, Path(path).name).symlink_to(path)
    sys.path.append(folder)


def _serve(locks: Locks, channel: socket.socket) -> None:
    """Run one task in processes of its own; nothing of it is alive when `done` is said."""
    request, descriptors, _, _ = socket.recv_fds(channel, 1 << 16, 1)
    if not request or not descriptors:
        _leave(locks.setting)
    order = Order.of(wire.unpack(request[wire.HEADER :]))
    task = descriptors[0]
    work = root.WORK if locks.setting.namespaces else _new_folder(locks.setting)
    process = os.fork()
    if process == 0:
        channel.close()
        _judge(locks, order, task, work)
    os.close(task)
    done = _wait(process, order, channel, "" if locks.setting.namespaces else work)
    _sweep(namespaces=locks.setting.namespaces)
    if not locks.setting.namespaces:
        empty(f"{locks.setting.folder}/{BOX}")
    wire.send(channel.fileno(), {"done": done})


def _judge(locks: Locks, order: Order, task: int, work: str) -> NoReturn:
    try:
        judge(locks, order, task, work)
    except BaseException as error:  # noqa: BLE001 - a fault of ours is said, never scored
        with suppress(OSError):
            wire.send(task, {"fault": f"{type(error).__name__}: {error}"[:300]})
    os._exit(98)


def _new_folder(setting: Setting) -> str:
    return tempfile.mkdtemp(dir=f"{setting.folder}/{BOX}")


def _wait(process: int, order: Order, channel: socket.socket, folder: str) -> str:
    """Wait for the judge's end; gives `ended`, or the limit that was passed.

    That is `wall`, `memory` or, in a folder that no file system bounds, `disk`.
    """
    ended = _descriptor_of(process)
    try:
        control = channel.fileno()
        until = time.monotonic() + order.wall + _GRACE
        while True:
            left = until - time.monotonic()
            if left <= 0:
                return "wall"
            step = min(left, _STEP) if order.fork else min(left, _LONG_STEP) if folder else left
            readable, _, _ = select.select([ended, control], [], [], step)
            if ended in readable:
                return "ended"
            if control in readable:  # the runner is gone, or gives the task up
                return "given up"
            if order.fork and _resident() > order.memory:
                return "memory"
            if folder and outgrown(folder):
                return "disk"
    finally:
        os.close(ended)


def _descriptor_of(process: int) -> int:
    """Give a descriptor that can be read once a process has ended."""
    if sys.platform == "darwin":
        queue = select.kqueue()
        flags, note = select.KQ_EV_ADD, select.KQ_NOTE_EXIT
        queue.control([select.kevent(process, select.KQ_FILTER_PROC, flags, note)], 0)
        return os.dup(queue.fileno())
    return os.pidfd_open(process)


def _resident() -> int:
    """Give the bytes of memory that all processes below this one hold."""
    total, page = 0, os.sysconf("SC_PAGE_SIZE")
    for process in _below(os.getpid()):
        with suppress(OSError, IndexError, ValueError):
            total += int(Path(f"/proc/{process}/statm").read_bytes().split()[1]) * page
    return total


def _below(process: int) -> list[int]:
    """Give all processes below one, those higher up first."""
    found: list[int] = []
    waiting = [process]
    while waiting:
        each = waiting.pop(0)
        children = _children(each)
        found += children
        waiting += children
    return found


def _children(process: int) -> list[int]:
    if sys.platform == "darwin":
        return seatbelt.children(process)
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_bytes()
    except OSError:
        return []
    return [int(each) for each in text.split()]


def _sweep(*, namespaces: bool) -> None:
    """End all that came of a task and wait for it."""
    while True:
        if namespaces:
            with suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
        else:
            for process in _below(os.getpid()):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)  # one at a time: what it leaves behind becomes our child
        except ChildProcessError:
            return


def _leave(setting: Setting) -> NoReturn:
    if not setting.namespaces:
        empty(setting.folder)
        with suppress(OSError):  # its runner does it, if it is still there
            Path(setting.folder).rmdir()
    os._exit(0)
