"""One small call to each endpoint: what works, what it supports, and the mend where it does not."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from afere.app.models import Model
from afere.app.stack import client_settings, endpoint_identity, litellm_client
from afere.app.watch import Silent
from afere.domain import Failure, FailureKind, Request, Response, Secrets, UsageError
from afere.endpoints import ChatClient

__all__ = ["Ping", "ping_all"]

QUESTION = "Reply with the JSON object that holds one field, ok, which is true."
SCHEMA = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}
EXTRAS: Mapping[str, Any] = {
    "seed": 1,
    "stop": ["\n\n\n"],
    "logprobs": True,
    "top_logprobs": 2,
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "ok", "strict": True, "schema": SCHEMA},
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """What came of the call to one model.

    supports: by name; seed and stop say only that the endpoint takes them without complaint.
    """

    model: str
    ok: bool
    latency: float | None
    supports: Mapping[str, bool] = field(default_factory=dict)
    error: str | None = None
    mend: str | None = None


async def ping_all(
    names: Sequence[str],
    find: Callable[[str], Model],
    cache: Path,
    clock: Callable[[], float],
) -> list[Ping]:
    """Call every model once, and once more without extras where it refuses them.

    find: gives the model of a name, or raises UsageError, which is told as its result.
    """
    pings = []
    for name in names:
        try:
            pings.append(await _ping(find(name), cache, clock))
        except UsageError as error:
            problem, _, mend = str(error).partition("\n")
            pings.append(Ping(model=name, ok=False, latency=None, error=problem, mend=mend))
    return pings


async def _ping(model: Model, cache: Path, clock: Callable[[], float]) -> Ping:
    identity = await endpoint_identity(model, cache, Silent())
    body = {
        "model": model.model,
        "messages": [{"role": "user", "content": QUESTION}],
        "max_tokens": 64,
        "temperature": 0,
    }
    request = Request(item="ping", round=1, endpoint=identity, model=model.model, body=body)
    async with AsyncExitStack() as closing:
        client = await closing.enter_async_context(_client(model, cache, clock))
        full = replace(request, body={**body, **EXTRAS})
        reply = await _adapted(client, full)
        taken = isinstance(reply, Response)
        if isinstance(reply, Failure) and reply.kind is FailureKind.BAD_REQUEST:
            reply = await _adapted(client, request)
        if isinstance(reply, Failure):
            mend = await _mend(client, model, reply)
            return Ping(
                model=model.name,
                ok=False,
                latency=reply.latency,
                error=reply.message,
                mend=mend,
            )
        return Ping(
            model=model.name,
            ok=True,
            latency=reply.latency,
            supports=_supports(reply, taken=taken),
        )


def _client(model: Model, cache: Path, clock: Callable[[], float]) -> Any:  # noqa: ANN401 - either client
    if model.translated:
        return litellm_client(model, clock)
    if model.engine is None:
        return ChatClient(client_settings(model, 1), Secrets(), clock=clock)
    from afere.endpoints.local import LlamaEndpoint, LlamaSettings, find_weights

    weights = find_weights(model.engine.weights, cache)
    return LlamaEndpoint(LlamaSettings(gguf=weights, alias=model.model), clock=clock)


async def _adapted(client: Any, request: Request) -> Response | Failure:  # noqa: ANN401 - either client
    """Ask, and at once again where the client adapted itself to the server."""
    reply: Response | Failure = await client.ask(request)
    if isinstance(reply, Failure) and reply.transient and reply.wait == 0.0:
        reply = await client.ask(request)
    return reply


def _supports(reply: Response, *, taken: bool) -> dict[str, bool]:
    try:
        choice = json.loads(reply.body)["choices"][0]
    except (ValueError, LookupError, TypeError):
        choice = {}
    return {
        "usage": reply.tokens.output is not None,
        "logprobs": bool(choice.get("logprobs")) if isinstance(choice, dict) else False,
        "seed": taken,
        "stop": taken,
        "json_schema": taken and _is_ok(reply.content),
        "reasoning": bool(reply.reasoning),
    }


def _is_ok(content: str) -> bool:
    try:
        found = json.loads(content)
    except ValueError:
        return False
    return isinstance(found, dict) and isinstance(found.get("ok"), bool) and len(found) == 1


_MENDS = {
    FailureKind.KEY: "export {key_name}=... with a key that this endpoint accepts",
    FailureKind.FORBIDDEN: "ask for access to the model, or give the gateway its --header 'N: v'",
    FailureKind.CONNECTION: "check that {base_url} is right and its server runs, and the proxy",
    FailureKind.TIMEOUT: "raise the provider's timeouts, or try when it is less busy",
    FailureKind.QUOTA: "see the provider's billing page, or come back when the quota is fresh",
}
_OTHER = "look at what the endpoint says; --param changes what is sent"


async def _mend(client: Any, model: Model, failure: Failure) -> str:  # noqa: ANN401 - either client
    if failure.kind is FailureKind.NOT_FOUND and model.translated:
        return "write the model as LiteLLM does: PROVIDER/MODEL, `groq/openai/gpt-oss-120b`"
    if failure.kind is FailureKind.NOT_FOUND:
        return await _place_or_name(client, model)
    mend = _MENDS.get(failure.kind, _OTHER)
    return mend.format(key_name=model.key_name, base_url=model.place)


async def _place_or_name(client: Any, model: Model) -> str:  # noqa: ANN401 - either client
    listed = await client.models() if isinstance(client, ChatClient) else ()
    if isinstance(listed, tuple) and listed:
        near = get_close_matches(model.model, listed, n=3, cutoff=0.3) or listed[:3]
        return f"the endpoint has no model {model.model!r}; nearest: {', '.join(near)}"
    base = model.place.rstrip("/")
    other = base.removesuffix("/v1") if base.endswith("/v1") else f"{base}/v1"
    return f"check the base URL: perhaps {other}"
