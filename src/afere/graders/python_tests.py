"""Tests of Python answers as suites write them, made ready to run.

Tests may call the entry point bare, take it from `solution` ("from solution import dedupe"), or be
a function `check(candidate)`; functions named `test…` and classes of them are called as pytest and
unittest would. Tests that can never fail are refused: every answer would pass them.
"""

import ast
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from keyword import iskeyword

from afere.domain import AnswerKeyError, Case
from afere.graders.reading.python_source import free_names, names_bound, parsed

__all__ = ["Tests", "comparing_tests", "is_name", "ready_tests", "unmended"]

SOLUTION = "solution"
_PLAIN = (str, bytes, list, dict, set, tuple, int, float, complex)
_PLAIN_PARTS = frozenset(part for kind in _PLAIN for part in dir(kind))
_RUNS_ASYNC = frozenset({"run", "run_until_complete", "create_task", "next", "anext"})
_SURROUNDINGS = (  # what tests do to their process, and the answer is to feel
    "redirect_stdout redirect_stderr patch environ chdir open tempfile NamedTemporaryFile "
    "TemporaryDirectory mkdtemp mkstemp write_text write_bytes"
)
_ABOUT_ALL = frozenset(_SURROUNDINGS.split())
_STREAMS = frozenset({"stdin", "stdout", "stderr", "argv"})
_ASSERTS = ("assert", "fail", "raises")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests:
    """Tests made ready.

    source: with the calls that pytest or unittest would make.
    names: what they take from the answer, the entry point first.
    imports: what they need of the standard library and do not import.
    together: whether they use the answer in a way that no plain data can carry across.
    """

    source: str
    names: tuple[str, ...]
    imports: tuple[str, ...]
    together: bool


def ready_tests(source: str, entry: str | None, *, prelude: str, field: str) -> Tests:
    """Make tests ready; raises AnswerKeyError where they cannot be used.

    entry: the entry point, None where it is read from the tests.
    prelude: source that runs before the tests and brings names of its own.
    """
    tree = _tree(source, field)
    taken = _from_solution(tree)
    free = _calls_in_order(tree, free_names(source) - (_bound_by(prelude) - {entry}))
    imports = tuple(name for name in free if name in sys.stdlib_module_names)
    called = [name for name in free if name not in imports]
    names = list(dict.fromkeys([*taken, *called]))
    entry = entry or (names[0] if names else None)
    if entry is None:
        mend = "Name it: `entry: …`, or import it from `solution`."
        raise AnswerKeyError("the tests call no function of the answer", mend=mend, field=field)
    is_checked = "check" in names_bound(tree) and not _calls(tree, "check")
    if entry not in names and not is_checked and not _named_as_text(tree, entry):
        mend = f"Call `{entry}`, or name the function that they do call as `entry`."
        raise AnswerKeyError(f"the tests never call `{entry}`", mend=mend, field=field)
    if not _can_fail(tree):
        mend = "Write `assert …` lines."
        raise AnswerKeyError("the tests assert nothing", mend=mend, field=field)
    ordered = (entry, *(name for name in names if name != entry))
    calls = [f"check({entry})"] if is_checked else list(_calls_of_tests(tree, field))
    return Tests(
        source="\n".join([source.rstrip("\n"), *calls]) + "\n",
        names=ordered,
        imports=imports,
        together=_needs_together(tree, ordered),
    )


def comparing_tests(entry: str, reference: str, inputs: Sequence[object], tolerance: float) -> str:
    """Write tests that compare the answer with a reference on inputs, each a list of arguments.

    An input on which the reference itself fails is passed over.
    """
    return _COMPARING.format(
        entry=entry, reference=reference, inputs=inputs, tolerance=float(tolerance)
    )


def tests_of_cases(entry: str, cases: Sequence[Case]) -> str:
    """Write cases as tests, for an answer that they share a process with."""
    calls = ((f"{entry}(*{case.args!r})", repr(case.expected)) for case in cases)
    return "\n".join(f"assert {call} == {due}" for call, due in calls)


def is_name(text: object) -> bool:
    """Tell whether a text can name a function."""
    return isinstance(text, str) and text.isidentifier() and not iskeyword(text)


def unmended(source: str) -> str | None:
    """Say why a text does not compile, None where it does."""
    if not source.strip() or parsed(source) is not None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "tests", "exec", dont_inherit=True)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return str(error) or type(error).__name__
    return "too long"


_COMPARING = """\
import copy as _copy
import math as _math

_reference = {{"__name__": "reference"}}
exec({reference!r}, _reference)


def _same(given, due):
    if isinstance(due, float) and isinstance(given, (int, float)):
        return _math.isclose(given, due, rel_tol=1e-7, abs_tol={tolerance!r}) or (
            given != given and due != due
        )
    if isinstance(due, (list, tuple)):
        return (
            type(given) is type(due)
            and len(given) == len(due)
            and all(_same(one, other) for one, other in zip(given, due))
        )
    if isinstance(due, dict) and isinstance(given, dict):
        return given.keys() == due.keys() and all(_same(given[key], due[key]) for key in due)
    return given == due


_compared = 0
for _arguments in {inputs!r}:
    try:
        _due = _reference[{entry!r}](*_copy.deepcopy(_arguments))
    except Exception:  # outside of what the reference is for
        continue
    _given = {entry}(*_copy.deepcopy(_arguments))
    assert _same(_given, _due), _arguments
    _compared += 1
if not _compared:
    raise RuntimeError("the reference fails on every input")
"""


def _tree(source: str, field: str) -> ast.Module:
    tree = parsed(source)
    if tree is None:
        problem = f"the tests do not compile: {unmended(source) or 'there are none'}"
        raise AnswerKeyError(problem, mend="Mend that line.", field=field)
    return tree


def _bound_by(source: str) -> frozenset[str]:
    tree = parsed(source)
    return names_bound(tree) if tree is not None else frozenset()


def _from_solution(tree: ast.Module) -> list[str]:
    """Give what is imported from the answer, or used as a part of it."""
    names: list[str] = []
    aliases = set()
    for each in ast.walk(tree):
        if isinstance(each, ast.ImportFrom) and each.module == SOLUTION and not each.level:
            names += [alias.name for alias in each.names if alias.name != "*"]
        elif isinstance(each, ast.Import):
            aliases |= {one.asname or one.name for one in each.names if one.name == SOLUTION}
    names += [
        each.attr
        for each in ast.walk(tree)
        if isinstance(each, ast.Attribute)
        and isinstance(each.value, ast.Name)
        and each.value.id in aliases
    ]
    return list(dict.fromkeys(names))


def _calls_in_order(tree: ast.Module, free: frozenset[str]) -> list[str]:
    """Give free names in the order in which they stand, those that are called first."""
    called = [
        each.func.id
        for each in ast.walk(tree)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)
    ]
    named = [each.id for each in ast.walk(tree) if isinstance(each, ast.Name)]
    return [name for name in dict.fromkeys([*called, *named]) if name in free]


def _calls(tree: ast.Module, name: str) -> bool:
    return any(
        isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == name
        for each in ast.walk(tree)
    )


def _named_as_text(tree: ast.Module, entry: str) -> bool:
    return any(isinstance(each, ast.Constant) and each.value == entry for each in ast.walk(tree))


def _can_fail(tree: ast.Module) -> bool:
    for each in ast.walk(tree):
        if isinstance(each, ast.Assert | ast.Raise):
            return True
        if isinstance(each, ast.Call):
            name = getattr(each.func, "attr", getattr(each.func, "id", ""))
            if name.startswith(_ASSERTS):
                return True
    return False


def _calls_of_tests(tree: ast.Module, field: str) -> Iterator[str]:
    """Write the calls that pytest or unittest would make."""
    for each in tree.body:
        match each:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if _is_test(each.name):
                if not _calls(tree, each.name):
                    yield _call(each, field)
            case ast.ClassDef() if _is_unittest(each):
                for name in _methods(each):
                    yield f"{each.name}({name!r}).debug()"
            case ast.ClassDef() if each.name.startswith("Test"):
                for name in _methods(each):
                    setup = "setup_method" in {getattr(part, "name", "") for part in each.body}
                    yield f"_tests = {each.name}()"
                    yield from ["_tests.setup_method()"] * setup
                    yield f"_tests.{name}()"


def _call(function: ast.FunctionDef | ast.AsyncFunctionDef, field: str) -> str:
    arguments = function.args
    needed = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    if needed or any(default is None for default in arguments.kw_defaults):
        problem = f"`{function.name}` takes arguments: fixtures and parameters are not filled in"
        mend = "Write a loop inside the test."
        raise AnswerKeyError(problem, mend=mend, field=field)
    if isinstance(function, ast.AsyncFunctionDef):
        return f"__import__('asyncio').run({function.name}())"
    return f"{function.name}()"


def _is_test(name: str) -> bool:
    return name.startswith("test")


def _is_unittest(tests: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith("TestCase") for base in tests.bases)


def _methods(tests: ast.ClassDef) -> list[str]:
    return [
        each.name
        for each in tests.body
        if isinstance(each, ast.FunctionDef) and _is_test(each.name)
    ]


def _needs_together(tree: ast.Module, names: Sequence[str]) -> bool:
    """Tell whether tests use a class of the answer, await it, or hand it a function.

    Or whether they use what it gives as a function, or do something to the process it runs in.
    """
    own = {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}
    return (
        _uses_class(tree, names)
        or _uses_object(tree, names)
        or _touches_process(tree)
        or any(_shares(each, names, own) for each in ast.walk(tree))
    )


def _uses_class(tree: ast.Module, names: Sequence[str]) -> bool:
    """Tell whether what is named as classes are stands beside other names, or is not just called.

    A single one that is called may be a function after all.
    """
    classes = {name for name in names if name[:1].isupper() and not name.isupper()}
    called = {id(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call)}
    return bool(classes) and (
        len(names) > 1
        or any(
            isinstance(each, ast.Name) and each.id in classes and id(each) not in called
            for each in ast.walk(tree)
        )
    )


def _shares(each: ast.AST, names: Sequence[str], own: set[str]) -> bool:
    """Tell whether one part of tests cannot reach the answer by plain data."""
    match each:
        case ast.Await():
            return True
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return any(_is_one_of(part, names) for part in each.decorator_list)
        case ast.withitem():
            return _is_call_of(each.context_expr, names)
        case ast.Call():
            callee = getattr(each.func, "id", getattr(each.func, "attr", ""))
            values = [*each.args, *(keyword.value for keyword in each.keywords)]
            hands_over = callee in names and any(_is_function(value, own) for value in values)
            runs = callee in _RUNS_ASYNC and any(_is_call_of(value, names) for value in values)
            return hands_over or runs or _is_call_of(each.func, names)
    return False


def _touches_process(tree: ast.Module) -> bool:
    """Tell whether tests look at what is printed, or prepare input, files or surroundings."""
    for each in ast.walk(tree):
        match each:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                if name in _ABOUT_ALL:
                    return True
                stored = isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
                if stored and name in _STREAMS:
                    return True
    return False


def _is_one_of(value: ast.expr, names: Sequence[str]) -> bool:
    """Tell whether a decorator is a name of the answer, or made by one."""
    return (isinstance(value, ast.Name) and value.id in names) or _is_call_of(value, names)


def _uses_object(tree: ast.Module, names: Sequence[str]) -> bool:
    """Tell whether a part of what the answer gave is used: `Stack().push`, `s = Stack()`, `s.pop`.

    Of a function, named in small letters, the parts of plain values are no sign of an object.
    """
    made = {
        target.id: _callee(each.value)
        for each in ast.walk(tree)
        if isinstance(each, ast.Assign) and _is_call_of(each.value, names)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    for each in ast.walk(tree):
        if isinstance(each, ast.Call) and getattr(each.func, "id", "") in made:
            return True
        if not isinstance(each, ast.Attribute):
            continue
        of = each.value
        maker = made.get(of.id, "") if isinstance(of, ast.Name) else _callee(of)
        if maker in names and (maker[:1].isupper() or each.attr not in _PLAIN_PARTS):
            return True
    return False


def _callee(value: ast.expr) -> str:
    """Give the bare name that a call calls, empty for anything else."""
    return getattr(value.func, "id", "") if isinstance(value, ast.Call) else ""


def _is_function(value: ast.expr, own: set[str]) -> bool:
    return isinstance(value, ast.Lambda) or (isinstance(value, ast.Name) and value.id in own)


def _is_call_of(value: ast.expr, names: Sequence[str]) -> bool:
    return _callee(value) in names
