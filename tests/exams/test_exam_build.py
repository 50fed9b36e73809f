"""From a booklet and its key to a folder: items, audit, suite; and back again."""

import base64
import json
import shutil
from pathlib import Path

import pytest
from papers import booklet, key, prose, usual_key

from afere import exams, suites
from afere.app.plugins import all_graders
from afere.exams import Choice, ExamError, Identity, Plan, Result


def files(folder: Path, *, without: frozenset[int] = frozenset()) -> tuple[Path, Path]:
    one, two = folder / "booklet.pdf", folder / "key.pdf"
    one.write_bytes(booklet(without=without).data())
    two.write_bytes(key(usual_key()).data())
    return one, two


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    folder = tmp_path_factory.mktemp("usual")
    one, two = files(folder)
    return folder, exams.build(Plan(booklet=one, key=two, folder=folder / "exam"))


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_booklet_and_its_key_become_a_suite(usual: tuple[Path, Result]) -> None:
    folder, result = usual
    assert (result.name, result.expected, result.found, result.kept) == (
        "enem-2019-d2-azul",
        90,
        90,
        90,
    )
    suite = suites.load(str(folder / "exam"), all_graders())
    item = suite.item("enem-2019-d2-azul-091")
    assert item.expect.key == "B"
    assert item.category == "Ciências da Natureza"
    assert item.date == "2019-11-10"
    assert item.metadata["page"] == 2
    assert item.options["A"] == "a cor azul do mar, caso 91"
    assert suite.reading.strict
    assert suite.public


def test_the_prompt_lets_a_model_reason_and_asks_for_a_marked_answer(
    usual: tuple[Path, Result],
) -> None:
    suite = suites.load(str(usual[0] / "exam"), all_graders())
    request = suites.render(
        suite, suite.items[0], endpoint="x", model="m", params=suite.params, round=1
    )
    text = request.body["messages"][0]["content"]
    assert text.startswith(prose(91))
    assert "\nE) a cor rosa do fim, caso 91\n" in text
    assert text.endswith('"Resposta: X", em que X é a letra da alternativa correta.')
    turned = suites.rotate(suite.items[0], 1)
    assert turned.options["A"] == "a cor verde da mata, caso 91"


def test_the_audit_has_a_row_for_every_expected_question(tmp_path: Path) -> None:
    gone = frozenset((95, 120, 180))
    one, two = files(tmp_path, without=gone)
    result = exams.build(Plan(booklet=one, key=two, folder=tmp_path / "exam"))
    rows = lines(tmp_path / "exam" / "audit.jsonl")
    assert [row["number"] for row in rows] == list(range(91, 181))
    assert {row["number"] for row in rows if row["reason"] == "marker_missing"} == gone
    assert result.kept + sum(not row["kept"] for row in rows) == result.expected == 90
    kept = next(row for row in rows if row["kept"])
    assert kept["boxes"]
    assert kept["page"] == 2
    assert kept["source"] == "booklet.pdf"


def test_languages_are_left_out_by_default_and_addressed_by_language(tmp_path: Path) -> None:
    one, two = tmp_path / "booklet.pdf", tmp_path / "key.pdf"
    paper = booklet(day=1, number=1, languages=(1, 2, 3, 4, 5))
    one.write_bytes(paper.data())
    answers = [(n, "C B" if n < 6 else letter) for n, letter in usual_key(1)]
    two.write_bytes(key(answers, title="1º DIA - CADERNO 1 - AZUL").data())
    left = exams.build(Plan(booklet=one, key=two, folder=tmp_path / "a"))
    assert (left.expected, left.found, left.kept) == (95, 95, 85)
    both = exams.build(
        Plan(
            booklet=one,
            key=two,
            folder=tmp_path / "b",
            choice=Choice(keep=frozenset(("foreign_language",))),
        )
    )
    suite = suites.load(str(tmp_path / "b"), all_graders())
    assert both.kept == 95
    assert suite.item("enem-2019-d1-azul-001-en").expect.key == "C"
    assert suite.item("enem-2019-d1-azul-001-es").expect.key == "B"
    assert suite.item("enem-2019-d1-azul-001-es").category == "Linguagens: espanhol"
    assert suite.item("enem-2019-d1-azul-001-es").input == prose(1001)


def test_the_user_overrules_a_row_and_it_is_recorded(tmp_path: Path) -> None:
    paper = booklet()
    paper.pages[1] += ["q 60 0 0 40 150 715 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x7f EI Q"]
    one, two = tmp_path / "booklet.pdf", tmp_path / "key.pdf"
    one.write_bytes(paper.data())
    two.write_bytes(key(usual_key()).data())
    plan = Plan(booklet=one, key=two, folder=tmp_path / "exam")
    plain = exams.build(plan)
    assert [row.reason for row in plain.rows if not row.kept] == ["needs_image"]
    choice = Choice(keep_questions=frozenset((91,)), drop_questions=frozenset((92,)))
    result = exams.build(Plan(booklet=one, key=two, folder=tmp_path / "exam", choice=choice))
    decided = {row.number: (row.kept, row.decided) for row in result.rows if row.decided}
    assert decided == {91: (True, "keep"), 92: (False, "drop")}
    assert result.kept == 89


def test_images_make_items_for_models_that_see(tmp_path: Path) -> None:
    paper = booklet()
    paper.pages[1] += ["q 60 0 0 40 150 715 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x7f EI Q"]
    one, two = tmp_path / "booklet.pdf", tmp_path / "key.pdf"
    one.write_bytes(paper.data())
    two.write_bytes(key(usual_key()).data())
    choice = Choice(drop_questions=frozenset(range(93, 181)))
    result = exams.build(
        Plan(booklet=one, key=two, folder=tmp_path / "exam", images=True, choice=choice)
    )
    assert result.kept == 2
    suite = suites.load(str(tmp_path / "exam"), all_graders())
    request = suites.render(
        suite, suite.items[0], endpoint="x", model="m", params=suite.params, round=1
    )
    asked, picture, options = request.body["messages"][0]["content"]
    assert asked["text"].startswith(prose(91))
    assert "Resposta: X" in asked["text"]
    head, _, data = picture["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(data).startswith(b"\x89PNG")
    assert options["text"].startswith("A) a cor azul")


def test_pictures_of_a_booklet_with_marked_answers_are_refused(tmp_path: Path) -> None:
    from test_exam_layout import drawn_paper

    one = tmp_path / "booklet.pdf"
    paper = drawn_paper(ring=True)
    paper.text(60, 815, "EXAME NACIONAL DO ENSINO MÉDIO", 12)
    one.write_bytes(paper.data())
    mine = tmp_path / "mine.yaml"
    text = exams.profile_text("enem").replace("numbers: [91, 180]", "numbers: [91, 96]")
    mine.write_text(text, "utf-8")
    plan = {
        "booklet": one,
        "folder": tmp_path / "exam",
        "profile": str(mine),
        "told": Identity(year=2019, day=2),
        "choice": Choice(without_key=True),
    }
    assert exams.build(Plan(**plan)).kept == 6
    with pytest.raises(ExamError, match="right answers are marked"):
        exams.build(Plan(**plan, images=True))


def test_without_a_key_there_are_items_but_no_suite(tmp_path: Path) -> None:
    one, _ = files(tmp_path)
    with pytest.raises(ExamError, match="--without-key"):
        exams.build(Plan(booklet=one, folder=tmp_path / "exam"))
    result = exams.build(
        Plan(booklet=one, folder=tmp_path / "exam", choice=Choice(without_key=True))
    )
    assert result.suite is None
    assert result.kept == 90
    assert "expect" not in lines(result.items)[0]


def test_a_reason_that_is_a_fault_of_reading_cannot_be_kept(tmp_path: Path) -> None:
    one, two = files(tmp_path)
    with pytest.raises(ExamError, match="--keep-question N"):
        exams.build(
            Plan(
                booklet=one,
                key=two,
                folder=tmp_path / "exam",
                choice=Choice(keep=frozenset(("no_key",))),
            )
        )


def test_an_earlier_build_is_replaced_and_other_files_are_not(
    usual: tuple[Path, Result], tmp_path: Path
) -> None:
    one, two = usual[0] / "booklet.pdf", usual[0] / "key.pdf"
    folder = tmp_path / "exam"
    shutil.copytree(usual[0] / "exam", folder)
    exams.build(Plan(booklet=one, key=two, folder=folder))
    (folder / "mine.txt").write_text("mine")
    with pytest.raises(ExamError, match="other files"):
        exams.build(Plan(booklet=one, key=two, folder=folder))
    assert (folder / "mine.txt").read_text() == "mine"
    assert [each.name for each in tmp_path.iterdir()] == ["exam"]


def test_another_booklet_with_the_questions_in_another_order_agrees(
    usual: tuple[Path, Result], tmp_path: Path
) -> None:
    other = tmp_path / "other.pdf"
    order = [91 + (place * 7) % 90 for place in range(90)]
    other.write_bytes(booklet(colour="ROSA", number=8, order=order).data())
    answers = [(91 + place, "ABCDE"[asked % 5]) for place, asked in enumerate(order)]
    other_key = tmp_path / "key.pdf"
    other_key.write_bytes(key(answers, title="2º DIA - CADERNO 8 - ROSA").data())
    found = exams.verify(usual[0] / "exam", other, other_key)
    assert (found.matched, found.same, found.different, found.missing) == (90, 90, (), ())


def test_another_booklet_that_differs_is_told_where(
    usual: tuple[Path, Result], tmp_path: Path
) -> None:
    other = tmp_path / "other.pdf"
    paper = booklet(colour="ROSA", number=8)
    changed = "a cor verde da mata, caso 91".encode("cp1252").hex()
    paper.pages[1] = [
        each.replace(changed, "a cor lilás da mata, caso 91".encode("cp1252").hex())
        for each in paper.pages[1]
    ]
    other.write_bytes(paper.data())
    other_key = tmp_path / "key.pdf"
    answers = [(number, "A" if number == 95 else letter) for number, letter in usual_key()]
    answers[4] = (95, "D")
    other_key.write_bytes(key(answers, title="2º DIA - CADERNO 8 - ROSA").data())
    found = exams.verify(usual[0] / "exam", other, other_key)
    assert [(each.number, each.field) for each in found.different] == [
        (91, "B"),
        (91, "answer"),
        (95, "answer"),
    ]
    assert found.same == 88


def test_another_exam_is_no_check(usual: tuple[Path, Result], tmp_path: Path) -> None:
    other = tmp_path / "other.pdf"
    other.write_bytes(booklet(year=2018).data())
    with pytest.raises(ExamError, match="year 2018"):
        exams.verify(usual[0] / "exam", other)


def test_a_profile_of_ones_own_reads_another_exam(tmp_path: Path) -> None:
    from papers import Paper, wrapped

    paper = Paper()
    y = 780.0
    for number in range(1, 5):
        body = wrapped(prose(number), 90)
        y = paper.lines(40, y, [f"{number}. {body[0]}", *body[1:]])
        for letter in "ABCD":
            y = paper.lines(40, y, [f"{letter}) resposta {letter.lower()} da questão {number}"])
        y -= 14
    one, two = tmp_path / "booklet.pdf", tmp_path / "key.csv"
    one.write_bytes(paper.data())
    two.write_text("number,answer\n1,A\n2,B\n3,X\n4,D\n")
    mine = tmp_path / "mine.yaml"
    mine.write_text(
        exams.profile_text("generic")
        .replace("name: generic", "name: concurso")
        .replace("letters: ABCDE", "letters: ABCD")
    )
    result = exams.build(Plan(booklet=one, key=two, folder=tmp_path / "exam", profile=str(mine)))
    assert result.name == "concurso"
    assert [(row.number, row.kept, row.reason) for row in result.rows] == [
        (1, True, None),
        (2, True, None),
        (3, False, "annulled"),
        (4, True, None),
    ]
    suite = suites.load(str(tmp_path / "exam"), all_graders())
    assert suite.items[0].options["D"] == "resposta d da questão 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("marker: '('\nname: x\ninstruction: y\n", "pattern"),
        ("name: x\n", "cannot be used"),
        ("[1, 2", "no YAML"),
        ("just text", "cannot be used"),
    ],
)
def test_a_broken_profile_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    with pytest.raises(ExamError, match=message):
        exams.load_profile(str(path))


def test_an_unknown_profile_names_the_known_ones() -> None:
    with pytest.raises(ExamError, match="enem, generic, oab"):
        exams.load_profile("vestibular")
