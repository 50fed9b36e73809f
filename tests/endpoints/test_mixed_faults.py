"""Whatever the faults, nothing is lost, counted twice or taken for an answer."""

import asyncio
import random

import pytest
from asking import NOW, Kept, Slept, request, run_all, settings, with_stack
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from servers import ChatServer, at_random, in_turn
from servers.every import FAULTS

from afere.domain import Failure, Response, Secrets
from afere.endpoints import (
    Cached,
    ChatClient,
    Counter,
    Limited,
    Limits,
    Recorded,
    Retrying,
    Timeouts,
)

CANARY = "sk-canary-123456"


@given(seed=st.integers(0, 2**32), rate=st.floats(0, 1), workers=st.integers(1, 12))
@hypothesis_settings(max_examples=12, deadline=None)
def test_every_fault_plan_ends_with_every_call_counted_and_every_question_settled_once(
    seed: int,
    rate: float,
    workers: int,
) -> None:
    counter, kept, slept = Counter(), Kept(), Slept()
    answered: dict[str, Response] = {}
    questions = [request(f"q{n}", number=k) for k in (1, 2) for n in range(10)]

    async def lookup(key: str) -> Response | None:
        return answered.get(key)

    async def run() -> list[Response | Failure]:
        own = settings(
            server.base_url,
            concurrency=workers,
            timeouts=Timeouts(total=0.5),
            largest_body=200_000,
        )
        async with ChatClient(own, Secrets(), clock=lambda: NOW) as client:
            recorded = Recorded(client, kept, counter)
            limits = Limits(concurrency=workers)
            limited = Limited(recorded, limits, clock=lambda: sum(slept.seconds), sleep=slept)
            jitter = random.Random(seed)  # noqa: S311 - spreads waits, no secret
            retrying = Retrying(limited, jitter=jitter, sleep=slept)
            return await run_all(Cached(retrying, lookup, counter), questions, workers)

    with ChatServer(plan=at_random(FAULTS, rate, seed)) as server:
        results = asyncio.run(run())
        calls = counter.calls
        assert calls.made == len(kept.attempts) == server.count
        failed = [each for each in kept.attempts if isinstance(each.result, Failure)]
        assert calls.failed == len(failed)
        assert calls.retried == calls.made - len(questions)
        good = [each for each in kept.attempts if isinstance(each.result, Response)]
        keys = [each.request.key for each in good]
        assert len(keys) == len(set(keys)) == sum(isinstance(each, Response) for each in results)
        answered.update((each.request.key, each.result) for each in good)
        for each in results:
            assert CANARY not in repr(each)
            if isinstance(each, Response):
                assert each.content in {"42", ""}
        before = server.count
        again = asyncio.run(run())
        assert counter.calls.cached == len(good)
        assert server.count - before >= len(questions) - len(good)
        for old, new in zip(results, again, strict=True):
            assert new == old or isinstance(old, Failure)


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_each_fault_once_costs_no_more_than_one_retry(number: int) -> None:
    with ChatServer(plan=in_turn(FAULTS[number])) as server:
        times = Timeouts(total=0.5)
        (result,), counter, kept, _ = with_stack(
            server.base_url,
            [request()],
            timeouts=times,
            largest_body=200_000,
        )
        assert server.count == counter.calls.made == len(kept.attempts) <= 2
    assert isinstance(result, Response) or not result.transient
