"""`afere sandbox`: the level and its mend, and files run under it."""

from pathlib import Path

import pytest
from command import Afere


@pytest.fixture
def afere(tmp_path: Path) -> Afere:
    return Afere(tmp_path)


def test_the_doctor_names_the_level_in_words_and_as_json(afere: Afere) -> None:
    told = afere("sandbox", "doctor", "--json")
    document = told.json
    works = [each["level"] for each in document["levels"] if each["works"]]
    assert document["level"] == (works[0] if works else None)
    assert told.code == (0 if works else 2)
    assert all(each["why"] for each in document["levels"] if not each["works"])
    words = afere("sandbox", "doctor")
    assert words.out.startswith(f"Sandbox level: {document['level'] or 'none works here'}\n")


def test_a_program_is_run_and_its_output_and_end_are_told(afere: Afere) -> None:
    (afere.folder / "good.py").write_text("print('hi \\x1b[31m')\n", "utf-8")
    good = afere("sandbox", "run", "good.py")
    assert (good.code, good.out) == (0, "hi \\x1b[31m\n")
    assert "ran to its end (sandbox: " in good.err
    (afere.folder / "bad.py").write_text("exit('no')\n", "utf-8")
    bad = afere("sandbox", "run", "bad.py", "--json")
    assert (bad.code, bad.json["failure"], bad.json["output"]) == (1, "exception", "no\n")


def test_shell_and_sql_files_are_run_too(afere: Afere) -> None:
    (afere.folder / "a.sh").write_text("#!/bin/sh\necho $((1 + 1)); exit 4\n", "utf-8")
    ended = afere("sandbox", "run", "a.sh", "--json")
    assert (ended.code, ended.json["status"], ended.json["output"]) == (1, 4, "2\n")
    (afere.folder / "a.sql").write_text("SELECT 1, 'a' UNION SELECT NULL, 'b'", "utf-8")
    assert afere("sandbox", "run", "a.sql", "--json").json["rows"] == [[None, "b"], [1, "a"]]


def test_a_file_that_cannot_be_run_is_said_in_two_lines(afere: Afere) -> None:
    (afere.folder / "a.exe").write_bytes(b"x")
    for name in ("nothing.py", "a.exe"):
        refused = afere("sandbox", "run", name)
        assert refused.code == 2
        assert refused.err.startswith(f"afere: {name}: ")
        assert refused.err.count("\n") == 2


def test_isolation_is_given_up_only_when_spelled_out_and_the_result_says_so(afere: Afere) -> None:
    (afere.folder / "a.py").write_text("print(1)\n", "utf-8")
    assert afere("sandbox", "run", "a.py", "--unsafe").code == 2
    unsafe = afere("sandbox", "run", "a.py", "--unsafe-no-sandbox", "--json")
    assert (unsafe.code, unsafe.json["level"]) == (0, "none")
