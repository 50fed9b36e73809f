"""Limits and slow-downs, on a clock that moves when somebody sleeps."""

import asyncio
import heapq
import random
from collections.abc import Callable

import pytest
from asking import NOW, Kept, request, run_all, settings, with_stack
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from servers import ChatServer, by_number, faults

from afere.domain import (
    Endpoint,
    Failure,
    FailureKind,
    Request,
    Response,
    Scope,
    Secrets,
    Tokens,
    UsageError,
)
from afere.endpoints import (
    ChatClient,
    ClientSettings,
    Counter,
    Limited,
    Limits,
    MemoryLedger,
    Pacing,
    Recorded,
    Retrying,
    Waiting,
    estimated_tokens,
)
from afere.endpoints.days import day_around

GOOD = Response(content="42")
MINUTE = 60.5  # a sliding minute, with its margin


class World:
    """A clock that jumps to the next sleeper when all wait, and an endpoint that notes starts."""

    def __init__(
        self, answer: Callable[[Request, float], Response | Failure], takes: float = 0.0
    ) -> None:
        self.now = NOW
        self.answer, self.takes = answer, takes
        self.starts: list[tuple[float, str]] = []
        self.waits: list[Waiting] = []
        self.open = self.most_open = 0
        self._sleepers: list[tuple[float, int, asyncio.Event]] = []

    async def sleep(self, seconds: float) -> None:
        event = asyncio.Event()
        heapq.heappush(self._sleepers, (self.now + seconds, len(self.starts) + id(event), event))
        await event.wait()

    async def ask(self, asked: Request) -> Response | Failure:
        self.starts.append((self.now - NOW, asked.model))
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        if self.takes:
            await self.sleep(self.takes)
        self.open -= 1
        return self.answer(asked, self.now)

    def run(
        self, endpoint: Endpoint, requests: list[Request], workers: int
    ) -> list[Response | Failure]:
        async def clockwork() -> None:
            while True:
                for _ in range(50):  # let everything that can go on go on
                    await asyncio.sleep(0)
                if self._sleepers:
                    moment, _, event = heapq.heappop(self._sleepers)
                    self.now = max(self.now, moment)
                    event.set()

        async def both() -> list[Response | Failure]:
            clock = asyncio.create_task(clockwork())
            try:
                return await run_all(endpoint, requests, workers)
            finally:
                clock.cancel()

        return asyncio.run(both())

    def limited(self, limits: Limits, **more: object) -> Limited:
        return Limited(
            self,
            limits,
            **{
                "provider": "p",
                "clock": lambda: self.now,
                "sleep": self.sleep,
                "on_wait": self.waits.append,
            }
            | more,  # type: ignore[arg-type]
        )

    @property
    def moments(self) -> list[float]:
        return [moment for moment, _ in self.starts]


def many(n: int, model: str = "small") -> list[Request]:
    return [request(f"q{k}", model) for k in range(n)]


def test_without_limits_nothing_waits() -> None:
    world = World(lambda *_: GOOD)
    world.run(world.limited(Limits()), many(100), 10)
    assert world.moments == [0.0] * 100


def test_requests_a_minute_slide_over_their_starts() -> None:
    world = World(lambda *_: GOOD)
    world.run(world.limited(Limits(rpm=3)), many(7), 5)
    assert world.moments == [0.0] * 3 + [MINUTE] * 3 + [2 * MINUTE]
    assert world.waits[0].why == "the limit of 3 requests a minute"
    assert world.waits[0].seconds == MINUTE


def test_less_than_one_request_a_minute_is_a_longer_window() -> None:
    world = World(lambda *_: GOOD)
    world.run(world.limited(Limits(rpm=0.5)), many(3), 2)
    assert world.moments == [0.0, 2 * MINUTE, 4 * MINUTE]


def test_a_pause_keeps_starts_apart() -> None:
    world = World(lambda *_: GOOD)
    world.run(world.limited(Limits(pause=1.5)), many(4), 4)
    assert world.moments == [0.0, 1.5, 3.0, 4.5]


@given(
    rpm=st.integers(1, 6),
    tpm=st.integers(100, 2000),
    takes=st.floats(0, 20),
    workers=st.integers(1, 6),
)
@hypothesis_settings(max_examples=40, deadline=None)
def test_no_window_ever_holds_more_than_its_limit(
    rpm: int, tpm: int, takes: float, workers: int
) -> None:
    used = Response(content="x", tokens=Tokens(input=40, output=60))
    world = World(lambda *_: used, takes)
    results = world.run(world.limited(Limits(rpm=rpm, tpm=tpm)), many(12), workers)
    assert len(results) == 12
    for moment in world.moments:
        inside = [start for start in world.moments if moment - 60 < start <= moment]
        assert len(inside) <= rpm
        assert len(inside) * 100 <= max(tpm, 100 + estimated_tokens(request().body))


def test_tokens_a_minute_reserve_the_estimate_and_settle_with_what_was_used() -> None:
    estimate = estimated_tokens(request().body)
    assert estimate == len(b"[{'role': 'user', 'content': 'q1'}]") // 3 + 100
    small = Response(content="x", tokens=Tokens(input=5, output=5))
    world = World(lambda *_: small)
    world.run(world.limited(Limits(tpm=estimate + 10)), many(3), 1)
    assert world.moments == [0.0, 0.0, MINUTE]
    unknown = World(lambda *_: GOOD)
    unknown.run(unknown.limited(Limits(tpm=estimate + 10)), many(2), 1)
    assert unknown.moments == [0.0, MINUTE]


def test_a_question_larger_than_the_limit_goes_alone() -> None:
    world = World(lambda *_: GOOD)
    world.run(world.limited(Limits(tpm=10)), many(2), 2)
    assert world.moments == [0.0, MINUTE]


def test_the_stricter_of_provider_and_model_wins_and_models_do_not_hold_up_one_another() -> None:
    world = World(lambda *_: GOOD)
    limited = world.limited(Limits(rpm=4), models={"slow": Limits(rpm=1)})
    mixed = [*many(3, "slow"), *many(4, "fast")]
    world.run(limited, mixed, 7)
    slow = [moment for moment, model in world.starts if model == "slow"]
    fast = [moment for moment, model in world.starts if model == "fast"]
    assert slow == [0.0, MINUTE, 2 * MINUTE]
    assert fast == [0.0, 0.0, 0.0, MINUTE]


def test_concurrency_is_reached_and_never_passed() -> None:
    world = World(lambda *_: GOOD, takes=1.0)
    world.run(world.limited(Limits(concurrency=3)), many(12), 10)
    assert world.most_open == 3
    of_model = World(lambda *_: GOOD, takes=1.0)
    limited = of_model.limited(Limits(concurrency=5), models={"small": Limits(concurrency=2)})
    of_model.run(limited, many(12), 10)
    assert of_model.most_open == 2


def test_a_day_that_is_used_up_says_when_to_come_back() -> None:
    midnight = day_around(NOW, "UTC")[1]
    world = World(lambda *_: GOOD)
    results = world.run(world.limited(Limits(rpd=5)), many(8), 3)
    left_out = [each for each in results if isinstance(each, Failure)]
    assert (len(world.starts), len(left_out)) == (5, 3)
    failure = left_out[0]
    assert (failure.kind, failure.scope, failure.transient) == (
        FailureKind.QUOTA,
        Scope.PROVIDER,
        False,
    )
    assert failure.resume_after == midnight
    assert "5 requests a day" in failure.message
    world.now = midnight + 1
    world.run(world.limited(Limits(rpd=5)), many(2), 1)
    assert len(world.starts) == 7


def test_a_models_day_stops_the_model_alone() -> None:
    world = World(lambda *_: GOOD)
    limited = world.limited(Limits(), models={"small": Limits(rpd=1)})
    results = world.run(limited, [*many(2), *many(2, "large")], 1)
    assert [isinstance(each, Failure) for each in results] == [False, True, False, False]
    assert isinstance(results[1], Failure)
    assert results[1].scope is Scope.MODEL


def test_one_ledger_counts_for_two_endpoints() -> None:
    world = World(lambda *_: GOOD)
    ledger = MemoryLedger()
    for _ in range(2):
        world.run(world.limited(Limits(rpm=3), ledger=ledger), many(2), 1)
    assert world.moments == [0.0, 0.0, 0.0, MINUTE]


def test_one_ledger_holds_and_counts_open_calls_for_two_endpoints() -> None:
    def answer(asked: Request, _now: float) -> Response | Failure:
        return busy(9.0) if asked.item == "q0" and asked.model == "small" else GOOD

    world = World(answer, takes=1.0)
    ledger = MemoryLedger()
    first, second = (world.limited(Limits(concurrency=2), ledger=ledger) for _ in range(2))

    class Either:
        async def ask(self, asked: Request) -> Response | Failure:
            return await (first if asked.model == "small" else second).ask(asked)

    mixed = [each for pair in zip(many(4), many(4, "large"), strict=True) for each in pair]
    world.run(Either(), mixed, 8)
    assert world.most_open == 2
    assert world.moments[:2] == [0.0, 0.0]
    assert all(moment >= 10.0 for moment in world.moments[2:])
    assert {wait.why for wait in world.waits} >= {"2 calls are open elsewhere"}


def busy(wait: float | None = None) -> Failure:
    return Failure(kind=FailureKind.RATE_LIMIT, message="429", transient=True, wait=wait)


def test_a_429_slows_all_workers_for_as_long_as_it_asks() -> None:
    refused: set[str] = set()

    def answer(asked: Request, _now: float) -> Response | Failure:
        first = asked.item == "q0" and not refused
        refused.add(asked.item)
        return busy(7.0) if first else GOOD

    world = World(answer)
    world.run(world.limited(Limits()), many(6), 1)
    assert world.moments == [0.0] + [7.0] * 5
    assert world.waits[0].why == "the provider asked to slow down"


def test_without_a_hint_slow_downs_double_up_to_the_cap_and_start_anew_after_a_success() -> None:
    world = World(lambda *_: busy())
    limited = world.limited(Limits(), pacing=Pacing(first=2, cap=10))
    world.run(limited, many(5), 1)
    assert world.moments == [0.0, 2.0, 6.0, 14.0, 24.0]
    answers = [busy(), busy(), GOOD, busy(), GOOD]
    mixed = World(lambda *_: answers.pop(0))
    mixed.run(mixed.limited(Limits()), many(5), 1)
    assert mixed.moments == [0.0, 2.0, 6.0, 6.0, 8.0]


def test_calls_in_flight_at_a_slow_down_are_not_charged() -> None:
    """Ten start at once, the server takes two every five seconds: one failure is told a wave."""

    def answer(_asked: Request, now: float) -> Response | Failure:
        taken = taken_at.setdefault(now // 5, [])
        taken.append(now)
        return GOOD if len(taken) <= 2 else busy(5.0)

    taken_at: dict[float, list[float]] = {}
    world = World(answer, takes=0.5)
    results = world.run(world.limited(Limits()), many(10), 10)
    failed = [each for each in results if isinstance(each, Failure)]
    assert len(failed) <= 4
    assert len(world.starts) > 10


def test_the_cap_bounds_a_slow_down() -> None:
    world = World(lambda *_: busy(9e9))
    world.run(world.limited(Limits()), many(2), 1)
    assert world.moments == [0.0, 60.0]


def test_a_wave_of_429s_over_a_real_connection_loses_nothing() -> None:
    plan = by_number(
        {n: faults.error(429, "slow", headers=[("retry-after-ms", "20")]) for n in range(3, 90, 10)}
    )
    with ChatServer(plan=plan, delay=0.002) as server:
        counter = Counter()

        def wrap(inner: Endpoint) -> Endpoint:
            loop_time = asyncio.get_running_loop().time
            return Limited(inner, Limits(concurrency=6), provider="p", clock=loop_time)

        requests = many(60)
        results, counter, kept, _ = with_stack(server.base_url, requests, 12, wrap)
        assert all(isinstance(each, Response) for each in results)
        assert server.count == counter.calls.made == len(kept.attempts)
        assert counter.calls.made == 60 + counter.calls.failed
        assert counter.calls.retried == counter.calls.failed
        assert server.max_in_flight == 6


def test_the_pool_alone_bounds_what_is_in_flight() -> None:
    with ChatServer(delay=0.02) as server:
        with_stack(server.base_url, many(40), 20, concurrency=5)
        assert (server.count, server.max_in_flight) == (40, 5)
        assert server.connections == 5


def test_a_cancelled_call_gives_its_place_back() -> None:
    world = World(lambda *_: GOOD)

    class Stuck:
        async def ask(self, _asked: Request) -> Response | Failure:
            await asyncio.sleep(60)
            return GOOD

    async def run() -> Response | Failure:
        ledger = MemoryLedger()
        pick: list[Endpoint] = [Stuck()]

        class Chosen:
            async def ask(self, asked: Request) -> Response | Failure:
                return await pick[0].ask(asked)

        limited = Limited(
            Chosen(), Limits(concurrency=1), provider="p", ledger=ledger, clock=lambda: world.now
        )
        task = asyncio.create_task(limited.ask(request()))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        pick[0] = world
        return await limited.ask(request())

    assert asyncio.run(run()) == GOOD


@pytest.mark.parametrize(
    ("zone", "hours"),
    [
        ("UTC", 16.0),
        ("America/Sao_Paulo", 19.0),
        ("America/Los_Angeles", 24.0),
        ("Asia/Tokyo", 7.0),
    ],
)
def test_the_day_ends_in_the_declared_time_zone(zone: str, hours: float) -> None:
    begin, end = day_around(NOW, zone)
    assert end == NOW + hours * 3600
    assert begin == end - 86400


def test_a_day_of_25_hours_is_one_day() -> None:
    late = 1_762_156_200.0  # 2025-11-02 23:50 in Los Angeles, 24 h 50 min into that day
    begin, end = day_around(late, "America/Los_Angeles")
    assert (end - begin, end - late) == (25 * 3600, 600)


def test_a_time_zone_that_is_none_is_refused_at_the_door() -> None:
    for make in (
        lambda: Pacing(timezone="Mars/Base"),
        lambda: settings("http://h/v1", timezone="../x"),
    ):
        with pytest.raises(UsageError, match="no time zone"):
            make()


def test_a_daily_quota_of_a_real_server_stops_after_one_call() -> None:
    daily = faults.error(429, "quota of requests per day", headers=[("Retry-After", "34")])
    with ChatServer(plan=by_number({3: daily})) as server:
        kept, counter = Kept(), Counter()

        async def run() -> list[Response | Failure]:
            own = ClientSettings(base_url=server.base_url)
            async with ChatClient(own, Secrets(), clock=lambda: NOW) as client:
                recorded = Recorded(client, kept, counter)
                limited = Limited(recorded, Limits(), provider="p", clock=lambda: NOW)
                jitter = random.Random(1)  # noqa: S311 - spreads waits, no secret
                return await run_all(Retrying(limited, jitter=jitter), many(3), 1)

        results = asyncio.run(run())
    assert isinstance(results[2], Failure)
    assert (results[2].kind, server.count) == (FailureKind.QUOTA, 3)
