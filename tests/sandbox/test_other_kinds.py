"""Shell commands, SQL queries and regular expressions, by what they do."""

import os
from decimal import Decimal
from typing import Any

import pytest

from afere.domain import Limits, RegexTask, SandboxError, ShellTask, SqlTask, UsageError
from afere.sandbox.inside.watch import busy


def test_a_command_sees_a_fresh_copy_and_gives_output_status_and_files(inside: Any) -> None:
    task = ShellTask(
        command="cat a/b; read line; echo got $line; echo new > out; rm a/b; echo err >&2; exit 3",
        files={"a/b": b"\xffx\n", "kept": b"1"},
        stdin=b"in\n",
    )
    for _ in range(2):
        came = inside.run(task)
        assert (came.failure, came.status) == (None, 3)
        assert came.stdout == b"\xffx\ngot in\n"
        assert came.files == {"kept": b"1", "out": b"new\n"}
        assert came.output.endswith("err\n")


@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_bash_and_posix_sh_are_told_apart(inside: Any, shell: Any) -> None:
    came = inside.run(ShellTask(command="echo ${BASH_VERSION:+bash}", shell=shell))
    assert came.stdout == (b"bash\n" if shell == "bash" else b"\n")


def test_common_tools_work_in_a_shell(inside: Any) -> None:
    command = "printf 'b 2\\na 1\\n' > f; sort f | awk '{print $2}' | paste -sd+ | sed 's/+/ /'; "
    command += "chmod +x f 2>/dev/null; find . -name f | xargs wc -l; grep -c a f; date +%Y | wc -c"
    came = inside.run(ShellTask(command=command))
    assert came.stdout == b"1 2\n2 ./f\n1\n5\n"


def test_standard_streams_have_their_names_in_a_shell(inside: Any) -> None:
    came = inside.run(ShellTask(command="cat /dev/stdin > /dev/stdout", stdin=b"in\n"))
    assert came.stdout == b"in\n"


def test_a_folder_that_cannot_be_laid_out_is_a_fault_and_no_wrong_answer(inside: Any) -> None:
    for files in ({"a": b"", "a/b": b""}, {"a" * 300: b""}):
        with pytest.raises(SandboxError, match="no folder"):
            inside.run(ShellTask(command="echo 1", files=files))


def test_a_shell_that_is_late_on_a_busy_machine_is_told_apart() -> None:
    assert busy(f"{os.cpu_count()}.50 0.10 0.05 9/500 123\n".encode("ascii"))
    assert not busy(b"0.20 9.00 9.00 1/500 123\n")


def test_a_command_that_leaves_work_behind_is_over_with_its_shell(inside: Any) -> None:
    came = inside.run(ShellTask(command="sleep 100 & echo done"))
    assert (came.failure, came.stdout) == (None, b"done\n")


def test_links_are_not_followed_out_of_the_folder(inside: Any) -> None:
    came = inside.run(ShellTask(command="ln -s /usr/bin/env l; mkfifo p; echo x > f"))
    assert came.files == {"f": b"x\n"}


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "", "."])
def test_prepared_files_stay_in_the_folder(inside: Any, name: str) -> None:
    with pytest.raises(UsageError, match="is no path within the folder"):
        inside.run(ShellTask(command="true", files={name: b""}))


def test_a_command_too_long_or_with_a_null_does_not_run(inside: Any) -> None:
    assert inside.run(ShellTask(command="echo a\0b")).status == 126
    assert inside.run(ShellTask(command="#" * (300 << 10))).status == 126


SETUP = "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, NULL), (2, NULL), (1.5, '');"


def test_rows_come_back_as_exact_values_in_the_querys_order(inside: Any) -> None:
    came = inside.run(SqlTask(query="SELECT a, b FROM t ORDER BY a DESC, b", setup=SETUP))
    assert came.value == [(2, None), (2, None), (1.5, ""), (1, "x")]
    raw = inside.run(SqlTask(query="SELECT x'00ff', 9223372036854775807, 'é', 1e400, -0.0"))
    assert raw.value == [(b"\x00\xff", 9223372036854775807, "é", float("inf"), 0.0)]


def test_a_database_is_copied_and_may_hold_text_that_is_no_utf8(inside: Any) -> None:
    import sqlite3

    made = sqlite3.connect(":memory:")
    made.executescript(SETUP)
    made.execute("INSERT INTO t VALUES (9, CAST(x'ff' AS TEXT))")
    made.commit()
    content = made.serialize()
    made.close()
    came = inside.run(SqlTask(query="SELECT b FROM t WHERE a = 9", database=content))
    assert came.value == [("\udcff",)]


@pytest.mark.parametrize(
    "query",
    [
        "INSERT INTO t VALUES (1, 2)",
        "DROP TABLE t",
        "PRAGMA table_info(t)",
        "SELECT * FROM pragma_database_list",
        "SELECT 1; SELECT 2",
        "SELECT nothing FROM t",
        "VACUUM INTO '/tmp/x'",
        "ATTACH ':memory:' AS x",
        "SELECT load_extension('x')",
        "SELECT readfile('/etc/passwd')",
        "",
        "\0",
        "SELECT '\ud800'",
    ],
)
def test_sqlite_answers_only_one_query_that_reads(inside: Any, query: str) -> None:
    came = inside.run(SqlTask(query=query, setup=SETUP))
    assert came.failure == "exception" or came.value == []


def test_an_endless_query_is_stopped(inside: Any) -> None:
    query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    assert inside.run(SqlTask(query=query, limits=Limits(cpu=0.2))).failure == "timeout"


def test_duckdb_answers_with_exact_values_and_reaches_no_file(inside: Any) -> None:
    pytest.importorskip("duckdb")
    setup = "CREATE TABLE t(a INTEGER, b DECIMAL(5, 2)); INSERT INTO t VALUES (1, 1.10), (2, NULL);"
    came = inside.run(SqlTask(engine="duckdb", query="SELECT * FROM t ORDER BY a", setup=setup))
    assert came.value == [(1, Decimal("1.10")), (2, None)]
    for query in (
        "SELECT content FROM read_text('/etc/passwd')",
        "COPY t TO '/tmp/x.csv'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "ATTACH '/tmp/x.db'",
        "CREATE TABLE u(a INTEGER)",
        "SELECT * FROM '/etc/passwd'",
    ):
        came = inside.run(SqlTask(engine="duckdb", query=query, setup=setup))
        assert (query, came.failure) == (query, "exception")


def test_patterns_are_compiled_and_matched_inside(inside: Any) -> None:
    def tried(pattern: str, how: Any = "full", flags: int = 0) -> Any:
        texts = ("ab", "abc", "xAB")
        return inside.run(RegexTask(pattern=pattern, texts=texts, how=how, flags=flags))

    assert tried("ab").value == [True, False, False]
    assert tried("ab", "prefix").value == [True, True, False]
    assert tried("ab", "search", 2).value == [True, True, True]
    wrong = tried("(")
    assert (wrong.failure, wrong.value) == ("exception", None)
    assert "missing )" in wrong.message


def test_a_pattern_that_never_ends_is_stopped(inside: Any) -> None:
    task = RegexTask(pattern="(a|a)*", texts=("a" * 40 + "b",), limits=Limits(cpu=0.2))
    assert inside.run(task).failure == "timeout"
