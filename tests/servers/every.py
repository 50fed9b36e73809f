"""Every fault, in lists by what it stops."""

from servers import faults
from servers.chat import Fault
from servers.replies import Reply

BUSY = [
    [("Retry-After", "0")],
    [("Retry-After", "0.01")],
    [("retry-after-ms", "5")],
    [("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT")],
    [("x-ratelimit-reset-requests", "4ms")],
    [],
]
FAULTS: list[Fault] = [
    *[faults.error(429, "slow down", headers=headers) for headers in BUSY],
    faults.error(429, "try again in 3ms"),
    *[faults.status(code, "later") for code in (408, 409, 425, 500, 502, 503, 504)],
    faults.error(400, "no"),
    faults.error(400, "filtered", code="content_filter"),
    faults.echo_headers(500),
    faults.stall(5.0),
    faults.reset(),
    faults.reset_in_body(),
    faults.closed(),
    faults.short_body(),
    faults.half_json(),
    faults.invalid_utf8(),
    faults.ok({"error": {"message": "overloaded"}}),
    faults.ok({"choices": []}),
    faults.ok("<html>", "text/html"),
    faults.reply(Reply(content=None)),
    faults.reply(Reply(content="", finish_reason="length")),
    faults.huge(300_000),
    faults.trickle(5, 0.001),
    faults.gzip(),
    faults.broken_gzip(),
    faults.redirect("/v1/chat/completions?again"),
    faults.redirect("http://elsewhere.invalid/"),
    faults.duplicate_headers(),
    faults.garbage(),
    faults.event_stream([faults.delta("42", "stop")]),
]
"""Faults that stop no more than the call they meet."""

STOPPING: list[Fault] = [
    faults.error(401, "no such key"),
    faults.error(403, "not for you"),
    faults.error(404, "no such model"),
    faults.error(429, "You exceeded it", code="insufficient_quota"),
    faults.error(429, "Rate limit reached for requests per day"),
    faults.error(429, "slow down", headers=[("Retry-After", "7200")]),
    faults.redirect("http://elsewhere.invalid/v1/chat/completions"),
]
"""Faults that may stop the model or the provider."""
