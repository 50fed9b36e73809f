"""What a reply means: every row of the table, over a real connection."""

import pytest
from asking import NOW, ask, request
from servers import ChatServer, Fault, Reply, always, faults

from afere.domain import Failure, FailureKind, Response, Scope

K, S = FailureKind, Scope


def answer(fault: Fault, **fields: object) -> Response | Failure:
    with ChatServer(plan=always(fault)) as server:
        result = ask(server.base_url, **fields)
        assert server.count == 1
        return result


def response(fault: Fault, **fields: object) -> Response:
    result = answer(fault, **fields)
    assert isinstance(result, Response), result
    return result


def failure(fault: Fault, **fields: object) -> Failure:
    result = answer(fault, **fields)
    assert isinstance(result, Failure), result
    return result


def replied(content: object = "", **fields: object) -> Response:
    return response(faults.reply(Reply(content=content, **fields)))  # type: ignore[arg-type]


def test_a_good_reply_gives_text_tokens_model_and_times() -> None:
    with ChatServer(lambda _body: "maçã ✓ 世") as server:
        got = ask(server.base_url)
    assert (got.content, got.finish_reason) == ("maçã ✓ 世", "stop")
    assert (got.tokens.input, got.tokens.output, got.tokens.reasoning) == (11, 7, None)
    assert (got.served_model, got.fingerprint, got.answered_at) == ("small", "fp_1", NOW)
    assert got.latency > 0
    assert got.body.startswith('{"id": "chatcmpl-1"')


def test_one_call_is_one_post_with_key_and_body() -> None:
    with ChatServer() as server:
        ask(server.base_url, request(temperature=0.7), headers={"X-Team": "eval"})
    (call,) = server.calls
    assert call.path == "/v1/chat/completions"
    assert call.header("Authorization") == "Bearer sk-canary-123456"
    assert call.header("X-Team") == "eval"
    assert call.body == {
        "model": "small",
        "messages": [{"role": "user", "content": "q1"}],
        "max_tokens": 100,
        "temperature": 0.7,
    }


@pytest.mark.parametrize("ending", ["/", "/chat/completions", "?version=2"])
def test_a_base_url_may_end_in_many_ways(ending: str) -> None:
    with ChatServer() as server:
        assert ask(server.base_url + ending).content == "42"
    assert server.calls[0].path.startswith("/v1/chat/completions")
    assert server.calls[0].path.endswith("?version=2") == ("?" in ending)


def test_content_may_be_null_or_parts_and_reasoning_has_two_names() -> None:
    assert replied(None).content == ""
    parts = [{"type": "text", "text": "4"}, {"type": "text", "text": "2"}]
    assert replied(parts).content == "42"
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    mixed = replied([thinking, {"type": "text", "text": "7"}])
    assert (mixed.content, mixed.reasoning) == ("7", "hm")
    for name in ("reasoning_content", "reasoning"):
        got = replied(None, finish_reason="length", message={name: "so 4"})
        assert (got.content, got.reasoning, got.finish_reason) == ("", "so 4", "length")


def test_refusal_and_filter_are_replies() -> None:
    assert replied(None, message={"refusal": "I cannot"}).refusal == "I cannot"
    assert replied("", finish_reason="content_filter").finish_reason == "content_filter"


@pytest.mark.parametrize("code", ["content_filter", "content_policy_violation"])
def test_a_400_of_the_content_filter_is_a_blocked_reply(code: str) -> None:
    got = response(faults.error(400, "filtered", code=code))
    assert (got.content, got.finish_reason) == ("", "content_filter")
    assert code in got.body
    inner = {"code": "ResponsibleAIPolicyViolation"}
    assert response(faults.error(400, "x", innererror=inner)).finish_reason == "content_filter"
    flagged = {"reasons": ["x"], "flagged_input": "y"}
    assert response(faults.error(403, "x", code=403, metadata=flagged)).content == ""


@pytest.mark.parametrize(
    ("came", "kept"),
    [("MAX_TOKENS", "length"), ("eos", "stop"), ("tool_calls", "tool_calls"), ("odd", "odd")],
)
def test_finish_reasons_are_known_by_their_other_names_or_kept(came: str, kept: str) -> None:
    assert replied("x", finish_reason=came).finish_reason == kept
    assert replied("x", finish_reason=None).finish_reason is None


def test_usage_may_be_missing_or_nonsense() -> None:
    usage = {"prompt_tokens": -3, "completion_tokens": "7", "completion_tokens_details": []}
    for extra in ({"usage": None}, {"usage": usage}, {"usage": "many"}):
        got = replied("x", extra=extra)
        assert (got.tokens.input, got.tokens.output, got.tokens.reasoning) == (None, None, None)
    full = {
        "prompt_tokens": 3.0,
        "completion_tokens": 7,
        "completion_tokens_details": {"reasoning_tokens": 5},
    }
    got = replied("x", extra={"usage": full})
    assert (got.tokens.input, got.tokens.output, got.tokens.reasoning) == (3, 7, 5)


def test_of_two_choices_the_first_counts() -> None:
    two = [{"index": 1, "message": {"content": "b"}}, {"index": 0, "message": {"content": "a"}}]
    assert replied(extra={"choices": two}).content == "a"


def test_lone_surrogates_and_control_characters_are_kept() -> None:
    assert replied("a\ud800b\x00c").content == "a\ud800b\x00c"


def test_events_that_nobody_asked_for_are_put_together() -> None:
    d = faults.delta
    usage = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}
    events = [
        d("", role="assistant"),
        d("4", reasoning_content="so"),
        d("2"),
        d(None, "stop"),
        usage,
    ]
    got = response(faults.event_stream(events))
    assert (got.content, got.reasoning, got.finish_reason) == ("42", "so", "stop")
    assert (got.tokens.input, got.tokens.output, got.served_model) == (3, 2, "streamed")
    assert response(faults.event_stream([d("4", "stop")], done=False)).content == "4"


def test_a_stream_of_very_many_pieces_is_put_together_at_once() -> None:
    events = [*[faults.delta("a" * 40)] * 60_000, faults.delta(None, "stop")]
    assert len(response(faults.event_stream(events)).content) == 2_400_000


def test_a_stream_that_breaks_off_is_a_failure() -> None:
    for fault in (
        faults.event_stream([faults.delta("4")], done=False),
        faults.event_stream([faults.delta("4"), '{"choices": [{"del']),
        faults.event_stream([]),
        faults.event_stream([{"usage": {"prompt_tokens": 3}}]),
        faults.event_stream([{"choices": [{"delta": 5}]}]),
    ):
        got = failure(fault)
        assert (got.kind, got.transient) == (K.BAD_BODY, True)
    told = {"error": {"message": "overloaded", "code": 503}}
    got = failure(faults.event_stream([faults.delta("4"), told]))
    assert (got.kind, got.status, got.transient) == (K.SERVER, 200, True)


@pytest.mark.parametrize(
    ("code", "kind", "scope", "transient"),
    [
        ("rate_limit_exceeded", K.RATE_LIMIT, S.CALL, True),
        (429, K.RATE_LIMIT, S.CALL, True),
        ("insufficient_quota", K.QUOTA, S.PROVIDER, False),
        ("invalid_api_key", K.KEY, S.PROVIDER, False),
        ("model_not_found", K.NOT_FOUND, S.MODEL, False),
        ("server_error", K.SERVER, S.CALL, True),
        (503, K.SERVER, S.CALL, True),
        ("context_length_exceeded", K.BAD_REQUEST, S.CALL, False),
        ("never_seen", K.SERVER, S.CALL, True),
        (None, K.SERVER, S.CALL, True),
    ],
)
def test_an_error_under_status_200_is_classed_by_the_code_inside(
    code: object,
    kind: FailureKind,
    scope: Scope,
    transient: bool,  # noqa: FBT001 - a column of the table
) -> None:
    got = failure(faults.ok({"error": {"message": "it failed", "code": code}}))
    assert (got.kind, got.scope, got.transient, got.status) == (kind, scope, transient, 200)


def test_a_filter_code_under_status_200_is_a_blocked_reply() -> None:
    told = {"error": {"message": "x", "code": "content_filter"}}
    assert response(faults.ok(told)).finish_reason == "content_filter"


def test_an_error_of_whatever_form_beside_a_reply_is_one() -> None:
    for told in (["x"], True, 7):
        good = {"choices": [{"message": {"content": "4"}}], "error": told}
        assert failure(faults.ok(good)).kind is K.SERVER
    for nothing in (None, False, "", {}, []):
        good = {"choices": [{"message": {"content": "4"}}], "error": nothing}
        assert response(faults.ok(good)).content == "4"


def test_a_choice_that_failed_is_no_reply() -> None:
    failed = {"finish_reason": "error", "error": {"code": 502, "message": "gone"}}
    got = failure(faults.ok({"choices": [failed | {"message": {"content": "half"}}]}))
    assert (got.kind, got.transient) == (K.SERVER, True)
    aborted = {"finish_reason": "abort", "message": {"content": "half"}}
    assert failure(faults.ok({"choices": [aborted]})).kind is K.SERVER


@pytest.mark.parametrize(
    "fault",
    [
        faults.ok({"id": "1"}),
        faults.ok({"choices": []}),
        faults.ok({"choices": "x"}),
        faults.ok({"choices": [{"message": {"content": 5}}]}),
        faults.ok({"choices": [{"message": {"content": [5]}}]}),
        faults.ok({"choices": [{"message": {"content": [{"type": "text", "text": {}}]}}]}),
        faults.ok({"choices": [{"message": "text", "finish_reason": "stop"}]}),
        faults.ok({"choices": [{"message": None}]}),
        faults.ok({"choices": [{"index": 0}]}),
        faults.ok("[1, 2]"),
        faults.ok("null"),
        faults.ok(""),
        faults.ok("[" * 100_000),
        faults.ok('{"choices": ' + "9" * 5000),
        faults.ok("<html><title>Sign in</title></html>", "text/html"),
        faults.half_json(),
        faults.invalid_utf8(),
        faults.broken_gzip(),
    ],
)
def test_a_body_that_is_no_reply_is_a_transient_failure(fault: Fault) -> None:
    got = failure(fault)
    assert (got.kind, got.transient, got.scope) == (K.BAD_BODY, True, S.CALL)
    assert "\n" not in got.message


def test_what_counts_is_the_body_not_what_it_is_called() -> None:
    with ChatServer() as server:
        good = ask(server.base_url).body
    assert response(faults.ok(good, "text/plain")).content == "42"
    assert response(faults.ok(good, None)).content == "42"
    assert response(faults.ok("\ufeff" + good)).content == "42"
    latin = good.replace("42", "maçã").encode("latin-1")
    assert response(faults.ok(latin, "application/json; charset=latin-1")).content == "maçã"


@pytest.mark.parametrize("code", [408, 409, 425, 500, 502, 503, 504, 529])
def test_a_server_that_cannot_answer_now_is_asked_again(code: int) -> None:
    got = failure(faults.status_line(code, "<h1>later</h1>"))
    assert (got.kind, got.transient, got.scope, got.status) == (K.SERVER, True, S.CALL, code)


@pytest.mark.parametrize("code", [400, 413, 422])
def test_a_bad_request_concerns_its_item_alone(code: int) -> None:
    got = failure(faults.error(code, "max_tokens must be positive"))
    assert (got.kind, got.transient, got.scope) == (K.BAD_REQUEST, False, S.CALL)
    assert "max_tokens must be positive" in got.message


def test_401_stops_the_provider_and_names_the_key() -> None:
    got = failure(faults.error(401, "Incorrect API key"), key_name="GROQ_API_KEY")
    assert (got.kind, got.scope, got.transient) == (K.KEY, S.PROVIDER, False)
    assert "the key was refused" in got.message
    assert "GROQ_API_KEY" in got.message
    bare = failure(faults.error(401, "Incorrect API key"), key_name="GROQ_API_KEY", key=None)
    assert "none was sent; put it into GROQ_API_KEY" in bare.message
    invalid = {"error": {"message": "API key not valid", "status": "INVALID_ARGUMENT"}}
    assert failure(faults.status(400, invalid)).kind is K.KEY
    assert failure(faults.status(400, [invalid])).kind is K.KEY


def test_403_stops_the_model_and_a_gateway_is_told_apart() -> None:
    got = failure(faults.error(403, "no access"))
    assert (got.kind, got.scope, got.transient) == (K.FORBIDDEN, S.MODEL, False)
    assert "--header" not in got.message
    page = failure(faults.status(403, "<html><title>Blocked by proxy</title></html>"))
    assert (page.kind, page.scope) == (K.FORBIDDEN, S.MODEL)
    assert "--header 'Name: value'" in page.message
    assert "Blocked by proxy" in page.message
    assert "--header 'Name: value'" in failure(faults.status(400, "nope")).message


def test_404_stops_the_model_and_names_base_url_or_model() -> None:
    got = failure(faults.error(404, "The model `small` does not exist", code="model_not_found"))
    assert (got.kind, got.scope, got.transient) == (K.NOT_FOUND, S.MODEL, False)
    assert "'small'" in got.message
    assert "--model" in got.message
    page = failure(faults.status(404, "Not Found"))
    assert (page.kind, page.scope) == (K.NOT_FOUND, S.MODEL)
    assert "without /v1" in page.message
    assert failure(faults.status(404, {"detail": "Not Found"})).kind is K.NOT_FOUND


def test_two_models_refused_alike_stop_the_provider_unless_another_answers() -> None:
    def plan(call: object) -> Fault | None:
        return None if call.body["model"] == "good" else faults.error(404, "no such model")

    asked = [request(model="a"), request(model="a"), request(model="b")]
    with ChatServer(plan=plan) as server:
        results = ask(server.base_url, *asked)
        assert [each.scope for each in results] == [S.MODEL, S.MODEL, S.PROVIDER]
        good = ask(server.base_url, request(model="good"), *asked)
        assert [each.scope for each in good[1:]] == [S.MODEL, S.MODEL, S.MODEL]


def test_a_429_of_the_minute_is_transient_and_brings_its_wait() -> None:
    got = failure(faults.error(429, "slow down", headers=[("Retry-After", "7")]))
    assert (got.kind, got.transient, got.scope, got.wait) == (K.RATE_LIMIT, True, S.CALL, 7.0)


@pytest.mark.parametrize("code", [402, 403, 429])
def test_a_used_up_credit_is_permanent_and_named(code: int) -> None:
    got = failure(faults.error(code, "You exceeded your quota", code="insufficient_quota"))
    assert (got.kind, got.transient, got.scope, got.wait) == (K.QUOTA, False, S.PROVIDER, None)
    assert "billing" in got.message
    assert got.resume_after is None


MIDNIGHT = 1_764_547_200.0  # 2025-12-01 00:00 UTC


@pytest.mark.parametrize(
    ("message", "scope"),
    [
        ("Rate limit exceeded: free-models-per-day", S.PROVIDER),
        ("Quota exceeded for GenerateRequestsPerDayPerProject, retry in 34s", S.PROVIDER),
        ("GenerateRequestsPerDayPerProjectPerModel-FreeTier", S.MODEL),
        ("Rate limit reached for model `small` on requests per day (RPD): Limit 9", S.MODEL),
        ("Quota exceeded for metric: free_tier_requests, limit: 0", S.PROVIDER),
        ("Quota exceeded, limit: 0, model: small", S.MODEL),
        ("daily limit reached", S.PROVIDER),
    ],
)
def test_a_daily_quota_stops_what_it_belongs_to_until_midnight(message: str, scope: Scope) -> None:
    got = failure(faults.error(429, message, headers=[("Retry-After", "34")]))
    assert (got.kind, got.transient, got.scope, got.wait) == (K.QUOTA, False, scope, None)
    assert got.resume_after == MIDNIGHT
    assert "daily quota" in got.message


def test_a_daily_quota_knows_its_time_zone_a_long_hint_and_whose_it_is() -> None:
    daily = "requests per day"
    zone = failure(faults.error(429, daily), timezone="America/Sao_Paulo")
    assert zone.resume_after == MIDNIGHT + 3 * 3600
    told = failure(faults.error(429, daily, headers=[("Retry-After", "432")]))
    assert told.resume_after == NOW + 432
    own = failure(faults.error(429, daily), own_quota=frozenset({"small"}))
    assert own.scope is S.MODEL


def test_an_ordinary_limit_is_no_daily_one() -> None:
    for message in ("limit: 0.5", "Limit 1000, used 1000", "limit: 05", "try again in 3 days"):
        assert failure(faults.error(429, message)).kind is K.RATE_LIMIT
