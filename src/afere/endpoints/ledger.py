"""Who started what when, counted in this process; a store counts for several."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from afere.domain import Full, Started, Unit, Window

__all__ = ["MemoryLedger"]

_LOOK_AGAIN = 0.2  # seconds after which an open call may have ended


@dataclass(slots=True)
class _Entry:
    at: float
    amount: float


class _Sliding:
    """The starts within a span that moves along, with their sum."""

    def __init__(self, span: float) -> None:
        self._span = span
        self._entries: deque[_Entry] = deque()
        self._used = 0.0
        self._gone = float("-inf")  # what started then or before has left the window

    def full_until(self, room: float, now: float) -> float | None:
        """Give the moment at which no more than `room` will be used, None if that is now."""
        self._gone = now - self._span
        entries = self._entries
        while entries and entries[0].at <= self._gone:
            self._used -= entries.popleft().amount
        excess = self._used - room
        for entry in entries if excess > 0 else ():
            excess -= entry.amount
            if excess <= 0:
                return entry.at + self._span
        return None

    def add(self, entry: _Entry) -> None:
        self._entries.append(entry)
        self._used += entry.amount

    def settle(self, entry: _Entry, amount: float) -> None:
        if entry.at > self._gone:
            self._used += amount - entry.amount
        entry.amount = amount


@dataclass(frozen=True, slots=True)
class _Open:
    """A start that is not settled yet, and where it was noted."""

    scopes: tuple[str, ...]
    entries: tuple[tuple[_Sliding, _Entry], ...]
    tokens: tuple[tuple[_Sliding, _Entry], ...]
    days: tuple[tuple[str, float], ...]


class MemoryLedger:
    """Counts within this process; keeps no more than the windows need."""

    def __init__(self) -> None:
        self._sliding: dict[tuple[str, Unit, float], _Sliding] = {}
        self._since: dict[tuple[str, float], int] = {}  # starts by scope and begin of the window
        self._open: dict[int, _Open] = {}
        self._open_count: dict[str, int] = {}
        self._holds: dict[str, float] = {}
        self._last_ticket = 0

    async def start(
        self,
        windows: Sequence[Window],
        *,
        scopes: Sequence[str],
        tokens: float,
        now: float,
    ) -> Started | Full:
        """Write a start down if there is room for it."""
        held = max((self._holds.get(scope, 0.0) for scope in scopes), default=0.0)
        if held > now:
            return Full(until=held)
        full = [found for window in windows if (found := self._full(window, tokens, now))]
        if full:
            return max(full, key=lambda each: each.until)
        self._last_ticket += 1
        self._open[self._last_ticket] = self._noted(windows, scopes, tokens, now)
        return Started(ticket=self._last_ticket)

    async def settle(self, ticket: int, *, tokens: float | None) -> None:
        """Note that a call has ended."""
        ended = self._ended(ticket)
        for sliding, entry in ended.tokens if tokens is not None else ():
            sliding.settle(entry, tokens or 0.0)

    async def take_back(self, ticket: int) -> None:
        """Strike a start out again."""
        ended = self._ended(ticket)
        for sliding, entry in ended.entries:
            sliding.settle(entry, 0.0)
        for place in ended.days:
            self._since[place] -= 1

    async def hold(self, scope: str, until: float) -> None:
        """Let nothing of the scope start before a moment."""
        self._holds[scope] = max(until, self._holds.get(scope, 0.0))

    def _ended(self, ticket: int) -> _Open:
        ended = self._open.pop(ticket)
        for scope in ended.scopes:
            self._open_count[scope] -= 1
        return ended

    def _full(self, window: Window, tokens: float, now: float) -> Full | None:
        until: float | None = None
        if window.unit is Unit.OPEN:
            if self._open_count.get(window.scope, 0) >= window.most:
                until = now + _LOOK_AGAIN
        elif window.span is None:
            if self._since.get((window.scope, window.since), 0) >= window.most:
                until = window.ends
        else:
            amount = min(_amount(window, tokens), window.most)
            until = self._slide(window).full_until(window.most - amount, now)
        return None if until is None else Full(until=until, window=window)

    def _noted(
        self,
        windows: Sequence[Window],
        scopes: Sequence[str],
        tokens: float,
        now: float,
    ) -> _Open:
        entries, to_settle, days = [], [], []
        for scope in scopes:
            self._open_count[scope] = self._open_count.get(scope, 0) + 1
        for window in windows:
            if window.span is not None:
                sliding, entry = self._slide(window), _Entry(now, _amount(window, tokens))
                sliding.add(entry)
                entries.append((sliding, entry))
                if window.unit is Unit.TOKENS:
                    to_settle.append((sliding, entry))
            elif window.unit is Unit.REQUESTS:
                place = window.scope, window.since
                self._since[place] = self._since.get(place, 0) + 1
                days.append(place)
        return _Open(tuple(scopes), tuple(entries), tuple(to_settle), tuple(days))

    def _slide(self, window: Window) -> _Sliding:
        span = window.span or 0.0
        return self._sliding.setdefault((window.scope, window.unit, span), _Sliding(span))


def _amount(window: Window, tokens: float) -> float:
    return tokens if window.unit is Unit.TOKENS else 1.0
