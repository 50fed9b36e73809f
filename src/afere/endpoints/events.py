"""Puts together the reply of a server that streams although it was not asked to."""

import json
import re
from collections.abc import Iterator

__all__ = ["BrokenStreamError", "is_stream", "joined"]

_LINE_END = re.compile(r"\r\n|\n|\r")
_BEGINNINGS = ("data:", "event:", ": ", ":\n", ":\r", "id:", "retry:")


class BrokenStreamError(ValueError):
    """The stream ended before the reply did, or holds no JSON."""


def is_stream(content_type: str, text: str) -> bool:
    """Whether a body is server-sent events, by its type or by how it begins."""
    return "event-stream" in content_type or text.lstrip("\ufeff \r\n").startswith(_BEGINNINGS)


def joined(text: str) -> dict[str, object]:
    """Give the body that the server would have sent in one piece; raises BrokenStreamError.

    An event that is an error, or a whole reply, is given as it is.
    """
    whole: dict[str, object] = {}
    pieces: dict[str, list[str]] = {}
    finish_reason: object = None
    ended = spoken = False
    for event in _events(text):
        if event is None:
            ended = True
            break
        if event.get("error") or _is_whole(event):
            return event
        whole |= {name: value for name, value in event.items() if value is not None}
        choice = _first_choice(event)
        if choice is not None:
            spoken = _add(pieces, choice.get("delta")) or spoken
            finish_reason = choice.get("finish_reason") or finish_reason
            if choice.get("error"):
                return event
    if not (ended or finish_reason):
        raise BrokenStreamError("the stream ended before the reply did")
    if not spoken and not finish_reason:
        raise BrokenStreamError("the stream holds no reply")
    message = {name: "".join(parts) for name, parts in pieces.items()}
    return whole | {"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]}


def _events(text: str) -> Iterator[dict[str, object] | None]:
    """Give each event's JSON object, None for the mark of the end."""
    held: list[str] = []
    for line in [*_LINE_END.split(text), ""]:
        if line.startswith("data:"):
            held.append(line[5:].removeprefix(" "))
        elif not line and held:
            data = "\n".join(held).strip()
            held = []
            if data == "[DONE]":
                yield None
            elif data:
                yield _object(data)


def _object(data: str) -> dict[str, object]:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BrokenStreamError("an event of the stream is no JSON") from error
    if not isinstance(event, dict):
        raise BrokenStreamError("an event of the stream is no object")
    return event


def _is_whole(event: dict[str, object]) -> bool:
    choice = _first_choice(event)
    return choice is not None and isinstance(choice.get("message"), dict)


def _first_choice(event: dict[str, object]) -> dict[str, object] | None:
    choices = event.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and choice.get("index", 0) == 0:
            return choice
    return None


def _add(pieces: dict[str, list[str]], delta: object) -> bool:
    """Add what an event says; whether it says anything of the reply."""
    if not isinstance(delta, dict):
        return False
    for name in ("content", "reasoning_content", "reasoning", "refusal"):
        piece = delta.get(name)
        if isinstance(piece, str):
            pieces.setdefault(name, []).append(piece)
    return True
