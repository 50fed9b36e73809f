"""Limits hold over all processes that share a store; a day that is used up says when to return."""

import time
from datetime import UTC, datetime, timedelta
from subprocess import Popen
from zoneinfo import ZoneInfo

import pytest
from command import Afere
from servers import ChatServer, Fault, faults
from twenty import models_yaml

ONE = ("run", "suite.yaml", "--rounds", "1")


def with_limits(project: Afere, server: ChatServer, limits: str, more: str = "") -> None:
    declared = models_yaml(server.base_url) + "# end"
    project.write(
        "models.yaml",
        declared.replace("    retries: 3", f"    limits: {{{limits}}}\n{more}    retries: 3"),
    )


def both(project: Afere, *more: str) -> list["Popen[bytes]"]:
    started = [project.start(*ONE, "-m", name, *more) for name in ("good", "fair")]
    for process in started:
        out, err = process.communicate(timeout=60)
        assert b"Traceback" not in out + err
    return started


def test_two_processes_together_keep_to_the_requests_a_minute(
    project: Afere, server: ChatServer
) -> None:
    with_limits(project, server, "rpm: 30")
    started = both(project, "--max-time", "5")
    assert server.count == 30
    assert {process.returncode for process in started} <= {0, 3}


def test_two_processes_together_keep_to_the_requests_a_day_and_a_third_asks_nothing(
    project: Afere, server: ChatServer
) -> None:
    with_limits(project, server, "rpd: 25")
    both(project)
    assert server.count == 25
    ended = project(*ONE, "-m", "fair", "-m", "good", "--json")
    assert ended.code == 3
    assert server.count == 25
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    expected = (midnight + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert expected in {run["resume_after"] for run in ended.json["runs"]}


def test_requests_of_today_count_that_were_made_before_the_limit_was_declared(
    project: Afere, server: ChatServer
) -> None:
    project(*ONE, "-m", "good")
    with_limits(project, server, "rpd: 25")
    assert project(*ONE, "-m", "fair").code == 3
    assert server.count == 25


def test_two_processes_together_keep_to_the_concurrency(project: Afere, server: ChatServer) -> None:
    with_limits(project, server, "concurrency: 3")
    server.delay = 0.1
    started = both(project)
    assert [process.returncode for process in started] == [0, 0]
    assert server.count == 40
    assert server.max_in_flight == 3


def test_a_killed_process_does_not_hold_its_place_for_ever(
    project: Afere, server: ChatServer
) -> None:
    with_limits(project, server, "concurrency: 1")
    server.delay = 30
    killed = project.start(*ONE, "-m", "good")
    while not server.count:
        time.sleep(0.01)
    killed.kill()
    killed.communicate()
    server.delay = 0
    ended = project(*ONE, "-m", "fair")
    assert ended.code == 0, ended
    assert "1 calls are open elsewhere" in ended.err
    assert server.max_in_flight <= 2


def test_a_limit_of_the_users_own_takes_nothing_from_the_day(
    project: Afere, server: ChatServer
) -> None:
    with_limits(project, server, "rpd: 20")
    assert project(*ONE, "-m", "good", "--max-calls", "5").code == 3
    assert project(*ONE, "-m", "good").code == 0
    assert server.count == 20


@pytest.mark.parametrize("zone", ["America/Sao_Paulo", "Asia/Shanghai"])
def test_a_declared_day_ends_in_its_own_time_zone(
    project: Afere, server: ChatServer, zone: str
) -> None:
    with_limits(project, server, "rpd: 7", f"    timezone: {zone}\n")
    ended = project(*ONE, "-m", "good", "--json")
    assert ended.code == 3
    assert server.count == 7
    (run,) = ended.json["runs"]
    assert run["outcomes"]["not_asked"] + run["outcomes"].get("endpoint_error", 0) == 13
    back = datetime.fromisoformat(run["resume_after"]).astimezone(ZoneInfo(zone))
    assert (back.hour, back.minute, back.second) == (0, 0, 0)
    assert timedelta() < back - datetime.now(UTC) <= timedelta(days=1)
    told = project(*ONE, "-m", "good").out
    assert "when the quota is fresh again" in told
    assert str(datetime.fromisoformat(run["resume_after"]).year) in told


HOURS: list[tuple[Fault, float]] = [
    (faults.error(429, "slow down", headers=[("Retry-After", "7200")]), 7200),
    (
        faults.error(
            429,
            "slow down",
            headers=[
                ("x-ratelimit-remaining-requests", "0"),
                ("x-ratelimit-reset-requests", "2h30m"),
            ],
        ),
        9000,
    ),
    (
        faults.error(
            429, "Rate limit reached for requests per day", headers=[("Retry-After", "3600")]
        ),
        3600,
    ),
]


@pytest.mark.parametrize(("fault", "seconds"), HOURS)
def test_a_server_that_asks_for_hours_is_left_at_once_and_told_when_to_come_back(
    project: Afere, server: ChatServer, fault: Fault, seconds: float
) -> None:
    server.plan = lambda call: fault if call.number > 5 else None
    begun = datetime.now(UTC)
    ended = project(*ONE, "-m", "good", "--concurrency", "2", "--json")
    assert ended.code == 3
    assert server.count <= 7
    (run,) = ended.json["runs"]
    assert run["outcomes"]["right"] == 5
    back = datetime.fromisoformat(run["resume_after"])
    assert abs((back - begun).total_seconds() - seconds) < 60
    text = project(*ONE, "-m", "good").out
    assert "when the quota is fresh again" in text
    server.plan = lambda _call: None
    assert project(*ONE, "-m", "good").code == 0
