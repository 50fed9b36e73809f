"""The page on calibration: its commands run on the example's cases, its figures are theirs."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from command import Afere
from docs_pages import blocks

import afere as library

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "calibration.md"
EXAMPLE = ROOT / "examples" / "calibration"


def test_every_command_of_the_page_runs_and_says_what_is_printed(afere: Afere) -> None:
    shutil.copy(EXAMPLE / "answers.csv", afere.folder)
    said = ""
    for block in blocks(PAGE):
        if block.language == "sh":
            for line in block.text.splitlines():
                ended = afere(*shlex.split(line)[1:])
                assert ended.code == 0, ended
                said += ended.out
        elif block.language == "text":
            assert block.text in said


def test_the_program_of_the_page_runs() -> None:
    (program,) = [block.text for block in blocks(PAGE) if block.language == "python"]
    exec(compile(program, str(PAGE), "exec"), {})  # noqa: S102 - our own page


def test_the_numbers_of_cases_are_those_of_the_program(afere: Afere) -> None:
    text = PAGE.read_text("utf-8")
    for target in ("0.05", "0.01"):
        needed = afere("calibrate", "plan", "--max-error", target, "--json").json["needed"]
        numbers = [needed["accepted_without_error"], *needed["with_errors"].values()]
        assert all(re.search(rf"\b{number}\b", text) for number in numbers)


def test_the_example_is_sixty_items_in_two_languages() -> None:
    suite = library.load_suite(EXAMPLE)
    assert len(suite.items) == 60
    assert [sum(item.category == name for item in suite.items) for name in ("português", "English")]
    keys = [item.expect.key for item in suite.items]
    assert all(12 <= keys.count(letter) <= 18 for letter in "ABCD")
    assert suite.params["logprobs"] is True


@pytest.mark.parametrize("name", ["models.yaml", "answers.csv"])
def test_the_examples_files_are_there(name: str) -> None:
    assert (EXAMPLE / name).is_file()
