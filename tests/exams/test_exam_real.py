"""The real booklets, where their folder is present: they are never part of this repository."""

import gzip
import json
import os
import re
import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from afere import exams
from afere.exams import Choice, Plan
from afere.exams.booklet import Booklet, read_booklet
from afere.exams.key import ANNULLED, read_key
from afere.exams.profile import load_profile

DATA = (
    Path(
        os.environ.get("AFERE_TEST_DATA", Path(__file__).parents[2].parent / "shared" / "data")
    ).absolute()
    / "exams"
)
pytestmark = pytest.mark.skipif(
    not (DATA / "index.json").is_file(), reason="no real booklets: set AFERE_TEST_DATA"
)
ENEM = load_profile("enem")
# A kind each: 2009's frames, drawn letters with a shifted font, the languages of before and after
# 2017, full-width bands, numbered glyphs. All of them with AFERE_TEST_EXAMS=all.
SOME = (
    "enem_2009_d2_cd7_azul",
    "enem_2010_d2_cd7_azul",
    "enem_2014_d2_cd7_azul",
    "enem_2019_d1_cd1_azul",
    "enem_2020_d2_cd7_azul",
    "enem_2021_d2_cd7_azul",
)
PICTURED = {"enem_2011_d2_cd7_azul": 3}  # questions whose letters are part of an image


def booklets() -> list[str]:
    if os.environ.get("AFERE_TEST_EXAMS") == "all":
        return sorted(path.stem for path in (DATA / "pv").glob("*.pdf"))
    return list(SOME)


def annulled() -> dict[str, list[int]]:
    return {
        "2009_d2": [101], "2018_d2": [163], "2020_d2": [113, 135, 157][1:], "2021_d2": [138],
        "2022_d2": [157], "2023_d2": [164], "2024_d2": [129],
    }  # fmt: skip


@pytest.mark.parametrize("name", booklets())
def test_a_real_booklet_is_read_whole(name: str) -> None:
    found = read_booklet((DATA / "pv" / f"{name}.pdf").read_bytes(), [ENEM])
    year, day = int(name[5:9]), int(name[11])
    expected = ENEM.day(year, day)
    assert expected is not None
    numbers = [each.number for each in found.questions]
    wanted = [
        number
        for number in range(expected.first, expected.last + 1)
        for _ in range(1 + expected.has_languages(number))
    ]
    assert sorted(numbers) == wanted
    whole = [sorted(letter for letter, _ in each.alternatives) for each in found.questions]
    assert whole.count(list("ABCDE")) == len(wanted) - PICTURED.get(name, 0)
    if "azul" in name and year < 2024:
        alike, compared = likeness(found, year)
        assert alike >= 0.94 * compared  # the retyping itself has faults


def likeness(found: Booklet, year: int) -> tuple[int, int]:
    """Count the questions whose five alternatives are 90 % like those retyped by hand."""
    truth = retyped(year)
    repeated = Counter(each.number for each in found.questions)
    alike = compared = 0
    for each in found.questions:
        language = ("ingles", "espanhol")[each.turn] if repeated[each.number] > 1 else None
        wanted = truth.get((each.number, language)) or truth.get((each.number, None))
        if wanted is None or not all(map(folded, wanted)):
            continue
        compared += 1
        ours = [text for _, text in sorted(each.alternatives)]
        alike += len(ours) == 5 and all(
            SequenceMatcher(None, folded(a), folded(b), autojunk=False).ratio() >= 0.9
            for a, b in zip(ours, wanted, strict=True)
        )
    return alike, compared


def retyped(year: int) -> dict[tuple[int, str | None], list[str]]:
    with gzip.open(DATA / "truth" / "enem_api_2009_2023.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in lines]
    return {
        (row["n"], row["lang"]): row["alts"]
        for row in rows
        if row["year"] == year and not any(row["altfiles"])
    }


def folded(text: str | None) -> str:
    plain = unicodedata.normalize("NFKD", (text or "").casefold())
    return re.sub(r"[^a-z0-9]", "", plain)


def test_every_real_key_gives_all_its_answers() -> None:
    paths = sorted((DATA / "gb").glob("*.pdf"))
    assert len(paths) == 30
    for path in paths:
        day = int(path.stem[11])
        found = read_key(path.read_bytes(), ENEM)
        sections = [each for each in found.sections if each.identity.colour == "azul"]
        assert len(sections) == 1, path.stem
        answers = sections[0].by_number()
        first = 1 if day == 1 else 91
        assert sorted(answers) == list(range(first, first + 90)), path.stem
        assert all(letter for given in answers.values() for letter in given)
        struck = [number for number, given in answers.items() if ANNULLED in given]
        assert struck == annulled().get(path.stem[5:12], []), path.stem


def test_the_bar_exam_is_kept_whole_with_its_key(tmp_path: Path) -> None:
    result = exams.build(
        Plan(
            booklet=DATA / "oab" / "oab_2018-25.pdf",
            key=DATA / "oab" / "oab_2018-25_gb.pdf",
            folder=tmp_path / "oab",
        )
    )
    assert (result.name, result.expected, result.kept) == ("oab-2018-xxv-branco", 80, 80)
    text = (DATA / "truth" / "oab_2018-25.txt").read_text("utf-8")
    blocks = re.split(r"\n\s*Questão (\d+)", "\n" + text)[1:]
    right = {
        int(number): re.search(r"\n([A-D]):CORRECT\)", block)[1]  # type: ignore[index]
        for number, block in zip(blocks[::2], blocks[1::2], strict=True)
    }
    assert {row.number: row.answer for row in result.rows} == right


def test_a_second_colour_agrees_with_the_first(tmp_path: Path) -> None:
    exams.build(
        Plan(
            booklet=DATA / "pv" / "enem_2021_d2_cd7_azul.pdf",
            key=DATA / "gb" / "enem_2021_d2_cd7_azul_gb.pdf",
            folder=tmp_path / "exam",
            choice=Choice(keep=frozenset(("needs_table",))),
        )
    )
    found = exams.verify(tmp_path / "exam", DATA / "pv" / "enem_2021_d2_cd5_amarelo.pdf")
    assert found.missing == ()
    assert found.same == found.matched > 40
