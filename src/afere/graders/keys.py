"""Keys and options as suites write them, made ready or refused with the mend."""

from collections.abc import Mapping
from typing import Any

from afere.domain import AnswerKeyError

__all__ = ["accents_count", "one_text", "texts"]


def one_text(value: object) -> str | None:
    """Give a text, or a number or truth value as it would be written; None for anything else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return (
        str(value) if isinstance(value, str | int | float) or hasattr(value, "as_tuple") else None
    )


def texts(key: object, kind: str, *, empty: bool = False) -> list[str]:
    """Give the texts of a key that is one or a list of them; raises AnswerKeyError."""
    listed = key if isinstance(key, list | tuple) else [key]
    found = [one_text(each) for each in listed]
    if not found or any(each is None or not (each.strip() or empty) for each in found):
        mend = f"Write `{kind}: [one, another]`."
        raise AnswerKeyError(f"{key!r} is no list of texts", mend=mend)
    return [each for each in found if each is not None]


def accents_count(options: Mapping[str, Any]) -> bool:
    """Tell whether accents count; raises AnswerKeyError for an unknown wish."""
    wish = options.get("accents", "fold")
    if wish not in {"fold", "strict"}:
        raise AnswerKeyError(f"`accents: {wish}` is unknown", mend="Write `fold` or `strict`.")
    return bool(wish == "strict")
