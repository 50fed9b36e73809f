"""Answers that run are judged by what they do in the real sandbox, faults of ours apart."""

import asyncio
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from grading_cases import DATA, make_item
from grading_executed import Executing

from afere.domain import (
    AnswerKeyError,
    Execution,
    Item,
    NoSandboxError,
    Outcome,
    Reading,
    Response,
    SandboxError,
    Task,
)
from afere.graders import builtin, grade_offline
from afere.suites import load

ADD = {"entry": "add", "tests": "assert add(2, 3) == 5\nassert add(0.5, 0.25) == 0.75"}


def python(key: dict[str, Any]) -> Item:
    return make_item({"python": key})


def humaneval() -> list[dict[str, Any]]:
    path = DATA / "code" / "HumanEval.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no HumanEval file at {path}: set AFERE_TEST_DATA")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


FORMS: dict[str, Callable[[dict[str, Any]], str]] = {
    "a body": lambda row: row["canonical_solution"],
    "a body whose first indent is lost": lambda row: row["canonical_solution"].strip(),
    "a body and more": lambda row: row["canonical_solution"] + "\n\ndef check(\n\nprint(",
    "a whole function": lambda row: (
        f"Here:\n```python\n{row['prompt']}{row['canonical_solution']}```\nDone."
    ),
    "a function without its imports": lambda row: (
        "```\n"
        + (row["prompt"] + row["canonical_solution"]).replace("from typing import List\n", "")
        + "\n```"
    ),
    "no fence": lambda row: f"Here:\n\n{row['prompt']}{row['canonical_solution']}\n\nAll of it.",
}


@pytest.mark.parametrize("form", FORMS)
def test_every_reference_solution_passes_and_none_does_not(form: str, executing: Executing) -> None:
    rows = humaneval()
    path = DATA / "code" / "HumanEval.jsonl.gz"
    items = load(f"humaneval:{path}", builtin()).items
    one_seed = [
        python({**item.expect.key, "hash_seeds": [0]}) for item in items
    ]  # what this costs is for the bench
    pairs = [(item, FORMS[form](row)) for item, row in zip(one_seed, rows, strict=True)]
    grades = executing.all(pairs)
    failed = [
        (row["task_id"], grade.outcome.value, grade.message)
        for row, grade in zip(rows, grades, strict=True)
        if grade.outcome is not Outcome.RIGHT
    ]
    assert failed == []
    assert {grade.integrity for grade in grades} == {"strong"}


def test_a_body_that_gives_nothing_passes_nowhere(executing: Executing) -> None:
    rows = humaneval()
    path = DATA / "code" / "HumanEval.jsonl.gz"
    items = load(f"humaneval:{path}", builtin()).items
    pairs = [
        (item, f"```python\n{row['prompt']}    return None\n```")
        for item, row in zip(items, rows, strict=True)
    ]
    assert {grade.outcome for grade in executing.all(pairs)} == {Outcome.WRONG}


MBPP = [
    {
        "task_id": 1,
        "text": "Write a function to find the shared elements of two tuples.",
        "code": "def shared(a, b):\n    return tuple(sorted(set(a) & set(b)))",
        "test_list": ["assert shared((3, 4, 5), (5, 4, 1)) == (4, 5)"],
    },
    {
        "task_id": 2,
        "text": "Write a function to give the distance of two points.",
        "code": "import math\ndef distance(a, b):\n    return math.dist(a, b)",
        "test_list": ["assert math.isclose(distance((0, 0), (3, 4)), 5.0)"],
    },
    {
        "task_id": 3,
        "text": "Write a function for the longest chain of pairs.",
        "code": (
            "class Pair:\n    def __init__(self, a, b):\n        self.a, self.b = a, b\n"
            "def longest(pairs):\n    return max(p.b - p.a for p in pairs)"
        ),
        "test_list": ["assert longest([Pair(5, 24), Pair(1, 2)]) == 19"],
    },
    {
        "task_id": 4,
        "text": "Write a function to sort a heap.",
        "code": "import heapq\ndef smallest(xs):\n    return heapq.nsmallest(1, xs)[0]",
        "test_list": ["assert smallest([3, 1, 2]) == 1", "assert smallest([9]) == 9"],
        "test_setup_code": "",
    },
]


def test_mbpp_solutions_pass_classes_of_the_answer_among_them(
    executing: Executing, tmp_path: Path
) -> None:
    path = tmp_path / "mbpp.jsonl"
    path.write_text("\n".join(map(json.dumps, MBPP)), "utf-8")
    items = load(f"mbpp:{path}", builtin()).items
    grades = executing.all(
        [(item, f"```python\n{row['code']}\n```") for item, row in zip(items, MBPP, strict=True)]
    )
    assert [grade.outcome for grade in grades] == [Outcome.RIGHT] * 4
    assert [grade.integrity for grade in grades] == ["strong", "strong", "weak", "strong"]


def test_inputs_are_judged_by_the_reference_solution(executing: Executing) -> None:
    item = python(
        {
            "entry": "mean",
            "inputs": [[[1, 2]], [[0.1, 0.2, 0.3]], [[]]],
            "solution": "def mean(xs):\n    return sum(xs) / len(xs)",
        }
    )
    right = "def mean(xs):\n    import statistics\n    return statistics.fmean(xs)"
    assert executing(item, right).outcome is Outcome.RIGHT
    for wrong in ("def mean(xs):\n    return xs[0]", "def mean(xs):\n    return str(sum(xs))"):
        assert executing(item, wrong).outcome is Outcome.WRONG


def test_an_order_taken_from_a_set_passes_under_no_luck(executing: Executing) -> None:
    item = python({"tests": "assert f(['a', 'b']) == ['a', 'b']"})
    one = python({"tests": "assert f(['a', 'b']) == ['a', 'b']", "hash_seeds": [0]})
    lucky = "def f(xs):\n    return list(set(xs))"
    assert executing(item, lucky).outcome is Outcome.WRONG
    assert executing(one, lucky).failure in {None, "assertion"}


def test_tests_of_pytest_and_unittest_style_are_called(executing: Executing) -> None:
    styles = {
        "functions": "from solution import f\n\ndef test_a():\n    assert f(1) == 2\n",
        "a class": (
            "from solution import f\n\nclass TestF:\n    def setup_method(self):\n"
            "        self.n = 1\n    def test_a(self):\n        assert f(self.n) == 2\n"
        ),
        "unittest": (
            "import unittest\nfrom solution import f\n\nclass F(unittest.TestCase):\n"
            "    def setUp(self):\n        self.n = 1\n    def test_a(self):\n"
            "        self.assertEqual(f(self.n), 2)\n\n"
            "if __name__ == '__main__':\n    unittest.main()\n"
        ),
        "a coroutine": "from solution import f\n\nasync def test_a():\n    assert f(1) == 2\n",
    }
    for style, tests in styles.items():
        item = python({"tests": tests})
        assert executing(item, "def f(x):\n    return x + 1").outcome is Outcome.RIGHT, style
        wrong = executing(item, "def f(x):\n    return x")
        assert (wrong.outcome, wrong.failure) == (Outcome.WRONG, "assertion"), style


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        ("def add(a, b):\n    return a - b", "assertion"),
        ("def add(a, b):\n    return a + c", "exception"),
        ("def add(a):\n    return a", "exception"),
        ("def sub(a, b):\n    return a - b", "exception"),
        ("def add(a, b):\n    while True: pass", "timeout"),
        ("def add(a, b):\n    import time\n    time.sleep(60)", "timeout"),
        ("x = 'a' * (1 << 40)\ndef add(a, b):\n    return a + b", "memory"),
        ("import os\nos._exit(0)", "crash"),
        ("def add(a, b)\n    return a + b", "syntax"),
        ("def add(a, b):\n    while True: print('x' * 10000)", "output"),
    ],
)
def test_each_failure_has_its_name(answer: str, failure: str, executing: Executing) -> None:
    item = python({**ADD, "limits": {"cpu": 1, "wall": 4}, "hash_seeds": [0]})
    grade = executing(item, f"```python\n{answer}\n```")
    assert (grade.outcome, grade.failure) == (Outcome.WRONG, failure)
    assert grade.message
    assert grade.sandbox == executing.sandbox.level


def test_elements_of_a_generator_are_compared_without_sharing_a_process(
    executing: Executing,
) -> None:
    item = python({"tests": "assert list(f(3)) == [0, 1, 2]\nassert sum(f(4)) == 6"})
    for answer in ("def f(n):\n    yield from range(n)", "def f(n):\n    return range(n)"):
        grade = executing(item, answer)
        assert (grade.outcome, grade.integrity) == (Outcome.RIGHT, "strong")
    endless = "def f(n):\n    while True:\n        yield 0"
    limited = python({**item.expect.key, "limits": {"cpu": 1, "wall": 5}})
    assert executing(limited, endless).outcome is Outcome.WRONG
    compared = python({"tests": "assert f(2) == [0, 1]"})
    assert executing(compared, "def f(n):\n    yield from range(n)").outcome is Outcome.WRONG


def test_a_class_sees_the_prelude_of_its_tests(executing: Executing) -> None:
    key = {"tests": "s = Stack()\ns.push(HELP)\nassert s.pop() == HELP", "prelude": "HELP = 5"}
    answer = "class Stack(list):\n    push = list.append"
    grade = executing(python(key), answer)
    assert (grade.outcome, grade.integrity) == (Outcome.RIGHT, "weak")
    cases = {"entry": "f", "cases": [[[1], 2]], "together": True}
    assert executing(python(cases), "def f(x): return x + 1").outcome is Outcome.RIGHT
    assert executing(python(cases), "def f(x): return x").outcome is Outcome.WRONG


def test_what_was_read_is_what_the_model_wrote(executing: Executing) -> None:
    key = {"entry": "f", "prompt": 'def f(x):\n    """Half."""\n', "tests": "assert f(4) == 2"}
    assert executing(python(key), "    return x / 2").read == "    return x / 2"
    whole = "def f(x):\n    return x / 2"
    assert executing(python(key), whole).read == whole


def test_what_an_answer_prints_is_kept_cut(executing: Executing) -> None:
    printing = "print('hello')\ndef add(a, b):\n    print('x' * 9000)\n    return a + b"
    grade = executing(python(ADD), printing)
    assert grade.outcome is Outcome.RIGHT
    assert str(grade.output).startswith("hello")
    assert len(str(grade.output)) == 4096


def test_a_cut_program_is_right_if_it_passes_and_else_truncated(executing: Executing) -> None:
    item = python(ADD)

    def cut(content: str) -> Outcome:
        return executing(item, Response(content=content, finish_reason="length")).outcome

    assert cut("```python\ndef add(a, b):\n    return a + b\n\n# an example:") is Outcome.RIGHT
    assert cut("```python\ndef add(a, b):\n    total = a") is Outcome.TRUNCATED
    assert cut("```python\ndef add(a, b):\n    return (a +") is Outcome.TRUNCATED
    assert cut("Let me think about") is Outcome.TRUNCATED
    assert cut("```python\ndef add(a, b):\n    return a + b\n```\nThis fun") is Outcome.RIGHT
    assert cut("```python\ndef add(a, b):\n    return a\n```\nThis fun") is Outcome.WRONG


def test_reasoning_is_no_answer_and_neither_is_a_refusal(executing: Executing) -> None:
    item, code = python(ADD), "def add(a, b):\n    return a + b"
    assert executing(item, f"<think>\n{code}\n</think>").outcome is Outcome.EMPTY
    assert executing(item, f"<think>\n{code}").outcome is Outcome.TRUNCATED
    wrong = f"<think>\n{code}\n</think>\n```python\ndef add(a, b):\n    return 0\n```"
    assert executing(item, wrong).outcome is Outcome.WRONG
    refused = Response(content=code, finish_reason="stop", refusal="No.")
    assert executing(item, refused).outcome is Outcome.REFUSED


def test_real_answers_are_wrong_for_what_they_do(executing: Executing) -> None:
    """None of these thirty answers of small models is right; five were cut inside their fence."""
    files = sorted((DATA / "answers").glob("coding_*.jsonl"))
    if not files:
        pytest.skip("no real answers: set AFERE_TEST_DATA")
    items = {item.id: item for item in load("code-3", builtin()).items}
    tasks = {"dedupe_keep_order": "dedupe", "fizzbuzz": "fizzbuzz", "parse_keyvals": "parse"}
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    for row in rows:
        reply = Response(content=row["content"], finish_reason=row["finish_reason"])
        grade = executing(items[tasks[row["task"]]], reply)
        due = Outcome.TRUNCATED if row["finish_reason"] == "length" else Outcome.WRONG
        assert grade.outcome is due
        assert row["naive_harness_passed"] is False


@pytest.mark.parametrize("kind", ["bash", "sh"])
def test_a_command_is_judged_by_output_and_by_files(kind: str, executing: Executing) -> None:
    item = make_item(
        {
            "shell": {
                "files": {"a.txt": "b\na\n", "sub/c.txt": "c\n"},
                "stdin": "word\n",
                "result": {"sorted.txt": "a\nb\n", "a.txt": None},
                "shell": kind,
            }
        }
    )
    right = "```sh\nsort a.txt > sorted.txt && rm a.txt\n```"
    assert executing(item, right).outcome is Outcome.RIGHT
    for wrong in ("sort a.txt > sorted.txt", "cp a.txt sorted.txt; rm a.txt", "ls -l"):
        assert executing(item, wrong).outcome is Outcome.WRONG


def test_a_script_is_run_by_the_command_of_the_key(executing: Executing) -> None:
    key = {"command": "bash answer.sh 2 3", "stdout": "5"}
    item = make_item({"shell": key})
    assert executing(item, "```bash\necho $(($1 + $2))\n```").outcome is Outcome.RIGHT
    assert executing(item, "```bash\necho $(($1 * $2))\n```").outcome is Outcome.WRONG


def test_a_reference_query_that_fails_or_finds_nothing_is_refused(executing: Executing) -> None:
    setup = "CREATE TABLE t (a); INSERT INTO t VALUES (1)"
    for query, said in (("SELECT b FROM t", "fails"), ("SELECT a FROM t WHERE a > 1", "no row")):
        item = make_item({"sql": {"setup": setup, "query": query}})
        with pytest.raises(AnswerKeyError, match=said):
            executing.prove(item)
    executing.prove(make_item({"sql": {"setup": setup, "query": "SELECT a FROM t"}}))


@pytest.mark.parametrize(
    "query",
    [
        "ATTACH DATABASE '/tmp/x.db' AS x",
        "SELECT load_extension('x')",
        "SELECT readfile('/etc/passwd')",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
        "PRAGMA writable_schema = 1",
        "SELECT zeroblob(2000000000)",
        "DROP TABLE t",
        "SELECT a FROM t; DROP TABLE t",
    ],
)
def test_hostile_statements_are_wrong_answers(query: str, executing: Executing) -> None:
    setup = "CREATE TABLE t (a); INSERT INTO t VALUES (1)"
    limits = {"cpu": 1, "wall": 5}
    item = make_item({"sql": {"setup": setup, "query": "SELECT a + 1 FROM t", "limits": limits}})
    assert executing(item, f"```sql\n{query}\n```").outcome is Outcome.WRONG


EXPLOSIVE = r"`^(\w+\s?)*\1$`"
LONG = "(a|b)" * 4000


def test_an_expression_that_explodes_is_tried_in_the_sandbox(executing: Executing) -> None:
    item = make_item({"regex": {"matches": ["word " * 12 + "!"]}})
    grade = executing(item, EXPLOSIVE)
    assert (grade.outcome, grade.failure) == (Outcome.WRONG, "timeout")
    assert grade.sandbox == executing.sandbox.level
    easy = executing(item, r"`^[\w\s]+!$`")
    assert (easy.outcome, easy.sandbox) == (Outcome.RIGHT, None)


def test_an_expression_too_long_for_our_own_machine_is_judged_by_the_sandbox(
    executing: Executing,
) -> None:
    for text, outcome in (("ab" * 2000, Outcome.RIGHT), ("ab" * 1999, Outcome.WRONG)):
        grade = executing(make_item({"regex": {"matches": [text]}}), f"```\n{LONG}\n```")
        assert (grade.outcome, grade.failure) == (outcome, None)


def test_without_a_sandbox_what_our_machine_gives_up_on_is_wrong_and_marked() -> None:
    item = make_item({"regex": {"matches": ["word " * 12 + "!"]}})
    reply = Response(content=EXPLOSIVE, finish_reason="stop")
    for grade in (
        grade_offline(item, reply, Reading()),
        asyncio.run(builtin()["regex"].grade(item, reply, Reading())),
        grade_offline(item, reply, Reading()),
    ):
        assert (grade.outcome, grade.flags) == (Outcome.WRONG, ("not-executed",))


class Broken:
    """A sandbox that fails, for the port's sake."""

    level = "broken"

    async def run(self, task: Task) -> Execution:
        raise SandboxError(f"it broke on {type(task).__name__}")

    async def close(self) -> None:
        return


def test_a_fault_of_the_sandbox_is_raised_and_never_a_wrong_answer() -> None:
    graders = builtin(Broken())
    reply = Response(content="def add(a, b):\n    return a + b", finish_reason="stop")
    with pytest.raises(SandboxError):
        asyncio.run(graders["python"].grade(python(ADD), reply, Reading()))
    missing = Response(content="I cannot.", finish_reason="stop")
    grade = asyncio.run(graders["python"].grade(python(ADD), missing, Reading()))
    assert grade.outcome is Outcome.UNREADABLE


def test_without_a_sandbox_keys_are_checked_and_nothing_is_graded() -> None:
    builtin()["python"].check(python(ADD), Reading())
    reply = Response(content="def add(a, b):\n    return a + b", finish_reason="stop")
    with pytest.raises(NoSandboxError):
        asyncio.run(builtin()["python"].grade(python(ADD), reply, Reading()))
    with pytest.raises(NoSandboxError):
        grade_offline(python(ADD), reply, Reading())
