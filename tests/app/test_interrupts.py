"""Ctrl-C, once, twice, many times, at any moment: no traceback, exit 130, all finished is kept."""

import json
import random
import signal
import time
from subprocess import Popen

from command import Afere
from servers import ChatServer, faults

THREE = ("run", "suite.yaml", "-m", "good", "--rounds", "3")


def ended(process: "Popen[bytes]") -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    text = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
    for word in ("Traceback", "never retrieved", "Exception ignored", "A fault of afere"):
        assert word not in text[1], text[1]
    return process.returncode, *text


def wait_for(server: ChatServer, calls: int) -> None:
    begun = time.monotonic()
    while server.count < calls and time.monotonic() < begun + 30:
        time.sleep(0.005)


def resumed(project: Afere, server: ChatServer, repeated: int) -> None:
    """Go on; every question is asked once, but for those that were dropped."""
    server.delay = 0.0
    server.plan = lambda _call: None
    (run,) = project(*THREE, "--json").json["runs"]
    assert (run["score"], run["status"]) == (0.9, "complete")
    assert 60 <= server.count <= 60 + repeated


def test_once_lets_calls_in_flight_finish(project: Afere, server: ChatServer) -> None:
    server.delay = 0.3
    process = project.start(*THREE, "--concurrency", "4", "--json")
    wait_for(server, 10)
    process.send_signal(signal.SIGINT)
    code, out, err = ended(process)
    assert code == 130
    assert "Ctrl-C again" in err
    (run,) = json.loads(out)["runs"]
    assert run["outcomes"]["right"] + run["outcomes"].get("wrong", 0) == server.count
    resumed(project, server, repeated=0)


def test_twice_drops_them_at_once(project: Afere, server: ChatServer) -> None:
    server.plan = lambda call: faults.stall(30) if call.number > 10 else None
    process = project.start(*THREE, "--concurrency", "4")
    wait_for(server, 14)
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    code, _, err = ended(process)
    assert time.monotonic() - begun < 20
    assert code == 130, err
    assert "Interrupted" in err
    resumed(project, server, repeated=4)


def test_many_times_quickly(project: Afere, server: ChatServer) -> None:
    server.delay = 0.2
    process = project.start(*THREE, "--concurrency", "4")
    wait_for(server, 10)
    for _ in range(40):  # within 0.2 s
        process.send_signal(signal.SIGINT)
        time.sleep(0.005)
    code, _, err = ended(process)
    assert code == 130, err
    resumed(project, server, repeated=4)


def test_while_it_waits_for_a_limit(project: Afere, server: ChatServer) -> None:
    text = (project.folder / "models.yaml").read_text("utf-8")
    project.write("models.yaml", text.replace("retries: 3", "retries: 3\n    limits: {rpm: 10}"))
    process = project.start(*THREE)
    wait_for(server, 10)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    code, _, err = ended(process)
    assert code == 130, err
    assert "waiting" in err
    assert server.count == 10


def test_in_the_first_moments_of_a_start(project: Afere, server: ChatServer) -> None:
    """Before Python itself has heard of signals the process just dies of one."""
    dice = random.Random(1)  # noqa: S311 - any moments will do
    for _ in range(8):
        process = project.start("run", "suite.yaml", "-m", "good", "--rounds", "1", "--limit", "1")
        time.sleep(dice.uniform(0.015, 0.6))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        if b"afere/__main__.py" not in err and b"runpy" in err:
            continue  # the interpreter's own start, before any of our code
        if b"site.py" in err or b"init_import_site" in err:
            continue
        assert b"Traceback" not in err, err.decode()
        assert process.returncode in {130, 0, -signal.SIGINT}, err.decode()


def test_while_it_closes(project: Afere, server: ChatServer) -> None:
    dice = random.Random(2)  # noqa: S311 - any moments will do
    for number in range(5):
        process = project.start(
            "run", "suite.yaml", "-m", "good", "--rounds", "1", "--limit", str(number + 1)
        )
        wait_for(server, number + 1)
        time.sleep(dice.uniform(0.0, 0.15))
        for _ in range(3):
            process.send_signal(signal.SIGINT)
        code, _, err = ended(process)
        assert code in {130, 0, -signal.SIGINT}, err
    project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--json")
    assert server.count <= 20 + 5


def test_a_term_is_taken_like_a_ctrl_c(project: Afere, server: ChatServer) -> None:
    server.delay = 0.2
    process = project.start(*THREE, "--concurrency", "4")
    wait_for(server, 10)
    process.send_signal(signal.SIGTERM)
    code, _, err = ended(process)
    assert code == 130, err
    resumed(project, server, repeated=0)


def test_the_rounds_that_were_cut_are_told_as_cut(project: Afere, server: ChatServer) -> None:
    server.delay = 0.1
    process = project.start(*THREE, "--concurrency", "2")
    wait_for(server, 24)
    process.send_signal(signal.SIGINT)
    code, out, err = ended(process)
    assert code == 130, err
    assert "rounds marked * lack answers" in out
    run = project("show", "latest", "--json").json["run"]
    assert run["cut_rounds"] == [2, 3]
    assert run["per_round"][0] == 0.9
    assert run["per_round"][2] is None
    (listed,) = project("runs", "--json").json["runs"]
    assert listed["state"] == "interrupted"


def test_max_time_waits_a_little_for_calls_in_flight_then_drops_them(
    project: Afere, server: ChatServer
) -> None:
    server.plan = lambda call: faults.stall(60) if call.number > 5 else None
    begun = time.monotonic()
    done = project(*THREE, "--concurrency", "3", "--max-time", "1", "--json")
    assert time.monotonic() - begun < 25
    assert done.code == 3, done
    (run,) = done.json["runs"]
    assert run["outcomes"]["right"] == 5
    assert run["outcomes"]["not_asked"] == 55
    assert run["calls"]["made"] == server.count == 8
    assert "--max-time 1 s is over" in done.err
    resumed(project, server, repeated=3)


def test_max_calls_and_max_cost_hold_at_any_concurrency(project: Afere, server: ChatServer) -> None:
    most = 23
    server.delay = 0.02
    text = (project.folder / "models.yaml").read_text("utf-8")
    price = "{provider: here, price: {input: 1000, output: 1000}}"
    project.write("models.yaml", text.replace("good: {provider: here}", f"good: {price}"))
    project(*THREE, "--concurrency", "32", "--max-calls", str(most))
    assert server.count == most
    cost = project("show", "latest", "--json").json["run"]["cost"]
    for share in (0.5, 2.5):
        done = project(
            *THREE, "--fresh", "--concurrency", "32", "--max-cost", str(cost * share), "--json"
        )
        assert done.json["runs"][0]["cost"] is None or done.json["runs"][0]["cost"] <= cost * share
