"""`afere compare`: the verdict first, the counts right, the exit codes as documented."""

import pytest
from command import Afere
from servers import ChatServer, by_prompt, faults
from twenty import models_yaml

BOTH = ("run", "suite.yaml", "-m", "good", "-m", "fair")


def test_without_arguments_the_earlier_run_is_the_baseline(project: Afere) -> None:
    project(*BOTH)
    ended = project("compare", "--json")
    assert ended.code == 0, ended
    found = ended.json
    assert found["baseline"]["model"] == "good"
    assert found["candidate"]["model"] == "fair"
    assert found["difference"] == pytest.approx(-0.2)
    assert found["paired"] == {
        "items": 20,
        "excluded": 0,
        "both_right": 14,
        "only_baseline": 4,
        "only_candidate": 0,
        "both_wrong": 2,
        "split": 0,
    }
    low, high = found["interval"]
    assert low < -0.2 < high < 0
    assert found["verdict"] == "worse"
    assert found["noise_floor"] == {"baseline": 0.0, "candidate": 0.0, "difference": 0.0}


def test_the_first_line_is_the_verdict_in_a_plain_sentence(project: Afere) -> None:
    project(*BOTH)
    first = project("compare").out.splitlines()[0]
    assert first.startswith("worse: ")
    assert "fair" in first
    assert "good" in first
    assert "20.0 points" in first


def test_one_round_uses_tango_s_interval(project: Afere) -> None:
    project(*BOTH, "--rounds", "1")
    found = project("compare", "--json").json
    assert "ango" in found["method"]
    assert found["interval"] == [pytest.approx(-0.4160, abs=1e-3), pytest.approx(-0.0078, abs=2e-2)]
    assert found["p_exact"] == pytest.approx(0.125)
    assert found["p_value"] == pytest.approx(0.0625)


@pytest.mark.parametrize(
    ("sides", "gate", "code"),
    [
        (("good", "fair"), "not-worse", 1),
        (("good", "fair"), "better", 1),
        (("good", "fair"), "decided", 0),
        (("fair", "good"), "not-worse", 0),
        (("fair", "good"), "better", 0),
    ],
)
def test_gates_have_their_exit_codes(
    project: Afere,
    sides: tuple[str, str],
    gate: str,
    code: int,
) -> None:
    project(*BOTH)
    ended = project("compare", *sides, "--gate", gate)
    assert ended.code == code, ended
    assert ended.out.splitlines()[-1].startswith(f"gate {gate}")


def test_an_undecided_comparison_says_how_many_items_would_decide_it(
    project: Afere,
    server: ChatServer,
) -> None:
    def almost(body: dict[str, object]) -> str:
        number = int(str(body["messages"][-1]["content"]).split()[1])  # type: ignore[index]
        missed = {"good": {17, 18}, "fair": {18, 19, 3}}[str(body["model"])]
        return str(2 * number + (number in missed))

    server.answers = almost  # type: ignore[assignment]
    project(*BOTH, "--rounds", "1")
    ended = project("compare", "good", "fair", "--gate", "not-worse")
    assert ended.code == 4
    assert ended.out.startswith("undecided: ")
    found = project("compare", "good", "fair", "--json").json
    assert found["needed"]["items_even"] > 20
    assert found["needed"]["items_80_power"] > found["needed"]["items_even"]


def test_lost_pairs_that_could_turn_the_verdict_make_it_invalid(
    project: Afere,
    server: ChatServer,
) -> None:
    project.write("models.yaml", models_yaml(server.base_url, retries=0))
    project("run", "suite.yaml", "-m", "good")
    server.plan = by_prompt({str(number): faults.status(503) for number in (14, 15, 16, 19)})
    assert project("run", "suite.yaml", "-m", "fair").code == 3
    ended = project("compare", "good", "fair")
    assert ended.code == 3
    assert ended.out.startswith("invalid: ")
    found = project("compare", "good", "fair", "--json").json
    assert found["paired"]["excluded"] == 4
    assert found["bounds"] == {"lo_verdict": "worse", "hi_verdict": "undecided"}


def test_a_side_without_an_answer_is_invalid(project: Afere, server: ChatServer) -> None:
    project("run", "suite.yaml", "-m", "good")
    server.plan = lambda _call: faults.error(401, "bad key")
    project("run", "suite.yaml", "-m", "fair")
    assert project("compare", "good", "fair").code == 3


def test_a_prompt_change_is_judged_as_a_swap_and_said(project: Afere) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    text = (project.folder / "suite.yaml").read_text("utf-8")
    project.write("suite.yaml", text.replace("items:", 'system: "Be brief."\nitems:', 1))
    project("run", "suite.yaml", "-m", "fair", "--rounds", "1", "--param", "temperature=0.6")
    found = project("compare", "--json").json
    assert found["verdict"] == "worse"
    assert "system" in found["differing"]
    assert any("temperature" in name for name in found["differing"])


def test_a_changed_key_leaves_its_item_out_and_names_it(project: Afere) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    text = (project.folder / "suite.yaml").read_text("utf-8")
    project.write("suite.yaml", text.replace("number: 10}", "number: 11}"))
    project("run", "suite.yaml", "-m", "fair", "--rounds", "1")
    found = project("compare", "--json").json
    assert found["paired"]["items"] == 19
    assert found["unmatched"]["different_key"] == ["i5"]


def test_runs_are_named_by_the_beginning_of_their_id(project: Afere) -> None:
    runs = [run["run"] for run in project(*BOTH, "--json").json["runs"]]
    found = project("compare", runs[0][:6], runs[1][:6], "--json").json
    assert [found["baseline"]["run"], found["candidate"]["run"]] == runs
    listed = project("runs", "--json").json["runs"]
    assert [run["run"] for run in listed] == runs


def test_a_run_is_not_compared_with_itself(project: Afere) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    ended = project("compare", "good", "good")
    assert ended.code == 2
    assert "same run" in ended.err


def test_series_of_one_name_are_compared_at_two_times(
    project: Afere,
    server: ChatServer,
) -> None:
    one = ("run", "suite.yaml", "-m", "good", "--rounds", "1", "--series")
    project(*one, "may")
    server.answers = lambda _body: "no idea"
    project(*one, "june")
    found = project("compare", "good@may", "good@june", "--json").json
    assert found["verdict"] == "worse"
    assert found["difference"] == pytest.approx(-0.9)


def test_a_parameter_is_the_same_wherever_it_was_written(
    project: Afere,
    server: ChatServer,
) -> None:
    """The suite says temperature 0.5 and the command line 0.5: one run, nothing asked again."""
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--param", "temperature=0.5")
    assert server.count == 20
    project("run", "suite.yaml", "-m", "fair", "--rounds", "1", "--param", "temperature=0.5")
    assert project("compare", "good", "fair", "--json").json["differing"] == {}


def test_rounds_that_may_be_equal_are_named_before_money_is_spent(
    project: Afere, server: ChatServer
) -> None:
    cold = ("run", "suite.yaml", "-m", "good", "--param", "temperature=0", "--limit", "3")
    said = "rounds that cannot differ measure no noise: --rounds 1 spends less"
    lines = project(*cold).err.splitlines()
    told = [line for line in lines if said in line]
    assert len(told) == 1
    assert told[0].startswith("3 rounds at temperature 0")
    assert lines.index(told[0]) < next(n for n, line in enumerate(lines) if "round 1" in line)
    assert said not in project(*cold, "--rounds", "1").err
    assert said not in project("run", "suite.yaml", "-m", "good", "--limit", "3").err
    project("run", "suite.yaml", "-m", "fair", "--param", "temperature=0", "--limit", "3")
    assert "all rounds are equal: they measure no noise" in project("compare", "good", "fair").out
