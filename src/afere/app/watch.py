"""What a run tells those who look on; the default listens to nothing."""

from collections.abc import Mapping
from typing import Protocol

from afere.domain import Row, RunPlan, Sentence

__all__ = ["Silent", "Watch"]


class Watch(Protocol):
    """Is told how a run goes; every call must be cheap."""

    def begin(self, plan: RunPlan, done: int) -> None:
        """Hear that a run starts, `done` of whose rows are in the store already."""
        ...

    def row(self, row: Row) -> None:
        """Hear that a row was kept."""
        ...

    def round_end(self, number: int, rounds: int, outcomes: Mapping[str, int]) -> None:
        """Hear that the last row of a round was kept."""
        ...

    def wait(self, seconds: float | None, why: str) -> None:
        """Hear that a request waits so many seconds before it is sent; None: nobody knows."""
        ...

    def note(self, text: Sentence) -> None:
        """Hear something worth a line."""
        ...

    def end(self) -> None:
        """Hear that the run is over."""
        ...


class Silent:
    """Listens to nothing."""

    def begin(self, plan: RunPlan, done: int) -> None:
        """Pass over."""

    def row(self, row: Row) -> None:
        """Pass over."""

    def round_end(self, number: int, rounds: int, outcomes: Mapping[str, int]) -> None:
        """Pass over."""

    def wait(self, seconds: float | None, why: str) -> None:
        """Pass over."""

    def note(self, text: Sentence) -> None:
        """Pass over."""

    def end(self) -> None:
        """Pass over."""
