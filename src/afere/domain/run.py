"""Grades and runs: what was made of the answers of one model to one suite."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from afere.domain.exchange import Failure, Tokens
from afere.domain.execution import ExecutionFailure, Integrity
from afere.domain.outcomes import Outcome
from afere.domain.suite import Suite
from afere.domain.told import Told, text_of
from afere.domain.wire import digest, to_plain

__all__ = ["Calls", "Grade", "Graded", "Invocation", "Mark", "Row", "Run", "RunPlan"]

Mark: TypeAlias = tuple[str, int, int]
"""Where a row stands in its run: item, round, variant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade(Told):
    """The judgement of one answer.

    score: between 0 and 1; None where the outcome is outside the mean.
    read: what was read as the answer, None where nothing was.
    rule: name of the rule that read it (`marker`, `whole`, `last-line`, `first-line`, …).
    flags: remarks that a report counts (`other-separators`, `reasoning-only`, `run-on`, …).
    seconds: of executing the answer, None where nothing was executed.
    sandbox: the level of isolation under which the answer was executed, None where it was not.
    failure: why the executed answer failed (`assertion`, `exception`, `timeout`, `memory`,
        `output`, `crash`, `syntax`), and `message` the same for a person, in one line.
    integrity: `weak` where tests shared the answer's process, else `strong`.
    output: what the answer printed, cut.
    """

    outcome: Outcome
    score: float | None
    grader: str
    grader_version: str
    read: str | None = None
    rule: str | None = None
    flags: tuple[str, ...] = ()
    seconds: float | None = None
    failure: ExecutionFailure | None = None
    message: str | None = None
    sandbox: str | None = None
    integrity: Integrity | None = None
    output: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give the fields as plain JSON data."""
        return dict(to_plain(self))

    @property
    def counted(self) -> float | None:
        """The score that enters the mean; None for a lost row, and for what is no fraction."""
        if not self.outcome.counts:
            return None
        if self.score is None:
            return 1.0 if self.outcome is Outcome.RIGHT else 0.0
        return self.score if 0 <= self.score <= 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One (item, round, variant) of a run with its grade and the facts of its answer.

    key: the request's key, under which the whole answer is in the store.
    cached: whether this invocation found the answer in the store.
    """

    item: str
    round: int
    grade: Grade
    variant: int = 0
    key: str = ""
    finish_reason: str | None = None
    tokens: Tokens = field(default_factory=Tokens)
    latency: float | None = None
    answered_at: float | None = None
    served_model: str | None = None
    fingerprint: str | None = None
    error: Failure | None = None
    cached: bool = False


class Graded(NamedTuple):
    """What is already judged of one (item, round, variant), and by which grader."""

    grader: str
    grader_version: str
    outcome: Outcome


@dataclass(frozen=True, kw_only=True)
class RunPlan:
    """What a run is to ask; two runs of one plan are one run, and share its id.

    endpoint: as in `Request.endpoint`.
    name: the model as the user calls it; `model` as the endpoint knows it.
    params: the whole request body but for model and messages.
    items: the ids asked, in order.
    variants: how often each item is asked in a round, its options shifted by one each time.
    shuffle: the seed by which every item's options are put in another order.
    seed_per_item: whether each item's seed is its own, so that items of one round do not err alike.
    probe: whether the items were chosen by id or category: not a run of the suite.
    """

    suite_name: str
    suite_hash: str
    endpoint: str
    base_url: str
    name: str
    model: str
    params: Mapping[str, Any]
    rounds: int
    items: tuple[str, ...]
    series: str = ""
    variants: int = 1
    shuffle: int | None = None
    seed_per_item: bool = False
    probe: bool = False
    family: str | None = None
    cutoff: str | None = None
    price: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def id(self) -> str:
        """Twelve hexadecimal digits made of everything that the run asks."""
        asked: dict[str, Any] = {
            "suite": self.suite_hash,
            "endpoint": self.endpoint,
            "name": self.name,
            "model": self.model,
            "params": self.params,
            "rounds": self.rounds,
            "items": self.items,
            "series": self.series,
            "variants": self.variants,
        }
        if self.shuffle is not None:
            asked["shuffle"] = self.shuffle
        if self.seed_per_item:
            asked["seed_per_item"] = True
        return digest(asked)[:12]

    @property
    def rows(self) -> int:
        """How many answers the run asks for."""
        return len(self.items) * self.rounds * self.variants


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The HTTP requests of one invocation, and the rows answered from the store."""

    made: int = 0
    cached: int = 0
    failed: int = 0
    retried: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """One time that a run's command was started: times are seconds since 1970 in UTC.

    missing: rows of the plan without a graded answer when it ended; None where that is not known.
    """

    started: float
    finished: float | None = None
    calls: Calls = field(default_factory=Calls)
    interrupted: bool = False
    resume_after: float | None = None
    stopped_by: Failure | None = None
    version: str = ""
    missing: int | None = None


@dataclass(frozen=True, kw_only=True)
class Run(Told):
    """A plan, its suite, and the rows that are there; rows never asked are simply absent."""

    plan: RunPlan
    suite: Suite
    rows: tuple[Row, ...]
    invocations: tuple[Invocation, ...] = ()

    @property
    def id(self) -> str:
        """The id of the plan."""
        return self.plan.id

    def __str__(self) -> str:
        """Name the run and count its rows; `afere.RunSummary` has its numbers."""
        asked = f"{len(self.rows)} of {self.plan.rows} answers"
        return text_of(f"run {self.id}: {self.plan.name} on {self.plan.suite_name}, {asked}")
