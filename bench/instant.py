"""An OpenAI-compatible server that answers every question at once; prints its address and waits.

python bench/instant.py [--latency SECONDS]
"""

import argparse
import asyncio
import json

REPLY = {
    "id": "x",
    "object": "chat.completion",
    "model": "instant",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "42"}, "finish_reason": "stop"},
    ],
    "usage": {"prompt_tokens": 12, "completion_tokens": 2, "total_tokens": 14},
}
BODY = json.dumps(REPLY).encode()
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY)
) + BODY


class Instant(asyncio.Protocol):
    """Answers each whole request on a connection that stays open; a GET asks how many so far."""

    answered = 0

    def __init__(self, latency: float) -> None:
        self.latency, self.buffer = latency, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember where to answer."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer each request that is whole."""
        self.buffer += data
        while (head := self.buffer.find(b"\r\n\r\n")) >= 0:
            start = self.buffer[:head].lower().find(b"content-length:")
            length = int(self.buffer[start + 15 : head].split(b"\r\n")[0]) if start >= 0 else 0
            if len(self.buffer) < head + 4 + length:
                return
            asked_how_many = self.buffer.startswith(b"GET ")
            self.buffer = self.buffer[head + 4 + length :]
            if asked_how_many:
                told = b"%d" % Instant.answered
                self.transport.write(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % len(told))
                self.transport.write(told)
                continue
            Instant.answered += 1
            if self.latency:
                asyncio.get_running_loop().call_later(self.latency, self.answer)
            else:
                self.answer()

    def answer(self) -> None:
        """Write the one reply."""
        if not self.transport.is_closing():
            self.transport.write(ANSWER)


async def serve(latency: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Instant(latency), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    asyncio.run(serve(parser.parse_args().latency))
