"""The candidate's process: it runs hostile code and answers calls. Nothing it says is trusted.

Its replies are data about its own values; what they mean is decided by the judge.
"""

import gc
import os
import sys
from functools import partial
from typing import NoReturn

from . import programs, wire
from .confine import CHANNEL, Locks, confine_candidate
from .orders import Order
from .serving import serve

__all__ = ["live", "standard_streams"]


def live(locks: Locks, order: Order, work: str) -> NoReturn:
    """Lock in, say so, then do what the first message asks; never returns."""
    confine_candidate(locks, order, work)
    wire.send(CHANNEL, {"ready": True})
    gc.enable()
    if order.kind == "python":
        serve(partial(wire.send, CHANNEL), partial(wire.receive, CHANNEL))
    elif order.kind == "shell":
        programs.shell(wire.receive(CHANNEL), partial(wire.send, CHANNEL, {"laid": True}))
    else:
        wire.send(CHANNEL, programs.answer(order.kind, wire.receive(CHANNEL)))
    os._exit(0)


def standard_streams() -> None:
    """Make streams on the three standard descriptors, once for all candidates to come."""
    sys.stdin = os.fdopen(0, "r", encoding="utf-8", errors="replace", closefd=False)
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = os.fdopen(
            number, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
