"""Faults that people met in other tools, each as a test of its kind."""

from decimal import Decimal
from typing import Any

import pytest

from afere.domain import AnswerKeyError, Outcome, Reading
from afere.graders import builtin

RIGHT, WRONG, UNREADABLE = Outcome.RIGHT, Outcome.WRONG, Outcome.UNREADABLE
FIVE = {"A": "ferro", "B": "sódio", "C": "cobre", "D": "ouro", "E": "prata"}


@pytest.mark.parametrize(
    ("key", "reply"),
    [(7, "Resultado final: 217"), (5, "50 unidades"), (Decimal("2.5"), "12.5")],
)
def test_br_001_a_number_that_ends_or_begins_like_the_key_is_another(
    graded: Any, key: Any, reply: str
) -> None:
    assert graded({"number": key}, reply).outcome is WRONG


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [("#### -6", RIGHT), ("-6", RIGHT), ("\u22126", RIGHT), ("6", WRONG), ("#### 6", WRONG)],
)
def test_br_002_the_sign_of_the_key_counts(graded: Any, reply: str, outcome: Outcome) -> None:
    assert graded({"number": "-6"}, reply).outcome is outcome


def test_br_002_a_key_that_cannot_be_parsed_is_an_error_at_the_door(make: Any) -> None:
    with pytest.raises(AnswerKeyError, match="no number"):
        builtin()["number"].check(make({"number": "about six"}), Reading())


@pytest.mark.parametrize(
    ("reply", "language", "value"),
    [
        (r"\boxed{12,400}", "en", "12400"),
        (r"\boxed{12{,}400}", "en", "12400"),
        (r"\boxed{3,000}", "en", "3000"),
        ("1.234", "pt-BR", "1234"),
        ("1,234", "pt-BR", "1.234"),
        ("1.234", "en", "1.234"),
        ("1,234", "en", "1234"),
    ],
)
def test_br_003_separators_follow_the_declared_language(
    graded: Any, reply: str, language: str, value: str
) -> None:
    grade = graded({"number": Decimal(value)}, reply, language)
    assert (grade.outcome, grade.read) == (RIGHT, value)


@pytest.mark.parametrize(
    "reply", ["A resposta é 58!", "A resposta é (58).", "58:", "[58]", "**58**", "58…", "= 58"]
)
def test_br_005_punctuation_stuck_to_a_number_is_no_part_of_it(graded: Any, reply: str) -> None:
    assert graded({"number": 58}, reply, "pt-BR").outcome is RIGHT


def test_br_005_letters_stuck_to_a_number_are(graded: Any) -> None:
    assert graded({"number": 58}, "58abc").outcome is UNREADABLE


def test_br_006_a_percentage_is_a_number_with_a_unit(graded: Any) -> None:
    reply = "Dos 20 casos sobram 7, logo ANSWER: 35%"
    assert graded({"number": 35}, reply, "pt-BR").outcome is RIGHT
    assert graded({"number": Decimal("0.35")}, reply, "pt-BR").outcome is WRONG
    assert graded({"number": 35, "unit": "%"}, reply, "pt-BR").outcome is RIGHT
    assert graded({"number": 35, "unit": "kg"}, reply, "pt-BR").outcome is WRONG


def test_br_008_a_question_of_the_models_own_ends_the_reply(graded: Any) -> None:
    grade = graded({"number": 15}, "#### 15\n\nQuestion: outra conta...\n#### 42", "pt-BR")
    assert (grade.outcome, grade.read, grade.flags) == (RIGHT, "15", ("run-on",))


def test_br_009_the_last_marker_wins(graded: Any) -> None:
    reply = "Answer: seria 3? Não serve.\nRefazendo...\nAnswer: 9"
    assert graded({"number": 9}, reply, "pt-BR").outcome is RIGHT
    assert graded({"number": 9}, "answer: 9").outcome is RIGHT


def test_br_009_three_letters_are_not_one(graded: Any) -> None:
    for key in FIVE:
        assert graded({"choice": key}, "A, B and C", options=FIVE).outcome is UNREADABLE


def test_br_010_the_reasoning_is_not_read(graded: Any) -> None:
    closed = graded({"choice": "D"}, "<think>Talvez (B), mas (B) falha.</think>\nD", options=FIVE)
    assert (closed.outcome, closed.read) == (RIGHT, "D")
    open_block = graded({"choice": "B"}, "<think>Talvez (B)...", options=FIVE)
    assert open_block.outcome is Outcome.TRUNCATED


@pytest.mark.parametrize(
    ("expect", "reply", "outcome"),
    [
        ({"choice": "C"}, "Ｃ", RIGHT),
        ({"number": 12}, "１２", RIGHT),
        ({"number": 102}, "10²", WRONG),
        ({"number": 100}, "10²", RIGHT),
        ({"number": 3}, "③", UNREADABLE),
        ({"number": 3}, "³", UNREADABLE),
    ],
)
def test_br_011_width_is_folded_but_superscripts_and_circles_are_not(
    graded: Any, expect: dict[str, Any], reply: str, outcome: Outcome
) -> None:
    assert graded(expect, reply, options=FIVE).outcome is outcome


def test_br_012_two_different_equations_are_different(graded: Any) -> None:
    expect = {"text": ["3x - y + 13 = 0"]}
    assert graded(expect, "3x + 4y + 14 = 0").outcome is WRONG
    assert graded(expect, "$3x - y + 13 = 0$").outcome is RIGHT


@pytest.mark.parametrize("reply", [r"\(2^{2^{2^{31}}}\)", "9**9**9**9", "9^9^9^9", "9 ** 9 ** 9"])
def test_br_013_a_power_tower_is_no_number_and_is_never_computed(graded: Any, reply: str) -> None:
    assert graded({"number": 9}, reply).outcome is UNREADABLE


@pytest.mark.parametrize(
    ("reply", "key", "outcome"),
    [
        ("1.0", 10, WRONG),
        ("314", Decimal("3.14"), WRONG),
        ("100", 10, WRONG),
        ("1.0", 1, RIGHT),
        ("9007199254740992", 9007199254740993, WRONG),
        ("9007199254740993", 9007199254740993, RIGHT),
    ],
)
def test_br_069_values_are_compared_as_decimals(
    graded: Any, reply: str, key: Any, outcome: Outcome
) -> None:
    assert graded({"number": key}, reply).outcome is outcome


@pytest.mark.parametrize(
    ("reply", "key", "outcome"),
    [
        ("123456", 123457, WRONG),
        ("100001", 100002, WRONG),
        ("12,5", 125, WRONG),
        ("12,5", Decimal("12.5"), RIGHT),
        ("1.234,56", Decimal("1234.56"), RIGHT),
    ],
)
def test_br_070_nothing_is_rounded_and_no_comma_is_deleted(
    graded: Any, reply: str, key: Any, outcome: Outcome
) -> None:
    assert graded({"number": key}, reply).outcome is outcome


def test_br_070_a_form_of_the_other_convention_is_flagged(graded: Any) -> None:
    assert graded({"number": Decimal("12.5")}, "12,5").flags == ("other-separators",)
    assert graded({"number": Decimal("12.5")}, "12.5", "pt-BR").flags == ("other-separators",)
    assert graded({"number": 1234}, "1.234", "pt-BR").flags == ()


@pytest.mark.parametrize(
    "reply",
    ["ANSWER: $C$", "ANSWER: **C**", "ANSWER: (C)", r"ANSWER: \boxed{C}", "Resposta: **c)**"],
)
def test_br_014_a_letter_is_found_in_any_wrapping(graded: Any, reply: str) -> None:
    assert graded({"choice": "C"}, reply, "pt-BR", options=FIVE).read == "C"


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("Answer: **D**", "D"),
        ("A alternativa correta é D", "D"),
        ("E, portanto, a opção certa é B", "B"),
        ("Considerei (A), mas está errada. Final: D", "D"),
        ("Let's see. It must be D.", "D"),
    ],
)
def test_br_016_the_capital_of_a_word_is_no_option(graded: Any, reply: str, letter: str) -> None:
    assert graded({"choice": letter}, reply, "pt-BR", options=FIVE).read == letter


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        ("A ou B? Conferindo.\nResposta: C", "marker"),
        ("C", "whole"),
        ("Entre B e C, penso bem.\nC", "last-line"),
        ("C) cobre\nPorque B e A não servem para fios.", "first-line"),
        ("Penso que D está errada, mas C serve.", "last-value"),
    ],
)
def test_br_017_each_grade_names_the_rule_that_read_it(graded: Any, reply: str, rule: str) -> None:
    grade = graded({"choice": "C"}, reply, "pt-BR", options=FIVE)
    assert (grade.read, grade.rule) == ("C", rule)


def test_br_027_empty_refused_and_wrong_are_told_apart(graded: Any) -> None:
    assert graded({"number": 4}, "").outcome is Outcome.EMPTY
    assert graded({"number": 4}, "Não posso ajudar com isso.", "pt-BR").outcome is UNREADABLE
    assert graded({"number": 4}, "", refusal="Não posso ajudar.").outcome is Outcome.REFUSED
    assert graded({"number": 4}, "5").outcome is WRONG


def test_br_028_reasoning_that_ate_the_budget_is_truncated_and_never_read(graded: Any) -> None:
    cut = graded({"number": 4}, "", finish="length", reasoning="...4")
    assert (cut.outcome, cut.read) == (Outcome.TRUNCATED, None)
    stopped = graded({"number": 4}, "", finish="stop", reasoning="...4")
    assert (stopped.outcome, stopped.flags) == (Outcome.EMPTY, ("reasoning-only",))
    block = graded({"number": 4}, "<think>4</think>\n", finish="stop")
    assert (block.outcome, block.flags) == (Outcome.EMPTY, ("reasoning-only",))
