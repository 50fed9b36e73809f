"""The levels of isolation, from the strongest down: how each is started on this machine."""

import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from afere.domain import UsageError
from afere.sandbox.inside.orders import Setting
from afere.sandbox.mends import bubblewrap
from afere.sandbox.packages import modules_of, parts_of
from afere.sandbox.pool import Want
from afere.sandbox.worker import Launch

__all__ = ["LEVELS", "UNSAFE", "launcher"]

LEVELS = ("namespaces", "bubblewrap", "landlock", "seatbelt", "wasi")
UNSAFE = "none"
_AS_USER = ("--unshare-all", "--unshare-user", "--disable-userns")
# Root needs no user namespace, and inside it becomes an ordinary user.
_AS_ROOT = (
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
    *("--cap-add", "CAP_CHOWN", "--cap-add", "CAP_KILL"),
)
_PRELOAD = (
    *("bisect", "cmath", "collections", "copy", "dataclasses", "datetime", "decimal", "enum"),
    *("fractions", "functools", "hashlib", "heapq", "itertools", "json", "math", "operator"),
    *("random", "re", "statistics", "string", "threading", "typing"),
)


def launcher(level: str) -> Callable[[Want], Launch]:
    """Give what starts a zygote of a level; raises UsageError where the level is not known."""
    makers = {
        "namespaces": _namespaces,
        "bubblewrap": _bubblewrap,
        "landlock": _landlock,
        "seatbelt": _seatbelt,
        UNSAFE: _none,
    }
    if level not in makers:
        raise UsageError(f"there is no sandbox level {level!r}.\nThere are: {', '.join(makers)}")
    return makers[level]


def _namespaces(want: Want) -> Launch:
    return _launch(want, _setting(want, namespaces=True, landlock=_has_landlock()))


def _landlock(want: Want) -> Launch:
    return _launch(want, _setting(want, landlock=True))


def _seatbelt(want: Want) -> Launch:
    return _launch(want, _setting(want, seccomp=False, seatbelt=True))


def _none(want: Want) -> Launch:
    return _launch(want, _setting(want, seccomp=False))


def _bubblewrap(want: Want) -> Launch:
    setting = _setting(want, landlock=_has_landlock(), private=True)
    return _launch(want, setting, prefix=_bubblewrap_command(setting), tasks=1)


def _has_landlock() -> bool:
    from afere.sandbox.inside import landlock

    return sys.platform == "linux" and landlock.version() >= landlock.OLDEST


def _setting(  # noqa: PLR0913 - what a level is made of
    want: Want,
    *,
    namespaces: bool = False,
    landlock: bool = False,
    seccomp: bool = True,
    seatbelt: bool = False,
    private: bool = False,
) -> Setting:
    if "duckdb" in want.packages:
        _require_duckdb()
    packages = parts_of(want.packages)
    return Setting(
        namespaces=namespaces,
        landlock=landlock,
        seccomp=seccomp,
        seatbelt=seatbelt,
        private=private,
        folder="/tmp" if private else "",  # noqa: S108 - the sandbox's own
        visible=(_prefix(), *packages),
        packages=packages,
        preload=() if private else (*_PRELOAD, *modules_of(want.packages)),  # for one task: no
    )


def _require_duckdb() -> None:
    if find_spec("duckdb") is None:
        raise UsageError(
            "The engine duckdb needs an extra that is not installed.\n"
            "Type: pip install 'afere[duckdb]'",
        )


def _launch(
    want: Want, setting: Setting, *, prefix: tuple[str, ...] = (), tasks: int | None = None
) -> Launch:
    python = str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
    return Launch(
        setting=setting, python=python, hash_seed=want.hash_seed, prefix=prefix, tasks=tasks
    )


def _prefix() -> str:
    return str(Path(sys.base_prefix).resolve())


def _bubblewrap_command(setting: Setting) -> tuple[str, ...]:
    program = bubblewrap() or "bwrap"
    here = str(Path(__file__).parent)
    shown = [path for path in ("/usr", "/etc/alternatives", "/etc/ld.so.cache") if _there(path)]
    binds = [
        word for path in (*shown, here, *setting.visible) for word in ("--ro-bind", path, path)
    ]
    links = [
        word
        for path in ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
        for word in _as_is(path)
    ]
    return (
        program,
        *("--die-with-parent", "--new-session", "--as-pid-1"),
        *(_AS_USER if os.getuid() else _AS_ROOT),
        *("--proc", "/proc", "--dev", "/dev", "--size", str(64 << 20), "--tmpfs", "/tmp"),  # noqa: S108 - its own
        *_open_folders((*shown, here, *setting.visible)),
        *binds,
        *links,
        *("--remount-ro", "/", "--chdir", "/"),
    )


def _open_folders(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Make the folders above the paths enterable for an ordinary user."""
    above = {str(parent) for path in paths for parent in Path(path).parents} - {"/"}
    return tuple(
        word for path in sorted(above, key=len) for word in ("--perms", "0755", "--dir", path)
    )


def _there(path: str) -> bool:
    return Path(path).exists()


def _as_is(path: str) -> tuple[str, ...]:
    """Show a folder of the root the way it is: a link stays a link."""
    place = Path(path)
    if place.is_symlink():
        return ("--symlink", str(place.readlink()), path)
    return ("--ro-bind", path, path) if place.is_dir() else ()
