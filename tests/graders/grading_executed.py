"""Grades by executing, in the real sandbox of this machine, kept open for all tests of a module."""

import asyncio
from typing import Any

import pytest

from afere.domain import Grade, Item, NoSandboxError, Reading, Response, Sandbox, SqlTask
from afere.graders import builtin
from afere.sandbox import open_sandbox


class Executing:
    """Grades replies by what their code does; called like `grade_offline`."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        try:
            self.sandbox: Sandbox = self._runner.run(open_sandbox())
        except NoSandboxError as error:
            self._runner.close()
            pytest.skip(f"no sandbox works on this machine: {error}")
        self._graders = builtin(self.sandbox)

    def __call__(
        self, item: Item, response: Response | str, reading: Reading | None = None
    ) -> Grade:
        if isinstance(response, str):
            response = Response(content=response, finish_reason="stop")
        grader = self._graders[item.expect.kind]
        return self._runner.run(grader.grade(item, response, reading or Reading()))

    def all(self, pairs: list[tuple[Item, str]]) -> list[Grade]:
        """Grade many at a time."""

        async def graded() -> list[Grade]:
            tasks = [
                self._graders[item.expect.kind].grade(
                    item, Response(content=reply, finish_reason="stop"), Reading()
                )
                for item, reply in pairs
            ]
            return list(await asyncio.gather(*tasks))

        return self._runner.run(graded())

    def prove(self, item: Item) -> None:
        grader: Any = self._graders[item.expect.kind]
        self._runner.run(grader.prove(item, Reading()))

    def rows(self, setup: str, query: str) -> Any:
        """Give the rows of a query."""
        done = self._runner.run(self.sandbox.run(SqlTask(query=query, setup=setup)))
        assert done.failure is None, done.message
        return done.value

    def close(self) -> None:
        self._runner.run(self.sandbox.close())
        self._runner.close()
