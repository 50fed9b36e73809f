"""Ctrl-C where there is nothing to end first: before a loop runs, and after it."""

import os
import signal

TYPE_CHECKING = False  # true for type checkers; nothing slow is imported here
if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["INTERRUPTED", "heed_interrupts", "leave_at_once"]

INTERRUPTED = 130
_TOLD = b"afere: Interrupted; everything finished is kept.\n"


def heed_interrupts() -> None:
    """From here on Ctrl-C ends the process with a line in place of a traceback."""
    try:
        signal.signal(signal.SIGINT, leave_at_once)
    except ValueError:  # only the main thread hears signals
        return


def leave_at_once(*_: object) -> "NoReturn":
    """End this process as it is; a store bears that at any moment."""
    try:
        os.write(2, _TOLD)
    finally:
        os._exit(INTERRUPTED)
