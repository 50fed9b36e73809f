"""Regular expressions of Python's `re` syntax, matched within a fixed number of steps.

`re` itself cannot be stopped, neither while matching nor while compiling, and a clock would give
another verdict on a busy machine. So the standard library only parses, and a small machine of our
own runs what it parsed: it backtracks as `re` does, but remembers which states have failed, so
that `(a+)+b` ends at once; what needs more steps than the bound is `Unfinished`, everywhere alike.
"""

from afere.graders.expressions.errors import InvalidExpressionError, UnfinishedError
from afere.graders.expressions.machine import Budget, Run
from afere.graders.expressions.program import compiled

__all__ = ["Budget", "Expression", "InvalidExpressionError", "UnfinishedError"]


class Expression:
    """A compiled expression."""

    def __init__(self, source: str, flags: int = 0) -> None:
        """Parse and compile; raises InvalidExpressionError and UnfinishedError."""
        self._program = compiled(source, flags)

    def fullmatch(self, text: str, budget: Budget | None = None) -> bool:
        """Tell whether the whole text matches; raises UnfinishedError."""
        return Run(self._program, text, budget or Budget(), whole=True).begins_at(0)

    def match(self, text: str, budget: Budget | None = None) -> bool:
        """Tell whether the beginning of the text matches; raises UnfinishedError."""
        return Run(self._program, text, budget or Budget(), whole=False).begins_at(0)

    def search(self, text: str, budget: Budget | None = None) -> bool:
        """Tell whether any part of the text matches; raises UnfinishedError."""
        run = Run(self._program, text, budget or Budget(), whole=False)
        return any(run.begins_at(place) for place in range(len(text) + 1))
