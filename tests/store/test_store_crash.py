"""Processes that die, and processes that share: what was acknowledged is in the store."""

import asyncio
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from store_samples import request

from afere.domain import Response
from afere.store import open_store

KEEPER = Path(__file__).with_name("keeper.py")


def start(file: Path, name: str, count: int, at_once: int) -> "subprocess.Popen[bytes]":
    """Start a keeper that writes what is acknowledged into a file beside the store's folder."""
    said = said_by(file, name)
    with said.open("wb") as output:
        return subprocess.Popen(
            [sys.executable, str(KEEPER), str(file), name, str(count), str(at_once)],
            stdout=output,
        )


def said_by(file: Path, name: str) -> Path:
    return file.parents[1] / f"{name}.txt"


def acknowledged(output: bytes) -> tuple[list[str], list[str]]:
    """Give the items whose answers, and those whose rows, were acknowledged; whole lines only."""
    lines = output.rpartition(b"\n")[0].decode().splitlines()
    answers = [line.removeprefix("answer ") for line in lines if line.startswith("answer ")]
    return answers, [line.removeprefix("row ") for line in lines if line.startswith("row ")]


async def look_for(file: Path, answers: Sequence[str], rows: Sequence[str]) -> None:
    store = await open_store(str(file), clock=time.time)
    found = await asyncio.gather(*(store.response(request(item).key) for item in answers))
    assert all(isinstance(each, Response) for each in found)
    kept = {mark[0] for plan, _ in await store.plans() for mark in await store.graded(plan.id)}
    assert set(rows) <= kept
    await store.close()


@pytest.mark.parametrize(("processes", "at_once"), [(1, 1), (1, 8), (1, 64), (2, 8), (2, 64)])
def test_nothing_acknowledged_is_lost_by_a_kill(
    processes: int,
    at_once: int,
    tmp_path: Path,
) -> None:
    file = tmp_path / "new" / "afere.db"
    names = [f"{number}-" for number in range(processes)]
    started = {name: start(file, name, 3000, at_once) for name in names}
    for name, process in started.items():
        while process.poll() is None and not said_by(file, name).stat().st_size:
            time.sleep(0.01)
        time.sleep(random.uniform(0, 0.3))  # noqa: S311 - any moment will do
        process.kill()
    for name, process in started.items():
        process.wait()
        answers, rows = acknowledged(said_by(file, name).read_bytes())
        assert answers
        asyncio.run(look_for(file, answers, rows))


def test_two_processes_on_one_new_store_lose_nothing(tmp_path: Path) -> None:
    """BR-050: 32 tasks at a time in each of two processes, on a file that neither made yet."""
    file = tmp_path / "new" / "afere.db"
    started = {name: start(file, name, 300, at_once=32) for name in ("a", "b")}
    for name, process in started.items():
        assert process.wait(timeout=60) == 0
        answers, rows = acknowledged(said_by(file, name).read_bytes())
        assert (len(answers), len(rows)) == (300, 300)
        asyncio.run(look_for(file, answers, rows))


def test_a_limit_on_the_size_of_files_ends_with_words_and_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "afere.db"
    limit = 3_000_000

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    ended = subprocess.run(
        [sys.executable, str(KEEPER), str(file), "x", "3000", "8"],
        capture_output=True,
        check=False,
        preexec_fn=small,
    )
    answers, rows = acknowledged(ended.stdout)
    assert ended.stderr.decode().startswith(
        f"{file}: the disk does not take or give the data (full, over a quota or faulty).\n",
    )
    assert len(ended.stderr.splitlines()) <= 3
    assert len(answers) > 100
    asyncio.run(look_for(file, answers, rows))


def test_a_locale_of_old_changes_no_text(tmp_path: Path) -> None:
    """BR-046: the texts of the store do not pass through the locale's encoding."""
    file = tmp_path / "afere.db"
    old = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    ended = subprocess.run(
        [sys.executable, str(KEEPER), str(file), "x", "3", "1"],
        capture_output=True,
        check=True,
        env=os.environ | old,
    )
    answers, rows = acknowledged(ended.stdout)
    assert answers == [f"x{number} maçã ✓ 世" for number in range(3)]
    asyncio.run(look_for(file, answers, rows))


def test_no_header_reaches_the_files_of_the_store(tmp_path: Path) -> None:
    """BR-067: a request has a body and no headers, so there is no column for a key."""
    file = tmp_path / "new" / "afere.db"
    assert start(file, "x", 50, at_once=8).wait() == 0
    kept = b"".join(each.read_bytes() for each in file.parent.iterdir())
    assert b"x49" in kept
    for word in (b"authorization", b"headers", b"api_key"):
        assert word not in kept.lower()
