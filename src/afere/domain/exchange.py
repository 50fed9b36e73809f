"""What goes to an endpoint and what comes back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

from afere.domain.wire import digest

__all__ = ["Attempt", "Failure", "FailureKind", "Request", "Response", "Scope", "Tokens"]

KEY_SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class Request:
    """One call that is planned: which item in which round, and the whole body to send.

    endpoint: what answers, as it enters the key: the base URL, or `llama:VERSION:SHA-256`.
    model: the name of the model as the endpoint knows it.
    variant: 0, or the number of the shift when an item's options are rotated.
    series: empty, or the name of a series that shares no answers with others.
    """

    item: str
    round: int
    endpoint: str
    model: str
    body: Mapping[str, Any]
    variant: int = 0
    series: str = ""

    @cached_property
    def key(self) -> str:
        """The key under which the answer is kept: SHA-256 of all that could change it."""
        parts: dict[str, Any] = {
            "schema": KEY_SCHEMA,
            "endpoint": self.endpoint,
            "model": self.model,
            "body": self.body,
            "round": self.round,
            "variant": self.variant,
        }
        if self.series:
            parts["series"] = self.series
        return digest(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens that a reply says it used; None where it does not say."""

    input: int | None = None
    output: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A reply of the model, empty or cut short included.

    content: the text of the reply, empty where there was none.
    latency: seconds from the first byte sent to the last byte read.
    answered_at: seconds since 1970 in UTC.
    body: the whole reply as it came, with known secrets redacted.
    adapted: fields of the request body that the server forced to be sent otherwise.
    """

    content: str
    finish_reason: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tokens: Tokens = field(default_factory=Tokens)
    latency: float = 0.0
    answered_at: float = 0.0
    served_model: str | None = None
    fingerprint: str | None = None
    body: str = ""
    adapted: tuple[str, ...] = ()


class FailureKind(StrEnum):
    """Why there is no usable reply."""

    CONNECTION = "connection"
    TIMEOUT = "timeout"
    RATE_LIMIT = "rate_limit"
    QUOTA = "quota"
    SERVER = "server"
    BAD_BODY = "bad_body"
    BAD_REQUEST = "bad_request"
    KEY = "key"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    REDIRECT = "redirect"


class Scope(StrEnum):
    """What a failure stops: this call alone, all calls to the model, or to the provider."""

    CALL = "call"
    MODEL = "model"
    PROVIDER = "provider"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A call that gave no usable reply: never an answer, never a score.

    message: one line for a person, known secrets redacted.
    status: the HTTP status, None where no reply came.
    body: the first characters of the reply, redacted.
    transient: whether asking again can help.
    wait: seconds that the server asked to wait, None where it did not say.
    resume_after: seconds since 1970 from which a used-up quota is fresh again.
    adapted: fields of the request body that the server forced to be sent otherwise.
    """

    kind: FailureKind
    message: str
    status: int | None = None
    body: str = ""
    transient: bool = False
    scope: Scope = Scope.CALL
    wait: float | None = None
    resume_after: float | None = None
    latency: float = 0.0
    failed_at: float = 0.0
    adapted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One HTTP request that was made, and what came of it; kept whatever came."""

    request: Request
    result: Response | Failure
