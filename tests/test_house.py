"""The house's own rules: rooms are named and documented, sizes are printed."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import pytest

import afere

SOURCE = Path(afere.__file__).parent
ROOMS = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))
NAMELESS = {"util", "utils", "common", "helper", "helpers", "misc", "tools"}
LARGE_FILE, LARGE_FUNCTION = 400, 40


def modules() -> Iterator[Path]:
    return (path for path in sorted(SOURCE.rglob("*.py")) if "__pycache__" not in path.parts)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_is_for_and_what_it_shows(room: str) -> None:
    module = importlib.import_module(f"afere.{room}")
    assert module.__doc__
    assert all(hasattr(module, name) for name in module.__all__)


def test_every_module_can_be_imported() -> None:
    for module in pkgutil.walk_packages([str(SOURCE)], "afere."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def test_no_file_is_named_for_odds_and_ends() -> None:
    assert not [path for path in modules() if path.stem.strip("_") in NAMELESS]


def test_only_the_command_line_prints() -> None:
    printing = [
        path.relative_to(SOURCE)
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert {path.parts[:2] for path in printing} <= {("app", "cli")}


def test_every_public_name_is_documented() -> None:
    silent = []
    for room in ROOMS:
        module = importlib.import_module(f"afere.{room}")
        silent += [
            f"{room}.{name}"
            for name in module.__all__
            if isinstance(getattr(module, name), type | FunctionType)
            and not getattr(module, name).__doc__
        ]
    assert not silent


def test_sizes_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """A list to think about, not a wall."""
    rows = []
    for path in modules():
        text = path.read_text("utf-8")
        if text.count("\n") > LARGE_FILE:
            rows.append(f"{path.relative_to(SOURCE)}: {text.count(chr(10))} lines")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno
                if length > LARGE_FUNCTION:
                    rows.append(f"{path.relative_to(SOURCE)}:{node.name}: {length} lines")
    with capsys.disabled():
        if rows:
            print("\nlarger than the guides:", *rows, sep="\n  ")
