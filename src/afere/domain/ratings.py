"""Answers with a confidence, as columns, and where they come from."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Provenance", "RatedTable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What confidences were measured on; what is not known is None.

    model: the name that was asked. weights: SHA-256 of the GGUF, or the declared quantisation.
    prompt: hash of prompt template and system message. params: the request body but for model
    and messages. suite: hash of the suite. date: of the answers, ISO 8601. confidence_from: where
    the confidence comes from (`logprob`, `stated`, `agreement`, `file`).
    """

    model: str | None = None
    served_model: str | None = None
    weights: str | None = None
    prompt: str | None = None
    params: Mapping[str, Any] | None = None
    suite: str | None = None
    date: str | None = None
    language: str | None = None
    confidence_from: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatedTable:
    """Rows of (confidence of the chosen answer, whether it is right) as buffers of equal length.

    confidence: doubles from 0 to 1, NaN where a row has none. right: 0 or 1.
    ids: one a row, each once, or empty. group, category: places in `groups` and `categories`, -1
    where a row has none, or empty. split: 0 for the tuning part, 1 for the reserved one, or empty.
    skipped: rows of another kind that were passed over. label_mass: see `analysis.confidences`.
    warnings: what makes the rows less than they seem; notes: how they were read.
    """

    confidence: "memoryview | array[float]"
    right: "memoryview | array[int]"
    ids: Sequence[str] = ()
    group: "memoryview | array[int]" = field(default_factory=lambda: array("i"))
    groups: Sequence[str] = ()
    category: "memoryview | array[int]" = field(default_factory=lambda: array("i"))
    categories: Sequence[str] = ()
    split: "memoryview | array[int]" = field(default_factory=lambda: array("b"))
    name: str = ""
    skipped: int = 0
    label_mass: float | None = None
    provenance: Provenance = field(default_factory=Provenance)
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """How many rows there are, those without a confidence included."""
        return len(self.confidence)
