"""Holds a provider's limits, and slows down when the provider asks for it."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from afere.domain import (
    AfereError,
    Endpoint,
    Failure,
    FailureKind,
    Full,
    Ledger,
    Request,
    Response,
    Scope,
    Unit,
    Window,
)
from afere.endpoints.days import check_timezone, day_around
from afere.endpoints.ledger import MemoryLedger
from afere.endpoints.waiting import OnWait, Sleep, Waiting

__all__ = ["Limited", "Limits", "Pacing", "estimated_tokens", "most_output"]

_MINUTE = 60.5  # seconds: half a second more, since starts reach the server after unequal times
_BYTES_A_TOKEN = 3  # of UTF-8: English takes about 4, other scripts 2 to 3
_MOST_UNCHARGED = 20
_TOLD_AFTER = 1.0  # seconds of waiting for calls that other processes have open
_NONE: Mapping[str, "Limits"] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a provider or a model allows; None where it sets no limit.

    rpm, rpd: requests a minute and a day. tpm: tokens a minute, prompt and answer together.
    concurrency: calls open at once. pause: seconds from one start to the next.
    """

    rpm: float | None = None
    rpd: float | None = None
    tpm: float | None = None
    concurrency: int | None = None
    pause: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """How a provider is slowed down after a 429.

    first: seconds of the first slow-down without a hint; it doubles while 429s go on.
    cap: the longest in seconds. timezone: where a provider's day ends, as an IANA name.
    """

    first: float = 2.0
    cap: float = 60.0
    timezone: str = "UTC"

    def __post_init__(self) -> None:
        """Check the time zone at the door."""
        check_timezone(self.timezone)


class Limited:
    """Starts calls no faster than a provider and its models allow; one object a provider.

    Windows slide over the starts of requests. A 429 slows all calls of the provider; those in
    flight when it comes, and refused for the same reason, are asked again without counting as
    failures of theirs. A daily limit that is used up is a failure with `resume_after`.

    limits: of the provider. models: of single models, by the name sent; the stricter wins.
    provider: names the counts in the ledger. clock: gives seconds since 1970.
    """

    def __init__(  # noqa: PLR0913 - each is a setting of its own, and named
        self,
        inner: Endpoint,
        limits: Limits,
        *,
        provider: str = "",
        models: Mapping[str, Limits] = _NONE,
        pacing: Pacing | None = None,
        ledger: Ledger | None = None,
        clock: Callable[[], float],
        sleep: Sleep = asyncio.sleep,
        on_wait: OnWait | None = None,
    ) -> None:
        self._inner, self._limits, self._models = inner, limits, models
        self._provider, self._pacing = provider, pacing or Pacing()
        self._ledger: Ledger = ledger or MemoryLedger()
        self._clock, self._sleep, self._on_wait = clock, sleep, on_wait
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._gates: dict[str, _Gate] = {}
        self._slowed = 0  # how often the provider was slowed down
        self._in_a_row = 0  # of these, since a call last went well

    async def ask(self, request: Request) -> Response | Failure:
        """Ask when there is room, and again where a slow-down of others was met on the way."""
        slots = self._slots_of(request.model)
        taken = 0
        try:
            for slot in slots:
                await slot.acquire()
                taken += 1
            return await self._within_slots(request)
        finally:
            for slot in slots[:taken]:
                slot.release()

    async def _within_slots(self, request: Request) -> Response | Failure:
        uncharged = 0
        while True:
            ticket = await self._admitted(request)
            if isinstance(ticket, Failure):
                return ticket
            slowed = self._slowed
            result = await self._asked(request, ticket)
            if isinstance(result, Response):
                self._in_a_row = 0
                return result
            if result.kind is not FailureKind.RATE_LIMIT:
                return result
            if slowed == self._slowed or uncharged >= _MOST_UNCHARGED:
                await self._slow_down(result)
                return result
            uncharged += 1

    async def _asked(self, request: Request, ticket: int) -> Response | Failure:
        tokens, made = None, True
        try:
            result = await self._inner.ask(request)
            tokens = _taken(result)
        except (asyncio.CancelledError, AfereError):  # cut short, or not kept: made all the same
            raise
        except Exception:  # a budget's refusal: no request followed
            made = False
            raise
        else:
            return result
        finally:
            if made:
                await self._ledger.settle(ticket, tokens=tokens)
            else:
                await self._ledger.take_back(ticket)

    async def _slow_down(self, failure: Failure) -> None:
        pacing = self._pacing
        seconds = failure.wait
        if seconds is None:
            seconds = pacing.first * 2.0**self._in_a_row
        self._slowed += 1
        self._in_a_row = min(self._in_a_row + 1, 10)
        await self._ledger.hold(self._provider, self._clock() + min(seconds, pacing.cap))

    async def _admitted(self, request: Request) -> int | Failure:
        """Wait in line until the ledger has room; give the ticket, or why none comes today."""
        gate = self._gate_of(request)
        waited = 0.0
        tokens = estimated_tokens(request.body) if gate.counts_tokens else 0.0
        async with gate.line:
            while True:
                now = self._clock()
                windows = gate.windows(now)
                scopes = gate.scopes
                answer = await self._ledger.start(windows, scopes=scopes, tokens=tokens, now=now)
                if not isinstance(answer, Full):
                    return answer.ticket
                if answer.window is not None and answer.window.ends:
                    return _used_up(answer.window, self._provider, request.model, now)
                waited += await self._wait(request, answer, now, waited)

    async def _wait(self, request: Request, full: Full, now: float, waited: float) -> float:
        """Wait and give for how long; for calls of others, whose end nobody knows, look again."""
        seconds = max(0.0, full.until - now)
        if self._on_wait is not None:
            known = full.window is None or full.window.unit is not Unit.OPEN
            if known or waited <= _TOLD_AFTER < waited + seconds:
                told = seconds if known else None
                self._on_wait(Waiting(request=request, why=_why(full), seconds=told))
        await self._sleep(seconds)
        return seconds

    def _gate_of(self, request: Request) -> "_Gate":
        model = request.model
        gate = self._gates.get(model)
        if gate is None:
            scopes = self._provider, f"{self._provider}/{model}"
            limits = [(scopes[0], self._limits)]
            if model in self._models:
                limits.append((scopes[1], self._models[model]))
            gate = _Gate(scopes, limits, self._pacing.timezone, (request.endpoint, model))
            self._gates[model] = gate
        return gate

    def _slots_of(self, model: str) -> list[asyncio.Semaphore]:
        """Give the semaphores of model and provider, the model's first: it holds up fewer."""
        slots = []
        own = self._models.get(model)
        for scope, limits in ((f"/{model}", own), ("", self._limits)):
            if limits is not None and limits.concurrency is not None:
                if scope not in self._slots:
                    self._slots[scope] = asyncio.Semaphore(limits.concurrency)
                slots.append(self._slots[scope])
        return slots


class _Gate:
    """What the starts of one model pass: a line, and the windows of provider and model."""

    def __init__(
        self,
        scopes: tuple[str, str],
        limits: list[tuple[str, Limits]],
        timezone: str,
        asked: tuple[str, str],
    ) -> None:
        self.scopes, self.line = scopes, asyncio.Lock()
        self._limits, self._timezone = limits, timezone
        self._endpoint, self._model = asked
        self._lasting = [window for scope, each in limits for window in _lasting(scope, each)]
        self._of_the_day: list[Window] = []
        self._day_ends = float("-inf")
        self.counts_tokens = any(window.unit is Unit.TOKENS for window in self._lasting)

    def windows(self, now: float) -> list[Window]:
        """Give all windows as they stand at a moment."""
        if now >= self._day_ends:
            since, self._day_ends = day_around(now, self._timezone)
            self._of_the_day = [
                Window(
                    scope=scope,
                    unit=Unit.REQUESTS,
                    most=each.rpd,
                    since=since,
                    ends=self._day_ends,
                    endpoint=self._endpoint,
                    model=self._model if scope == self.scopes[1] else "",
                )
                for scope, each in self._limits
                if each.rpd is not None
            ]
        return self._lasting + self._of_the_day


def estimated_tokens(body: Mapping[str, Any]) -> int:
    """Estimate the most tokens that a call takes: a third of its bytes, and its `max_tokens`."""
    size = len(repr(body.get("messages", "")).encode("utf-8", "replace"))
    return size // _BYTES_A_TOKEN + (most_output(body) or 0)


def most_output(body: Mapping[str, Any]) -> int | None:
    """Give the most tokens that a reply may have; None where the body sets no limit."""
    most = body.get("max_tokens", body.get("max_completion_tokens"))
    limited = isinstance(most, int | float) and not isinstance(most, bool) and most > 0
    return int(most) if limited else None


def _lasting(scope: str, limits: Limits) -> list[Window]:
    """Give the windows that are the same at every moment."""
    windows = []
    if limits.pause > 0:
        windows.append(Window(scope=scope, unit=Unit.REQUESTS, most=1, span=limits.pause))
    if limits.rpm is not None:
        span = _MINUTE if limits.rpm >= 1 else _MINUTE / limits.rpm
        most = max(1.0, limits.rpm)
        windows.append(Window(scope=scope, unit=Unit.REQUESTS, most=most, span=span))
    if limits.tpm is not None:
        windows.append(Window(scope=scope, unit=Unit.TOKENS, most=limits.tpm, span=_MINUTE))
    if limits.concurrency is not None:
        windows.append(Window(scope=scope, unit=Unit.OPEN, most=limits.concurrency))
    return windows


def _is_limited(result: Response | Failure) -> bool:
    return isinstance(result, Failure) and result.kind is FailureKind.RATE_LIMIT


def _taken(result: Response | Failure) -> float | None:
    """Give the tokens that a call took; None where that is not known."""
    if isinstance(result, Failure):
        return 0.0 if _is_limited(result) else None
    tokens = result.tokens
    if tokens.input is None or tokens.output is None:
        return None
    return float(tokens.input + tokens.output)


def _used_up(window: Window, provider: str, model: str, now: float) -> Failure:
    of_model = window.scope != provider
    whose = f"the model {model}" if of_model else f"the provider {provider}".rstrip()
    return Failure(
        kind=FailureKind.QUOTA,
        message=f"the declared limit of {window.most:g} requests a day of {whose} is used up",
        scope=Scope.MODEL if of_model else Scope.PROVIDER,
        resume_after=window.ends,
        failed_at=now,
    )


def _why(full: Full) -> str:
    window = full.window
    if window is None:
        return "the provider asked to slow down"
    if window.unit is Unit.OPEN:
        return f"{window.most:g} calls are open elsewhere"
    if window.span is not None and window.unit is Unit.REQUESTS and window.span < _MINUTE:
        return "the pause between calls"
    return f"the limit of {window.most:g} {window.unit} a minute"
