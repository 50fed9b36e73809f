"""Whatever a server does, every row is there once and every call is counted."""

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from command import Afere
from hypothesis import given, settings
from hypothesis import strategies as st
from servers import Call, ChatServer, Fault, Plan, at_random
from servers.every import FAULTS, STOPPING

ITEMS = 6
SUITE = "suite: letters\nitems:\n" + "\n".join(
    f'  - {{id: i{n}, input: "Item {n} : which?", '
    f"options: {{A: yes{n}, B: no{n}}}, expect: {{choice: A}}}}"
    for n in range(ITEMS)
)
MODELS = """\
providers:
  here:
    base_url: %s
    retries: 2
    backoff: {first: 0.01, cap: 0.05}
    timeouts: {total: 0.6}
models:
  m: {provider: here}
"""


def attempts_in(store: Path) -> int:
    with sqlite3.connect(store) as hand:
        (count,) = hand.execute("select count(*) from attempts").fetchone()
    hand.close()
    found: int = count
    return found


def plan_of(seed: int, rate: float, stop_at: int | None) -> Plan:
    mixed = at_random(FAULTS, rate, seed)

    def plan(call: Call) -> Fault | None:
        if stop_at is not None and call.number >= stop_at:
            return STOPPING[seed % len(STOPPING)]
        return mixed(call)

    return plan


@pytest.mark.timeout(600)
@given(
    seed=st.integers(0, 2**32),
    rate=st.floats(0, 1),
    at_once=st.integers(1, 12),
    rounds=st.integers(1, 2),
    rotate=st.booleans(),
    stop_at=st.none() | st.integers(1, 20),
)
@settings(max_examples=8, deadline=None)
def test_every_row_is_there_once_and_every_call_is_counted(  # noqa: PLR0917
    seed: int,
    rate: float,
    at_once: int,
    rounds: int,
    rotate: bool,  # noqa: FBT001 - hypothesis names its arguments
    stop_at: int | None,
) -> None:
    rows = ITEMS * rounds * (2 if rotate else 1)
    asked = ("run", "suite.yaml", "-m", "m", "--rounds", str(rounds), "--json")
    asked = (*asked, "--concurrency", str(at_once), *(["--rotate"] if rotate else []))
    with TemporaryDirectory() as folder, ChatServer(lambda _body: "Answer: A") as server:
        afere = Afere(Path(folder))
        afere.write("suite.yaml", SUITE)
        afere.write("models.yaml", MODELS % server.base_url)
        server.plan = plan_of(seed, rate, stop_at)
        first = afere(*asked)
        (run,) = first.json["runs"]
        outcomes = run["outcomes"]
        assert sum(outcomes.values()) == rows
        assert run["calls"]["made"] == server.count == attempts_in(afere.folder / ".afere/afere.db")
        lost = outcomes.get("endpoint_error", 0) + outcomes.get("not_asked", 0)
        assert run["status"] == (
            "complete" if not lost else "invalid" if lost == rows else "incomplete"
        )
        assert first.code == (3 if lost else 0)
        shown = afere("show", "m", "--json").json["rows"]
        marks = [(row["item"], row["round"], row["variant"]) for row in shown]
        assert len(marks) == len(set(marks)) == rows - outcomes.get("not_asked", 0)
        for row in shown:
            assert (row["outcome"] == "endpoint_error") == (row["error"] is not None)
            assert row["outcome"] not in {"grader_error", "not_asked"}
        before = server.count
        server.plan = lambda _call: None
        again = afere(*asked)
        (run,) = again.json["runs"]
        assert again.code == 0
        assert (run["status"], sum(run["outcomes"].values())) == ("complete", rows)
        assert run["calls"]["made"] == server.count - before == lost
        assert run["calls"]["cached"] == rows - lost
