"""The nouns: records with one JSON form, the ports between rooms, and the error tree."""

from afere.domain.errors import AfereError, AnswerKeyError, StoreError, SuiteError, UsageError
from afere.domain.exchange import (
    Attempt,
    Failure,
    FailureKind,
    Request,
    Response,
    Scope,
    Tokens,
)
from afere.domain.outcomes import Outcome, RunStatus, VerdictKind
from afere.domain.ports import Endpoint, Grader, Store
from afere.domain.results import (
    CategoryScore,
    Comparison,
    ErrorSummary,
    ItemLine,
    Latency,
    LostBounds,
    Needed,
    NoiseFloor,
    PairedCounts,
    Policy,
    PositionTest,
    RunSummary,
    Unmatched,
)
from afere.domain.run import Calls, Grade, Graded, Invocation, Mark, Row, Run, RunPlan
from afere.domain.scores import ScoreTable
from afere.domain.secrets import Secrets
from afere.domain.sentence import Sentence
from afere.domain.suite import Expect, Item, Message, Reading, Suite
from afere.domain.wire import decode, digest, encode, from_plain, to_plain

__all__ = [
    "AfereError",
    "AnswerKeyError",
    "Attempt",
    "Calls",
    "CategoryScore",
    "Comparison",
    "Endpoint",
    "ErrorSummary",
    "Expect",
    "Failure",
    "FailureKind",
    "Grade",
    "Graded",
    "Grader",
    "Invocation",
    "Item",
    "ItemLine",
    "Latency",
    "LostBounds",
    "Mark",
    "Message",
    "Needed",
    "NoiseFloor",
    "Outcome",
    "PairedCounts",
    "Policy",
    "PositionTest",
    "Reading",
    "Request",
    "Response",
    "Row",
    "Run",
    "RunPlan",
    "RunStatus",
    "RunSummary",
    "Scope",
    "ScoreTable",
    "Secrets",
    "Sentence",
    "Store",
    "StoreError",
    "Suite",
    "SuiteError",
    "Tokens",
    "Unmatched",
    "UsageError",
    "VerdictKind",
    "decode",
    "digest",
    "encode",
    "from_plain",
    "to_plain",
]
