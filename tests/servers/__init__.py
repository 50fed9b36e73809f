"""A real chat endpoint on loopback that answers as told and misbehaves as told.

    with ChatServer(lambda body: "42", by_prompt({"q3": [faults.status(503)]})) as server:
        ...  # ask server.base_url
        assert server.count == 120

`instant.py` beside it is a program: the fastest server that the standard library can give.
"""

from servers import faults
from servers.chat import Call, ChatServer, Exchange, Fault, Plan
from servers.plans import always, at_random, by_number, by_prompt, in_turn
from servers.replies import Reply, completion

__all__ = [
    "Call",
    "ChatServer",
    "Exchange",
    "Fault",
    "Plan",
    "Reply",
    "always",
    "at_random",
    "by_number",
    "by_prompt",
    "completion",
    "faults",
    "in_turn",
]
