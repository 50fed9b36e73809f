"""A small real grader of each kind, enough to check keys and to judge plain replies."""

import re
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pytest

from afere.domain import AnswerKeyError, Grade, Grader, Item, Outcome, Reading, Response, SuiteError
from afere.suites import load


def number(text: str, reading: Reading) -> Decimal | None:
    if reading.language.startswith("pt"):
        text = text.replace(".", "").replace(",", ".")
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def check_number(item: Item, reading: Reading) -> None:
    key = item.expect.key
    read = number(key, reading) if isinstance(key, str) else key
    if read is None or isinstance(read, bool):
        raise AnswerKeyError(f"{item.expect.key!r} is no number", mend="write a number")


def check_choice(item: Item, reading: Reading) -> None:
    if item.expect.key not in item.options:
        listed = ", ".join(item.options)
        raise AnswerKeyError(f"{item.expect.key} is none of {listed}", mend="name an option")


def check_label(item: Item, reading: Reading) -> None:
    if item.expect.key not in item.labels:
        raise AnswerKeyError("the key is none of the labels", mend="name one", field="labels")


def check_nothing(item: Item, reading: Reading) -> None:
    return


def is_number(item: Item, reply: str, reading: Reading) -> bool:
    if item.expect.options.get("base") == 16:
        return reply == hex(item.expect.key)
    key = item.expect.key
    due = number(key, reading) if isinstance(key, str) else key
    return bool(number(reply, reading) == due)


def is_text(item: Item, reply: str, reading: Reading) -> bool:
    keys = item.expect.key if isinstance(item.expect.key, list) else [item.expect.key]
    return reply.strip().casefold() in {str(key).casefold() for key in keys}


def holds(item: Item, reply: str, reading: Reading) -> bool:
    def found(word: Any) -> bool:
        return re.search(rf"(?<!\w){re.escape(str(word))}(?!\w)", reply, re.IGNORECASE) is not None

    key = item.expect.key
    some = key.get("any", [])
    return (
        all(map(found, key.get("all", [])))
        and (not some or any(map(found, some)))
        and not any(map(found, key.get("none", [])))
    )


def is_list(item: Item, reply: str, reading: Reading) -> bool:
    return [part.strip() for part in reply.split(",")] == [str(each) for each in item.expect.key]


def behaves(item: Item, reply: str, reading: Reading) -> bool:
    key = item.expect.key
    return all(re.fullmatch(reply, text) for text in key["matches"]) and not any(
        re.fullmatch(reply, text) for text in key["rejects"]
    )


def matches(item: Item, reply: str, reading: Reading) -> bool:
    return re.fullmatch(item.expect.key, reply) is not None


def unfenced(reply: str) -> str:
    return re.sub(r"^```\w*\n|\n?```$", "", reply.strip())


def gives_the_rows(item: Item, reply: str, reading: Reading) -> bool:
    """Run a query of these tests, or the question itself, on every fixture."""

    def rows(setup: str, query: str) -> object:
        base = sqlite3.connect(":memory:")
        try:
            base.executescript(setup)
            return base.execute(query).fetchall()
        except sqlite3.Error as error:
            return error
        finally:
            base.close()

    key = item.expect.key
    setups = [each["setup"] for each in key["fixtures"]]
    return all(rows(each, unfenced(reply)) == rows(each, key["query"]) for each in setups)


def prints_the_lines(item: Item, reply: str, reading: Reading) -> bool:
    """Run a command of these tests in every prepared folder; a question is none."""
    if not reply.startswith(("ls ", "grep ", "cat ", "find ")):
        return False
    return all(_prints(each, reply) for each in item.expect.key["fixtures"])


def _prints(fixture: Mapping[str, Any], command: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in fixture["files"].items():
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, check=False)
    printed = done.stdout.decode().splitlines()
    due = fixture["lines"]
    return len(printed) == len(due) and all(
        re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w.-])", line)
        for line, word in zip(printed, due, strict=True)
    )


def passes(item: Item, reply: str, reading: Reading) -> bool:
    """Run a program of these tests against the key's cases or tests; a question is none."""
    if "def " not in reply:
        return False
    key, names = item.expect.key, dict[str, Any]()
    exec(unfenced(reply), names)  # noqa: S102 - a solution of our own suite
    if "tests" in key:
        exec(key["tests"], names)  # noqa: S102 - tests of our own suite
    return all(names[key["entry"]](*args) == due for args, due in key.get("cases", ()))


@dataclass(frozen=True)
class SmallGrader:
    name: str
    check_key: Callable[[Item, Reading], None]
    judge: Callable[[Item, str, Reading], bool]
    version: str = "1"

    def check(self, item: Item, reading: Reading) -> None:
        self.check_key(item, reading)

    async def grade(self, item: Item, response: Response, reading: Reading) -> Grade:
        right = self.judge(item, response.content, reading)
        return Grade(
            outcome=Outcome.RIGHT if right else Outcome.WRONG,
            score=float(right),
            grader=self.name,
            grader_version=self.version,
            read=response.content,
        )


GRADERS: Mapping[str, Grader] = {
    grader.name: grader
    for grader in (
        SmallGrader("number", check_number, is_number),
        SmallGrader("text", check_nothing, is_text),
        SmallGrader("contains", check_nothing, holds),
        SmallGrader("list", check_nothing, is_list),
        SmallGrader("choice", check_choice, is_text),
        SmallGrader("label", check_label, is_text),
        SmallGrader("regex", check_nothing, behaves),
        SmallGrader("match", check_nothing, matches),
        SmallGrader("json", check_nothing, is_text),
        SmallGrader("python", check_nothing, passes),
        SmallGrader("shell", check_nothing, prints_the_lines),
        SmallGrader("sql", check_nothing, gives_the_rows),
    )
}


@pytest.fixture(scope="session")
def graders() -> Mapping[str, Grader]:
    return GRADERS


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file of the test's folder."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def refusal(
    written: Callable[[str, str | bytes], Path], graders: Mapping[str, Grader]
) -> Callable[..., SuiteError]:
    """Load a text as a suite file and give the error that it must raise."""

    def refused(content: str | bytes, name: str = "suite.yaml") -> SuiteError:
        with pytest.raises(SuiteError) as raised:
            load(written(name, content), graders)
        return raised.value

    return refused
