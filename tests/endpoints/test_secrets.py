"""The key as a canary: it leaves in the request's header and nowhere else."""

import json

import pytest
from asking import ask, request, settings, with_stack
from servers import ChatServer, Reply, always, faults

from afere.domain import Failure, Response, Secrets, encode
from afere.endpoints import ChatClient

CANARY = "sk-canary-123456"


def seen(result: Response | Failure) -> str:
    return repr(result) + encode(result)


@pytest.mark.parametrize("code", [200, 400, 401, 403, 404, 429, 500])
def test_an_echoed_key_is_redacted_in_body_and_message(code: int) -> None:
    with ChatServer(plan=always(faults.echo_headers(code))) as server:
        got = ask(
            server.base_url + "?key=hidden-in-the-url", headers={"X-Api-Key": "other-secret-9"}
        )
    text = seen(got)
    assert "[redacted]" in text
    for secret in (CANARY, "hidden-in-the-url", "other-secret-9"):
        assert secret not in text


def test_a_key_in_the_reply_of_the_model_is_redacted_even_where_json_hides_it() -> None:
    hidden = "".join(f"\\u{ord(sign):04x}" for sign in CANARY)
    body = (
        '{"choices": [{"message": {"content": "k KEY k", "reasoning": "KEY", "refusal": "KEY"}}]}'
    )
    for form in (CANARY, hidden, CANARY.replace("-", "\\u002d")):
        with ChatServer(plan=always(faults.ok(body.replace("KEY", form)))) as server:
            got = ask(server.base_url)
        assert got.content == "k [redacted] k"
        assert CANARY not in seen(got)
        assert CANARY not in json.dumps(json.loads(got.body))


def test_a_key_over_the_edge_of_the_cut_body_is_redacted_first() -> None:
    with ChatServer(plan=always(faults.status(500, "x" * 392 + CANARY))) as server:
        got = ask(server.base_url)
    assert got.body.endswith("[redacte")
    assert len(got.body) == 400


def test_a_key_in_a_redirect_a_broken_stream_and_a_bad_body_is_redacted() -> None:
    for fault in (
        faults.redirect(f"https://evil.example/?k={CANARY}"),
        faults.event_stream([f"no json {CANARY}"]),
        faults.ok(f"<html><title>{CANARY}</title>", "text/html"),
        faults.ok(CANARY.encode() + b"\xff"),
        faults.error(400, f"max_completion_tokens {CANARY}"),
        faults.reply(Reply(content="x", extra={"model": CANARY, "system_fingerprint": CANARY})),
        faults.reply(Reply(content="x", finish_reason=CANARY)),
    ):
        with ChatServer(plan=always(fault)) as server:
            assert CANARY not in seen(ask(server.base_url))


def test_known_secrets_of_others_are_redacted_too() -> None:
    with ChatServer(lambda _body: "the-other-key is it") as server:
        got = ask(server.base_url, secrets=Secrets(["the-other-key"]))
    assert got.content == "[redacted] is it"


def test_no_repr_shows_a_key_a_header_or_the_query() -> None:
    own = settings(
        "https://user:pass-word@host/v1?key=hidden-in-the-url", headers={"X": "header-value"}
    )
    client = ChatClient(own, Secrets(), clock=lambda: 0.0)
    for secret in (CANARY, "hidden", "pass-word", "header-value"):
        assert secret not in repr(own) + repr(client) + own.shown


def test_a_long_header_value_is_a_secret_whatever_its_name_and_a_word_is_none() -> None:
    headers = {"X-Team": "research", "X-Odd": "0123456789abcdef"}
    with ChatServer(lambda _body: "research 0123456789abcdef") as server:
        assert ask(server.base_url, headers=headers).content == "research [redacted]"


@pytest.mark.parametrize("url", ["http://Host/v1/", "http://host/v1/chat/completions?key=x"])
def test_one_place_is_shown_in_one_way(url: str) -> None:
    assert settings(url).shown == "http://host/v1"


def test_a_placeholder_is_no_secret() -> None:
    with ChatServer(lambda _body: "ollama is a program") as server:
        assert ask(server.base_url, key="ollama").content == "ollama is a program"


def test_kept_attempts_hold_no_key() -> None:
    with ChatServer(plan=always(faults.echo_headers(500))) as server:
        _, _, kept, _ = with_stack(server.base_url, [request()])
    assert len(kept.attempts) == 4
    assert CANARY not in "".join(encode(each) for each in kept.attempts)


def test_a_dead_address_with_a_key_in_it_tells_no_key() -> None:
    got = ask("http://no-such-host.invalid/v1?key=hidden-in-the-url")
    assert "hidden" not in seen(got)
