"""Hostile code, under an outer guard: held at every level, as root and as an ordinary user.

Every case runs at the two levels' usual users; the other pairs of level and user see some of the
cases, and with AFERE_LONG=1 all.
"""

import functools
import json
import os
import shutil
from pathlib import Path
from typing import Any

import own_abuse
import pytest
from outer_guard import SECRET, guarded

LINES = Path(__file__).with_name("abuse_cases.jsonl").read_text("utf-8").splitlines()
CASES = {case["id"]: case for case in [*map(json.loads, LINES), *own_abuse.records()]}
LONG = os.environ.get("AFERE_LONG") == "1"
SOME = ("read-passwd", "proc-1-environ", "tcp-loopback", "unshare-userns", "sleep", "fork-bomb")
SOME += ("os-exit-0", "eq-true", "gc-expected", "bash-fork-bomb", "bash-rm-input", "sql-attach")
SOME += ("signals-to-all", "limit-of-another", "memory-of-others", "device-mode", "planted-module")
SOME += ("fork-bomb-with-leave", "children-outlive", "bash-strangle", "replies-before-questions")
LEVELS = ("namespaces", "landlock", "bubblewrap")
USERS = ("root", "user")
WHOLE = {("namespaces", "root" if os.geteuid() == 0 else "user"), ("landlock", "user")}
MINUTES = 15 if LONG else 4
pytestmark = pytest.mark.timeout(MINUTES * 60)  # the first test of a pair runs all its cases
# What other languages' cases must come to, by failure; None where the program ends by itself.
WANTED: dict[str, set[str | None]] = {
    "bash-passwd": {None},
    "bash-fork-bomb": {None, "timeout", "memory"},
    "bash-yes": {"output", "timeout"},
    "bash-rm-input": {None},
    "bash-net": {None},
    "sql-infinite-cte": {"timeout"},
    "sql-bigblob": {"exception", "memory"},
    "regex-redos-behaviour": {"timeout"},
    "regex-compile-bomb": {"timeout", "exception", "memory"},
}
# At a level that isolates nothing these do their harm: so the cases are real.
HARMFUL = ("read-passwd", "read-ssh", "tcp-loopback", "unix-path-socket", "write-usr")
HARMFUL += ("chmod-setuid", "rmtree", "symlink-read", "proc-1-environ", "proc-parent-maps")
HARMFUL += ("unshare-userns", "keyctl-session", "udp-out", "bash-passwd", "bash-net")


@functools.cache
def abused(level: str, user: str) -> dict[str, dict[str, Any]]:
    """Run the cases at a level; gives what came of each, or skips with the reason."""
    if level == "bubblewrap" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    only = () if LONG or (level, user) in WHOLE else SOME
    only = HARMFUL if level == "none" else only
    try:
        lines = guarded(user, "abuse_runner.py", level, *only, timeout=MINUTES * 60).splitlines()
    except OSError as error:
        pytest.skip(f"no outer guard: {error}")
    return {record["id"]: record for record in map(json.loads, lines)}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("level", LEVELS)
def test_abuse_comes_to_what_is_wanted_and_leaves_nothing(level: str, user: str, name: str) -> None:
    records = abused(level, user)
    if name not in records:
        pytest.skip("AFERE_LONG=1 runs all cases for this level and user")
    record, case = records[name], CASES[name]
    assert record["fault"] == ""
    assert record["failure"] in wanted(case)
    assert record["left"] == []
    assert record["hits"] == []
    assert record["written"] == []
    shown = record["output"] + record["stdout"] + record["value"]
    assert "ESCAPED" not in shown
    assert SECRET not in shown
    assert "root:" not in shown
    assert "PRIVATE KEY" not in shown


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("user", USERS)
def test_each_abuse_really_ran(level: str, user: str) -> None:
    """What was refused says so itself; what is held from outside shows in its failure."""
    silent = []
    for name, record in abused(level, user).items():
        tells = "blocked" in record["output"] or "ran" in record["output"]
        outside = {"timeout", "memory", "output", "crash"}  # its output may be lost with it
        known = record["failure"] is not None if "wanted" not in CASES[name] else False
        tells = tells or known or record["failure"] in outside
        if not (tells or name in ENDS_WELL):
            silent.append(name)
    assert silent == []


ENDS_WELL = {"non-utf8", "arg-mutation", "raise-type", "bash-passwd", "bash-fork-bomb"}
ENDS_WELL |= {"bash-rm-input", "bash-net"}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("user", USERS)
def test_hostile_commands_of_a_shell_really_ran(level: str, user: str) -> None:
    records = abused(level, user)
    assert records["bash-rm-input"]["stdout"] == "3\n"
    assert records["bash-rm-input"]["files"] == []
    if "bash-net" in records:
        assert "/dev/tcp/127.0.0.1" in records["bash-net"]["output"]


@pytest.mark.parametrize("name", HARMFUL)
def test_without_isolation_the_same_cases_do_their_harm(name: str) -> None:
    """The positive control: each is a real attack, which only the sandbox stops."""
    user = "root" if os.geteuid() == 0 else "user"
    record = abused("none", user)[name]
    shown = record["output"] + record["stdout"]
    harm = "ESCAPED" in shown or "root:" in shown or SECRET in shown
    assert harm or record["hits"] or record["written"]


def wanted(case: dict[str, Any]) -> set[str | None]:
    if "wanted" in case:
        return {failure or None for failure in case["wanted"]}
    if case["lang"] != "python":
        return WANTED.get(case["id"], {"exception"})
    failures: set[str | None] = set()
    for verdict in case["want_verdict"]:
        if verdict == "pass":
            failures.add(None)
        elif verdict == "timeout":
            failures.add("timeout")
        else:
            failures |= {"assertion", "exception", "memory", "output", "crash", "syntax"}
    return failures
