"""Before a long or paid run: which host gets how many calls, tokens, cost and time."""

import pytest
from command import Afere
from servers import ChatServer
from twenty import models_yaml

from afere.app.estimate import estimate, sentences
from afere.app.models import Model

ONE = ("run", "suite.yaml", "-m", "good", "--rounds", "1")
BODY = {"model": "m", "messages": [{"role": "user", "content": "x" * 300}], "max_tokens": 100}


def model(**fields: object) -> Model:
    known = {"name": "m", "model": "m", "base_url": "https://api.example.org/v1", "provider": "p"}
    return Model(**known | fields)  # type: ignore[arg-type]


def declared(server: ChatServer, fields: str) -> str:
    return models_yaml(server.base_url).replace(
        "good: {provider: here}",
        f"good: {{provider: here, {fields}}}",
    )


def test_cost_is_that_of_the_prompts_and_of_replies_as_long_as_they_may_be() -> None:
    found = estimate(model(price={"input": 1, "output": 10}), 1000, [BODY])
    assert (found.calls, found.output) == (1000, 100_000)
    assert 100_000 <= found.input <= 130_000
    assert found.cost == pytest.approx((found.input + 10 * 100_000) / 1_000_000)


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [
        ({"rpm": 10}, 540.0),
        ({"rpm": 1}, 5940.0),
        ({"rpd": 50}, 86400.0),
        ({"rpm": 1000}, 0.0),
        ({"concurrency": 4}, 0.0),
        ({}, 0.0),
    ],
)
def test_time_is_what_the_limits_need(limits: dict[str, float], seconds: float) -> None:
    assert estimate(model(limits=limits), 100, [BODY]).seconds == seconds
    assert estimate(model(provider_limits=limits), 100, [BODY]).seconds == seconds


def test_a_short_run_without_a_price_is_not_worth_a_word() -> None:
    assert sentences(model(), estimate(model(), 500, [BODY])) == []
    assert len(sentences(model(), estimate(model(), 501, [BODY]))) == 1
    assert sentences(model(price={"input": 1}), estimate(model(price={"input": 1}), 0, [])) == []


def test_without_a_limit_on_replies_no_cost_is_promised() -> None:
    body = {"model": "m", "messages": []}
    found = estimate(model(price={"input": 1}), 1000, [body])
    assert (found.output, found.cost) == (None, None)


def test_a_paid_run_names_host_calls_and_cost_before_it_asks(
    project: Afere,
    server: ChatServer,
) -> None:
    project.write("models.yaml", declared(server, "price: {input: 1, output: 2}"))
    ended = project(*ONE)
    assert ended.code == 0
    assert f"up to 20 calls to {server.base_url}" in ended.err
    assert "USD" in ended.err
    assert project(*ONE, "--rounds", "2", "--quiet").err == ""
    assert "calls to" not in project(*ONE).err


def test_limits_that_make_a_run_long_are_said_in_every_language(
    project: Afere,
    server: ChatServer,
) -> None:
    project.write("models.yaml", declared(server, "limits: {rpm: 2}"))
    asked = ("--max-calls", "1", "--lang")
    assert "its limits make this last" in project(*ONE, *asked, "en").err
    assert "os limites" in project(*ONE, *asked, "pt-BR").err
    assert "限额" in project(*ONE, *asked, "zh-CN").err


def test_a_run_without_price_and_limits_says_nothing_of_it(project: Afere) -> None:
    assert "calls to" not in project(*ONE).err
