"""`afere calibrate` on runs of one's own: a server that gives log-probabilities and a statement."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Afere
from servers import ChatServer
from sure import CHOICES, ITEMS, sure


@pytest.fixture
def asked(afere: Afere) -> Iterator[Afere]:
    with ChatServer(sure) as server:
        afere.write("suite.yaml", json.dumps(CHOICES))
        ended = afere("run", "suite.yaml", "-m", "small", "--base-url", server.base_url,
                      "--rounds", "1", "--quiet")  # fmt: skip
        assert ended.code == 0, ended
        afere.base_url = server.base_url  # type: ignore[attr-defined] # for a second run
        yield afere


def test_log_probabilities_of_the_letters_are_the_confidence(asked: Afere) -> None:
    found = asked("calibrate", "latest", "--freeze", "t.json", "--json").json
    assert found["confidence_from"] == "logprob"
    assert (found["n"], found["no_confidence"]) == (ITEMS, 0)
    assert found["accuracy"] == pytest.approx(0.9)
    assert found["label_mass"] == pytest.approx(0.995, abs=1e-3)
    assert [each["n"] for each in found["bins"]] == [0, 16, 0, 144]
    threshold = found["threshold"]
    assert threshold["value"] == pytest.approx(0.98 / 1.0, abs=0.02)
    assert threshold["certified"] is True
    assert threshold["errors"] == 0
    provenance = found["provenance"]
    assert (provenance["model"], provenance["confidence_from"]) == ("small", "logprob")
    assert provenance["params"]["logprobs"] is True
    assert provenance["date"] is not None
    assert set(found["by_category"]) == {"odd", "even"}


def test_a_stated_confidence_is_another_source(asked: Afere) -> None:
    found = asked("calibrate", "latest", "--confidence-from", "stated", "--json").json
    assert found["confidence_from"] == "stated"
    assert [each["n"] for each in found["bins"]] == [0, 0, 16, 144]
    one = asked("calibrate", "latest", "--confidence-from", "agreement")
    assert one.code == 2
    assert "needs several rounds" in one.err
    file = asked("calibrate", "latest", "--confidence-from", "file")
    assert file.code == 2


def test_all_sources_are_compared_on_the_tuning_part(asked: Afere) -> None:
    found = asked("calibrate", "latest", "--confidence-from", "all", "--json").json
    assert set(found["sources"]) == {"logprob", "stated"}
    (chosen,) = [name for name, each in found["sources"].items() if each["chosen"]]
    assert chosen == found["confidence_from"]
    said = asked("calibrate", "latest", "--confidence-from", "all").out
    assert "Sources of confidence, compared on the tuning part:" in said


def test_a_frozen_threshold_serves_the_same_model_alone(asked: Afere, tmp_path: Path) -> None:
    asked("calibrate", "latest", "--freeze", "t.json")
    applied = asked("calibrate", "apply", "t.json", "latest", "--json").json
    assert (applied["rows"], applied["accepted"], applied["certified"]) == (ITEMS, 144, True)
    base_url = asked.base_url  # type: ignore[attr-defined]
    asked("run", "suite.yaml", "-m", "small", "--base-url", base_url, "--rounds", "1",
          "--param", "max_tokens=9", "--quiet")  # fmt: skip
    refused = asked("calibrate", "apply", "t.json", "latest")
    assert refused.code == 2
    assert "was measured for other answers: params" in refused.err
    assert "--accept-change" in refused.err


def test_a_run_without_any_confidence_says_how_to_get_one(asked: Afere) -> None:
    base_url = asked.base_url  # type: ignore[attr-defined]
    asked("run", "suite.yaml", "-m", "small", "--base-url", base_url, "--rounds", "1",
          "--param", "logprobs=false", "--quiet")  # fmt: skip
    ended = asked("calibrate", "latest", "--confidence-from", "logprob")
    assert ended.code == 2
    assert "--param logprobs=true" in ended.err
