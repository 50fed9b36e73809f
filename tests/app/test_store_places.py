"""What can be wrong with the store's place, met by the whole program."""

import random
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Afere, Ended
from servers import ChatServer, by_prompt, faults

ONE = ("run", "suite.yaml", "-m", "good", "--rounds", "1")
WORDS_OF_SQLITE = ("malformed", "OperationalError", "DatabaseError", "disk I/O", "sqlalche.me")
READING = [
    ("runs",),
    ("runs", "--json"),
    ("show", "latest"),
    ("compare",),
    ("compare", "good", "fair"),
    ("rank",),
    ("export", "latest", "--format", "csv", "-o", "x.csv"),
    ("regrade", "latest"),
]


def store_of(project: Afere) -> Path:
    return project.folder / ".afere" / "afere.db"


def told(ended: Ended, *words: str) -> None:
    """The command ends with our words in at most three lines, and with none of the database's."""
    assert ended.code in {2, 3}, ended
    text = ended.err + ended.out
    for word in words:
        assert word in text, ended
    for word in WORDS_OF_SQLITE:
        assert word not in text, ended
    errors = ended.err.partition("afere: ")[2]
    assert len(errors.splitlines()) <= 3, ended


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_a_command_that_only_reads_makes_no_store(project: Afere, command: tuple[str, ...]) -> None:
    before = sorted(project.folder.rglob("*"))
    ended = project(*command)
    assert "there is no store at .afere/afere.db yet" in ended.err, ended
    assert "afere run SUITE" in ended.err
    assert ended.code == (0 if command[0] == "runs" else 2)
    assert sorted(project.folder.rglob("*")) == before


def test_a_price_is_planned_without_a_store(project: Afere) -> None:
    priced = (
        (project.folder / "models.yaml")
        .read_text("utf-8")
        .replace("good: {provider: here}", "good: {provider: here, price: {input: 1, output: 1}}")
    )
    project.write("models.yaml", priced)
    ended = project("plan", "suite.yaml", "-m", "good")
    assert ended.code == 0, ended
    assert not store_of(project).exists()


def test_a_run_that_lost_rows_is_not_listed_as_finished(project: Afere, server: ChatServer) -> None:
    server.plan = by_prompt({"3": faults.error(400, "no")})
    assert project(*ONE).code == 3
    (run,) = project("runs", "--json").json["runs"]
    assert (run["state"], run["missing"]) == ("incomplete", 1)
    assert "incomplete" in project("runs").out
    server.plan = lambda _call: None
    assert project(*ONE).code == 0
    (run,) = project("runs", "--json").json["runs"]
    assert (run["state"], run["missing"]) == ("finished", 0)


def test_a_run_asked_again_in_vain_misses_nothing(project: Afere, server: ChatServer) -> None:
    project(*ONE)
    server.plan = lambda _call: faults.error(400, "no")
    project(*ONE, "--ask-again", "wrong")
    (run,) = project("runs", "--json").json["runs"]
    assert run["missing"] == 0


def test_a_store_with_flipped_bits_is_told_in_our_words(project: Afere) -> None:
    assert project(*ONE, "-m", "fair").code == 0
    whole = store_of(project).read_bytes()
    said = 0
    for seed in range(12):
        dice = random.Random(seed)  # noqa: S311 - the same flips every time
        flipped = bytearray(whole)
        for _ in range(400):
            flipped[dice.randrange(len(flipped))] ^= 1 << dice.randrange(8)
        store_of(project).write_bytes(flipped)
        ended = project("show", "good", "--json")
        if ended.code:
            told(ended)
            said += 1
    assert said > 6


def test_a_store_of_a_newer_version_is_refused(project: Afere) -> None:
    project(*ONE)
    with sqlite3.connect(store_of(project)) as hand:
        hand.execute("insert into afere_migrations values ('of_tomorrow', 0)")
    hand.close()
    for command in (ONE, ("runs",), ("show", "latest")):
        told(project(*command), "newer version", "Update afere")


def test_what_is_no_store_is_told_and_stays(project: Afere) -> None:
    project.write("notes.txt", "my notes\n" * 100)
    told(project(*ONE, "--store", "notes.txt"), "notes.txt", "no store of afere")
    assert (project.folder / "notes.txt").read_text("utf-8") == "my notes\n" * 100


@pytest.fixture
def disk(project: Afere) -> Iterator[Path]:
    """A small disk in memory, which the rights of the superuser are needed for."""
    folder = project.folder / "disk"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)]
    if subprocess.run(words, check=False, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs the rights of the superuser")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_ends_a_run_with_words_and_what_was_kept_is_there(
    project: Afere, server: ChatServer, disk: Path
) -> None:
    server.answers = lambda _body: "42 " * 5000
    ended = project(*ONE, "--store", "disk/afere.db", "--concurrency", "2")
    told(ended, "the disk is full", "Make room")
    asked = server.count
    assert 2 < asked < 20
    subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
    ended = project(*ONE, "--store", "disk/afere.db")
    assert ended.code == 0, ended
    assert server.count <= 20 + 2


def test_a_store_that_became_read_only_can_be_read_and_says_why_it_keeps_nothing(
    project: Afere, disk: Path
) -> None:
    place = ("--store", "disk/afere.db")
    assert project(*ONE, "--limit", "2", *place).code == 0
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    assert project("show", "latest", *place).code == 0
    assert "good" in project("runs", *place).out
    told(project(*ONE, *place), "read-only")


def test_any_text_of_a_model_goes_through_the_store_and_out_again(
    project: Afere, server: ChatServer
) -> None:
    odd = "lone \\ud800 surrogate, nul \\u0000, \\ufdd0, maçã 世"
    body = '{"choices": [{"message": {"content": "%s"}, "finish_reason": "stop"}]}'
    server.plan = lambda _call: faults.ok((body % odd).encode())
    assert project(*ONE, "--limit", "1").code == 0
    (row,) = project("show", "latest", "--json").json["rows"]
    assert row["content"] == "lone \ud800 surrogate, nul \0, \ufdd0, maçã 世"
    assert project("show", "latest", "--item", "i0").code == 0
    for form in ("csv", "jsonl", "parquet"):
        assert project("export", "latest", "--format", form, "-o", f"x.{form}").code == 0
