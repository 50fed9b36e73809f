"""Budgets end a run cleanly before they are passed, and replies are asked again only on purpose."""

import time

import pytest
from command import Afere
from servers import ChatServer, Reply, faults
from twenty import models_yaml

ONE = ("run", "suite.yaml", "-m", "good", "--rounds", "1")


@pytest.mark.parametrize("most", [1, 7, 20])
def test_max_calls_is_never_passed_and_the_run_goes_on_later(
    project: Afere,
    server: ChatServer,
    most: int,
) -> None:
    ended = project(*ONE, "--max-calls", str(most), "--json")
    assert server.count == most
    assert ended.code == (0 if most == 20 else 3)
    (run,) = ended.json["runs"]
    assert run["outcomes"].get("not_asked", 0) == 20 - most
    assert sum(run["outcomes"].values()) == 20
    again = project(*ONE, "--json")
    assert again.code == 0
    assert server.count == 20


def test_retries_count_against_max_calls(project: Afere, server: ChatServer) -> None:
    server.plan = lambda _call: faults.status(500)
    ended = project(*ONE, "--max-calls", "6", "--concurrency", "1", "--json")
    assert server.count == 6
    assert ended.json["runs"][0]["calls"]["made"] == 6


def test_max_calls_holds_over_all_models(project: Afere, server: ChatServer) -> None:
    ended = project(*ONE, "-m", "fair", "--max-calls", "25", "--json")
    assert server.count == 25
    assert ended.code == 3
    assert [run["status"] for run in ended.json["runs"]] == ["complete", "incomplete"]


def test_max_time_ends_the_run_and_keeps_what_is_done(project: Afere, server: ChatServer) -> None:
    server.delay = 0.2
    begun = time.monotonic()
    ended = project(*ONE, "--max-time", "1s", "--concurrency", "1", "--json")
    assert time.monotonic() - begun < 20
    assert ended.code == 3
    assert 0 < ended.json["runs"][0]["outcomes"]["right"] < 20


def test_max_cost_is_held_by_estimates_before_and_usage_after(
    project: Afere,
    server: ChatServer,
) -> None:
    priced = models_yaml(server.base_url).replace(
        "good: {provider: here}",
        "good: {provider: here, price: {input: 1000, output: 1000}}",
    )
    project.write("models.yaml", priced)
    ended = project(*ONE, "--max-cost", "0.1", "--concurrency", "2", "--json")
    assert ended.code == 3
    (run,) = ended.json["runs"]
    assert 0 < run["cost"] <= 0.1
    assert server.count < 20


@pytest.mark.parametrize("most", ["max_tokens=1e6", "max_completion_tokens=1000000"])
def test_max_cost_reserves_the_longest_reply_however_it_is_declared(
    project: Afere,
    server: ChatServer,
    most: str,
) -> None:
    priced = models_yaml(server.base_url).replace(
        "good: {provider: here}",
        "good: {provider: here, price: {input: 1, output: 1}}",
    )
    project.write("models.yaml", priced)
    ended = project(*ONE, "--max-cost", "0.5", "--param", most, "--json")
    assert ended.code == 3
    assert server.count == 0


def test_max_cost_of_a_model_without_a_price_is_refused(
    project: Afere,
    server: ChatServer,
) -> None:
    ended = project(*ONE, "--max-cost", "1")
    assert ended.code == 2
    assert "price" in ended.err
    assert server.count == 0


@pytest.mark.parametrize("text", ["soon", "-1", "10d", ""])
def test_a_time_in_no_known_form_is_refused(project: Afere, text: str) -> None:
    ended = project(*ONE, "--max-time", text)
    assert ended.code == 2
    assert "10m" in ended.err


def test_replies_are_asked_again_only_on_purpose_and_it_is_said(
    project: Afere,
    server: ChatServer,
) -> None:
    server.plan = lambda _call: faults.reply(Reply(content="", finish_reason="content_filter"))
    project(*ONE, "--limit", "2")
    server.plan = lambda _call: None
    assert project(*ONE, "--limit", "2", "--json").json["runs"][0]["outcomes"] == {"blocked": 2}
    assert server.count == 2
    ended = project(*ONE, "--limit", "2", "--ask-again", "blocked,truncated", "--json")
    assert ended.json["runs"][0]["outcomes"] == {"right": 2}
    assert any("again" in text for text in ended.json["runs"][0]["warnings"])
    assert server.count == 4
    assert project(*ONE, "--limit", "2", "--json").json["runs"][0]["outcomes"] == {"right": 2}
    assert server.count == 4


def test_a_reply_asked_again_in_vain_stands(project: Afere, server: ChatServer) -> None:
    server.plan = lambda _call: faults.reply(Reply(content="", finish_reason="content_filter"))
    project(*ONE, "--limit", "1")
    server.plan = lambda _call: faults.error(400, "no")
    ended = project(*ONE, "--limit", "1", "--ask-again", "blocked", "--json")
    assert ended.json["runs"][0]["outcomes"] == {"blocked": 1}


def test_only_outcomes_of_replies_can_be_asked_again(project: Afere) -> None:
    ended = project(*ONE, "--ask-again", "endpoint_error")
    assert ended.code == 2
    assert "truncated" in ended.err
