"""The end of a candidate, as an exception in its judge; and the judge's line to a candidate."""

from typing import Any, Protocol

__all__ = ["Ended", "Line"]


class Ended(BaseException):
    """The candidate is at its end: why, in a word of `ExecutionFailure`, and for people.

    Not an Exception: a bare `except Exception` of a test must not swallow it.
    """

    def __init__(self, failure: str, message: str) -> None:
        super().__init__(message)
        self.failure, self.message = failure, message


class Line(Protocol):
    """Speaks with one candidate; raises Ended where it is gone or at a limit."""

    ended: Ended | None

    def send(self, message: Any) -> None:
        """Say something to the candidate."""
        ...

    def receive(self) -> Any:
        """Give the candidate's next message."""
        ...

    def end(self, failure: str, message: str) -> Ended:
        """Note why the candidate is at its end, and end it."""
        ...
