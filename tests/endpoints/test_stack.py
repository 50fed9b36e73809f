"""Retry, record and cache round a real client."""

import asyncio
import random

import pytest
from asking import NOW, Kept, request, settings, with_stack
from servers import ChatServer, Fault, Reply, always, by_prompt, faults, in_turn

from afere.domain import (
    Attempt,
    Failure,
    FailureKind,
    Request,
    Response,
    Scope,
    Secrets,
)
from afere.endpoints import (
    Cached,
    ChatClient,
    Counter,
    Recorded,
    Retrying,
    ScriptedEndpoint,
    Waiting,
)

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
    assert third.why == "busy; it asks to wait 9000 s, the longest allowed is 60 s"
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


class Shelf:
    """A store in memory: replies by key, failures apart."""

    def __init__(self) -> None:
        self.replies: dict[str, Response] = {}
        self.failures: list[Failure] = []

    async def keep(self, attempt: Attempt) -> None:
        if isinstance(attempt.result, Response):
            self.replies[attempt.request.key] = attempt.result
        else:
            self.failures.append(attempt.result)

    async def lookup(self, key: str) -> Response | None:
        return self.replies.get(key)

    def ask(self, base_url: str, *requests: Request) -> list[Response | Failure]:
        async def run() -> list[Response | Failure]:
            counter = Counter()
            async with ChatClient(settings(base_url), Secrets(), clock=lambda: NOW) as client:
                inner = Recorded(client, self.keep, counter)
                endpoint = Cached(inner, self.lookup, counter)
                return [await endpoint.ask(each) for each in requests]

        return asyncio.run(run())


def test_one_models_answers_are_never_anothers() -> None:
    """BR-033: a second model with the same prompts is asked itself."""
    shelf = Shelf()
    with ChatServer(lambda body: f"I am {body['model']}") as server:
        for model in ("small", "large", "small"):
            (got,) = shelf.ask(server.base_url, request(model=model))
            assert got.content == f"I am {model}"
        assert server.count == 2


def test_an_error_under_status_200_is_never_kept_as_an_answer() -> None:
    """BR-034: the second run gets the good reply."""
    shelf = Shelf()
    error = faults.ok({"error": {"message": "rate limit exceeded"}})
    with ChatServer(plan=in_turn(error)) as server:
        (first,) = shelf.ask(server.base_url, request())
        (second,) = shelf.ask(server.base_url, request())
    assert isinstance(first, Failure)
    assert (first.transient, len(shelf.failures)) == (True, 1)
    assert second.content == "42"


def test_five_rounds_are_five_answers_and_a_second_run_replays_them() -> None:
    """BR-035: the round is part of the key."""
    shelf, numbers = Shelf(), iter(range(100))
    rounds = [request(number=n, temperature=1) for n in range(1, 6)]
    with ChatServer(lambda _body: str(next(numbers))) as server:
        first = [each.content for each in shelf.ask(server.base_url, *rounds)]
        second = [each.content for each in shelf.ask(server.base_url, *rounds)]
        assert server.count == 5
    assert first == second == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(content="", finish_reason="content_filter"),
        Reply(content="", finish_reason="length", message={"reasoning_content": "...4"}),
        Reply(content=None, message={"refusal": "no"}),
        Reply(content="  "),
    ],
)
def test_what_the_model_replied_is_final_even_when_it_is_nothing(reply: Reply) -> None:
    """BR-036, BR-028: asking until it looks better would bias the score."""
    shelf = Shelf()
    with ChatServer(plan=in_turn(faults.reply(reply))) as server:
        first = shelf.ask(server.base_url, request())
        assert shelf.ask(server.base_url, request()) == first
        assert server.count == 1


def test_every_field_that_is_sent_makes_another_question() -> None:
    """BR-037: a field that is absent differs from every value."""
    shelf = Shelf()
    asked = [request(), request(temperature=0), request(max_tokens=16), request(stop=["x"])]
    asked += [request(seed=1), request(temperature=None)]
    with ChatServer() as server:
        shelf.ask(server.base_url, *asked, *asked)
        assert server.count == 6


def test_an_attempt_is_kept_before_its_answer_is_given() -> None:
    kept: list[str] = []

    async def slowly(attempt: Attempt) -> None:
        await asyncio.sleep(0.01)
        kept.append(attempt.request.item)

    async def run() -> None:
        endpoint = Recorded(ScriptedEndpoint({"q1": GOOD}), slowly, Counter())
        await endpoint.ask(request())
        assert kept == ["q1"]

    asyncio.run(run())


def test_a_function_or_results_by_item_make_a_scripted_endpoint() -> None:
    def script(asked: Request) -> Response:
        return Response(content=asked.item)

    endpoint = ScriptedEndpoint(script)
    assert asyncio.run(endpoint.ask(request("q9"))) == Response(content="q9")
    assert [each.item for each in endpoint.asked] == ["q9"]
