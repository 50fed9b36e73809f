"""Models that speak another protocol, by LiteLLM (an extra); what it tells is read as any reply."""

import asyncio
import importlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from types import TracebackType
from typing import Any, Self

from afere.domain import Failure, FailureKind, Request, Response, Scope, Secrets, to_plain
from afere.endpoints.failures import Asked
from afere.endpoints.replies import read_reply
from afere.endpoints.settings import Timeouts
from afere.endpoints.transport import HttpReply
from afere.endpoints.wording import one_line

__all__ = ["LiteLLMClient", "LiteLLMSettings"]

# Read by the library when it is imported: no price list from the network, no `.env` file.
_SWITCHES = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}
_CODES = {
    "ContentPolicyViolationError": "content_policy_violation",
    "ContextWindowExceededError": "context_length_exceeded",
    "NotFoundError": "model_not_found",
}
_UNREACHED = ("Connection error", "Cannot connect", "All connection attempts failed")
_NO_PROVIDER = "LLM Provider NOT provided"
_OURS = ("model", "messages")


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteLLMSettings:
    """How LiteLLM reaches a provider.

    key: passed on where it is not empty, else the library looks for its own variables.
    key_name: the variable to name in messages. base_url: in place of the provider's own address.
    place: what is shown as the address. headers: sent along.
    """

    place: str
    key: str = field(default="", repr=False)
    key_name: str = "AFERE_API_KEY"
    base_url: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeouts: Timeouts = field(default_factory=Timeouts)
    timezone: str = "UTC"
    own_quota: frozenset[str] = frozenset()


class LiteLLMClient:
    """Asks by LiteLLM, `groq/openai/gpt-oss-120b` for instance; an async context manager.

    One call of `ask` is one request: the library's own retries, fallbacks, cache and reports to
    others are off. It is imported at the first question, since that takes seconds. Nothing that
    it raises is raised here; it comes back as a `Failure`.

    secrets: values to keep out of texts. clock: gives seconds since 1970.
    """

    def __init__(
        self,
        settings: LiteLLMSettings,
        secrets: Secrets,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._settings, self._secrets, self._clock = settings, secrets, clock
        self._used = False

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
        """Close the library's connections."""
        closing = getattr(_library(), "close_litellm_async_clients", None) if self._used else None
        if closing is not None:
            await closing()

    async def ask(self, request: Request) -> Response | Failure:
        """Make one request and read what comes back."""
        library = await asyncio.to_thread(_library)
        self._used = True
        time = asyncio.get_running_loop().time
        began = time()
        try:
            async with asyncio.timeout(self._settings.timeouts.total):
                reply = await library.acompletion(**self._arguments(request))
            raw = _replied(reply, time() - began)
        except Exception as error:  # noqa: BLE001 - whatever the library raises is told
            return self._told(error, self._asked(request.model, time() - began))
        return read_reply(raw, self._asked(request.model, raw.latency), self._secrets.redact)

    def _arguments(self, request: Request) -> dict[str, Any]:
        own = self._settings
        given: dict[str, Any] = {
            "api_key": own.key or None,
            "api_base": own.base_url,
            "extra_headers": dict(own.headers) or None,
        }
        rest = {name: to_plain(value) for name, value in request.body.items() if name not in _OURS}
        return {
            **rest,
            **{name: value for name, value in given.items() if value is not None},
            "model": request.model,
            "messages": to_plain(request.body["messages"]),
            "num_retries": 0,
            "max_retries": 0,
            "timeout": own.timeouts.total,
        }

    def _asked(self, model: str, latency: float) -> Asked:
        own = self._settings
        return Asked(
            model=model,
            place=own.place,
            now=self._clock(),
            latency=latency,
            key_name=own.key_name,
            timezone=own.timezone,
            own_quota=model in own.own_quota,
        )

    def _told(self, error: Exception, asked: Asked) -> Response | Failure:
        """Class what the library raised: by its status as if a server had sent it, else by kind."""
        name, said = type(error).__name__, one_line(self._secrets.redact(str(error)), most=400)
        status = getattr(error, "status_code", None)
        failure = Failure(
            kind=FailureKind.BAD_BODY,
            message=f"LiteLLM could not ask or read ({name}: {said})",
            transient=True,
            latency=asked.latency,
            failed_at=asked.now,
        )
        if isinstance(error, TimeoutError) or name == "Timeout":
            late = f"no whole reply within {self._settings.timeouts.total:g} s (timeouts: total)"
            return replace(failure, kind=FailureKind.TIMEOUT, message=late)
        if name == "APIConnectionError" or any(each in str(error) for each in _UNREACHED):
            message = f"no connection to {asked.place} ({said})"
            return replace(failure, kind=FailureKind.CONNECTION, message=message)
        if _NO_PROVIDER in str(error):
            message = (
                f"LiteLLM knows no provider of {one_line(asked.model)!r}; write PROVIDER/MODEL"
            )
            return replace(
                failure,
                kind=FailureKind.NOT_FOUND,
                message=message,
                transient=False,
                scope=Scope.MODEL,
            )
        if not isinstance(status, int) or status < 400:  # noqa: PLR2004 - where errors begin
            return failure
        return read_reply(_refused(error, status, asked.latency), asked, self._secrets.redact)


@cache
def _library() -> Any:  # noqa: ANN401 - an extra, without types here
    for name, value in _SWITCHES.items():
        os.environ.setdefault(name, value)  # a switch of the library, read nowhere else
    library: Any = importlib.import_module("litellm")
    library.telemetry = False
    library.suppress_debug_info = True
    library.turn_off_message_logging = True
    library.drop_params = False
    return library


def _replied(reply: Any, latency: float) -> HttpReply:  # noqa: ANN401 - the library's own record
    body: str = reply.model_dump_json()
    return HttpReply(status=200, headers=_JSON, body=body.encode("utf-8"), latency=latency)


def _refused(error: Exception, status: int, latency: float) -> HttpReply:
    """Give an exception as the reply that it stands for: its own body's codes where it has one."""
    from multidict import CIMultiDict

    headers = CIMultiDict(getattr(error, "litellm_response_headers", None) or {})
    headers.update(_JSON)
    body = getattr(error, "body", None)
    said = body if isinstance(body, dict) else {}
    told = {
        "message": str(error),
        "code": _CODES.get(type(error).__name__) or said.get("code"),
        "type": said.get("type"),
    }
    text = json.dumps({"error": {name: value for name, value in told.items() if value}})
    return HttpReply(status=status, headers=headers, body=text.encode(), latency=latency)


_JSON = {"Content-Type": "application/json"}
