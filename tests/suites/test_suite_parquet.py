"""Parquet tables as suites."""

import math
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from afere.domain import Expect, Grader, SuiteError
from afere.suites import load

pa: Any = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
pq: Any = pytest.importorskip("pyarrow.parquet")


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def test_typed_columns_become_the_fields_of_items(
    tmp_path: Path, graders: Mapping[str, Grader]
) -> None:
    rows = [
        {
            "id": 1,
            "input": "How much?",
            "date": date(2024, 5, 1),
            "public": True,
            "expect": {"number": 2.5, "choice": None},
            "options": None,
        },
        {
            "id": 2,
            "input": "Which?",
            "date": None,
            "public": None,
            "expect": {"number": None, "choice": "B"},
            "options": {"A": "x", "B": "y", "C": None},
        },
    ]
    suite = load(table(tmp_path / "mine.parquet", rows), graders)
    assert suite.name == "mine"
    assert suite.items[0].expect == Expect(kind="number", key=Decimal("2.5"))
    assert (suite.items[0].id, suite.items[0].date) == ("1", "2024-05-01")
    assert suite.items[0].public
    assert suite.items[1].options == {"A": "x", "B": "y"}


def test_columns_named_after_parts_work_as_in_csv(
    tmp_path: Path, graders: Mapping[str, Grader]
) -> None:
    rows = [
        {"id": "a", "input": "x", "expect.list": [1, 2], "metadata.page": 3.0, "labels": None},
        {"id": "b", "input": "y", "expect.list": [3], "metadata.page": 4.5, "labels": '["q", "r"]'},
    ]
    items = load(table(tmp_path / "mine.parquet", rows), graders).items
    assert items[0].expect.key == [1, 2]
    assert items[0].metadata == {"page": 3}
    assert items[1].metadata == {"page": Decimal("4.5")}
    assert items[1].labels == ("q", "r")


def test_what_is_no_item_is_refused_with_its_row(
    tmp_path: Path, graders: Mapping[str, Grader]
) -> None:
    good = {"id": "a", "input": "x", "expect.number": 1.0}
    path = table(tmp_path / "a.parquet", [good, {**good, "id": "b", "expect.number": math.nan}])
    with pytest.raises(SuiteError, match="not a finite number") as raised:
        load(path, graders)
    assert (raised.value.line, raised.value.field) == (2, "expect.number")
    path = table(tmp_path / "b.parquet", [{**good, "metadata.raw": b"bytes"}])
    with pytest.raises(SuiteError, match="bytes has no place"):
        load(path, graders)
    path = tmp_path / "c.parquet"
    path.write_bytes(b"PAR1 no table PAR1")
    with pytest.raises(SuiteError, match="not Parquet"):
        load(path, graders)
