"""What an audit finds."""

from dataclasses import dataclass
from typing import Any

from afere.domain import Sentence, to_plain

__all__ = ["Problem"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One finding of an audit.

    severity: `error` (the suite would give wrong numbers) or `warning` (look at it).
    item: the item's id, None where the whole suite is meant.
    code: a name that scripts can rely on.
    """

    severity: str
    item: str | None
    code: str
    message: Sentence

    def to_dict(self) -> dict[str, Any]:
        """Give the fields as plain JSON data."""
        return dict(to_plain(self))
