"""The reference is what the code says, and names what the program gives."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from command import Afere

PROGRAM = Path(__file__).parents[2] / "docs" / "reference.py"


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_what_the_code_says(reference: ModuleType) -> None:
    stale = [page.name for page, text in reference.pages().items() if page.read_text() != text]
    assert not stale, "type: make docs"


def test_the_fields_named_are_those_given(project: Afere, reference: ModuleType) -> None:
    project.write("answers.jsonl", '{"item": "i1", "content": "2"}\n')
    ran = project("run", "suite.yaml", "-m", "good", "-m", "fair", "--rounds", "1", "--json")
    assert list(ran.json) == ["runs"]
    commands = {
        "show": ("latest",),
        "grade": ("suite.yaml", "answers.jsonl"),
        "regrade": ("latest",),
        "ping": ("-m", "good"),
        "check": ("suite.yaml",),
        "export": ("latest", "--format", "csv", "-o", "run.csv"),
        "runs": (),
        "suites": (),
        "init": ("new",),
    }
    for name, arguments in commands.items():
        given = project(name, *arguments, "--json").json
        assert set(given) == set(reference.FIELDS[name]), name
    (row, *_) = project("show", "latest", "--json").json["rows"]
    assert set(row) == set(reference.FIELDS["show"]["rows"].split(", "))
    assert row["attempts"] == 1
