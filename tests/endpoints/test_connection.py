"""What the network and a hostile server do: a failure each time, never an error."""

import asyncio
import json
import shutil
import socket
import ssl
import subprocess
from decimal import Decimal
from pathlib import Path

import pytest
from asking import NOW, ask, request, settings
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from servers import ChatServer, Fault, always, faults, in_turn

from afere.domain import Failure, FailureKind, Response, Scope, Secrets, UsageError
from afere.endpoints import ChatClient, ClientSettings, Timeouts

K = FailureKind


def answer(fault: Fault, **fields: object) -> Response | Failure:
    with ChatServer(plan=always(fault)) as server:
        return ask(server.base_url, **fields)


@pytest.mark.parametrize(
    "fault",
    [
        faults.reset(),
        faults.closed(),
        faults.reset_in_body(),
        faults.short_body(),
        faults.garbage(),
    ],
)
def test_a_connection_that_breaks_is_transient(fault: Fault) -> None:
    got = answer(fault)
    assert isinstance(got, Failure)
    assert got.kind in {K.CONNECTION, K.BAD_BODY}
    assert (got.transient, got.scope, got.status) == (True, Scope.CALL, None)


@pytest.mark.parametrize(
    "fault", [faults.stall(9), faults.stall_in_body(9), faults.trickle(99, 0.1)]
)
def test_a_reply_that_takes_too_long_is_a_time_out(fault: Fault) -> None:
    got = answer(fault, timeouts=Timeouts(total=0.3))
    assert isinstance(got, Failure)
    assert (got.kind, got.transient) == (K.TIMEOUT, True)
    assert "within 0.3 s (timeouts: total)" in got.message


def test_the_first_byte_has_a_limit_only_where_it_is_declared() -> None:
    limited = Timeouts(first_byte=0.3)
    got = answer(faults.stall(9), timeouts=limited)
    assert isinstance(got, Failure)
    assert "within 0.3 s (timeouts: first_byte)" in got.message
    assert isinstance(answer(faults.stall_in_body(0.6), timeouts=limited), Response)
    assert isinstance(answer(faults.stall(0.6)), Response)


def test_a_slow_trickle_is_a_good_reply() -> None:
    got = answer(faults.trickle())
    assert isinstance(got, Response)
    assert got.content == "42"


def test_no_server_and_no_host_are_connection_failures() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        got = ask(f"http://127.0.0.1:{held.getsockname()[1]}/v1")
    assert (got.kind, got.transient) == (K.CONNECTION, True)
    assert "is the server running?" in got.message
    got = ask("http://no-such-host.invalid/v1")
    assert (got.kind, got.transient) == (K.CONNECTION, True)
    assert "is not found" in got.message


def test_a_server_that_speaks_no_tls_is_a_failure() -> None:
    with ChatServer() as server:
        secure = server.base_url.replace("http:", "https:")
        got = ask(secure, timeouts=Timeouts(connect=0.5))
    assert isinstance(got, Failure)
    assert (got.kind, got.transient) == (K.TIMEOUT, True)
    assert "no connection" in got.message


def test_a_certificate_that_nobody_vouches_for_stops_the_provider(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not there to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    told = ["-subj", "/CN=127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*made, *told], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with ChatServer(tls=context) as server:
        got = ask(server.base_url)
    assert isinstance(got, Failure)
    assert (got.kind, got.transient, got.scope) == (K.CONNECTION, False, Scope.PROVIDER)
    assert "certificate" in got.message
    assert "SSL_CERT_FILE" in got.message


def test_a_proxy_of_the_environment_is_used_but_not_for_loopback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer() as proxy, ChatServer() as server:
        address = f"http://user:pass-word@127.0.0.1:{proxy.port}"
        monkeypatch.setenv("http_proxy", address)
        assert ask("http://model.example/v1").content == "42"
        assert proxy.calls[0].path == "http://model.example/v1/chat/completions"
        assert (proxy.calls[0].header("Proxy-Authorization") or "").startswith("Basic ")
        assert ask(server.base_url).content == "42"
        assert (proxy.count, server.count) == (1, 1)
        assert isinstance(ask("http://model.example/v1", proxies=False), Failure)
        proxy.plan = always(faults.echo_headers(407))
        got = ask("http://model.example/v1")
        assert (got.kind, got.scope) == (K.FORBIDDEN, Scope.PROVIDER)
        assert "proxy" in got.message
        assert "pass-word" not in repr(got)
        assert "dXNlcjpwYXNzLXdvcmQ=" not in repr(got)
    got = ask("http://model.example/v1")
    assert (got.kind, got.transient) == (K.CONNECTION, True)
    assert "HTTP_PROXY" in got.message
    assert "pass-word" not in repr(got)


def test_latency_holds_the_time_of_the_server() -> None:
    with ChatServer(delay=0.2) as server:
        got = ask(server.base_url)
    assert got.latency >= 0.2


def test_a_request_with_pictures_is_sent_whole() -> None:
    picture = "data:image/png;base64," + "A" * 3_000_000
    with ChatServer() as server:
        assert ask(server.base_url, request(image=picture)).content == "42"
    assert server.calls[0].body["image"] == picture


def test_decimals_and_surrogates_of_a_request_are_sent_as_json() -> None:
    with ChatServer() as server:
        ask(server.base_url, request("a\ud800", temperature=Decimal("0.70"), n=Decimal(2)))
    body = server.calls[0].body
    assert (body["temperature"], body["n"], server.calls[0].prompt) == (0.7, 2, "a\ud800")
    assert isinstance(body["n"], int)


def models(base_url: str, **fields: object) -> tuple[str, ...] | Failure:
    async def run() -> tuple[str, ...] | Failure:
        async with ChatClient(settings(base_url, **fields), Secrets(), clock=lambda: NOW) as client:
            return await client.models()

    return asyncio.run(run())


def test_the_names_of_a_providers_models_can_be_asked_for() -> None:
    with ChatServer(models=["a", "b"]) as server:
        assert models(server.base_url) == ("a", "b")
    got = models(server.base_url)
    assert isinstance(got, Failure)
    assert got.kind is K.CONNECTION


def test_compressed_replies_are_read() -> None:
    got = answer(faults.gzip())
    assert isinstance(got, Response)
    assert got.content == "42"


@pytest.mark.parametrize(
    "fault", [faults.huge(3_000_000), faults.gzip(3_000_000), faults.endless()]
)
def test_a_body_over_the_limit_is_not_read_on(fault: Fault) -> None:
    got = answer(fault, largest_body=1_000_000)
    assert isinstance(got, Failure)
    assert (got.kind, got.transient) == (K.BAD_BODY, True)
    assert "larger than 1 MB" in got.message


def test_a_body_under_the_limit_is_read_whole() -> None:
    got = answer(faults.huge(3_000_000))
    assert isinstance(got, Response)
    assert len(got.body) == 3_000_000


def test_headers_may_come_twice() -> None:
    got = answer(faults.duplicate_headers())
    assert isinstance(got, Response)


def test_a_redirect_to_another_host_port_or_scheme_is_not_followed() -> None:
    with ChatServer() as other:
        targets = [
            other.base_url + "/chat/completions",
            "https://evil.example/v1/chat/completions",
            "//evil.example/x",
            "http://[bad",
        ]
        for target in targets:
            with ChatServer(plan=always(faults.redirect(target))) as server:
                got = ask(server.base_url)
                assert (got.kind, got.transient, got.scope) == (K.REDIRECT, False, Scope.CALL)
                assert server.count == 1
        assert other.count == 0


def test_the_next_call_goes_where_the_same_host_redirects() -> None:
    plan = in_turn(faults.redirect("/v2/chat/completions"))
    with ChatServer(plan=plan) as server:
        first, second, third = ask(server.base_url, request(), request(), request("q2"))
    assert (first.kind, first.transient, first.wait) == (K.REDIRECT, True, 0.0)
    assert (second.content, third.content) == ("42", "42")
    paths = [call.path for call in server.calls]
    assert paths == ["/v1/chat/completions", "/v2/chat/completions", "/v1/chat/completions"]
    assert server.calls[1].body == server.calls[0].body


def test_a_redirect_for_good_holds_for_all_calls() -> None:
    plan = in_turn(faults.redirect("/v2/chat/completions", 308))
    with ChatServer(plan=plan) as server:
        ask(server.base_url, request(), request("q2"), request("q3"))
    assert [call.path for call in server.calls[1:]] == ["/v2/chat/completions"] * 2


def test_redirects_in_a_circle_end() -> None:
    def plan(call: object) -> Fault:
        there = "/a" if call.path == "/b" else "/b"
        return faults.redirect(there)

    with ChatServer(plan=plan) as server:
        results = ask(server.base_url, *[request()] * 6)
    assert [each.transient for each in results] == [True] * 5 + [False]


def test_max_tokens_is_renamed_where_the_server_wants_it_and_told_with_the_answer() -> None:
    def plan(call: object) -> Fault | None:
        text = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
        return (
            faults.error(400, text, code="unsupported_parameter")
            if "max_tokens" in call.body
            else None
        )

    with ChatServer(plan=plan) as server:
        first, second, other = ask(server.base_url, request(), request(), request(model="large"))
    assert (first.kind, first.transient, first.wait) == (K.BAD_REQUEST, True, 0.0)
    assert (second.content, second.adapted) == ("42", ("max_completion_tokens",))
    assert server.calls[1].body["max_completion_tokens"] == 100
    assert "max_tokens" not in server.calls[1].body
    assert other.wait == 0.0


def test_connections_are_kept_and_used_again() -> None:
    with ChatServer() as server:
        ask(server.base_url, *[request(f"q{n}") for n in range(20)])
        assert (server.count, server.connections) == (20, 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"base_url": "host/v1"},
        {"base_url": "ftp://host/v1"},
        {"base_url": "http://host:port/v1"},
        {"base_url": "http:///v1"},
        {"base_url": "http://host/v1\nX: y"},
        {"base_url": "http://host/v1", "key": "sk-1\nX-Evil: y"},
        {"base_url": "http://host/v1", "headers": {"X": "a\r\nY: b"}},
        {"base_url": "http://host/v1", "headers": {"X Y": "a"}},
    ],
)
def test_what_cannot_be_sent_is_refused_at_the_door(fields: dict[str, object]) -> None:
    with pytest.raises(UsageError) as raised:
        ClientSettings(**fields)  # type: ignore[arg-type]
    assert "sk-1" not in str(raised.value)


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "error",
                    "choices",
                    "message",
                    "content",
                    "usage",
                    "code",
                    "details",
                    "delta",
                    "index",
                ],
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    st.lists(
        st.tuples(st.sampled_from([200, 400, 403, 429, 500]), json_like), min_size=30, max_size=30
    )
)
@hypothesis_settings(max_examples=15, deadline=None)
def test_no_json_of_whatever_shape_is_raised(shapes: list[tuple[int, object]]) -> None:
    planned = [faults.status(code, json.dumps(body)) for code, body in shapes]
    with ChatServer(plan=in_turn(*planned)) as server:
        results = ask(server.base_url, *[request()] * 30)
    assert all(isinstance(each, Response | Failure) for each in results)


@given(st.lists(st.binary(max_size=60), min_size=20, max_size=20))
@hypothesis_settings(max_examples=15, deadline=None)
def test_no_bytes_whatever_are_raised(pieces: list[bytes]) -> None:
    heads = [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n"]
    planned = [faults.garbage(heads[n % 3] + piece) for n, piece in enumerate(pieces)]
    with ChatServer(plan=in_turn(*planned)) as server:
        results = ask(server.base_url, *[request()] * 20, timeouts=Timeouts(total=2))
    assert all(isinstance(each, Failure) for each in results)
