"""Models of other protocols, asked by LiteLLM: one request a call, failures told as ever."""

import asyncio
import json
import socket
from importlib.util import find_spec
from typing import Any

import pytest
from servers import ChatServer, faults

from afere.domain import Failure, FailureKind, Request, Response, Scope, Secrets, Tokens
from afere.endpoints import LiteLLMClient, LiteLLMSettings, Timeouts

pytestmark = [
    pytest.mark.skipif(not find_spec("litellm"), reason="the extra `litellm` is not installed"),
    pytest.mark.filterwarnings("ignore"),  # the library's own, and those of what it brings along
]

KEY = "sk-canary-0123456789"
MESSAGES = [{"role": "user", "content": "What is 6 times 7?"}]


def request(model: str = "openai/some-model") -> Request:
    body = {"model": model, "messages": MESSAGES, "temperature": 0, "max_tokens": 16}
    return Request(item="a", round=1, endpoint="litellm:", model=model, body=body)


def asked(url: str, model: str = "openai/some-model", total: float = 30.0) -> Response | Failure:
    settings = LiteLLMSettings(
        place="litellm:openai",
        key=KEY,
        key_name="OPENAI_API_KEY",
        base_url=url,
        timeouts=Timeouts(total=total),
    )

    async def story() -> Response | Failure:
        async with LiteLLMClient(settings, Secrets([KEY]), clock=lambda: 10.0) as client:
            return await client.ask(request(model))

    return asyncio.run(story())


def failed(url: str, model: str = "openai/some-model", total: float = 30.0) -> Failure:
    result = asked(url, model, total)
    assert isinstance(result, Failure)
    return result


def test_a_reply_is_read_as_any_other() -> None:
    with ChatServer(lambda _body: "42") as server:
        reply = asked(server.base_url)
        assert isinstance(reply, Response)
        assert (reply.content, reply.finish_reason) == ("42", "stop")
        assert reply.tokens.output is not None
        assert server.count == 1


def test_the_messages_form_of_another_provider_is_spoken() -> None:
    told = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "some-claude",
        "content": [{"type": "text", "text": "42"}],
        "stop_reason": "max_tokens",
        "usage": {"input_tokens": 12, "output_tokens": 3},
    }
    with ChatServer(lambda _body: "") as server:
        server.plan = lambda _call: faults.ok(told)
        reply = asked(server.base_url.removesuffix("/v1"), "anthropic/some-claude")
        (call,) = server.calls
    assert call.path.endswith("/v1/messages")
    assert isinstance(reply, Response)
    assert (reply.content, reply.finish_reason) == ("42", "length")
    assert reply.tokens == Tokens(input=12, output=3, reasoning=reply.tokens.reasoning)


@pytest.mark.parametrize(
    ("status", "kind", "scope", "transient"),
    [
        (400, FailureKind.BAD_REQUEST, Scope.CALL, False),
        (401, FailureKind.KEY, Scope.PROVIDER, False),
        (403, FailureKind.FORBIDDEN, Scope.MODEL, False),
        (404, FailureKind.NOT_FOUND, Scope.MODEL, False),
        (429, FailureKind.RATE_LIMIT, Scope.CALL, True),
        (500, FailureKind.SERVER, Scope.CALL, True),
        (503, FailureKind.SERVER, Scope.CALL, True),
    ],
)
def test_each_refusal_is_one_request_and_one_failure_without_the_key(
    status: int,
    kind: FailureKind,
    scope: Scope,
    transient: bool,  # noqa: FBT001 - a column of the table
) -> None:
    with ChatServer(lambda _body: "") as server:
        server.plan = lambda _call: faults.error(status, f"no, {KEY}")
        failure = failed(server.base_url)
        assert server.count == 1
    assert (failure.kind, failure.scope, failure.transient) == (kind, scope, transient)
    assert KEY not in failure.message + failure.body


def test_a_hint_how_long_to_wait_is_heard() -> None:
    with ChatServer(lambda _body: "") as server:
        server.plan = lambda _call: faults.error(429, "slow down", headers=[("Retry-After", "7")])
        assert failed(server.base_url).wait == 7.0


def test_a_used_up_credit_is_permanent() -> None:
    with ChatServer(lambda _body: "") as server:
        server.plan = lambda _call: faults.error(
            429,
            "You exceeded your current quota",
            type="insufficient_quota",
            code="insufficient_quota",
        )
        failure = failed(server.base_url)
    assert (failure.kind, failure.scope) == (FailureKind.QUOTA, Scope.PROVIDER)


def test_a_content_filter_is_a_reply() -> None:
    with ChatServer(lambda _body: "") as server:
        server.plan = lambda _call: faults.error(
            400, "content_policy_violation", code="content_policy_violation"
        )
        reply = asked(server.base_url)
    assert isinstance(reply, Response)
    assert reply.finish_reason == "content_filter"


def test_nobody_there_is_a_broken_connection() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        failure = failed(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
    assert (failure.kind, failure.transient) == (FailureKind.CONNECTION, True)


def test_a_reply_that_never_ends_runs_out_of_time() -> None:
    with ChatServer(lambda _body: "") as server:
        asked(server.base_url)  # the library is imported here
        server.delay = 30
        assert failed(server.base_url, total=0.5).kind is FailureKind.TIMEOUT


def test_a_model_without_a_known_provider_stops_that_model() -> None:
    with ChatServer(lambda _body: "") as server:
        failure = failed(server.base_url, "nonsense")
        assert server.count == 0
    assert (failure.kind, failure.scope) == (FailureKind.NOT_FOUND, Scope.MODEL)


def test_parameters_travel_as_they_were_planned() -> None:
    sent: list[dict[str, Any]] = []
    with ChatServer(lambda body: sent.append(dict(body)) or "42") as server:  # type: ignore[func-returns-value]
        asked(server.base_url)
    (body,) = sent
    assert json.loads(json.dumps(body["messages"])) == MESSAGES
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("some-model", 0, 16)
