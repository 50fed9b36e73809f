"""Answers made elsewhere: JSON lines with the item, the reply, and how it ended."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from afere.domain import Failure, FailureKind, Response, SuiteError, Tokens

__all__ = ["Answer", "read_answers"]

MOST_ROUNDS = 10_000
FIELDS = ("item", "round", "content", "finish_reason", "reasoning", "refusal", "logprobs", "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One line of a file of answers. line: counted from 1. round: 1 where none is given."""

    line: int
    item: str
    round: int
    reply: Response | Failure


def read_answers(path: Path) -> Iterator[Answer]:
    """Read the lines of a file; raises SuiteError with file, line, field and mend.

    A line whose `error` is not null is a failed call. One that says nothing of a reply (neither
    content, refusal, reasoning nor finish reason) and has no error is refused.
    """
    try:
        file = path.open(encoding="utf-8-sig", newline="\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise SuiteError(f"cannot be read: {reason}", file=path, mend="name a file") from None
    with file:
        try:
            for number, text in enumerate(file, 1):
                if text.strip():
                    yield _answer(_fields(text, path, number), path, number)
        except UnicodeDecodeError as error:
            raise SuiteError(
                f"is no UTF-8 text: {error.reason}",
                file=path,
                mend="save the file as UTF-8",
            ) from None


def _fields(text: str, path: Path, line: int) -> Mapping[str, Any]:
    try:
        fields = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise SuiteError(
            f"is no JSON: {error}",
            file=path,
            line=line,
            mend='write one object a line: {"item": "p01", "content": "42"}',
        ) from None
    if not isinstance(fields, dict):
        raise SuiteError(
            "is no JSON object",
            file=path,
            line=line,
            mend='write one object a line: {"item": "p01", "content": "42"}',
        )
    return fields


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


def _answer(fields: Mapping[str, Any], path: Path, line: int) -> Answer:
    def fault(field: str, problem: str, mend: str) -> SuiteError:
        return SuiteError(problem, file=path, line=line, field=field, mend=mend)

    item = fields.get("item")
    if isinstance(item, bool) or not isinstance(item, str | int):
        raise fault("item", "names no item", 'add "item": "ID"')
    number = fields.get("round", 1)
    number = 1 if number is None else number
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= MOST_ROUNDS:
        problem = f"is no whole number from 1 to {MOST_ROUNDS}"
        raise fault("round", problem, 'write "round": 1')
    for name in ("content", "finish_reason", "reasoning", "refusal"):
        if not isinstance(fields.get(name), str | None):
            raise fault(name, "is no text", "write a text or null")
    return Answer(line=line, item=str(item), round=number, reply=_reply(fields, fault))


def _reply(fields: Mapping[str, Any], fault: Any) -> Response | Failure:  # noqa: ANN401 - a maker of errors
    error = fields.get("error")
    if error is not None:
        text = error if isinstance(error, str) else json.dumps(error, ensure_ascii=False)
        return Failure(kind=FailureKind.SERVER, message=text[:400])
    said = ("content", "refusal", "reasoning", "finish_reason")
    if all(fields.get(name) is None for name in said):
        raise fault(
            "content",
            "there is neither a reply nor an error",
            'add "content": "…", or "error": "…" where the call failed',
        )
    return Response(
        content=fields.get("content") or "",
        finish_reason=fields.get("finish_reason"),
        reasoning=fields.get("reasoning"),
        refusal=fields.get("refusal"),
        tokens=Tokens(),
    )
