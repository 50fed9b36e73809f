"""One open sandbox for the tests of this folder, spoken to without a loop."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from afere.domain import Execution, NoSandboxError, PythonTask, Task
from afere.sandbox import open_sandbox


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Keep these tests on one worker: hostile programs of two would count one user's processes."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("hostile"))


class Inside:
    """The sandbox at the level that works here."""

    def __init__(self, runner: "asyncio.Runner") -> None:
        self._runner = runner
        self.sandbox = runner.run(open_sandbox(workers=2))

    def run(self, task: Task) -> Execution:
        return self._runner.run(self.sandbox.run(task))

    def all(self, tasks: Sequence[Task]) -> list[Execution]:
        async def together() -> list[Execution]:
            return await asyncio.gather(*map(self.sandbox.run, tasks))

        return self._runner.run(together())

    def python(self, answer: str, **how: Any) -> Execution:
        return self.run(PythonTask(answer=answer, **{"entries": ("f",), **how}))

    def close(self) -> None:
        self._runner.run(self.sandbox.close())


@pytest.fixture(scope="session")
def inside() -> Iterator[Inside]:
    with asyncio.Runner() as runner:
        try:
            sandbox = Inside(runner)
        except NoSandboxError as error:
            pytest.skip(str(error))
        yield sandbox
        sandbox.close()
