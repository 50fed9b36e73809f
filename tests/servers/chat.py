"""The server: HTTP/1.1 by hand on asyncio, so that every byte can be wrong on purpose."""

import asyncio
import contextlib
import json
import socket
import ssl
import struct
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Self

from servers.replies import Reply, completion, encoded

HeaderList = Iterable[tuple[str, str]]
RESET = struct.pack("ii", 1, 0)  # linger on, zero seconds: close sends a reset


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request that came in. number: of all calls; nth: of those with this model and prompt."""

    number: int
    nth: int
    path: str
    headers: tuple[tuple[str, str], ...]
    raw: bytes
    body: Mapping[str, Any]

    @property
    def prompt(self) -> str:
        """The text of the last message."""
        return prompt_of(self.body)

    def header(self, name: str) -> str | None:
        """Give the first header of that name."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


def prompt_of(body: Mapping[str, Any]) -> str:
    """Give the text of the last message of a request."""
    messages = body.get("messages") or [{}]
    return str(messages[-1].get("content", ""))


class Exchange:
    """One call being answered: what a fault writes to."""

    def __init__(self, call: Call, good: bytes, writer: asyncio.StreamWriter) -> None:
        self.call, self.good, self._writer = call, good, writer

    async def send(
        self,
        status: int = 200,
        body: bytes | None = None,
        headers: HeaderList = (),
        *,
        length: int | None = None,
        content_type: str | None = "application/json",
    ) -> None:
        """Write a whole reply; `length` may lie."""
        body = self.good if body is None else body
        size = len(body) if length is None else length
        own = [("Content-Length", str(size))]
        if content_type is not None:
            own.append(("Content-Type", content_type))
        await self.head(status, [*own, *headers])
        await self.write(body)

    async def head(self, status: int, headers: HeaderList) -> None:
        """Write status line and headers."""
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
        lines += [f"{name}: {value}" for name, value in headers]
        await self.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    async def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        self._writer.write(data)
        await self._writer.drain()

    def reset(self) -> None:
        """Break the connection with a reset."""
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self._writer.transport.abort()

    def close(self) -> None:
        """Close the connection after what was written."""
        self._writer.close()


Fault = Callable[[Exchange], Awaitable[None]]
Plan = Callable[[Call], Fault | None]
Answers = Callable[[Mapping[str, Any]], Reply | str]


class ChatServer:
    """Answers `/v1/chat/completions` in a thread of its own; use as a context manager.

    answers: gives the reply to a request's body. plan: gives the fault that a call meets, if any.
    delay: seconds before each good reply. models: what `/v1/models` lists. tls: to speak https.
    """

    def __init__(
        self,
        answers: Answers = lambda _body: "42",
        plan: Plan = lambda _call: None,
        *,
        delay: float = 0.0,
        models: Iterable[str] = ("small", "large"),
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.answers, self.plan, self.delay, self.models = answers, plan, delay, tuple(models)
        self.tls = tls
        self.calls: list[Call] = []
        self.max_in_flight = 0
        self.connections = 0
        self._in_flight = 0
        self._nth: Counter[tuple[str, str]] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()
        self.port = 0

    @property
    def base_url(self) -> str:
        """What a client is given."""
        scheme = "https" if self.tls is not None else "http"
        return f"{scheme}://127.0.0.1:{self.port}/v1"

    @property
    def count(self) -> int:
        """How many calls came in."""
        return len(self.calls)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *_exc: object) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(10)

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stopped = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=self.tls)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopped.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while not writer.is_closing():
                    await self._one(reader, writer)
        except asyncio.CancelledError:
            pass  # the server stops
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _version = head[0].split(" ", 2)
        pairs = [line.split(":", 1) for line in head[1:] if line]
        headers = tuple((name.strip(), value.strip()) for name, value in pairs)
        length = next((int(v) for k, v in headers if k.lower() == "content-length"), 0)
        raw = await reader.readexactly(length)
        if method == "GET":
            await self._models(writer)
            return
        call = self._noted(path, headers, raw)
        self._in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self._in_flight)
        try:
            await self._answer(call, writer)
        finally:
            self._in_flight -= 1

    def _noted(self, path: str, headers: tuple[tuple[str, str], ...], raw: bytes) -> Call:
        body = json.loads(raw) if raw else {}
        who = str(body.get("model")), prompt_of(body)
        self._nth[who] += 1
        call = Call(
            number=len(self.calls) + 1,
            nth=self._nth[who],
            path=path,
            headers=headers,
            raw=raw,
            body=body,
        )
        self.calls.append(call)
        return call

    async def _answer(self, call: Call, writer: asyncio.StreamWriter) -> None:
        reply = self.answers(call.body)
        good = encoded(completion(reply, str(call.body.get("model"))))
        exchange = Exchange(call, good, writer)
        fault = self.plan(call)
        if fault is not None:
            await fault(exchange)
            return
        if self.delay:
            await asyncio.sleep(self.delay)
        await exchange.send()

    async def _models(self, writer: asyncio.StreamWriter) -> None:
        listed = [{"id": name, "object": "model"} for name in self.models]
        body = encoded({"object": "list", "data": listed})
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n"
        writer.write(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
        await writer.drain()
