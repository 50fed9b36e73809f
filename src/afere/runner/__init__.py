"""Takes planned requests through endpoint and grader, many at a time; every row is kept at once."""

from afere.runner.carry import Asked, Ending, Interrupted, Stop, carry_out

__all__ = ["Asked", "Ending", "Interrupted", "Stop", "carry_out"]
