"""What a well-behaved endpoint answers."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A reply of the model; `extra` is laid over the whole body, `message` over the message."""

    content: Any = ""
    finish_reason: str | None = "stop"
    message: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


def completion(reply: Reply | str, model: str) -> dict[str, Any]:
    """Give the body of a `chat.completion`."""
    if isinstance(reply, str):
        reply = Reply(content=reply)
    message = {"role": "assistant", "content": reply.content} | dict(reply.message)
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "system_fingerprint": "fp_1",
        "choices": [choice],
        "usage": usage,
    }
    return body | dict(reply.extra)


def encoded(body: Mapping[str, Any]) -> bytes:
    """Give the JSON of a body as it goes over the wire."""
    return json.dumps(body, ensure_ascii=True).encode("ascii")
