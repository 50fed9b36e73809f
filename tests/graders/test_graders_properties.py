"""Claims that hold for any text: grading never raises, form never counts, locales agree."""

from decimal import Decimal
from typing import Any

import pytest
from grading_cases import make_item
from hypothesis import example, given, settings
from hypothesis import strategies as st

from afere.domain import AnswerKeyError, Outcome, Reading, Response
from afere.graders import builtin, grade_offline
from afere.graders.expressions import UnfinishedError
from afere.graders.reading.folding import fold

OPTIONS = {"A": "São Paulo", "B": "Salvador", "C": "Brasília", "D": "Recife", "E": "Manaus"}
LANGUAGES = ["en", "pt-BR", "es", "zh-CN"]
ITEMS = [
    make_item({"number": Decimal("2.5"), "unit": "kg"}),
    make_item({"number": 256, "base": 16}),
    make_item({"text": ["Recife", "C#"]}),
    make_item({"contains": {"all": ["cp"], "none": ["c++"]}}),
    make_item({"list": [8, 19, Decimal("1.5")]}),
    make_item({"list": ["azul", "olive oil"]}),
    make_item({"set": ["a", "e"]}),
    make_item({"match": "(a+)+b|[A-Z]{3}"}),
    make_item({"regex": {"matches": ["12"], "rejects": ["1", "aaaaaaaaaaaaaaaaaaaa!"]}}),
    make_item({"choice": "C"}, options=OPTIONS),
    make_item({"choice": "1"}, options={"1": "10", "2": "100"}),
    make_item({"label": "não"}, labels=["sim", "não"]),
    make_item({"json": {"equals": {"a": 1}, "schema": {"type": "object"}}}),
]

# Pieces that replies are made of, so that random texts reach the rules and not only the door.
PIECES = st.sampled_from([
    "Answer: ", "Resposta:", "答案：", "####", "\\boxed{", "}", "\\frac{1}{", "**", "`", "```\n",
    "$", "<think>", "</think>", "<s>", "</s>", "<|im_end|>", "\n", "\n\n", " ", "|", "- ", "1. ",
    "# ", "C", "(A)", "não", "sim", "not ", "é ", "is ", "12", "-3", "1.234,5", "1e999", "0x1F",
    "½", "²", "9^9^9", "²²", "{", '"a": ', "[", "]", ",", ";", ":", "/", "\\", "^a$", "(?",
    "Question: ", "\u0301", "\u200b", "\ue000", "\ue001", "\ufeff",
    "\ud800", "１２", "四", "百分之", "R$ ",
    "km/h",
])  # fmt: skip
TEXTS = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
REPLIES = TEXTS | st.lists(PIECES | st.text(max_size=4), max_size=14).map("".join)
FINISHES = st.sampled_from(["stop", "length", "content_filter", None, "tool_calls"])


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.expect.kind}-{item.expect.key}")
@settings(max_examples=150, deadline=None)
@given(reply=REPLIES, finish=FINISHES, language=st.sampled_from(LANGUAGES), strict=st.booleans())
@example(reply="1e9999999999999999999", finish="stop", language="en", strict=False)
@example(reply="[" * 3000, finish="stop", language="en", strict=False)
@example(reply="(" * 3000, finish="stop", language="en", strict=False)
@example(reply="7/0", finish="stop", language="en", strict=False)
def test_grading_never_raises_on_any_text(
    item: Any, reply: str, finish: str | None, language: str, *, strict: bool
) -> None:
    response = Response(content=reply, finish_reason=finish)
    grade = grade_offline(item, response, Reading(language=language, strict=strict))
    assert grade.score == (1.0 if grade.outcome is Outcome.RIGHT else 0.0)
    assert grade.grader == item.expect.kind
    if finish == "content_filter":
        assert grade.outcome is Outcome.BLOCKED


WRAPS = {
    "bold": "**{}**",
    "italic": "*{}*",
    "underlined": "__{}__",
    "heading": "## {}",
    "quoted line": "> {}",
    "bullet": "* {}",
    "code span": "`{}`",
    "fence": "```\n{}\n```",
    "fence with a language": "```text\n{}\n```",
    "straight quotes": '"{}"',
    "curly quotes": "“{}”",
    "round brackets": "({})",
    "box": "\\boxed{{{}}}",
    "box with text": "\\boxed{{\\text{{{}}}}}",
    "inline maths": "${}$",
    "inline maths in brackets": "\\({}\\)",
    "display maths": "$$\n{}\n$$",
    "HTML": "<p><strong>{}</strong></p>",
    "table cell": "| {} |",
    "white space": "  \n\t{}\n\n ",
    "no-break space": "\u00a0{}\u202f",
    "zero-width": "\u200b{}\ufeff",
    "full stop": "{}.",
    "end mark": "{}</s>",
    "reasoning": "<think>77, B, sim, x</think>\n{}",
    "preamble": "Certo, vamos lá:\n\n{}",
    "two lines before": "Pensei bastante.\nEis o que achei:\n{}",
    "marker": "Resposta: {}",
    "bold marker": "**Resposta:** {}",
    "marker above": "Resposta:\n\n{}",
    "English marker": "Final answer: {}",
    "hashes": "#### {}",
}
RIGHT = {
    "number": ({"number": 1733}, {}, "1.733"),
    "negative": ({"number": -6}, {}, "-6"),
    "text": ({"text": ["Recife"]}, {}, "Recife"),
    "list": ({"list": [8, 19, 31]}, {}, "8, 19, 31"),
    "set": ({"set": ["azul", "verde"]}, {}, "verde, azul"),
    "choice": ({"choice": "C"}, {"options": OPTIONS}, "C"),
    "text of a choice": ({"choice": "C"}, {"options": OPTIONS}, "Brasília"),
    "function letter": ({"choice": "A"}, {"options": OPTIONS}, "A"),
    "label": ({"label": "não"}, {"labels": ["sim", "não"]}, "não"),
}


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS.keys())
@pytest.mark.parametrize("case", RIGHT.values(), ids=RIGHT.keys())
def test_form_round_a_right_answer_changes_nothing(case: Any, wrap: str) -> None:
    expect, fields, answer = case
    if expect == {"number": -6} and wrap in {"* {}", "> {}", "## {}"}:
        answer = "\u22126"  # after a bullet the hyphen would be ambiguous to a person as well
    item = make_item(expect, **fields)
    for strict in (False, True):
        response = Response(content=wrap.format(answer), finish_reason="stop")
        grade = grade_offline(item, response, Reading(language="pt-BR", strict=strict))
        assert grade.outcome is Outcome.RIGHT, (wrap, strict, grade)


@settings(max_examples=120, deadline=None)
@given(
    wraps=st.lists(
        st.sampled_from(["**{}**", "`{}`", '"{}"', "({})", "\\text{{{}}}", " {} ", "“{}”", "{}."]),
        min_size=1,
        max_size=4,
    ),
    case=st.sampled_from(sorted(RIGHT)),
)
def test_form_in_layers_changes_nothing(wraps: list[str], case: str) -> None:
    expect, fields, answer = RIGHT[case]
    for wrap in wraps:
        answer = wrap.format(answer)
    response = Response(content=answer, finish_reason="stop")
    grade = grade_offline(make_item(expect, **fields), response, Reading(language="pt-BR"))
    assert grade.outcome is Outcome.RIGHT, answer


NUMBERS = st.decimals(-(10**15), 10**15, places=2, allow_nan=False, allow_infinity=False)


def spelled(value: Decimal, point: str, group: str) -> str:
    """Write a number in one language's way."""
    whole = f"{value:,.2f}".replace(",", "\0").replace(".", point)
    return whole.replace("\0", group)


@settings(max_examples=200, deadline=None)
@given(value=NUMBERS, group=st.booleans())
def test_a_number_and_its_spelling_in_the_declared_language_agree(
    value: Decimal, *, group: bool
) -> None:
    for language, point, thousands in (
        ("en", ".", ","),
        ("pt-BR", ",", "."),
        ("es", ",", "."),
        ("es-MX", ".", ","),
        ("zh-CN", ".", ","),
    ):
        reply = spelled(value, point, thousands if group else "")
        item, reading = make_item({"number": value}), Reading(language=language)
        grade = grade_offline(item, Response(content=reply), reading)
        assert grade.outcome is Outcome.RIGHT, (language, reply)
        assert "other-separators" not in grade.flags


@settings(max_examples=200, deadline=None)
@given(value=NUMBERS, other=NUMBERS)
def test_another_number_is_never_right(value: Decimal, other: Decimal) -> None:
    for language, point, thousands in (("en", ".", ","), ("pt-BR", ",", ".")):
        reply = f"Resposta: {spelled(other, point, thousands)}"
        item, reading = make_item({"number": value}), Reading(language=language)
        grade = grade_offline(item, Response(content=reply), reading)
        assert (grade.outcome is Outcome.RIGHT) == (value == other)


@settings(max_examples=200, deadline=None)
@given(value=st.integers(-(10**30), 10**30), change=st.sampled_from(["1{}", "{}1", "{}0", "0.{}"]))
def test_a_part_of_another_number_is_never_the_number(value: int, change: str) -> None:
    other = change.format(abs(value))
    item = make_item({"number": abs(value)})
    grade = grade_offline(item, Response(content=other), Reading())
    assert (grade.outcome is Outcome.RIGHT) == (Decimal(other) == abs(value))


@settings(max_examples=100, deadline=None)
@given(
    prose=st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Z", "S"]), max_size=80),
    ending=st.sampled_from(["\nAnswer: 42", "\n\n**Answer:** 42\n", "\n#### 42"]),
)
def test_nothing_before_a_marker_counts(prose: str, ending: str) -> None:
    item = make_item({"number": 42})
    before = prose.replace("<", "(").replace("[", "(").replace("~", "-").replace("`", "'")
    grade = grade_offline(item, Response(content=before + ending), Reading())
    assert grade.outcome is Outcome.RIGHT
    assert grade.rule in {"marker", "whole"}


WORDS = st.from_regex(r"[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ0-9+#./_-]{0,8}( [a-zà-ÿ]{2,8}){0,2}", fullmatch=True)
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), min_size=1, max_size=12)
KEYS = st.one_of(
    st.builds(lambda keys: {"text": keys}, st.lists(ANY_TEXT, min_size=1, max_size=3)),
    st.builds(lambda keys: {"contains": {"all": keys}}, st.lists(ANY_TEXT, min_size=1, max_size=3)),
    st.builds(lambda keys: {"list": keys}, st.lists(ANY_TEXT, min_size=1, max_size=3)),
    st.builds(lambda keys: {"set": keys}, st.lists(ANY_TEXT, min_size=1, max_size=3)),
    st.builds(lambda key: {"number": key}, ANY_TEXT | st.decimals(allow_nan=None)),
    st.builds(lambda key: {"match": key}, ANY_TEXT),
    st.builds(lambda key: {"choice": key}, ANY_TEXT),
    st.builds(lambda key: {"label": key}, ANY_TEXT),
    st.builds(lambda key: {"json": {"equals": key}}, ANY_TEXT),
)


@settings(max_examples=300, deadline=None)
@given(expect=KEYS, more=ANY_TEXT, reply=REPLIES, language=st.sampled_from(LANGUAGES))
def test_a_key_of_any_text_is_refused_at_the_door_or_never_raises(
    expect: dict[str, Any], more: str, reply: str, language: str
) -> None:
    key = str(next(iter(expect.values())))
    item = make_item(expect, options={key: more, "B": key}, labels=[key, more])
    reading = Reading(language=language)
    try:
        builtin()[item.expect.kind].check(item, reading)
    except AnswerKeyError:
        return
    try:
        for content in (reply, key, f"Answer: {key}\n{more}"):
            grade_offline(item, Response(content=content), reading)
    except UnfinishedError:
        assert item.expect.kind == "match"


@settings(max_examples=300, deadline=None)
@given(keys=st.lists(WORDS, min_size=2, max_size=4, unique_by=fold), strict=st.booleans())
def test_the_key_itself_is_right(keys: list[str], *, strict: bool) -> None:
    first, *others = keys
    options = dict(zip("ABCD", keys, strict=False))
    reading = Reading(language="pt-BR", strict=strict)
    for item, reply in (
        (make_item({"text": [first]}), first),
        (make_item({"text": [*others, first]}), f"Resposta: {first}"),
        (make_item({"contains": {"all": [first]}}), first),
        (make_item({"choice": "A"}, options=options), "A"),
        (make_item({"choice": "A"}, options=options), f"A) {first}"),
        (make_item({"choice": "B"}, options=options), f"Resposta: B) {others[0]}"),
        (make_item({"label": first}, labels=keys), first),
        (make_item({"label": first}, labels=keys), f"Resposta: {first}"),
        (make_item({"list": keys}), ", ".join(keys)),
        (make_item({"list": keys}), "\n".join(f"- {key}" for key in keys)),
        (make_item({"set": keys}), "; ".join(reversed(keys))),
    ):
        grade = grade_offline(item, Response(content=reply), reading)
        assert grade.outcome is Outcome.RIGHT, (item.expect, reply, grade)


SIGNED = st.from_regex(r"[A-Za-zÀ-ÿ][A-Za-z0-9_*~`$<>&|#+./-]{0,6}", fullmatch=True)


@settings(max_examples=300, deadline=None)
@given(keys=st.lists(SIGNED, min_size=2, max_size=4, unique_by=fold))
@example(keys=["A/_", "A_"])
@example(keys=["B+_é_", "é"])
@example(keys=["c", "A|"])
def test_a_key_of_a_list_is_never_markup(keys: list[str]) -> None:
    for expect, reply in (
        ({"list": keys}, ", ".join(keys)),
        ({"list": keys}, "Resposta: " + ", ".join(keys)),
        ({"list": keys}, "\n".join(f"- {key}" for key in keys)),
        ({"set": keys}, "; ".join(reversed(keys))),
    ):
        item = make_item(expect)
        try:
            builtin()[item.expect.kind].check(item, Reading(language="pt-BR"))
        except AnswerKeyError:  # two that read alike
            continue
        grade = grade_offline(item, Response(content=reply), Reading(language="pt-BR"))
        assert grade.outcome is Outcome.RIGHT, (expect, reply, grade)


def test_paired_signs_round_an_element_are_markup_still() -> None:
    item = make_item({"list": ["A_", "b"]})
    for reply, outcome in (
        ("**A_**, **b**", Outcome.RIGHT),
        ("`A_`, `b`", Outcome.RIGHT),
        ("_A_, b", Outcome.WRONG),
        ("A, b", Outcome.WRONG),
    ):
        grade = grade_offline(item, Response(content=reply), Reading())
        assert grade.outcome is outcome, (reply, grade)
    plain = make_item({"list": ["A", "b"]})
    grade = grade_offline(plain, Response(content="_A_, *b*"), Reading())
    assert grade.outcome is Outcome.RIGHT


@settings(max_examples=200, deadline=None)
@given(value=st.integers(-(10**60), 10**60), step=st.sampled_from([1, -1, 10**30]))
def test_whole_numbers_of_any_size_are_exact(value: int, step: int) -> None:
    for reply in (str(value), f"Answer: {value:,}", f"It is {value} in all."):
        grade = grade_offline(make_item({"number": value}), Response(content=reply), Reading())
        assert (grade.outcome, grade.read) == (Outcome.RIGHT, str(value)), reply
        other = make_item({"number": value + step})
        assert grade_offline(other, Response(content=reply), Reading()).outcome is Outcome.WRONG


@settings(max_examples=200, deadline=None)
@given(top=st.integers(-(10**40), 10**40), bottom=st.integers(1, 10**6))
def test_fractions_are_exact(top: int, bottom: int) -> None:
    item = make_item({"number": f"{top}/{bottom}"})
    for reply in (f"{3 * top}/{3 * bottom}", f"\\frac{{{abs(top)}}}{{{bottom}}}"):
        grade = grade_offline(item, Response(content=reply), Reading())
        assert (grade.outcome is Outcome.RIGHT) == (top >= 0 or "frac" not in reply), reply
    off = Response(content=f"{3 * top + 1}/{3 * bottom}")
    assert grade_offline(item, off, Reading()).outcome is Outcome.WRONG
