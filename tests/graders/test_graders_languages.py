"""Every word of the language data does its work: none is shadowed, misspelt or lost."""

from decimal import Decimal
from typing import Any

import pytest

from afere.domain import Outcome
from afere.graders.reading.language import NAMES, Language, every_language, language_of
from afere.graders.reading.units import is_unit, other_unit, same_unit

OPTIONS = {"B": "ferro", "C": "cobre", "D": "ouro"}
TAGS = dict(zip(NAMES, every_language(), strict=True))


def each(field: str) -> list[Any]:
    """Give every word of a field with its language."""
    return [
        pytest.param(tag, word, id=f"{tag}-{word}")
        for tag, language in TAGS.items()
        for word in getattr(language, field)
    ]


def is_han(word: str) -> bool:
    return word >= "\u2e80"


@pytest.mark.parametrize(("tag", "word"), [*each("answer"), *each("answer_with_colon")])
def test_every_marker_word_marks_even_for_strict_reading(graded: Any, tag: str, word: str) -> None:
    for form in (f"{word}: 7", f"**{word.capitalize()}:** 7", f"{word.upper()}：\n7"):
        grade = graded({"number": 7}, f"3, 4\n{form}\n", tag, strict=True)
        assert (grade.outcome, grade.rule) == (Outcome.RIGHT, "marker"), form


@pytest.mark.parametrize(("tag", "word"), each("qualifiers"))
def test_every_adjective_may_stand_with_a_marker_word(graded: Any, tag: str, word: str) -> None:
    answer = TAGS[tag].answer[0]
    forms = (
        [f"{word}{answer}：7"] if is_han(word) else [f"{word} {answer}: 7", f"{answer} {word}: 7"]
    )
    for form in forms:
        assert graded({"number": 7}, f"3, 4\n{form}", tag, strict=True).rule == "marker", form


@pytest.mark.parametrize(("tag", "word"), each("copulas"))
def test_every_copula_tells_the_answer(graded: Any, tag: str, word: str) -> None:
    answer = TAGS[tag].answer[0]
    sentence = f"{answer}{word}7，不是3" if is_han(word) else f"{answer} {word} 7, from 3 and 4."
    if word.endswith((" a", " o", " la", " el")):
        return  # before a letter: "é a C"
    assert graded({"number": 7}, sentence, tag).read == "7"


@pytest.mark.parametrize(("tag", "phrase"), each("non_answers"))
def test_every_phrase_of_not_knowing_is_no_answer(graded: Any, tag: str, phrase: str) -> None:
    reply = f"6 × 7 = 42, B\n{TAGS[tag].answer[0]}: {phrase}"
    sets = {"options": OPTIONS, "labels": ["sim", "não", "no", "yes", "不"]}
    for expect in ({"number": 42}, {"choice": "B"}, {"label": "não"}, {"label": "no"}):
        assert graded(expect, reply, tag, **sets).outcome is Outcome.UNREADABLE, expect


@pytest.mark.parametrize(("tag", "word"), each("option_words"))
def test_every_word_for_an_option_may_stand_before_a_letter(
    graded: Any, tag: str, word: str
) -> None:
    for form in (f"{word} C", f"{word.capitalize()} (C)", f"{word}: C"):
        assert graded({"choice": "C"}, form, tag, options=OPTIONS).read == "C", form


@pytest.mark.parametrize(("tag", "word"), each("negators"))
def test_every_denial_takes_a_choice_away(graded: Any, tag: str, word: str) -> None:
    gap = "" if is_han(word) else " "
    reply = f"{word}{gap}C"
    assert graded({"choice": "C"}, reply, tag, options=OPTIONS).outcome is Outcome.UNREADABLE
    stop = "。" if is_han(word) else "; "
    assert graded({"choice": "B"}, f"B{stop}{reply}", tag, options=OPTIONS).read == "B"


@pytest.mark.parametrize(("tag", "word"), each("rejections"))
def test_every_rejection_takes_a_choice_away(graded: Any, tag: str, word: str) -> None:
    gap = "" if is_han(word) else " "
    reply = f"C{gap}{word}"
    assert graded({"choice": "C"}, reply, tag, options=OPTIONS).outcome is Outcome.UNREADABLE


@pytest.mark.parametrize(("tag", "word"), each("questions"))
def test_every_word_for_a_question_ends_the_reply(graded: Any, tag: str, word: str) -> None:
    for form in (f"{word}: 6 × 7?", f"**{word.capitalize()} 2:** 6 × 7?"):
        grade = graded({"number": 15}, f"15\n\n{form}\n42", tag)
        assert (grade.read, grade.flags) == ("15", ("run-on",)), form


@pytest.mark.parametrize(("tag", "word"), each("alternatives"))
def test_every_or_leaves_the_answer_open(graded: Any, tag: str, word: str) -> None:
    gap = "" if is_han(word) else " "
    assert graded({"number": 7}, f"6{gap}{word}{gap}7", tag).outcome is Outcome.UNREADABLE
    reply = f"B{gap}{word}{gap}C"
    assert graded({"choice": "C"}, reply, tag, options=OPTIONS).outcome is Outcome.UNREADABLE


@pytest.mark.parametrize(("tag", "word"), each("joiners"))
def test_every_and_ends_a_list(graded: Any, tag: str, word: str) -> None:
    gap = "" if is_han(word) else " "
    assert graded({"list": [6, 7, 8]}, f"6, 7{gap}{word}{gap}8", tag).outcome is Outcome.RIGHT


@pytest.mark.parametrize(("tag", "word"), each("minus"))
def test_every_word_for_minus_is_a_sign(graded: Any, tag: str, word: str) -> None:
    gap = "" if is_han(word) else " "
    assert graded({"number": -7}, f"{word}{gap}7", tag).outcome is Outcome.RIGHT


@pytest.mark.parametrize("tag", NAMES)
def test_every_word_for_a_power_of_ten_multiplies(graded: Any, tag: str) -> None:
    for word, power in TAGS[tag].powers.items():
        gap = "" if is_han(word) else " "
        key = Decimal(25).scaleb(power - 1)
        point = TAGS[tag].decimal
        assert graded({"number": key}, f"2{point}5{gap}{word}", tag).outcome is Outcome.RIGHT, word


@pytest.mark.parametrize(("tag", "word"), each("asides"))
def test_numbers_of_an_explanation_are_none(graded: Any, tag: str, word: str) -> None:
    gap = "，" if is_han(word) else ", "
    assert graded({"number": 29}, f"29{gap}{word} 2028 = 4 × 507", tag).read == "29"


@pytest.mark.parametrize(
    ("tag", "decimal"),
    [
        ("pt", ","),
        ("pt_PT", ","),
        ("PT-br", ","),
        ("es-MX", "."),
        ("es-ES", ","),
        ("zh", "."),
        ("zh-Hans-CN", "."),
        ("en-GB", "."),
        ("en-ZA", ","),
        ("xx", "."),
    ],
)
def test_a_tag_names_its_language_or_english(tag: str, decimal: str) -> None:
    language = language_of(tag)
    assert isinstance(language, Language)
    assert language.decimal == decimal
    assert language.grouping != decimal


def test_units_have_many_names() -> None:
    assert same_unit("kg", "quilos")
    assert same_unit("m²", "m2")
    assert same_unit("m^2", "metros quadrados")
    assert same_unit("R$", "reais")
    assert same_unit("widgets", "widgets")
    assert not same_unit("kg", "g")
    assert other_unit("kg", "g")
    assert other_unit("R$", "US$")
    assert not other_unit("kg", "pencils")
    assert is_unit("km/h")
    assert is_unit("R$/kg")
    assert not is_unit("pencils")
    assert not is_unit("um")
