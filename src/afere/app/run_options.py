"""What a user asks of a run, and what every run of one process shares."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from afere.app.watch import Silent, Watch
from afere.domain import Grader, Ledger, Outcome, Store
from afere.endpoints import MemoryLedger

__all__ = ["RunOptions", "Session"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What the user asks of a run beyond suite and model.

    concurrency: calls at a time; None for 8, and for 1 where this machine computes the answers.
    pause: seconds between the starts of two calls.
    series: runs of one series share answers; `fresh` begins a new one.
    rotate: each item is asked once for every cyclic shift of its options.
    shuffle: the seed by which options are put in another order.
    seed_per_item: a declared seed is moved by a number of each item's own.
    limit_calls, limit_cost (USD), limit_seconds: the run ends before it passes them.
    ask_again: outcomes of replies that are asked again on purpose, and said to be.
    unsafe_no_sandbox: answers that are code are executed without isolation; the results say so.
    """

    rounds: int = 3
    limit: int | None = None
    items: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    concurrency: int | None = None
    pause: float = 0.0
    series: str = ""
    fresh: bool = False
    rotate: bool = False
    shuffle: int | None = None
    seed_per_item: bool = False
    limit_calls: int | None = None
    limit_cost: float | None = None
    limit_seconds: float | None = None
    ask_again: frozenset[Outcome] = frozenset()
    unsafe_no_sandbox: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What every run of one process shares; the ledger counts what its limits are about."""

    store: Store
    graders: Mapping[str, Grader]
    cache: Path
    clock: Callable[[], float] = time.time
    watch: Watch = field(default_factory=Silent)
    ledger: Ledger = field(default_factory=MemoryLedger)
