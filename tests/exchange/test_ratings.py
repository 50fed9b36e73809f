"""Tables of confidences in every form: what is read, what is refused, with place and mend."""

import json
from collections.abc import Callable
from functools import cache
from math import isnan
from pathlib import Path
from typing import Any

import pytest

from afere.domain import RatedTable, SuiteError
from afere.exchange import RatingForm, read_ratings

Write = Callable[[str, str | bytes], Path]
ROWS = [
    {"id": "a", "prediction": "x", "truth": "x", "confidence": 0.9, "group": "g", "category": "k"},
    {"id": "b", "prediction": "x", "truth": "y", "confidence": 0.5, "group": None, "category": ""},
    {"id": "c", "prediction": "y", "truth": "y", "confidence": None, "group": "g", "category": "m"},
]


@cache
def cases() -> dict[str, list[dict[str, Any]]]:
    path = Path(__file__).parent / "cases" / "calibration.json"
    return dict(json.loads(path.read_text("utf-8")))


def confidences(table: RatedTable) -> list[float | None]:
    return [None if isnan(value) else value for value in table.confidence]


def in_form(write: Write, ending: str, rows: list[dict[str, Any]]) -> Path:
    if ending == "csv":
        lines = [",".join(rows[0])]
        lines += [
            ",".join("" if value is None else str(value) for value in row.values()) for row in rows
        ]
        return write("rows.csv", "\n".join(lines) + "\n")
    if ending == "jsonl":
        return write("rows.jsonl", "\n".join(json.dumps(row) for row in rows))
    if ending == "json":
        return write("rows.json", json.dumps({"answers": rows, "made": "today"}))
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = write("rows.parquet", b"")
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "parquet"])
def test_each_form_gives_the_same_table(written: Write, ending: str) -> None:
    table = read_ratings(in_form(written, ending, ROWS))
    assert confidences(table) == [0.9, 0.5, None]
    assert list(table.right) == [1, 0, 1]
    assert list(table.ids) == ["a", "b", "c"]
    groups = [table.groups[code] if code >= 0 else None for code in table.group]
    assert groups == ["g", None, "g"]
    categories = [table.categories[code] if code >= 0 else None for code in table.category]
    assert categories == ["k", None, "m"]
    assert table.provenance.confidence_from == "file"


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "parquet"])
def test_columns_of_other_names_are_mapped(written: Write, ending: str) -> None:
    rows = [{"kat": "1", "gold": "1", "p": 0.75, "part": "tune"}]
    rows += [{"kat": "1", "gold": "2", "p": 1.0, "part": "test"}]
    names = {"prediction": "kat", "truth": "gold", "confidence": "p", "split": "part"}
    table = read_ratings(in_form(written, ending, rows), RatingForm(columns=names))
    assert confidences(table) == [0.75, 1.0]
    assert list(table.right) == [1, 0]
    assert list(table.split) == [0, 1]


def test_the_layout_of_wyniki_is_recognised_by_itself(written: Write) -> None:
    for case in cases()["seed_cases"]:
        table = read_ratings(written("basal.json", json.dumps(case["file"])))
        assert table.rows == case["expected"]["n"]
        assert sum(table.right) == case["expected"]["correct"]
        assert table.skipped == 3
        names = set(case["expected"]["per_true_category"])
        assert set(table.categories) == names


def test_no_row_of_the_kind_is_refused(written: Write) -> None:
    rows = {"wyniki": [{"typ": "narz", "kat": "a", "gold_kat": "b", "conf": 0.9}]}
    with pytest.raises(SuiteError, match=r"no row is of the kind \(1 of others\)"):
        read_ratings(written("none.json", json.dumps(rows)))


def read_one(write: Write, value: str, **form: Any) -> float:
    text = f'{{"prediction": "a", "truth": "a", "confidence": {value}}}\n'
    return read_ratings(write("one.jsonl", text), RatingForm(**form)).confidence[0]


@pytest.mark.parametrize("case", cases()["reject_cases"], ids=lambda case: case["name"])
def test_what_is_no_confidence_is_refused_or_absent(written: Write, case: dict[str, Any]) -> None:
    name, value = case["name"], case["conf"]
    if name in {"null", "empty_string"}:
        assert isnan(read_one(written, json.dumps(value)))
        return
    given = {"json_nan_token": "NaN", "inf": "Infinity"}.get(name, json.dumps(value))
    percent = "percent_above" in name or "mixed" in name
    values = value if isinstance(value, list) else [given]
    lines = [
        f'{{"prediction": "a", "truth": "a", "confidence": {each}}}' for each in (0.5, *values)
    ]
    if percent:
        lines = lines[1:]
    with pytest.raises(SuiteError) as fault:
        read_ratings(written("one.jsonl", "\n".join(lines)), RatingForm(percent=percent))
    assert fault.value.field == "confidence"
    assert fault.value.line == (1 if percent else 2)
    assert fault.value.mend
    if name == "percent_without_flag":
        assert "--scale percent" in fault.value.mend


@pytest.mark.parametrize("case", cases()["accept_cases"], ids=lambda case: case["name"])
def test_what_is_a_confidence_is_read(written: Write, case: dict[str, Any]) -> None:
    percent, lenient = case.get("scale") == "percent", "lenient" in case.get("note", "")
    if isinstance(case["conf"], list):
        rows = [{"prediction": "a", "truth": "a", "confidence": value} for value in case["conf"]]
        table = read_ratings(in_form(written, "jsonl", rows))
        assert confidences(table) == [1.0, 1.0, 1.0]
        assert table.notes == ("every confidence is 1: read as 1.0, not as 1 percent",)
        return
    given = json.dumps(case["conf"])
    seen = read_one(written, given, percent=percent, lenient=lenient)
    assert seen == case["value"]
    assert str(seen) == str(case["value"])
    if lenient:
        with pytest.raises(SuiteError, match="is a text, not a plain number"):
            read_one(written, given)


def test_a_csv_cell_that_is_a_plain_decimal_is_a_number_and_a_comma_is_lenient(
    written: Write,
) -> None:
    path = written("rows.csv", "prediction;truth;confidence\na;a;0.9\na;b;0,9\n")
    with pytest.raises(SuiteError) as fault:
        read_ratings(path)
    assert (fault.value.line, fault.value.field) == (3, "confidence")
    assert "--lenient" in fault.value.mend
    table = read_ratings(path, RatingForm(lenient=True))
    assert confidences(table) == [0.9, 0.9]
    assert table.notes == ("1 confidences were texts and read leniently",)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "parquet"])
@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"confidence": 1.5}, "confidence", "outside 0 to 1"),
        ({"confidence": -0.1}, "confidence", "outside 0 to 1"),
        ({"confidence": float("nan")}, "confidence", "no finite number"),
        ({"confidence": float("inf")}, "confidence", "no finite number"),
        ({"confidence": 87.0}, "confidence", "outside 0 to 1"),
        ({"id": "a"}, "id", "already"),
        ({"truth": None}, "truth", "no right answer"),
    ],
    ids=["above", "below", "nan", "inf", "percent", "doubled", "truthless"],
)
def test_a_wrong_cell_is_refused_with_its_place(
    written: Write, ending: str, change: dict[str, Any], field: str, said: str
) -> None:
    path = in_form(written, ending, [ROWS[0], ROWS[1] | change])
    with pytest.raises(SuiteError, match=said) as fault:
        read_ratings(path)
    assert fault.value.file == path
    assert fault.value.line == (3 if ending == "csv" else 2)
    assert fault.value.field == field
    assert fault.value.mend


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "parquet"])
@pytest.mark.parametrize("column", ["prediction", "truth", "confidence"])
def test_a_missing_column_is_named_with_those_that_are_there(
    written: Write, ending: str, column: str
) -> None:
    row = {name: value for name, value in ROWS[0].items() if name != column}
    with pytest.raises(SuiteError, match=f"no column `{column}` among") as fault:
        read_ratings(in_form(written, ending, [row]))
    assert fault.value.mend.endswith(f"--column {column}=NAME")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "", "the file is empty"),
        ("a.csv", "prediction,truth,confidence\n", "there is no row"),
        ("a.jsonl", "", "there is no row"),
        ("a.json", "[]", "there is no row"),
        ("a.json", "{", "is no JSON"),
        ("a.json", "[1]", "no list of objects"),
        ("a.json", '{"a": [{"x": 1}], "b": [{"x": 1}]}', 'it has "a", "b"'),
        ("a.jsonl", "[1]", "is no JSON object"),
        ("a.jsonl", '{"prediction": "a", "truth": "a", "confidence": true}', "true is no"),
        ("a.jsonl", '{"prediction": "a", "truth": "a", "confidence": "high"}', "is no number"),
        ("a.jsonl", '{"prediction": [], "truth": "a", "confidence": 1}', "is no text"),
        ("a.csv", "prediction,truth,confidence\na,a\n", "2 cells where the header has 3"),
        ("a.csv", "correct,confidence\nmaybe,0.5\n", "neither right nor wrong"),
        ("a.csv", "correct,confidence,split\ntrue,0.5,train\n", "is no part"),
        ("a.csv", "correct,confidence,id\ntrue,0.5,\n", "names no row"),
        ("a.csv", b"correct,confidence\ntrue,0.5\xff\n", "is not UTF-8"),
        ("a.parquet", "no parquet", "this is not Parquet"),
        ("a.txt", "x", "is no table of confidences by its name"),
    ],
)
def test_what_is_no_table_is_refused(
    written: Write, name: str, content: str | bytes, said: str
) -> None:
    with pytest.raises(SuiteError, match=said):
        read_ratings(written(name, content))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for ending in ("csv", "jsonl", "json", "parquet"):
        with pytest.raises(SuiteError):
            read_ratings(tmp_path / f"none.{ending}")


def test_rows_stand_under_the_key_that_is_named(written: Write) -> None:
    row = {"prediction": "a", "truth": "a", "confidence": 0.5}
    path = written("a.json", json.dumps({"one": [row], "two": [row, row]}))
    assert read_ratings(path, RatingForm(rows_under="two")).rows == 2


def test_ids_and_groups_are_compared_as_text(written: Write) -> None:
    rows = [
        {"id": number, "correct": True, "confidence": 0.5, "group": group}
        for number, group in enumerate([1, "1", 1.0])
    ]
    table = read_ratings(in_form(written, "jsonl", rows))
    assert [table.groups[code] for code in table.group] == ["1", "1", "1.0"]


def test_percent_is_divided_by_a_hundred_in_parquet_too(written: Write) -> None:
    rows = [{"correct": True, "confidence": value} for value in (57, 70, 100)]
    table = read_ratings(in_form(written, "parquet", rows), RatingForm(percent=True))
    assert confidences(table) == [0.57, 0.7, 1.0]
    rows[1]["confidence"] = 101
    path = in_form(written, "parquet", rows)
    with pytest.raises(SuiteError, match="outside 0 to 100"):
        read_ratings(path, RatingForm(percent=True))
    with pytest.raises(SuiteError, match="no value is above 1"):
        read_one(written, "0.57", percent=True)
