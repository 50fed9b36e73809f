"""A local model as an endpoint: its server starts at the first question, not before."""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

from afere.domain import Failure, FailureKind, Request, Response, Scope, Secrets, UsageError
from afere.endpoints.client import ChatClient
from afere.endpoints.local.llama import LlamaServer, LlamaSettings
from afere.endpoints.settings import ClientSettings, Timeouts

__all__ = ["LlamaEndpoint"]

_MOST_STARTS = 3


class LlamaEndpoint:
    """Asks a local model; an async context manager, since its server must be stopped.

    A run that is answered wholly from the store never starts it. A server that died is started
    again, at most twice; one that cannot start is a permanent failure of the provider.

    clock: gives seconds since 1970. on_start: told before the server is started.
    """

    def __init__(
        self,
        settings: LlamaSettings,
        *,
        clock: Callable[[], float],
        timeouts: Timeouts | None = None,
        on_start: Callable[[], None] | None = None,
    ) -> None:
        self._settings, self._clock, self._on_start = settings, clock, on_start
        self._timeouts = timeouts or Timeouts()
        self._server = LlamaServer(settings)
        self._client: ChatClient | None = None
        self._starting = asyncio.Lock()
        self._starts = 0
        self._why_not: Failure | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop the server and close the connections to it."""
        self._server.stop()
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def ask(self, request: Request) -> Response | Failure:
        """Ask the model, starting its server if need be."""
        client = self._client
        if client is None or not self._server.running:
            async with self._starting:
                client = await self._started()
        if client is not None:
            return await client.ask(request)
        return self._why_not or self._failure("it died too often")

    async def _started(self) -> ChatClient | None:
        if self._client is not None and self._server.running:
            return self._client  # another call started it meanwhile
        if self._starts >= _MOST_STARTS or self._why_not is not None:
            return None
        self._starts += 1
        await self.close()
        if self._on_start is not None:
            self._on_start()
        try:
            await self._server.start()
        except UsageError as error:
            self._why_not = self._failure(str(error).replace("\n", "; "))
            return None
        own = ClientSettings(
            base_url=self._server.base_url,
            concurrency=self._settings.slots,
            timeouts=self._timeouts,
            proxies=False,
        )
        self._client = ChatClient(own, Secrets(), clock=self._clock)
        return self._client

    def _failure(self, why: str) -> Failure:
        return Failure(
            kind=FailureKind.CONNECTION,
            message=f"the server of the local model {self._settings.alias} does not run: {why}",
            scope=Scope.PROVIDER,
            failed_at=self._clock(),
        )
