"""Landlock: the kernel's own allow-list of files, and no TCP, for a process and its children."""

import os
import struct
from collections.abc import Iterable
from pathlib import Path

from .kernel import no_new_privileges, system_call

__all__ = ["OLDEST", "SIGNALS_SCOPED", "restrict", "ruleset", "version"]

OLDEST = 3  # below, a file opened for reading could still be cut
SIGNALS_SCOPED = 6  # from here on signals cannot leave
_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_EXECUTE, _WRITE, _READ, _READ_FOLDER = 1, 2, 4, 8
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_MAKE_DEVICES = 1 << 6 | 1 << 11  # character and block
_ON_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_TCP = 3
_ABSTRACT_SOCKETS, _SIGNALS = 1, 2
_WITH_TCP, _WITH_IOCTL = 4, 5


def version() -> int:
    """Give the version of Landlock that the kernel offers, 0 for none."""
    try:
        return system_call("landlock", _CREATE, None, 0, 1)
    except OSError:
        return 0


def ruleset(readable: Iterable[str], writable: Iterable[str], *, signals: bool = False) -> int:
    """Give a descriptor of the rules: read and run the first, write the second, no TCP.

    signals: whether processes outside the rules may still be signalled.
    Paths that do not exist are passed over. Raises OSError where the kernel has no Landlock.
    """
    offered = version()
    every = (1 << 15) - 1 | (_IOCTL if offered >= _WITH_IOCTL else 0)
    tcp = _TCP if offered >= _WITH_TCP else 0
    scopes = _ABSTRACT_SOCKETS | (0 if signals else _SIGNALS)
    size = 24 if offered >= SIGNALS_SCOPED else 16 if tcp else 8
    rules = system_call(
        "landlock",
        _CREATE,
        struct.pack("QQQ", every, tcp, scopes)[:size],
        size,
        0,
    )
    for paths, access in (
        (readable, _READ | _READ_FOLDER | _EXECUTE),
        (writable, every & ~_MAKE_DEVICES),
    ):
        for path in paths:
            _add(rules, path, access & every)
    return rules


def restrict(rules: int) -> None:
    """Hold this process, and all that come of it, to the rules for good."""
    no_new_privileges()
    system_call("landlock_restrict_self", _RESTRICT, rules, 0)


def _add(rules: int, path: str, access: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        allowed = access if Path(path).is_dir() else access & _ON_FILES
        system_call("landlock_add_rule", _ADD_RULE, rules, 1, struct.pack("=Qi", allowed, place), 0)
    finally:
        os.close(place)
