"""The sandbox of macOS, put on a process by itself: all that is not allowed is denied.

Written from the system's documentation, not tested: see docs/security.md.
"""

import ctypes
from collections.abc import Iterable

__all__ = ["children", "profile", "resident", "restrict"]

_ALWAYS = ("/usr/lib", "/usr/share", "/System/Library", "/Library/Apple", "/private/var/db/dyld")
_PROGRAMS = ("/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_TASK_INFO, _TASK_INFO_SIZE = 4, 96  # PROC_PIDTASKINFO: virtual size, resident size, …


def profile(readable: Iterable[str], writable: Iterable[str], *, programs: bool) -> str:
    """Give the rules: read the first paths, write the second, start programs or nothing."""
    read = [*_ALWAYS, *_DEVICES, *readable, *(_PROGRAMS if programs else ())]
    write = [*writable, "/dev/null"]
    lines = [
        "(version 1)",
        "(deny default)",
        "(allow sysctl-read)",
        "(allow file-read-metadata)",
        "(allow signal (target self))",
        *(f"(allow file-read* (subpath {_quoted(path)}))" for path in (*read, *write)),
        *(f"(allow file-write* (subpath {_quoted(path)}))" for path in write),
    ]
    if programs:
        lines += ["(allow process-fork)", "(allow signal (target children))"]
        lines += [f"(allow process-exec (subpath {_quoted(path)}))" for path in _PROGRAMS]
    return "\n".join(lines)


def restrict(rules: str) -> None:
    """Hold this process, and all that come of it, to the rules for good; raises OSError."""
    system = ctypes.CDLL("/usr/lib/libSystem.dylib")
    problem = ctypes.c_char_p()
    if system.sandbox_init(rules.encode("utf-8"), ctypes.c_uint64(0), ctypes.byref(problem)):
        raise OSError(f"the sandbox of the system refuses: {problem.value!r}")


def resident(process: int) -> int:
    """Give the bytes of memory that a process holds, 0 where it cannot be told."""
    system = ctypes.CDLL("/usr/lib/libSystem.dylib")
    buffer = (ctypes.c_uint64 * (_TASK_INFO_SIZE // 8))()
    got = system.proc_pidinfo(
        process, _TASK_INFO, ctypes.c_uint64(0), ctypes.byref(buffer), _TASK_INFO_SIZE
    )
    return int(buffer[1]) if got > 0 else 0


def children(process: int) -> list[int]:
    """Give the ids of a process's children."""
    system = ctypes.CDLL("/usr/lib/libSystem.dylib")
    buffer = (ctypes.c_int * 4096)()
    count = system.proc_listchildpids(process, ctypes.byref(buffer), ctypes.sizeof(buffer))
    return [each for each in buffer[: max(count, 0)] if each > 0]


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
