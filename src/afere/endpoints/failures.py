"""What a reply without an answer means: whose fault, what it stops, whether to ask again."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus

from afere.domain import Failure, FailureKind, Scope
from afere.endpoints.days import day_around
from afere.endpoints.hints import wait_hint
from afere.endpoints.told import Told
from afere.endpoints.wording import one_line, words_of

__all__ = ["Asked", "Refusal", "failure_of", "is_blocked"]

_BLOCKED = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "responsibleaipolicyviolation",
        "data_inspection_failed",
        "datainspectionfailed",
        "content_blocked",
    },
)
_BILLING = re.compile(r"insufficient_(?:quota|credits|balance)|billing|payment", re.IGNORECASE)
_DAILY = re.compile(
    r"per[ _-]?day|daily|\b[rt]pd\b|(?:requests|tokens)/day|limit\"?\s?[:=]\s?\"?0(?![.\d])",
    re.IGNORECASE,
)
_OF_THE_MODEL = re.compile(r"per[ _-]?model|for model", re.IGNORECASE)
_BAD_KEY = re.compile(
    r"api[ _-]?key (?:is )?(?:not valid|invalid)|api_key_invalid|invalid_api_key", re.IGNORECASE
)
_BAD_MODEL = re.compile(r"not a valid model|model_not_found|unknown model", re.IGNORECASE)
_LOOKED_AT = 20_000  # characters of a body in which words are looked for
_SHOWN_BODY = 400
_BELIEVED = 60.0  # seconds: a shorter hint at a daily quota is not when the quota is fresh
_TRANSIENT = frozenset({408, 409, 425})
_NOT_THERE = frozenset({404, 405, 410})
_MAY_BILL = frozenset({403, 429})
_MAY_NAME_THE_KEY = frozenset({400, 403})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The facts of a call that a failure needs.

    now: seconds since 1970 when the reply ended. latency: seconds of the call.
    place: the base URL as it is shown. key_name: the variable that held the key.
    keyless: no key was sent, nor a header or query
    that may hold one.
    """

    model: str
    place: str
    now: float
    latency: float
    key_name: str = "AFERE_API_KEY"
    keyless: bool = False
    timezone: str = "UTC"
    own_quota: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A reply that is an error. body: its JSON, if it is any; text: as it came, redacted."""

    status: int
    headers: Mapping[str, str]
    text: str
    body: object = None
    told: Told | None = None


@dataclass(frozen=True, slots=True)
class _Meaning:
    kind: FailureKind
    message: str
    scope: Scope = Scope.CALL
    transient: bool = False
    daily: bool = False


def is_blocked(refusal: Refusal) -> bool:
    """Whether a content filter of the provider refused the question: a reply, no failure."""
    told = refusal.told
    if told is None:
        return False
    return told.flagged or not _BLOCKED.isdisjoint(told.codes)


def failure_of(refusal: Refusal, asked: Asked, redact: Callable[[str], str]) -> Failure:
    """Class a refusal by its status, or by the code inside where it came under status 200.

    redact: takes known secrets out of a text.
    """
    told = refusal.told
    status = refusal.status
    if status < HTTPStatus.MULTIPLE_CHOICES and told is not None:
        status = told.status or 500
    meaning = _meaning(status, refusal, asked)
    limited = meaning.kind in {FailureKind.RATE_LIMIT, FailureKind.QUOTA}
    wait = wait_hint(refusal.headers, refusal.body, refusal.text, asked.now, limits=limited)
    said = redact(told.message) if told is not None else words_of(refusal.text)
    code = (
        f"{refusal.status}" if refusal.status == status else f"{refusal.status} with error {status}"
    )
    quoted = one_line(said)
    return Failure(
        kind=meaning.kind,
        message=f"{code}: {meaning.message}" + (f" (the server says: {quoted})" if quoted else ""),
        status=refusal.status,
        body=refusal.text[:_SHOWN_BODY],
        transient=meaning.transient,
        scope=meaning.scope,
        wait=wait if meaning.transient else None,
        resume_after=_resume_after(wait, asked) if meaning.daily else None,
        latency=asked.latency,
        failed_at=asked.now,
    )


def _meaning(status: int, refusal: Refusal, asked: Asked) -> _Meaning:
    for rule in _RULES:
        meaning = rule(status, refusal, asked)
        if meaning is not None:
            return meaning
    return _Meaning(FailureKind.BAD_REQUEST, _bad_request(refusal))


def _payment(status: int, refusal: Refusal, _asked: Asked) -> _Meaning | None:
    if status == HTTPStatus.PAYMENT_REQUIRED or (status in _MAY_BILL and _says_billing(refusal)):
        mend = "the quota or the credit is used up; see the provider's billing page"
        return _Meaning(FailureKind.QUOTA, mend, Scope.PROVIDER)
    return None


def _says_billing(refusal: Refusal) -> bool:
    """Go by the codes: words of billing stand in many a message of a daily quota."""
    told = refusal.told
    if told is None or _DAILY.search(told.message):
        return False
    return any(_BILLING.search(code) for code in told.codes)


def _key(status: int, refusal: Refusal, asked: Asked) -> _Meaning | None:
    named = status in _MAY_NAME_THE_KEY and _BAD_KEY.search(refusal.text[:_LOOKED_AT])
    if status == HTTPStatus.UNAUTHORIZED or named:
        mend = (
            f"a key is wanted and none was sent; put it into {asked.key_name}"
            if asked.keyless
            else f"the key was refused; check the key in {asked.key_name}"
        )
        return _Meaning(FailureKind.KEY, mend, Scope.PROVIDER)
    return None


def _too_many(status: int, refusal: Refusal, asked: Asked) -> _Meaning | None:
    if status != HTTPStatus.TOO_MANY_REQUESTS:
        return None
    text = refusal.text[:_LOOKED_AT]
    if not _DAILY.search(text):
        return _Meaning(FailureKind.RATE_LIMIT, "too many requests", transient=True)
    of_model = asked.own_quota or asked.model in text or bool(_OF_THE_MODEL.search(text))
    whose = f"of the model {one_line(asked.model)!r}" if of_model else "of the provider"
    return _Meaning(
        FailureKind.QUOTA,
        f"the daily quota {whose} is used up",
        Scope.MODEL if of_model else Scope.PROVIDER,
        daily=True,
    )


def _server(status: int, _refusal: Refusal, _asked: Asked) -> _Meaning | None:
    if status in _TRANSIENT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _Meaning(FailureKind.SERVER, "the server could not answer", transient=True)
    return None


def _forbidden(status: int, refusal: Refusal, asked: Asked) -> _Meaning | None:
    if status != HTTPStatus.FORBIDDEN:
        return None
    if refusal.told is None:
        mend = (
            "refused by a gateway before the API; add the header it wants: --header 'Name: value'"
        )
    else:
        mend = f"the key may not use the model {one_line(asked.model)!r}; ask for access to it"
    return _Meaning(FailureKind.FORBIDDEN, mend, Scope.MODEL)


def _not_there(status: int, refusal: Refusal, asked: Asked) -> _Meaning | None:
    text = refusal.text[:_LOOKED_AT]
    bad_model = status == HTTPStatus.BAD_REQUEST and _BAD_MODEL.search(text)
    if status not in _NOT_THERE and not bad_model:
        return None
    if refusal.told is not None and "model" in text.lower():
        mend = f"the model {one_line(asked.model)!r} is not known at {asked.place}; check --model"
    else:
        model = f" or the model {one_line(asked.model)!r}" if asked.model else ""
        mend = f"nothing answers there; {_check_url(asked)}{model}"
    return _Meaning(FailureKind.NOT_FOUND, mend, Scope.MODEL)


def _proxy(status: int, _refusal: Refusal, _asked: Asked) -> _Meaning | None:
    if status != HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
        return None
    mend = "the proxy wants a user and a password; check HTTPS_PROXY and HTTP_PROXY"
    return _Meaning(FailureKind.FORBIDDEN, mend, Scope.PROVIDER)


def _redirect(status: int, _refusal: Refusal, asked: Asked) -> _Meaning | None:
    if status >= HTTPStatus.BAD_REQUEST:
        return None
    mend = f"a redirect that cannot be followed; {_check_url(asked)}"
    return _Meaning(FailureKind.REDIRECT, mend)


_RULES = (_payment, _key, _too_many, _server, _forbidden, _not_there, _proxy, _redirect)


def _check_url(asked: Asked) -> str:
    other = "without" if asked.place.rstrip("/").endswith("/v1") else "with"
    return f"check the base URL {asked.place} (perhaps {other} /v1)"


def _bad_request(refusal: Refusal) -> str:
    told = refusal.told
    if told is None:
        return "refused, perhaps by a gateway before the API; add a header: --header 'Name: value'"
    if "context" in told.message.lower() or "context_length_exceeded" in told.codes:
        return (
            "the question and max_tokens do not fit the model's context; lower --param max_tokens=N"
        )
    if {"unsupported_value", "unsupported_parameter"} & set(told.codes):
        return "the model refuses a parameter; set another value with --param NAME=VALUE"
    return "the server refuses this request"


def _resume_after(wait: float | None, asked: Asked) -> float:
    if wait is not None and wait > _BELIEVED:
        return asked.now + wait
    return day_around(asked.now, asked.timezone)[1]
