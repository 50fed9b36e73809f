"""Rounds that err together are seen, and honest noise is not taken for it."""

import numpy as np
import pytest

from afere import stats


def test_by_hand() -> None:
    """Two items, two rounds: 1,0 and 1,0: Var(means) = 1/2, sw² = 1/2, so X² = 2 with 1 df."""
    assert stats.rounds_together([1, 0, 1, 0], 2) == pytest.approx(0.157299207, abs=1e-9)


def test_without_noise_or_a_second_round_there_is_nothing_to_say() -> None:
    assert stats.rounds_together([1, 1, 0, 0], 2) is None
    assert stats.rounds_together([1, 0, 1], 1) is None
    assert stats.rounds_together([1, 0], 2) is None
    assert stats.rounds_together([float("nan"), 0, 1, 0], 2) is None


def test_variants_are_rows_of_their_own() -> None:
    """One item, two rounds, two variants: the rows (round 1, round 2) are 1,0 and 1,0."""
    assert stats.rounds_together([1, 1, 0, 0], 2, variants=2) == pytest.approx(0.157299207)


def test_independent_answers_are_seldom_suspected_and_shared_luck_always() -> None:
    rng = np.random.default_rng(0)
    chance = rng.uniform(0.1, 0.9, size=(60, 1))
    honest = [
        stats.rounds_together((rng.random((60, 3)) < chance).astype(float).ravel(), 3) or 1.0
        for _ in range(400)
    ]
    assert sum(p < 0.001 for p in honest) <= 3
    shared = [
        stats.rounds_together((rng.random((1, 3)) < chance).astype(float).ravel(), 3) or 1.0
        for _ in range(50)
    ]
    assert sum(p < 0.001 for p in shared) > 40
