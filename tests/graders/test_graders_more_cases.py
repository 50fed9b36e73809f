"""Further replies in our own words, by kind and language, with the outcome of a careful reader."""

import json
from typing import Any

import pytest
from grading_cases import CASES, read_lines

ROWS = list(read_lines(CASES.with_name("more.jsonl")))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: json.dumps(row["reply"])[:40])
def test_a_reply_is_judged_as_a_careful_reader_judges_it(graded: Any, row: dict[str, Any]) -> None:
    sets = {name: row[name] for name in ("options", "labels") if name in row}
    grade = graded(
        row["expect"],
        row["reply"],
        row["language"],
        strict=row.get("strict", False),
        finish=row.get("finish", "stop"),
        **sets,
    )
    assert grade.outcome == row["outcome"]
