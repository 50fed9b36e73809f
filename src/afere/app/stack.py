"""The stack of endpoints that a request goes through: cache, retry, limits, record, client."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from afere.app.models import SHIPPED_WEIGHTS, Engine, Model
from afere.app.watch import Watch
from afere.domain import (
    Attempt,
    Endpoint,
    Failure,
    Request,
    Response,
    Secrets,
    Sentence,
    UsageError,
)
from afere.endpoints import (
    Cached,
    ChatClient,
    ClientSettings,
    Counter,
    Recorded,
    Retrying,
    Timeouts,
    Waiting,
)

__all__ = ["Seams", "endpoint_identity", "open_endpoint", "weights_file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seams:
    """What the stack needs from outside itself."""

    lookup: Callable[[str], Awaitable[Response | None]]
    keep: Callable[[Attempt], Awaitable[None]]
    counter: Counter
    sleep: Callable[[float], Awaitable[None]]
    clock: Callable[[], float]
    watch: Watch
    cache: Path


async def endpoint_identity(model: Model, cache: Path, watch: Watch) -> str:
    """Give what answers, as it enters the cache key: the address, or engine and weights."""
    if model.engine is None:
        return _settings(model, concurrency=1).shown
    from afere.endpoints import local

    path = await asyncio.to_thread(weights_file, model.engine, cache, watch)
    return f"llama:{local.engine_version()}:{await asyncio.to_thread(local.gguf_digest, path)}"


def weights_file(engine: Engine, cache: Path, watch: Watch) -> Path:
    """Give the GGUF file of an engine, fetched on first use; raises UsageError."""
    from afere.endpoints import local

    if engine.weights == SHIPPED_WEIGHTS:
        return local.fetch_weights(
            engine.weights,
            cache,
            on_progress=lambda text: watch.note(Sentence("{text}", text=text)),
        )
    path = Path(engine.weights).expanduser()
    if not path.is_file():
        raise UsageError(
            f"There is no weights file {engine.weights!r}.\n"
            f"Type: llama:{SHIPPED_WEIGHTS}, or the path of a GGUF file",
        )
    return path


@asynccontextmanager
async def open_endpoint(
    model: Model,
    concurrency: int,
    pause: float,
    seams: Seams,
) -> AsyncIterator[Endpoint]:
    """Open the stack for one model; it is closed at the end, a local server included."""
    async with AsyncExitStack() as closing:
        client: Endpoint
        if model.engine is None:
            client = await closing.enter_async_context(_client(model, concurrency, seams))
        else:
            client = await closing.enter_async_context(_Started(model, concurrency, seams))
        recorded = Recorded(client, seams.keep, seams.counter)
        retrying = Retrying(
            recorded,
            retries=model.retries,
            first=model.backoff.get("first", 2.0),
            cap=model.backoff.get("cap", 60.0),
            jitter=random.Random(model.name),  # noqa: S311 - spreads waits, guards nothing
            sleep=seams.sleep,
            on_wait=lambda waiting: _tell(seams.watch, waiting),
        )
        yield Cached(retrying, seams.lookup, seams.counter)


def _tell(watch: Watch, waiting: Waiting) -> None:
    watch.wait(waiting.seconds, waiting.why)


def _settings(model: Model, concurrency: int) -> ClientSettings:
    return ClientSettings(
        base_url=model.base_url,
        key=model.key or None,
        headers=model.headers,
        timeouts=Timeouts(**model.timeouts),
        concurrency=concurrency,
    )


def _client(model: Model, concurrency: int, seams: Seams) -> ChatClient:
    settings = _settings(model, concurrency)
    return ChatClient(settings, Secrets([model.key, *model.headers.values()]), clock=seams.clock)


class _Started:
    """A local model whose server is started by the first question that the store cannot answer."""

    def __init__(self, model: Model, concurrency: int, seams: Seams) -> None:
        self._model, self._concurrency, self._seams = model, concurrency, seams
        self._starting = asyncio.Lock()
        self._closing = AsyncExitStack()
        self._client: ChatClient | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._closing.aclose()

    async def ask(self, request: Request) -> Response | Failure:
        async with self._starting:
            if self._client is None:
                self._client = await self._start()
        return await self._client.ask(request)

    async def _start(self) -> ChatClient:
        from afere.endpoints.local import LlamaServer

        engine = self._model.engine
        assert engine is not None, "a started model has an engine"  # noqa: S101 - an invariant
        weights = weights_file(engine, self._seams.cache, self._seams.watch)
        server = LlamaServer(weights, slots=self._concurrency, context=engine.context)
        base_url = await self._closing.enter_async_context(server)
        settings = ClientSettings(base_url=base_url, concurrency=self._concurrency, proxies=False)
        client = ChatClient(settings, Secrets(), clock=self._seams.clock)
        return await self._closing.enter_async_context(client)
