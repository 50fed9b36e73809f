"""What graders that execute answers share: the sandbox, the limits, and the grade.

A fault of the sandbox is raised and becomes `grader_error`; what the answer itself did wrong, its
own time-out or crash included, is a wrong answer with its `failure`.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Generic, TypeVar

from afere.domain import (
    AnswerKeyError,
    Execution,
    ExecutionFailure,
    Grade,
    Item,
    Limits,
    NoSandboxError,
    Outcome,
    Reading,
    Response,
    Sandbox,
)
from afere.graders.kind import Judgement, PreparedKind, check_names
from afere.graders.reading.reply import Reply, Settled, open_reply

__all__ = ["ExecutedKind", "Tried", "limits_of", "one_text_field", "plain_value", "text_field"]

K = TypeVar("K")

OUTPUT_KEPT = 4096  # characters of what an answer printed that a grade keeps
_MESSAGE_KEPT = 300

_UNITS = {"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
_UNITS |= {"kb": 10**3, "mb": 10**6, "gb": 10**9, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_SECONDS, _BYTES, _COUNTS = ("cpu", "wall"), ("memory", "output"), ("processes", "files")
_WALL_FOR_CPU = 3
_LEAST = {"cpu": 0.001, "wall": 0.001, "memory": 32 << 20, "output": 1, "processes": 1, "files": 1}
_MOST = {
    "cpu": 3600,
    "wall": 3 * 3600,
    "memory": 1 << 40,
    "output": 1 << 30,
    "processes": 4096,
    "files": 65_536,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of executing an answer.

    executions: in their order; the last one decided.
    failure, message: why it is not right, None where it is.
    """

    executions: tuple[Execution, ...]
    failure: ExecutionFailure | None = None
    message: str = ""

    @classmethod
    def ended(cls, executions: Sequence[Execution]) -> "Tried":
        """Give what came of executions of which the last failed, or none."""
        last = executions[-1]
        return cls(executions=tuple(executions), failure=last.failure, message=last.message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Code as it was read.

    is_whole: whether it can be executed at all where the reply was cut at its end.
    at_end: whether it reaches to the end of the reply, where a cut would touch it.
    shown: what of it the model wrote, where that is not all.
    """

    source: str
    rule: str
    at_end: bool
    is_whole: bool = True
    shown: str | None = None


class ExecutedKind(PreparedKind[K], Generic[K]):
    """A kind whose answers are executed in a sandbox."""

    def __init__(self, sandbox: Sandbox | None = None) -> None:
        super().__init__()
        self._sandbox = sandbox

    @property
    def sandbox(self) -> Sandbox:
        """The sandbox; raises NoSandboxError where the grader was made without one."""
        if self._sandbox is None:
            raise NoSandboxError(f"The grader `{self.name}` executes answers, and has no sandbox.")
        return self._sandbox

    async def grade(self, item: Item, response: Response, reading: Reading) -> Grade:
        """Judge one reply by what its code does.

        Code that a cut may have touched is right if it passes, and else `truncated`.
        """
        opened = open_reply(response)
        if isinstance(opened, Settled):
            return self._grade(Judgement(outcome=opened.outcome, flags=opened.flags))
        key = self._key(item, reading)
        answer = self.read(opened, key)
        touched = opened.cut and (answer is None or answer.at_end)
        if answer is None or (touched and not answer.is_whole):
            outcome = Outcome.TRUNCATED if opened.cut else Outcome.UNREADABLE
            return self._grade(Judgement(outcome=outcome), opened.flags)
        tried = await self.execute(answer.source, key)
        grade = self._tried_grade(answer, tried, opened.flags)
        if touched and grade.outcome is not Outcome.RIGHT:
            return replace(grade, outcome=Outcome.TRUNCATED)
        return grade

    async def prove(self, item: Item, reading: Reading) -> None:
        """Try what of the key only an execution can tell; raises AnswerKeyError."""

    @abstractmethod
    def read(self, reply: Reply, key: K) -> Answer | None:
        """Find the code in a reply, None where there is none."""

    @abstractmethod
    async def execute(self, source: str, key: K) -> Tried:
        """Execute an answer and compare what came of it."""

    def _tried_grade(self, answer: Answer, tried: Tried, flags: tuple[str, ...]) -> Grade:
        judgement = Judgement.of(
            float(tried.failure is None),
            read=(answer.source if answer.shown is None else answer.shown).strip("\n"),
            rule=answer.rule,
        )
        executions = tried.executions
        weak = any(each.integrity == "weak" for each in executions)
        output = next((each.output for each in reversed(executions) if each.output), "")
        return replace(
            self._grade(judgement, flags),
            seconds=sum(each.seconds for each in executions),
            failure=tried.failure,
            message=_cut(" ".join(tried.message.split()), _MESSAGE_KEPT) or None,
            sandbox=executions[-1].level,
            integrity="weak" if weak else "strong",
            output=_cut(output, OUTPUT_KEPT) or None,
        )


def limits_of(key: Mapping[str, Any], field: str, *, processes: int = 1) -> Limits:
    """Read `limits` of a key: seconds, bytes ("512MiB"), counts; raises AnswerKeyError.

    Without `wall` it is three times `cpu`, and at least the default.
    """
    given = key.get("limits")
    if given is None:
        return Limits(processes=processes)
    place = f"{field}.limits"
    if not isinstance(given, Mapping):
        mend = "Write `limits: {cpu: 10, memory: 1GiB}`."
        raise AnswerKeyError(f"{given!r} are no limits", mend=mend, field=place)
    check_names(given, (*_SECONDS, *_BYTES, *_COUNTS), place, "the limits")
    read = {name: _limit(name, value, f"{place}.{name}") for name, value in given.items()}
    cpu = float(read.get("cpu", Limits().cpu))
    return Limits(
        cpu=cpu,
        wall=float(read.get("wall", max(Limits().wall, _WALL_FOR_CPU * cpu))),
        memory=int(read.get("memory", Limits().memory)),
        processes=int(read.get("processes", processes)),
        files=int(read.get("files", Limits().files)),
        output=int(read.get("output", Limits().output)),
    )


def one_text_field(key: Mapping[str, Any], name: str, field: str) -> str:
    """Give a text of a key that must be there; raises AnswerKeyError."""
    text = text_field(key, name, field)
    if not text.strip():
        raise AnswerKeyError(f"`{name}` is missing", mend=f"Add `{name}: …`.", field=field)
    return text


def text_field(key: Mapping[str, Any], name: str, field: str) -> str:
    """Give a text of a key, empty where it is absent; raises AnswerKeyError for anything else."""
    value = key.get(name)
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        mend = f"Write it as text: `{name}: |`"
        raise AnswerKeyError(f"`{name}` is no text", mend=mend, field=f"{field}.{name}")
    return str(value)


def plain_value(value: object) -> Any:  # noqa: ANN401 - plain data of any shape
    """Give a value of a key as Python has it: decimals become floats."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, Mapping):
        return {name: plain_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(each) for each in value]
    return value


def _limit(name: str, value: object, field: str) -> float:
    number = _bytes(value) if name in _BYTES else _number(value)
    if number is None or not _LEAST[name] <= number <= _MOST[name]:
        example = "512MiB" if name in _BYTES else "10"
        raise AnswerKeyError(
            f"{value!r} is no limit", mend=f"Write `{name}: {example}`.", field=field
        )
    return number


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return float(value)


def _bytes(value: object) -> float | None:
    if not isinstance(value, str):
        return _number(value)
    text = value.strip().lower().replace(" ", "")
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = _UNITS.get(text[len(digits) :])
    try:
        return float(digits) * unit if unit else None
    except ValueError:
        return None


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
