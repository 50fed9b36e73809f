"""What a page tells: its models, and the comparison or ranking that they stand in."""

from dataclasses import dataclass

from afere.domain import Behind, Comparison, ErrorPlaces, LetterGap, Ranking, Run, RunSummary
from afere.report.harmless import one_line
from afere.report.verdicts import names

__all__ = ["PageSide", "Subject"]

_NAME = 60
_PAIR = ("baseline", "candidate")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSide:
    """One model of a page: its numbers and its run; of a result file, a run without replies."""

    summary: RunSummary
    run: Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One run; two with their comparison, baseline first; or more with their ranking, best first.

    behind: what drives the difference of a comparison. places, gap: where the errors of a run alone
    lie, and the letter that is furthest from its key's. Without them that is left out.
    """

    sides: tuple[PageSide, ...]
    comparison: Comparison | None = None
    behind: Behind | None = None
    ranking: Ranking | None = None
    places: ErrorPlaces | None = None
    gap: LetterGap | None = None

    @property
    def kind(self) -> str:
        """What is told: a `run`, a `comparison` or a `ranking`."""
        if self.comparison is not None:
            return "comparison"
        return "run" if self.ranking is None else "ranking"

    @property
    def summaries(self) -> tuple[RunSummary, ...]:
        """The numbers of the models, in order."""
        return tuple(side.summary for side in self.sides)

    @property
    def roles(self) -> tuple[str, ...]:
        """What each model is: baseline and candidate in a comparison, else just a model."""
        return _PAIR if self.comparison is not None else ("model",) * len(self.sides)

    @property
    def names(self) -> tuple[str, ...]:
        """What each model is called: harmless, short, and never the same twice."""
        if self.comparison is not None:
            called = names(self.comparison)
            return (called.baseline, called.candidate)
        found = [one_line(side.summary.model, _NAME) for side in self.sides]
        return tuple(
            name if found.count(name) == 1 else f"{name} ({one_line(side.summary.run, _NAME)})"
            for name, side in zip(found, self.sides, strict=True)
        )
