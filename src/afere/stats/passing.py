"""The chance that some, or all, of k rounds are right, estimated from n rounds of one item.

Both are unbiased: the mean over all ways to choose k of the n rounds. `pass_at_k` is the estimator
of Chen et al. 2021, "Evaluating large language models trained on code", section 2.1.
"""

from math import comb

__all__ = ["all_of_k", "pass_at_k"]


def pass_at_k(right: int, rounds: int, k: int) -> float:
    """Give 1 - C(rounds - right, k) / C(rounds, k): a choice of k rounds holds a right one.

    Raises ValueError unless 0 <= right <= rounds and 1 <= k <= rounds.
    """
    _refuse(right, rounds, k)
    return 1.0 - comb(rounds - right, k) / comb(rounds, k)


def all_of_k(right: int, rounds: int, k: int) -> float:
    """Give C(right, k) / C(rounds, k): a choice of k rounds holds right ones only.

    Raises ValueError unless 0 <= right <= rounds and 1 <= k <= rounds.
    """
    _refuse(right, rounds, k)
    return comb(right, k) / comb(rounds, k)


def _refuse(right: int, rounds: int, k: int) -> None:
    if not 0 <= right <= rounds:
        raise ValueError(f"{right} right answers of {rounds} rounds")
    if not 1 <= k <= rounds:
        raise ValueError(f"{k} of {rounds} rounds cannot be chosen")
