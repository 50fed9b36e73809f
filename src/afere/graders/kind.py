"""What every built-in kind shares: settled outcomes, reading by the rules, and the grade."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar, Generic, TypeVar

from afere.domain import AnswerKeyError, Grade, Item, Message, Outcome, Reading, Response
from afere.graders.reading.form import is_blank
from afere.graders.reading.reply import Reply, Settled, open_reply
from afere.graders.reading.rules import Found, Missing, Reader, read

__all__ = [
    "Judgement",
    "Key",
    "Kind",
    "PreparedKind",
    "ReadKind",
    "check_names",
    "question_of",
]

K = TypeVar("K")
V = TypeVar("V")

LENIENT_RIGHT, LENIENT_WRONG = "lenient-right", "lenient-wrong"
OTHER_SEPARATORS = "other-separators"

_LONGEST_READ = 400  # characters of what was read that a grade keeps
_KEYS_KEPT = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What was made of a reply: outcome or score, what was read, and by which rule."""

    outcome: Outcome
    score: float = 0.0
    read: str | None = None
    rule: str | None = None
    flags: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, score: float, *, read: str | None, rule: str, flags: tuple[str, ...] = ()
    ) -> "Judgement":
        """Give the judgement of an answer that was read: right from a score of 1 on."""
        outcome = Outcome.RIGHT if score >= 1 else Outcome.WRONG
        return cls(outcome=outcome, score=score, read=read, rule=rule, flags=flags)


class PreparedKind(ABC, Generic[K]):
    """A built-in grader: a key that is prepared once an item."""

    name: str
    version: str = "1"
    settings: ClassVar[Mapping[str, str]] = {}

    def __init__(self) -> None:
        self._keys: dict[tuple[int, Reading], tuple[Item, K]] = {}

    def check(self, item: Item, reading: Reading) -> None:
        """Raise AnswerKeyError if the item's key or options cannot be used."""
        check_names(item.expect.options, self.settings, "expect", f"the kind {self.name}")
        self.prepare(item, reading)

    @abstractmethod
    async def grade(self, item: Item, response: Response, reading: Reading) -> Grade:
        """Judge one reply."""

    @abstractmethod
    def prepare(self, item: Item, reading: Reading) -> K:
        """Make the item's key ready for use; raises AnswerKeyError."""

    def _key(self, item: Item, reading: Reading) -> K:
        """Give the prepared key, kept as long as the item is the same object."""
        place = (id(item), reading)
        kept = self._keys.get(place)
        if kept is None or kept[0] is not item:
            if len(self._keys) >= _KEYS_KEPT:
                self._keys.clear()
            kept = self._keys[place] = (item, self.prepare(item, reading))
        return kept[1]

    def _grade(self, judgement: Judgement, flags: tuple[str, ...] = ()) -> Grade:
        return Grade(
            outcome=judgement.outcome,
            score=judgement.score,
            grader=self.name,
            grader_version=self.version,
            read=_short(judgement.read),
            rule=judgement.rule,
            flags=flags + judgement.flags,
        )


class Kind(PreparedKind[K], Generic[K]):
    """A built-in grader that judges a reply by reading alone."""

    async def grade(self, item: Item, response: Response, reading: Reading) -> Grade:
        """Judge one reply."""
        return self.grade_now(item, response, reading)

    def grade_now(self, item: Item, response: Response, reading: Reading) -> Grade:
        """Judge one reply without a loop; raises AnswerKeyError where the key is at fault."""
        opened = open_reply(response)
        if isinstance(opened, Settled):
            return self._grade(Judgement(outcome=opened.outcome, flags=opened.flags))
        judgement = self.judge(item, opened, reading, self._key(item, reading))
        return self._grade(judgement, opened.flags)

    @abstractmethod
    def judge(self, item: Item, reply: Reply, reading: Reading, key: K) -> Judgement:
        """Judge a reply that has text."""


class Key(ABC, Generic[V]):
    """A key made ready: the reader of the kind's values, and the judge of them."""

    __slots__ = ()

    reader: Reader[V]

    @abstractmethod
    def score(self, value: V) -> float:
        """Give the score of a value, 0 to 1."""

    def shown(self, value: V) -> str:
        """Write the value as it is kept in the grade."""
        return str(value)

    def flags(self, value: V) -> tuple[str, ...]:  # noqa: ARG002 - for kinds that have remarks
        """Give remarks on how the value was written."""
        return ()


class ReadKind(Kind[Key[V]], Generic[V]):
    """A kind whose answers are read by the reading rules."""

    def judge(self, item: Item, reply: Reply, reading: Reading, key: Key[V]) -> Judgement:
        """Read the answer and compare it; a strict miss says what lenient reading would give."""
        question = question_of(item)
        found = read(reply, key.reader, question=question, strict=reading.strict)
        if isinstance(found, Found):
            return self._judged(found, key)
        flags = found.flags
        if found.outcome is Outcome.UNREADABLE and is_blank(reply.text):
            return Judgement(outcome=Outcome.EMPTY, flags=flags)
        if reading.strict and found.outcome is Outcome.UNREADABLE:
            lenient = Reading(language=reading.language)
            flags += self._lenient_flags(item, reply, lenient, question)
        return Judgement(outcome=found.outcome, flags=flags)

    def _judged(self, found: Found[V], key: Key[V]) -> Judgement:
        return Judgement.of(
            key.score(found.value),
            read=key.shown(found.value),
            rule=found.rule,
            flags=found.flags + key.flags(found.value),
        )

    def _lenient_flags(
        self, item: Item, reply: Reply, reading: Reading, question: str
    ) -> tuple[str, ...]:
        key = self._key(item, reading)
        found = read(reply, key.reader, question=question, strict=False)
        if isinstance(found, Missing):
            return ()
        return (LENIENT_RIGHT if key.score(found.value) >= 1 else LENIENT_WRONG,)


def question_of(item: Item) -> str:
    """Give the text of an item: its input, or the last message's."""
    if isinstance(item.input, str):
        return item.input
    return next((_text_of(each) for each in reversed(item.input) if _text_of(each)), "")


def check_names(given: Mapping[str, Any], known: Iterable[str], field: str, of_what: str) -> None:
    """Raise AnswerKeyError for the first name that is not known, naming the nearest right one."""
    names = list(known)
    for name in given:
        if name not in names:
            near = get_close_matches(str(name), names, n=1, cutoff=0.5)
            listed = ", ".join(names) if names else "none"
            mend = f"Did you mean `{near[0]}`?" if near else f"Known: {listed}."
            raise AnswerKeyError(f"`{name}` is no option of {of_what}", mend=mend, field=field)


def _text_of(message: Message) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(str(part.get("text", "")) for part in message.content).strip()


def _short(text: str | None) -> str | None:
    if text is None or len(text) <= _LONGEST_READ:
        return text
    return text[: _LONGEST_READ - 1] + "…"
