"""The pages on graders are complete, and every example on them is true."""

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from grading_cases import ROOT, make_item
from grading_executed import Executing

from afere.domain import EXECUTED_KINDS, Item, Reading, Response
from afere.graders import builtin, grade_offline

DOCS = ROOT / "docs"
PAGES = [DOCS / "reading.md", *sorted((DOCS / "graders").glob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def exact(value: Any) -> Any:
    """Give numbers as the suite reader does: whole ones as int, others as Decimal."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, dict):
        return {key: exact(each) for key, each in value.items()}
    return [exact(each) for each in value] if isinstance(value, list) else value


def examples(page: Path) -> list[tuple[Item, Reading, dict[str, Any]]]:
    """Give the rows of each JSON block with the item of the YAML block above it."""
    rows: list[tuple[Item, Reading, dict[str, Any]]] = []
    items: dict[str, Item] = {}
    reading = Reading()
    for language, text in FENCE.findall(page.read_text("utf-8")):
        if language == "yaml":
            suite = yaml.safe_load(text)
            reading = Reading(language=suite["language"], strict=suite.get("reading") == "strict")
            items = {
                row["id"]: make_item(exact(row.pop("expect")), **row) for row in suite["items"]
            }
        elif language == "json":
            first = next(iter(items.values()))
            rows += [(items.get(row.get("item"), first), reading, row) for row in json.loads(text)]
    return rows


ALL = [(page.name, *row) for page in PAGES for row in examples(page)]


@pytest.mark.parametrize(
    ("page", "item", "reading", "row"), ALL, ids=[f"{row[0]}-{row[3]['reply'][:30]}" for row in ALL]
)
def test_an_example_comes_out_as_the_page_says(
    page: str,
    item: Item,
    reading: Reading,
    row: dict[str, Any],
    request: pytest.FixtureRequest,
) -> None:
    builtin()[item.expect.kind].check(item, reading)
    response = Response(content=row["reply"], finish_reason=row.get("finish", "stop"))
    if item.expect.kind in EXECUTED_KINDS:
        executing: Executing = request.getfixturevalue("executing")
        grade = executing(item, response, reading)
    else:
        grade = grade_offline(item, response, reading)
    assert grade.outcome == row["outcome"]
    assert grade.read == row.get("read", grade.read)
    assert grade.rule == row.get("rule", grade.rule)
    assert list(grade.flags) == row.get("flags", list(grade.flags))


@pytest.mark.parametrize("kind", sorted(builtin()))
def test_every_kind_has_a_page_that_names_its_options_and_shows_right_and_wrong(kind: str) -> None:
    page = DOCS / "graders" / f"{kind}.md"
    text = page.read_text("utf-8")
    settings: Any = builtin()[kind]
    named = [*settings.settings, *getattr(settings, "known", ())]
    assert all(f"`{name}" in text for name in named)
    outcomes = {row["outcome"] for _, _, row in examples(page)}
    assert {"right", "wrong"} <= outcomes
    assert f"({kind}.md)" in (DOCS / "graders" / "index.md").read_text("utf-8")


def test_the_function_on_the_page_for_plugins_runs() -> None:
    page = (DOCS / "graders" / "own.md").read_text("utf-8")
    (code,) = [text for language, text in FENCE.findall(page) if language == "python"]
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - the page's own lines
    assert names["shorter"]("abc", 5) is True
    assert names["shorter"].settings == {"words": ""}
