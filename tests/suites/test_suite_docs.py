"""The page on suites says what the code does."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from afere.domain import Grader
from afere.suites import audit, load, names
from afere.suites.door import ITEM_FIELDS, SUITE_FIELDS

PAGE = (Path(__file__).parents[2] / "docs" / "suites.md").read_text("utf-8")
BLOCKS = re.findall(r"```(yaml|csv)\n(.*?)```", PAGE, re.DOTALL)


def table(title: str) -> list[str]:
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)


@pytest.mark.parametrize(("kind", "text"), BLOCKS)
def test_every_example_loads(
    written: Callable[[str, str | bytes], Path],
    graders: Mapping[str, Grader],
    kind: str,
    text: str,
) -> None:
    path = written(f"items.{kind}", text)
    if kind == "csv":
        written("suite.yaml", "suite: s\nlanguage: pt-BR\n")
        path = path.parent
    assert load(path, graders).items


def test_every_field_is_listed() -> None:
    assert table("Fields of a suite") == list(SUITE_FIELDS)
    assert table("Fields of an item") == list(ITEM_FIELDS)


def test_every_built_in_suite_and_finding_is_listed() -> None:
    assert table("Built-in suites") == list(names())
    assert sorted(table("What `afere check` finds")) == sorted(
        set(re.findall(r"`([a-z_]+)`", (audit.__doc__ or "").split("Codes:")[1]))
    )
