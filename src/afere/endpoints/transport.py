"""Bytes to one provider and back: a connection pool, its time-outs, a limit on what is read."""

import asyncio
import io
from collections.abc import Awaitable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from afere.endpoints.connection import proxy_for
from afere.endpoints.settings import ClientSettings

if TYPE_CHECKING:
    import aiohttp

__all__ = ["Broken", "HttpReply", "Transport"]

_LARGE = 1 << 20  # a body above is sent from a buffer, piece by piece


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpReply:
    """A reply as it came over the wire.

    headers: looked up in any case of letters. body: None where it was larger than allowed.
    latency: seconds from the first byte sent to the last byte read.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes | None
    latency: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """No whole reply came; what was raised, and the seconds that passed."""

    error: Exception
    latency: float


class Transport:
    """The connections to one provider, opened at the first call: a replayed run needs none."""

    def __init__(self, settings: ClientSettings) -> None:
        self._settings = settings
        self._session: aiohttp.ClientSession | None = None
        self.proxy = proxy_for(settings.url) if settings.proxies else None

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def send(self, method: str, url: str, data: bytes | None = None) -> HttpReply | Broken:
        """Make one HTTP request, following no redirect."""
        import aiohttp

        session = self._session or self._opened()
        time = asyncio.get_running_loop().time
        call = _Call(began=time(), limit=self._settings.timeouts.first_byte)
        _CALL.set(call)
        request = session.request(
            method,
            url,
            data=data if data is None or len(data) < _LARGE else io.BytesIO(data),
            allow_redirects=False,
            proxy=self.proxy,
        )
        try:
            answer = await (request if call.limit is None else _begun(request, call))
            async with answer:
                body = await _read(answer, self._settings.largest_body)
        except (aiohttp.ClientError, OSError, EOFError, ValueError, LookupError) as error:
            return Broken(error=error, latency=time() - call.began)
        latency = time() - call.began
        return HttpReply(status=answer.status, headers=answer.headers, body=body, latency=latency)

    def _opened(self) -> "aiohttp.ClientSession":
        import aiohttp

        own = self._settings
        limits = aiohttp.ClientTimeout(total=own.timeouts.total, sock_connect=own.timeouts.connect)
        self._session = aiohttp.ClientSession(
            connector=_noting_connector()(limit=own.concurrency, ttl_dns_cache=300),
            headers=_headers(own),
            timeout=limits,
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        return self._session


@dataclass(slots=True)
class _Call:
    """One call on its way.

    began: when its first byte went out, on the event loop's clock. limit: seconds from then until
    the reply must begin.
    """

    began: float
    limit: float | None
    first_byte: asyncio.Timeout | None = None


_CALL: ContextVar[_Call] = ContextVar("call")


async def _begun(
    request: Awaitable["aiohttp.ClientResponse"],
    call: _Call,
) -> "aiohttp.ClientResponse":
    """Wait until a reply begins, for no longer than allowed from when the call has a connection."""
    async with asyncio.timeout(None) as call.first_byte:
        return await request


@cache
def _noting_connector() -> "type[aiohttp.TCPConnector]":
    """Give a pool that notes when a call has its connection, and from then limits its wait."""
    import aiohttp

    class NotingConnector(aiohttp.TCPConnector):
        async def connect(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - as inherited
            connection = await super().connect(*args, **options)
            call = _CALL.get()
            call.began = asyncio.get_running_loop().time()
            if call.limit is not None and call.first_byte is not None:
                call.first_byte.reschedule(call.began + call.limit)
            return connection

    return NotingConnector


def _headers(settings: ClientSettings) -> dict[str, str]:
    own = {
        "Accept": "application/json",
        "Content-Type": "application/json",
        "User-Agent": settings.user_agent,
    }
    if settings.key:
        own["Authorization"] = f"Bearer {settings.key}"
    given = {name.lower() for name in settings.headers}
    kept = {name: value for name, value in own.items() if name.lower() not in given}
    return kept | dict(settings.headers)


async def _read(answer: "aiohttp.ClientResponse", most: int) -> bytes | None:
    """Read the body; None, with the connection given up, where it is longer than `most`."""
    told = answer.content_length
    if told is not None and told <= most and "Content-Encoding" not in answer.headers:
        return await answer.read()
    parts: list[bytes] = []
    size = told or 0
    if size <= most:
        size = 0
        async for part in answer.content.iter_any():
            size += len(part)
            if size > most:
                break
            parts.append(part)
    if size > most:
        answer.close()
        return None
    return b"".join(parts)
