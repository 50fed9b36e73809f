"""What stands where on a page, and what of it belongs to a question: a trap each."""

from papers import (
    BARCODE,
    BODY,
    LETTERS,
    Paper,
    alternatives,
    prose,
    wrapped,
)

from afere.exams.booklet import Booklet, Found, read_booklet
from afere.exams.profile import load_profile
from afere.exams.reasons import reasons_of

ENEM = load_profile("enem")


def read(paper: Paper) -> Booklet:
    filled(paper)
    return read_booklet(paper.data(), [ENEM])


def filled(paper: Paper) -> None:
    """Add a page of plain questions, so that every paper has its letters in their font."""
    paper.page()
    for place in range(6):
        x, y = (40, 312)[place // 3], (780, 545, 310)[place % 3]
        number = 140 + place
        paper.question(x, y, f"QUESTÃO {number}", wrapped(prose(number)), alternatives(number))
    paper.page()
    for place in range(6):
        x, y = (40, 312)[place // 3], (780, 545, 310)[place % 3]
        number = 150 + place
        paper.question(x, y, f"QUESTÃO {number}", wrapped(prose(number)), alternatives(number))


def first(booklet: Booklet) -> Found:
    return booklet.questions[0]


def texts(found: Found) -> list[str]:
    return [text for _, text in found.alternatives]


def test_two_columns_are_read_one_after_the_other() -> None:
    paper = Paper()
    paper.question(40, 780, "QUESTÃO 91", wrapped(prose(1)), alternatives(1))
    paper.question(312, 780, "QUESTÃO 92", wrapped(prose(2)), alternatives(2))
    found = read(paper).questions[:2]
    assert [each.statement for each in found] == [prose(1), prose(2)]
    assert [texts(each) for each in found] == [alternatives(1), alternatives(2)]


def test_a_question_over_the_full_width_is_one() -> None:
    paper = Paper()
    long = wrapped(prose(3, 60), 100)
    paper.question(40, 780, "QUESTÃO 91", long, alternatives(1))
    found = first(read(paper))
    assert found.statement == prose(3, 60)
    assert texts(found) == alternatives(1)


def test_a_question_runs_on_in_the_next_column() -> None:
    paper = Paper()
    paper.text(40, 120, "QUESTÃO 91", 10)
    paper.lines(40, 106, wrapped(prose(1)))
    for place, text in enumerate(alternatives(1)):
        paper.text(312, 780 - 12 * place, "ABCDE"[place], 9, LETTERS)
        paper.text(324, 780 - 12 * place, text)
    found = first(read(paper))
    assert texts(found) == alternatives(1)
    assert [page for page, _ in found.boxes] == [1, 1]


def test_the_last_alternative_runs_on_where_its_sentence_is_open() -> None:
    paper = Paper()
    paper.question(40, 160, "QUESTÃO 91", wrapped(prose(1)), alternatives(1)[:4])
    paper.text(40, 60, "E", 9, LETTERS)
    paper.text(52, 60, "o que se planta no alto do morro quando a chuva cai")
    paper.text(324, 780, "sobre a pedra.")
    paper.question(312, 740, "QUESTÃO 92", wrapped(prose(2)), alternatives(2))
    last = texts(first(read(paper)))[4]
    assert last == "o que se planta no alto do morro quando a chuva cai sobre a pedra."


def test_a_text_in_a_new_column_after_a_whole_question_is_not_its_own() -> None:
    paper = Paper()
    paper.question(40, 160, "QUESTÃO 91", wrapped(prose(1)), alternatives(1))
    paper.text(312, 780, "Fonte de outra coisa que ninguém pediu.")
    paper.question(312, 740, "QUESTÃO 92", wrapped(prose(2)), alternatives(2))
    found = first(read(paper))
    assert texts(found) == alternatives(1)
    assert found.tail == "Fonte de outra coisa que ninguém pediu."


def test_a_text_far_below_a_whole_question_is_not_its_own() -> None:
    paper = Paper()
    y = paper.question(40, 780, "QUESTÃO 91", wrapped(prose(1)), alternatives(1))
    paper.text(40, y - 60, "Um aviso sobre o tempo que resta.")
    assert texts(first(read(paper))) == alternatives(1)


def test_footers_go_before_columns_cut_them_in_two() -> None:
    paper = Paper()
    paper.question(40, 180, "QUESTÃO 91", wrapped(prose(1)), alternatives(1))
    paper.text(200, 30, "CN - 2º dia | Caderno 7 - AZUL - Página 4", 8)
    assert texts(first(read(paper))) == alternatives(1)


def test_noise_is_no_text() -> None:
    paper = Paper(crop=(0, 0, 595, 842))
    paper.question(40, 780, "QUESTÃO 91", wrapped(prose(1)), alternatives(1))
    paper.text(40, 700, "*020725AZ4*", 12, BARCODE)
    for x in range(40, 280, 40):
        paper.text(x, 745, "ENEM2019ENEM2019", 1.5)
    paper.text(20, 500, "ENEM 2019 ENEM 2019", 9, BODY, 90)
    paper.text(100, -20, "P1_2_Dia_Azul.indd 6 25/07/2019 08:49:12")
    booklet = read(paper)
    assert first(booklet).statement == prose(1)
    assert texts(first(booklet)) == alternatives(1)
    assert {"bar_code", "micro_text", "turned", "outside_page"} <= set(booklet.noise)


def test_letters_in_a_grid_are_told_by_their_font() -> None:
    paper = Paper()
    paper.text(40, 780, "QUESTÃO 91", 10)
    y = paper.lines(40, 766, wrapped(prose(1)))
    for place, letter in enumerate("ADBEC"):
        x, row = (40, 160)[place % 2], y - 14 * (place // 2)
        paper.text(x, row, letter, 9, LETTERS)
        paper.text(x + 12, row, f"{10 + place} metros")
    found = first(read(paper))
    assert dict(found.alternatives)["D"] == "11 metros"
    assert dict(found.alternatives)["C"] == "14 metros"


def test_a_letter_in_the_text_is_no_alternative() -> None:
    paper = Paper()
    statement = ["A casa fica no alto. B e C são letras. A menina conta", "E depois volta."]
    paper.question(40, 780, "QUESTÃO 91", statement, alternatives(1))
    found = first(read(paper))
    assert found.statement == " ".join(statement)
    assert texts(found) == alternatives(1)


def test_headings_have_no_number_split_words_or_an_ornament() -> None:
    paper = Paper()
    paper.question(40, 780, "QUESTÃO 91", wrapped(prose(1)), alternatives(1))
    paper.question(40, 545, "QUESTÃO", wrapped(prose(2)), alternatives(2))
    paper.question(40, 310, "Quest ão 93", wrapped(prose(3)), alternatives(3))
    paper.text(312, 780, "QUESTÃO 94", 10, "Arial-BoldMT")
    paper.text(380, 780, "OHOHOH CHCOHO", 5)
    y = paper.lines(312, 766, wrapped(prose(4)))
    for letter, text in zip("ABCDE", alternatives(4), strict=True):
        paper.text(312, y, letter, 9, LETTERS)
        y = paper.lines(324, y, [text])
    assert [each.number for each in read(paper).questions][:4] == [91, 92, 93, 94]


def test_wide_spaces_raised_and_lowered_signs_keep_their_meaning() -> None:
    paper = Paper()
    paper.text(40, 780, "QUESTÃO 91", 10)
    paper.lines(40, 766, wrapped(prose(1)))
    x = paper.text(40, 700, "A massa de CO")
    x = paper.text(x, 698, "2", 6)
    x = paper.text(x, 700, " é 10")
    x = paper.text(x, 704, "-8", 6)
    paper.text(x, 700, " kg, ou 3,5 m")
    y = 680.0
    for letter in "ABCDE":
        paper.text(40, y, letter, 9, LETTERS)
        end = paper.text(52, y, "4,2 \u00d7 10")
        end = paper.text(end, y + 4, str(ord(letter) - 60), 6)
        paper.text(end, y, " m/s")
        y -= 14
    found = first(read(paper))
    assert "CO₂ é 10⁻⁸ kg, ou 3,5 m" in found.statement
    assert texts(found)[0] == "4,2 × 10⁵ m/s"


def fractions(paper: Paper, *, letters: bool = True) -> None:
    paper.text(40, 780, "QUESTÃO 91", 10)
    paper.lines(40, 766, wrapped(prose(1)))
    for place in range(5):
        y = 690 - 34 * place
        if letters:
            paper.text(40, y, "ABCDE"[place], 9, LETTERS)
        paper.text(60, y + 5, str(place + 1))
        paper.rule(56, y + 2.6, 70)
        paper.text(58, y - 7, f"{place + 3}0")


def test_stacked_fractions_are_written_in_one_line() -> None:
    paper = Paper()
    fractions(paper)
    assert texts(first(read(paper))) == ["1/30", "2/40", "3/50", "4/60", "5/70"]


def test_a_fraction_that_stands_alone_is_flagged() -> None:
    paper = Paper()
    fractions(paper, letters=False)
    assert "math_lost" in first(read(paper)).marks


def test_a_row_of_a_table_is_no_fraction() -> None:
    paper = Paper()
    paper.text(40, 780, "QUESTÃO 91", 10)
    y = paper.lines(40, 766, wrapped(prose(1)))
    paper.text(60, y - 10, "ano")
    paper.rule(56, y - 13, 90)
    paper.text(60, y - 22, "1999")
    paper.draw(f"55.6 {y - 40} 0.6 40 re f 90 {y - 40} 0.6 40 re f")
    found = first(read(paper))
    assert "ano" in found.statement
    assert "/" not in found.statement


def test_hyphens_at_line_ends_stay_unless_the_document_has_the_word() -> None:
    paper = Paper()
    lines = ["Quem mora na beira do rio tem um guarda-", "chuva. A prai-", "a tem areia, e a praia"]
    paper.question(40, 780, "QUESTÃO 91", [*lines, "é longa."], alternatives(1))
    statement = first(read(paper)).statement
    assert "guarda-chuva" in statement
    assert "A praia tem areia" in statement


def test_an_image_a_drawing_and_a_table_are_told_apart() -> None:
    paper = Paper()
    for place, number in enumerate((91, 92, 93)):
        paper.question(
            40, 780 - 235 * place, f"QUESTÃO {number}", wrapped(prose(number)), alternatives(number)
        )
    paper.image(150, 715, 60, 40)
    for place in range(6):
        paper.curve(60 + 30 * place, 490, 26, 18)
    for place in range(4):
        paper.box(60 + 40 * place, 262, 40, 10)
        paper.box(60 + 40 * place, 250, 40, 10)
    kinds = [each.pictures.kind for each in read(paper).questions[:3]]
    assert kinds == ["image", "drawing", "table"]


def test_what_stands_on_every_page_is_decoration() -> None:
    paper = Paper()
    for number in range(91, 97):
        if number > 91:
            paper.page()
        paper.question(40, 780, f"QUESTÃO {number}", wrapped(prose(number)), alternatives(number))
        paper.image(200, 700, 60, 40)
    assert {each.pictures.kind for each in read(paper).questions[:6]} == {""}


def test_a_text_for_several_questions_goes_with_each_of_them() -> None:
    paper = Paper()
    paper.question(40, 780, "QUESTÃO 91", wrapped(prose(1)), alternatives(1))
    paper.text(40, 620, "Texto para as questões 92 e 93", 10)
    paper.lines(40, 600, wrapped(prose(7)))
    paper.question(40, 545, "QUESTÃO 92", wrapped(prose(2)), alternatives(2))
    paper.question(40, 310, "QUESTÃO 93", wrapped(prose(3)), alternatives(3))
    before, one, two = read(paper).questions[:3]
    assert texts(before) == alternatives(1)
    assert before.shared_with is None
    assert one.passage == two.passage == prose(7)
    assert one.shared_with == (92, 93)


def disc(paper: Paper, x: float, y: float, side: float) -> None:
    paper.draw(
        f"{x} {y + side / 2} m {x} {y + side} {x + side} {y + side} {x + side} {y + side / 2} c "
        f"{x + side} {y} {x} {y} {x} {y + side / 2} c S"
    )


def drawn_paper(*, ring: bool = False) -> Paper:
    paper = Paper()
    for number in range(91, 97):
        if number > 91:
            paper.page()
        paper.text(40, 780, f"Questão {number}", 10)
        y = paper.lines(40, 766, wrapped(prose(number)))
        for place, text in enumerate(alternatives(number)):
            disc(paper, 40, y - 0.5, 8)
            disc(paper, 42, y + 1.5, 4)
            if ring and place == 2:
                disc(paper, 35, y - 5, 18)
            y = paper.lines(56, y, [text]) - 8
    return paper


def test_letters_that_are_drawn_follow_their_order() -> None:
    booklet = read_booklet(drawn_paper().data(), [ENEM])
    assert booklet.letters_drawn
    assert texts(booklet.questions[5]) == alternatives(96)
    assert booklet.questions[5].pictures.kind == ""


def test_a_ring_round_a_letter_marks_the_right_answer() -> None:
    booklet = read_booklet(drawn_paper(ring=True).data(), [ENEM])
    assert booklet.answers_marked == 6
    assert texts(booklet.questions[5]) == alternatives(96)


def shifted(text: str) -> bytes:
    """Write a text as the glyph numbers of the standard order."""
    from afere.exams.symbols import MAC_ORDER

    return b"".join(MAC_ORDER.index(sign).to_bytes(2, "big") for sign in text)


def test_a_font_without_a_table_is_read_by_its_glyph_numbers() -> None:
    paper = Paper(encoding={"Shifted": "/Type0"})
    paper.text(40, 780, "QUESTÃO 91", 10)
    y = 766.0
    for line in wrapped(prose(1, 70)):
        paper.text(40, y, shifted(line), 9, "Shifted")
        y -= 11
    for letter, text in zip("ABCDE", alternatives(1), strict=True):
        paper.text(40, y, letter, 9, LETTERS)
        paper.text(52, y, shifted(text), 9, "Shifted")
        y -= 12
    booklet = read_booklet(paper.data(), [ENEM])
    assert booklet.mended == 1
    assert texts(first(booklet)) == alternatives(1)


def test_a_font_of_numbered_names_on_other_codes_is_mended() -> None:
    from afere.exams.symbols import MAC_ORDER

    line = prose(1, 70)
    signs = sorted(set(line + "".join(alternatives(1))))
    code = {sign: 1 + place for place, sign in enumerate(signs)}  # control codes among them
    names = " ".join(f"/g{MAC_ORDER.index(sign)}" for sign in signs)
    paper = Paper(encoding={"Numbered": f"/Encoding << /Differences [1 {names}] >>"})
    paper.text(40, 780, "QUESTÃO 91", 10)
    y = 766.0
    for each in wrapped(line):
        paper.text(40, y, bytes(code[sign] for sign in each), 9, "Numbered")
        y -= 11
    for letter, text in zip("ABCDE", alternatives(1), strict=True):
        paper.text(40, y, letter, 9, LETTERS)
        paper.text(52, y, bytes(code[sign] for sign in text), 9, "Numbered")
        y -= 12
    booklet = read_booklet(paper.data(), [ENEM])
    assert first(booklet).statement == line
    assert texts(first(booklet)) == alternatives(1)


def test_a_section_title_and_a_draft_end_a_question() -> None:
    paper = Paper()
    y = paper.question(40, 780, "QUESTÃO 91", wrapped(prose(1)), alternatives(1))
    paper.text(40, y, "MATEMÁTICA E SUAS TECNOLOGIAS", 10)
    paper.text(40, y - 12, "Questões de 136 a 180")
    paper.text(40, y - 24, "Rascunho")
    found = first(read(paper))
    assert texts(found) == alternatives(1)


def test_small_type_within_an_alternative_is_no_part_of_it() -> None:
    paper = Paper()
    paper.text(40, 780, "QUESTÃO 91", 10)
    y = paper.lines(40, 766, wrapped(prose(1)))
    for letter, text in zip("ABCDE", alternatives(1), strict=True):
        paper.text(40, y, letter, 9, LETTERS)
        y = paper.lines(52, y, [text])
        if letter == "D":
            y = paper.lines(52, y, ["AUTOR, A. Obra. São Paulo, 1999."], 5)
    found = first(read(paper))
    assert texts(found) == alternatives(1)
    assert "neighbour_text" in found.marks


def test_booklets_that_hide_the_gutter_from_the_middle_are_read() -> None:
    paper = Paper()
    paper.question(40, 780, "QUESTÃO 91", wrapped(prose(1), 40), alternatives(1))
    paper.question(262, 780, "QUESTÃO 92", wrapped(prose(2), 60), alternatives(2))
    one, two = read(paper).questions[:2]
    assert one.statement == prose(1)
    assert two.statement == prose(2)


def tabled(rows: list[tuple[str, ...]], statement: str = "") -> Found:
    paper = Paper()
    paper.text(40, 780, "QUESTÃO 91", 10)
    y = paper.lines(40, 766, wrapped(statement or prose(1)))
    for row in rows:
        for place, cell in enumerate(row):
            paper.text(60 + 70 * place, y, cell)
            paper.box(56 + 70 * place, y - 3, 70, 12)
        y -= 12
    y = paper.lines(40, y - 12, wrapped(prose(2)))
    for letter, text in zip("ABCDE", alternatives(1), strict=True):
        paper.text(40, y, letter, 9, LETTERS)
        y = paper.lines(52, y, [text])
    return first(read(paper))


ROWS = [("Ano", "Barcos", "Redes"), ("1999", "12", "30"), ("2000", "14", "31")]


def test_a_table_with_even_rows_is_written_cell_by_cell() -> None:
    found = tabled(ROWS)
    assert "Ano | Barcos | Redes\n1999 | 12 | 30\n2000 | 14 | 31\n" in found.statement
    assert list(reasons_of(found, ENEM)) == []


def test_a_table_with_uneven_rows_needs_to_be_seen() -> None:
    found = tabled([("Ano", "Barcos", "Redes"), ("1999", "12"), ("2000",), ("14", "31")])
    assert list(reasons_of(found, ENEM)) == ["needs_table"]


def test_boxes_of_a_figure_need_to_be_seen() -> None:
    found = tabled(ROWS, "A figura mostra o que o barco leva quando sai da praia de pedra.")
    assert list(reasons_of(found, ENEM)) == ["needs_table"]
