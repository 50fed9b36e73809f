"""`afere rank` and `afere plan`: places, marks, what differs, what a suite can show."""

import pytest
from command import Afere
from servers import ChatServer, by_prompt, faults
from twenty import ITEMS, models_yaml

BOTH = ("run", "suite.yaml", "-m", "good", "-m", "fair")
PRICED = """\
  dear: {{provider: here, model: good, price: {{input: 100, output: 300}}}}
  cheap: {{provider: here, model: fair, price: {{input: 1, output: 3}}}}
"""


@pytest.fixture
def priced(project: Afere, server: ChatServer) -> Afere:
    project.write("models.yaml", models_yaml(server.base_url) + PRICED.format())
    return project


def test_the_models_of_the_last_suite_are_ranked_the_best_first(project: Afere) -> None:
    project(*BOTH)
    ended = project("rank", "--json")
    assert ended.code == 0, ended
    found = ended.json
    assert found["suite"] == "twenty"
    best, other = found["models"]
    assert (best["model"], other["model"]) == ("good", "fair")
    assert (best["score"], other["score"]) == (pytest.approx(0.9), pytest.approx(0.7))
    assert best["interval"][0] < 0.9 < best["interval"][1]
    assert (best["status"], best["failed"], best["rounds"]) == ("complete", 0, 3)
    assert best["per_round"] == [pytest.approx(0.9)] * 3
    questions = found["questions"]
    assert (questions["all_right"], questions["none_right"], questions["separating"]) == (14, 2, 4)
    missed = {tuple(each["missed_by"]): each["items"] for each in questions["patterns"]}
    assert missed["fair",] == ["i14", "i15", "i16", "i19"]
    assert missed["good", "fair"] == ["i17", "i18"]
    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"]) == ("good", "fair")
    assert pair["difference"] == pytest.approx(-0.2)
    assert pair["p_holm"] == pytest.approx(0.125)
    assert best["could_be_best"] is True
    assert best["tied_group"] == other["tied_group"] == 1
    (warning,) = found["warnings"]
    assert warning.startswith(
        "fair against good: the interval leaves out 0 and the test does not (p 0.125)"
    )


def test_the_report_names_who_could_be_best_and_which_items_tell(project: Afere) -> None:
    project(*BOTH)
    text = project("rank").out
    assert "could be the best" in text.splitlines()[0]
    assert "14 right with every model, 2 with none, 4 with some" in text
    assert "i14, i15, i16, i19" in text
    assert "1–2" in text
    assert "What this does not prove" in text


def test_parameters_that_differ_head_the_table_and_can_be_refused(project: Afere) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    project("run", "suite.yaml", "-m", "fair", "--rounds", "1", "--param", "temperature=0.6")
    text = project("rank").out
    assert text.index("temperature") < text.index("place")
    assert project("rank", "--json").json["differing"] == {
        "temperature": {"good": 0.5, "fair": 0.6}
    }
    refused = project("rank", "--same-params")
    assert refused.code == 2
    assert "temperature" in refused.err
    assert refused.out == ""


def test_same_params_ranks_where_nothing_differs(project: Afere) -> None:
    project(*BOTH, "--rounds", "1")
    assert project("rank", "--same-params").code == 0


def test_an_incomplete_run_keeps_its_mark_and_an_invalid_one_has_no_place(
    project: Afere,
    server: ChatServer,
) -> None:
    project.write(
        "models.yaml", models_yaml(server.base_url, retries=0) + "  bad: {provider: here}\n"
    )
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    server.plan = by_prompt({"3": faults.status(503)})
    project("run", "suite.yaml", "-m", "fair", "--rounds", "1")
    server.plan = lambda _call: faults.error(401, "bad key")
    project("run", "suite.yaml", "-m", "bad", "--rounds", "1")
    ended = project("rank", "--json")
    assert ended.code == 0
    good, fair, bad = ended.json["models"]
    assert (good["status"], good["failed"]) == ("complete", 0)
    assert (fair["status"], fair["failed"]) == ("incomplete", 1)
    assert (bad["model"], bad["status"], bad["score"]) == ("bad", "invalid", None)
    assert bad["tied_group"] is None
    lines = project("rank").out.splitlines()
    assert any(line.startswith("–") and "bad" in line and "invalid" in line for line in lines)
    assert any("fair" in line and "incomplete" in line for line in lines)


def test_nothing_graded_is_no_ranking(project: Afere, server: ChatServer) -> None:
    server.plan = lambda _call: faults.error(401, "bad key")
    project(*BOTH, "--rounds", "1")
    ended = project("rank")
    assert ended.code == 3
    assert "No model has a graded answer" in ended.out


def test_probes_and_other_suites_are_passed_over(project: Afere) -> None:
    project(*BOTH, "--rounds", "1")
    suite = (project.folder / "suite.yaml").read_text("utf-8")
    project.write("other.yaml", suite.replace("suite: twenty", "suite: other"))
    project("run", "other.yaml", "-m", "good", "--rounds", "1")
    project("run", "suite.yaml", "-m", "good", "--rounds", "1", "--item", "i17")
    assert project("rank", "--json").json["suite"] == "other"
    for arguments in (("--suite", "twenty"), ("good", "fair")):
        found = project("rank", *arguments, "--json").json
        assert found["suite"] == "twenty"
        assert [model["score"] for model in found["models"]] == [0.9, 0.7]


def test_the_latest_run_of_a_model_is_ranked(project: Afere, server: ChatServer) -> None:
    project(*BOTH, "--rounds", "1")
    server.answers = lambda _body: "no idea"
    project("run", "suite.yaml", "-m", "good", "--rounds", "2", "--param", "seed=7")
    scores = {each["model"]: each["score"] for each in project("rank", "--json").json["models"]}
    assert scores == {"fair": 0.7, "good": 0.0}


def test_cost_of_a_right_answer_and_the_front_are_told(priced: Afere) -> None:
    priced("run", "suite.yaml", "-m", "dear", "-m", "cheap", "--rounds", "1")
    dear, cheap = priced("rank", "--json").json["models"]
    assert (dear["model"], dear["on_front"], cheap["on_front"]) == ("dear", True, True)
    assert dear["cost_per_right"] == pytest.approx(dear["cost"] / 18)
    text = priced("rank").out
    assert "front of cost against quality" in text
    assert "Latency holds the provider's queue" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rank",), "afere run"),
        (("rank", "nobody"), "no store"),
        (("plan",), "SUITE"),
        (("plan", "suite.yaml", "--rate", "90"), "--rate"),
        (("plan", "suite.yaml", "-m", "nobody"), "nobody"),
        (("plan", "no-such-suite"), "no-such-suite"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_ranked_or_planned_says_so(
    project: Afere, arguments: tuple[str, ...], said: str
) -> None:
    ended = project(*arguments)
    assert ended.code == 2, ended
    assert said in ended.err
    assert ended.out == ""


def test_a_suite_or_a_model_without_a_run_is_named(project: Afere) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    assert "It has: twenty" in project("rank", "--suite", "none").err
    ended = project("rank", "good", "fair")
    assert ended.code == 2
    assert "fair" in ended.err


def test_a_plan_says_what_a_suite_can_show(project: Afere) -> None:
    found = project("plan", "suite.yaml", "--rounds", "1", "--json").json
    assert (found["items"], found["rounds"], found["calls"]) == (ITEMS, 1, ITEMS)
    assert found["cost"] is None
    assert found["assumptions"]["discordance"] == pytest.approx(0.09)
    assert found["assumptions"]["discordance_from"] == "rate × (1 - rate)"
    assert found["needed"]["difference"] > ITEMS
    assert found["detectable"] is None
    assert found["smallest_margin"] > 0.02
    text = project("plan", "suite.yaml", "--rounds", "1").out
    assert text.startswith("20 items are too few to show any difference with 80 % power")
    assert "can never prove a margin of 2" in text


def test_a_plan_uses_the_discordance_given(project: Afere) -> None:
    found = project("plan", "suite.yaml", "--discordance", "0.2", "--json").json
    assert found["assumptions"]["discordance"] == 0.2
    assert found["assumptions"]["discordance_from"] == "given"
    assert found["detectable"] is None
    wide = project("plan", "suite.yaml", "--discordance", "0.9", "--json").json
    assert 0.2 < wide["detectable"] < 0.6
    text = project("plan", "suite.yaml", "--discordance", "0.9").out
    assert text.startswith("Smallest difference that this suite shows with 80 % power: ")
    assert found["calls"] == 3 * ITEMS


def test_a_plan_tells_the_price_of_a_priced_model(priced: Afere) -> None:
    told = priced("plan", "suite.yaml", "-m", "dear", "--tokens", "400", "150", "--json").json
    assert told["cost"] == pytest.approx(60 * (400 * 100 + 150 * 300) / 1e6)
    assert "not known" in priced("plan", "suite.yaml", "-m", "dear").out
    run = priced("run", "suite.yaml", "-m", "dear", "--rounds", "1", "--json").json["runs"][0]
    again = priced("plan", "suite.yaml", "-m", "dear", "--rounds", "1", "--json").json
    assert again["cost"] == pytest.approx(run["cost"])


def test_the_run_whose_tokens_a_plan_takes_is_named(priced: Afere) -> None:
    run = priced("run", "suite.yaml", "-m", "dear", "--rounds", "1", "--json").json["runs"][0]
    ended = priced("plan", "suite.yaml", "-m", "cheap", "--json")
    assert ended.json["assumptions"]["tokens_from"] == f"{run['run']} (dear)"
    assert f"as in run {run['run']} (dear)." in priced("plan", "suite.yaml", "-m", "cheap").out
    given = priced("plan", "suite.yaml", "-m", "cheap", "--tokens", "9", "9", "--json").json
    assert given["assumptions"]["tokens_from"] is None


def test_a_difference_above_the_discordance_is_explained(project: Afere) -> None:
    given = project("plan", "suite.yaml", "--detect", "0.3", "--discordance", "0.1", "--json").json
    assert given["needed"]["difference"] is None
    assert "models that differ on 10.0 % of the items cannot be 30.0 points apart" in " ".join(
        given["warnings"]
    )
    assumed = project("plan", "suite.yaml", "--detect", "0.3", "--json").json
    assert assumed["needed"]["difference"] > 0
    assert "a difference of 30.0 points is more than rate × (1 - rate), 9.0 %" in " ".join(
        assumed["warnings"]
    )
    text = project("plan", "suite.yaml", "--detect", "0.3", "--discordance", "0.1").out
    assert "cannot be 30.0 points apart" in " ".join(text.split())


def test_a_plan_says_that_few_groups_decide_nothing(project: Afere) -> None:
    lines = [
        f'{{"id": "g{n}", "input": "{n}?", "group": "g{n % 4}", "expect": {{"number": {n}}}}}'
        for n in range(40)
    ]
    (project.folder / "grouped").mkdir()
    project.write("grouped/suite.yaml", "suite: grouped\n")
    project.write("grouped/items.jsonl", "\n".join(lines) + "\n")
    warned = project("plan", "grouped", "--json").json["warnings"]
    assert "the items come in 4 groups: fewer than 8 decide nothing" in warned


def test_a_check_says_in_words_that_few_items_show_nothing(project: Afere) -> None:
    text = project("check", "suite.yaml").out
    assert "1 round: with 20 items no difference can be shown (80 % power, 90.0 % right)." in text
    assert "any size" not in text


def test_a_cut_round_is_marked_beside_whole_ones(project: Afere) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "3", "--max-calls", "47")
    project("run", "suite.yaml", "-m", "fair", "--rounds", "3")
    shown = project("show", "good")
    assert "100.0 %*" in shown.out
    assert "90.0 %*" not in shown.out
    assert "rounds marked * lack answers, and their scores are of fewer items: 3" in shown.out
    assert project("show", "good", "--json").json["run"]["cut_rounds"] == [3]
    compared = project("compare", "good", "fair")
    assert "90.0 / 90.0 / 100.0* %" in compared.out
    assert "70.0 / 70.0 / 70.0 %" in compared.out
    assert "rounds marked * lack answers" in compared.out
    ranked = project("rank").out
    assert "90.0 to 100.0 %*" in ranked
    assert "* A round of this model lacks answers" in ranked
