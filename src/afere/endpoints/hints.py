"""How long a server asks to wait: one parser for every form of the hint."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

__all__ = ["seconds_of", "wait_hint"]

_NUMBER = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,9})?")
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = r"\d{1,15}(?:\.\d{1,9})?\s?(?:ms|millisecond|s|second|sec|m|minute|min|h|hour|d|day)s?"
_DURATION = re.compile(rf"(?:{_PART}\s?)+")
_PIECE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s?(ms|mil|s|m|h|d)")
_IN_WORDS = re.compile(
    rf"(?:try again|retry)\s(?:in|after)\s((?:{_PART}(?![a-z])\s?)+)", re.IGNORECASE
)
_SEARCHED = 4000  # characters of a body in which words are looked for
_EPOCH, _EPOCH_MS = 1e9, 1e12  # numbers above are moments, not spans


def wait_hint(
    headers: Mapping[str, str],
    body: object,
    text: str,
    now: float,
    *,
    limits: bool = True,
) -> float | None:
    """Give the seconds that a reply asks to wait, 0 for the past, None where it does not say.

    In this order: `retry-after-ms`; `Retry-After` in seconds or as a date; a field of the body
    (`error.details[].retryDelay`, `retry_after`); words of the body ("try again in 94ms");
    `x-ratelimit-reset-requests`, `-tokens` and the plain one. Nothing is capped here.

    headers: looked up by name in any case of letters. body: the JSON of the reply, if it is any.
    now: seconds since 1970. limits: whether the `x-ratelimit-…` headers count; they come with
    every reply of some servers, and are a hint only where a limit was met.
    """
    for hint in _hints(headers, body, text, now, limits=limits):
        if hint is not None:
            return max(0.0, hint)
    return None


def seconds_of(text: str) -> float | None:
    """Read a span such as `1m30s`, `94ms`, `34s`, `1.5`; None where it is none."""
    text = text.strip().lower()
    if _NUMBER.fullmatch(text):
        return float(text)
    if not _DURATION.fullmatch(text):
        return None
    pieces = _PIECE.findall(text)
    return sum(float(number) * _UNITS.get(unit, 0.001) for number, unit in pieces)


def _hints(
    headers: Mapping[str, str],
    body: object,
    text: str,
    now: float,
    *,
    limits: bool,
) -> Iterator[float | None]:
    milliseconds = headers.get("retry-after-ms", "").strip()
    yield float(milliseconds) / 1000 if _NUMBER.fullmatch(milliseconds) else None
    after = headers.get("Retry-After", "")
    yield seconds_of(after)
    yield _until_date(after, now)
    yield _from_fields(body)
    found = _IN_WORDS.search(text[:_SEARCHED])
    yield seconds_of(found[1]) if found else None
    if limits:
        yield _from_reset(headers, now)


def _until_date(text: str, now: float) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _from_fields(body: object) -> float | None:
    error = _member(body, "error")
    details = _member(error, "details")
    for detail in details if isinstance(details, list) else ():
        delay = _member(detail, "retryDelay")
        if isinstance(delay, str) and (seconds := seconds_of(delay)) is not None:
            return seconds
    for place in (error, body):
        for name in ("retry_after", "retry_after_seconds"):
            value = _member(place, name)
            if isinstance(value, int | float) and abs(value) < _EPOCH:
                return float(value)
    return None


def _member(value: object, name: str) -> object:
    found: object = value.get(name) if isinstance(value, dict) else None
    return found


def _from_reset(headers: Mapping[str, str], now: float) -> float | None:
    """Take the latest reset of what is used up; where nothing says so, the first that is there."""
    used_up: list[float] = []
    unsaid: list[float] = []
    for what in ("-requests", "-tokens", ""):
        reset = headers.get(f"x-ratelimit-reset{what}")
        seconds = _until_reset(reset, now) if reset else None
        left = headers.get(f"x-ratelimit-remaining{what}")
        if seconds is not None and left in {None, "0"}:
            (unsaid if left is None else used_up).append(seconds)
    return max(used_up, default=unsaid[0] if unsaid else None)


def _until_reset(text: str, now: float) -> float | None:
    seconds = seconds_of(text)
    if seconds is None:
        try:
            moment = datetime.fromisoformat(text.strip())
            return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now
        except (ValueError, OverflowError):
            return None
    if seconds > _EPOCH_MS:
        return seconds / 1000 - now
    return seconds - now if seconds > _EPOCH else seconds
