"""The reference is what the code says, and names what the program gives."""

import dataclasses
import importlib.util
import re
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest
from command import Afere

from afere import exams
from afere.app import cli
from afere.report import RunProgress

sys.path.append(str(Path(__file__).parents[1] / "exams"))

from papers import booklet, key, usual_key

EXAMPLE = Path(__file__).parents[2] / "examples" / "calibration"
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
    page = project("report", "good", "fair", "-o", "page.html", "--json").json
    assert set(page) == set(reference.FIELDS["report"])
    (row, *_) = project("show", "latest", "--json").json["rows"]
    assert set(row) == set(reference.FIELDS["show"]["rows"].split(", "))
    assert row["attempts"] == 1


def named(told: str) -> set[str]:
    """Give the fields that a line of the reference names, without what it says of them."""
    return set(re.sub(r" \([^)]*\)", "", told).split(", "))


def test_the_fields_of_the_exam_s_commands_are_those_given(
    afere: Afere, reference: ModuleType
) -> None:
    (afere.folder / "booklet.pdf").write_bytes(booklet(without=frozenset((100,))).data())
    (afere.folder / "key.pdf").write_bytes(key(usual_key()).data())
    commands = {
        "exam build": ("booklet.pdf", "--key", "key.pdf", "-o", "exam"),
        "exam audit": ("exam",),
        "exam verify": ("exam", "booklet.pdf"),
        "exam profile": (),
    }
    given = {}
    for name, arguments in commands.items():
        given[name] = afere(*name.split(), *arguments, "--json").json
        assert set(given[name]) == set(reference.FIELDS[name]), name
    for name, rows in {"exam build": "left_out", "exam audit": "rows"}.items():
        assert set(given[name][rows][0]) == named(reference.FIELDS[name][rows]), name
    different = dataclasses.fields(exams.Difference)
    assert {each.name for each in different} == named(reference.FIELDS["exam verify"]["different"])


def test_the_fields_of_calibration_are_those_given(afere: Afere, reference: ModuleType) -> None:
    shutil.copy(EXAMPLE / "answers.csv", afere.folder)
    afere.write("new.csv", "id,confidence\nn1,0.9\n")
    commands = {
        "calibrate": ("answers.csv", "--freeze", "threshold.json"),
        "calibrate plan": (),
    }
    for name, arguments in commands.items():
        given = afere(*name.split(), *arguments, "--json").json
        (kind, *_) = reference.RECORDS[name][1]
        assert set(given) == {each.name for each in dataclasses.fields(kind)}, name
    several = afere("calibrate", "answers.csv", "answers.csv", "--json").json
    kind = reference.RECORDS["calibrate"][1][1]
    assert set(several) == {each.name for each in dataclasses.fields(kind)}
    applied = afere("calibrate", "apply", "threshold.json", "new.csv", "--json").json
    told = reference.FIELDS["calibrate apply"]
    assert set(applied) == set(told)
    assert set(applied["answers"][0]) == named(told["answers"].partition(";")[0])


def test_the_fields_of_the_sandbox_are_those_given(afere: Afere, reference: ModuleType) -> None:
    doctor = afere("sandbox", "doctor", "--json").json
    told = reference.FIELDS["sandbox doctor"]
    assert set(doctor) == set(told)
    assert set(doctor["levels"][0]) == named(told["levels"])
    if doctor["level"] is not None:
        afere.write("one.py", "print(1)\n")
        ran = afere("sandbox", "run", "one.py", "--json").json
        assert set(ran) == set(reference.FIELDS["sandbox run"])


def test_the_fields_of_what_is_watched_are_those_given(reference: ModuleType) -> None:
    told = reference.FIELDS["watch"]["running"]
    assert named(told) == {each.name for each in dataclasses.fields(RunProgress)}


def test_every_command_is_in_the_reference(reference: ModuleType) -> None:
    shown = {name.removeprefix("afere").strip() for name, _ in reference.helps("afere", cli.cli)}
    assert {"calibrate plan", "calibrate apply", "exam verify", "sandbox run"} <= shown
    described = {*reference.RECORDS, *reference.FIELDS}
    assert described <= shown
    groups = {"", "exam", "sandbox"}
    assert shown - groups == described
