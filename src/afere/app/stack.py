"""The stack of endpoints that a request goes through: cache, retry, limits, record, client."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from afere.app.models import SHIPPED_WEIGHTS, Engine, Model
from afere.app.watch import Watch
from afere.domain import (
    Attempt,
    Endpoint,
    Failure,
    FailureKind,
    Request,
    Response,
    Secrets,
    Sentence,
    UsageError,
)
from afere.endpoints import Cached, ChatClient, ClientSettings, Counter, Limited, Limits, Recorded, Retrying

__all__ = ["Seams", "endpoint_identity", "open_endpoint", "weights_file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seams:
    """What the stack needs from outside itself."""

    lookup: Callable[[str], Awaitable[Response | None]]
    keep: Callable[[Attempt], Awaitable[None]]
    counts: Counter
    sleep: Callable[[float], Awaitable[None]]
    clock: Callable[[], float]
    watch: Watch
    cache: Path


async def endpoint_identity(model: Model, cache: Path, watch: Watch) -> str:
    """Give what answers, as it enters the cache key: the address, or engine and weights."""
    if model.engine is None:
        return model.base_url.partition("?")[0]
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
    """Open the stack for one model and close it, local server included, at the end."""
    async with AsyncExitStack() as closing:
        client: Endpoint
        if model.engine is None:
            client = await closing.enter_async_context(_client(model, model.base_url, concurrency, seams))
        else:
            client = await closing.enter_async_context(_Started(model, concurrency, seams))
        recorded = Recorded(client, seams.keep, seams.counts)
        limited = Limited(recorded, _limits(model, concurrency, pause), sleep=seams.sleep, on_wait=seams.watch.wait)
        retrying = Retrying(
            limited,
            retries=model.retries,
            first=model.backoff.get("first", 2.0),
            cap=model.backoff.get("cap", 60.0),
            jitter=random.Random(0),
            sleep=seams.sleep,
            on_wait=seams.watch.wait,
        )
        yield Cached(retrying, seams.lookup, seams.counts)
