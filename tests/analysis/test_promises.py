"""A short simulation of what the verdict promises; bench/coverage.py is the long one."""

import numpy as np
import pytest
from bench_coverage import cell, difference_counts, judge_computed, judge_drawn

SETS = 2000
ERROR = (0.95 * 0.05 / SETS) ** 0.5


@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize(("items", "accuracy"), [(20, 0.5), (20, 0.97), (73, 0.9), (200, 0.97)])
def test_intervals_cover_and_verdicts_rarely_err(items: int, accuracy: float, rounds: int) -> None:
    seen = cell(items, accuracy, rounds, sets=SETS, rng=np.random.default_rng(11))
    assert seen.coverage >= 0.94 - 2 * ERROR
    assert seen.false_alarms <= 0.06 + 2 * ERROR
    for _, covered, equivalent in seen.at_margin:
        assert covered >= 0.94 - 2 * ERROR
        assert equivalent <= 0.05


def test_the_limits_that_are_drawn_judge_as_the_computed_posterior_does() -> None:
    counts = difference_counts(50, 0.9, 0.8, 3, 150, np.random.default_rng(3))
    drawn, computed = (judge(counts, 3, (0.0, -0.1)) for judge in (judge_drawn, judge_computed))
    assert np.mean(drawn[0] != computed[0]) < 0.03
    assert np.mean(drawn[1] != computed[1]) < 0.03
