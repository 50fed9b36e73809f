"""Read by the type checker alone: the records' types as a user sees them."""

from typing import assert_type

from afere.domain import Grade, Outcome, Request, Tokens


def reads(grade: Grade, request: Request, tokens: Tokens) -> None:
    assert_type(grade.outcome, Outcome)
    assert_type(grade.score, float | None)
    assert_type(request.key, str)
    assert_type(tokens.input, int | None)
