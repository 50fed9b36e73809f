"""A root folder built from nothing, in namespaces of its own: what is not named does not exist."""

import os
import socket
from collections.abc import Sequence
from pathlib import Path

from . import kernel
from .kernel import NODEV, NOEXEC, NOSUID, RDONLY

__all__ = [
    "NOBODY",
    "WORK",
    "become_nobody",
    "close_root",
    "closed_to_others",
    "enter",
    "mount_task",
    "step_down",
]

NOBODY = 65534
WORK = "/box/tmp"  # where a task's own folder is mounted; /tmp leads to it
_INSIDE_ID = 1000
_OLD = "/old"
_DEVICES = ("null", "zero", "full", "random", "urandom")
_ALWAYS = ("/usr", "/etc/alternatives", "/etc/ld.so.cache")
_LINKED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SHAPE = "size=1m,mode=755"
_DUMPABLE = 4


def enter(visible: Sequence[str]) -> int:
    """Leave all namespaces and build the root; gives 0 in the new process, there pid 1.

    In the calling process it gives the new process's id. As root it steps down first, since a
    limit on processes does not bind root. Raises OSError where the kernel refuses.
    """
    shown = _outermost([path for path in (*_ALWAYS, *visible) if Path(path).exists()])
    if os.getuid() == 0:
        step_down(shown)
    user, group = os.getuid(), os.getgid()
    kernel.unshare(kernel.NEW_ALL)
    Path("/proc/self/setgroups").write_text("deny", "ascii")
    Path("/proc/self/uid_map").write_text(f"{_INSIDE_ID} {user} 1", "ascii")
    Path("/proc/self/gid_map").write_text(f"{_INSIDE_ID} {group} 1", "ascii")
    child = os.fork()
    if child == 0:
        _build(shown)
    return child


def step_down(shown: Sequence[str]) -> None:
    """As root become an ordinary user to whom these paths, also under a closed home, are open.

    The closed folder is covered in a mount namespace of our own; nothing changes for others.
    """
    _open_to_all(shown)
    become_nobody()
    kernel.prctl(_DUMPABLE, 1)  # else its own /proc stays root's, and no namespace can be made


def become_nobody() -> None:
    """Give up being root, unless this namespace knows no other user (then we are no real root)."""
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError:
        if os.getuid() == 0 and _only_looks_like_root():
            return
        raise


def mount_task() -> None:
    """Give the task, in its own mount namespace, an empty work folder and its own /proc."""
    kernel.mount("tmpfs", WORK, "tmpfs", NOSUID | NODEV, "size=64m,nr_inodes=4096,mode=700")
    kernel.mount("proc", "/proc", "proc", NOSUID | NODEV | NOEXEC)


def closed_to_others(paths: Sequence[str]) -> bool:
    """Tell whether an ordinary user could not get to one of the paths."""
    return any(_barrier(path) is not None for path in paths)


def _outermost(paths: Sequence[str]) -> list[str]:
    return [
        path
        for path in dict.fromkeys(paths)
        if not any(str(parent) in paths for parent in Path(path).parents)
    ]


def _only_looks_like_root() -> bool:
    """Tell whether this user namespace knows one user, who is an ordinary one outside."""
    lines = Path("/proc/self/uid_map").read_text("ascii").splitlines()
    return len(lines) == 1 and lines[0].split()[0::2] == ["0", "1"] and lines[0].split()[1] != "0"


def _open_to_all(shown: Sequence[str]) -> None:
    closed: dict[str, list[str]] = {}
    for path in shown:
        barrier = _barrier(path)
        if barrier is not None:
            closed.setdefault(barrier, []).append(path)
    if not closed:
        return
    kernel.unshare(kernel.NEW_NS)
    kernel.mount("none", "/", None, kernel.RECURSIVE | kernel.PRIVATE)
    for barrier, paths in closed.items():
        places = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in paths]
        kernel.mount("tmpfs", barrier, "tmpfs", NOSUID | NODEV, _SHAPE)
        for path, place in places:
            _show(f"/proc/self/fd/{place}", path)
            os.close(place)


def _barrier(path: str) -> str | None:
    """Give the topmost folder on the way that others may not enter."""
    for folder in reversed(Path(path).parents):
        if not folder.stat().st_mode & 0o001:
            return str(folder)
    return None


def _build(shown: Sequence[str]) -> None:
    socket.sethostname("sandbox")
    kernel.mount("none", "/", None, kernel.RECURSIVE | kernel.PRIVATE)
    places = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in shown]
    devices = [(f"/dev/{name}", os.open(f"/dev/{name}", os.O_PATH)) for name in _DEVICES]
    links = {path: str(Path(path).readlink()) for path in _LINKED if Path(path).is_symlink()}
    folders = [path for path in _LINKED if Path(path).is_dir() and path not in links]
    places += [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in folders]
    root = "/tmp"  # noqa: S108 - covered in a namespace of our own
    kernel.mount("tmpfs", root, "tmpfs", NOSUID | NODEV, _SHAPE)
    for name in ("proc", "dev", "box", "box/tmp", "old"):
        Path(f"{root}/{name}").mkdir()
    Path(root, "tmp").symlink_to(WORK.lstrip("/"))
    Path(root, "dev", "shm").symlink_to(f"..{WORK}")
    Path(f"{root}/dev/fd").symlink_to("/proc/self/fd")
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        Path(f"{root}/dev/{name}").symlink_to(f"/proc/self/fd/{number}")
    for path, target in links.items():
        Path(root + path).symlink_to(target)
    for path, place in places:
        _show(f"/proc/self/fd/{place}", root + path)
    for path, place in devices:
        Path(root + path).touch()
        kernel.bind_read_only(f"/proc/self/fd/{place}", root + path, device=True)
    for _, place in (*places, *devices):
        os.close(place)
    os.chdir(root)
    kernel.pivot_root(".", _OLD.lstrip("/"))
    kernel.mount("proc", "/proc", "proc", NOSUID | NODEV | NOEXEC)
    kernel.unmount(_OLD)
    Path(_OLD).rmdir()
    os.chdir("/")


def close_root() -> None:
    """Make the root itself read-only, once all that belongs there is there."""
    kernel.mount(None, "/", None, kernel.REMOUNT | RDONLY | NOSUID | NODEV, _SHAPE)


def _show(source: str, target: str) -> None:
    if Path(source).is_dir():
        Path(target).mkdir(parents=True, exist_ok=True)
    else:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        Path(target).touch()
    kernel.bind_read_only(source, target)
