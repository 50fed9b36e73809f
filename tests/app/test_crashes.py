"""`kill -9` at any moment: nothing acknowledged is lost, and a resume repeats what was in flight.

AFERE_CRASHES says at how many moments (5 by default; every third is a batch of two processes).
"""

import os
import random
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from command import Afere
from servers import ChatServer
from twenty import SUITE, models_yaml

CRASHES = int(os.environ.get("AFERE_CRASHES", "5"))
AT_ONCE = 4
ROWS = 60
SAME = ("item", "round", "variant", "outcome", "score", "read", "content", "finish_reason")
Rows = list[dict[str, Any]]


def told(body: Mapping[str, Any]) -> str:
    """An answer that depends on model, item and round alone, the round by its seed."""
    number = int(body["messages"][-1]["content"].split()[1])
    wrong = (number + int(body["seed"])) % 5 == 0
    return f"{body['model']} thinks in round {body['seed']}.\nAnswer: {number + number + wrong}"


def command(model: str) -> tuple[str, ...]:
    asked = ("--rounds", "3", "--param", "seed=1", "--concurrency", str(AT_ONCE))
    return ("run", "suite.yaml", "-m", model, *asked, "--json")


def rows_of(afere: Afere, model: str) -> Rows:
    shown = afere("show", model, "--json")
    assert shown.code == 0, shown
    return [{name: row[name] for name in SAME} for row in shown.json["rows"]]


@pytest.fixture
def place(afere: Afere) -> Afere:
    afere.write("suite.yaml", SUITE)
    return afere


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Rows]:
    afere = Afere(tmp_path_factory.mktemp("undisturbed"))
    afere.write("suite.yaml", SUITE)
    with ChatServer(told) as server:
        afere.write("models.yaml", models_yaml(server.base_url))
        for model in ("good", "fair"):
            assert afere(*command(model)).code == 0
        assert server.count == 2 * ROWS
    return {model: rows_of(afere, model) for model in ("good", "fair")}


def crash(afere: Afere, server: ChatServer, models: tuple[str, ...], dice: random.Random) -> None:
    """Start a process a model, and kill them at one random moment after the other."""
    running = [afere.start(*command(model)) for model in models]
    for process in running:
        calls, begun = dice.randrange(len(models) * ROWS), time.monotonic()
        while server.count < calls and process.poll() is None and time.monotonic() < begun + 20:
            time.sleep(0.001)
        time.sleep(dice.uniform(0, 0.03))
        process.kill()
    for process in running:
        _, err = process.communicate(timeout=60)
        assert b"Traceback" not in err, err.decode()


@pytest.mark.parametrize("seed", range(CRASHES))
@pytest.mark.timeout(300)
def test_a_kill_loses_nothing_and_repeats_no_more_than_was_in_flight(
    place: Afere, undisturbed: dict[str, Rows], seed: int
) -> None:
    dice = random.Random(seed)  # noqa: S311 - moments, no secret
    models = ("good", "fair") if seed % 3 == 2 else ("good",)
    with ChatServer(told, delay=0.01) as server:
        place.write("models.yaml", models_yaml(server.base_url))
        crash(place, server, models, dice)
        server.delay = 0.0
        for model in models:
            ended = place(*command(model))
            assert ended.code == 0, ended
            (run,) = ended.json["runs"]
            assert (run["status"], sum(run["outcomes"].values())) == ("complete", ROWS)
        asked = Counter(
            (str(call.body["model"]), call.prompt, call.body["seed"]) for call in server.calls
        )
        assert len(asked) == len(models) * ROWS
        assert server.count - len(asked) <= len(models) * AT_ONCE
        for model in models:
            assert rows_of(place, model) == undisturbed[model]
