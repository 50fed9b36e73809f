"""Asks again where that can help."""

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime

from afere.domain import Endpoint, Failure, FailureKind, Request, Response, Scope
from afere.endpoints.waiting import OnWait, Sleep, Waiting

__all__ = ["Retrying"]

_FACTOR = 2.0
_SPREAD = 0.25  # jitter: a wait of our own choosing is spread by so much to both sides
_ADAPTED = frozenset({FailureKind.BAD_REQUEST, FailureKind.REDIRECT})
_MOST_ADAPTATIONS = 8
_ABSURD = 2 * 86400.0  # seconds: a longer wait is a mistake, not a quota


class Retrying:
    """Repeats a call that failed for the moment, at most `retries` times.

    It waits as the server asks, else `first` seconds, doubled each time, with jitter; at most
    `cap`. A failure that says `wait=0.0` because the client has adapted itself (see ChatClient) is
    asked again at once and not counted against the retries.

    sleep: waits so many seconds. on_wait: told before each wait.
    """

    def __init__(  # noqa: PLR0913 - each is a setting of its own, and named
        self,
        inner: Endpoint,
        *,
        retries: int = 3,
        first: float = 2.0,
        cap: float = 60.0,
        jitter: random.Random,
        sleep: Sleep = asyncio.sleep,
        on_wait: OnWait | None = None,
    ) -> None:
        self._inner, self._retries, self._first, self._cap = inner, retries, first, cap
        self._jitter, self._sleep, self._on_wait = jitter, sleep, on_wait

    async def ask(self, request: Request) -> Response | Failure:
        """Ask until there is a reply, a permanent failure, or no try left."""
        tries = adaptations = 0
        while True:
            result = await self._inner.ask(request)
            if isinstance(result, Response) or not result.transient:
                return result
            if _is_adapted(result) and adaptations < _MOST_ADAPTATIONS:
                adaptations += 1
                continue
            if tries >= self._retries or self._is_out_of_reach(result, tries):
                return self._given_up(result)
            await self._wait(request, result, tries)
            tries += 1

    async def _wait(self, request: Request, failure: Failure, tries: int) -> None:
        seconds = failure.wait
        if seconds is None:
            spread = self._jitter.uniform(1 - _SPREAD, 1 + _SPREAD)
            seconds = self._first * _FACTOR**tries * spread
        seconds, why = min(seconds, self._cap), failure.message
        if failure.wait is not None and failure.wait > seconds:
            why += f"; it asks to wait {failure.wait:.0f} s, the longest allowed is {seconds:g} s"
        if self._on_wait is not None:
            told = Waiting(request=request, why=why, seconds=seconds, asked=failure.wait)
            self._on_wait(told)
        await self._sleep(seconds)

    def _is_out_of_reach(self, failure: Failure, tries: int) -> bool:
        """Whether the server asks to wait for longer than all tries that are left would."""
        wait = failure.wait
        if failure.kind is not FailureKind.RATE_LIMIT or wait is None or wait > _ABSURD:
            return False
        return wait > self._cap * (self._retries - tries)

    def _given_up(self, failure: Failure) -> Failure:
        """Say until when, where the server wants a longer pause than we may wait."""
        wait = failure.wait
        if failure.kind is not FailureKind.RATE_LIMIT or wait is None:
            return failure
        if not self._cap < wait <= _ABSURD:
            return failure
        until = failure.failed_at + wait
        told = datetime.fromtimestamp(until, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return replace(
            failure,
            message=f"{failure.message}; the server asks to wait until {told}",
            scope=Scope.PROVIDER,
            resume_after=until,
        )


def _is_adapted(failure: Failure) -> bool:
    return failure.kind in _ADAPTED and failure.wait == 0.0
