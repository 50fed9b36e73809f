"""The fastest chat endpoint that the standard library gives, as a program for benchmarks.

    python tests/servers/instant.py --port 0 [--delay 0.2] [--every-429 10]

Prints `port N` on its first line, then serves until its standard input closes or it is ended.
At the end it prints `calls N in_flight M`.
"""

import argparse
import asyncio
import contextlib
import signal
import sys

BODY = (
    b'{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"instant",'
    b'"choices":[{"index":0,"message":{"role":"assistant","content":"42"},"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":11,"completion_tokens":1,"total_tokens":12}}'
)
GOOD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
    len(BODY),
    BODY,
)
BUSY_BODY = b'{"error":{"message":"slow down","code":"rate_limit_exceeded"}}'
BUSY = (
    b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(BUSY_BODY), BUSY_BODY)
)


class Tally:
    """What all connections together saw."""

    def __init__(self, delay: float, every_429: int) -> None:
        self.delay, self.every_429 = delay, every_429
        self.calls = self.in_flight = self.most = 0

    def reply(self) -> bytes:
        self.calls += 1
        return BUSY if self.every_429 and self.calls % self.every_429 == 0 else GOOD


class Connection(asyncio.Protocol):
    """Reads requests by their Content-Length and answers each with the same bytes."""

    def __init__(self, tally: Tally) -> None:
        self.tally, self.data = tally, b""
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.data += data
        while (end := self.data.find(b"\r\n\r\n")) >= 0:
            head = self.data[:end].lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self.data) < end + 4 + length:
                return
            self.data = self.data[end + 4 + length :]
            self.answer()

    def answer(self) -> None:
        tally = self.tally
        tally.in_flight += 1
        tally.most = max(tally.most, tally.in_flight)
        reply = tally.reply()
        if tally.delay:
            asyncio.get_running_loop().call_later(tally.delay, self.write, reply)
        else:
            self.write(reply)

    def write(self, reply: bytes) -> None:
        self.tally.in_flight -= 1
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(reply)


async def serve(port: int, tally: Tally) -> None:
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()
    server = await loop.create_server(lambda: Connection(tally), "127.0.0.1", port)
    print(f"port {server.sockets[0].getsockname()[1]}", flush=True)
    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, stopped.set)

    def watch() -> None:
        if not sys.stdin.buffer.read1(1024):
            loop.remove_reader(sys.stdin)
            stopped.set()

    with contextlib.suppress(PermissionError, ValueError):  # a file as standard input
        loop.add_reader(sys.stdin, watch)
    await stopped.wait()
    server.close()
    print(f"calls {tally.calls} in_flight {tally.most}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each reply")
    parser.add_argument("--every-429", type=int, default=0, help="answer 429 to every Nth call")
    chosen = parser.parse_args()
    asyncio.run(serve(chosen.port, Tally(chosen.delay, chosen.every_429)))


if __name__ == "__main__":
    main()
