"""Keeps every attempt, whatever came of it."""

from collections.abc import Awaitable, Callable

from afere.domain import Attempt, Endpoint, Failure, Request, Response
from afere.endpoints.counting import Counter

__all__ = ["Recorded"]


class Recorded:
    """The innermost wrapper: counts each HTTP request and keeps what came of it.

    keep: has written the attempt durably when it returns, and gives the reply that counts where
    another process was quicker; what it raises (a full disk) is raised by `ask`, since an answer
    that cannot be kept must not be graded.
    """

    def __init__(
        self,
        inner: Endpoint,
        keep: Callable[[Attempt], Awaitable[Response | None]],
        counter: Counter,
    ) -> None:
        self._inner, self._keep, self._counter = inner, keep, counter
        self._tried: set[str] = set()  # keys of questions whose last request failed

    async def ask(self, request: Request) -> Response | Failure:
        """Ask once, keep the attempt, give the result."""
        counter = self._counter
        counter.made += 1  # before the request: one that is cut short was made all the same
        if self._tried and request.key in self._tried:
            counter.retried += 1
        result = await self._inner.ask(request)
        if isinstance(result, Failure):
            counter.failed += 1
            self._tried.add(request.key)
        else:
            self._tried.discard(request.key)
        counts = await self._keep(Attempt(request=request, result=result))
        return result if counts is None else counts
