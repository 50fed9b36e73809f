"""Tells whoever shows progress that a call waits, why, and for how long."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from afere.domain import Request

__all__ = ["OnWait", "Sleep", "Waiting"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A wait that begins now.

    why: a few words for a person. seconds: how long, None where nobody knows. asked: what the
    server asked for, where it did; larger than `seconds` where the wait was capped.
    """

    request: Request
    why: str
    seconds: float | None
    asked: float | None = None

    @property
    def capped(self) -> bool:
        """Whether the server asked for a longer wait."""
        return self.asked is not None and self.seconds is not None and self.asked > self.seconds


OnWait = Callable[[Waiting], None]
Sleep = Callable[[float], Awaitable[None]]
