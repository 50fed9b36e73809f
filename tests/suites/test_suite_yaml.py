"""YAML suites: what is read, and what is refused with its place."""

import contextlib
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afere.domain import Expect, Grader, SuiteError
from afere.suites import load, load_with_warnings
from afere.suites.node import Node, plain
from afere.suites.yaml_reader import read_yaml

Write = Callable[[str, str | bytes], Path]
Refusal = Callable[..., SuiteError]

HEAD = "suite: mine\nitems:\n"


def item(rest: str, item_id: str = "a") -> str:
    return f"  - id: {item_id}\n    input: How many?\n    {rest}\n"


def value(text: str) -> object:
    return plain(read_yaml(text, None))


def test_a_suite_says_what_its_file_says(written: Write, graders: Mapping[str, Grader]) -> None:
    text = """
suite: mine
version: 3
language: pt-BR
reading: strict
prompt: "Pergunta: {{ input }}"
system: Seja breve.
params: {temperature: 0.70, max_tokens: 10}
average: macro
public: true
metadata: {author: someone}
items:
  - id: 7
    category: c
    group: g
    input: Quanto?
    expect: {number: 2.50, tolerance: 0.1}
    date: 2024-05-01
    source: a book
    public: true
    metadata: {page: 3}
"""
    suite = load(written("suite.yaml", text), graders)
    assert (suite.name, suite.version, suite.average, suite.public) == ("mine", 3, "macro", True)
    assert (suite.reading.language, suite.reading.strict) == ("pt-BR", True)
    assert suite.params == {"temperature": Decimal("0.70"), "max_tokens": 10}
    assert suite.metadata == {"author": "someone"}
    (only,) = suite.items
    assert only.id == "7"
    assert only.expect == Expect(
        kind="number", key=Decimal("2.50"), options={"tolerance": Decimal("0.1")}
    )
    assert str(only.expect.key) == "2.50"
    assert (only.date, only.source, only.public) == ("2024-05-01", "a book", True)
    assert only.metadata == {"page": 3}


def test_what_a_file_leaves_out_takes_the_defaults(
    written: Write, graders: Mapping[str, Grader]
) -> None:
    suite = load(written("suite.yaml", HEAD + item("expect: {number: 1}")), graders)
    assert (suite.reading.language, suite.reading.strict, suite.average) == ("en", False, "micro")
    assert (suite.version, suite.prompt, suite.system) == (1, None, None)
    assert suite.params == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("017", 17),
        ("0o17", 15),
        ("0x1F", 31),
        ("+12", 12),
        ("1_000", "1_000"),
        ("12:30:45", "12:30:45"),
        ("2024-05-01", "2024-05-01"),
        ("1e3", Decimal("1e3")),
        (".5", Decimal("0.5")),
        ("-0.0", Decimal("-0.0")),
        ("1.50", Decimal("1.50")),
        ("'1.50'", "1.50"),
        ("!!str 12", "12"),
        ("! 12", "12"),
        ("<<", "<<"),
        ("=", "="),
        ("|\n  a\n  b\n", "a\nb\n"),
    ],
)
def test_scalars_follow_the_core_schema(text: str, expected: object) -> None:
    got = value(text)
    assert got == expected
    assert type(got) is type(expected)


def test_a_boolean_or_date_where_text_is_due_is_taken_as_written(
    written: Write, graders: Mapping[str, Grader]
) -> None:
    text = (
        HEAD
        + item("expect: {text: [True, 1.50, 2024-05-01]}")
        + "    category: FALSE\n"
        + item("expect: {label: no}\n    labels: [no, true]", "b")
        + item("expect: {list: [true, 1.50, 2]}", "1.0")
        + item("expect: {json: {equals: {a: true}}}", "c")
    )
    suite = load(written("suite.yaml", text), graders)
    assert suite.items[0].expect.key == ["True", "1.50", "2024-05-01"]
    assert suite.items[0].category == "FALSE"
    assert suite.items[1].labels == ("no", "true")
    assert suite.items[2].id == "1.0"
    assert suite.items[2].expect.key == ["true", Decimal("1.50"), 2]
    assert suite.items[3].expect.key == {"equals": {"a": True}}


@pytest.mark.parametrize(
    ("text", "line", "field", "words"),
    [
        ("", None, None, "empty"),
        ("just words", 1, None, "mapping"),
        ("suite: mine\nitem: []", 2, "item", "unknown field `item`"),
        ("suite: mine", 1, "items", "missing"),
        ("items:\n" + item("expect: {number: 1}"), 1, "suite", "missing"),
        ("suite: mine\nitems: 3", 2, "items", "list"),
        ("suite: mine\nitems: []", None, None, "no items"),
        (HEAD + item("expected: {number: 1}"), 5, "items.a.expected", "unknown field"),
        (HEAD + item("category: c"), 3, "items.a.expect", "missing"),
        (HEAD + "  - input: x", 3, "items.#1.id", "missing"),
        (HEAD + "  - {id: a, expect: {number: 1}}", 3, "items.a.input", "missing"),
        (
            HEAD + "  - {id: a, input: ' \u200b', expect: {number: 1}}",
            3,
            "items.a.input",
            "input is empty",
        ),
        (HEAD + item("expect: {nubmer: 1}"), 5, "items.a.expect", "unknown kind `nubmer`"),
        (HEAD + item("expect: {number: 1, text: b}"), 5, "items.a.expect", "more than one kind"),
        (HEAD + item("expect: 3882"), 5, "items.a.expect", "kind of answer"),
        (HEAD + item("expect: {}"), 5, "items.a.expect", "empty"),
        (HEAD + item("expect: {number: }"), 5, "items.a.expect.number", "key is empty"),
        (HEAD + item("expect: {number: many}"), 5, "items.a.expect", "no number"),
        (
            HEAD + item("options: {A: x, B: y}\n    expect: {choice: C}"),
            6,
            "items.a.expect",
            "none of A, B",
        ),
        (
            HEAD + item("labels: [x, y]\n    expect: {label: z}"),
            5,
            "items.a.labels",
            "none of the labels",
        ),
        (
            HEAD + item("options: [x, y]\n    expect: {choice: A}"),
            5,
            "items.a.options",
            "letter to text",
        ),
        (
            HEAD + item("options: {A: x, B: }\n    expect: {choice: A}"),
            5,
            "items.a.options.B",
            "empty",
        ),
        (HEAD + item("date: 2024-13-01\n    expect: {number: 1}"), 5, "items.a.date", "no date"),
        (HEAD + item("public: 1\n    expect: {number: 1}"), 5, "items.a.public", "true or false"),
        ("suite: mine\nreading: strickt\nitems: []", 2, "reading", "none of lenient, strict"),
        ("suite: mine\nlanguage: Português\nitems: []", 2, "language", "no language tag"),
        ("suite: mine\nparams: {model: x}\nitems: []", 2, "params.model", "no parameter"),
        ("suite: mine\nsuite: other", 2, None, "`suite` stands twice, first on line 1"),
        ("suite: mine\nitems: [", 3, None, "not YAML"),
        ("suite: a: b", 1, None, "not YAML"),
        ("suite: !!python/object:os.system x", 1, None, "tag"),
        ("suite: mine\nversion: .nan\nmetadata: {a: .inf}\nitems: []", 3, None, "finite"),
        ("suite: *nothing", 1, None, "nothing before is named"),
        ("suite: &me [*me]", 1, None, "nothing before is named"),
        ("suite: mine\n---\nsuite: other", 2, None, "second document"),
        ("suite: mine\nversion: " + "9" * 5000, 2, None, "more than 1000 digits"),
        ("suite: mine\nversion: 1e99999", 2, None, "more than 1000 digits"),
        ("[a]: b", 1, None, "name must be a text"),
        ("suite: 'a\x07b'", None, None, "not YAML"),
    ],
)
def test_a_fault_is_refused_with_its_place(
    refusal: Refusal, text: str, line: int | None, field: str | None, words: str
) -> None:
    error = refusal(text)
    assert words in error.problem
    assert (error.line, error.field) == (line, field)
    assert str(error.file).endswith("suite.yaml")
    assert error.mend


def test_the_nearest_right_name_is_said(refusal: Refusal) -> None:
    assert "`category`" in refusal(HEAD + item("catgory: c")).mend
    assert "`number`" in refusal(HEAD + item("expect: {numbr: 1}")).mend
    assert "`language`" in refusal("suite: s\nlangauge: en").mend
    assert "`strict`" in refusal("suite: s\nreading: strickt\nitems: []").mend


@pytest.mark.parametrize(("first", "second"), [("q1", "q1"), ("1", '"1"'), ('"é"', '"e\u0301"')])
def test_two_items_of_one_id_are_refused_naming_both_lines(
    refusal: Refusal, first: str, second: str
) -> None:
    error = refusal(HEAD + item("expect: {number: 1}", first) + item("expect: {number: 2}", second))
    assert error.line == 6
    assert "line 3 and line 6" in error.problem


def test_ids_that_differ_by_case_are_a_warning(
    written: Write, graders: Mapping[str, Grader]
) -> None:
    text = HEAD + item("expect: {number: 1}", "Q1") + item("expect: {number: 2}", "q1")
    loaded = load_with_warnings(written("suite.yaml", text), graders)
    assert [str(each) for each in loaded.warnings] == [
        "the ids `Q1` and `q1` differ only by case (lines 3 and 6)"
    ]


def test_aliases_are_taken_but_cannot_explode(
    refusal: Refusal, written: Write, graders: Mapping[str, Grader]
) -> None:
    shared = item("expect: &key {number: 1}") + item("expect: *key", "b")
    suite = load(written("good.yaml", HEAD + shared), graders)
    assert suite.items[0].expect == suite.items[1].expect
    bomb = "".join(f"  x{n}: &x{n} [{', '.join([f'*x{n - 1}'] * 10)}]\n" for n in range(1, 30))
    text = f"suite: s\nmetadata:\n  x0: &x0 [{'lol, ' * 9}lol]\n{bomb}"
    assert refusal(text).problem == "aliases repeat too much"


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_nesting_is_bounded(refusal: Refusal, opening: str) -> None:
    assert isinstance(refusal(opening * 100_000), SuiteError)


def test_the_number_of_values_is_bounded() -> None:
    with pytest.raises(SuiteError, match=r"too many values.*\n.*items\.jsonl"):
        read_yaml("[" + "1," * 100 + "]", None, most_values=100)


def test_a_file_that_is_not_utf_8_is_refused_with_its_line(refusal: Refusal) -> None:
    error = refusal("suite: mine\nsystem: não".encode("cp1252"))
    assert (error.line, error.problem) == (2, "byte 0xe3 is not UTF-8")
    assert "UTF-16" in refusal("suite: mine".encode("utf-16")).problem


def test_a_byte_order_mark_is_passed_over(written: Write, graders: Mapping[str, Grader]) -> None:
    text = "\ufeff" + HEAD + item("expect: {number: 1}")
    assert load(written("suite.yaml", text.encode()), graders).name == "mine"


def test_a_source_that_is_not_there_names_the_nearest_suite(
    graders: Mapping[str, Grader], tmp_path: Path
) -> None:
    with pytest.raises(SuiteError, match="did you mean `swap-20`"):
        load("swap20", graders)
    with pytest.raises(SuiteError, match=r"no suite\.yaml"):
        load(tmp_path, graders)
    with pytest.raises(SuiteError, match="is no suite"):
        load(Path(__file__), graders)
    for name in ("x" * 5000, "a\0b", "/dev/zero", ""):
        with pytest.raises(SuiteError):
            load(name, graders)


@given(st.text(alphabet="-:?[]{}&*!|>'\"%@,# \n\tab1.~é", max_size=60))
@settings(max_examples=400, deadline=None)
def test_no_text_crashes_the_reader(text: str) -> None:
    with contextlib.suppress(SuiteError):
        assert isinstance(read_yaml(text, "any.yaml"), Node)
