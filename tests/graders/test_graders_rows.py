"""Rows of queries are compared as a multiset, exactly; order counts only where it is due."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afere.graders.rows import difference, is_ordered
from afere.sandbox.inside.codec import Opaque

SAME: list[tuple[list[Any], list[Any]]] = [
    ([(1, "a")], [(1.0, "a")]),
    ([(Decimal("0.5"),)], [(0.5,)]),
    ([(Decimal("19.99"),)], [(19.99,)]),
    ([(2**60,)], [(float(2**60),)]),
    ([({1: "a"},)], [({1.0: "a"},)]),
    ([(dt.date(2026, 1, 2),)], [(dt.date(2026, 1, 2),)]),
    ([(2,), (1,)], [(1,), (2,)]),
    ([(None,)], [(None,)]),
    ([(float("nan"),)], [(float("nan"),)]),
    ([], []),
]
OTHER: list[tuple[list[Any], list[Any]]] = [
    ([("a",), ("b",)], [("a",), ("a",), ("b",)]),
    ([("a",), ("a",), ("b",)], [("a",), ("b",), ("b",)]),
    ([(1,)], [("1",)]),
    ([(None,)], [("",)]),
    ([(None,)], [(0,)]),
    ([("NULL",)], [(None,)]),
    ([(b"a",)], [("a",)]),
    ([(0.1 + 0.2,)], [(0.3,)]),
    ([(True,)], [(1,)]),
    ([(1, 2)], [(2, 1)]),
    ([(1,)], [(1, 1)]),
    ([], [(1,)]),
    ([(10**30,)], [(10**30 + 1,)]),
    ([({1: "a"},)], [({"1": "a"},)]),
    ([(dt.date(2026, 1, 2),)], [(dt.datetime(2026, 1, 2),)]),  # noqa: DTZ001 - as an engine gives it
    ([(Opaque("UUID"),)], [(Opaque("UUID"),)]),
]
PLAIN = st.none() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
ROWS = st.lists(st.tuples(PLAIN, PLAIN))


@pytest.mark.parametrize(("given_rows", "due"), SAME)
def test_rows_that_agree_do_so_in_any_order(given_rows: list[Any], due: list[Any]) -> None:
    assert difference(given_rows, due, ordered=False) is None


@pytest.mark.parametrize(("given_rows", "due"), OTHER)
def test_rows_that_differ_never_agree(given_rows: list[Any], due: list[Any]) -> None:
    assert difference(given_rows, due, ordered=False)
    assert difference(due, given_rows, ordered=False)


def test_order_counts_where_it_is_due() -> None:
    assert difference([(1,), (2,)], [(2,), (1,)], ordered=True)
    assert difference([(1,), (2,)], [(1,), (2.0,)], ordered=True) is None


@given(ROWS, st.randoms())
def test_every_table_agrees_with_itself_in_any_order(rows: list[Any], random: Any) -> None:
    other = list(rows)
    random.shuffle(other)
    assert difference(rows, other, ordered=False) is None


@given(ROWS, st.tuples(PLAIN, PLAIN))
def test_one_row_more_is_always_seen(rows: list[Any], more: tuple[Any, ...]) -> None:
    assert difference([*rows, more], rows, ordered=False)


@pytest.mark.parametrize(
    ("query", "ordered"),
    [
        ("SELECT a FROM t ORDER BY a", True),
        ("select a from t\norder\n by a limit 1", True),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a)", False),
        ("SELECT 'order by' FROM t -- order by a", False),
        ("SELECT row_number() OVER (ORDER BY a) FROM t", False),
        ("SELECT a FROM t /* order by a */", False),
        ('SELECT "order by" FROM t', False),
        ("SELECT a FROM t", False),
        ("SELECT 'it''s' FROM t ORDER BY 1", True),
        ("SELECT a FROM (SELECT a FROM t)ORDER BY a", True),
    ],
)
def test_an_outer_order_by_makes_a_query_ordered(query: str, *, ordered: bool) -> None:
    assert is_ordered(query) is ordered
