"""What runs in a WebAssembly guest: candidate and judge, each in one, with a door to the host.

A door takes bytes and gives the answer's bytes; that is all that a guest can reach.
"""

from collections.abc import Callable
from typing import Any

from . import wire
from .codec import FormatError
from .ended import Ended
from .serving import serve
from .trial import try_python

__all__ = ["be_candidate", "be_judge"]

Door = Callable[[bytes], bytes]
CAME, ENDED = b"+", b"-"  # what the host puts before a reply, and before why none came


def be_candidate(door: Door) -> None:
    """Serve calls of an answer; what was said last goes out with the next question."""
    said: list[bytes] = []

    def receive() -> Any:
        question = door(b"".join(said))
        said.clear()
        return wire.unpack(question)

    serve(lambda message: said.append(_body(message)), receive)
    door(b"".join(said))


def be_judge(door: Door) -> None:
    """Judge the answer of the task that the host gives first, and say the verdict."""
    task = wire.unpack(door(b"task"))
    try:
        found = try_python(_Line(door), task)
    except Ended as end:
        found = {"failure": end.failure, "message": end.message}
    door(b"verdict" + _body(found))


class _Line:
    """The judge's line to the candidate, through the host, which reads nothing of it."""

    def __init__(self, door: Door) -> None:
        self.ended: Ended | None = None
        self._door = door
        self._said = b""

    def send(self, message: Any) -> None:
        if self.ended is not None:
            raise self.ended
        self._said = _body(message)

    def receive(self) -> Any:
        if self.ended is not None:
            raise self.ended
        came = self._door(b"ask" + self._said)
        try:
            message = wire.unpack(came[1:])
        except FormatError as error:
            raise self.end("crash", f"the reply cannot be read: {error}") from None
        except MemoryError:
            raise self.end("output", "the value given back is too large") from None
        if came[:1] == ENDED:
            raise self.end(*message)
        return message

    def end(self, failure: str, message: str) -> Ended:
        self.ended = self.ended or Ended(failure, message)
        return self.ended


def _body(message: Any) -> bytes:
    return wire.pack(message)[wire.HEADER :]
