"""Shortcuts by which the tests of this room ask a server."""

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import Any

from afere.domain import Attempt, Endpoint, Failure, Request, Response, Secrets
from afere.endpoints import ChatClient, ClientSettings, Counter, Recorded, Retrying

NOW = 1_764_489_600.0  # 2025-11-30 08:00 UTC
Result = Response | Failure


def request(item: str = "q1", model: str = "small", number: int = 1, **params: Any) -> Request:
    body = {"model": model, "messages": [{"role": "user", "content": item}], "max_tokens": 100}
    return Request(
        item=item,
        round=number,
        endpoint="http://server/v1",
        model=model,
        body=body | params,
    )


def settings(base_url: str, **fields: Any) -> ClientSettings:
    return ClientSettings(base_url=base_url, **{"key": "sk-canary-123456"} | fields)


def ask(base_url: str, *requests: Request, secrets: Secrets | None = None, **fields: Any) -> Any:
    """Ask one after another with a bare client; one request gives one result, several a list."""

    async def run() -> list[Result]:
        known = secrets or Secrets()
        async with ChatClient(settings(base_url, **fields), known, clock=lambda: NOW) as client:
            return [await client.ask(each) for each in requests or [request()]]

    results = asyncio.run(run())
    return results if len(requests) > 1 else results[0]


class Slept:
    """A sleep that does not wait, and remembers."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


class Kept:
    """A place for attempts."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []

    async def __call__(self, attempt: Attempt) -> None:
        self.attempts.append(attempt)


def run_all(endpoint: Endpoint, requests: Sequence[Request], workers: int) -> Any:
    """Ask everything, many at a time; give a coroutine of the results in order."""

    async def run() -> list[Result]:
        results: dict[int, Result] = {}
        waiting = iter(enumerate(requests))

        async def work() -> None:
            for place, each in waiting:
                results[place] = await endpoint.ask(each)

        await asyncio.gather(*(work() for _ in range(workers)))
        return [results[place] for place in range(len(requests))]

    return run()


def with_stack(
    base_url: str,
    requests: Sequence[Request],
    workers: int = 8,
    wrap: Callable[[Endpoint], Endpoint] | None = None,
    retries: int = 3,
    **fields: Any,
) -> tuple[list[Result], Counter, Kept, Slept]:
    """Ask through retry and record round a real client."""
    counter, kept, slept = Counter(), Kept(), Slept()

    async def run() -> list[Result]:
        own = settings(base_url, **{"concurrency": workers} | fields)
        async with ChatClient(own, Secrets(), clock=lambda: NOW) as client:
            inner: Endpoint = Recorded(client, kept, counter)
            inner = wrap(inner) if wrap is not None else inner
            jitter = random.Random(7)  # noqa: S311 - spreads waits, no secret
            stack = Retrying(inner, retries=retries, jitter=jitter, sleep=slept)
            return await run_all(stack, requests, workers)

    return asyncio.run(run()), counter, kept, slept
