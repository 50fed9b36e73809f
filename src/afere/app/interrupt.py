"""Ctrl-C: once, calls in flight finish; twice, they are dropped; what is done is kept."""

from afere.app.watch import Watch
from afere.domain import Sentence
from afere.runner import Stop

__all__ = ["Interrupt"]


class Interrupt:
    """Called at every Ctrl-C; gives True while the run ends in its own time."""

    def __init__(self, watch: Watch) -> None:
        self.happened = False
        self._stop: Stop | None = None
        self._watch = watch

    def stop(self) -> Stop:
        """Make the run's stop; called inside the loop."""
        self._stop = Stop()
        return self._stop

    def __call__(self) -> bool:
        """Stop the run at the first call; at the second ask to be cancelled."""
        again, self.happened = self.happened, True
        if again or self._stop is None:
            return False
        self._watch.note(
            Sentence("Stopping: calls in flight finish and are kept; Ctrl-C again drops them."),
        )
        self._stop.interrupt()
        return True
