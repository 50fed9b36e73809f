"""What one answer came to, and what a comparison says."""

from enum import StrEnum

__all__ = ["Outcome", "RunStatus", "VerdictKind"]


class Outcome(StrEnum):
    """The outcome of one answer to one item in one round."""

    RIGHT = "right"
    WRONG = "wrong"
    UNREADABLE = "unreadable"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    BLOCKED = "blocked"
    NOT_ASKED = "not_asked"
    ENDPOINT_ERROR = "endpoint_error"
    GRADER_ERROR = "grader_error"

    @property
    def counts(self) -> bool:
        """Whether the answer enters the mean: a model's doing does, a fault of ours does not."""
        return self not in _OUTSIDE_THE_MEAN


_OUTSIDE_THE_MEAN = frozenset(
    {Outcome.NOT_ASKED, Outcome.ENDPOINT_ERROR, Outcome.GRADER_ERROR},
)


class RunStatus(StrEnum):
    """Complete: every row counts. Incomplete: some are lost. Invalid: none was graded."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    INVALID = "invalid"


class VerdictKind(StrEnum):
    """What a comparison of two runs says."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"
    INVALID = "invalid"
