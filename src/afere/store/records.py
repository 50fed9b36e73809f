"""Records to columns and back: hot fields have a column each, the rest is canonical JSON."""

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

from afere.domain import (
    Attempt,
    Failure,
    Grade,
    Outcome,
    Request,
    Response,
    Row,
    StoreError,
    Tokens,
    decode,
    encode,
    from_plain,
)
from afere.store.texts import from_column, to_column

__all__ = [
    "ATTEMPT_COLUMNS",
    "REPLY",
    "RESPONSE_COLUMNS",
    "ROW_COLUMNS",
    "Cell",
    "Columns",
    "Keeping",
    "Kept",
    "KeptAttempt",
    "KeptRow",
    "RowReader",
    "attempt_columns",
    "attempt_from",
    "response_from",
    "row_columns",
]

Cell: TypeAlias = str | int | float | None
Columns: TypeAlias = dict[str, Cell]

REPLY = "response"
"""The kind of an attempt that brought a reply; a failed one has its failure's kind."""

RESPONSE_COLUMNS = (
    "at",
    "latency",
    "finish_reason",
    "tokens_input",
    "tokens_output",
    "tokens_reasoning",
    "served_model",
    "fingerprint",
    "content",
    "reasoning",
    "refusal",
    "body",
    "adapted",
)
ATTEMPT_COLUMNS = (
    *RESPONSE_COLUMNS,
    "failure",
    "item",
    "round",
    "variant",
    "series",
    "endpoint",
    "model",
)
ROW_COLUMNS = (
    "item",
    "round",
    "variant",
    "key",
    "outcome",
    "score",
    "grader",
    "grader_version",
    "read",
    "rule",
    "flags",
    "seconds",
    "executed",
    "finish_reason",
    "tokens_input",
    "tokens_output",
    "tokens_reasoning",
    "latency",
    "answered_at",
    "served_model",
    "fingerprint",
    "error",
    "cached",
)

_EXECUTED = ("failure", "message", "sandbox", "integrity", "output")
_MESSAGES = "messages"
_REMEMBERED = 10_000  # different grades: beyond them hardly any repeats
_WIDEST = 2**63  # a database's whole numbers end here; no count of tokens comes near
_KIND, _FAILURE = "kind", "failure"


class KeptRow(NamedTuple):
    """The columns of a row."""

    columns: Columns


class KeptAttempt(NamedTuple):
    """The columns of an attempt, and the texts that are kept once under their hashes."""

    columns: Columns
    texts: dict[str, str]


Keeping: TypeAlias = KeptAttempt | KeptRow
Kept: TypeAlias = bool | StoreError
"""What came of keeping: an error, or whether a reply that was kept before counts instead."""


def attempt_columns(attempt: Attempt, *, again: bool = False) -> KeptAttempt:
    """Give the columns of an attempt; the body's messages and parameters are texts apart.

    Messages repeat from round to round and parameters from item to item: each is kept once.
    """
    request = attempt.request
    texts: dict[str, str] = {}
    rest = dict(request.body)
    messages = _kept_once(rest.pop(_MESSAGES), texts) if _MESSAGES in rest else None
    columns: Columns = {
        "key": request.key,
        "again": int(again),
        "item": to_column(request.item),
        "round": request.round,
        "variant": request.variant,
        "series": to_column(request.series),
        "endpoint": to_column(request.endpoint),
        "model": to_column(request.model),
        "messages": messages,
        "params": _kept_once(rest, texts),
    }
    match attempt.result:
        case Response() as response:
            columns |= _response_columns(response)
        case Failure() as failure:
            columns |= _failure_columns(failure)
    return KeptAttempt(columns, texts)


def response_from(cells: Sequence[Any]) -> Response:
    """Build a reply of the cells of `RESPONSE_COLUMNS`."""
    at, latency, finish_reason, sent, got, thought, served, print_, content, *rest = cells
    reasoning, refusal, body, adapted = rest
    return Response(
        content=from_column(content),
        finish_reason=_text(finish_reason),
        reasoning=_text(reasoning),
        refusal=_text(refusal),
        tokens=Tokens(input=sent, output=got, reasoning=thought),
        latency=latency,
        answered_at=at,
        served_model=_text(served),
        fingerprint=_text(print_),
        body=from_column(body),
        adapted=_names(adapted),
    )


def attempt_from(cells: Sequence[Any], messages: str | None, params: str) -> Attempt:
    """Build an attempt of the cells of `ATTEMPT_COLUMNS` and the texts of its body."""
    reply = cells[: len(RESPONSE_COLUMNS)]
    failure, item, round_, variant, series, endpoint, model = cells[len(RESPONSE_COLUMNS) :]
    body = decode(params)
    if messages is not None:
        body[_MESSAGES] = decode(messages)
    request = Request(
        item=from_column(item),
        round=round_,
        endpoint=from_column(endpoint),
        model=from_column(model),
        body=body,
        variant=variant,
        series=from_column(series),
    )
    if failure is None:
        return Attempt(request=request, result=response_from(reply))
    return Attempt(request=request, result=from_plain(Failure, decode(failure)))


def row_columns(run_id: str, row: Row) -> Columns:
    """Give the columns of a row of a run."""
    grade, tokens = row.grade, row.tokens
    return {
        "run": run_id,
        "item": to_column(row.item),
        "round": row.round,
        "variant": row.variant,
        "key": to_column(row.key),
        "outcome": grade.outcome.value,
        "score": grade.score,
        "grader": to_column(grade.grader),
        "grader_version": to_column(grade.grader_version),
        "read": _column(grade.read),
        "rule": _column(grade.rule),
        "flags": _names_column(grade.flags),
        "seconds": grade.seconds,
        "executed": _executed_column(grade),
        "finish_reason": _column(row.finish_reason),
        "tokens_input": _count(tokens.input),
        "tokens_output": _count(tokens.output),
        "tokens_reasoning": _count(tokens.reasoning),
        "latency": row.latency,
        "answered_at": row.answered_at,
        "served_model": _column(row.served_model),
        "fingerprint": _column(row.fingerprint),
        "error": _failure_text(row.error) if row.error is not None else None,
        "cached": int(row.cached),
    }


class RowReader:
    """Builds rows of the cells of `ROW_COLUMNS`; values that repeat are one object for all.

    items: ids at hand that rows will name.
    """

    def __init__(self, items: Iterable[str] = ()) -> None:
        self._texts: dict[str | None, str | None] = {None: None}
        self._texts |= {to_column(item): item for item in items}
        self._tokens: dict[tuple[int | None, ...], Tokens] = {}
        self._grades: dict[Sequence[Any], Grade] = {}

    def row(self, cells: Sequence[Any]) -> Row:
        """Build one row."""
        item, round_, variant, key = cells[:4]
        finish, sent, got, thought, latency, at, served, print_, error, cached = cells[13:]
        return Row(
            item=self._same(item),
            round=round_,
            grade=self._same_grade(cells[4:13]),
            variant=variant,
            key=from_column(key),
            finish_reason=self._same(finish),
            tokens=self._same_tokens((sent, got, thought)),
            latency=latency,
            answered_at=at,
            served_model=self._same(served),
            fingerprint=self._same(print_),
            error=None if error is None else from_plain(Failure, decode(error)),
            cached=bool(cached),
        )

    def _same_grade(self, cells: Sequence[Any]) -> Grade:
        grade = self._grades.get(cells)
        if grade is None:
            grade = self._grade(cells)
            if len(self._grades) < _REMEMBERED:
                self._grades[cells] = grade
        return grade

    def _grade(self, cells: Sequence[Any]) -> Grade:
        outcome, score, grader, version, read, rule, flags, seconds, executed = cells
        return Grade(
            outcome=Outcome(outcome),
            score=score,
            grader=self._same(grader),
            grader_version=self._same(version),
            read=_text(read),
            rule=self._same(rule),
            flags=_names(flags),
            seconds=seconds,
            **({} if executed is None else decode(executed)),
        )

    def _same(self, cell: Any) -> Any:  # noqa: ANN401 - None stays None, a text a text
        try:
            return self._texts[cell]
        except KeyError:
            text = self._texts[cell] = from_column(cell)
            return text

    def _same_tokens(self, counts: tuple[int | None, ...]) -> Tokens:
        tokens = self._tokens.get(counts)
        if tokens is None:
            sent, got, thought = counts
            tokens = self._tokens[counts] = Tokens(input=sent, output=got, reasoning=thought)
        return tokens


def _response_columns(response: Response) -> Columns:
    tokens = response.tokens
    return {
        _KIND: REPLY,
        "at": response.answered_at,
        "latency": response.latency,
        "finish_reason": _column(response.finish_reason),
        "tokens_input": _count(tokens.input),
        "tokens_output": _count(tokens.output),
        "tokens_reasoning": _count(tokens.reasoning),
        "served_model": _column(response.served_model),
        "fingerprint": _column(response.fingerprint),
        "content": to_column(response.content),
        "reasoning": _column(response.reasoning),
        "refusal": _column(response.refusal),
        "body": to_column(response.body),
        "adapted": _names_column(response.adapted),
        _FAILURE: None,
    }


def _failure_columns(failure: Failure) -> Columns:
    columns: Columns = dict.fromkeys(RESPONSE_COLUMNS)
    columns |= {
        _KIND: failure.kind.value,
        "at": failure.failed_at,
        "latency": failure.latency,
        _FAILURE: _failure_text(failure),
    }
    return columns


def _failure_text(failure: Failure) -> str:
    """Write a failure; a wait without an end, as a server may ask for, is no wait to keep."""
    wait, resume_after = _finite(failure.wait), _finite(failure.resume_after)
    return encode(replace(failure, wait=wait, resume_after=resume_after))


def _finite(number: float | None) -> float | None:
    return number if number is None or math.isfinite(number) else None


def _kept_once(plain: object, texts: dict[str, str]) -> str:
    text = encode(plain)
    name = hashlib.sha256(text.encode("ascii")).hexdigest()
    texts[name] = text
    return name


def _executed_column(grade: Grade) -> str | None:
    """Give what an executed answer came to as one text, None for an answer that was only read."""
    found = {name: getattr(grade, name) for name in _EXECUTED}
    return encode(found) if any(each is not None for each in found.values()) else None


def _column(text: str | None) -> str | None:
    return None if text is None else to_column(text)


def _text(cell: str | None) -> str | None:
    return None if cell is None else from_column(cell)


def _names_column(names: tuple[str, ...]) -> str | None:
    return encode(names) if names else None


def _names(cell: str | None) -> tuple[str, ...]:
    return () if cell is None else tuple(decode(cell))


def _count(tokens: int | None) -> int | None:
    """Give None for a number of tokens that no column holds; the body still has it as it came."""
    return tokens if tokens is None or -_WIDEST <= tokens < _WIDEST else None
