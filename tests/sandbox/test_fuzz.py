"""Random answers: whatever they are, the sandbox judges them and never fails itself.

AFERE_FUZZ_SECONDS=60 makes it go on for so long.
"""

import os
import random
import time
from typing import Any

from afere.domain import Limits, PythonTask, RegexTask, ShellTask, SqlTask, Task

SECONDS = float(os.environ.get("AFERE_FUZZ_SECONDS", "3"))
LIMITS = Limits(cpu=0.3, wall=3, memory=256 << 20)
PIECES = (
    *("def f(x):", "    return x", "return", "x", "f", "(", ")", "[", "]", "{", "}", ":", "\n"),
    *("    ", "if", "else", "for", "in", "while", "True", "None", "not", "lambda", "yield", "del"),
    *("import os", "import sys", "os.close(3)", "os._exit(1)", "sys.exit()", "raise", "Exception"),
    *("try:", "except:", "finally:", "pass", "1", "0.5", "'a'", "b'\\xff'", "+", "*", "**", "%"),
    *("=", "==", ".", ",", "print(x)", "global f", "async def g():", "await", "class A:", "@f"),
    *("__import__('os').write(3, b'{}')", "open('x', 'w')", "range(9)", "f(f)", "*x", "**x", "#"),
)


def test_random_bytes_and_random_python_are_judged_without_a_fault(inside: Any) -> None:
    chance, until, count = random.Random(7), time.monotonic() + SECONDS, 0  # noqa: S311 - a fuzz
    while time.monotonic() < until:
        tasks = [answer(chance) for _ in range(8)]
        for task, came in zip(tasks, inside.all(tasks), strict=True):
            count += 1
            assert came.failure is not None or not isinstance(task, PythonTask), task
    assert count >= 8


def answer(chance: random.Random) -> Task:
    kind = chance.randrange(8)
    noise = "".join(chr(chance.choice((*range(128), 0xE9, 0xD800, 0x1F600))) for _ in range(60))
    words = " ".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 40)))
    text = noise if kind == 0 else words if kind < 5 else f"def f(x):\n    {words}\n"
    if kind == 5:
        return ShellTask(command=noise, limits=Limits(cpu=0.3, wall=3, processes=8))
    if kind == 6:
        return SqlTask(query=f"SELECT {words}", limits=LIMITS)
    if kind == 7:
        return RegexTask(pattern=noise[:12], texts=(noise, words), limits=LIMITS)
    tests = "assert f(2) == 'no answer gives this'\n"
    return PythonTask(answer=text, entries=("f",), tests=tests, limits=LIMITS)
