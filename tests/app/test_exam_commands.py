"""`afere exam` as a user types it."""

import json
import sys
from pathlib import Path

import pytest
from command import Afere

sys.path.append(str(Path(__file__).parents[1] / "exams"))

from papers import booklet, key, usual_key


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Afere:
    folder = tmp_path_factory.mktemp("exam")
    (folder / "booklet.pdf").write_bytes(booklet(without=frozenset((100,))).data())
    (folder / "key.pdf").write_bytes(key(usual_key()).data())
    (folder / "other-key.pdf").write_bytes(
        key(usual_key(), title="2º DIA - CADERNO 5 - AMARELO").data()
    )
    return Afere(folder)


def test_an_exam_is_built_audited_checked_and_verified(program: Afere) -> None:
    done = program("exam", "build", "booklet.pdf", "--key", "key.pdf", "-o", "exam", "--json")
    assert done.code == 0
    built = json.loads(done.out)
    assert (built["expected"], built["found"], built["kept"]) == (90, 89, 89)
    assert built["left_out"] == [
        {
            "number": 100,
            "language": "pt",
            "reason": "marker_missing",
            "reasons": ["marker_missing"],
            "page": None,
        }
    ]
    assert (program.folder / built["items"]).is_file()
    assert (program.folder / built["audit"]).is_file()
    audit = program("exam", "audit", "exam")
    assert audit.code == 0
    assert "89 of 90 questions kept, 1 left out" in audit.out
    assert "marker_missing" in audit.out
    assert program("check", "exam").code == 0
    assert program("exam", "verify", "exam", "booklet.pdf", "--json").code == 0


def test_a_report_names_reasons_in_the_readers_language(program: Afere) -> None:
    done = program(
        "exam", "build", "booklet.pdf", "--key", "key.pdf", "-o", "outro", "--lang", "pt-BR"
    )
    assert "89 de 90 questões mantidas" in done.out
    assert "a questão não foi encontrada" in done.out


def test_crops_of_questions_left_out_are_drawn(program: Afere) -> None:
    done = program(
        "exam", "build", "booklet.pdf", "--key", "key.pdf", "-o", "third", "--drop-question", "91"
    )
    assert done.code == 0
    audit = program("exam", "audit", "third", "--crops", "--json")
    assert json.loads(audit.out)["crops"] == "third/crops"
    assert [each.name for each in (program.folder / "third" / "crops").iterdir()] == [
        "enem-2019-d2-azul-091.png"
    ]


def test_a_wrong_colour_is_refused_in_a_few_lines(program: Afere) -> None:
    done = program("exam", "build", "booklet.pdf", "--key", "other-key.pdf", "-o", "none")
    assert done.code == 2
    assert "colour azul in the booklet, amarelo in the key" in done.err
    assert len(done.err.splitlines()) <= 3
    assert not (program.folder / "none").exists()


def test_profiles_are_listed_and_printed(program: Afere) -> None:
    assert [line.split()[0] for line in program("exam", "profile").out.splitlines()] == [
        "enem",
        "generic",
        "oab",
    ]
    assert "name: generic" in program("exam", "profile", "generic").out
    assert program("exam", "profile", "none").code == 2
