"""The page on result files says what the program does: its files, its commands, its output."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from command import Afere

from afere.exchange import EXPORT_COLUMNS

PAGE = (Path(__file__).parents[2] / "docs" / "result-files.md").read_text("utf-8")
FILES = re.findall(r"```(?:csv|jsonl|json) (\S+)\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [
    (lines[0].split(), lines[1:])
    for block in re.findall(r"```console\n\$ (.*?)```", PAGE, re.DOTALL)
    for lines in (command.strip().split("\n") for command in block.split("\n$ "))
]


@pytest.fixture
def folder(afere: Afere) -> Afere:
    for name, text in FILES:
        afere.write(name, text)
    return afere


@pytest.mark.parametrize(
    ("command", "shown"), COMMANDS, ids=[" ".join(command) for command, _ in COMMANDS]
)
def test_every_command_prints_what_is_shown(
    folder: Afere, command: list[str], shown: list[str]
) -> None:
    assert command[0] == "afere"
    ended = folder(*command[1:])
    printed = [*ended.err.splitlines(), *ended.out.splitlines()]
    place = 0
    for line in shown:
        if line != "…":
            assert line in printed[place:], ended
            place = printed.index(line, place) + 1


def test_the_columns_of_an_exported_run_are_listed() -> None:
    section = PAGE.split("The columns:")[1].split("Times are UTC")[0]
    assert re.findall(r"`(\w+)`", section) == list(EXPORT_COLUMNS)


def test_the_program_runs_as_printed(folder: Afere) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder.folder,
        env=folder.environment(),
        capture_output=True,
        check=True,
        text=True,
    )
    verdict, same, wilson = done.stdout.splitlines()
    assert (verdict, same) == ("undecided 2", "True")
    assert "0.59" in wilson
