"""`regex`: the answer is a regular expression, judged by what it does to the texts given."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, cast

from afere.domain import (
    AnswerKeyError,
    Execution,
    Grade,
    Item,
    Limits,
    NoSandboxError,
    Reading,
    RegexTask,
    Response,
    Sandbox,
)
from afere.graders.expressions import Budget, Expression, InvalidExpressionError, UnfinishedError
from afere.graders.keys import texts
from afere.graders.kind import Key, ReadKind, check_names
from afere.graders.reading.code import Delimited, bare_expression, fences, has_fence, spans
from afere.graders.reading.form import core, verbatim
from afere.graders.reading.markers import Marked
from afere.graders.reading.rules import Reader

__all__ = ["RegexKind"]

_LONGEST = 10**9  # characters: an answer is looked at whole

_HOW = {"full": Expression.fullmatch, "prefix": Expression.match, "search": Expression.search}
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "a": re.ASCII}
_META = re.compile(r"[\\^$\[\](){}|*+?]")
_PLAIN_WORD = re.compile(r"(?<!\S)[^\W\d_]{2,}[,.;:!?]?(?!\S)")
_PROSE = 3  # plain words from which on a text without any sign of an expression is prose
_STARTS, _ENDS = (
    ("^", "(", "[", "\\", "/", "r'", 'r"', "'", '"', "."),
    ("$", ")", "]", "+", "*", "}", "/"),
)


How = Literal["full", "prefix", "search"]

_LIMITS = Limits(cpu=2.0, wall=20.0)
_NOT_EXECUTED = "not-executed"


class _GaveUp(Exception):  # noqa: N818 - no error: the machine's bound is reached
    """An expression that our own machine does not run to its end."""

    def __init__(self, value: Delimited) -> None:
        super().__init__(value.source[:80])
        self.value = value


class RegexKind(ReadKind[Delimited]):
    """Judges an expression: it matches all of `matches` and none of `rejects`.

    What our own bounded machine gives up on runs in the sandbox under a limit of CPU time; without
    a sandbox it is wrong, and the grade says `not-executed`.
    """

    name = "regex"
    version = "3"
    settings: ClassVar[Mapping[str, str]] = {"how": "`full` (default), `prefix` or `search`"}

    def __init__(self, sandbox: Sandbox | None = None) -> None:
        super().__init__()
        self._sandbox = sandbox

    async def grade(self, item: Item, response: Response, reading: Reading) -> Grade:
        """Judge one reply."""
        try:
            return super().grade_now(item, response, reading)
        except _GaveUp as given_up:
            value = given_up.value
        key = cast("_Key", self._key(item, reading))
        try:
            done = await self._executed(key.task(value))
        except NoSandboxError:
            return self._not_executed(value, item, response, reading)
        return replace(
            self._settled(value, key.score_of(done), item, response, reading),
            seconds=done.seconds,
            failure=done.failure,
            message=done.message or None,
            sandbox=done.level,
            integrity=done.integrity,
        )

    def grade_now(self, item: Item, response: Response, reading: Reading) -> Grade:
        """Judge one reply without a loop, and so without the sandbox."""
        try:
            return super().grade_now(item, response, reading)
        except _GaveUp as given_up:
            return self._not_executed(given_up.value, item, response, reading)

    async def _executed(self, task: RegexTask) -> Execution:
        if self._sandbox is None:
            raise NoSandboxError("There is no sandbox.")
        return await self._sandbox.run(task)

    def _not_executed(
        self, value: Delimited, item: Item, response: Response, reading: Reading
    ) -> Grade:
        grade = self._settled(value, 0.0, item, response, reading)
        return replace(grade, flags=(*grade.flags, _NOT_EXECUTED))

    def _settled(
        self, value: Delimited, score: float, item: Item, response: Response, reading: Reading
    ) -> Grade:
        """Judge a reply whose expression has a score already."""
        settled = cast("_Key", self._key(item, reading)).settled
        settled[value] = score
        try:
            return super().grade_now(item, response, reading)
        finally:
            del settled[value]

    def prepare(self, item: Item, reading: Reading) -> "_Key":  # noqa: ARG002 - the same in all
        """Read the texts; raises AnswerKeyError."""
        key = item.expect.key
        if not isinstance(key, Mapping) or not key:
            mend = "Write `regex: {matches: [..], rejects: [..]}`."
            raise AnswerKeyError(f"{key!r} names no texts", mend=mend)
        check_names(key, ("matches", "rejects", "how"), "expect.regex", "regex")
        matches = _texts(key, "matches")
        rejects = _texts(key, "rejects")
        both = sorted(set(matches) & set(rejects))
        if both:
            raise AnswerKeyError(f"{both[0]!r} is to match and to be rejected")
        if not matches and not rejects:
            raise AnswerKeyError("no text in `matches` or `rejects`")
        return _Key(reader=_Reader(), matches=matches, rejects=rejects, how=_how(item, key))


def _texts(key: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(texts(key[name], name, empty=True)) if name in key and key[name] != [] else ()


def _how(item: Item, key: Mapping[str, Any]) -> How:
    how = key.get("how", item.expect.options.get("how", "full"))
    if how not in _HOW:
        raise AnswerKeyError(f"`how: {how}` is unknown", mend="Write `full`, `prefix` or `search`.")
    return cast("How", how)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key(Key[Delimited]):
    reader: "_Reader"
    matches: tuple[str, ...]
    rejects: tuple[str, ...]
    how: How
    settled: dict[Delimited, float] = field(default_factory=dict)

    def score(self, value: Delimited) -> float:
        """Try all texts; an invalid expression fails. Raises _GaveUp for one that does not end."""
        if value in self.settled:
            return self.settled[value]
        try:
            expression = Expression(value.source, _flags(value))
            runs, budget = _HOW[self.how], Budget()
            right = all(runs(expression, text, budget) for text in self.matches)
            return float(right and not any(runs(expression, text, budget) for text in self.rejects))
        except InvalidExpressionError:
            return 0.0
        except UnfinishedError:
            raise _GaveUp(value) from None

    def task(self, value: Delimited) -> RegexTask:
        """Give what the sandbox is to try."""
        texts = (*self.matches, *self.rejects)
        flags = int(_flags(value))
        return RegexTask(
            pattern=value.source, texts=texts, how=self.how, flags=flags, limits=_LIMITS
        )

    def score_of(self, done: Execution) -> float:
        """Judge what the sandbox found."""
        due = [True] * len(self.matches) + [False] * len(self.rejects)
        return float(done.failure is None and list(done.value or ()) == due)

    def shown(self, value: Delimited) -> str:
        """Show the expression, with its flags where it has some."""
        return f"/{value.source}/{value.flags}" if value.flags else value.source


def _flags(value: Delimited) -> re.RegexFlag:
    flags = re.NOFLAG
    for letter in value.flags.lower():
        flags |= _FLAGS.get(letter, re.NOFLAG)
    return flags


@dataclass(frozen=True, slots=True)
class _Reader(Reader[Delimited]):
    """Reads expressions: a fence before all else, then lines that are no prose."""

    longest: ClassVar[int] = _LONGEST

    def view(self, text: str) -> str:
        return verbatim(text).strip()

    def marked(self, marked: Marked) -> Delimited | None:
        if has_fence(marked.rest) and (fenced := _first_fence(marked.rest)):
            return fenced
        return self.line(marked.line)

    def exact(self, text: str) -> Delimited | None:
        if fenced := _first_fence(text):
            return fenced
        return None if "\n" in text.strip() else self.line(text)

    def line(self, text: str) -> Delimited | None:
        spanned = spans(text)
        if len(spanned) == 1:
            return bare_expression(spanned[0])
        return None if spanned or _is_prose(text) else _delimited(text)

    def loose(self, text: str) -> Delimited | None:
        spanned = [span for span in spans(text) if _META.search(span)]
        if spanned:
            return bare_expression(spanned[0])
        for token in reversed(text.split()):
            if (
                len(_META.findall(token)) > 1
                and token.startswith(_STARTS)
                and token.rstrip(".,;").endswith(_ENDS)
            ):
                return bare_expression(token.rstrip(".,;"))
        return None


def _first_fence(text: str) -> Delimited | None:
    fenced = fences(text)
    if not fenced:
        return None
    code = fenced[0]
    lines = [line.strip() for line in code.split("\n") if line.strip()]
    if "(?x)" in code or len(lines) <= 1:
        return _delimited(code)
    told = [line for line in lines if not line.startswith(("#", "//", "import "))]
    return _delimited(told[0]) if told else None


def _delimited(text: str) -> Delimited | None:
    found = bare_expression(text)
    return found if found.source.strip() else None


def _is_prose(text: str) -> bool:
    """Tell a sentence from an expression: plain words, and no sign of an expression at an end."""
    bare = core(text)
    if text.strip().endswith((":", "：")):
        return True
    words = len(_PLAIN_WORD.findall(text))
    first, _, last = bare.partition(" ")
    introduced = _PLAIN_WORD.fullmatch(first) or len(first) == 1
    token = last.rpartition(" ")[2]
    if last and introduced and token.startswith(_STARTS) and len(_META.findall(token)) > 1:
        return True
    if not _META.search(bare):
        return words >= _PROSE or (bool(words) and bare.endswith("?"))
    return words >= _PROSE and not (bare.startswith(_STARTS) or text.strip().endswith(_ENDS))
