"""`afere exam` as a user types it."""

import json
import re
import sys
from pathlib import Path

import pytest
from command import Afere
from servers import ChatServer

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


def test_the_page_of_an_exam_says_which_questions_are_left_out_and_what_that_means(
    program: Afere,
) -> None:
    built = program(
        "exam", "build", "booklet.pdf", "--key", "key.pdf", "-o", "paged", "--drop-question", "91",
        "--json",
    )  # fmt: skip
    expected, kept = built.json["expected"], built.json["kept"]
    assert expected == kept + len(built.json["left_out"])
    with ChatServer(lambda _: "Resposta: B") as server:
        asked = ("-m", "small", "--base-url", server.base_url, "--rounds", "1", "--quiet")
        assert program("run", "paged", "--limit", "5", *asked).code == 0
    assert program("report", "small", "-o", "exam.html").code == 0
    html = (program.folder / "exam.html").read_text("utf-8")
    section = html[html.index('<section class="short" id="exam"') :].partition("</section>")[0]
    assert "enem-2019-d2-azul: 88 of 90 questions kept, 2 left out." in section
    assert "5 of the questions kept were asked here." in section
    assert "they are no mark of the whole exam" in section
    counts = re.findall(r'scope="row">(\w+)</th>.*?data-value="(\d+)"', section)
    assert counts == [("dropped", "1"), ("marker_missing", "1")]
    assert sum(int(number) for _, number in counts) == expected - kept


@pytest.mark.parametrize(
    "audit",
    [
        "7",
        {"expected": 90, "kept": 1, "left_out": {"annulled": 1}},
        {"expected": 2, "kept": 2, "left_out": {}},
        {"expected": True, "kept": 1, "left_out": {}},
        {"expected": 0, "kept": 1, "left_out": {"annulled": -1}},
        {"expected": 2, "kept": 1, "left_out": {"annulled": "1"}},
    ],
)
def test_counts_that_do_not_fit_the_suite_are_not_told(afere: Afere, audit: object) -> None:
    item = {"id": "q", "input": "2?", "expect": {"number": 2}}
    suite = {"suite": "told", "metadata": {"audit": audit}, "items": [item]}
    afere.write("suite.yaml", json.dumps(suite))
    with ChatServer(lambda _: "2") as server:
        ended = afere("run", "suite.yaml", "-m", "small", "--base-url", server.base_url, "--quiet")
        assert ended.code == 0
    assert afere("report", "small", "-o", "page.html").code == 0
    assert 'id="exam"' not in (afere.folder / "page.html").read_text("utf-8")


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
