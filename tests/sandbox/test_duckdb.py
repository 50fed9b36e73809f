"""Queries on DuckDB: every type crosses, a query reaches nothing but its own database."""

from typing import Any

import pytest

from afere.domain import Limits, SqlTask
from afere.graders.rows import difference

pytest.importorskip("duckdb")
SETUP = "CREATE TABLE t (a INT, b TEXT, p DECIMAL(9, 2)); INSERT INTO t VALUES (1, 'x', 19.99), "
SETUP += "(2, NULL, 5), (2, 'y', NULL);"


def asked(inside: Any, query: str, **how: Any) -> Any:
    return inside.run(SqlTask(query=query, engine="duckdb", setup=SETUP, **how))


@pytest.mark.parametrize(
    ("query", "same", "other"),
    [
        ("SELECT a FROM t", "FROM t SELECT a", "SELECT DISTINCT a FROM t"),
        ("SELECT p FROM t", "SELECT p::DOUBLE FROM t", "SELECT p + 0.01 FROM t"),
        ("SELECT b FROM t", "SELECT b FROM t ORDER BY b", "SELECT coalesce(b, '') FROM t"),
        ("SELECT DATE '2026-01-02'", "SELECT '2026-01-02'::DATE", "SELECT '2026-01-02'"),
        ("SELECT INTERVAL 2 DAY", "SELECT INTERVAL 48 HOUR", "SELECT INTERVAL 49 HOUR"),
        ("SELECT TIME '10:00'", "SELECT '10:00'::TIME", "SELECT TIME '10:01'"),
        ("SELECT MAP {1: 'a'}", "SELECT MAP([1], ['a'])", "SELECT MAP {'1': 'a'}"),
        ("SELECT {'a': 1}", "SELECT struct_pack(a := 1)", "SELECT {'b': 1}"),
        ("SELECT [1, 2]", "SELECT [1, 2]::INT[2]", "SELECT [2, 1]"),
        ("SELECT a > 1 FROM t", "SELECT NOT a <= 1 FROM t", "SELECT (a > 1)::INT FROM t"),
        ("SELECT 2::HUGEINT ** 100", "SELECT 2 ** 100", "SELECT 2 ** 101"),
        ("SELECT 'nan'::DOUBLE", "SELECT 'nan'::FLOAT", "SELECT 0.0"),
        ("SELECT 'a'::BLOB", "SELECT 'a'::BLOB", "SELECT 'a'"),
        (
            "SELECT '11111111-1111-1111-1111-111111111111'::UUID",
            "SELECT ('1111' || '1111-1111-1111-1111-111111111111')::UUID",
            "SELECT '22222222-2222-2222-2222-222222222222'::UUID",
        ),
        (
            "SELECT TIMESTAMPTZ '2026-01-02 10:00:00+00'",
            "SELECT TIMESTAMPTZ '2026-01-02 11:00:00+01'",
            "SELECT TIMESTAMP '2026-01-02 10:00:00'",
        ),
        ("PIVOT t ON a USING count(*)", "PIVOT t ON a USING count(*)", "SELECT a FROM t"),
    ],
)
def test_values_of_every_type_are_compared(inside: Any, query: str, same: str, other: str) -> None:
    due, agrees, differs = (asked(inside, each) for each in (query, same, other))
    assert (due.failure, agrees.failure, differs.failure) == (None, None, None)
    assert difference(agrees.value, due.value, ordered=False) is None
    assert difference(differs.value, due.value, ordered=False)


@pytest.mark.parametrize(
    "query",
    [
        "ATTACH '/tmp/x.db' AS x",
        "COPY t TO '/tmp/x.csv'",
        "COPY (SELECT 1) TO '/dev/stdout'",
        "EXPORT DATABASE '/tmp/x'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PRAGMA database_list",
        "SET enable_external_access = true",
        "DROP TABLE t",
        "SELECT 1; SELECT 2",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('/proc/self/environ')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM read_csv('http://127.0.0.1/x')",
        "SELECT * FROM message",
        "SELECT * FROM query('COPY t TO ''/tmp/x''')",
        "SELECT * FROM range(3000000)",
        "PIVOT t ON a USING count(*); DROP TABLE t",
    ],
)
def test_a_query_that_reaches_out_fails(inside: Any, query: str) -> None:
    assert asked(inside, query).failure == "exception"


@pytest.mark.parametrize(
    ("query", "failure"),
    [
        ("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) FROM r", "timeout"),
        ("SELECT list(range) FROM range(1000000000)", "memory"),
        ("SELECT repeat('x', 2000000000)", "memory"),
    ],
)
def test_a_query_without_end_or_measure_is_at_a_limit(
    inside: Any, query: str, failure: str
) -> None:
    assert asked(inside, query, limits=Limits(cpu=1, wall=20)).failure == failure
