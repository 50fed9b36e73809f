"""Faults that others reported of exams built from PDFs, each with what is right."""

from pathlib import Path

from papers import booklet, key, usual_key

from afere import exams
from afere.exams import Choice, Plan, Result


def built(folder: Path, paper: object, answers: list[tuple[int, str]], **choice: object) -> Result:
    one, two = folder / "booklet.pdf", folder / "key.pdf"
    one.write_bytes(paper.data())  # type: ignore[attr-defined]
    title = "1º DIA - CADERNO 1 - AZUL" if answers[0][0] == 1 else "2º DIA - CADERNO 7 - AZUL"
    two.write_bytes(key(answers, title=title).data())
    return exams.build(
        Plan(booklet=one, key=two, folder=folder / "exam", choice=Choice(**choice))  # type: ignore[arg-type]
    )


def test_br_019_a_key_is_addressed_by_language_too(tmp_path: Path) -> None:
    """BR-019: the Spanish questions 1 to 5 got the English key."""
    paper = booklet(day=1, number=1, languages=(1, 2, 3, 4, 5))
    answers = [(n, "C B" if n < 6 else letter) for n, letter in usual_key(1)]
    result = built(tmp_path, paper, answers, keep=frozenset(("foreign_language",)))
    first = {row.language: row.answer for row in result.rows if row.number == 1}
    assert first == {"en": "C", "es": "B"}


def test_br_019_the_same_letters_for_both_languages_are_doubted(tmp_path: Path) -> None:
    paper = booklet(day=1, number=1, languages=(1, 2, 3, 4, 5))
    answers = [(n, "C C" if n < 6 else letter) for n, letter in usual_key(1)]
    result = built(tmp_path, paper, answers)
    assert any("same letters for both" in warning for warning in result.warnings)


def test_br_019_one_letter_never_stands_for_two_languages(tmp_path: Path) -> None:
    paper = booklet(day=1, number=1, languages=(1, 2, 3, 4, 5))
    result = built(tmp_path, paper, usual_key(1), keep=frozenset(("foreign_language",)))
    reasons = {(row.number, row.language): row.reasons for row in result.rows}
    assert "no_key" in reasons[1, "en"]
    assert "no_key" in reasons[1, "es"]
    assert reasons[6, "pt"] == ()


def test_br_020_an_empty_or_cut_statement_is_quarantined(tmp_path: Path) -> None:
    """BR-020: a statement imported as null, a prompt that starts in mid-sentence."""
    from papers import Paper, alternatives, prose, wrapped

    paper = Paper()
    paper.question(40, 780, "QUESTÃO 1", [], alternatives(1))
    paper.question(40, 545, "QUESTÃO 2", ["da que se vê na praia é"], alternatives(2))
    paper.question(312, 780, "QUESTÃO 3", wrapped(prose(3)), alternatives(3))
    paper.question(312, 545, "QUESTÃO 4", wrapped(prose(4)), alternatives(4))
    one, two, mine = tmp_path / "b.pdf", tmp_path / "k.csv", tmp_path / "mine.yaml"
    one.write_bytes(paper.data())
    two.write_text("number,answer\n1,A\n2,B\n3,C\n4,D\n")
    mine.write_text(
        exams.profile_text("generic").replace('letter_fonts: ""', "letter_fonts: Bundesbahn")
    )
    result = exams.build(Plan(booklet=one, key=two, folder=tmp_path / "exam", profile=str(mine)))
    assert [row.reason for row in result.rows] == ["statement_cut", "statement_cut", None, None]


def test_br_020_two_official_keys_that_differ_are_told_apart(tmp_path: Path) -> None:
    paper = booklet()
    result = built(tmp_path, paper, usual_key())
    other = tmp_path / "other.pdf"
    answers = [(n, "E" if n == 91 else letter) for n, letter in usual_key()]
    other.write_bytes(key(answers).data())
    found = exams.verify(tmp_path / "exam", tmp_path / "booklet.pdf", other)
    assert result.kept == 90
    assert [(each.number, each.field) for each in found.different] == [(91, "answer")]


def test_br_021_a_question_with_picture_options_or_wrong_labels_leaves_the_rest(
    tmp_path: Path,
) -> None:
    """BR-021: options that are pictures made the whole exam fail; labels A B D D E."""
    paper = booklet()
    page = paper.pages[1]
    texts = [f"a cor {each}, caso 91".encode("cp1252").hex() for each in ("azul do mar",)]
    page[:] = [each for each in page if not any(text in each for text in texts)]
    letters = [place for place, each in enumerate(page) if "<43>" in each]
    page[letters[1]] = page[letters[1]].replace("<43>", "<44>")
    result = built(tmp_path, paper, usual_key())
    left = {row.number: row.reason for row in result.rows if not row.kept}
    assert left == {91: "alternative_empty", 92: "letters_missing"}
    assert (result.expected, result.kept) == (90, 88)
