"""An endpoint without a network, for tests."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from afere.domain import Failure, Request, Response

__all__ = ["ScriptedEndpoint"]

Result = Response | Failure


class ScriptedEndpoint:
    """Answers from a script: a function of the request, or results by item id.

    Of several results of an item the first call gets the first, and so on; the last one stays.
    `asked` lists every request in order; `max_in_flight` is the most that were open at once.

    delay: seconds before each answer.
    """

    def __init__(
        self,
        script: Callable[[Request], Result] | Mapping[str, Result | Sequence[Result]],
        *,
        delay: float = 0.0,
    ) -> None:
        self._script, self._delay = script, delay
        self._calls: dict[str, int] = {}
        self._in_flight = 0
        self.asked: list[Request] = []
        self.max_in_flight = 0

    async def ask(self, request: Request) -> Result:
        """Give the scripted result; raises KeyError for an item that is not in the script."""
        self.asked.append(request)
        self._in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self._in_flight)
        try:
            await asyncio.sleep(self._delay)
            return self._result(request)
        finally:
            self._in_flight -= 1

    def _result(self, request: Request) -> Result:
        if callable(self._script):
            return self._script(request)
        planned = self._script[request.item]
        if not isinstance(planned, Sequence):
            return planned
        nth = self._calls.get(request.item, 0)
        self._calls[request.item] = nth + 1
        return planned[min(nth, len(planned) - 1)]
