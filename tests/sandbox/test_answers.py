"""Python answers are judged by what they do, with tests and values out of their reach."""

from typing import Any

import pytest

from afere.domain import Case, Limits, PythonTask, UsageError

RIGHT = "def f(x):\n    return x + 1\n"


def test_a_right_answer_passes_and_a_wrong_one_fails_at_the_named_line(inside: Any) -> None:
    assert inside.python(RIGHT, tests="assert f(2) == 3").failure is None
    wrong = inside.python("def f(x): return x", tests="import math\nassert f(2) == 3\n")
    assert (wrong.failure, wrong.message) == ("assertion", "assert f(2) == 3")


def test_cases_are_compared_outside_the_answer(inside: Any) -> None:
    cases = (Case(args=(1,), expected=2), Case(args=(5,), expected=6))
    assert inside.python(RIGHT, cases=cases).failure is None
    wrong = inside.python("def f(x): return 2", cases=cases)
    assert (wrong.failure, wrong.message) == ("assertion", "case 2, (5): gave 2, expected 6")


def test_every_result_names_level_and_integrity(inside: Any) -> None:
    came = inside.python(RIGHT, tests="assert f(2) == 3")
    assert (came.level, came.integrity) == (inside.sandbox.level, "strong")
    assert came.level in {"namespaces", "bubblewrap", "landlock"}


def test_tests_that_import_from_solution_run_unchanged(inside: Any) -> None:
    tests = "from solution import f\nimport solution\nassert f(2) == solution.f(2) == 3\n"
    assert inside.python(RIGHT, tests=tests).failure is None


def test_functions_of_the_prompt_run_beside_the_tests_never_from_the_answer(inside: Any) -> None:
    prelude = "def check(value): return value == 3\n"
    hostile = "def check(value): return True\ndef f(x): return 0\n"
    how = {"tests": "assert check(f(2))", "prelude": prelude}
    assert inside.python(hostile, **how).failure == "assertion"
    assert inside.python(RIGHT, **how).failure is None


def test_an_answer_without_the_entry_says_so(inside: Any) -> None:
    came = inside.python("def g(x): return 3", tests="assert f(2) == 3")
    assert (came.failure, came.message) == ("exception", "the answer does not define f")


@pytest.mark.parametrize(
    "source",
    ["def f(x:", "return 1", "\0", "x = '\ud800'", "(" * 10000, "def f(x):\n  a\n b", "f = 1_"],
)
def test_what_does_not_compile_is_a_syntax_failure(inside: Any, source: str) -> None:
    assert inside.python(source, tests="f(1)").failure == "syntax"


@pytest.mark.parametrize(
    ("body", "failure"),
    [
        ("raise ValueError('no')", "exception"),
        ("assert x > 100", "exception"),
        ("return bytearray(8 << 30)", "memory"),
        ("import os; os._exit(0)", "crash"),
        ("import os; os.abort()", "crash"),
        ("raise SystemExit(0)", "exception"),
        ("raise KeyboardInterrupt", "exception"),
        ("print('x' * (2 << 20)); return 3", "output"),
        ("return undefined", "exception"),
        ("return f(x)", "exception"),
    ],
)
def test_each_way_to_fail_has_its_own_name(inside: Any, body: str, failure: str) -> None:
    assert inside.python(f"def f(x):\n    {body}\n", tests="assert f(2) == 3").failure == failure


def test_processor_time_and_wall_time_are_limits(inside: Any) -> None:
    loop = inside.python(
        "def f(x):\n    while True: pass", tests="f(1)", limits=Limits(cpu=0.2, wall=30)
    )
    assert (loop.failure, loop.message) == (
        "timeout",
        "it used more than 0.2 s of processor time",
    )
    sleep = inside.python(
        "import time\ndef f(x): time.sleep(60)", tests="f(1)", limits=Limits(wall=0.2)
    )
    assert (sleep.failure, sleep.message) == ("timeout", "it did not end in 0.2 s")


def test_right_answers_under_load_are_not_timed_out(inside: Any) -> None:
    """32 at once, each needing more processor time than half its wall limit."""
    work = "def f(x):\n    for _ in range(400000): pass\n    return 3\n"
    task = PythonTask(
        answer=work, entries=("f",), tests="assert f(2) == 3", limits=Limits(cpu=10, wall=10)
    )
    assert {came.failure for came in inside.all([task] * 32)} == {None}


def test_open_files_are_limited(inside: Any) -> None:
    hungry = "def f(x):\n    kept = [open('/dev/null') for _ in range(100)]\n    return 3\n"
    came = inside.python(hungry, tests="assert f(2) == 3", limits=Limits(files=32))
    assert came.failure == "exception"
    assert "Too many open files" in came.message


def test_file_size_is_limited(inside: Any) -> None:
    large = "def f(x):\n    open('f', 'wb').write(bytes(2 << 20))\n    return 3\n"
    came = inside.python(large, tests="assert f(2) == 3", limits=Limits(file_size=1 << 20))
    assert came.failure == "exception"
    assert "File too large" in came.message


@pytest.mark.parametrize(
    ("value", "check"),
    [
        ("float('inf')", "== float('inf')"),
        ("-0.0", "== 0 and str(f(2)) == '-0.0'"),
        ("10 ** 30", "== 10 ** 30"),
        ("(1, [2], {3})", "== (1, [2], {3})"),
        ("b'\\xff'", "== b'\\xff'"),
        ("1 + 2j", "== 1 + 2j"),
        ("{1: {'a': None}, (2, 3): 4.5}", "== {1: {'a': None}, (2, 3): 4.5}"),
        ("frozenset({1})", "== frozenset({1})"),
        ("range(0, 10, 3)", "== range(0, 10, 3)"),
        ("__import__('collections').Counter('aab')", "== {'a': 2, 'b': 1}"),
        ("__import__('collections').deque([1, 2])", "== [1, 2]"),
        ("__import__('collections').namedtuple('P', 'x y')(1, 2)", "== (1, 2)"),
        ("__import__('decimal').Decimal('1.10')", "== __import__('decimal').Decimal('1.1')"),
        ("__import__('fractions').Fraction(1, 3) * 3", "== 1"),
        ("__import__('datetime').date(2026, 1, 2)", ".isoformat() == '2026-01-02'"),
        ("__import__('enum').IntEnum('E', 'A').A", "== 1"),
        ("'\\ud800 \\U0001f600'", "== '\\ud800 \\U0001f600'"),
        ("map(abs, [1, -2])", ".__next__() == 1"),
        ("(y for y in (1, 2))", "!= [1, 2]"),
        ("{1: 2}.keys()", "== {1}"),
        ("{1: 2}.items()", "== {(1, 2)}"),
        ("True", "is True"),
        ("object()", "!= object()"),
    ],
)
def test_values_cross_as_they_are(inside: Any, value: str, check: str) -> None:
    came = inside.python(f"def f(x):\n    return {value}\n", tests=f"assert f(2) {check}\n")
    assert (came.failure, came.message) == (None, "")


def test_arguments_changed_in_place_are_seen_by_the_tests(inside: Any) -> None:
    tests = "a, b, c = [3, 1], {'x': 1}, {1}\nassert f(a, b, c) is None\n"
    tests += "assert (a, b, c) == ([1, 3], {'x': 1, 'y': 2}, {1, 5})\n"
    answer = "def f(a, b, c):\n    a.sort(); b['y'] = 2; c.add(5)\n"
    assert inside.python(answer, tests=tests).failure is None


def test_named_arguments_changed_in_place_are_seen_too(inside: Any) -> None:
    tests = "a = [3, 1]\nf(items=a)\nassert a == [1, 3]\n"
    assert inside.python("def f(items):\n    items.sort()\n", tests=tests).failure is None


@pytest.mark.parametrize(
    "tests",
    [
        "assert list(f(3)) == [0, 1, 2]",
        "assert [x for _, x in zip(range(3), f(9))] == [0, 1, 2]",
        "from itertools import islice\nassert sum(islice(f(9), 3)) == 3",
        "got = f(3)\nassert sorted(got, reverse=True) == [2, 1, 0]",
        "for x in f(9):\n    if x > 2:\n        break\nassert x == 3",
    ],
)
@pytest.mark.parametrize(
    "body",
    [
        "return iter(range(n))",
        "return (x for x in range(n))",
        "return map(int, range(n))",
        "yield from range(n)",
        "return dict.fromkeys(range(n)).keys()",
    ],
)
def test_what_is_iterated_crosses_with_its_elements(inside: Any, tests: str, body: str) -> None:
    came = inside.python(f"def f(n):\n    {body}\n", tests=tests, hash_seeds=(0,))
    assert (came.failure, came.message, came.integrity) == (None, "", "strong")


def test_an_iterator_without_end_crosses_with_its_beginning(inside: Any) -> None:
    answer = "import itertools\ndef f(x): return itertools.count(x)\n"
    assert inside.python(answer, tests="assert next(f(2)) == 2").failure is None
    came = inside.python(answer, tests="assert list(f(2)) == [2]")
    assert came.failure == "exception"
    assert "its first elements alone" in came.message


def test_an_error_at_the_end_of_an_iterator_is_raised_there(inside: Any) -> None:
    tests = "g = f(2)\nassert next(g) == 1\ntry:\n    next(g)\nexcept KeyError:\n    pass\n"
    tests += "else:\n    assert False\n"
    answer = "def f(x):\n    yield 1\n    raise KeyError(x)\n"
    assert inside.python(answer, tests=tests).failure is None


def test_an_answer_that_stops_an_iteration_of_the_tests_does_not_pass(inside: Any) -> None:
    """`all` takes StopIteration out of `map` for the end of the cases."""
    stops = "def f(x): raise StopIteration\n"
    for tests in (
        "assert all(map(lambda x: f(x) == x + 1, [1, 2]))",
        "for got, due in zip(map(f, [1, 2]), [2, 3]):\n    assert got == due",
    ):
        assert inside.python(stops, tests=tests).failure == "exception"
    named = "try:\n    f(2)\nexcept StopIteration:\n    pass\nelse:\n    assert False\n"
    assert inside.python(stops, tests=named).failure is None


@pytest.mark.parametrize(
    "tests",
    [
        "class N:\n    v = 2\nassert f(N()) == 2",
        "class N:\n    v = 2\ntry:\n    assert f([N()]) == 2\nfinally:\n    pass",
        "from collections import Counter\nassert f(Counter('aab')) == 2",
        "from operator import add\nassert f(x=add) == 2",
    ],
)
def test_tests_that_hand_over_what_cannot_cross_run_beside_the_answer(
    inside: Any, tests: str
) -> None:
    answer = "def f(x):\n    x = x[0] if isinstance(x, list) else x\n"
    answer += "    if isinstance(x, dict): return x.most_common()[0][1]\n"
    answer += "    return x(1, 1) if callable(x) else x.v\n"
    came = inside.python(answer, tests=tests)
    assert (came.failure, came.integrity) == (None, "weak")
    wrong = inside.python("def f(x): return 3", tests=tests)
    assert (wrong.failure, wrong.integrity) == ("assertion", "weak")


def test_tests_and_what_they_need_are_apart_beside_the_answer_too(inside: Any) -> None:
    tests = "from __future__ import annotations\nassert f(one) == 2"
    came = inside.python(RIGHT, tests=tests, prelude="one = 1", together=True)
    assert (came.failure, came.message) == (None, "")


def test_tests_that_swallow_everything_run_beside_the_answer_too(inside: Any) -> None:
    tests = "try:\n    f(len)\nexcept:\n    pass\nassert f(1) == 2\n"
    came = inside.python("def f(x): return 2", tests=tests)
    assert (came.failure, came.integrity) == (None, "weak")


def test_an_answer_cannot_ask_for_tests_beside_it(inside: Any) -> None:
    hostile = "class O: __eq__ = lambda s, o: True\ndef f(x): return O()\n"
    came = inside.python(hostile, tests="assert f(f(2)) == 3")
    assert (came.failure, came.integrity) == ("assertion", "strong")


def test_exceptions_keep_their_builtin_type_and_text(inside: Any) -> None:
    tests = "try:\n    f(2)\nexcept LookupError as error:\n    assert 'no' in str(error)\n"
    tests += "else:\n    assert False\n"
    answer = "class Missing(KeyError): pass\ndef f(x): raise Missing('no')\n"
    assert inside.python(answer, tests=tests).failure is None


def test_an_answer_must_pass_under_every_hash_seed(inside: Any) -> None:
    """A set's order is luck under one seed: duplicates removed in order is not `list(set(x))`."""
    tests = "assert f(['pear', 'fig', 'pear', 'kiwi', 'fig']) == ['pear', 'fig', 'kiwi']\n"
    seeds = tuple(range(8))
    lucky = "def f(x): return list(set(x))\n"
    single = [inside.python(lucky, tests=tests, hash_seeds=(seed,)).failure for seed in seeds]
    assert {None, "assertion"} == set(single)
    assert inside.python(lucky, tests=tests, hash_seeds=seeds).failure == "assertion"
    right = "def f(x): return list(dict.fromkeys(x))\n"
    assert inside.python(right, tests=tests, hash_seeds=seeds).failure is None


def test_classes_and_generators_are_tried_together_with_their_tests_and_marked(
    inside: Any,
) -> None:
    answer = "class Stack:\n    def __init__(s): s.x = []\n    def push(s, v): s.x.append(v)\n"
    tests = "from solution import Stack\ns = Stack()\ns.push(1)\nassert s.x == [1]\n"
    came = inside.python(answer, entries=("Stack",), tests=tests, together=True)
    assert (came.failure, came.integrity) == (None, "weak")
    wrong = inside.python(
        answer, entries=("Stack",), tests=tests + "assert s.x == 2", together=True
    )
    assert (wrong.failure, wrong.integrity) == ("assertion", "weak")
    assert wrong.message == "AssertionError; assert s.x == 2"


def test_packages_that_a_suite_declares_can_be_imported_and_no_others(inside: Any) -> None:
    answer = "import jinja2\ndef f(x): return jinja2.Template('{{ y }}').render(y=x)\n"
    tests = "assert f(2) == '2'\n"
    assert inside.python(answer, tests=tests, packages=("jinja2",)).failure is None
    assert "No module named 'jinja2'" in inside.python(answer, tests=tests).message
    other = "import pytest\ndef f(x): return '2'\n"
    assert inside.python(other, tests=tests, packages=("jinja2",)).failure == "exception"


def test_a_package_that_is_not_here_is_said_with_the_mend(inside: Any) -> None:
    with pytest.raises(UsageError, match="pip install no-such-package"):
        inside.python(RIGHT, tests="f(2)", packages=("no-such-package",))


def test_an_answer_without_entries_is_a_program(inside: Any) -> None:
    came = inside.python("if __name__ == '__main__':\n    print('hi')\n    exit()", entries=())
    assert (came.failure, came.output) == (None, "hi\n")


def test_output_is_kept_decoded_and_cut_at_64_kib(inside: Any) -> None:
    came = inside.python("import os\nos.write(1, b'\\xffa')\n" + RIGHT, tests="f(2)")
    assert came.output == "\ufffda"
    long = inside.python("print('a' * 100000)\n" + RIGHT, tests="f(2)")
    assert (long.failure, len(long.output)) == (None, 64 << 10)


def test_limits_are_numbers_above_zero(inside: Any) -> None:
    for limits in (Limits(cpu=0), Limits(wall=float("nan")), Limits(memory=-1)):
        with pytest.raises(UsageError, match="A limit is a number above 0"):
            inside.python(RIGHT, tests="f(2)", limits=limits)
