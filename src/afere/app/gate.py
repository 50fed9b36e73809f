"""Exit codes: what a script or a CI job is told of a run or a comparison."""

from enum import IntEnum, StrEnum

from afere.domain import Comparison, RunStatus, RunSummary, VerdictKind

__all__ = ["Exit", "Gate", "comparison_exit", "runs_exit"]


class Exit(IntEnum):
    """The exit codes of every command."""

    DONE = 0
    GATE_FAILED = 1
    USAGE = 2
    INCOMPLETE = 3
    UNDECIDED = 4
    INTERRUPTED = 130


class Gate(StrEnum):
    """What a comparison must show for the gate to open."""

    BETTER = "better"
    NOT_WORSE = "not-worse"
    DECIDED = "decided"


def runs_exit(summaries: list[RunSummary]) -> Exit:
    """3 where a row of a run is lost or was not asked, else 0."""
    complete = all(summary.status is RunStatus.COMPLETE for summary in summaries)
    return Exit.DONE if complete and summaries else Exit.INCOMPLETE


def comparison_exit(comparison: Comparison, gate: Gate | None) -> Exit:
    """Invalid is 3; without a gate all else is 0; with one 0, 1 or, undecided, 4."""
    if comparison.verdict is VerdictKind.INVALID:
        return Exit.INCOMPLETE
    if gate is None:
        return Exit.DONE
    if _opens(comparison, gate):
        return Exit.DONE
    return Exit.GATE_FAILED if _closes(comparison, gate) else Exit.UNDECIDED


def _opens(comparison: Comparison, gate: Gate) -> bool:
    match gate:
        case Gate.BETTER:
            return comparison.verdict is VerdictKind.BETTER
        case Gate.DECIDED:
            return comparison.verdict is not VerdictKind.UNDECIDED
        case Gate.NOT_WORSE:
            low = comparison.interval[0] if comparison.interval is not None else None
            decided = comparison.verdict is not VerdictKind.UNDECIDED or comparison.paired.items > 1
            return decided and low is not None and low > -comparison.margin


def _closes(comparison: Comparison, gate: Gate) -> bool:
    if gate is Gate.BETTER:
        return comparison.verdict in {VerdictKind.WORSE, VerdictKind.EQUIVALENT}
    if gate is Gate.NOT_WORSE:
        return comparison.verdict is VerdictKind.WORSE and not comparison.within_margin
    return False
