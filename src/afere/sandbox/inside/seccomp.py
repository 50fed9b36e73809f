"""The filter of system calls: what a sandboxed process may not ask of the kernel.

Tables for x86-64 and arm64. Calls newer than the tables are answered "not implemented"; so is
`clone3`, whose flags a filter cannot see (the C library then falls back to `clone`).
"""

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from .kernel import NEW_ALL, no_new_privileges, prctl

__all__ = ["Rules", "install", "program"]

# name: (x86-64, arm64); None where the processor has no such call
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_setup": (206, 0),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "personality": (135, 92),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "acct": (163, 89),
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "lookup_dcookie": (212, 18),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "vhangup": (153, 58),
    "syslog": (103, 116),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "semctl": (66, 191),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}
# Without a mount namespace the host's files stay in reach, and Landlock does not judge these.
_METADATA: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}
# Without a process namespace the user's other processes stay in reach.
_OTHERS: dict[str, tuple[int | None, int | None]] = {
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
}
_SIGNALS: dict[str, tuple[int | None, int | None]] = {
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
}
_FORK: dict[str, tuple[int | None, int | None]] = {"fork": (57, None), "vfork": (58, None)}
_EXEC: dict[str, tuple[int | None, int | None]] = {"execve": (59, 221), "execveat": (322, 281)}
_CLONE, _CLONE3, _SOCKETPAIR, _PRLIMIT = (56, 220), (435, 435), (53, 199), (302, 261)
_FCNTL, _IOCTL = (72, 25), (16, 29)
# A descriptor's owner gets a signal of the caller's choice: F_SETOWN, F_SETSIG, F_SETOWN_EX. And a
# lease holds up others who open the file, a watch tells of them: F_SETLEASE, F_NOTIFY.
_OWNER_OF_DESCRIPTOR = (8, 10, 15, 1024, 1026)
# The same by ioctl (FIOSETOWN, SIOCSPGRP), and typing into a terminal (TIOCSTI, TIOCLINUX).
_OWNER_OF_TERMINAL = (0x8901, 0x8902, 0x5412, 0x541C)
_NEWEST = 466  # calls above are not known to these tables

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32 = 0x40000000
_LOAD, _EQUAL, _GREATER, _ANY_BIT, _MASK, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x54, 0x06
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_AT_NUMBER, _AT_ARCHITECTURE, _AT_ARGUMENT = 0, 4, 16
_CLONE_THREAD = 0x10000
_AF_UNIX, _STREAM, _SEQPACKET, _KIND_OF_SOCKET = 1, 1, 5, 0xF
_SET_SECCOMP, _MODE_FILTER = 22, 2


@dataclass(frozen=True)
class Rules:
    """What is allowed beside the calls that nobody may make.

    alone: whether a process namespace holds only the task's own processes; if not, no call may
        touch another process.
    signals_to: the only processes that signals may reach; None where something else bounds them.
    metadata: whether modes, owners and times of files may be changed.
    """

    fork: bool = False
    threads: bool = True
    execute: bool = False
    alone: bool = True
    signals_to: tuple[int, ...] | None = None
    metadata: bool = True


_Instruction = tuple[int, int, int, int]


def program(rules: Rules) -> bytes:
    """Give the filter's instructions; raises OSError on a processor that the tables lack."""
    column, architecture = _architecture()
    code: list[_Instruction] = [
        (_LOAD, 0, 0, _AT_ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _AT_NUMBER),
    ]
    if column == 0:
        code += [(_GREATER, 0, 1, _X32 - 1), (_RETURN, 0, 0, _KILL)]
    code += [(_GREATER, 0, 1, _NEWEST), _error(errno.ENOSYS)]
    code += _refused([_CLONE3[column]], errno.ENOSYS)
    code += _clone(_CLONE[column], rules)
    code += _socketpair(_SOCKETPAIR[column])
    if rules.signals_to is not None:
        for pair in _SIGNALS.values():
            code += _first_among(pair[column], rules.signals_to)
    if not rules.alone:
        code += _first_among(_PRLIMIT[column], (0, *(rules.signals_to or ())))
        code += _second_not(_FCNTL[column], _OWNER_OF_DESCRIPTOR)
        code += _second_not(_IOCTL[column], _OWNER_OF_TERMINAL)
    code += _refused(_numbers(column, rules), errno.EPERM)
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *each) for each in code)


def install(instructions: bytes) -> None:
    """Put the filter on this process and all that come of it, for good."""
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    head = struct.pack("HxxxxxxQ", len(instructions) // 8, ctypes.addressof(buffer))
    whole = ctypes.create_string_buffer(head, len(head))
    no_new_privileges()
    if prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(whole)):
        raise OSError("the kernel refuses the filter of system calls")


def _architecture() -> tuple[int, int]:
    machine = os.uname().machine
    if machine not in _ARCHITECTURES or sys.byteorder != "little" or sys.maxsize < 1 << 32:
        raise OSError(f"the processor {machine} is not known to the sandbox")
    return _ARCHITECTURES[machine]


def _numbers(column: int, rules: Rules) -> list[int]:
    tables = [_REFUSED]
    if not rules.fork:
        tables.append(_FORK)
    if not rules.execute:
        tables.append(_EXEC)
    if not rules.metadata:
        tables.append(_METADATA)
    if not rules.alone:
        tables.append(_OTHERS)
    every = [pair[column] for table in tables for pair in table.values()]
    return [number for number in every if number is not None]


def _error(number: int) -> _Instruction:
    return (_RETURN, 0, 0, _ERROR | number)


def _refused(numbers: Sequence[int], error: int) -> list[_Instruction]:
    """Answer these calls with an error; the accumulator holds the call's number throughout."""
    return [step for each in numbers for step in ((_EQUAL, 0, 1, each), _error(error))]


def _clone(number: int, rules: Rules) -> list[_Instruction]:
    """Look at clone's flags: never a namespace, and a process only where fork is allowed."""
    body: list[_Instruction] = [
        (_LOAD, 0, 0, _AT_ARGUMENT),
        (_ANY_BIT, 0, 1, NEW_ALL),
        _error(errno.EPERM),
    ]
    if not rules.fork:
        body += [(_ANY_BIT, 1, 0, _CLONE_THREAD), _error(errno.EPERM)]
    body.append((_RETURN, 0, 0, _ALLOW) if rules.threads else _error(errno.EAGAIN))
    return [(_EQUAL, 0, len(body), number), *body]


def _socketpair(number: int) -> list[_Instruction]:
    """Allow pairs that are connected for good: a datagram socket could send to any address."""
    body: list[_Instruction] = [
        (_LOAD, 0, 0, _AT_ARGUMENT),
        (_EQUAL, 1, 0, _AF_UNIX),
        _error(errno.EPERM),
        (_LOAD, 0, 0, _AT_ARGUMENT + 8),
        (_MASK, 0, 0, _KIND_OF_SOCKET),
        (_EQUAL, 2, 0, _STREAM),
        (_EQUAL, 1, 0, _SEQPACKET),
        _error(errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return [(_EQUAL, 0, len(body), number), *body]


def _first_among(number: int | None, allowed: tuple[int, ...]) -> list[_Instruction]:
    """Let a call's first argument be one of these only."""
    body: list[_Instruction] = [(_LOAD, 0, 0, _AT_ARGUMENT)]
    body += [(_EQUAL, len(allowed) - place, 0, each) for place, each in enumerate(allowed)]
    body += [_error(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
    return [(_EQUAL, 0, len(body), number or 0), *body]


def _second_not(number: int, refused: tuple[int, ...]) -> list[_Instruction]:
    """Refuse a call whose second argument is one of these."""
    body: list[_Instruction] = [(_LOAD, 0, 0, _AT_ARGUMENT + 8)]
    body += [step for each in refused for step in ((_EQUAL, 0, 1, each), _error(errno.EPERM))]
    body.append((_RETURN, 0, 0, _ALLOW))
    return [(_EQUAL, 0, len(body), number), *body]
