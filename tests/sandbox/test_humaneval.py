"""The 164 problems of HumanEval: each reference solution passes, each empty one fails."""

import ast
import asyncio
import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from afere.domain import Execution, PythonTask
from afere.sandbox import open_sandbox

DATA = Path(os.environ.get("AFERE_TEST_DATA", Path(__file__).parents[3] / "shared" / "data"))
FILE = DATA / "code" / "HumanEval.jsonl.gz"


@pytest.fixture(scope="module")
def problems() -> list[dict[str, Any]]:
    if not FILE.exists():
        pytest.skip(f"HumanEval is not among the test data: {FILE.name}")
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_every_reference_solution_passes(problems: list[dict[str, Any]]) -> None:
    came = run([task(each, each["prompt"] + each["canonical_solution"]) for each in problems])
    assert len(came) == 164
    assert [each for each in came if each.failure is not None] == []


def test_every_function_that_returns_nothing_fails(problems: list[dict[str, Any]]) -> None:
    came = run([task(each, each["prompt"] + "    return None\n") for each in problems])
    assert [each for each in came if each.failure is None] == []


def task(problem: dict[str, Any], answer: str) -> PythonTask:
    """Let the prompt's other functions, which some tests call, run beside the tests."""
    entry = problem["entry_point"]
    return PythonTask(
        answer=answer,
        entries=(entry,),
        prelude=without(problem["prompt"] + "    pass\n", entry),
        tests=f"{problem['test']}\ncheck({entry})\n",
    )


def without(source: str, entry: str) -> str:
    module = ast.parse(source)
    module.body = [each for each in module.body if getattr(each, "name", "") != entry]
    return ast.unparse(module)


def run(tasks: list[PythonTask]) -> list[Execution]:
    async def all_of_them() -> list[Execution]:
        sandbox = await open_sandbox(workers=2)
        try:
            return await asyncio.gather(*map(sandbox.run, tasks))
        finally:
            await sandbox.close()

    return asyncio.run(all_of_them())
