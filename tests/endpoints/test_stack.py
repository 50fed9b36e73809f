"""Retry, record and cache round a real client."""

import asyncio
import random

import pytest
from asking import Kept, request, with_stack
from servers import ChatServer, Fault, always, by_prompt, faults

from afere.domain import Failure, FailureKind, Request, Response, Scope
from afere.endpoints import Cached, Counter, Recorded, Retrying, ScriptedEndpoint, Waiting

K = FailureKind
GOOD = Response(content="42")


def transient(**fields: object) -> Failure:
    return Failure(**{"kind": K.SERVER, "message": "busy", "transient": True} | fields)  # type: ignore[arg-type]


def retried(
    results: list[Response | Failure], **fields: object
) -> tuple[Response | Failure, list[Waiting], int]:
    inner, waits = ScriptedEndpoint({"q1": results}), []

    async def sleep(_seconds: float) -> None:
        await asyncio.sleep(0)

    jitter = random.Random(1)  # noqa: S311 - spreads waits, no secret
    outer = Retrying(inner, jitter=jitter, sleep=sleep, on_wait=waits.append, **fields)  # type: ignore[arg-type]
    return asyncio.run(outer.ask(request())), waits, len(inner.asked)


def test_a_transient_failure_is_asked_again_until_it_heals() -> None:
    result, waits, calls = retried([transient(), transient(), GOOD])
    assert (result, calls, len(waits)) == (GOOD, 3, 2)


def test_three_retries_and_no_more() -> None:
    result, waits, calls = retried([transient()])
    assert isinstance(result, Failure)
    assert (calls, len(waits)) == (4, 3)
    assert retried([transient()], retries=0)[2] == 1


def test_waits_double_from_two_seconds_with_jitter_up_to_the_cap() -> None:
    _, waits, _ = retried([transient()], retries=7)
    for wait, planned in zip(waits, [2, 4, 8, 16, 32, 60, 60], strict=True):
        assert 0.75 * planned <= wait.seconds <= min(1.25 * planned, 60)
    assert len({round(wait.seconds / 2**n, 6) for n, wait in enumerate(waits[:4])}) == 4


def test_the_servers_hint_goes_before_our_own_and_is_capped_in_sight() -> None:
    _, (first, second, third), _ = retried([transient(wait=w) for w in (7.0, 0.0, 9000.0)])
    assert [first.seconds, second.seconds, third.seconds] == [7.0, 0.0, 60.0]
    assert [first.capped, second.capped, third.capped] == [False, False, True]
    assert third.asked == 9000.0
    _, (long, *_), _ = retried([transient(wait=90.0)], cap=300.0)
    assert long.seconds == 90.0


def test_a_permanent_failure_is_asked_once() -> None:
    fatal = Failure(kind=K.KEY, message="no", scope=Scope.PROVIDER)
    result, waits, calls = retried([fatal, GOOD])
    assert (result, waits, calls) == (fatal, [], 1)


def test_an_adaptation_costs_no_retry_and_no_wait_but_has_an_end() -> None:
    adapted = transient(kind=K.BAD_REQUEST, wait=0.0)
    assert retried([adapted, GOOD], retries=0) == (GOOD, [], 2)
    _, waits, calls = retried([adapted], retries=2)
    assert (calls, len(waits)) == (11, 2)


def test_a_limit_that_outlasts_the_cap_stops_the_provider_and_says_until_when() -> None:
    limited = transient(kind=K.RATE_LIMIT, wait=3600.0, failed_at=1_764_489_600.0)
    result, _, _ = retried([limited])
    assert isinstance(result, Failure)
    assert (result.scope, result.resume_after) == (Scope.PROVIDER, 1_764_493_200.0)
    assert "2025-11-30T09:00:00Z" in result.message
    absurd, _, _ = retried([transient(kind=K.RATE_LIMIT, wait=2.3e9)])
    assert isinstance(absurd, Failure)
    assert absurd.scope is Scope.CALL


def test_every_attempt_is_kept_and_counted() -> None:
    plan = by_prompt({"q2": [faults.status(503), faults.reset()], "q4": faults.error(400, "no")})
    with ChatServer(plan=plan) as server:
        results, counter, kept, slept = with_stack(
            server.base_url, [request(f"q{n}") for n in range(6)]
        )
        assert server.count == 8
    assert [isinstance(each, Response) for each in results] == [True, True, True, True, False, True]
    calls = counter.calls
    assert (calls.made, calls.failed, calls.retried, calls.cached) == (8, 3, 2, 0)
    assert len(kept.attempts) == 8
    kinds = [a.result.kind for a in kept.attempts if isinstance(a.result, Failure)]
    assert sorted(kinds) == [K.BAD_REQUEST, K.CONNECTION, K.SERVER]
    assert len(slept.seconds) == 2


def test_a_429_for_ever_on_one_item_loses_that_item_alone() -> None:
    plan = by_prompt({"q7": faults.error(429, "busy", headers=[("Retry-After", "1")])})
    with ChatServer(plan=plan) as server:
        results, counter, _, slept = with_stack(
            server.base_url, [request(f"q{n}") for n in range(20)]
        )
        assert server.count == 23
    assert [n for n, each in enumerate(results) if isinstance(each, Failure)] == [7]
    assert (counter.calls.made, counter.calls.failed, counter.calls.retried) == (23, 4, 3)
    assert slept.seconds == [1.0, 1.0, 1.0]


def test_renamed_parameters_and_redirects_heal_within_the_stack() -> None:
    def plan(call: object) -> Fault | None:
        if call.path == "/v1/chat/completions":
            return faults.redirect("/v2/chat/completions")
        return faults.error(400, "use max_completion_tokens") if "max_tokens" in call.body else None

    with ChatServer(plan=plan) as server:
        (result,), counter, _, slept = with_stack(server.base_url, [request()], retries=0)
        assert server.count == counter.calls.made
    assert isinstance(result, Response)
    assert slept.seconds == []


def test_a_401_in_the_middle_is_not_asked_again() -> None:
    with ChatServer(plan=always(faults.error(401, "no"))) as server:
        with_stack(server.base_url, [request()])
        assert server.count == 1


def test_what_cannot_be_kept_is_not_answered() -> None:
    async def full(_attempt: object) -> None:
        raise OSError("disk full")

    endpoint = Recorded(ScriptedEndpoint({"q1": GOOD}), full, Counter())
    with pytest.raises(OSError, match="disk full"):
        asyncio.run(endpoint.ask(request()))


def test_a_kept_reply_is_given_without_a_call() -> None:
    store: dict[str, Response] = {}
    counter, kept, hits = Counter(), Kept(), []
    inner = ScriptedEndpoint({"q1": [Response(content="a"), Response(content="b")]})

    async def keep(attempt: object) -> None:
        await kept(attempt)
        store[attempt.request.key] = attempt.result

    async def lookup(key: str) -> Response | None:
        return store.get(key)

    endpoint = Cached(Recorded(inner, keep, counter), lookup, counter, on_hit=hits.append)

    def ask(number: int) -> Response | Failure:
        return asyncio.run(endpoint.ask(request(number=number)))

    assert [ask(n).content for n in (1, 2, 1, 2)] == ["a", "b", "a", "b"]
    assert (counter.calls.made, counter.calls.cached) == (2, 2)
    assert [hit.round for hit in hits] == [1, 2]


def test_a_function_or_results_by_item_make_a_scripted_endpoint() -> None:
    def script(asked: Request) -> Response:
        return Response(content=asked.item)

    endpoint = ScriptedEndpoint(script)
    assert asyncio.run(endpoint.ask(request("q9"))) == Response(content="q9")
    assert [each.item for each in endpoint.asked] == ["q9"]
