"""Asks OpenAI-compatible endpoints; retries, limits, cache and record are endpoints round one.

Every endpoint has the one method `ask(request) -> Response | Failure`. From the outside in:
`Cached(Retrying(Limited(Recorded(ChatClient))))`. Local models live in `afere.endpoints.local`.
"""

from afere.endpoints.cached import Cached
from afere.endpoints.client import ChatClient
from afere.endpoints.counting import Counter
from afere.endpoints.fake import ScriptedEndpoint
from afere.endpoints.ledger import MemoryLedger
from afere.endpoints.limited import Limited, Limits, Pacing, estimated_tokens, most_output
from afere.endpoints.recorded import Recorded
from afere.endpoints.retrying import Retrying
from afere.endpoints.settings import ClientSettings, Timeouts
from afere.endpoints.translated import LiteLLMClient, LiteLLMSettings
from afere.endpoints.waiting import Waiting

__all__ = [
    "Cached",
    "ChatClient",
    "ClientSettings",
    "Counter",
    "Limited",
    "Limits",
    "LiteLLMClient",
    "LiteLLMSettings",
    "MemoryLedger",
    "Pacing",
    "Recorded",
    "Retrying",
    "ScriptedEndpoint",
    "Timeouts",
    "Waiting",
    "estimated_tokens",
    "most_output",
]
