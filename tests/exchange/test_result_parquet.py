"""Result files that are Parquet: the same rows, the same refusals, whatever the column types."""

import json
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from result_rows import rows_of

from afere.domain import ScoreTable, SuiteError
from afere.exchange import read_results

pa: Any = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
pq: Any = pytest.importorskip("pyarrow.parquet")


def parquet(path: Path, columns: Mapping[str, Any], rows_at_once: int | None = None) -> Path:
    pq.write_table(pa.table(dict(columns)), path, row_group_size=rows_at_once)
    return path


def one(path: Path, model: str | None = None) -> ScoreTable:
    (table,) = read_results(path, model=model)
    return table


def said(path: Path, model: str | None = None) -> list[str]:
    with pytest.raises(SuiteError) as caught:
        read_results(path, model=model)
    return str(caught.value).removeprefix(str(path)).lstrip(":").strip().split("\n")


@pytest.mark.parametrize(
    ("scores", "read"),
    [
        (pa.array([1.0, 0.25, None]), [1.0, 0.25, None]),
        (pa.array([1.0, 0.25, None], pa.float32()), [1.0, 0.25, None]),
        (pa.array([1, 0, None], pa.int8()), [1.0, 0.0, None]),
        (pa.array([1, 0, 1], pa.uint64()), [1.0, 0.0, 1.0]),
        (pa.array([True, False, None]), [1.0, 0.0, None]),
        (pa.array([Decimal("0.50"), Decimal(1), None]), [0.5, 1.0, None]),
        (pa.array([None, None, None]), [None, None, None]),
    ],
    ids=["double", "float", "small", "unsigned", "truth", "decimal", "lost"],
)
def test_scores_are_of_any_type_of_number(
    tmp_path: Path, scores: Any, read: list[float | None]
) -> None:
    path = parquet(tmp_path / "a.parquet", {"item": ["a", "b", "c"], "score": scores})
    assert [score for _, _, score in rows_of(one(path))] == read


@pytest.mark.parametrize(
    "items",
    [
        pa.array(["1", "2", "1"]),
        pa.array(["1", "2", "1"], pa.large_string()),
        pa.array(["1", "2", "1"]).dictionary_encode(),
        pa.array([1, 2, 1]),
        pa.array([1, 2, 1], pa.uint8()),
        pa.array([1, 2, 1]).dictionary_encode(),
    ],
    ids=["text", "large", "coded", "whole", "small", "coded-whole"],
)
def test_ids_are_texts_or_whole_numbers(tmp_path: Path, items: Any) -> None:
    columns = {"item": items, "round": [1, 1, 2], "score": [1.0, 0.0, 0.5]}
    assert rows_of(one(parquet(tmp_path / "a.parquet", columns))) == [
        ("1", 1, 1.0),
        ("1", 2, 0.5),
        ("2", 1, 0.0),
    ]


def test_models_share_a_file_of_many_pieces(tmp_path: Path) -> None:
    columns = {
        "Model": ["x", "y", None, "x", "y", "x"],
        "Item": ["a", "a", "a", "b", "b", "a"],
        "round": pa.array([1, None, 1, 1, 1, 2], pa.float64()),
        "score": [1.0, 0.0, 0.5, None, 1.0, 0.0],
        "category": ["c", "d", "c", None, "", "c"],
        "group": [7, 7, 7, 8, 8, 7],
        "else": [[1]] * 6,
    }
    path = parquet(tmp_path / "a.parquet", columns, rows_at_once=2)
    x, y, nameless = read_results(path)
    assert [table.model for table in (x, y, nameless)] == ["x", "y", ""]
    assert rows_of(x) == [("a", 1, 1.0), ("a", 2, 0.0), ("b", 1, None)]
    assert rows_of(y) == [("a", 1, 0.0), ("b", 1, 1.0)]
    assert rows_of(nameless) == [("a", 1, 0.5)]
    assert (x.categories, x.groups) == (("c", None), ("7", "8"))
    assert (y.categories, y.groups) == (("d", None), ("7", "8"))
    assert rows_of(one(path, "y")) == rows_of(y)
    assert said(path, "z") == ['model: has no model "z"', 'it has: "x", "y"']


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"item": ["a", "b"], "score": [1.0, float("nan")]}, '2: score: "nan" is no finite number'),
        ({"item": ["a", "b"], "score": [1.0, float("inf")]}, '2: score: "inf" is no finite number'),
        ({"item": ["a", "b"], "score": [1.0, 1.5]}, '2: score: "1.5" is not between 0 and 1'),
        ({"item": ["a", "b"], "score": [1, -1]}, '2: score: "-1.0" is not between 0 and 1'),
        ({"item": ["a"], "score": ["1"]}, 'score: the column holds "string"'),
        ({"item": ["a"], "score": [[1.0]]}, None),
        ({"item": ["a", None], "score": [1, 1]}, "2: item: names no item"),
        ({"item": ["a", ""], "score": [1, 1]}, "2: item: names no item"),
        ({"item": [1.5], "score": [1]}, 'item: the column holds "double"'),
        ({"item": [True], "score": [1]}, 'item: the column holds "bool"'),
        ({"item": [None], "score": [1]}, "1: item: names no item"),
        ({"item": ["a"], "grade": [1]}, 'there is no column `score` among "item", "grade"'),
        ({"item": ["a"], "score": [1], "Score ": [1]}, "the column score stands twice"),
        ({"item": ["a"], "score": [1], "round": [0]}, '1: round: "0" is no round'),
        ({"item": ["a"], "score": [1], "round": [1.5]}, '1: round: "1.5" is no round'),
        ({"item": ["a"], "score": [1], "round": [float("nan")]}, '1: round: "nan" is no round'),
        ({"item": ["a"], "score": [1], "round": [2**62]}, None),
        ({"item": ["a"], "score": [1], "round": ["1"]}, 'round: the column holds "string"'),
        (
            {"item": pa.array([], pa.string()), "score": pa.array([], pa.float64())},
            "there is no row",
        ),
        (
            {"item": ["a", "b", "a"], "score": [1, 1, 0]},
            '3: score: item "a" has a second, different score in round 1 (1, then 0)',
        ),
        (
            {"item": ["a", "b", "a"], "score": [None, 1, 0]},
            '3: score: item "a" has a second, different score in round 1 (lost, then 0)',
        ),
        (
            {
                "item": ["a", "a", "a", "a"],
                "model": ["x", "y", "y", "y"],
                "score": [1, 0, 0, 1],
                "round": [3, 3, 3, 3],
            },
            '4: score: item "a" has a second, different score in round 3 (0, then 1)',
        ),
        (
            {
                "item": ["b", "a", "a", "a"],
                "model": ["x", "y", "y", "y"],
                "score": [1] * 4,
                "round": [1, 1, 2, 3],
                "category": ["p", "q", None, "r"],
            },
            '4: category: item "a" has "r" here and "q" before',
        ),
        (
            {"item": ["a", "a"], "score": [1, 1], "round": [1, 2], "variant": [1, 0]},
            "variant: not every round has every variant",
        ),
    ],
)
def test_what_is_no_result_is_refused_with_its_row(
    tmp_path: Path, columns: Mapping[str, Any], problem: str | None
) -> None:
    first, mend = said(parquet(tmp_path / "a.parquet", columns))
    assert problem is None or first == problem
    assert mend


def test_a_row_that_stands_twice_counts_once_and_is_told(tmp_path: Path) -> None:
    columns = {"item": ["a", "b", "a", "b"], "score": [1.0, None, 1.0, None]}
    table = one(parquet(tmp_path / "a.parquet", columns))
    assert rows_of(table) == [("a", 1, 1.0), ("b", 1, None)]
    assert table.warnings == ("a.parquet: 2 rows stand there twice and count once",)


def test_variants_of_a_round_have_numbers_of_their_own(tmp_path: Path) -> None:
    columns = {
        "item": ["a"] * 4,
        "round": [1, 1, 2, 2],
        "variant": [0, 1, 0, 1],
        "score": [1.0, 0.0, 0.5, None],
    }
    table = one(parquet(tmp_path / "a.parquet", columns))
    assert table.variants == 2
    assert rows_of(table) == [("a", 1, 1.0), ("a", 2, 0.0), ("a", 3, 0.5), ("a", 4, None)]


def test_rounds_that_are_no_rounds_do_not_fill_the_memory(tmp_path: Path) -> None:
    rows = range(60_000)
    columns = {
        "item": [f"p{n}" for n in rows],
        "round": [n % 9_000 + 1 for n in rows],
        "score": [1] * len(rows),
    }
    assert said(parquet(tmp_path / "a.parquet", columns))[0] == (
        "round: nearly all items lack nearly all rounds"
    )


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" * 100, b"item,score\na,1\n"])
def test_what_is_no_parquet_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(content)
    assert said(path)[0].startswith("this is not Parquet: ")


def test_no_broken_file_crashes_the_reader(tmp_path: Path) -> None:
    columns = {
        "item": [f"p{n}" for n in range(200)],
        "score": [float(n % 2) for n in range(200)],
        "category": ["c", "d"] * 100,
        "model": ["m"] * 200,
    }
    whole = parquet(tmp_path / "whole.parquet", columns).read_bytes()
    chance, path = random.Random(1), tmp_path / "broken.parquet"  # noqa: S311 - no secret
    read = 0
    for _ in range(400):
        content = bytearray(whole)
        for _ in range(chance.choice([1, 1, 2, 5])):
            content[chance.randrange(len(content))] = chance.randrange(256)
        path.write_bytes(content)
        with suppress(SuiteError):
            read_results(path)
            read += 1
    assert 0 < read < 400


def test_texts_that_are_no_unicode_are_refused(tmp_path: Path) -> None:
    bad = pa.array([b"\xff\xfe"]).cast(pa.binary()).view(pa.string())
    path = parquet(tmp_path / "a.parquet", {"item": bad, "score": [1]})
    assert said(path)[0].startswith("this is not Parquet: ")


CELLS = st.fixed_dictionaries(
    {
        "item": st.sampled_from(["a", "b", "1", "é", "x y"]),
        "round": st.integers(1, 3),
        "model": st.sampled_from(["m", "n"]),
        "score": st.one_of(st.none(), st.sampled_from([0.0, 1.0, 0.5, 1 / 3])),
        "category": st.one_of(st.none(), st.sampled_from(["c", "d"])),
        "group": st.one_of(st.none(), st.just("g")),
    },
)


def written(folder: Path, rows: Sequence[Mapping[str, Any]]) -> list[Path]:
    names = list(rows[0])
    texts = [["" if row[name] is None else str(row[name]) for name in names] for row in rows]
    csv, jsonl = folder / "r.csv", folder / "r.jsonl"
    csv.write_text("\n".join(",".join(cells) for cells in [names, *texts]), "utf-8")
    jsonl.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    types = {"round": pa.int64(), "score": pa.float64()}
    columns = {
        name: pa.array([row[name] for row in rows], types.get(name, pa.string())) for name in names
    }
    return [csv, jsonl, parquet(folder / "r.parquet", columns, rows_at_once=3)]


def outcome(path: Path) -> object:
    try:
        tables = read_results(path)
    except SuiteError as error:
        return error.problem
    return [
        (
            table.model,
            table.items,
            rows_of(table),
            table.categories,
            table.groups,
            [warning.partition(":")[2] for warning in table.warnings],
        )
        for table in tables
    ]


@given(rows=st.lists(CELLS, min_size=1, max_size=12))
@settings(max_examples=150, deadline=None)
def test_every_format_says_the_same_of_the_same_rows(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    csv, jsonl, columns = map(outcome, written(tmp_path_factory.mktemp("r"), rows))
    assert jsonl == csv
    if isinstance(csv, str) or isinstance(columns, str):  # several faults: another may come first
        assert isinstance(csv, str)
        assert isinstance(columns, str)
    else:
        assert columns == csv


def test_without_pyarrow_the_mend_is_named(tmp_path: Path) -> None:
    path = parquet(tmp_path / "a.parquet", {"item": ["a"], "score": [1]})
    script = f"""
import sys
sys.modules["pyarrow"] = None
from pathlib import Path
from afere.exchange import export_file, read_results
def read():
    read_results(Path({str(path)!r}))
def write():
    export_file(sys.stdout.buffer, "parquet")
for act in (read, write):
    try:
        act()
    except Exception as error:
        print(type(error).__name__, "pip install 'afere[parquet]'" in str(error))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["SuiteError", "True", "UsageError", "True"]
