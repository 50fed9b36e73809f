"""Replies that name the key and do not give it: denied, bounded, part of something else, empty."""

import json
from typing import Any

import pytest
from grading_cases import CASES, read_lines

ROWS = list(read_lines(CASES.with_name("never.jsonl")))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: json.dumps(row["reply"])[:40])
def test_a_reply_that_does_not_give_the_key_never_passes(graded: Any, row: dict[str, Any]) -> None:
    sets = {name: row[name] for name in ("options", "labels") if name in row}
    grade = graded(
        row["expect"], row["reply"], row["language"], strict=row.get("strict", False), **sets
    )
    assert grade.score == 0
    assert grade.outcome in ({"empty"} if row["group"] == "empty" else {"unreadable", "wrong"})
