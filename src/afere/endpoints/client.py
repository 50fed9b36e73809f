"""The client of `/chat/completions`: one request, one POST, one result."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from enum import Enum
from types import TracebackType
from typing import Any, Self
from urllib.parse import urljoin, urlsplit

from afere.domain import Failure, FailureKind, Request, Response, Scope, Secrets
from afere.endpoints.connection import connection_failure
from afere.endpoints.failures import Asked
from afere.endpoints.replies import read_models, read_reply
from afere.endpoints.settings import ClientSettings, secrets_of
from afere.endpoints.transport import Broken, HttpReply, Transport
from afere.endpoints.wording import one_line

__all__ = ["ChatClient"]

_MOVED = frozenset({301, 302, 303, 307, 308})
_FOR_GOOD = frozenset({301, 308})
_MOST_HOPS = 5
_REFUSED = frozenset({FailureKind.FORBIDDEN, FailureKind.NOT_FOUND})


class ChatClient:
    """Asks one provider. An async context manager: leaving it closes its connections.

    Nothing that a server or the network does is raised; it comes back as a `Failure`. One call of
    `ask` is one HTTP request. What a server wants otherwise (another address on the same host,
    `max_completion_tokens` in place of `max_tokens`) comes back as a transient failure with
    `wait=0.0`, is remembered, and the next call does it that way.

    clock: gives seconds since 1970.
    """

    def __init__(
        self,
        settings: ClientSettings,
        secrets: Secrets,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._settings, self._clock = settings, clock
        self._transport = Transport(settings)
        own = [*settings.secrets, *secrets_of(self._transport.proxy or "")]
        self._secrets, self._own = secrets, Secrets(own)
        self._url = settings.url
        self._moved: dict[str, tuple[str, int]] = {}  # by request key: where to, hops so far
        self._renamed: set[str] = set()  # models that want max_completion_tokens
        self._answered: set[str] = set()
        self._refused: dict[FailureKind, set[str]] = {kind: set() for kind in _REFUSED}

    def __repr__(self) -> str:
        return f"ChatClient({self._redact(self._settings.shown)})"

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
        """Close the connections; asking again opens new ones."""
        await self._transport.close()

    async def ask(self, request: Request) -> Response | Failure:
        """Make one HTTP request and read what comes back."""
        result = await self._post(request)
        if isinstance(result, Response):
            self._answered.add(request.model)
        elif result.kind in _REFUSED:
            return self._widened(result, request.model)
        return result

    async def models(self) -> tuple[str, ...] | Failure:
        """Give the names that the provider's `/models` lists; one HTTP request."""
        url = self._settings.url_of("/models")
        raw = await self._transport.send("GET", url)
        asked = self._asked("", raw.latency)
        if isinstance(raw, Broken):
            return connection_failure(raw.error, asked, self._settings.timeouts, self._redact)
        return read_models(raw, asked, self._redact)

    async def _post(self, request: Request) -> Response | Failure:
        address, hops = self._url, 0
        if self._moved:
            address, hops = self._moved.pop(request.key, (address, hops))
        renamed = "max_tokens" in request.body and request.model in self._renamed
        data = _encoded(request.body, renamed=renamed)
        raw = await self._transport.send("POST", address, data)
        asked = self._asked(request.model, raw.latency)
        if isinstance(raw, Broken):
            return connection_failure(raw.error, asked, self._settings.timeouts, self._redact)
        if raw.body is None:
            return _too_large(raw.status, self._settings.largest_body, asked)
        if raw.status in _MOVED:
            return self._redirected(request, raw, (address, hops), asked)
        result = read_reply(raw, asked, self._redact)
        if isinstance(result, Failure) and _wants_other_name(result, request.body, renamed=renamed):
            self._renamed.add(request.model)
            return _again(result, "the server wants max_completion_tokens in place of max_tokens")
        return replace(result, adapted=("max_completion_tokens",)) if renamed else result

    def _asked(self, model: str, latency: float) -> Asked:
        settings = self._settings
        return Asked(
            model=model,
            place=self._redact(settings.shown),
            now=self._clock(),
            latency=latency,
            key_name=settings.key_name,
            keyless=not (settings.key or settings.headers or "?" in settings.base_url),
            timezone=settings.timezone,
            own_quota=model in settings.own_quota,
        )

    def _redact(self, text: str) -> str:
        return self._own.redact(self._secrets.redact(text))

    def _redirected(
        self,
        request: Request,
        raw: HttpReply,
        came_from: tuple[str, int],
        asked: Asked,
    ) -> Failure:
        """Go along within one scheme, host and port; elsewhere the key would travel."""
        address, hops = came_from
        target = _target(address, raw.headers.get("Location", ""))
        place = one_line(self._redact(target))
        same = _origin(target) == _origin(address) and target != address
        failure = Failure(
            kind=FailureKind.REDIRECT,
            message=f"{raw.status}: a redirect to {place}, which is not followed, since the key "
            "would travel there; set it as the base URL if it is right",
            status=raw.status,
            latency=asked.latency,
            failed_at=asked.now,
        )
        if not same or hops >= _MOST_HOPS:
            return failure
        self._moved[request.key] = (target, hops + 1)
        if raw.status in _FOR_GOOD:
            self._url = target
        return _again(failure, f"{raw.status}: the address moved to {place}")

    def _widened(self, failure: Failure, model: str) -> Failure:
        """Stop the provider where a second model is refused in the same way and none answers."""
        refused = self._refused[failure.kind]
        refused.add(model)
        if len(refused) > 1 and not self._answered:
            return replace(failure, scope=Scope.PROVIDER)
        return failure


def _encoded(body: Mapping[str, Any], *, renamed: bool) -> bytes:
    if renamed:
        body = {("max_completion_tokens" if k == "max_tokens" else k): v for k, v in body.items()}
    return _BODY.encode(body).encode("ascii")


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{type(value).__name__} has no JSON form")


_BODY = json.JSONEncoder(default=_plain, allow_nan=False, separators=(",", ":"))


def _too_large(status: int, most: int, asked: Asked) -> Failure:
    return Failure(
        kind=FailureKind.BAD_BODY,
        message=f"{status}: the reply is larger than {most / 1e6:g} MB; the rest was not read",
        status=status,
        transient=True,
        latency=asked.latency,
        failed_at=asked.now,
    )


def _target(address: str, location: str) -> str:
    try:
        return urljoin(address, location)
    except ValueError:
        return location


def _origin(url: str) -> tuple[str, str | None, int | None]:
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return "", None, None
    return parts.scheme, parts.hostname, port


def _wants_other_name(failure: Failure, body: Mapping[str, Any], *, renamed: bool) -> bool:
    told = failure.body + failure.message
    return (
        failure.kind is FailureKind.BAD_REQUEST
        and not renamed
        and "max_tokens" in body
        and "max_completion_tokens" in told
    )


def _again(failure: Failure, message: str) -> Failure:
    return replace(failure, message=f"{message}; asked again so", transient=True, wait=0.0)
