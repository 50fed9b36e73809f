"""Python answers are judged by what they do, with tests and values out of their reach."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from afere.domain import Case, Execution, PythonTask, Sandbox
from afere.sandbox import open_sandbox

T = TypeVar("T")
RIGHT = "def f(x):\n    return x + 1\n"


def inside(story: Callable[[Sandbox], Coroutine[Any, Any, T]]) -> T:
    async def told() -> T:
        sandbox = await open_sandbox(workers=1)
        try:
            return await story(sandbox)
        finally:
            await sandbox.close()

    return asyncio.run(told())


def judged(answer: str, **how: Any) -> Execution:
    how = {"entries": ("f",), **how}
    return inside(lambda sandbox: sandbox.run(PythonTask(answer=answer, **how)))


def test_a_right_answer_passes_and_a_wrong_one_fails_at_the_named_line() -> None:
    assert judged(RIGHT, tests="assert f(2) == 3").failure is None
    wrong = judged("def f(x): return x", tests="import math\nassert f(2) == 3\n")
    assert (wrong.failure, wrong.message) == ("assertion", "assert f(2) == 3")


def test_cases_are_compared_outside_the_answer() -> None:
    cases = (Case(args=(1,), expected=2), Case(args=(5,), expected=6))
    assert judged(RIGHT, cases=cases).failure is None
    wrong = judged("def f(x): return 2", cases=cases)
    assert (wrong.failure, wrong.message) == ("assertion", "case 2, (5): gave 2, expected 6")
