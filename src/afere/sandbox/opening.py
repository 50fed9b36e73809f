"""Opens the sandbox at the strongest level whose self-test passes here; never falls unseen."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from afere.domain import AfereError, Limits, NoSandboxError, PythonTask, Sandbox, SandboxError
from afere.sandbox.levels import LEVELS, UNSAFE, launcher
from afere.sandbox.mends import mend_for, missing_for
from afere.sandbox.pool import Pool
from afere.sandbox.wasi import WasiSandbox

__all__ = ["LevelFinding", "examine", "open_sandbox"]

_PROBE = """\
import os

def escapes(children):
    found = []
    for name, attempt in {
        "reads the users of the machine": lambda: open("/etc/passwd").read(),
        "opens a network socket": lambda: __import__("socket").socket(2, 1),
        "writes outside its folder": lambda: os.open("/var/tmp", os.O_RDWR | os.O_TMPFILE),
        "starts a program": lambda: os.execv("/bin/echo", ["echo"]),
    }.items():
        try:
            attempt()
        except BaseException:
            continue
        found.append(name)
    if forks() > children:
        found.append(f"starts more than {children} processes")
    return found

def forks():
    for count in range(40):
        try:
            child = os.fork()
        except (OSError, AttributeError):
            return count
        if child == 0:
            while True:
                __import__("time").sleep(1)
    return 40
"""
_TESTS = "found = escapes({children})\nassert found == [], ', '.join(found)\n"
_QUICK, _SHORT = Limits(cpu=5, wall=20), Limits(wall=0.05)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelFinding:
    """What the self-test found of one level.

    works: whether it may be used; why: if not, the reason; mend: how to make it work.
    seconds: wall time that the start and the self-test took.
    """

    level: str
    works: bool
    why: str = ""
    mend: str = ""
    seconds: float = 0.0


async def open_sandbox(*, level: str | None = None, workers: int = 2) -> Sandbox:
    """Open the sandbox at a level, or at the strongest that works.

    level: one of LEVELS, or UNSAFE, which isolates nothing and must be named; every result then
        says so. workers: how many tasks at a time.
    Raises NoSandboxError, with the mend for this platform, where the level, or every one, fails.
    """
    if level == UNSAFE:
        return Pool(UNSAFE, launcher(UNSAFE), workers)
    findings = []
    for each in LEVELS if level is None else (level,):
        finding, pool = await _tried(each, workers)
        if pool is not None:
            return pool
        findings.append(finding)
    raise NoSandboxError(_told(findings))


async def examine() -> Sequence[LevelFinding]:
    """Try every level, the strongest first, and say of each whether it works here."""
    findings = []
    for level in LEVELS:
        finding, pool = await _tried(level, 1)
        if pool is not None:
            await pool.close()
        findings.append(finding)
    return findings


async def _tried(level: str, workers: int) -> tuple[LevelFinding, Sandbox | None]:
    """Start a level and test it; gives the open pool where it works."""
    begin = time.monotonic()
    missing = missing_for(level)
    if missing:
        return LevelFinding(level=level, works=False, why=missing, mend=mend_for(level)), None
    pool = WasiSandbox(workers) if level == "wasi" else Pool(level, launcher(level), workers)
    try:
        why = await _self_test(pool)
    except AfereError as error:
        why = str(error)
    except BaseException:
        await pool.close()
        raise
    seconds = time.monotonic() - begin
    if why:
        await pool.close()
        finding = LevelFinding(
            level=level, works=False, why=why, mend=mend_for(level), seconds=seconds
        )
        return finding, None
    return LevelFinding(level=level, works=True, seconds=seconds), pool


async def _self_test(pool: Sandbox) -> str:
    """Give what is wrong with a level, an empty text for nothing."""
    held = await pool.run(_probe(12, Limits(cpu=5, wall=20, processes=8)))
    if held.failure is not None:
        return f"hostile code is not held: {held.message}"
    wrong = await pool.run(_answer("def f(x): return x", "assert f(2) == 3"))
    if wrong.failure != "assertion":
        raise SandboxError(f"a wrong answer was judged as {wrong.failure}")
    endless = await pool.run(_answer("import time; time.sleep(60)", "f(2)", _SHORT))
    if endless.failure != "timeout":
        return f"the time limit does not hold: {endless.failure}"
    return ""


def _probe(children: int, limits: Limits) -> PythonTask:
    tests = _TESTS.format(children=children)
    return PythonTask(answer=_PROBE, entries=("escapes",), tests=tests, limits=limits)


def _answer(answer: str, tests: str, limits: Limits = _QUICK) -> PythonTask:
    return PythonTask(answer=answer, entries=("f",), tests=tests, limits=limits)


def _told(findings: Sequence[LevelFinding]) -> str:
    """Say in three lines why there is no sandbox, and what mends it."""
    reasons = "; ".join(f"{each.level}: {each.why}" for each in findings)
    mends = [each.mend for each in findings if each.mend]
    return (
        f"No sandbox works on this machine, and code that a model wrote is not run without one.\n"
        f"Why: {reasons}\n"
        f"Mend: {mends[0] if mends else 'afere sandbox doctor tells more'}"
    )
