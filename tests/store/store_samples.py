"""Small records that the store's tests keep."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from afere.domain import (
    Attempt,
    Expect,
    Failure,
    FailureKind,
    Grade,
    Invocation,
    Item,
    Outcome,
    Request,
    Response,
    Row,
    RunPlan,
    Store,
    Suite,
    Tokens,
)

OpenStore = Callable[[], AbstractAsyncContextManager[Store]]

URL = "http://127.0.0.1:9/v1"


def request(item: str = "p01", round_: int = 1, model: str = "m", **changes: Any) -> Request:
    body = {
        "model": model,
        "messages": [{"role": "user", "content": f"{item}?"}],
        "temperature": 0,
        "max_tokens": 16,
    }
    fields: dict[str, Any] = {"item": item, "round": round_, "endpoint": URL, "model": model}
    return Request(**fields | {"body": body | changes.pop("body", {})} | changes)


def response(content: str = "3882", at: float = 10.0, **changes: Any) -> Response:
    fields: dict[str, Any] = {
        "finish_reason": "stop",
        "tokens": Tokens(input=12, output=3),
        "latency": 0.25,
        "served_model": "m-1",
        "fingerprint": "fp",
        "body": '{"choices":[]}',
    }
    return Response(content=content, answered_at=at, **fields | changes)


def failure(**changes: Any) -> Failure:
    fields: dict[str, Any] = {"kind": FailureKind.SERVER, "message": "503", "status": 503}
    return Failure(**fields | {"transient": True, "failed_at": 9.0} | changes)


def attempt(item: str = "p01", round_: int = 1, content: str = "3882", at: float = 10.0) -> Attempt:
    return Attempt(request=request(item, round_), result=response(content, at))


def row(
    item: str = "p01",
    round_: int = 1,
    outcome: Outcome = Outcome.RIGHT,
    **changes: Any,
) -> Row:
    score = 1.0 if outcome is Outcome.RIGHT else 0.0
    grade = Grade(
        outcome=outcome,
        score=score if outcome.counts else None,
        grader="number",
        grader_version="1",
        read="3882",
        rule="whole",
    )
    fields: dict[str, Any] = {"grade": grade, "key": request(item, round_).key}
    fields |= {"finish_reason": "stop", "tokens": Tokens(input=12, output=3), "latency": 0.25}
    fields |= {"answered_at": 10.0, "served_model": "m-1", "fingerprint": "fp"}
    return Row(item=item, round=round_, **fields | changes)


def suite(*items: str) -> Suite:
    return Suite(
        name="small",
        items=tuple(
            Item(id=item, input=f"{item}?", expect=Expect(kind="number", key=3882))
            for item in items or ("p01", "p02")
        ),
    )


def plan(asked: Suite | None = None, **changes: Any) -> RunPlan:
    asked = asked or suite()
    fields: dict[str, Any] = {
        "suite_name": asked.name,
        "suite_hash": asked.hash,
        "endpoint": URL,
        "base_url": URL,
        "name": "m",
        "model": "m",
        "params": {"temperature": 0, "max_tokens": 16},
        "rounds": 2,
        "items": tuple(item.id for item in asked.items),
    }
    return RunPlan(**fields | changes)


def started(at: float = 5.0) -> Invocation:
    return Invocation(started=at, version="0.1.0")
