"""JSON lines, CSV and folders: what spreadsheets write is read, broken quoting is explained."""

import csv
import io
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afere.domain import Expect, Grader, Item, Suite, SuiteError
from afere.suites import load, load_with_warnings
from afere.suites.csv_reader import read_csv

Write = Callable[[str, str | bytes], Path]
Refusal = Callable[..., SuiteError]

HEAD = "id,input,expect.number\n"


@pytest.fixture
def of_csv(written: Write, graders: Mapping[str, Grader]) -> Callable[[str | bytes], Suite]:
    return lambda text: load(written("items.csv", text), graders)


def test_json_lines_are_a_suite_named_after_their_file(
    written: Write, graders: Mapping[str, Grader]
) -> None:
    lines = (
        '{"id": 1, "input": "maçã ✓ 世?", "expect": {"number": 2.50}}\r\n'
        "\n"
        '{"id": "b", "input": "Which?", "options": {"A": "x", "B": "y"}, "expect": {"choice": "A"}}'
    )
    suite = load(written("mine.jsonl", lines), graders)
    assert suite.name == "mine"
    assert suite.items[0] == Item(
        id="1", input="maçã ✓ 世?", expect=Expect(kind="number", key=Decimal("2.50"))
    )
    assert suite.items[1].options == {"A": "x", "B": "y"}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", None, "no items"),
        ('{"id": "a", "input": "x", "expect": {"number": 1}}\n{"id": ', 2, "not JSON"),
        ("[1]", 1, "mapping"),
        ('{"id": "a", "id": "b"}', 1, "`id` stands twice"),
        ('{"id": NaN}', 1, "NaN is no JSON number"),
        ("[" * 200_000, 1, "in one another"),
        ("[" * 200 + "]" * 200, 1, "in one another"),
        ('{"id": ' + "9" * 5000 + "}", 1, "more than 1000 digits"),
        ('\n\n{"id": "a", "input": "x", "expect": {"nubmer": 1}}', 3, "unknown kind"),
    ],
)
def test_broken_json_lines_are_refused_with_their_line(
    refusal: Refusal, text: str, line: int | None, words: str
) -> None:
    error = refusal(text, "items.jsonl")
    assert words in error.problem
    assert error.line == line
    assert error.mend


def test_a_folder_holds_suite_and_items(written: Write, graders: Mapping[str, Grader]) -> None:
    head = "suite: both\nlanguage: pt-BR\nprompt: 'Q: {{ input }}'\n"
    path = written("both/suite.yaml", head)
    written("both/items.jsonl", '{"id": "a", "input": "x", "expect": {"number": 1}}')
    suite = load(path.parent, graders)
    assert (suite.name, suite.reading.language, len(suite.items)) == ("both", "pt-BR", 1)
    written("both/items.csv", HEAD + "a,x,1")
    with pytest.raises(SuiteError, match=r"items stand in items\.jsonl and items\.csv"):
        load(path.parent, graders)
    written("whole/suite.yaml", head + "items: [{id: a, input: x, expect: {number: 1}}]")
    assert load(path.parent.parent / "whole", graders).name == "both"


def test_a_fault_in_a_folders_items_names_the_items_file(
    written: Write, graders: Mapping[str, Grader]
) -> None:
    path = written("both/suite.yaml", "suite: both\n")
    written("both/items.jsonl", '{"id": "a", "input": "x"}')
    with pytest.raises(SuiteError, match=r"items\.jsonl:1: items\.a\.expect") as raised:
        load(path.parent, graders)
    assert raised.value.mend == "add `expect: …`"


def test_csv_of_a_portuguese_spreadsheet_is_read_whole(
    written: Write, graders: Mapping[str, Grader]
) -> None:
    """BR-048: a byte order mark, semicolons, CRLF, no line end after the last row."""
    text = (
        "\ufeffid;input;category;expect.number;expect.tolerance;public\r\n"
        '1;"Quanto é ""2,5 + 1""; em número?";conta;3,5;0.1;TRUE\r\n'
        ";;;;;\r\n"
        '2;"duas\r\nlinhas";conta;1.234;;false'
    )
    path = written("itens/items.csv", text)
    written("itens/suite.yaml", "suite: itens\nlanguage: pt-BR")
    loaded = load_with_warnings(path.parent, graders)
    first, second = loaded.suite.items
    assert first == Item(
        id="1",
        input='Quanto é "2,5 + 1"; em número?',
        category="conta",
        expect=Expect(kind="number", key="3,5", options={"tolerance": Decimal("0.1")}),
        public=True,
    )
    assert (second.input, second.expect.key, second.public) == ("duas\nlinhas", "1.234", False)
    assert [str(each) for each in loaded.warnings] == [
        "items.csv: cells are separated by semicolon"
    ]
    alone = load_with_warnings(written("alone.csv", text.replace("3,5", "3.5")), graders)
    assert str(alone.warnings[-1]) == (
        "alone.csv says no language: numbers are read as English ones; "
        "a folder with suite.yaml can say `language: pt-BR`"
    )


def test_csv_cells_hold_json_where_a_field_has_parts(
    of_csv: Callable[[str | bytes], Suite],
) -> None:
    suite = of_csv(
        "id,input,expect,options.A,options.B,labels,metadata.page\n"
        'a,Q?,"{""choice"": ""B""}",one,two,,3\n'
        'b,Q?,"{""label"": ""x""}",,,"[""x"", ""y""]",\n'
    )
    assert suite.items[0].options == {"A": "one", "B": "two"}
    assert suite.items[0].metadata == {"page": "3"}
    assert suite.items[1].labels == ("x", "y")
    suite = of_csv(
        "id,input,expect.contains,expect.match,expect.list,expect.text,expect.json\n"
        'a,Q?,"{""all"": [""x""]}",,,,\n'
        "b,Q?,,[0-9]{4},,,\n"
        'c,Q?,,,"[1, 2.50]",,\n'
        "d,Q?,,,,[sic],\n"
        'e,Q?,,,,"[""x"", ""y""]",\n'
    )
    assert [item.expect.key for item in suite.items] == [
        {"all": ["x"]},
        "[0-9]{4}",
        [1, Decimal("2.50")],
        "[sic]",
        ["x", "y"],
    ]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found_and_shown(
    written: Write, graders: Mapping[str, Grader], separator: str
) -> None:
    names = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
    text = separator.join(["id", "input", "expect.text"]) + "\n" + separator.join("abc")
    loaded = load_with_warnings(written("items.csv", text), graders)
    assert loaded.suite.items[0].expect.key == "c"
    assert str(loaded.warnings[0]).endswith(names[separator])


def test_a_declared_separator_is_taken(of_csv: Callable[[str | bytes], Suite]) -> None:
    assert of_csv("sep=;\r\nid;input;expect.number\r\na;x, y, z;1\r\n").items[0].input == "x, y, z"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", None, "the file is empty"),
        ("id", 1, "no separator found"),
        (HEAD, None, "no items"),
        ("id,id,input\n", 1, "`id` stands twice"),
        (HEAD + 'a,{"a": "1,5"},1\n', 2, "column 4: a quote inside a cell"),
        (HEAD + 'a,"x"y,1\n', 2, "column 6: the cell goes on after its closing quote"),
        (HEAD + 'a,x,1\nb,"x,1\nc,y,2\n', 3, "column 3: from this quote on"),
        (HEAD + 'a,"x\ny"z,1\n', 3, "column 3: the cell goes on"),
        (HEAD + "a,x,y,1\n", 2, "4 cells where the header has 3"),
        (HEAD + "a,x\n", 2, "2 cells where the header has 3"),
        ("id,input,expect.number,\na,x,1,extra\n", 2, "cell 4 has no column name"),
        ("id\rinput,x", 1, "old Mac"),
        (HEAD + "a,,1\n", 2, "`input` is missing"),
        (HEAD + "a,x,1\nb,y,\n", 3, "`expect` is missing"),
        ("id,input,expect\na,x,3\n", 2, "kind of answer"),
        ('id,input,expect\na,x,"{number: 3}"\n', 2, "not JSON"),
        ('id,input,expect,expect.number\na,x,"{""number"": 1}",2\n', 2, "both `expect` and"),
        ("id,input,expect.number,catgory\na,x,1,c\n", 2, "unknown field `catgory`"),
        (b"id,input,expect.number\na,n\xe3o,1\n", 2, "byte 0xe3 is not UTF-8"),
    ],
)
def test_a_broken_table_is_explained_in_plain_words(
    refusal: Refusal, text: str | bytes, line: int | None, words: str
) -> None:
    error = refusal(text, "items.csv")
    assert words in error.problem
    assert error.line == line
    assert error.mend


cell = st.text(alphabet="ab,;\"' \n{}é1", max_size=12).map(str.strip)


@settings(deadline=None)
@given(st.lists(st.lists(cell, min_size=2, max_size=2), min_size=1, max_size=5))
def test_what_a_spreadsheet_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([["id", "input"], *rows])
    path = tmp_path_factory.mktemp("csv") / "items.csv"
    path.write_bytes(text.getvalue().encode())
    read = [row.cells for row in read_csv(path, [])]
    assert read == [dict(zip(("id", "input"), row, strict=True)) for row in rows if any(row)]
