"""Puts the limits and locks of a level on a process, in the one order that works."""

import functools
import math
import os
import resource
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from . import kernel, landlock, root, seatbelt, seccomp
from .orders import Order, Setting

__all__ = [
    "BOX",
    "CHANNEL",
    "Locks",
    "confine_candidate",
    "confine_judge",
    "die_with_parent",
    "keep_only",
    "warm",
]

BOX = "box"  # in a zygote's folder, without namespaces: all that its tasks may write
CHANNEL = 3  # the descriptor on which the candidate speaks with its judge
THREADS = 32  # of a candidate that may not fork
JUDGE_MEMORY = 2 << 30
_PDEATHSIG, _SIGKILL, _DUMPABLE = 1, 9, 4
_NO_CORE = 1  # with 0 the kernel would still hand a core to a program of the host
_HIGHEST_DESCRIPTOR = 1 << 20


@dataclass(frozen=True)
class Locks:
    """What a zygote prepares once for all its tasks: the rules of Landlock, as descriptors.

    real_root: the process could not become an ordinary user; then no limit on processes holds.
    """

    setting: Setting
    writing: int | None
    reading: int | None
    real_root: bool

    @classmethod
    def prepare(cls, setting: Setting, *, real_root: bool) -> "Locks":
        """Open the rules; raises OSError where the kernel lacks them."""
        if not setting.landlock:
            return cls(setting, None, None, real_root)
        readable, work = _reach(setting)
        seen = [*readable, work]
        reading = landlock.ruleset(seen, ["/dev/null"], signals=True)  # to end the candidate
        return cls(setting, _writing(setting), reading, real_root)

    def candidate_rules(self, kind: str) -> int | None:
        """Give the rules for the calling process, a candidate."""
        if self.writing is None or self.setting.namespaces or self.setting.private:
            return self.writing
        of_database = (
            ("/proc/meminfo", "/sys/fs/cgroup") if kind == "sql" else ()
        )  # it sizes itself
        return _writing(self.setting, "/proc/self", *of_database)  # of the host's /proc, itself


def _writing(setting: Setting, *more: str) -> int:
    readable, work = _reach(setting)
    return landlock.ruleset([*readable, *more], [work, "/dev/null", "/dev/full"])


def _reach(setting: Setting) -> tuple[list[str], str]:
    """Give what a task may read, and the folder in which it works."""
    if setting.namespaces:
        return ["/"], str(Path(root.WORK).parent)
    system = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/alternatives")
    devices = ("/dev/zero", "/dev/random", "/dev/urandom")
    extra = ("/proc",) if setting.private else ()
    readable = [*system, "/etc/ld.so.cache", *devices, *setting.visible, *extra]
    return [*readable, f"{setting.folder}/packages"], f"{setting.folder}/{BOX}"


def keep_only(channel: int, outputs: tuple[int, int], rules: int | None) -> None:
    """Close all descriptors but standard ones, the channel (CHANNEL) and, after it, the rules."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    wanted = [nothing, *outputs, channel, *([] if rules is None else [rules])]
    high = [os.dup(each) for each in wanted]
    base = max(high) + 1
    moved = [os.dup2(each, base + place) for place, each in enumerate(high)]
    for place, each in enumerate(moved):
        os.dup2(each, place, inheritable=place < CHANNEL)
    os.closerange(len(moved), _HIGHEST_DESCRIPTOR)


def confine_candidate(locks: Locks, order: Order, work: str) -> None:
    """Lock the calling process in for good, after `keep_only`, in its work folder."""
    setting = locks.setting
    die_with_parent()
    os.setsid()
    if setting.namespaces:
        root.mount_task()
    if locks.real_root and order.execute:
        _hand_over(work)
    os.environ["HOME"] = "/tmp" if setting.namespaces else work  # noqa: S108 - it leads to work
    os.chdir(os.environ["HOME"])
    counted = setting.namespaces or (order.fork and not setting.seatbelt)
    _limit(order, count_processes=counted, base=_others(locks) if counted else 0)
    if setting.seccomp:
        kernel.drop_capabilities()
    if locks.writing is not None:
        landlock.restrict(CHANNEL + 1)
        os.close(CHANNEL + 1)
    if not setting.namespaces and sys.platform == "linux":
        kernel.prctl(_DUMPABLE, 1)  # it may look at itself, unlike judge and zygote
    if setting.seccomp:
        seccomp.install(_candidate_program(locks, order))
    if setting.seatbelt:
        shown, own = [*setting.visible, f"{setting.folder}/packages"], [os.path.realpath(work)]
        seatbelt.restrict(seatbelt.profile(shown, own, programs=order.execute))


def confine_judge(locks: Locks, order: Order, candidate: int) -> None:
    """Lock the judge in: it reads, it may end the candidate, and it writes no file."""
    die_with_parent()
    _set(resource.RLIMIT_CORE, _NO_CORE)
    if sys.platform != "darwin":
        _set(resource.RLIMIT_AS, JUDGE_MEMORY)
    _set(resource.RLIMIT_FSIZE, 0)
    if locks.real_root and order.execute:
        root.become_nobody()  # as the candidate did, to be able to end it
    if locks.setting.seccomp:
        kernel.drop_capabilities()
    if locks.reading is not None:
        landlock.restrict(locks.reading)
    if locks.setting.seccomp:
        alone = locks.setting.namespaces
        targets = None if alone else (os.getpid(), candidate)
        seccomp.install(_program(seccomp.Rules(alone=alone, signals_to=targets)))
    if locks.setting.seatbelt:
        shown = [*locks.setting.visible, os.path.realpath(locks.setting.folder)]
        rules = seatbelt.profile(shown, [], programs=False)
        seatbelt.restrict(rules + "\n(allow signal)")  # to end the candidate


def die_with_parent() -> None:
    """Ask the kernel to end this process when its parent ends."""
    if sys.platform == "linux":
        kernel.prctl(_PDEATHSIG, _SIGKILL)


@functools.cache
def _program(rules: seccomp.Rules) -> bytes:
    return seccomp.program(rules)


def warm(locks: Locks) -> None:
    """Build the filters of the common tasks before the first one."""
    if locks.setting.seccomp and locks.setting.namespaces:
        for rules in (
            seccomp.Rules(),
            seccomp.Rules(fork=True),
            seccomp.Rules(fork=True, execute=True),
        ):
            _program(rules)


def _candidate_program(locks: Locks, order: Order) -> bytes:
    setting = locks.setting
    targets: tuple[int, ...] | None = None
    if not setting.namespaces:
        own = order.fork and landlock.version() >= landlock.SIGNALS_SCOPED
        targets = None if own else (os.getpid(),)
    return _program(
        seccomp.Rules(
            fork=order.fork and not (locks.real_root and not order.execute),
            threads=not locks.real_root or order.execute,
            execute=order.execute,
            alone=setting.namespaces,
            signals_to=targets,
            metadata=setting.namespaces or setting.private,
        ),
    )


def _hand_over(work: str) -> None:
    for each in (work, 1, 2):  # what it prints to by name too
        os.chown(each, root.NOBODY, root.NOBODY)
    root.become_nobody()


def _others(locks: Locks) -> int:
    """Count what the limit on processes counts beside the task: all of the user's, or our own."""
    if locks.setting.namespaces:
        return 3
    own = os.getuid()
    total = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if entry.stat().st_uid == own:
                    total += sum(1 for _ in (entry / "task").iterdir())
    return total


def _limit(order: Order, *, count_processes: bool, base: int) -> None:
    _set(resource.RLIMIT_CORE, _NO_CORE)
    _set(resource.RLIMIT_FSIZE, order.file_size)
    _set(resource.RLIMIT_NOFILE, max(order.files, 8))
    _set(resource.RLIMIT_CPU, math.ceil(order.cpu) + (sys.platform == "linux"))
    if sys.platform != "darwin":  # it cannot be set there: the judge looks at the memory held
        _set(resource.RLIMIT_AS, order.memory)
    if hasattr(resource, "RLIMIT_MSGQUEUE"):
        _set(resource.RLIMIT_MSGQUEUE, 0)
    _set(resource.RLIMIT_MEMLOCK, 0)
    if count_processes:
        _set(resource.RLIMIT_NPROC, base + (order.processes if order.fork else THREADS))


def _set(which: int, value: int) -> None:
    """Set a limit, or the lower one that is already there."""
    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(which, (value, value))
