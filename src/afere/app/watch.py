"""What a run tells those who look on; the default listens to nothing."""

from collections.abc import Mapping
from typing import Protocol

from afere.domain import Row, RunPlan, Sentence

__all__ = ["Silent", "Watch"]


class Watch(Protocol):
    """Is told how a run goes; every call must be cheap."""

    def begin(self, plan: RunPlan, done: int) -> None:
        """A run starts, `done` of whose rows are in the store already."""
        ...

    def row(self, row: Row) -> None:
        """A row was kept."""
        ...

    def round_end(self, number: int, rounds: int, outcomes: Mapping[str, int]) -> None:
        """The last row of a round was kept."""
        ...

    def wait(self, seconds: float, why: str) -> None:
        """A request waits that long before it is sent."""
        ...

    def note(self, text: Sentence) -> None:
        """Something worth a line."""
        ...

    def end(self) -> None:
        """The run is over."""
        ...


class Silent:
    """Listens to nothing."""

    def begin(self, plan: RunPlan, done: int) -> None:
        """Pass over."""

    def row(self, row: Row) -> None:
        """Pass over."""

    def round_end(self, number: int, rounds: int, outcomes: Mapping[str, int]) -> None:
        """Pass over."""

    def wait(self, seconds: float, why: str) -> None:
        """Pass over."""

    def note(self, text: Sentence) -> None:
        """Pass over."""

    def end(self) -> None:
        """Pass over."""
