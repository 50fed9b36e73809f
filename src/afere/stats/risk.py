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
    confidences, rights = rated_rows(confidence, right)
    levels, place = np.unique(-confidences, return_inverse=True)
    n = np.bincount(place, minlength=len(levels))
    wrong = np.bincount(place, weights=1 - rights, minlength=len(levels))
    accepted, errors = np.cumsum(n), np.cumsum(wrong)
    rows = len(confidences)
    ranks = np.arange(1, rows + 1)
    within = ranks - np.repeat(accepted - n, n)
    upto = np.repeat(errors - wrong, n) + within * np.repeat(wrong / n, n)
    total_right = int(rights.sum())
    return RiskCoverage(
        thresholds=-levels + 0.0,
        accepted=accepted,
        errors=errors.astype(np.int64),
        aurc=float((upto / ranks).mean()),
        optimum=float((np.maximum(0, ranks - total_right) / ranks).mean()),
        rows=rows,
    )
