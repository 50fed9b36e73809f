"""Every case that was judged by a careful reader: the outcome, and what must have been read."""

import json
import unicodedata
from decimal import Decimal
from typing import Any

import pytest
from grading_cases import CASES, make_item, make_response, read_lines

from afere.domain import Outcome, Reading
from afere.graders import builtin, grade_offline

ROWS = [row for row in read_lines(CASES) if row["kind"] in builtin()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_a_reply_is_read_as_a_careful_reader_reads_it(row: dict[str, Any]) -> None:
    item = make_item(
        row["item"]["expect"], **{k: v for k, v in row["item"].items() if k != "expect"}
    )
    reading = Reading(language=row["language"], strict=row["reading"] == "strict")
    builtin()[row["kind"]].check(item, reading)
    grade = grade_offline(item, make_response(row["reply"]), reading)
    assert grade.outcome in {row["outcome"], *row.get("also", ())}, row["why"]
    assert grade.score == (1.0 if grade.outcome is Outcome.RIGHT else 0.0)
    if row["read"] is not None and grade.outcome == row["outcome"]:
        assert comparable(grade.read, row["kind"]) == comparable(row["read"], row["kind"])


def comparable(read: Any, kind: str) -> Any:
    if kind in {"list", "set"}:
        elements = json.loads(read, parse_float=Decimal) if isinstance(read, str) else read
        texts = [str(each) for each in elements]
        return sorted(texts) if kind == "set" else texts
    if kind in {"text", "label"}:
        return unicodedata.normalize("NFC", " ".join(read.casefold().split()))
    return read
