"""Levels are chosen by trying, named in every result, and never fallen from unseen."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from afere.domain import NoSandboxError, PythonTask, SandboxError, UsageError
from afere.sandbox import LEVELS, UNSAFE, examine, open_sandbox
from afere.sandbox.worker import Launch, Worker

ENDLESS = """
import asyncio, sys, tempfile
from afere.domain import PythonTask
from afere.sandbox import open_sandbox
async def main():
    tempfile.tempdir = sys.argv[2]
    sandbox = await open_sandbox(workers=1, level=sys.argv[1])
    print("open", flush=True)
    await sandbox.run(PythonTask(answer="import time; time.sleep(60)", entries=()))
asyncio.run(main())
"""


def test_the_strongest_level_that_works_is_taken(inside: Any) -> None:
    findings = asyncio.run(examine())
    assert [each.level for each in findings] == list(LEVELS)
    assert inside.sandbox.level == next(each.level for each in findings if each.works)
    assert all(each.why for each in findings if not each.works)


@pytest.mark.skipif(sys.platform == "darwin", reason="there it may work")
def test_a_level_that_does_not_work_here_is_refused_with_the_reason() -> None:
    with pytest.raises(NoSandboxError, match="Why: seatbelt: it needs macOS"):
        asyncio.run(open_sandbox(level="seatbelt"))
    with pytest.raises(UsageError, match="there is no sandbox level 'strong'"):
        asyncio.run(open_sandbox(level="strong"))


def test_no_isolation_is_had_by_its_name_alone_and_results_say_so() -> None:
    async def level() -> str:
        sandbox = await open_sandbox(level=UNSAFE)
        try:
            return (await sandbox.run(PythonTask(answer="x = 1", entries=("x",)))).level
        finally:
            await sandbox.close()

    assert UNSAFE not in LEVELS
    assert asyncio.run(level()) == "none"


def test_a_sandbox_that_cannot_start_is_a_fault_of_ours_never_a_wrong_answer(inside: Any) -> None:
    launch: Launch = inside.sandbox._launch(inside_want())
    broken = Launch(setting=launch.setting, python="/bin/false")
    with pytest.raises(SandboxError, match="did not start"):
        asyncio.run(Worker.start(broken))


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Give a folder that the ordinary user can enter whom the sandbox becomes."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


@pytest.mark.parametrize("level", ["namespaces", "bubblewrap", "landlock"])
def test_a_runner_that_is_killed_leaves_no_process_and_no_folder(
    level: str, open_folder: Path
) -> None:
    works = {each.level for each in asyncio.run(examine()) if each.works}
    if level not in works:
        pytest.skip(f"the level {level} does not work here")
    runner = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, level, str(open_folder)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )
    assert runner.stdout is not None
    assert runner.stdout.readline() == b"open\n"
    below = waited_for(lambda: descendants(runner.pid))
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    runner.stdout.close()
    assert waited_for(lambda: not any(alive(each) for each in below))
    assert waited_for(lambda: not list(open_folder.iterdir()))


def inside_want() -> Any:
    from afere.sandbox.pool import Want

    return Want()


def waited_for(what: Any) -> Any:
    until = time.monotonic() + 20
    while not (found := what()) and time.monotonic() < until:
        time.sleep(0.02)
    return found


def descendants(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text("ascii")
    return [each for child in map(int, text.split()) for each in (child, *descendants(child))]


def alive(process: int) -> bool:
    try:
        return ") Z" not in Path(f"/proc/{process}/stat").read_text("utf-8")
    except OSError:
        return False
