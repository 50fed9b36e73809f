"""Runs the abuse cases at one level, under the outer guard; prints what came of each as JSON."""

import asyncio
import json
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

import own_abuse
from outer_guard import PORT

from afere.domain import (
    Execution,
    Limits,
    PythonTask,
    RegexTask,
    SandboxError,
    ShellTask,
    SqlTask,
    Task,
)
from afere.sandbox import open_sandbox
from afere.sandbox.pool import Pool

HERE = Path(__file__).parent
LEVEL = sys.argv[1] if len(sys.argv) > 1 else ""
# Bubblewrap starts an interpreter a task, which a busy machine does in a second.
WALL, CPU = (4.0, 1.0) if LEVEL == "bubblewrap" else (0.9, 0.3)
LIMITS = Limits(cpu=CPU, wall=WALL)
MANY = Limits(cpu=CPU, wall=WALL, processes=32)
WRITTEN = ("/var/tmp/zz_abuse", "/usr/lib/zz_abuse", "/srv/zz_abuse", "/tmp/zz_abuse.db")  # noqa: S108
SETUP = "CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), (2);"


def main() -> None:
    level, *only = sys.argv[1:]
    hits = _listen()
    lines = (HERE / "abuse_cases.jsonl").read_text("utf-8").splitlines()
    every = [*map(json.loads, lines), *own_abuse.records()]
    cases = [case for case in every if not only or case["id"] in only]
    asyncio.run(_run(level, cases, hits))


async def _run(level: str, cases: list[dict[str, Any]], hits: list[str]) -> None:
    sandbox = await open_sandbox(level=level, workers=1)
    assert isinstance(sandbox, Pool)
    await sandbox.run(RegexTask(pattern="a", texts=("a",)))
    if any(case["lang"] == "duckdb" for case in cases):
        await sandbox.run(SqlTask(query="SELECT 1", engine="duckdb"))
    known = set(_processes())
    try:
        for case in cases:
            reached = len(hits)
            mode = _mode()
            begin = time.monotonic()
            try:
                came: Execution | None = await sandbox.run(_task(case))
                fault = ""
            except SandboxError as error:
                came, fault = None, str(error)
            seconds = time.monotonic() - begin
            left = _left(sandbox, known)
            _print(
                case=case,
                came=came,
                fault=fault,
                seconds=seconds,
                left=left,
                hits=hits[reached:],
                mode=mode,
            )
    finally:
        await sandbox.close()


def _task(case: dict[str, Any]) -> Task:
    code = case["code"]
    match case["lang"]:
        case "python" | "python+":
            limits = LIMITS if case["lang"] == "python" else MANY
            return PythonTask(
                answer=code, entries=(case["entry"],), tests=case["tests"], limits=limits
            )
        case "bash":
            return ShellTask(command=code, files={"a": b"1", "b": b"2", "c": b"3"}, limits=MANY)
        case "regex":
            return RegexTask(pattern=code, texts=("a" * 40 + "b",), limits=LIMITS)
        case engine:
            return SqlTask(query=code, engine=engine, setup=SETUP, limits=LIMITS)


def _print(
    *,
    case: dict[str, Any],
    came: Execution | None,
    fault: str,
    seconds: float,
    left: list[str],
    hits: list[str],
    mode: int,
) -> None:
    written = [path for path in WRITTEN if Path(path).exists()]
    if _mode() != mode:
        written.append("/usr/bin/env")
        Path("/usr/bin/env").chmod(mode & 0o7777)
    if not Path("/usr/share/doc").exists():
        written.append("/usr/share/doc")
    for path in WRITTEN:
        Path(path).unlink(missing_ok=True)
    record = {
        "id": case["id"],
        "fault": fault,
        "failure": came.failure if came else None,
        "message": came.message if came else "",
        "output": came.output if came else "",
        "stdout": came.stdout.decode("utf-8", "replace")[:4000] if came else "",
        "status": came.status if came else None,
        "files": sorted(came.files) if came else [],
        "value": repr(came.value)[:200] if came else "",
        "seconds": seconds,
        "left": left,
        "hits": hits,
        "written": written,
    }
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def _mode() -> int:
    return Path("/usr/bin/env").stat().st_mode


def _left(pool: Pool, known: set[int]) -> list[str]:
    """Name the processes that were not there before and are no fresh zygote's."""
    fresh = {worker._process.pid for _, worker in pool._idle if worker.served == 0}
    left = []
    for pid in _processes():
        above = pid
        while above > 1 and above not in fresh:
            above = _parent(above)
        if above not in fresh and pid not in known and _name(pid):  # a zombie has no name
            left.append(_name(pid))
    return left


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8").replace("\0", " ")[:80]
    except OSError:
        return ""


def _listen() -> list[str]:
    """Put out sockets that nothing in the sandbox may reach; gives the list of who did."""
    hits: list[str] = []

    def serve(listener: socket.socket, name: str) -> None:
        listener.listen(8)
        while True:
            connection, _ = listener.accept()
            hits.append(name)
            connection.close()

    for family, address in (
        (socket.AF_INET, ("127.0.0.1", PORT)),
        (socket.AF_UNIX, "/tmp/abuse_host.sock"),  # noqa: S108 - the guard's own
        (socket.AF_UNIX, "\0abuse_host_abstract"),
    ):
        listener = socket.socket(family)
        listener.bind(address)
        if isinstance(address, str) and address[0] == "/":
            Path(address).chmod(0o777)
        threading.Thread(target=serve, args=(listener, str(address)), daemon=True).start()
    return hits


if __name__ == "__main__":
    main()
