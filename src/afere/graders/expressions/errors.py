"""Why an expression gives no answer."""

__all__ = ["InvalidExpressionError", "UnfinishedError"]


class InvalidExpressionError(ValueError):
    """The text is no regular expression; says why."""


class UnfinishedError(RuntimeError):
    """The expression is too large to run, or did not end within its steps."""
