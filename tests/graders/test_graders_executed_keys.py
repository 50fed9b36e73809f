"""Keys of code are checked at the door: an error names the field and the mend, before any call."""

from typing import Any

import pytest
from grading_cases import make_item

from afere.domain import AnswerKeyError, Limits, Reading
from afere.graders import builtin
from afere.graders.executed import limits_of

PYTHON: dict[str, tuple[Any, str, str]] = {
    "no mapping": ("def f(): pass", "expect.python", "entry"),
    "nothing to judge by": ({"entry": "f"}, "expect.python", "one of them"),
    "two ways to judge": (
        {"entry": "f", "tests": "assert f()", "cases": [[[], 1]]},
        "expect.python",
        "one of them",
    ),
    "an unknown field": ({"entri": "f"}, "expect.python", "Did you mean `entry`"),
    "an entry that is no name": ({"entry": "a b", "tests": "x"}, "expect.python.entry", "dedupe"),
    "an entry that is a keyword": ({"entry": "for", "tests": "x"}, "expect.python.entry", "name"),
    "tests that do not compile": ({"tests": "assert f("}, "expect.python.tests", "Mend"),
    "tests that assert nothing": ({"tests": "f(1)"}, "expect.python.tests", "assert"),
    "tests of another function": (
        {"entry": "f", "tests": "assert g(1)"},
        "expect.python.tests",
        "Call `f`",
    ),
    "tests that call nothing": ({"tests": "assert 1"}, "expect.python.tests", "entry"),
    "a test with a fixture": (
        {"tests": "from solution import f\ndef test_a(tmp_path):\n    assert f(tmp_path)"},
        "expect.python.tests",
        "loop",
    ),
    "an import that nobody declared": (
        {"tests": "import numpy\nassert f(numpy.zeros(1))", "entry": "f"},
        "expect.python.packages",
        "packages: [numpy]",
    ),
    "cases that are no pairs": ({"entry": "f", "cases": [[1]]}, "expect.python.cases", "value"),
    "cases without an entry": ({"cases": [[[1], 1]]}, "expect.python", "entry"),
    "inputs without a solution": (
        {"entry": "f", "inputs": [[1]]},
        "expect.python.inputs",
        "solution",
    ),
    "a tolerance without bound": (
        {"entry": "f", "inputs": [[1]], "solution": "def f(x): return x", "tolerance": 1e999},
        "expect.python.tolerance",
        "1e-6",
    ),
    "a package without a name": (
        {"tests": "assert f(1)", "packages": [""]},
        "expect.python.packages",
        "numpy",
    ),
    "a solution of something else": (
        {"entry": "f", "cases": [[[], 1]], "solution": "def g(): return 1"},
        "expect.python.solution",
        "whole",
    ),
    "a prelude that does not compile": (
        {"entry": "f", "cases": [[[], 1]], "prelude": "def"},
        "expect.python.prelude",
        "Mend",
    ),
    "an unknown limit": (
        {"entry": "f", "cases": [[[], 1]], "limits": {"cpus": 1}},
        "expect.python.limits",
        "`cpu`",
    ),
    "a limit of nothing": (
        {"entry": "f", "cases": [[[], 1]], "limits": {"memory": "much"}},
        "expect.python.limits.memory",
        "512MiB",
    ),
    "a memory in which nothing runs": (
        {"entry": "f", "cases": [[[], 1]], "limits": {"memory": 1}},
        "expect.python.limits.memory",
        "512MiB",
    ),
    "half a process": (
        {"entry": "f", "cases": [[[], 1]], "limits": {"processes": 0.5}},
        "expect.python.limits.processes",
        "processes: 10",
    ),
    "a hash seed that is none": (
        {"entry": "f", "cases": [[[], 1]], "hash_seeds": [-1]},
        "expect.python.hash_seeds",
        "[1, 2, 3]",
    ),
}
SQL: dict[str, tuple[Any, str, str]] = {
    "no mapping": ("SELECT 1", "expect.sql", "query"),
    "no query": ({"setup": "x"}, "expect.sql", "query"),
    "no fixture": ({"query": "SELECT 1"}, "expect.sql", "setup"),
    "setup and fixtures": (
        {"query": "q", "setup": "s", "fixtures": [{"setup": "s"}]},
        "expect.sql.fixtures",
        "Keep one",
    ),
    "a fixture without setup": ({"query": "q", "fixtures": [{}]}, "expect.sql.fixtures", "setup"),
    "an unknown engine": (
        {"query": "q", "setup": "s", "engine": "oracle"},
        "expect.sql.engine",
        "sqlite",
    ),
    "an order that is no truth": (
        {"query": "q", "setup": "s", "ordered": "yes"},
        "expect.sql.ordered",
        "true",
    ),
}
SHELL: dict[str, tuple[Any, str, str]] = {
    "no mapping": ("ls", "expect.shell", "stdout"),
    "nothing compared": ({"files": {"a": "b"}}, "expect.shell", "stdout"),
    "a file outside": ({"files": {"../a": ""}, "stdout": ""}, "expect.shell.files", "sub/b.txt"),
    "an absolute file": ({"files": {"/a": ""}, "stdout": ""}, "expect.shell.files", "sub/b.txt"),
    "a file whose name is a number": (
        {"files": {1: ""}, "stdout": ""},
        "expect.shell.files",
        "a.txt",
    ),
    "a name too long": ({"files": {"a" * 300: ""}, "stdout": ""}, "expect.shell.files", "a.txt"),
    "half a character": ({"files": {"\ud800": ""}, "stdout": ""}, "expect.shell.files", "a.txt"),
    "a file that is a folder too": (
        {"files": {"a": "", "./a/b": ""}, "stdout": ""},
        "expect.shell.files",
        "Rename",
    ),
    "files too large": (
        {"files": {"a": "x" * (5 << 20)}, "stdout": ""},
        "expect.shell.files",
        "smaller",
    ),
    "an unknown shell": ({"stdout": "", "shell": "fish"}, "expect.shell.shell", "bash"),
    "a status that is none": ({"stdout": "", "status": 300}, "expect.shell.status", "status: 0"),
    "stdout and fixtures": (
        {"stdout": "", "fixtures": [{"stdout": ""}]},
        "expect.shell.fixtures",
        "each fixture",
    ),
}
ALL = [
    pytest.param(kind, *case, id=f"{kind}: {name}")
    for kind, cases in (("python", PYTHON), ("sql", SQL), ("shell", SHELL))
    for name, case in cases.items()
]


@pytest.mark.parametrize(("kind", "key", "field", "mend"), ALL)
def test_a_key_that_cannot_be_used_is_refused_with_field_and_mend(
    kind: str, key: Any, field: str, mend: str
) -> None:
    with pytest.raises(AnswerKeyError) as raised:
        builtin()[kind].check(make_item({kind: key}), Reading())
    assert raised.value.field == field
    assert mend in str(raised.value)


@pytest.mark.parametrize(
    ("tests", "entry"),
    [
        ("from solution import slug\nassert slug('a') == 'a'", "slug"),
        ("import solution\nassert solution.slug('a') == 'a'", "slug"),
        ("assert slug('a') == 'a'", "slug"),
        ("import math\nassert math.isclose(area(1), 3.14, abs_tol=1)", "area"),
        ("def test_it():\n    assert set(f([1])) == {1}", "f"),
        ("def check(candidate):\n    assert candidate(1) == 2", None),
    ],
)
def test_the_entry_is_read_from_the_tests(tests: str, entry: str | None) -> None:
    kind: Any = builtin()["python"]
    if entry is None:
        kind.check(make_item({"python": {"tests": tests, "entry": "f"}}), Reading())
        return
    key = kind.prepare(make_item({"python": {"tests": tests}}), Reading())
    assert key.entry == entry


@pytest.mark.parametrize(
    ("key", "together"),
    [
        ({"tests": "assert f(1) == 1"}, False),
        ({"tests": "assert f([x for x in (1,)]) == 1"}, False),
        ({"tests": "s = Stack()\ns.push(1)\nassert s.pop() == 1"}, True),
        ({"tests": "assert f(lambda x: x) == 1"}, True),
        ({"tests": "assert next(f(1)) == 1"}, True),
        ({"tests": "import asyncio\nassert asyncio.run(f(1)) == 1"}, True),
        ({"tests": "assert list(f(2)) == [0]", "solution": "def f(n):\n    yield 0"}, True),
        ({"tests": "assert f(1) == 1", "together": True}, True),
        (
            {"tests": "import asyncio\nassert asyncio.new_event_loop().run_until_complete(f(1))"},
            True,
        ),
        ({"tests": "add5 = adder(5)\nassert add5(1) == 6"}, True),
        ({"tests": "assert adder(5)(1) == 6"}, True),
        ({"tests": "@memo\ndef sq(x):\n    return x * x\nassert sq(3) == 9"}, True),
        ({"tests": "with timer() as t:\n    assert t"}, True),
        ({"tests": "from solution import f, Bad\ntry:\n    f()\nexcept Bad:\n    assert 1"}, True),
        ({"tests": "import sys, io\nsys.stdout = io.StringIO()\nf()\nassert sys.stdout"}, True),
        (
            {"tests": "from unittest import mock\nwith mock.patch('builtins.input'): assert f()"},
            True,
        ),
        ({"tests": "open('a', 'w').close()\nassert f('a') == 0"}, True),
        ({"tests": "import sys\nassert f(sys.argv) == 1"}, False),
        ({"tests": "assert f(MOST) == 1"}, False),
        ({"tests": "assert Strongest('a') == 'b'"}, False),
        ({"tests": "assert isinstance(f(), Stack)", "entry": "f"}, True),
        ({"tests": "from solution import Node, depth\nassert depth(Node(1)) == 1"}, True),
        ({"tests": "s = Stack()\nassert s", "together": False}, False),
    ],
    ids=str,
)
def test_what_no_plain_data_can_carry_shares_the_process(key: Any, *, together: bool) -> None:
    kind: Any = builtin()["python"]
    assert kind.prepare(make_item({"python": key}), Reading()).together is together


def test_limits_are_read_in_seconds_bytes_and_counts() -> None:
    def read(**limits: Any) -> Limits:
        return limits_of({"limits": limits}, "expect.python")

    assert limits_of({}, "expect.python") == Limits()
    assert limits_of({}, "expect.shell", processes=32).processes == 32
    assert read(memory="512MiB").memory == 512 << 20
    assert read(memory="1 GB", output="64k").memory == 10**9
    assert (read(cpu=2).cpu, read(cpu=2).wall) == (2.0, 30.0)
    assert read(cpu=60).wall == 180.0
    assert read(cpu=60, wall=61).wall == 61.0
