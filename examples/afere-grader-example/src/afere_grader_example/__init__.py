"""A grader for `afere`: the answer reads the same backwards and is long enough."""

from typing import Any

from afere import grader

__all__ = ["palindrome"]


def _fault_of(key: Any) -> str | None:  # noqa: ANN401 - a key may be anything that YAML can say
    is_length = isinstance(key, int) and not isinstance(key, bool) and key > 0
    return None if is_length else f"{key!r} is no length: write `palindrome: 5`"


@grader("palindrome", version="1", check=_fault_of)
def palindrome(answer: str, key: int, *, spaces: str = "count") -> bool:
    """Tell whether the answer is a palindrome of at least `key` letters."""
    letters = [char for char in answer.casefold() if spaces == "count" or char.isalnum()]
    return len(letters) >= key and letters == letters[::-1]
