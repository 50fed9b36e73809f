"""Result files that are text: what is read, and how what is wrong is said."""

import json
from collections.abc import Callable
from contextlib import suppress
from math import isnan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from result_rows import rows_of

from afere.domain import ScoreTable, SuiteError
from afere.exchange import read_results

Written = Callable[[str, str | bytes], Path]
TWO = "item,score\np01,1\np02,0.5\n"


def one(path: Path, model: str | None = None) -> ScoreTable:
    (table,) = read_results(path, model=model)
    return table


def said(path: Path, model: str | None = None) -> list[str]:
    with pytest.raises(SuiteError) as caught:
        read_results(path, model=model)
    text = str(caught.value)
    assert text.startswith(str(path)), text
    return text.removeprefix(str(path)).lstrip(":").split("\n")


def test_a_table_has_items_and_scores_in_one_round(written: Written) -> None:
    table = one(written("a.csv", TWO))
    assert rows_of(table) == [("p01", 1, 1.0), ("p02", 1, 0.5)]
    assert (table.categories, table.groups, table.model) == ((), (), "")
    assert table.notes == ("a.csv: cells are separated by comma",)
    assert table.warnings == ()


@pytest.mark.parametrize(
    ("cell", "score"),
    [
        ("1", 1.0),
        ("0", 0.0),
        ("1.0", 1.0),
        (".25", 0.25),
        ("+1", 1.0),
        ("-0", 0.0),
        ("1e-3", 0.001),
        ("true", 1.0),
        ("FALSE", 0.0),
        (" True ", 1.0),
        ("", None),
        ("   ", None),
    ],
)
def test_scores_are_numbers_truths_or_empty(
    written: Written, cell: str, score: float | None
) -> None:
    table = one(written("a.csv", f"item,score\np01,{cell}\n"))
    assert rows_of(table) == [("p01", 1, score)]


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ("nan", '"nan" is no finite number'),
        ("-inf", '"-inf" is no finite number'),
        ("Infinity", '"Infinity" is no finite number'),
        ("1e999", '"1e999" is no finite number'),
        ("1.2", '"1.2" is not between 0 and 1'),
        ("85", '"85" is not between 0 and 1'),
        ("-0.1", '"-0.1" is not between 0 and 1'),
        ("right", '"right" is no score'),
        ("1_0", '"1_0" is no score'),
        ("٠", '"٠" is no score'),
        ("null", '"null" is no score'),
        ("50%", '"50%" is no score'),
        ("0x1", '"0x1" is no score'),
        ("x" * 100, f'"{"x" * 60}…" is no score'),
        ("a\x1b[2Jb", '"a\\u001b[2Jb" is no score'),
    ],
)
def test_a_score_that_is_none_is_refused_with_its_place(
    written: Written, cell: str, problem: str
) -> None:
    path = written("a.csv", f"item,score\np01,1\np02,{cell}\n")
    first, mend = said(path)
    assert first == f"3: score: {problem}"
    assert mend


def test_what_a_spreadsheet_saves_is_read_as_it_is_meant(written: Written) -> None:
    text = "\ufeffItem;Score;Round;Category\r\np01;0,5;1;álgebra\r\np01;1;2;álgebra\r\n\r\n"
    table = one(written("a.csv", text))
    assert rows_of(table) == [("p01", 1, 0.5), ("p01", 2, 1.0)]
    assert table.categories == ("álgebra",)
    assert table.notes == ("a.csv: cells are separated by semicolon",)


@pytest.mark.parametrize("name", ["semicolon", "comma", "tab", "bar"])
def test_the_separator_is_found_and_told(written: Written, name: str) -> None:
    separator = {"semicolon": ";", "comma": ",", "tab": "\t", "bar": "|"}[name]
    table = one(written("a.csv", separator.join(["item", "score"]) + f"\np01{separator}1\n"))
    assert rows_of(table) == [("p01", 1, 1.0)]
    assert table.notes == (f"a.csv: cells are separated by {name}",)


def test_a_declared_separator_counts(written: Written) -> None:
    path = written("a.csv", "sep=;\nitem;score\np01;1\np02;2\n")
    assert said(path)[0] == '4: score: "2" is not between 0 and 1'


def test_cells_in_quotes_hold_separators_and_line_ends(written: Written) -> None:
    path = written("a.csv", 'item,score,note\n"a,""b""",1,"one\ntwo"\np02,7,\n')
    assert said(path)[0] == '4: score: "7" is not between 0 and 1'
    table = one(written("a.csv", 'item,score,note\n"a,""b""",1,"one\ntwo"\n'))
    assert table.items == ('a,"b"',)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the file is empty"),
        ("\n \n", "the file is empty"),
        ("item,score\n", "there is no row"),
        ("id,score\np01,1\n", '1: there is no column `item` among "id", "score"'),
        ("item,grade\np01,1\n", '1: there is no column `score` among "item", "grade"'),
        ("item,score,Score\np01,1,1\n", "1: the column score stands twice"),
        ("item,score\np01,1,1\n", "2: 3 cells where the header has 2"),
        ("item,score\n,1\n", "2: item: names no item"),
        ('item,score\n"p01,1\n', "2: no CSV: unexpected end of data"),
        ("item,score,round\np01,1,0\n", '2: round: "0" is no round'),
        ("item,score,round\np01,1,1.5\n", '2: round: "1.5" is no round'),
        ("item,score,round\np01,1,99999999999999999999\n", None),
        ("item,score,round\np01,1,first\n", '2: round: "first" is no round'),
        ("item,score,variant\np01,1,-1\n", '2: variant: "-1" is no variant'),
    ],
)
def test_a_table_that_is_none_is_refused(written: Written, text: str, problem: str | None) -> None:
    first, mend = said(written("a.csv", text))
    assert problem is None or first.strip() == problem
    assert mend


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("item,score\np01,1\n".encode("utf-16"), "the file is UTF-16, not UTF-8"),
        (b"item,score\np01,1\n\xe1lgebra,1\n", "3: byte 0xe1 is not UTF-8"),
    ],
)
def test_another_encoding_is_named(written: Written, content: bytes, problem: str) -> None:
    assert said(written("a.csv", content))[0].strip() == problem


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert said(tmp_path / "none.csv")[0].strip().startswith("cannot be read")
    assert said(tmp_path / "results.xlsx")[0].strip() == "is no result file by its name"


def test_rounds_categories_groups_and_models_are_columns(written: Written) -> None:
    rows = [
        {"item": 1, "round": 1, "score": True, "category": "a", "group": 7, "model": "x"},
        {"item": "1", "round": 2, "score": None, "category": "a", "group": 7, "model": "x"},
        {"item": "2", "round": 1, "score": 0.25, "category": None, "model": "x"},
        {"item": "2", "round": 1, "score": 1, "model": "y"},
    ]
    path = written("a.jsonl", "\n".join(json.dumps(row) for row in rows))
    x, y = read_results(path)
    assert rows_of(x) == [("1", 1, 1.0), ("1", 2, None), ("2", 1, 0.25)]
    assert (x.model, x.categories, x.groups) == ("x", ("a", None), ("7", None))
    assert rows_of(y) == [("2", 1, 1.0)]
    assert rows_of(one(path, "y")) == [("2", 1, 1.0)]
    problem, mend = said(path, "z")
    assert problem.strip() == 'model: has no model "z"'
    assert mend == 'it has: "x", "y"'


def test_a_model_asked_of_a_file_without_models_is_refused(written: Written) -> None:
    assert said(written("a.csv", TWO), "x")[0].strip() == "model: names no model"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"item": "p01"}', "score: there is no score"),
        ('{"item": "p01", "score": NaN}', 'score: "nan" is no finite number'),
        ('{"item": "p01", "score": -Infinity}', 'score: "-inf" is no finite number'),
        ('{"item": "p01", "score": 1e999}', 'score: "inf" is no finite number'),
        ('{"item": "p01", "score": "1"}', 'score: "1" is no score'),
        ('{"item": "p01", "score": [1]}', 'score: "[1]" is no score'),
        ('{"item": "p01", "score": 2}', 'score: "2" is not between 0 and 1'),
        (f'{{"item": "p01", "score": {"9" * 400}}}', None),
        ('{"item": true, "score": 1}', "item: names no item"),
        ('{"item": null, "score": 1}', "item: names no item"),
        ('{"score": 1}', "item: names no item"),
        ('{"item": "p01", "score": 1, "round": true}', 'round: "True" is no round'),
        ('{"item": "p01", "score": 1, "category": ["a"]}', None),
        ('{"item": "p01", "score": 1, "score": 0}', None),
        ("[]", "is no JSON object"),
        ("[" * 100_000, None),
        ("p01 1", None),
    ],
)
def test_a_line_that_is_no_result_is_refused(
    written: Written, line: str, problem: str | None
) -> None:
    first, mend = said(written("a.jsonl", f'{{"item": "p00", "score": 1}}\n\n{line}\n'))
    assert first.startswith("3: ")
    assert problem is None or first == f"3: {problem}"
    assert mend


def test_two_scores_of_one_item_and_round_are_refused(written: Written) -> None:
    path = written("a.csv", "item,round,score\np01,1,1\np01,2,0\np01,1,0\n")
    first, mend = said(path)
    assert first == ('4: score: item "p01" has a second, different score in round 1 (1, then 0)')
    assert "column `round`" in mend
    lost = written("b.csv", "item,score\np01,1\np01,\n")
    assert said(lost)[0].endswith("(1, then lost)")


def test_a_row_that_stands_twice_counts_once_and_is_told(written: Written) -> None:
    table = one(written("a.csv", "item,score\np01,1\np01,1.0\np02,\np02,\n"))
    assert rows_of(table) == [("p01", 1, 1.0), ("p02", 1, None)]
    assert table.warnings == ("a.csv: 2 rows stand there twice and count once",)


def test_an_item_has_one_category(written: Written) -> None:
    path = written("a.csv", "item,round,score,category\np01,1,1,a\np01,2,1,\np01,3,1,b\n")
    assert said(path)[0] == '4: category: item "p01" has "b" here and "a" before'


def test_rounds_that_are_no_rounds_do_not_fill_the_memory(written: Written) -> None:
    rows = "".join(f"p{n},1,{n % 9_000 + 1}\n" for n in range(60_000))
    problem, mend = said(written("a.csv", f"item,score,round\n{rows}"))
    assert problem.strip() == "round: nearly all items lack nearly all rounds"
    assert "`round`" in mend


def test_rounds_in_words_of_a_portuguese_script_are_read(written: Written) -> None:
    document = {
        "modelo": "qwen",
        "base": "prova",
        "rodadas": [
            {"disciplina": {"p01": "ok", "p02": "errou", "p03": "sem-resposta"}},
            {"disciplina": {"p01": "erro", "p02": "ok", "p03": "ok"}},
        ],
    }
    table = one(written("a.json", json.dumps(document)))
    assert rows_of(table) == [
        ("p01", 1, 1.0),
        ("p01", 2, None),
        ("p02", 1, 0.0),
        ("p02", 2, 1.0),
        ("p03", 1, 0.0),
        ("p03", 2, 1.0),
    ]
    assert (table.model, table.categories) == ("qwen", ())
    assert "graded elsewhere" in table.warnings[0]
    assert "substring" in table.warnings[0]


def test_disciplines_with_names_are_categories(written: Written) -> None:
    rounds = [{"história": {"h1": "ok"}, "física": {"f1": "errou"}}]
    table = one(written("a.json", json.dumps({"modelo": "m", "rodadas": rounds})))
    assert table.items == ("h1", "f1")
    assert table.categories == ("história", "física")


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("{", "is no JSON"),
        ('{"rodadas": [{"x": {"a": "ok", "a": "errou"}}]}', 'is no JSON: "a" stands twice'),
        ('{"results": []}', "is no file of results: it has no list `rodadas`"),
        ('{"rodadas": []}', "rodadas: holds no round"),
        ('{"rodadas": [1]}', "rodadas[1]: is no object"),
        ('{"rodadas": [{"x": ["ok"]}]}', "rodadas[1].x: is no object of items"),
        ('{"rodadas": [{"x": {"a": "certo"}}]}', 'rodadas[1].x.a: "certo" is no such result'),
        ('{"rodadas": [{"x": {"a": 1}}]}', 'rodadas[1].x.a: "1" is no such result'),
        ('{"rodadas": [{"x": {}}]}', "there is no row"),
        ('{"rodadas": [{"x": {"a": "ok"}, "y": {"a": "errou"}}]}', None),
    ],
)
def test_rounds_that_are_none_are_refused(
    written: Written, document: str, problem: str | None
) -> None:
    first, mend = said(written("a.json", document))
    assert problem is None or first.strip().startswith(problem)
    assert mend


@given(content=st.binary(max_size=200), suffix=st.sampled_from([".csv", ".jsonl", ".json"]))
def test_no_bytes_crash_the_reader(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str
) -> None:
    path = tmp_path_factory.mktemp("any") / f"a{suffix}"
    path.write_bytes(content)
    with suppress(SuiteError):
        read_results(path)


@given(
    tail=st.text(max_size=60),
    header=st.sampled_from(["item,score", "item;score;round", "expect_hash,item,score,model"]),
)
def test_no_text_after_a_header_crashes_the_reader(
    tmp_path_factory: pytest.TempPathFactory, tail: str, header: str
) -> None:
    path = tmp_path_factory.mktemp("any") / "a.csv"
    path.write_bytes(f"{header}\n{tail}".encode("utf-8", "surrogatepass"))
    with suppress(SuiteError):
        for table in read_results(path):
            assert all(0 <= score <= 1 for score in table.score if not isnan(score))
