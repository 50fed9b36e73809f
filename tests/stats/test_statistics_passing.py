"""pass@k and all-of-k against every way to choose k rounds, and against published numbers."""

from itertools import combinations
from math import isclose, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afere.stats import all_of_k, pass_at_k


@pytest.mark.parametrize(
    ("right", "rounds", "k", "some", "every"),
    [
        (0, 5, 1, 0.0, 0.0),
        (2, 5, 1, 0.4, 0.4),
        (2, 5, 2, 0.7, 0.1),
        (5, 5, 3, 1.0, 1.0),
        (1, 3, 3, 1.0, 0.0),
        (3, 10, 5, 1 - 21 / 252, 0.0),
    ],
)
def test_a_few_are_computed_by_hand(
    right: int, rounds: int, k: int, some: float, every: float
) -> None:
    assert isclose(pass_at_k(right, rounds, k), some, abs_tol=1e-12)
    assert isclose(all_of_k(right, rounds, k), every, abs_tol=1e-12)


@given(
    st.integers(1, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n)))
)
def test_both_are_the_mean_over_all_choices_of_rounds(case: tuple[int, int, int]) -> None:
    right, rounds, k = case
    results = [True] * right + [False] * (rounds - right)
    choices = list(combinations(results, k))
    assert isclose(pass_at_k(*case), sum(map(any, choices)) / len(choices))
    assert isclose(all_of_k(*case), sum(map(all, choices)) / len(choices), abs_tol=1e-12)


@given(
    st.integers(1, 500).flatmap(
        lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n))
    )
)
def test_the_product_form_of_the_paper_agrees(case: tuple[int, int, int]) -> None:
    right, rounds, k = case
    missing = rounds - right
    product = 0.0 if missing < k else prod(1 - k / each for each in range(missing + 1, rounds + 1))
    due = 1.0 if missing < k else 1 - product
    assert isclose(pass_at_k(*case), due, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize(("right", "rounds", "k"), [(4, 3, 1), (-1, 3, 1), (1, 3, 0), (1, 3, 4)])
def test_what_cannot_be_chosen_is_refused(right: int, rounds: int, k: int) -> None:
    for estimate in (pass_at_k, all_of_k):
        with pytest.raises(ValueError, match=r"rounds"):
            estimate(right, rounds, k)
