"""Reads a whole HTTP reply: the model's reply, or why there is none."""

import codecs
import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from afere.domain import Failure, FailureKind, Response, Scope, Tokens
from afere.endpoints.events import BrokenStreamError, is_stream, joined
from afere.endpoints.failures import Asked, Refusal, failure_of, is_blocked
from afere.endpoints.told import read_told
from afere.endpoints.transport import HttpReply
from afere.endpoints.wording import words_of

__all__ = ["read_models", "read_reply"]

Redact = Callable[[str], str]

_SHOWN_BODY = 400
_LARGEST_COUNT = 1 << 53
# What servers call the two ends that decide an outcome; every other word stays as it came.
_FINISH = {
    "max_tokens": "length",
    "max_length": "length",
    "model_length": "length",
    "safety": "content_filter",
    "content_filtered": "content_filter",
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
}
_FAULTS = frozenset({"error", "abort"})  # finish reasons by which a server says that it failed


class _BadBodyError(ValueError):
    """The body is no reply of a chat endpoint; the text says why."""


def read_reply(raw: HttpReply, asked: Asked, redact: Redact) -> Response | Failure:
    """Read a reply of any status; raises nothing, whatever the body holds.

    redact: takes known secrets out of a text.
    """
    ok = HTTPStatus.OK <= raw.status < HTTPStatus.MULTIPLE_CHOICES
    try:
        text = _decoded(raw, strict=ok)
    except _BadBodyError as fault:
        return _bad_body(
            raw, (raw.body or b"").decode("utf-8", "replace"), asked, redact, str(fault)
        )
    try:
        body = _parsed(raw.headers.get("Content-Type", ""), text)
        shown = _redacted(text, body, redact)
        if ok and (response := _response(body, shown, asked, redact)) is not None:
            return response
    except _BadBodyError as fault:
        if ok:
            return _bad_body(raw, text, asked, redact, str(fault))
        body, shown = None, redact(text)
    told = _told(body)
    refusal = Refusal(status=raw.status, headers=raw.headers, text=shown, body=body, told=told)
    if told is None and ok:
        return _bad_body(raw, text, asked, redact, "the reply holds no choices")
    if is_blocked(refusal):
        return _blocked(shown, asked)
    return failure_of(refusal, asked, redact)


def read_models(raw: HttpReply, asked: Asked, redact: Redact) -> tuple[str, ...] | Failure:
    """Read the list of models; a reply without one is a failure."""
    try:
        body = _parsed(raw.headers.get("Content-Type", ""), _decoded(raw, strict=True))
    except _BadBodyError:
        body = None
    listed = body.get("data", body.get("models")) if isinstance(body, dict) else body
    if raw.status == HTTPStatus.OK and isinstance(listed, list):
        found = [each.get("id") or each.get("name") for each in listed if isinstance(each, dict)]
        return tuple(redact(name) for name in found if isinstance(name, str))
    result = read_reply(raw, asked, redact)
    if isinstance(result, Failure):
        return result
    return _bad_body(raw, result.body, asked, redact, "the reply lists no models")


def _decoded(raw: HttpReply, *, strict: bool) -> str:
    body = raw.body or b""
    _, _, named = raw.headers.get("Content-Type", "").lower().partition("charset=")
    try:
        charset = codecs.lookup(named.split(";")[0].strip(" \"'") or "utf-8").name
    except (LookupError, ValueError):
        charset = "utf-8"
    try:
        return body.decode("utf-8-sig" if charset == "utf-8" else charset)
    except (UnicodeError, LookupError, ValueError) as error:
        if not strict:
            return body.decode("utf-8", "replace")
        raise _BadBodyError(f"the reply is not valid {charset.upper()}") from error


def _parsed(content_type: str, text: str) -> object:
    """Read JSON or server-sent events; what counts is the body, not what it is called."""
    if is_stream(content_type, text):
        try:
            return joined(text)
        except BrokenStreamError as fault:
            raise _BadBodyError(str(fault)) from fault
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        if not text.strip():
            raise _BadBodyError("the reply is empty") from error
        what = f"no JSON but {content_type}" if "json" not in content_type else "broken JSON"
        raise _BadBodyError(f"the reply is {what}") from error


def _redacted(text: str, body: object, redact: Redact) -> str:
    """Take secrets out of a body, those that JSON escapes hide too."""
    shown = redact(text)
    if "\\u" not in shown and "\\/" not in shown:
        return shown
    plain = json.dumps(body, ensure_ascii=False)
    clean = redact(plain)
    return shown if clean == plain else clean


def _told(body: object) -> Any:  # noqa: ANN401 - Told or None, of whatever the body holds
    told = read_told(body)
    choice = _choice(body)
    if choice is None:
        return told
    inner = read_told({"error": choice.get("error")})
    if inner is not None:
        return inner
    reason = choice.get("finish_reason")
    if told is None and isinstance(reason, str) and reason.lower() in _FAULTS:
        return read_told({"error": {"message": f"finish reason {reason}", "code": "server_error"}})
    return told


def _response(body: object, shown: str, asked: Asked, redact: Redact) -> Response | None:
    """Give the model's reply; None where the body holds none, or an error beside it."""
    choice = _choice(body)
    if choice is None or not isinstance(body, dict) or _told(body) is not None:
        return None
    message = _message(choice)
    content, thought = _content(message.get("content"))
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    refusal = _text(message.get("refusal"))
    finish_reason = _clean(_text(choice.get("finish_reason")), redact)
    if finish_reason is not None:
        finish_reason = _FINISH.get(finish_reason.lower(), finish_reason)
        if finish_reason == "refusal" and refusal is None:
            refusal = content or "refused"
    return Response(
        content=redact(content),
        finish_reason=finish_reason,
        reasoning=_clean(reasoning or thought, redact),
        refusal=_clean(refusal, redact),
        tokens=_tokens(body.get("usage")),
        latency=asked.latency,
        answered_at=asked.now,
        served_model=_clean(_text(body.get("model")), redact),
        fingerprint=_clean(_text(body.get("system_fingerprint")), redact),
        body=shown,
    )


def _message(choice: dict[str, Any]) -> dict[str, Any]:
    """Give the message of a choice; without one there is a reply only where its end is told."""
    message, text = choice.get("message"), choice.get("text")
    if isinstance(message, dict):
        return message
    if message is None and (isinstance(text, str) or _text(choice.get("finish_reason"))):
        return {"content": text}
    raise _BadBodyError("the choice of the reply holds no message")


def _choice(body: object) -> dict[str, Any] | None:
    """Give the first choice, by its index where that is told."""
    choices = body.get("choices") if isinstance(body, dict) else None
    listed = (
        [each for each in choices if isinstance(each, dict)] if isinstance(choices, list) else []
    )
    if not listed:
        return None
    return next((each for each in listed if each.get("index") == 0), listed[0])


def _content(content: object) -> tuple[str, str | None]:
    """Give text and reasoning of a message's content: text, null, or a list of parts."""
    if isinstance(content, str):
        return content, None
    if content is None:
        return "", None
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        raise _BadBodyError(f"the content of the reply is a {type(content).__name__}")
    texts, thoughts = [], []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and part.get("type") in {"thinking", "reasoning"}:
            thoughts.append(_thought(part))
        elif isinstance(part, dict) and isinstance(part.get("text"), str | None):
            texts.append(part.get("text") or "")
        else:
            raise _BadBodyError("a part of the reply's content is no text")
    return "".join(texts), "".join(thoughts) or None


def _thought(part: dict[str, Any]) -> str:
    inner = part.get("thinking") or part.get("reasoning") or part.get("text")
    return inner if isinstance(inner, str) else _content(inner)[0]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _clean(value: str | None, redact: Redact) -> str | None:
    return redact(value) if value is not None else None


def _tokens(usage: object) -> Tokens:
    if not isinstance(usage, dict):
        return Tokens()
    details = usage.get("completion_tokens_details")
    return Tokens(
        input=_count(usage.get("prompt_tokens", usage.get("input_tokens"))),
        output=_count(usage.get("completion_tokens", usage.get("output_tokens"))),
        reasoning=_count(details.get("reasoning_tokens")) if isinstance(details, dict) else None,
    )


def _count(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value < _LARGEST_COUNT else None


def _blocked(shown: str, asked: Asked) -> Response:
    return Response(
        content="",
        finish_reason="content_filter",
        latency=asked.latency,
        answered_at=asked.now,
        body=shown,
    )


def _bad_body(raw: HttpReply, text: str, asked: Asked, redact: Redact, why: str) -> Failure:
    clean = redact(text)
    said = words_of(clean)
    return Failure(
        kind=FailureKind.BAD_BODY,
        message=f"{raw.status}: {why}" + (f" (it begins: {said})" if said else ""),
        status=raw.status,
        body=clean[:_SHOWN_BODY],
        transient=True,
        scope=Scope.CALL,
        latency=asked.latency,
        failed_at=asked.now,
    )
