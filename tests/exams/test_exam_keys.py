"""Answer keys: in columns, in rows, four colours side by side, annulled, as CSV."""

from pathlib import Path

import pytest
from papers import Paper, key, usual_key

from afere.exams import Bounds, ExamError, Identity
from afere.exams.key import ANNULLED, Key, read_csv_key, read_key
from afere.exams.profile import load_profile
from afere.exams.reading import key_for

ENEM, OAB = load_profile("enem"), load_profile("oab")


def only(found: Key) -> dict[int, tuple[str, ...]]:
    (section,) = found.sections
    return section.by_number()


def test_a_key_in_columns_is_read_whole() -> None:
    found = read_key(key(usual_key()).data(), ENEM)
    assert only(found) == {number: (letter,) for number, letter in usual_key()}
    assert found.sections[0].identity == Identity(year=2019, day=2, booklet=7, colour="azul")


@pytest.mark.parametrize("cell", ["Anulado", "Anulada", "anulada", "ANULADO", "X", "*"])
def test_every_spelling_annuls(cell: str) -> None:
    answers = [(number, cell if number == 100 else letter) for number, letter in usual_key()]
    assert only(read_key(key(answers).data(), ENEM))[100] == (ANNULLED,)


def test_a_footnote_annuls_what_has_no_letter() -> None:
    answers = [(number, "" if number == 157 else letter) for number, letter in usual_key()]
    found = only(read_key(key(answers, notes=["* Questão 157 Anulada"]).data(), ENEM))
    assert found[157] == (ANNULLED,)
    assert found[112] == ("C",)
    assert len(found) == 90


def test_two_letters_are_for_two_languages_in_the_order_of_the_heading() -> None:
    answers = [(number, "A B" if number < 96 else letter) for number, letter in usual_key()]
    paper = key(answers)
    paper.text(110, 755, "ESPANHOL", 7)
    paper.text(165, 755, "INGLÊS", 7)
    found = read_key(paper.data(), ENEM)
    assert only(found)[91] == ("A", "B")
    assert found.languages == ("es", "en")


def four_colours() -> Paper:
    paper = Paper()
    paper.text(60, 790, "Enem 2009 CADERNOS DO 2° DIA - 06/12/2009", 9)
    colours = ("Amarelo", "Cinza", "Azul", "Rosa")
    for column, colour in enumerate(colours):
        paper.text(60 + 120 * column, 770, colour, 9)
        paper.text(110 + 120 * column, 770, "Gab_", 9)
    for place in range(45):
        for column in range(4):
            letter = "Anulado" if place == 10 else "ABCDE"[(place + column) % 5]
            paper.text(60 + 120 * column, 755 - 13 * place, str(91 + place), 9)
            paper.text(110 + 120 * column, 755 - 13 * place, letter, 9)
    return paper


def test_four_colours_side_by_side_are_four_keys() -> None:
    found = read_key(four_colours().data(), ENEM)
    by_colour = {each.identity.colour: each.by_number() for each in found.sections}
    assert by_colour["amarelo"][91] == ("A",)
    assert by_colour["azul"][91] == ("C",)
    assert by_colour["rosa"][91] == ("D",)
    assert by_colour["cinza"][101] == (ANNULLED,)


def rows_of_numbers() -> Paper:
    """Two booklets on one page, numbers in rows above their letters."""
    paper = Paper()
    paper.text(60, 800, "XXV EXAME UNIFICADO – GABARITOS – PROVAS DO DIA 08/04/2018", 9)
    for table, title in enumerate(("TIPO 1 – BRANCO", "TIPO 2 – VERDE")):
        top = 770 - 300 * table
        paper.text(60, top, f"XXV EXAME DE ORDEM UNIFICADO – {title}", 9)
        for number in range(80):
            x, y = 60 + 24 * (number % 20), top - 30 - 40 * (number // 20)
            paper.text(x, y, str(number + 1), 9)
            paper.text(x, y - 16, "ABCD"[(number + table) % 4], 9)
    return paper


def test_rows_of_numbers_above_letters_are_read_for_each_booklet() -> None:
    found = read_key(rows_of_numbers().data(), OAB)
    by_colour = {each.identity.colour: each.by_number() for each in found.sections}
    assert by_colour["branco"][1] == ("A",)
    assert by_colour["verde"][1] == ("B",)
    assert len(by_colour["branco"]) == len(by_colour["verde"]) == 80
    assert found.sections[0].identity.edition == "xxv"


def test_a_booklet_gets_its_own_colour_of_a_key(tmp_path: Path) -> None:
    path = tmp_path / "key.pdf"
    path.write_bytes(four_colours().data())
    section, _ = key_for(path, ENEM, Identity(colour="azul", day=2), Bounds())
    assert section.by_number()[91] == ("C",)
    with pytest.raises(ExamError, match="several booklets"):
        key_for(path, ENEM, Identity(day=2), Bounds())


@pytest.mark.parametrize(
    ("booklet", "reason"),
    [
        (Identity(year=2018, day=2, colour="azul"), "year 2018 in the booklet, 2019 in the key"),
        (Identity(year=2019, day=1, colour="azul"), "day 1 in the booklet, 2 in the key"),
        (Identity(year=2019, day=2, colour="rosa"), "colour rosa in the booklet, azul in the key"),
        (Identity(year=2019, day=2, booklet=6), "booklet 6 in the booklet, 7 in the key"),
    ],
)
def test_a_key_of_another_booklet_is_refused_with_the_reason(
    tmp_path: Path, booklet: Identity, reason: str
) -> None:
    path = tmp_path / "key.pdf"
    path.write_bytes(key(usual_key()).data())
    with pytest.raises(ExamError, match=reason):
        key_for(path, ENEM, booklet, Bounds())


def test_a_csv_key_has_numbers_answers_and_languages() -> None:
    text = "number,answer,language\n1,C,en\n1,B,es\n2,Anulada,\n6,d,pt\n"
    found = read_csv_key(text.encode("utf-8-sig"), ENEM)
    assert only(found) == {1: ("C", "B"), 2: (ANNULLED,), 6: ("D",)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,C\n", "heading"),
        ("number,answer\nx,C\n", "line 2: 'x' is no question's number"),
        ("number,answer\n1,F\n", "line 2: 'F' is no answer"),
        ("number,answer\n1,A\n1,B\n", "line 3: question 1 is answered twice"),
        ("number,answer,language\n1,A,fr\n", "line 2: the language"),
        ("number,answer\n", "no answers"),
        ("number,answer\n99999999999,A\n", "no question's number"),
    ],
)
def test_a_csv_key_with_a_fault_says_the_line(text: str, message: str) -> None:
    with pytest.raises(ExamError, match=message):
        read_csv_key(text.encode(), ENEM)


def test_a_csv_key_that_is_no_text_is_refused() -> None:
    with pytest.raises(ExamError, match="UTF-8"):
        read_csv_key(b"number,answer\n1,\xff\n", ENEM)


def test_a_key_without_answers_is_refused() -> None:
    paper = Paper()
    paper.text(60, 700, "Nada aqui responde nada.")
    with pytest.raises(ExamError, match="no answers"):
        read_key(paper.data(), ENEM)
