"""Ends a run cleanly before a number of calls, a cost or a time is passed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from afere.app.models import Model
from afere.domain import Endpoint, Failure, Request, Response, UsageError
from afere.endpoints import estimated_tokens
from afere.runner import Interrupted, Stop

__all__ = ["Budget", "Budgeted", "Limit", "parse_seconds"]

_PER_MILLION = 1_000_000
_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h)?")
_SECONDS = {None: 1, "s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What a command may use; None where it sets no limit. cost: USD."""

    calls: int | None = None
    cost: float | None = None


def parse_seconds(text: str) -> float:
    """Read `90`, `90s`, `10m` or `2h` as seconds."""
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--max-time {text!r} is no time.\nThe right form: 90, 10m or 2h")
    return float(found[1]) * _SECONDS[found[2]]


class Budget:
    """What a command has used so far, over all its models.

    A call is reserved before it is made, at an estimate of its prompt and its whole `max_tokens`,
    and settled by the usage that the reply tells.
    """

    def __init__(self, limit: Limit, stop: Stop) -> None:
        self._limit, self._stop = limit, stop
        self._calls = 0
        self._cost = 0.0

    def reserve(self, cost: float) -> None:
        """Take one call; raises Interrupted, and stops the run, where it would pass the limit.

        Also where the run was stopped while the call waited for its turn.
        """
        if self._stop.asked:
            raise Interrupted
        limit = self._limit
        if limit.calls is not None and self._calls >= limit.calls:
            self._refuse(f"--max-calls {limit.calls} reached")
        if limit.cost is not None and self._cost + cost > limit.cost:
            self._refuse(f"--max-cost {limit.cost:g} USD would be passed")
        self._calls += 1
        self._cost += cost

    def settle(self, reserved: float, real: float | None) -> None:
        """Put what a call really cost in place of its estimate; None keeps the estimate."""
        if real is not None:
            self._cost += real - reserved

    def _refuse(self, why: str) -> None:
        self._stop.spend(why)
        raise Interrupted


class Budgeted:
    """An endpoint that asks only what the budget allows; every HTTP request counts, retries too."""

    def __init__(self, inner: Endpoint, budget: Budget, model: Model) -> None:
        self._inner, self._budget, self._price = inner, budget, model.price

    async def ask(self, request: Request) -> Response | Failure:
        """Reserve, ask, settle."""
        reserved = self._estimate(request.body)
        self._budget.reserve(reserved)
        result = await self._inner.ask(request)
        self._budget.settle(reserved, self._real(result))
        return result

    def _estimate(self, body: Mapping[str, Any]) -> float:
        if not self._price:
            return 0.0
        dearest = max(float(each) for each in self._price.values())
        return estimated_tokens(body) * dearest / _PER_MILLION

    def _real(self, result: Response | Failure) -> float | None:
        if isinstance(result, Failure) or not self._price:
            return None
        used = {"input": result.tokens.input, "output": result.tokens.output}
        if any(count is None for count in used.values()):
            return None
        return sum(
            (used[name] or 0) * float(self._price.get(name, 0)) / _PER_MILLION for name in used
        )
