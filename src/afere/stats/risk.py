"""What is accepted at a threshold, and how often it is wrong: curves over blocks of ties."""

from dataclasses import dataclass

import numpy as np

from afere.stats.interval import Floats, Integers, Numbers
from afere.stats.reliability import rated_rows

__all__ = ["RiskCoverage", "risk_coverage"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RiskCoverage:
    """Every threshold that differs, falling: rows of at least that confidence are accepted.

    aurc: mean over k of the error among the k most confident rows, tied rows in no order (their
    errors are spread evenly over them). optimum: the same for the best order. All of `rows`.
    """

    thresholds: Floats
    accepted: Integers
    errors: Integers
    aurc: float
    optimum: float
    rows: int

    @property
    def e_aurc(self) -> float:
        """What better order could save: aurc minus its optimum."""
        return self.aurc - self.optimum

    def at(self, threshold: float) -> tuple[int, int]:
        """Give accepted rows and errors at a threshold."""
        blocks = int(np.searchsorted(-self.thresholds, -threshold, side="right"))
        if not blocks:
            return 0, 0
        return int(self.accepted[blocks - 1]), int(self.errors[blocks - 1])


def risk_coverage(confidence: Numbers, right: Numbers) -> RiskCoverage:
    """Accept rows from the most confident down, a block of ties at a time."""
    from scipy.special import digamma

    confidences, rights = rated_rows(confidence, right)
    rows, total_right = len(confidences), int(rights.sum())
    order = np.argsort(-confidences, kind="stable")
    ordered = confidences[order]
    wrong = np.cumsum(1 - rights[order])
    del order  # ten million rows are to fit
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), rows - 1)
    thresholds, errors, accepted = ordered[ends], wrong[ends], ends + 1
    del ordered, ends
    ranks = np.arange(1, rows + 1, dtype=np.float64)
    # within a block of ties the errors expected rise in a straight line
    upto = (
        np.interp(ranks, np.append(0, accepted), np.append(0, errors))
        if (len(accepted) < rows)
        else wrong
    )
    aurc = float(np.divide(upto, ranks, out=ranks).mean())
    harmonic = float(digamma(rows + 1) - digamma(total_right + 1))
    return RiskCoverage(
        thresholds=thresholds,
        accepted=accepted.astype(np.int64),
        errors=errors.astype(np.int64),
        aurc=aurc,
        optimum=(rows - total_right - total_right * harmonic) / rows,
        rows=rows,
    )
