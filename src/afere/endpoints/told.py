"""What an error body says, whatever form its server gives it."""

from dataclasses import dataclass

__all__ = ["Told", "read_told"]

_BY_CODE = {
    "insufficient_quota": 402,
    "insufficient_credits": 402,
    "billing_not_active": 402,
    "billing_hard_limit_reached": 402,
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "too_many_requests": 429,
    "resource_exhausted": 429,
    "invalid_api_key": 401,
    "incorrect_api_key": 401,
    "authentication_error": 401,
    "unauthenticated": 401,
    "unauthorized": 401,
    "permission_error": 403,
    "permission_denied": 403,
    "forbidden": 403,
    "model_not_found": 404,
    "not_found_error": 404,
    "not_found": 404,
    "context_length_exceeded": 400,
    "exceed_context_size_error": 400,
    "unsupported_parameter": 400,
    "unsupported_value": 400,
    "invalid_argument": 400,
    "invalid_request_error": 400,
    "bad_request": 400,
    "badrequesterror": 400,
    "failed_precondition": 400,
    "content_filter": 400,
    "content_policy_violation": 400,
    "deadline_exceeded": 504,
    "timeout": 504,
    "unavailable": 503,
    "overloaded_error": 503,
    "service_unavailable": 503,
    "server_error": 500,
    "internal_server_error": 500,
    "internal": 500,
    "api_error": 500,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What an error body says.

    codes: every code, type and status word in it, in lower case, the most exact first.
    status: the HTTP status that the codes amount to, None where none is known.
    flagged: whether it says that the input itself was flagged by moderation.
    """

    message: str
    codes: tuple[str, ...] = ()
    status: int | None = None
    flagged: bool = False


def read_told(body: object) -> Told | None:
    """Read an error body; None where there is no error in it.

    Understood are `{"error": {…}}`, `{"error": "text"}`, a list that holds one of these,
    `{"object": "error", …}`, `{"type": "error", …}`, `{"detail": …}` and `{"message": …}`.
    """
    if isinstance(body, list):
        body = body[0] if body else None
    if not isinstance(body, dict):
        return None
    error = body.get("error")
    if isinstance(error, dict) and error:
        return _from_fields(error)
    if error and (isinstance(error, str) or "choices" in body):  # of an odd form beside a reply
        told = str(error)
        return _from_fields(body | {"message": body.get("message") or told, "type": told})
    if body.get("object") == "error" or body.get("type") == "error":
        return _from_fields(body)
    for name in ("detail", "message"):
        if isinstance(body.get(name), str | list | dict) and "choices" not in body and body[name]:
            return _from_fields(body | {"message": body[name]})
    return None


def _from_fields(error: dict[str, object]) -> Told:
    inner = error.get("innererror")
    deeper = inner.get("code") if isinstance(inner, dict) else None
    found = [error.get("code"), deeper, *_reasons(error), error.get("status"), error.get("type")]
    codes = tuple(str(each).lower() for each in found if isinstance(each, str | int) and each)
    metadata = error.get("metadata")
    message = error.get("message")
    return Told(
        message=message if isinstance(message, str) else str(message or " ".join(codes)),
        codes=codes,
        status=next((status for code in codes if (status := _status(code))), None),
        flagged=isinstance(metadata, dict) and "flagged_input" in metadata,
    )


def _reasons(error: dict[str, object]) -> list[object]:
    details = error.get("details")
    listed = details if isinstance(details, list) else []
    return [each.get("reason") for each in listed if isinstance(each, dict)]


def _status(code: str) -> int | None:
    if code.isdecimal() and code.isascii() and len(code) == len("429"):
        return int(code)
    return _BY_CODE.get(code)
