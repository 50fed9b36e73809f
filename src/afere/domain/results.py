"""What is said of runs: summaries, comparisons and verdicts; fields are those of the JSON outputs.

Scores, differences and limits of intervals are fractions (0.9 is 90 %), `None` where there is
nothing to estimate; times are ISO 8601 texts in UTC; latencies are seconds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from afere.domain.outcomes import RunStatus, VerdictKind
from afere.domain.run import Calls
from afere.domain.told import SHOWN, Told, counts, interval, lines_of, percent
from afere.domain.wire import to_plain

__all__ = [
    "CategoryScore",
    "Comparison",
    "ErrorSummary",
    "Executed",
    "ItemLine",
    "Latency",
    "LostBounds",
    "Needed",
    "NoiseFloor",
    "PairedCounts",
    "PassRate",
    "Policy",
    "PositionTest",
    "RunSummary",
    "Unmatched",
]

Limits = tuple[float, float]


class _Record(Told):
    """Gives a result its plain form, and its text in a notebook."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Give the fields as plain JSON data."""
        return dict(to_plain(self))


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How a verdict is reached: fixed before the data are seen.

    margin: the largest difference that does not matter, as a fraction.
    level: of the two-sided interval.
    average: `micro`, `macro`, or None to follow the suite.
    """

    margin: float = 0.02
    level: float = 0.95
    average: str | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryScore(_Record):
    """The score of one category; None where no row of it counts."""

    items: int
    score: float | None
    interval: Limits | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemLine(_Record):
    """One item over all rounds: how many were right, and the mean seconds of a call."""

    item: str
    right: int
    rounds: int
    seconds_asking: float | None
    seconds_executing: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency(_Record):
    """Seconds of a call: median and 95th percentile."""

    p50: float | None = None
    p95: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRate(_Record):
    """The chance that k rounds of an item hold a right answer, or hold right answers only.

    items: those with k graded rounds or more. score: the mean over them of unbiased estimates.
    """

    items: int
    score: float | None
    interval: Limits | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Executed(_Record):
    """What came of answers that were executed.

    sandbox: answers by level of isolation. weak: those that shared a process with their tests.
    failures: answers by why they failed.
    """

    answers: int
    sandbox: Mapping[str, int]
    weak: int
    failures: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionTest(_Record):
    """Whether answers are right equally often wherever the right option stands (Cochran's Q).

    items: those whose every shift counts. accuracy: by the letter at which the right option stood.
    q, p: None where no item differs between positions.
    """

    items: int
    accuracy: Mapping[str, float]
    q: float | None
    degrees_of_freedom: int
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSummary(_Record):
    """The first failure of a run, for its headline."""

    item: str | None
    kind: str
    status: int | None
    message: str
    body: str = ""


@dataclass(frozen=True, kw_only=True)
class RunSummary(_Record):
    """A run in numbers.

    items: how many items were to be asked; items × rounds × variants is the sum of `outcomes`.
    scored: how many of them have a score; the mean weighs these alike, or by category (macro).
    per_round: mean of each round, None where none of its rows counts.
    bounds: the score if every lost row were wrong, and if it were right; both equal the score in a
    complete run; None where nothing was graded.
    rules: how many answers each reading rule read.
    cut_rounds: the numbers of the rounds that lack an answer: their means are of fewer items.
    answered_from, answered_to: the dates between which the stored answers were given.
    executed: None where no answer was executed.
    pass_at, all_of: by the number of rounds, for suites of code and those that declare `pass_at`.
    """

    run: str
    suite: str
    suite_hash: str
    model: str
    base_url: str
    rounds: int
    items: int
    score: float | None
    interval: Limits | None
    level: float
    per_round: tuple[float | None, ...]
    round_min: float | None
    round_max: float | None
    round_sd: float | None
    noise_floor: float | None
    average: str
    categories: Mapping[str, CategoryScore]
    outcomes: Mapping[str, int]
    round_outcomes: tuple[Mapping[str, int], ...]
    bounds: Limits | None
    status: RunStatus
    started: str | None
    finished: str | None
    series: str
    served_model: str | None
    fingerprint: str | None
    letters: Mapping[str, Mapping[str, int]]
    items_table: tuple[ItemLine, ...]
    calls: Calls
    tokens: Mapping[str, int | None]
    cost: float | None
    latency: Latency
    resume_after: str | None
    params: Mapping[str, Any] = field(default_factory=dict)
    rules: Mapping[str, int] = field(default_factory=dict)
    first_error: ErrorSummary | None = None
    answered_from: str | None = None
    answered_to: str | None = None
    positions: PositionTest | None = None
    warnings: tuple[str, ...] = ()
    scored: int | None = None
    cut_rounds: tuple[int, ...] = ()
    executed: Executed | None = None
    pass_at: Mapping[str, PassRate] = field(default_factory=dict)
    all_of: Mapping[str, PassRate] = field(default_factory=dict)

    def __str__(self) -> str:
        """Tell the run in a few lines."""
        return _run_text(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedCounts(_Record):
    """Items by which model has them right in more than half of the rounds; ties are `split`.

    excluded: pairs left out because a side lacks a graded row.
    """

    items: int
    excluded: int
    both_right: int
    only_baseline: int
    only_candidate: int
    both_wrong: int
    split: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed(_Record):
    """What would decide it: items for an even chance and for 80 % power; None where unknown.

    items_equivalence: items that would show equivalence with 80 % power if nothing differed.
    """

    items_even: int | None
    items_80_power: int | None
    rounds_help: bool
    items_equivalence: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseFloor(_Record):
    """How far a rerun of the same items may lie off by chance (1.96 standard errors)."""

    baseline: float | None
    candidate: float | None
    difference: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LostBounds(_Record):
    """The verdict with all lost pairs against the candidate, and with all of them for it."""

    lo_verdict: VerdictKind
    hi_verdict: VerdictKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched(_Record):
    """Items left out because they are not the same on both sides."""

    only_baseline: tuple[str, ...] = ()
    only_candidate: tuple[str, ...] = ()
    different_key: tuple[str, ...] = ()
    different_input: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Count the items left out."""
        return (
            len(self.only_baseline)
            + len(self.only_candidate)
            + len(self.different_key)
            + len(self.different_input)
        )


@dataclass(frozen=True, kw_only=True)
class Comparison(_Record):
    """A candidate against a baseline on the same items, with its verdict.

    difference: candidate minus baseline, as a fraction of the items.
    why: the verdict's reason in one plain sentence (a Sentence where analysis made it).
    differing: what is not the same on both sides (`prompt`, `system`, `params.temperature`, …).
    """

    suite: str
    baseline: RunSummary
    candidate: RunSummary
    paired: PairedCounts
    difference: float | None
    interval: Limits | None
    level: float
    method: str
    p_value: float | None
    p_exact: float | None
    margin: float
    verdict: VerdictKind
    within_margin: bool
    why: str
    needed: Needed
    noise_floor: NoiseFloor
    average: str
    unmatched: Unmatched
    bounds: LostBounds | None = None
    groups: int | None = None
    seed: int = 0
    only_baseline_items: tuple[str, ...] = ()
    only_candidate_items: tuple[str, ...] = ()
    differing: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Tell the verdict in a sentence, then its numbers."""
        return _comparison_text(self)


def _comparison_text(comparison: Comparison) -> str:
    """Tell a comparison: the verdict in a sentence, then its numbers."""
    paired, needed = comparison.paired, comparison.needed
    points = "–" if comparison.difference is None else f"{100 * comparison.difference:+.1f} points"
    limits = interval(comparison.interval, comparison.level, scale="points")
    facts = [
        ("baseline", _side(comparison.baseline)),
        ("candidate", _side(comparison.candidate)),
        ("difference", f"{points}{limits}, margin {100 * comparison.margin:g}"),
        (
            "items",
            (
                f"{paired.items}: {paired.both_right} both right, {paired.only_baseline} only the "
                f"baseline, {paired.only_candidate} only the candidate, "
                f"{paired.both_wrong} both wrong"
            ),
        ),
    ]
    if paired.excluded:
        facts.append(("left out", f"{paired.excluded} pairs that lack an answer"))
    if len(comparison.unmatched):
        facts.append(("unmatched", f"{len(comparison.unmatched)} items not the same on both sides"))
    if comparison.verdict == "undecided" and needed.items_80_power is not None:
        even, likely = needed.items_even, needed.items_80_power
        items = f"about {even} items (an even chance), {likely} (80 % power), at the rates seen"
        facts.append(("would decide", items))
    if comparison.noise_floor.difference is not None:
        floor = 100 * comparison.noise_floor.difference
        facts.append(("noise floor", f"{floor:.1f} points between reruns of the same items"))
    head = f"{comparison.verdict.value}: {comparison.why}"
    return lines_of(head, facts, comparison.warnings)


def _run_text(summary: RunSummary) -> str:
    """Tell a run: its score, how the answers came out, what they cost."""
    score = "no score" if summary.score is None else f"{100 * summary.score:.1f} %"
    limits = interval(summary.interval, summary.level)
    facts = [
        ("run", " ".join(part for part in (summary.run, summary.status.value) if part)),
        ("suite", f"{summary.suite or '–'}, {summary.items} items, {summary.rounds} rounds"),
        ("answers", counts(summary.outcomes)),
        ("by round", " / ".join(percent(each) for each in summary.per_round)),
        *(
            (name or "(no category)", f"{percent(each.score)} of {each.items}")
            for name, each in list(summary.categories.items())[:SHOWN]
        ),
    ]
    if summary.cost is not None:
        facts.append(("cost", f"${summary.cost:.4g}"))
    return lines_of(f"{summary.model}: {score}{limits}", facts, summary.warnings)


def _side(summary: RunSummary) -> str:
    score = f"{percent(summary.score)}{interval(summary.interval, summary.level)}"
    return f"{summary.model}: {score}"
