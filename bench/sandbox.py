"""CPU and wall time of executing answers in the sandbox, beside executors that protect nothing.

    AFERE_TEST_DATA=FOLDER python bench/sandbox.py [--prototype FILE] [--many N]

Runs the 164 reference solutions of HumanEval (FOLDER/code/HumanEval.jsonl.gz) with their tests on
two jobs, each executor in a process of its own, whose CPU time counts with all its children's:

- `afere`: this sandbox, at the level that works here;
- `multiprocessing`: a manager and a process a sample, as the executor of openai/human-eval does;
- `subprocess`: a fresh interpreter a sample, plain and without site packages;
- `prototype`: a module with the sandbox's first sketch (class Worker), where it is named.

With --many N, N answers run through the sandbox instead; processes, descriptors, folders and
memory are counted before and after.
"""

import argparse
import ast
import asyncio
import contextlib
import gzip
import importlib.util
import io
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

from afere.domain import PythonTask
from afere.sandbox import open_sandbox

DATA = Path(os.environ.get("AFERE_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
JOBS, LIMIT = 2, 10.0
Problems = list[dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--prototype", type=Path, help="the sketch's zyg.py, to run beside")
    parser.add_argument("--many", type=int, help="run so many answers and look for leaks")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.many:
        asyncio.run(leaks(options.many))
        return
    executors: dict[str, Callable[[Problems], int]] = {
        "afere": with_afere,
        "multiprocessing": with_multiprocessing,
        "subprocess -I -S": lambda problems: with_subprocess(problems, "-I", "-S"),
        "subprocess": with_subprocess,
    }
    if options.prototype:
        executors["prototype"] = lambda problems: with_prototype(problems, options.prototype)
    print(f"{'executor':<18} {'passed':>6} {'wall s':>7} {'CPU s':>7}   best of {options.rounds}")
    for name, execute in executors.items():
        passed, wall, cpu = min(
            (measured(execute) for _ in range(options.rounds)), key=lambda x: x[2]
        )
        print(f"{name:<18} {passed:>6} {wall:>7.2f} {cpu:>7.2f}")


def measured(execute: Callable[[Problems], int]) -> tuple[int, float, float]:
    """Run an executor in a process of its own; gives passes, wall and CPU seconds."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        problems = read()
        begin, used = time.perf_counter(), cpu()
        passed = execute(problems)
        wall = time.perf_counter() - begin
        os.write(writer, json.dumps([passed, wall, cpu() - used]).encode())
        os._exit(0)
    os.close(writer)
    passed, wall, spent = json.loads(os.read(reader, 1000))
    os.close(reader)
    os.waitpid(child, 0)
    return passed, wall, spent


def cpu() -> float:
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def read() -> Problems:
    with gzip.open(DATA / "code" / "HumanEval.jsonl.gz", "rt", encoding="utf-8") as lines:
        problems = [json.loads(line) for line in lines]
    for each in problems:
        module = ast.parse(each["prompt"] + "    pass\n")
        module.body = [
            part for part in module.body if getattr(part, "name", "") != each["entry_point"]
        ]
        each["prelude"] = ast.unparse(module)
        each["answer"] = each["prompt"] + each["canonical_solution"]
        each["tests"] = f"{each['test']}\ncheck({each['entry_point']})\n"
    return problems


def with_afere(problems: Problems) -> int:
    async def passed() -> int:
        sandbox = await open_sandbox(workers=JOBS)
        try:
            came = await asyncio.gather(*(sandbox.run(task(each)) for each in problems))
        finally:
            await sandbox.close()
        return sum(each.failure is None for each in came)

    return asyncio.run(passed())


def task(problem: dict[str, Any]) -> PythonTask:
    return PythonTask(
        answer=problem["answer"],
        entries=(problem["entry_point"],),
        prelude=problem["prelude"],
        tests=problem["tests"],
    )


def with_multiprocessing(problems: Problems) -> int:
    with ThreadPoolExecutor(JOBS) as jobs:
        return sum(jobs.map(one_process, problems))


def one_process(problem: dict[str, Any]) -> bool:
    context = multiprocessing.get_context("fork")
    manager = context.Manager()
    result = manager.list()
    process = context.Process(target=unsafe, args=(problem, result))
    process.start()
    process.join(timeout=LIMIT + 1)
    if process.is_alive():
        process.kill()
    passed = list(result) == ["passed"]
    manager.shutdown()
    return passed


def unsafe(problem: dict[str, Any], result: list[str]) -> None:
    """Run in this very process, as that executor does: output swallowed, a folder of its own."""
    import faulthandler
    import shutil

    faulthandler.disable()
    with tempfile.TemporaryDirectory() as folder:
        removed = shutil.rmtree
        os.chdir(folder)
        try:
            swallowed = io.StringIO()
            with contextlib.redirect_stdout(swallowed), contextlib.redirect_stderr(swallowed):
                exec(problem["answer"] + "\n" + problem["tests"], {})  # noqa: S102 - the peer's way
            result.append("passed")
        except BaseException as error:  # noqa: BLE001 - the peer's way
            result.append(f"failed: {error}")
        shutil.rmtree = removed
        os.chdir("/")


def with_subprocess(problems: Problems, *flags: str) -> int:
    def one(problem: dict[str, Any]) -> bool:
        program = problem["answer"] + "\n" + problem["tests"]
        done = subprocess.run(
            [sys.executable, *flags, "-c", program], capture_output=True, timeout=LIMIT, check=False
        )
        return done.returncode == 0

    with ThreadPoolExecutor(JOBS) as jobs:
        return sum(jobs.map(one, problems))


def with_prototype(problems: Problems, path: Path) -> int:
    module = loaded(path)
    workers = [module.Worker(ns=True) for _ in range(JOBS)]

    def several(job: int) -> int:
        return sum(
            workers[job].run(
                {
                    "mode": "rpc",
                    "code": each["answer"],
                    "tests": each["tests"],
                    "prelude": each["prelude"],
                    "entries": [each["entry_point"]],
                },
            )["verdict"]
            == "pass"
            for each in problems[job::JOBS]
        )

    with ThreadPoolExecutor(JOBS) as jobs:
        passed = sum(jobs.map(several, range(JOBS)))
    for worker in workers:
        worker.s.close()  # it leaves by itself, so that its time is counted
        worker.p.wait()
    return passed


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("zyg", path)
    assert spec is not None and spec.loader is not None  # noqa: S101, PT018 - a file is there
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


async def leaks(many: int) -> None:
    """Count what is left of many executions."""
    problems = read()
    sandbox = await open_sandbox(workers=JOBS)
    for rounds in (2, many // len(problems) + 1):
        begin = time.perf_counter()
        for _ in range(rounds):
            came = await asyncio.gather(*(sandbox.run(task(each)) for each in problems))
            assert all(each.failure is None for each in came)  # noqa: S101 - a benchmark
        seconds = time.perf_counter() - begin
        count = rounds * len(problems)
        print(f"{count:>6} executions, {count / seconds:6.0f} a second: {state()}")
    await sandbox.close()
    print(f"closed: {state()}")


def state() -> str:
    """Say what this process and those below it hold."""
    below = [os.getpid(), *descendants(os.getpid())]
    descriptors = sum(sum(1 for _ in Path(f"/proc/{each}/fd").iterdir()) for each in below)
    memory = sum(resident(each) for each in below)
    folders = sum(1 for each in Path(tempfile.gettempdir()).glob("afere-*"))
    return f"{len(below)} processes, {descriptors} descriptors, {folders} folders, {memory} MiB"


def descendants(process: int) -> list[int]:
    text = Path(f"/proc/{process}/task/{process}/children").read_text("ascii")
    return [each for child in map(int, text.split()) for each in (child, *descendants(child))]


def resident(process: int) -> int:
    pages = int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() >> 20


if __name__ == "__main__":
    main()
