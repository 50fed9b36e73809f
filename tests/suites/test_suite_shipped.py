"""The built-in suites: every key is computed, not believed."""

import asyncio
import calendar
import contextlib
import http
import importlib.util
import ipaddress
import itertools
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from afere.domain import Grader, Item, Outcome, Response, Suite
from afere.suites import audit, load, names

SWAPS = ("swap-20", "swap-20-en", "swap-20-zh")
KINDS = [
    "arithmetic",
    "ordering",
    "sequence",
    "units",
    "calendar",
    "premise",
    "time",
    "percentage",
    "command",
    "sql",
    "regex",
    "shell-files",
    "bytes",
    "geometry",
    "hexadecimal",
    "xor",
    "shell-lines",
    "http",
    "logic",
    "reversal",
]
OCTET = r"(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"


@pytest.fixture(params=SWAPS)
def swap(request: pytest.FixtureRequest, graders: Mapping[str, Grader]) -> dict[str, Item]:
    return {str(item.category): item for item in load(request.param, graders).items}


def question(item: Item) -> str:
    assert isinstance(item.input, str)
    return item.input


def numbers(item: Item) -> list[int]:
    return [int(found) for found in re.findall(r"(?<![\d.,])\d+(?![\d.,]*\d)", question(item))]


def judged(item: Item, reply: str, graders: Mapping[str, Grader], suite: Suite) -> Outcome:
    grader = graders[item.expect.kind]
    return asyncio.run(grader.grade(item, Response(content=reply), suite.reading)).outcome


def test_each_built_in_suite_loads_and_has_a_line_about_itself(
    graders: Mapping[str, Grader],
) -> None:
    folder = Path(__file__).parents[2] / "src" / "afere" / "suites" / "builtin"
    assert sorted(names()) == sorted(path.stem for path in folder.glob("*.yaml"))
    for name, line in names().items():
        assert load(name, graders).name == name
        assert line
        assert "\n" not in line


def test_a_swap_suite_holds_one_item_of_each_kind(swap: dict[str, Item]) -> None:
    assert list(swap) == KINDS
    assert len({item.id for item in swap.values()}) == 20


def test_keys_of_arithmetic(swap: dict[str, Item]) -> None:
    one, two, three = numbers(swap["arithmetic"])
    assert swap["arithmetic"].expect.key == one * two + three
    hours, minutes = numbers(swap["time"])
    assert swap["time"].expect.key == hours * 60 + minutes
    parts, percent = sorted(numbers(swap["percentage"]), reverse=True)
    assert swap["percentage"].expect.key * 100 == parts * percent
    assert swap["units"].expect.key * 100 == 375 * 1000
    assert re.search(r"3[.,]75", question(swap["units"]))


def test_keys_of_sequences_and_orders(swap: dict[str, Item]) -> None:
    terms = numbers(swap["sequence"])
    steps = [after - before for before, after in itertools.pairwise(terms)]
    assert all(after == 2 * before for before, after in itertools.pairwise(steps))
    assert swap["sequence"].expect.key == terms[-1] + 2 * steps[-1]
    assert swap["ordering"].expect.key == sorted(numbers(swap["ordering"]))
    listed = re.split(r"[:：]\s*", question(swap["reversal"]))[-1]
    assert swap["reversal"].expect.key == re.split(r",\s*|、", listed)[::-1]


def test_keys_of_calendar_and_premise(swap: dict[str, Item]) -> None:
    assert calendar.isleap(2032)
    assert "2032" in question(swap["calendar"])
    days = sum(calendar.monthrange(2032, month)[1] for month in (1, 2, 3))
    assert swap["calendar"].expect.key == days
    words = {"oito": 8, "eight": 8, "八": 8}
    named = [value for word, value in words.items() if word in question(swap["premise"])]
    assert [swap["premise"].expect.key] == [2 * legs for legs in named]


def test_keys_of_bits_and_geometry(swap: dict[str, Item]) -> None:
    assert swap["bytes"].expect.key == 2**30 // 2
    base, area = numbers(swap["geometry"])[:2]
    assert swap["geometry"].expect.key * base == 2 * area
    one, two = numbers(swap["hexadecimal"])[:2]
    assert swap["hexadecimal"].expect.key == one + two
    assert swap["hexadecimal"].expect.options == {"base": 16}
    one, two = numbers(swap["xor"])
    assert swap["xor"].expect.key == one ^ two


def test_keys_of_http_and_logic(swap: dict[str, Item]) -> None:
    assert swap["http"].expect.key == http.HTTPStatus.TOO_MANY_REQUESTS.value
    assert http.HTTPStatus.TOO_MANY_REQUESTS.phrase in question(swap["http"])
    worlds = [
        on for on, lit in itertools.product((True, False), repeat=2) if (not on or lit) and not lit
    ]
    assert worlds == [False]
    assert swap["logic"].expect.key == swap["logic"].labels[1]


@pytest.mark.skipif(sys.platform != "linux", reason="coreutils are looked for on Linux")
def test_key_of_the_real_command(swap: dict[str, Item]) -> None:
    assert swap["command"].expect.key == "shuf"
    assert shutil.which("shuf")
    assert not shutil.which("mixlines")
    assert "shuf" in question(swap["command"])
    assert "mixlines" in question(swap["command"])


def test_keys_of_the_regular_expression(
    swap: dict[str, Item], graders: Mapping[str, Grader]
) -> None:
    key: dict[str, list[str]] = swap["regex"].expect.key

    def is_address(text: str) -> bool:
        try:
            return str(ipaddress.IPv4Address(text)) == text
        except ValueError:
            return False

    assert all(map(is_address, key["matches"]))
    assert not any(map(is_address, key["rejects"]))
    suite = load("swap-20", graders)
    assert judged(swap["regex"], rf"{OCTET}(\.{OCTET}){{3}}", graders, suite) == Outcome.RIGHT
    loose = (r"\d{1,3}(\.\d{1,3}){3}", rf"{OCTET}(.{OCTET}){{3}}", r".*", rf"({OCTET}\.){{4}}")
    assert {judged(swap["regex"], each, graders, suite) for each in loose} == {Outcome.WRONG}


def test_keys_of_sql(swap: dict[str, Item], graders: Mapping[str, Grader]) -> None:
    item = swap["sql"]
    table, columns = (
        ("pedido", "id, cliente, valor")
        if "pedido" in question(item)
        else ("purchase", "id, customer, amount")
    )
    by = columns.split(", ")[2]
    assert all(column in question(item) for column in [table, *columns.split(", ")])
    query = f"SELECT {columns} FROM {table} ORDER BY {by} DESC LIMIT 10;"  # noqa: S608 - names above
    suite = load("swap-20", graders)
    assert judged(item, query, graders, suite) == Outcome.RIGHT
    for other in (
        query.replace(f"ORDER BY {by} DESC ", ""),
        query.replace(" DESC", ""),
        query.replace("10", "100"),
        query.replace("10", "9"),
        query.replace(f"BY {by}", "BY id"),
    ):
        assert judged(item, other, graders, suite) == Outcome.WRONG
    assert len(item.expect.key["fixtures"]) == 3


@pytest.mark.skipif(not shutil.which("find"), reason="no findutils on this machine")
def test_keys_of_the_largest_files(swap: dict[str, Item], graders: Mapping[str, Grader]) -> None:
    suite = load("swap-20", graders)
    for line in ("ls -S *.csv | head -n 5", "ls -lS *.csv | head -5"):
        assert judged(swap["shell-files"], line, graders, suite) == Outcome.RIGHT
    for line in ("ls *.csv | head -5", "ls -Sr *.csv | head -5", "ls -S *.csv", "ls -S | head -5"):
        assert judged(swap["shell-files"], line, graders, suite) == Outcome.WRONG


@pytest.mark.skipif(not shutil.which("grep"), reason="no grep on this machine")
def test_keys_of_the_counted_lines(swap: dict[str, Item], graders: Mapping[str, Grader]) -> None:
    item = swap["shell-lines"]
    name = "mensagens.txt" if "mensagens.txt" in question(item) else "messages.txt"
    suite = load("swap-20", graders)
    for line in (f"grep -c timeout {name}", f"grep timeout {name} | wc -l"):
        assert judged(item, line, graders, suite) == Outcome.RIGHT
    for line in (f"cat {name}", f"grep -o timeout {name} | wc -l", f"grep timeout {name}"):
        assert judged(item, line, graders, suite) == Outcome.WRONG


def test_code_3_holds_three_tasks_whose_solutions_pass_and_others_fail(
    graders: Mapping[str, Grader],
) -> None:
    suite = load("code-3", graders)
    near = {
        "dedupe": "def dedupe(items): return list(set(items))",
        "fizzbuzz": "def fizzbuzz(n): return ['Fizz' * (i % 3 == 0) for i in range(n)]",
        "parse": "def parse(text): return dict(p.split('=') for p in text.split(',') if p)",
    }
    assert [item.id for item in suite.items] == list(near)
    for item in suite.items:
        assert judged(item, item.expect.key["solution"], graders, suite) == Outcome.RIGHT
        with contextlib.suppress(AssertionError, ValueError):
            assert judged(item, near[item.id], graders, suite) == Outcome.WRONG


def test_first_steps_holds_ten_items_of_six_categories(graders: Mapping[str, Grader]) -> None:
    suite = load("first-steps", graders)
    assert Counter(item.category for item in suite.items) == {
        "capitals": 10,
        "opposites": 10,
        "sums": 10,
        "next": 10,
        "yes-no": 10,
        "choices": 10,
    }
    assert suite.params == {"max_tokens": 32}
    assert len({question(item) for item in suite.items}) == 60
    assert max(len(question(item)) for item in suite.items) < 90


def test_first_steps_sums_are_right(graders: Mapping[str, Grader]) -> None:
    signs: dict[str, Callable[[int, int], int]] = {
        "+": lambda one, two: one + two,
        "-": lambda one, two: one - two,
    }
    for item in load("first-steps", graders).items:
        found = re.search(r"What is (\d+) ([+-]) (\d+)\?", question(item))
        assert (found is not None) == (item.category == "sums")
        if found:
            assert item.expect.key == signs[found[2]](int(found[1]), int(found[3]))


def test_first_steps_keys_lean_to_no_side(graders: Mapping[str, Grader]) -> None:
    items = load("first-steps", graders).items
    assert Counter(item.expect.key for item in items if item.expect.kind == "label") == {
        "yes": 5,
        "no": 5,
    }
    assert Counter(item.expect.key for item in items if item.expect.kind == "choice") == {
        "A": 4,
        "B": 3,
        "C": 3,
    }


def shipped_graders() -> Mapping[str, Grader]:
    if importlib.util.find_spec("afere.graders") is None:
        pytest.skip("the graders room is not here yet")
    module: Any = importlib.import_module("afere.graders")
    graders: Mapping[str, Grader] = module.builtin()
    return graders


@pytest.mark.parametrize("name", sorted(names()))
def test_the_shipped_graders_take_every_key(name: str) -> None:
    graders = shipped_graders()
    problems = asyncio.run(audit(load(name, graders), graders))
    assert {each.code for each in problems} <= {"small_categories", "not_executed"}
