"""Counts the calls of one invocation."""

from afere.domain import Calls

__all__ = ["Counter"]


class Counter:
    """Shared by the wrappers of one stack; `calls` gives what was counted so far.

    made: HTTP requests, retries included. cached: answers from the store. failed: requests that
    gave no usable reply. retried: requests after the first for one question.
    """

    def __init__(self) -> None:
        self.made = self.cached = self.failed = self.retried = 0

    @property
    def calls(self) -> Calls:
        """The counts as a record."""
        return Calls(
            made=self.made,
            cached=self.cached,
            failed=self.failed,
            retried=self.retried,
        )
