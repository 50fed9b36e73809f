"""The questions: items, what is expected of an answer, and the suite that holds them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from afere.domain.wire import digest

__all__ = ["Expect", "Item", "Message", "Reading", "Suite"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One chat message; `content` is text, or the list of parts that vision models take."""

    role: str
    content: str | tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect:
    """What a right answer is.

    kind: name of the grader (`number`, `text`, `choice`, …).
    key: the right answer as written in the suite; whole numbers are int, others Decimal.
    options: the settings that stand beside the kind (`tolerance`, `unit`, `base`, …).
    """

    kind: str
    key: Any
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How answers are read: the language decides separators and markers; strict or lenient."""

    language: str = "en"
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question with its right answer."""

    id: str
    input: str | tuple[Message, ...]
    expect: Expect
    category: str | None = None
    group: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    date: str | None = None
    source: str | None = None
    public: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Suite:
    """A set of items, asked and read in one way.

    prompt: a template over `input`, `options`, `labels` and the item's fields; None shows the
    input, and an item's options one a line.
    params: fields of the request body that the suite asks for (`temperature`, `max_tokens`, …).
    average: `micro` (every item weighs the same) or `macro` (every category does).
    pass_at: how many rounds of an item count as one try, reported beside the score.
    """

    name: str
    version: int | str = 1
    reading: Reading = field(default_factory=Reading)
    prompt: str | None = None
    system: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    items: tuple[Item, ...] = ()
    average: str = "micro"
    public: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    pass_at: tuple[int, ...] = ()

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of the whole suite, as 64 hexadecimal digits.

        A field that came later is part of it where it is filled: older suites keep their hash.
        """
        return digest(self, without=frozenset() if self.pass_at else frozenset({"pass_at"}))

    def item(self, item_id: str) -> Item:
        """Give the item of that id; raises KeyError."""
        return self._by_id[item_id]

    @cached_property
    def _by_id(self) -> dict[str, Item]:
        return {item.id: item for item in self.items}
