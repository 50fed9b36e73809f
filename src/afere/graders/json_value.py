"""`json`: a JSON value, judged against a schema, a value, or both."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from afere.domain import AnswerKeyError, Item, Reading
from afere.graders.kind import Key, ReadKind, check_names
from afere.graders.reading.code import fences, has_fence
from afere.graders.reading.form import verbatim
from afere.graders.reading.markers import Marked
from afere.graders.reading.rules import Reader
from afere.graders.schemas import Schema
from afere.graders.values_of_json import NO_VALUE, Parsed, equal, first_value, last_value, parse

__all__ = ["JsonKind"]

_MOST_FENCES = 20  # fences that are tried
_LONGEST = 10**9  # characters: a value is looked at whole


class JsonKind(ReadKind[Parsed]):
    """Judges a JSON value: types are strict, numbers exact, the schema is obeyed."""

    name = "json"
    version = "2"

    def prepare(self, item: Item, reading: Reading) -> "_Key":  # noqa: ARG002 - the same in all
        """Read schema and value; raises AnswerKeyError."""
        key = item.expect.key
        if not isinstance(key, Mapping) or not key:
            mend = "Write `json: {schema: .., equals: ..}`."
            raise AnswerKeyError(f"{key!r} names neither schema nor value", mend=mend)
        check_names(key, ("schema", "equals"), "expect.json", "json")
        schema = Schema(key["schema"]) if "schema" in key else None
        return _Key(reader=_Reader(), schema=schema, equals=key.get("equals", NO_VALUE))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key(Key[Parsed]):
    reader: "_Reader"
    schema: Schema | None
    equals: Any

    def score(self, value: Parsed) -> float:
        """Compare the value, then try the schema."""
        if self.equals is not NO_VALUE and not equal(value.value, self.equals):
            return 0.0
        return float(self.schema is None or self.schema.accepts(value.value))

    def shown(self, value: Parsed) -> str:
        """Show the value as it was written."""
        return value.text


@dataclass(frozen=True, slots=True)
class _Reader(Reader[Parsed]):
    """Reads JSON values: alone, in a fence, at a marker, or among sentences."""

    longest: ClassVar[int] = _LONGEST

    def view(self, text: str) -> str:
        return verbatim(text).strip()

    def marked(self, marked: Marked) -> Parsed | None:
        if has_fence(marked.rest):
            return _fenced(marked.rest, place=0)
        return first_value(marked.rest)

    def exact(self, text: str) -> Parsed | None:
        return parse(text.strip().strip("`").strip()) or _lone_fence(text)

    def last(self, text: str) -> Parsed | None:
        found = last_value(text)
        if found is not None and text.rstrip(" \n`~").endswith(found.text):
            before = text.rstrip(" \n`~").removesuffix(found.text)
            return found if not before.rpartition("\n")[2].strip(" \t`>") else None
        return self.line(text.rstrip().rpartition("\n")[2])

    def first(self, text: str) -> Parsed | None:
        return first_value(text) if text.lstrip()[:1] in {"{", "["} else None

    def loose(self, text: str) -> Parsed | None:
        return _fenced(text, place=-1) or last_value(text)


def _fenced(text: str, *, place: int) -> Parsed | None:
    blocks = fences(text)
    ordered = blocks[:_MOST_FENCES] if place == 0 else reversed(blocks[-_MOST_FENCES:])
    return next((value for code in ordered if (value := parse(code.strip()))), None)


def _lone_fence(text: str) -> Parsed | None:
    found = fences(text) if has_fence(text) and text.rstrip().endswith(("```", "~~~")) else []
    return parse(found[0].strip()) if len(found) == 1 else None
