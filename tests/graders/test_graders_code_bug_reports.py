"""Faults that people met with executed answers: section 10 of the bug reports."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from grading_cases import DATA, make_item
from grading_executed import Executing

from afere.domain import AnswerKeyError, Item, Outcome
from afere.graders.rows import difference, is_ordered

CALLS = "assert f(1) == 2\nassert f(2) == 3"


def python(**key: object) -> Item:
    return make_item({"python": {"tests": CALLS, "hash_seeds": [0], **key}})


def test_br_061_right_code_that_needs_its_time_is_right_on_a_busy_machine(
    executing: Executing,
) -> None:
    slow = (
        "import time\ndef f(x):\n    end = time.process_time() + 0.08\n"
        "    while time.process_time() < end: pass\n    return x + 1"
    )
    grades = executing.all([(python(), slow)] * 32)
    assert {grade.outcome for grade in grades} == {Outcome.RIGHT}


@pytest.mark.parametrize(
    "answer",
    [
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(9999)\n",
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass\n",
        "while True: print('x' * 100000)\n",
        "import subprocess\nsubprocess.Popen(['sleep', '9999'])\n",
    ],
)
def test_br_063_what_an_answer_starts_ends_with_its_verdict(
    answer: str, executing: Executing
) -> None:
    item = python(limits={"cpu": 1, "wall": 3})
    grade = executing(item, f"```python\n{answer}def f(x):\n    return 0\n```")
    assert grade.outcome is Outcome.WRONG
    assert not list(processes("sleep\x009999"))


def processes(command: str) -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if command in path.read_text("utf-8", "replace"):
                yield int(path.parent.name)
        except OSError:
            continue


@pytest.mark.parametrize(
    "answer",
    [
        "print('PASSED')\nprint('OK')\nraise SystemExit(0)\n",
        "import os\nos._exit(0)\n",
        "import sys\nsys.exit(0)\n",
        "import atexit, os\natexit.register(os._exit, 0)\n",
        "class E:\n    __eq__ = lambda s, o: True\ndef f(x):\n    return E()\n",
        "class E(int):\n    __eq__ = lambda s, o: True\ndef f(x):\n    return E(0)\n",
        "import builtins\nbuiltins.AssertionError = int\ndef f(x):\n    return 0\n",
        "import sys\ndef f(x):\n    sys._getframe(1).f_globals.clear()\n    sys.exit(0)\n",
        "import unittest as u\nu.TestCase.assertEqual = print\ndef f(x):\n    return 0\n",
        "def f(x):\n    raise SystemExit(0)\n",
        "def check(candidate):\n    return True\ndef f(x):\n    return 0\n",
    ],
)
def test_br_064_nothing_that_code_says_or_leaves_by_passes_it(
    answer: str, executing: Executing
) -> None:
    for item in (
        python(),
        python(tests="def check(candidate):\n    assert candidate(1) == 2", entry="f"),
    ):
        assert executing(item, f"```python\n{answer}```").outcome is Outcome.WRONG


SETUP = (
    "CREATE TABLE t (n INT, s TEXT); INSERT INTO t VALUES (1, 'a'), (1, 'a'), (2, 'b'), (3, NULL);"
)


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("SELECT s FROM t WHERE n < 3", "SELECT DISTINCT s FROM t WHERE n < 3"),
        ("SELECT DISTINCT s FROM t", "SELECT s FROM t"),
        ("SELECT n FROM t ORDER BY n", "SELECT n FROM t ORDER BY n DESC"),
        ("SELECT s FROM t WHERE n = 3", "SELECT '' FROM t WHERE n = 3"),
        ("SELECT s FROM t WHERE n = 3", "SELECT s FROM t WHERE n = 4"),
        ("SELECT n FROM t", "SELECT CAST(n AS TEXT) FROM t"),
    ],
)
def test_br_065_duplicates_order_and_nulls_count(
    query: str, answer: str, executing: Executing
) -> None:
    item = make_item({"sql": {"setup": SETUP, "query": query}})
    assert executing(item, answer).outcome is Outcome.WRONG
    assert executing(item, query).outcome is Outcome.RIGHT


def test_br_065_one_equals_one_point_zero_and_empty_keys_are_refused(executing: Executing) -> None:
    item = make_item({"sql": {"setup": SETUP, "query": "SELECT n FROM t"}})
    assert executing(item, "SELECT n * 1.0 FROM t").outcome is Outcome.RIGHT
    with pytest.raises(Exception, match="no row"):
        executing.prove(
            make_item({"sql": {"setup": SETUP, "query": "SELECT n FROM t WHERE n > 9"}})
        )


def spider() -> list[tuple[str, str, str]]:
    folder = DATA / "code"
    if not (folder / "spider_questions.jsonl").is_file():
        pytest.skip(f"no Spider databases at {folder}: set AFERE_TEST_DATA")
    setups = {path.stem: path.read_text("utf-8") for path in folder.glob("spider_db/*.sql")}
    rows = map(json.loads, (folder / "spider_questions.jsonl").read_text("utf-8").splitlines())
    return [(row["question"], setups[row["db_id"]], row["gold"]) for row in rows]


def asked_of_spider(executing: Executing) -> list[tuple[Item, str]]:
    """Give the items whose gold query finds a row; the door refuses the others."""
    kept, refused = [], 0
    for _, setup, gold in spider():
        item = make_item({"sql": {"setup": setup, "query": gold}})
        try:
            executing.prove(item)
        except AnswerKeyError:
            refused += 1
        else:
            kept.append((item, gold))
    assert (len(kept), refused) == (KEPT, 101 - KEPT)
    return kept


def test_every_gold_query_of_spider_agrees_with_itself(executing: Executing) -> None:
    pairs = [(item, f"```sql\n{gold};\n```") for item, gold in asked_of_spider(executing)]
    assert {grade.outcome for grade in executing.all(pairs)} == {Outcome.RIGHT}
    for _, setup, gold in spider():
        rows = executing.rows(setup, gold)
        assert difference(rows, executing.rows(setup, gold), ordered=is_ordered(gold)) is None


KEPT = 97  # the other four find no row in these small databases
CHANGES = (
    (" INTERSECT ", " UNION "),
    (" = ", " != "),
    (" > ", " <= "),
    (" < ", " >= "),
    (" DESC", " ASC"),
    ("ORDER BY", "ORDER BY -"),
    ("count(*)", "count(*) + 1"),
    ("avg(", "1 + avg("),
    ("max(", "1 + max("),
    ("SELECT ", "SELECT 1, "),
)


def changed(gold: str) -> list[str]:
    """Change the conditions of a query, or what it gives, each in turn."""
    return [gold.replace(old, new, 1) for old, new in CHANGES if old in gold]


def test_every_gold_query_of_spider_differs_from_itself_with_another_condition(
    executing: Executing,
) -> None:
    """Not every change shows in tables this small, but no query is free of one that does."""
    asked = asked_of_spider(executing)
    pairs = [(item, other) for item, gold in asked for other in changed(gold)]
    seen: dict[int, list[Outcome]] = {}
    for (item, _), grade in zip(pairs, executing.all(pairs), strict=True):
        seen.setdefault(id(item), []).append(grade.outcome)
    assert len(seen) == KEPT
    assert all(Outcome.WRONG in outcomes for outcomes in seen.values())
    wrong = sum(outcomes.count(Outcome.WRONG) for outcomes in seen.values())
    assert wrong > 0.9 * len(pairs)
