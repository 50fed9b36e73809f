"""The faults that real endpoints show, each a function that writes to an exchange."""

import asyncio
import gzip as gzip_module
import json
from collections.abc import Mapping, Sequence
from typing import Any

from servers.chat import Exchange, Fault, HeaderList
from servers.replies import Reply, completion, encoded

Body = Mapping[str, Any] | Sequence[Any] | str | bytes


def status(code: int, body: Body = "", headers: HeaderList = ()) -> Fault:
    """Answer with a status; an object becomes JSON, a text is sent as plain text."""
    content_type = "text/plain" if isinstance(body, str | bytes) else "application/json"

    async def fault(exchange: Exchange) -> None:
        await exchange.send(code, _bytes(body), headers, content_type=content_type)

    return fault


def status_line(code: int, body: Body = "", headers: HeaderList = ()) -> Fault:
    """Answer with any number as the status, known or not."""
    data = _bytes(body)

    async def fault(exchange: Exchange) -> None:
        lines = [f"HTTP/1.1 {code} Whatever", f"Content-Length: {len(data)}"]
        lines += [f"{name}: {value}" for name, value in headers]
        await exchange.write(("\r\n".join(lines) + "\r\n\r\n").encode() + data)

    return fault


def error(status_code: int, message: str, /, headers: HeaderList = (), **fields: object) -> Fault:
    """Answer with a status and an error object in the usual form."""
    return status(status_code, {"error": {"message": message, **fields}}, headers)


def ok(body: Body, content_type: str | None = "application/json") -> Fault:
    """Answer 200 with a body of one's own."""

    async def fault(exchange: Exchange) -> None:
        await exchange.send(200, _bytes(body), content_type=content_type)

    return fault


def reply(answer: Reply) -> Fault:
    """Answer well, but with this reply."""

    async def fault(exchange: Exchange) -> None:
        await exchange.send(body=encoded(completion(answer, str(exchange.call.body["model"]))))

    return fault


def echo_headers(code: int = 400) -> Fault:
    """Answer with an error that quotes every header of the request, the key included."""

    async def fault(exchange: Exchange) -> None:
        quoted = "; ".join(f"{name}: {value}" for name, value in exchange.call.headers)
        told = {"error": {"message": f"{exchange.call.path} {quoted}"}}
        await exchange.send(code, encoded(told))

    return fault


def reset() -> Fault:
    """Break the connection before the first byte."""

    async def fault(exchange: Exchange) -> None:
        exchange.reset()

    return fault


def reset_in_body() -> Fault:
    """Break the connection after half of the body."""

    async def fault(exchange: Exchange) -> None:
        half = exchange.good[: len(exchange.good) // 2]
        await exchange.send(body=half, length=len(exchange.good))
        await asyncio.sleep(0.01)  # the half must arrive before the reset
        exchange.reset()

    return fault


def closed() -> Fault:
    """Close the connection without an answer."""

    async def fault(exchange: Exchange) -> None:
        exchange.close()

    return fault


def short_body() -> Fault:
    """Promise more bytes than are sent, then close."""

    async def fault(exchange: Exchange) -> None:
        await exchange.send(length=len(exchange.good) + 10)
        exchange.close()

    return fault


def half_json() -> Fault:
    """Send half of the JSON under a true length."""

    async def fault(exchange: Exchange) -> None:
        await exchange.send(body=exchange.good[: len(exchange.good) // 2])

    return fault


def stall(seconds: float = 30.0) -> Fault:
    """Say nothing for so long, then answer well."""

    async def fault(exchange: Exchange) -> None:
        await asyncio.sleep(seconds)
        await exchange.send()

    return fault


def stall_in_body(seconds: float = 30.0) -> Fault:
    """Send half of the body, wait for so long, send the rest."""

    async def fault(exchange: Exchange) -> None:
        middle = len(exchange.good) // 2
        await exchange.send(body=exchange.good[:middle], length=len(exchange.good))
        await asyncio.sleep(seconds)
        await exchange.write(exchange.good[middle:])

    return fault


def trickle(pieces: int = 20, pause: float = 0.005) -> Fault:
    """Send a good body in small pieces."""

    async def fault(exchange: Exchange) -> None:
        await exchange.send(body=b"", length=len(exchange.good))
        step = max(1, len(exchange.good) // pieces)
        for start in range(0, len(exchange.good), step):
            await exchange.write(exchange.good[start : start + step])
            await asyncio.sleep(pause)

    return fault


def invalid_utf8() -> Fault:
    """Send a body whose content holds bytes that are no UTF-8."""

    async def fault(exchange: Exchange) -> None:
        model = str(exchange.call.body["model"])
        body = encoded(completion("ma@@@ao", model)).replace(b"@@@", b"\xe7\xe3\xff")
        await exchange.send(body=body)

    return fault


def huge(size: int) -> Fault:
    """Send a good body padded with white space to so many bytes."""

    async def fault(exchange: Exchange) -> None:
        await exchange.send(body=b"", length=size)
        await exchange.write(exchange.good)
        left = size - len(exchange.good)
        while left > 0:
            await exchange.write(b" " * min(left, 1 << 16))
            left -= 1 << 16

    return fault


def endless() -> Fault:
    """Send chunks for ever."""

    async def fault(exchange: Exchange) -> None:
        await exchange.head(200, [("Transfer-Encoding", "chunked")])
        while True:
            await exchange.write(b"10000\r\n" + b" " * (1 << 16) + b"\r\n")

    return fault


def gzip(padding: int = 0) -> Fault:
    """Send a good body compressed, with so many bytes of white space inside."""

    async def fault(exchange: Exchange) -> None:
        packed = gzip_module.compress(exchange.good + b" " * padding)
        await exchange.send(body=packed, headers=[("Content-Encoding", "gzip")])

    return fault


def broken_gzip() -> Fault:
    """Say that the body is compressed when it is not."""

    async def fault(exchange: Exchange) -> None:
        await exchange.send(headers=[("Content-Encoding", "gzip")])

    return fault


def redirect(to: str, code: int = 307) -> Fault:
    """Send the client elsewhere."""

    async def fault(exchange: Exchange) -> None:
        await exchange.send(code, b"", [("Location", to)])

    return fault


def duplicate_headers() -> Fault:
    """Answer well with headers that come twice."""

    async def fault(exchange: Exchange) -> None:
        twice = [("X-Twice", "1"), ("X-Twice", "2"), ("Content-Type", "application/json")]
        await exchange.send(headers=[*twice, ("Retry-After", "1"), ("Retry-After", "9")])

    return fault


def garbage(data: bytes = b"this is not HTTP\r\n\r\n") -> Fault:
    """Write bytes that are no HTTP, then close."""

    async def fault(exchange: Exchange) -> None:
        await exchange.write(data)
        exchange.close()

    return fault


def event_stream(events: Sequence[Mapping[str, Any] | str], *, done: bool = True) -> Fault:
    """Answer with server-sent events, as a proxy that always streams does."""

    async def fault(exchange: Exchange) -> None:
        texts = [each if isinstance(each, str) else json.dumps(each) for each in events]
        lines = [f"data: {text}\r\n\r\n" for text in texts]
        body = "".join([": comment\r\n\r\n", *lines, "data: [DONE]\r\n\r\n" if done else ""])
        await exchange.send(body=body.encode(), content_type="text/event-stream")

    return fault


def delta(
    content: str | None = None, finish_reason: str | None = None, **more: object
) -> dict[str, Any]:
    """Give one event of a streamed reply."""
    part = {"content": content, **more} if content is not None else dict(more)
    choice = {"index": 0, "delta": part, "finish_reason": finish_reason}
    return {"object": "chat.completion.chunk", "model": "streamed", "choices": [choice]}


def _bytes(body: Body) -> bytes:
    if isinstance(body, bytes):
        return body
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()
