"""System calls of Linux that Python has no function for, through ctypes."""

import ctypes
import functools
import os
import struct

__all__ = [
    "BIND",
    "NEW_ALL",
    "NEW_NS",
    "NEW_PID",
    "NODEV",
    "NOEXEC",
    "NOSUID",
    "PRIVATE",
    "RDONLY",
    "RECURSIVE",
    "REMOUNT",
    "bind_read_only",
    "bound_capabilities",
    "drop_capabilities",
    "mount",
    "no_new_privileges",
    "pivot_root",
    "prctl",
    "system_call",
    "unmount",
    "unshare",
]

NEW_NS, NEW_CGROUP, NEW_UTS, NEW_IPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
NEW_USER, NEW_PID, NEW_NET = 0x10000000, 0x20000000, 0x40000000
NEW_ALL = NEW_NS | NEW_CGROUP | NEW_UTS | NEW_IPC | NEW_USER | NEW_PID | NEW_NET
RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND = 1, 2, 4, 8, 32, 4096
RECURSIVE, PRIVATE = 16384, 1 << 18
_DETACH = 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_MOUNT_SETATTR = 442
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_CAPBSET_DROP, _CAP_AMBIENT, _AMBIENT_CLEAR, _NO_NEW_PRIVS = 24, 47, 4, 38
_CAPABILITY_VERSION = 0x20080522


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def system_call(what: str, number: int, *arguments: int | bytes | None) -> int:
    """Call the kernel by number; raises OSError that names `what`."""
    passed = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return _checked(_libc().syscall(ctypes.c_long(number), *passed), what)


def prctl(option: int, *arguments: int) -> int:
    """Call prctl; gives its result, -1 on failure."""
    values = [ctypes.c_ulong(each) for each in (*arguments, 0, 0, 0, 0)[:4]]
    result: int = _libc().prctl(option, *values)
    return result


def unshare(flags: int) -> None:
    """Leave namespaces."""
    _checked(_libc().unshare(flags), "unshare")


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """Mount a file system."""
    _checked(
        _libc().mount(
            source.encode() if source else None,
            target.encode(),
            kind.encode() if kind else None,
            ctypes.c_ulong(flags),
            data.encode() or None,
        ),
        f"mount {target}",
    )


def bind_read_only(source: str, target: str, *, device: bool = False) -> None:
    """Show a file or folder of the host at `target`, with all mounted below it, read-only.

    A device can be written to all the same; its mode and owner cannot be changed.
    """
    mount(source, target, None, BIND | RECURSIVE)
    flags = RDONLY | NOSUID | (0 if device else NODEV)
    readable_only = struct.pack("QQQQ", flags, 0, 0, 0)
    system_call(
        f"mount_setattr {target}",
        _MOUNT_SETATTR,
        _AT_FDCWD,
        target.encode(),
        _AT_RECURSIVE,
        readable_only,
        len(readable_only),
    )


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root, the former root appears at `old`."""
    number = _PIVOT_ROOT.get(os.uname().machine)
    if number is None:
        raise OSError(f"the processor {os.uname().machine} is not known to the sandbox")
    system_call("pivot_root", number, new.encode(), old.encode())


def unmount(target: str) -> None:
    """Take a mount off, lazily."""
    _checked(_libc().umount2(target.encode(), _DETACH), f"umount {target}")


def no_new_privileges() -> None:
    """Give up gaining privileges by exec, for good."""
    if prctl(_NO_NEW_PRIVS, 1):
        raise OSError("no_new_privs cannot be set")


def bound_capabilities() -> None:
    """Let no exec give a capability back, in this process and all that come of it."""
    for capability in range(64):
        if prctl(_CAPBSET_DROP, capability):
            break
    prctl(_CAP_AMBIENT, _AMBIENT_CLEAR)


def drop_capabilities() -> None:
    """Give up every capability that this process has."""
    header = struct.pack("II", _CAPABILITY_VERSION, 0)
    _checked(_libc().capset(header, bytes(24)), "capset")
