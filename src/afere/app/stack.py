"""The stack of endpoints that a request goes through: cache, retry, limits, record, client."""

import asyncio
import importlib.util
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afere import __version__
from afere.app.budget import Budget, Budgeted
from afere.app.models import Engine, Model
from afere.app.watch import Watch
from afere.domain import (
    Attempt,
    Endpoint,
    Failure,
    Ledger,
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
    Limited,
    Limits,
    LiteLLMClient,
    LiteLLMSettings,
    Pacing,
    Recorded,
    Retrying,
    Timeouts,
    Waiting,
)

if TYPE_CHECKING:
    from afere.endpoints.local import LlamaEndpoint

__all__ = [
    "Seams",
    "client_settings",
    "endpoint_identity",
    "litellm_client",
    "open_endpoint",
    "weights_file",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seams:
    """What the stack needs from outside itself."""

    lookup: Callable[[str], Awaitable[Response | None]]
    keep: Callable[[Attempt], Awaitable[Response | None]]
    counter: Counter
    sleep: Callable[[float], Awaitable[None]]
    clock: Callable[[], float]
    watch: Watch
    cache: Path
    budget: Budget
    ledger: Ledger


async def endpoint_identity(model: Model, cache: Path, watch: Watch) -> str:
    """Give what answers, as it enters the cache key: the address, or engine and weights.

    Raises UsageError where what the model needs is not installed.
    """
    if model.translated:
        return litellm_identity(model)
    if model.engine is None:
        return client_settings(model, concurrency=1).shown
    from afere.endpoints.local import llama_endpoint

    path = await asyncio.to_thread(weights_file, model.engine, cache, watch)
    return await asyncio.to_thread(llama_endpoint, path)


def litellm_identity(model: Model) -> str:
    """Give `litellm:` and the address, if one is declared; the model's name holds the provider.

    Its version is no part of it: it is released every few days, and an answer that was paid for
    is not to be paid for again.
    """
    if importlib.util.find_spec("litellm") is None:
        raise UsageError(
            f"The model {model.name} is asked by LiteLLM, which is not installed.\n"
            'Type: pip install "afere[litellm]"',
        )
    return f"litellm:{model.place}" if "://" in model.base_url else "litellm:"


def litellm_client(model: Model, clock: Callable[[], float]) -> LiteLLMClient:
    """Give the client of a model that LiteLLM asks."""
    settings = LiteLLMSettings(
        place=model.place,
        key=model.key,
        key_name=model.key_name,
        base_url=model.base_url if "://" in model.base_url else None,
        headers=model.headers,
        timeouts=Timeouts(**model.timeouts),
        timezone=model.timezone,
        own_quota=frozenset({model.model} if "rpd" in model.limits else ()),
    )
    return LiteLLMClient(settings, Secrets([model.key, *model.secrets]), clock=clock)


def weights_file(engine: Engine, cache: Path, watch: Watch) -> Path:
    """Give the GGUF file of an engine, fetched on first use; raises UsageError."""
    from afere.endpoints.local import find_weights

    told: set[int] = set()

    def progress(fetched: int, expected: int) -> None:
        tenth = 10 * fetched // max(expected, 1)
        if tenth not in told:
            told.add(tenth)
            watch.note(
                Sentence(
                    "Fetching the weights {name}: {done} of {all} MB",
                    name=engine.weights,
                    done=fetched // 1_000_000,
                    all=expected // 1_000_000,
                ),
            )

    return find_weights(engine.weights, cache, progress)


@asynccontextmanager
async def open_endpoint(
    model: Model,
    concurrency: int,
    pause: float,
    seams: Seams,
) -> AsyncIterator[Endpoint]:
    """Open the stack for one model; it is closed at the end, a local server included."""
    async with AsyncExitStack() as closing:
        client: ChatClient | LiteLLMClient | LlamaEndpoint = await closing.enter_async_context(
            _client(model, concurrency, seams)
        )
        limited = Limited(
            Budgeted(
                Recorded(_Guarded(client, model), seams.keep, seams.counter),
                seams.budget,
                model,
            ),
            Limits(**model.provider_limits, pause=pause),
            provider=model.provider,
            models={model.model: Limits(**model.limits)},
            pacing=Pacing(
                first=model.backoff.get("first", 2.0),
                cap=model.backoff.get("cap", 60.0),
                timezone=model.timezone,
            ),
            ledger=seams.ledger,
            clock=seams.clock,
            sleep=seams.sleep,
            on_wait=lambda waiting: _tell(seams.watch, waiting),
        )
        retrying = Retrying(
            limited,
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


def client_settings(model: Model, concurrency: int) -> ClientSettings:
    """Say how a model's provider is reached."""
    return ClientSettings(
        base_url=model.base_url,
        key=model.key or None,
        key_name=model.key_name,
        headers=model.headers,
        timeouts=Timeouts(**model.timeouts),
        concurrency=concurrency,
        timezone=model.timezone,
        own_quota=frozenset({model.model} if "rpd" in model.limits else ()),
        user_agent=f"afere/{__version__}",
    )


def _client(
    model: Model,
    concurrency: int,
    seams: Seams,
) -> "ChatClient | LiteLLMClient | LlamaEndpoint":
    if model.translated:
        return litellm_client(model, seams.clock)
    if model.engine is None:
        settings = client_settings(model, concurrency)
        return ChatClient(settings, Secrets(), clock=seams.clock)
    from afere.endpoints.local import LlamaEndpoint, LlamaSettings

    local = LlamaSettings(
        gguf=weights_file(model.engine, seams.cache, seams.watch),
        alias=model.model,
        slots=concurrency,
        context=model.engine.context,
    )
    return LlamaEndpoint(
        local,
        clock=seams.clock,
        timeouts=Timeouts(**model.timeouts),
        on_start=lambda: seams.watch.note(Sentence("Starting {model} …", model=model.name)),
    )


class _Guarded:
    """Cuts every header value out of failures, where gateways like to echo what they were sent.

    Replies of the model are cut by what is known to be secret alone: an ordinary word of a header
    may be part of an answer.
    """

    def __init__(self, inner: Endpoint, model: Model) -> None:
        self._inner = inner
        key = [model.key] if model.key else []
        self._secrets = Secrets([*model.headers.values(), *key], tokens=key)

    async def ask(self, request: Request) -> Response | Failure:
        """Ask, and give a failure without what was sent in headers."""
        result = await self._inner.ask(request)
        if isinstance(result, Response):
            return result
        return replace(
            result,
            message=self._secrets.redact(result.message),
            body=self._secrets.redact(result.body),
        )
