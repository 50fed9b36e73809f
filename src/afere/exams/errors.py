"""What can go wrong with an exam's files."""

from afere.domain import UsageError

__all__ = ["ExamError"]


class ExamError(UsageError):
    """A booklet, key or profile that cannot be used; the text says why, and the mend."""
