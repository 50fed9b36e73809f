"""Public reports of faults of caches, retries and resumes, as tests of the whole program."""

import itertools
import signal
import time

import pytest
from command import Afere
from servers import ChatServer, Fault, by_number, faults
from twenty import SUITE, models_yaml

ONE = ("run", "suite.yaml", "--rounds", "1")


def test_br_033_one_models_answers_are_never_anothers(project: Afere, server: ChatServer) -> None:
    good = project(*ONE, "-m", "good", "--json").json["runs"][0]
    fair = project(*ONE, "-m", "fair", "--json").json["runs"][0]
    assert (good["score"], fair["score"]) == (0.9, 0.7)
    assert fair["calls"] == {"made": 20, "cached": 0, "failed": 0, "retried": 0}
    with ChatServer(lambda _body: "0") as elsewhere:  # the same model at another address
        project.write("models.yaml", models_yaml(elsewhere.base_url))
        assert project(*ONE, "-m", "good", "--json").json["runs"][0]["score"] == 0.05
        assert elsewhere.count == 20


def test_br_035_five_rounds_are_five_answers_and_are_replayed_in_place(
    project: Afere, server: ChatServer
) -> None:
    told = itertools.count()
    server.answers = lambda _body: str(next(told))
    five = ("run", "suite.yaml", "-m", "good", "--rounds", "5", "--param", "temperature=1")
    project(*five)
    before = project("show", "latest", "--json").json["rows"]
    assert len({row["content"] for row in before}) == 100
    (run,) = project(*five, "--json").json["runs"]
    assert (run["calls"]["made"], run["calls"]["cached"]) == (0, 100)
    assert project("show", "latest", "--json").json["rows"] == before


HINTS = [
    [("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT")],
    [("Retry-After", "0.2")],
    [("Retry-After", "-3")],
    [("Retry-After", "soon")],
    [("Retry-After", "Fri, 30 Nov 2099 08:00:00 GMT")],
    [("retry-after-ms", "250")],
    [("x-ratelimit-reset-requests", "94ms")],
]


@pytest.mark.parametrize("headers", HINTS, ids=lambda headers: headers[0][1])
def test_br_040_and_041_no_form_of_a_hint_breaks_a_run_or_costs_a_row(
    project: Afere, server: ChatServer, headers: list[tuple[str, str]]
) -> None:
    server.plan = by_number({1: faults.error(429, "slow down", headers=headers)})
    ended = project(*ONE, "-m", "good", "--limit", "1", "--json")
    assert ended.code == 0, ended
    assert ended.json["runs"][0]["calls"] == {"made": 2, "cached": 0, "failed": 1, "retried": 1}


DAILY = [
    faults.error(429, "Quota exceeded for requests per day, please retry in 34 s"),
    faults.error(429, "Quota exceeded for metric x, limit: 0, retry in 34 s"),
]


@pytest.mark.parametrize("fault", DAILY)
def test_br_042_a_quota_of_the_day_stops_and_says_when_to_come_back(
    project: Afere, server: ChatServer, fault: Fault
) -> None:
    server.plan = lambda call: fault if call.number > 4 else None
    ended = project(*ONE, "-m", "good", "--concurrency", "1", "--json")
    assert ended.code == 3
    assert server.count == 5
    (run,) = ended.json["runs"]
    assert run["outcomes"] == {"right": 4, "endpoint_error": 1, "not_asked": 15}
    assert run["resume_after"].endswith("T00:00:00Z")


def test_br_045_a_resume_goes_by_content_and_an_interrupt_ends_within_a_call(
    project: Afere, server: ChatServer
) -> None:
    server.delay = 0.2
    process = project.start(*ONE, "-m", "good", "--category", "high", "--concurrency", "1")
    while server.count < 3:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert server.count <= 4
    server.delay = 0.0
    assert project(*ONE, "-m", "good").code == 0
    assert server.count == 20
    text = (project.folder / "suite.yaml").read_text("utf-8")
    project.write("suite.yaml", text.replace("Item 3 : what is", "Item 3 : what really is"))
    assert project(*ONE, "-m", "good").code == 0
    assert server.count == 21


def test_br_048_a_table_of_a_spreadsheet_runs_and_a_broken_cell_has_its_place(
    project: Afere, server: ChatServer
) -> None:
    server.answers = lambda _body: "maçã"
    rows = "\ufeffid;input;expect.text\r\na;Uma fruta?;maçã\r\nb;Outra?;maçã"
    project.folder.joinpath("frutas.csv").write_bytes(rows.encode())
    (run,) = project("run", "frutas.csv", "-m", "good", "--rounds", "1", "--json").json["runs"]
    assert run["score"] == 1
    project.write("broken.csv", 'id,input,expect.text\na,"x" y,z\n')
    ended = project("run", "broken.csv", "-m", "good")
    assert ended.code == 2
    assert "broken.csv:2" in ended.err


def test_br_050_two_processes_on_one_store_lose_nothing(project: Afere, server: ChatServer) -> None:
    started = [
        project.start("run", "suite.yaml", "-m", name, "--concurrency", "32", "--rounds", "4")
        for name in ("good", "fair")
    ]
    for process in started:
        _, err = process.communicate(timeout=100)
        assert process.returncode == 0, err
        assert b"locked" not in err
    assert server.count == 160
    again = project("run", "suite.yaml", "-m", "good", "-m", "fair", "--rounds", "4", "--json")
    assert [run["calls"]["cached"] for run in again.json["runs"]] == [80, 80]
    assert server.count == 160


def test_br_052_a_store_does_not_grow_by_being_resumed(project: Afere) -> None:
    store = project.folder / ".afere" / "afere.db"
    project(*ONE, "-m", "good")
    before = store.stat().st_size
    for _ in range(3):
        assert project(*ONE, "-m", "good").code == 0
    assert store.stat().st_size - before <= 3 * 4096


def test_br_067_a_key_written_down_is_refused_and_one_in_the_address_is_never_shown(
    afere: Afere, server: ChatServer
) -> None:
    afere.write("suite.yaml", SUITE)
    declared = models_yaml(server.base_url).replace("    retries", "    key: sk-TEST\n    retries")
    afere.write("models.yaml", declared)
    ended = afere(*ONE, "-m", "good")
    assert ended.code == 2
    assert "${NAME}" in ended.err
    assert "sk-TEST" not in ended.err
    server.plan = lambda _call: faults.echo_headers(500)
    afere.write("models.yaml", models_yaml(server.base_url + "?key=sk-TEST-in-address", retries=0))
    ended = afere(*ONE, "-m", "good", "--limit", "2")
    assert server.calls[0].path.endswith("?key=sk-TEST-in-address")
    files = [path for path in afere.folder.rglob("*") if path.is_file()]
    kept = b"".join(path.read_bytes() for path in files if path.name != "models.yaml")
    assert b"sk-TEST-in-address" not in kept
    assert "sk-TEST-in-address" not in ended.out + ended.err
