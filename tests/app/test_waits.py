"""A run that waits says why and for how long, once for each wait."""

import re

from command import Afere
from servers import ChatServer, faults

ONE = ("run", "suite.yaml", "-m", "good", "--rounds", "1")


def waits(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("waiting")]


def declared(project: Afere, server: ChatServer, more: str) -> None:
    project.write(
        "models.yaml",
        f"providers:\n  here:\n    base_url: {server.base_url}\n{more}\n"
        "models:\n  good: {provider: here}\n",
    )


def test_a_429_that_slows_all_workers_is_told_once_with_its_seconds(
    project: Afere, server: ChatServer
) -> None:
    busy = faults.error(429, "slow down", headers=[("Retry-After", "3")])
    server.plan = lambda call: busy if call.number <= 8 else None
    declared(project, server, "    backoff: {first: 1, cap: 10}")
    ended = project(*ONE, "--concurrency", "8")
    assert ended.code == 0, ended
    told = waits(ended.err)
    assert 1 <= len(told) <= 3, told
    assert len(told) == len(set(told))
    assert any(re.match(r"waiting [23] s: ", line) for line in told)
    assert any("slow down" in line for line in told)


def test_a_limit_a_minute_is_told_as_it_is(project: Afere, server: ChatServer) -> None:
    declared(project, server, "    limits: {rpm: 5}")
    ended = project(*ONE, "--max-time", "2", "--concurrency", "8")
    assert ended.code == 3
    assert server.count == 5
    (line,) = waits(ended.err)
    assert re.fullmatch(r"waiting (59|60) s: the limit of 5 requests a minute", line)


def test_short_waits_one_after_another_are_told_once(project: Afere, server: ChatServer) -> None:
    ended = project(*ONE, "--limit", "4", "--pause", "1.5")
    assert ended.code == 0, ended
    (line,) = waits(ended.err)
    assert line.endswith("the pause between calls")


def test_an_error_that_is_tried_again_is_told_with_its_reason(
    project: Afere, server: ChatServer
) -> None:
    declared(project, server, "    backoff: {first: 2, cap: 2}")
    server.plan = lambda call: faults.status(503, "overloaded") if call.nth == 1 else None
    ended = project(*ONE, "--limit", "4")
    assert ended.code == 0, ended
    (line,) = waits(ended.err)
    assert "503" in line


def test_a_wait_that_was_cut_says_what_the_server_asked(project: Afere, server: ChatServer) -> None:
    declared(project, server, "    backoff: {first: 1, cap: 2}")
    long = faults.error(503, "later", headers=[("Retry-After", "4000")])
    server.plan = lambda call: long if call.number == 1 else None
    ended = project(*ONE, "--limit", "1")
    (line,) = waits(ended.err)
    assert "it asks to wait 4000 s, the longest allowed is 2 s" in line


def test_quiet_says_nothing_of_it(project: Afere) -> None:
    ended = project(*ONE, "--limit", "2", "--pause", "1.5", "--quiet")
    assert ended.err == ""
