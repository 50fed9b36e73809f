"""`python`: the answer is a program, judged by tests or cases that it never sees."""

import ast
import math
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from afere.domain import AnswerKeyError, Case, Item, Limits, PythonTask, Reading
from afere.graders.executed import (
    Answer,
    ExecutedKind,
    Tried,
    limits_of,
    plain_value,
    text_field,
)
from afere.graders.kind import check_names
from afere.graders.python_tests import (
    Tests,
    comparing_tests,
    is_name,
    ready_tests,
    tests_of_cases,
    unmended,
)
from afere.graders.reading.python_program import read_program
from afere.graders.reading.python_source import free_names, names_bound, parsed
from afere.graders.reading.reply import Reply

__all__ = ["PythonKind"]

_FIELD = "expect.python"
_HASH_SEEDS = (0, 1, 2)
_MOST_SEEDS = 16
_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key:
    """A key made ready. start: the source that an answer without a head continues."""

    entry: str
    names: tuple[str, ...]
    tests: str
    cases: tuple[Case, ...]
    prelude: str
    start: str
    hash_seeds: tuple[int, ...]
    packages: tuple[str, ...]
    together: bool
    limits: Limits


class PythonKind(ExecutedKind[_Key]):
    """Judges a program by what its entry point does."""

    name = "python"
    settings: ClassVar[Mapping[str, str]] = {}
    known = (
        "entry",
        "tests",
        "cases",
        "inputs",
        "solution",
        "tolerance",
        "prelude",
        "prompt",
        "packages",
        "limits",
        "hash_seeds",
        "together",
    )

    def prepare(self, item: Item, reading: Reading) -> _Key:  # noqa: ARG002 - the same in all
        """Read entry, tests and the rest; raises AnswerKeyError with field and mend."""
        key = item.expect.key
        if not isinstance(key, Mapping) or not key:
            mend = "Write `python: {entry: name, tests: ..}`."
            raise AnswerKeyError("this names no tests", mend=mend, field=_FIELD)
        check_names(key, self.known, _FIELD, "python")
        prelude, start = _source(key, "prelude"), _start(key)
        tests = _tests(key, prelude, start)
        entry = tests.names[0]
        solution = _source(key, "solution")
        _check_solution(solution, entry)
        packages = _packages(key)
        _check_imports(tests.source + "\n" + prelude, packages)
        together, cases = _together(key, tests, solution), _cases(key)
        whole_prelude = _whole_prelude(prelude, start, tests)
        source = tests.source
        if together:  # all of it runs beside the answer
            source = source or tests_of_cases(entry, cases)
        return _Key(
            entry=entry,
            names=tests.names,
            tests=source,
            cases=() if together else cases,
            prelude=whole_prelude,
            start=start,
            hash_seeds=_hash_seeds(key),
            packages=packages,
            together=together,
            limits=limits_of(key, _FIELD),
        )

    def read(self, reply: Reply, key: _Key) -> Answer | None:
        """Find the program; one that a prompt began gets the prompt's imports and helpers."""
        found = read_program(reply.text, key.names, key.start)
        if found is None:
            return None
        source = found.source
        if found.defines and key.start and not source.startswith(key.start):
            source = _under(key.start, source)
        own = found.source.removeprefix(key.start) if key.start else found.source
        return Answer(
            source=source,
            rule=found.rule,
            at_end=found.at_end,
            is_whole=found.defines,
            shown=own,
        )

    async def execute(self, source: str, key: _Key) -> Tried:
        """Run the tests against the program."""
        task = PythonTask(
            answer=source,
            entries=key.names,
            tests=key.tests,
            cases=key.cases,
            prelude=key.prelude,
            hash_seeds=key.hash_seeds,
            packages=key.packages,
            together=key.together,
            limits=key.limits,
        )
        return Tried.ended([await self.sandbox.run(task)])


def _tests(key: Mapping[str, Any], prelude: str, start: str) -> Tests:
    given = [name for name in ("tests", "cases", "inputs") if key.get(name) is not None]
    if len(given) != 1:
        problem = f"both `{given[0]}` and `{given[1]}`" if given else "no `tests` and no `cases`"
        raise AnswerKeyError(problem, mend="Write one of them.", field=_FIELD)
    entry = key.get("entry")
    if entry is not None and not is_name(entry):
        mend = "Write the name of a function: `entry: dedupe`."
        raise AnswerKeyError(f"{entry!r} is no name", mend=mend, field=f"{_FIELD}.entry")
    if given[0] == "tests":
        source = text_field(key, "tests", _FIELD)
        helpers = "\n".join(part for part in (start, prelude) if part)
        return ready_tests(source, entry, prelude=helpers, field=f"{_FIELD}.tests")
    if entry is None:
        mend = "Add `entry: …`, the function that is called."
        raise AnswerKeyError("`entry` is missing", mend=mend, field=_FIELD)
    if given[0] == "cases":
        return Tests(source="", names=(entry,), imports=(), together=False)
    return Tests(source=_of_inputs(key, entry), names=(entry,), imports=(), together=False)


def _of_inputs(key: Mapping[str, Any], entry: str) -> str:
    """Write tests that compare with the reference solution."""
    field = f"{_FIELD}.inputs"
    inputs = plain_value(key["inputs"])
    if not isinstance(inputs, list) or not inputs or not all(map(_is_list, inputs)):
        mend = "Write a list of argument lists: `inputs: [[[1, 2]], [[]]]`."
        raise AnswerKeyError("these are no inputs", mend=mend, field=field)
    solution = _source(key, "solution")
    if not solution:
        mend = "Add `solution: |`, whose values are the right ones."
        raise AnswerKeyError("`inputs` need a `solution`", mend=mend, field=field)
    tolerance = plain_value(key.get("tolerance", _TOLERANCE))
    is_number = isinstance(tolerance, int | float) and not isinstance(tolerance, bool)
    if not is_number or not 0 <= tolerance < math.inf:
        mend = "Write `tolerance: 1e-6`."
        raise AnswerKeyError("this is no tolerance", mend=mend, field=f"{_FIELD}.tolerance")
    return comparing_tests(entry, solution, inputs, tolerance)


def _cases(key: Mapping[str, Any]) -> tuple[Case, ...]:
    given = key.get("cases")
    if given is None:
        return ()
    field, mend = f"{_FIELD}.cases", "Write `cases: [[[argument, ..], value], ..]`."
    if not isinstance(given, list | tuple) or not given:
        raise AnswerKeyError("these are no cases", mend=mend, field=field)
    cases = []
    for number, each in enumerate(plain_value(given), start=1):
        if not _is_list(each) or len(each) != len(("arguments", "value")) or not _is_list(each[0]):
            raise AnswerKeyError(f"case {number} is no pair", mend=mend, field=field)
        cases.append(Case(args=tuple(each[0]), expected=each[1]))
    return tuple(cases)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _source(key: Mapping[str, Any], name: str) -> str:
    source = text_field(key, name, _FIELD)
    problem = unmended(source)
    if problem is not None:
        raise AnswerKeyError(
            f"`{name}` does not compile: {problem}", mend="Mend it.", field=f"{_FIELD}.{name}"
        )
    return source


def _start(key: Mapping[str, Any]) -> str:
    """Give the source of the prompt; its last definition may still lack a body."""
    start = text_field(key, "prompt", _FIELD)
    if start and parsed(start) is None and parsed(f"{start.rstrip()}\n    pass\n") is None:
        mend = "Write the source that an answer may continue, up to its last line."
        problem = f"`prompt` does not compile: {unmended(start)}"
        raise AnswerKeyError(problem, mend=mend, field=f"{_FIELD}.prompt")
    return start


def _check_solution(solution: str, entry: str) -> None:
    tree = parsed(solution)
    if tree is not None and entry not in names_bound(tree):
        raise AnswerKeyError(
            f"`solution` does not define `{entry}`",
            mend="Write it whole, as a right answer.",
            field=f"{_FIELD}.solution",
        )


def _packages(key: Mapping[str, Any]) -> tuple[str, ...]:
    given = key.get("packages")
    listed = [given] if isinstance(given, str) else given or []
    if not isinstance(listed, list | tuple) or not all(map(_is_package, listed)):
        mend = "Write `packages: [numpy]`."
        raise AnswerKeyError("these are no packages", mend=mend, field=f"{_FIELD}.packages")
    return tuple(listed)


def _is_package(name: object) -> bool:
    return isinstance(name, str) and re.fullmatch(r"[A-Za-z0-9][\w.-]*", name) is not None


def _check_imports(source: str, packages: tuple[str, ...]) -> None:
    """Find what tests import that nobody makes available to them."""
    tree = parsed(source)
    if tree is None or packages:
        return
    imported = [
        name.partition(".")[0]
        for each in ast.walk(tree)
        for name in _imported(each)
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "solution"}
    ]
    if imported:
        raise AnswerKeyError(
            f"the tests import `{imported[0]}`, which is no part of Python",
            mend=f"Declare it: `packages: [{imported[0]}]`.",
            field=f"{_FIELD}.packages",
        )


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module]
    return []


def _whole_prelude(prelude: str, start: str, tests: Tests) -> str:
    """Give what the tests need: imports, helpers of the prompt, and the prelude itself."""
    needed = free_names(tests.source) - set(tests.names)
    tree = parsed(start)
    helped = tree is not None and not needed.isdisjoint(names_bound(tree))
    imports = [f"import {name}" for name in tests.imports]
    return "\n".join([*([start] if helped else []), *imports, *([prelude] if prelude else [])])


def _hash_seeds(key: Mapping[str, Any]) -> tuple[int, ...]:
    given = key.get("hash_seeds", _HASH_SEEDS)
    listed = given if isinstance(given, list | tuple) else [given]
    valid = all(
        isinstance(each, int) and not isinstance(each, bool) and 0 <= each < 2**32
        for each in listed
    )
    if not valid or not 0 < len(listed) <= _MOST_SEEDS:
        mend = "Write `hash_seeds: [1, 2, 3]`."
        raise AnswerKeyError("these are no seeds", mend=mend, field=f"{_FIELD}.hash_seeds")
    return tuple(listed)


def _together(key: Mapping[str, Any], tests: Tests, solution: str) -> bool:
    """Tell whether tests must share the answer's process: as declared, else as they show."""
    given = key.get("together")
    if given is None:
        return tests.together or _is_no_plain_function(solution, tests.names)
    if not isinstance(given, bool):
        mend = "Write `together: true`."
        raise AnswerKeyError("true or false is due", mend=mend, field=f"{_FIELD}.together")
    return given


def _is_no_plain_function(solution: str, names: tuple[str, ...]) -> bool:
    tree = parsed(solution)
    for each in tree.body if tree is not None else ():
        if getattr(each, "name", None) not in names:
            continue
        if isinstance(each, ast.ClassDef | ast.AsyncFunctionDef) or any(
            isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(each)
        ):
            return True
    return False


def _under(start: str, source: str) -> str:
    """Put a whole program under the prompt's imports and helpers, if it still compiles there."""
    joined = f"{start.rstrip()}\n\n\n{source}"
    return joined if parsed(joined) is not None else source
