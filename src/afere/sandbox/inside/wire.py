"""Messages between the three processes: a length of four bytes, then JSON, both bounded."""

import json
import os
from collections.abc import Callable
from typing import Any, NoReturn

from .codec import FormatError

__all__ = ["HEADER", "LARGEST", "pack", "read", "receive", "send", "size_of", "unpack"]

HEADER = 4
LARGEST = 32 << 20  # bytes of one message


def pack(message: Any) -> bytes:
    """Give the bytes of a message; any text of Python, lone surrogates too, stays as it is."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    return len(body).to_bytes(HEADER, "big") + body


def size_of(header: bytes, largest: int = LARGEST) -> int:
    """Give the size that a header announces; raises FormatError where it is too large."""
    size = int.from_bytes(header, "big")
    if size > largest:
        raise FormatError("message too large")
    return size


def unpack(body: bytes) -> Any:
    """Give the message; raises FormatError on anything that `pack` would not write."""
    try:
        return _DECODER.decode(body.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise FormatError("not a message") from error


def read(read_exactly: Callable[[int], bytes], largest: int = LARGEST) -> Any:
    """Read one message with a function that gives exactly so many bytes."""
    return unpack(read_exactly(size_of(read_exactly(HEADER), largest)))


def send(descriptor: int, message: Any) -> None:
    """Write one message to a blocking descriptor."""
    left = memoryview(pack(message))
    while left:
        left = left[os.write(descriptor, left) :]


def receive(descriptor: int, largest: int = LARGEST) -> Any:
    """Read one message from a blocking descriptor; raises EOFError at its end."""

    def exactly(size: int) -> bytes:
        parts = []
        while size:
            part = os.read(descriptor, min(size, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    return read(exactly, largest)


def _refuse(text: str) -> NoReturn:
    raise FormatError(f"a number in a form never sent: {text[:20]}")


_DECODER = json.JSONDecoder(parse_float=_refuse, parse_constant=_refuse)
