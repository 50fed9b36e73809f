"""What limits count: the port behind them, and the windows that it is asked about."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

__all__ = ["Full", "Ledger", "Started", "Unit", "Window"]


class Unit(StrEnum):
    """What a window counts: starts of requests, tokens, or calls that are open now."""

    REQUESTS = "requests"
    TOKENS = "tokens"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One limit as it stands at one moment.

    scope: whose it is (`groq`, `groq/qwen-27b`). most: what may be used within the window.
    span: seconds that it reaches back; None where it began at a fixed moment.
    since, ends: of a window that began at a fixed moment (a day), seconds since 1970; it counts
    requests only.
    endpoint, model: of a day, whose attempts in a store count where they came before the first
    start that was noted for the scope; an empty model stands for every one.
    """

    scope: str
    unit: Unit
    most: float
    span: float | None = None
    since: float = 0.0
    ends: float = 0.0
    endpoint: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The start is written down. ticket: by which it is settled."""

    ticket: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Full:
    """There is no room. window: the limit in the way, None where the scope is on hold.

    until: the moment, in seconds since 1970, from which it is worth asking again.
    """

    until: float
    window: Window | None = None


class Ledger(Protocol):
    """Counts starts; one over a store shares the counts with every process on that store.

    Raises StoreError where the store can take nothing.
    """

    async def start(
        self,
        windows: Sequence[Window],
        *,
        scopes: Sequence[str],
        tokens: float,
        now: float,
    ) -> Started | Full:
        """Write a start down if every window has room for it and no scope is on hold, in one step.

        scopes: all that the start counts for, whether they have a window or not.
        tokens: the estimate, until it is settled.
        """
        ...

    async def settle(self, ticket: int, *, tokens: float | None) -> None:
        """Note that a call has ended, and the tokens it really took; None keeps the estimate."""
        ...

    async def take_back(self, ticket: int) -> None:
        """Strike a start out again that no request followed."""
        ...

    async def hold(self, scope: str, until: float) -> None:
        """Let nothing of the scope start before a moment; an earlier one than set is ignored."""
        ...
