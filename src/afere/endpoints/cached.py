"""Answers what was asked before from the store."""

from collections.abc import Awaitable, Callable

from afere.domain import Endpoint, Failure, Request, Response
from afere.endpoints.counting import Counter

__all__ = ["Cached"]


class Cached:
    """The outermost wrapper: gives the reply kept under the request's key, else asks.

    lookup: gives a reply of the model or None; a failure is never kept as an answer.
    on_hit: told of each request that was answered from the store.
    """

    def __init__(
        self,
        inner: Endpoint,
        lookup: Callable[[str], Awaitable[Response | None]],
        counter: Counter,
        *,
        on_hit: Callable[[Request], None] | None = None,
    ) -> None:
        self._inner, self._lookup, self._counter, self._on_hit = inner, lookup, counter, on_hit

    async def ask(self, request: Request) -> Response | Failure:
        """Give the kept reply, or ask."""
        found = await self._lookup(request.key)
        if found is None:
            return await self._inner.ask(request)
        self._counter.cached += 1
        if self._on_hit is not None:
            self._on_hit(request)
        return found
