"""Data sets of Hugging Face, saved on disk, and tables whose columns are mapped."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from afere.domain import Expect, Grader, SuiteError
from afere.suites import load

Write = Callable[[str, str | bytes], Path]
Refusal = Callable[..., SuiteError]

TABLE = "question,gold,level,other\nHow many?,3,easy,x\nAnd now?,4,hard,y\n"


def test_columns_of_a_table_are_mapped_to_fields(
    written: Write, graders: Mapping[str, Grader]
) -> None:
    head = (
        "suite: s\nlanguage: pt-BR\nitems:\n  from: data/table.csv\n"
        "  columns: {id: question, input: question, expect.number: gold, category: level}\n"
    )
    path = written("s/suite.yaml", head)
    written("s/data/table.csv", TABLE)
    first, second = load(path, graders).items
    assert (first.id, first.input, first.category) == ("How many?", "How many?", "easy")
    assert second.expect == Expect(kind="number", key="4")
    assert load(path.parent, graders) == load(path, graders)
    lines = '{"q": {"text": "How?"}, "a": [1, 2], "id": 7}\n'
    written("s/data/table.jsonl", lines)
    written(
        "s/suite.yaml",
        "suite: s\nitems: {from: data/table.jsonl, columns: {input: q.text, expect.list: a}}\n",
    )
    (only,) = load(path, graders).items
    assert (only.id, only.input, only.expect.key) == ("7", "How?", [1, 2])


@pytest.mark.parametrize(
    ("items", "words", "mend"),
    [
        ("{from: ../table.csv}", "no table `../table.csv`", "suite's folder"),
        ('{from: "a\\0b"}', "no table `a?b`", "suite's folder"),
        ("{from: " + "x" * 5000 + "}", "no table", "suite's folder"),
        ("{from: /etc/passwd}", "no table", "suite's folder"),
        ("{from: 'hf:/etc/x'}", "no data set on the hub", "hf:owner/name"),
        ("{from: suite.yaml}", "this file is no table", ".csv"),
        ("{form: table.csv}", "unknown field `form`", "did you mean `from`?"),
        ("{from: table.csv, columns: {input: qestion}}", "no column `qestion`", "`question`"),
        ("{from: table.csv, columns: {inptu: question}}", "unknown field `inptu`", "`input`"),
        ("{from: table.csv, columns: 3}", "a mapping is due", "columns: {"),
    ],
)
def test_a_table_that_cannot_be_taken_is_refused(
    refusal: Refusal, written: Write, items: str, words: str, mend: str
) -> None:
    written("table.csv", TABLE)
    written("s/table.csv", TABLE)
    error = refusal(f"suite: s\nitems: {items}\n", "s/suite.yaml")
    assert words in error.problem
    assert mend in error.mend


def saved(folder: Path, **splits: dict[str, list[Any]]) -> str:
    datasets: Any = pytest.importorskip("datasets", reason="the extra `hf` is not installed")
    features = {
        "answer": datasets.ClassLabel(names=["A", "B", "C"]),
        "mood": datasets.ClassLabel(names=["sad", "glad"]),
    }
    sets = {}
    for split, columns in splits.items():
        one = datasets.Dataset.from_dict(columns)
        for name in set(features) & set(columns):
            one = one.cast_column(name, features[name])
        sets[split] = one
    data = sets["only"] if list(sets) == ["only"] else datasets.DatasetDict(sets)
    data.save_to_disk(str(folder))
    return f"hf:{folder}"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # within the library itself
def test_a_data_set_saved_on_disk_is_a_suite(tmp_path: Path, graders: Mapping[str, Grader]) -> None:
    columns = {
        "question": ["Which?", "Who?"],
        "choices": [["x", "y", "z"], ["u", "v", "w"]],
        "answer": [2, 0],
        "gold": [1, 2],
        "unused": [b"raw", b"raw"],
    }
    place = saved(tmp_path / "quiz", only=columns)
    suite = load(f"{place}?input=question&options=choices&expect.choice=answer", graders)
    assert suite.name == "quiz"
    assert [item.id for item in suite.items] == ["1", "2"]
    assert suite.items[0].options == {"A": "x", "B": "y", "C": "z"}
    assert [item.expect.key for item in suite.items] == ["C", "A"]
    counted = load(f"{place}?input=question&options=choices&expect.choice=gold", graders)
    assert [item.expect.key for item in counted.items] == ["B", "C"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # within the library itself
def test_classes_become_labels_and_splits_are_named(
    tmp_path: Path, graders: Mapping[str, Grader]
) -> None:
    rows = {"id": ["a"], "text": ["Sad or glad: hooray!"], "mood": [1]}
    place = saved(tmp_path / "moods", train=rows, test={**rows, "id": ["b"]})
    columns = "input=text&expect.label=mood"
    (only,) = load(f"{place}?split=test&{columns}", graders).items
    assert (only.id, only.labels, only.expect.key) == ("b", ("sad", "glad"), "glad")
    with pytest.raises(SuiteError, match="name the split") as raised:
        load(f"{place}?{columns}", graders)
    assert raised.value.mend == "splits are: train, test"
    with pytest.raises(SuiteError, match="no split `tset`"):
        load(f"{place}?split=tset&{columns}", graders)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # within the library itself
def test_lists_of_texts_and_letters_are_options(
    tmp_path: Path, graders: Mapping[str, Grader]
) -> None:
    rows = {
        "id": ["a"],
        "question": ["Which?"],
        "choices": [{"text": ["x", "y"], "label": ["1", "2"]}],
        "key": ["2"],
    }
    place = saved(tmp_path / "pairs", only=rows)
    (only,) = load(f"{place}?input=question&options=choices&expect.choice=key", graders).items
    assert only.options == {"1": "x", "2": "y"}


def test_a_data_set_that_cannot_be_loaded_is_refused(
    tmp_path: Path, graders: Mapping[str, Grader]
) -> None:
    pytest.importorskip("datasets", reason="the extra `hf` is not installed")
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "state.json").write_text("no data set", "utf-8")
    with pytest.raises(SuiteError, match="cannot be loaded"):
        load(f"hf:{folder}?input=question", graders)
