"""`afere calibrate` as a user meets it: files, thresholds, looks, maps, plans."""

import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from command import Afere

CASES = Path(__file__).parents[1] / "stats" / "cases" / "calibration.json"


@cache
def seeds() -> dict[str, dict[str, Any]]:
    cases = json.loads(CASES.read_text("utf-8"))["seed_cases"]
    return {case["model"]: case for case in cases}


def rated(rows: int, seed: int = 3, **columns: Any) -> str:
    """Write answers whose confidence is honest at the top and too low below."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    lines = [",".join(("id", "prediction", "truth", "confidence", *columns))]
    for number in range(rows):
        u = chance.random()
        right = chance.random() > 0.002 + 0.35 * u**3
        cells = [f"r{number}", "a", "a" if right else "b", f"{1 - u * u / 2:.4f}"]
        lines.append(",".join([*cells, *(str(make(number)) for make in columns.values())]))
    return "\n".join(lines) + "\n"


@pytest.fixture
def basal(afere: Afere) -> Afere:
    for model, case in seeds().items():
        afere.write(f"{model}.json", json.dumps(case["file"]))
    return afere


@pytest.mark.parametrize("model", ["basal_mini", "jev113"])
def test_the_rebuilt_files_give_the_published_figures(basal: Afere, model: str) -> None:
    expected = seeds()[model]["expected"]
    ended = basal("calibrate", f"{model}.json", "--threshold", "0.9", "--json")
    found = ended.json
    assert ended.code == 0
    assert round(found["ece"], 4) == float(expected["ece_printed"])
    assert found["ece"] == pytest.approx(expected["ece"], abs=1e-9)
    assert (found["n"], found["skipped"], found["no_confidence"]) == (expected["n"], 3, 0)
    assert found["groups"] is None
    assert found["mce"] == pytest.approx(expected["mce"], abs=1e-9)
    assert found["brier"] == pytest.approx(expected["brier"], abs=1e-9)
    threshold = found["threshold"]
    assert threshold["value"] == 0.9
    assert threshold["accepted"] == expected["accepted"]
    assert threshold["errors"] == expected["accepted_errors"]
    assert threshold["coverage"] == expected["coverage"]
    assert threshold["error_rate"] == pytest.approx(expected["error_rate"], abs=1e-9)
    bound = expected["clopper_pearson_upper_95"]
    assert threshold["upper_bound"] == pytest.approx(bound, abs=1e-9)
    assert threshold["certified"] is False
    assert "--declared" in threshold["why"]
    by_category = expected["per_true_category"]
    seen = threshold["by_category"]
    assert {name: (each["accepted"], each["errors"]) for name, each in seen.items()} == {
        name: (each["accepted"], each["accepted_errors"]) for name, each in by_category.items()
    }
    assert {name: each["n"] for name, each in found["by_category"].items()} == {
        name: each["n"] for name, each in by_category.items()
    }


def test_a_bin_says_all_that_the_design_names(basal: Afere) -> None:
    found = basal("calibrate", "basal_mini.json", "--threshold", "0.9", "--json").json
    bins = found["bins"]
    assert [each["n"] for each in bins] == [0, 2, 8, 40]
    assert (bins[0]["confidence"], bins[0]["gap"], bins[0]["state"]) == (None, None, "empty")
    last = bins[-1]
    assert (last["low"], last["high"], last["right"]) == (0.9, 1, 35)
    assert last["gap"] == pytest.approx(last["confidence"] - last["accuracy"])
    assert last["state"] == "overconfident"
    assert last["interval"][0] < last["accuracy"] < last["interval"][1] < last["confidence"]
    assert sum(each["contribution"] for each in bins) == pytest.approx(found["ece"])
    for name in ("ece_equal_mass", "ece_debiased", "smooth_ece", "aurc", "e_aurc", "log_loss"):
        assert isinstance(found[name], float), name
    assert set(found["corp"]) == {"miscalibration", "discrimination", "uncertainty"}
    assert {"reliability", "resolution", "uncertainty"} <= set(found["brier_parts"])
    assert found["needed"] == {
        "accepted_without_error": 59,
        "with_errors": {"1": 93, "2": 124, "3": 153},
    }


def test_small_data_take_no_look_and_say_what_is_missing(basal: Afere) -> None:
    ended = basal("calibrate", "basal_mini.json")
    assert ended.code == 0
    assert "No threshold to act alone from." in ended.out
    assert "59 accepted without an error could" in ended.out
    assert not (basal.folder / ".afere").exists()


def test_several_files_stand_beside_one_another(basal: Afere) -> None:
    found = basal("calibrate", "basal_mini.json", "jev113.json", "--json").json
    assert [each["name"] for each in found["calibrations"]] == ["basal_mini", "jev113"]
    (pair,) = found["pairs"]
    assert pair["rows"] == 50
    assert pair["order_shown"] is False
    assert pair["interval"][0] < pair["difference"] < pair["interval"][1]
    said = basal("calibrate", "basal_mini.json", "jev113.json").out
    assert "order not shown" in said


def test_a_threshold_is_chosen_frozen_and_looked_at_once(afere: Afere) -> None:
    afere.write("rows.csv", rated(1000))
    first = afere("calibrate", "rows.csv", "--freeze", "t.json", "--json").json["threshold"]
    assert first["certified"] is True
    assert first["procedure"] == "single"
    assert first["upper_bound"] <= 0.05
    assert first["unit"] == "row"
    parts = first["chosen_on"], first["tested_on"]
    assert sum(part["rows"] for part in parts) == 1000
    assert all(part["groups"] is None for part in parts)
    frozen = json.loads((afere.folder / "t.json").read_text("utf-8"))
    assert frozen["plan"]["thresholds"] == [first["value"]]
    assert frozen["result"]["certified"] is True
    assert len(frozen["looks"]) == 1
    again = afere("calibrate", "rows.csv", "--freeze", "t.json", "--json").json["threshold"]
    assert again == first
    stored = afere("calibrate", "rows.csv", "--json").json["threshold"]
    assert stored == first


@pytest.mark.parametrize(
    "other",
    [("--max-error", "0.02"), ("--procedure", "sequence"), ("--procedure", "no-reserved"),
     ("--seed", "1"), ("--share", "0.4"), ("--threshold", "0.8", "--declared")],
    ids=" ".join,
)  # fmt: skip
def test_a_second_look_is_refused(afere: Afere, other: tuple[str, ...]) -> None:
    afere.write("rows.csv", rated(1000))
    assert afere("calibrate", "rows.csv").code == 0
    ended = afere("calibrate", "rows.csv", *other)
    assert ended.code == 2
    assert "a second look is refused" in ended.err
    assert "--looks N" in ended.err
    assert afere("calibrate", "rows.csv", "--edges", "0,0.5,1").code == 0


def test_a_frozen_file_refuses_other_rows_and_another_threshold(afere: Afere) -> None:
    afere.write("rows.csv", rated(1000))
    afere.write("more.csv", rated(1000, seed=4))
    afere("calibrate", "rows.csv", "--freeze", "t.json")
    other = afere("calibrate", "more.csv", "--freeze", "t.json")
    assert other.code == 2
    assert "t.json: a second look is refused" in other.err
    (afere.folder / ".afere" / "afere.db").unlink()
    laxer = afere("calibrate", "rows.csv", "--freeze", "t.json", "--max-error", "0.1")
    assert laxer.code == 2
    assert "another threshold" in laxer.err


def test_a_plan_changed_by_hand_is_refused(afere: Afere) -> None:
    afere.write("rows.csv", rated(1000))
    afere("calibrate", "rows.csv", "--freeze", "t.json")
    path = afere.folder / "t.json"
    text = path.read_text("utf-8").replace('"max_error": 0.05', '"max_error": 0.5')
    path.write_text(text, "utf-8")
    ended = afere("calibrate", "rows.csv", "--freeze", "t.json")
    assert ended.code == 2
    assert "was changed by hand" in ended.err
    path.write_text("{}", "utf-8")
    assert "is no frozen threshold" in afere("calibrate", "rows.csv", "--freeze", "t.json").err


def test_looks_named_beforehand_share_the_error_budget(afere: Afere) -> None:
    afere.write("rows.csv", rated(2000))
    one = afere("calibrate", "rows.csv", "--looks", "2", "--json").json["threshold"]
    bound = one["upper_bound"]
    two = afere("calibrate", "rows.csv", "--looks", "2", "--max-error", "0.04", "--json")
    assert two.code == 0
    assert two.json["threshold"]["looks"] == 2
    third = afere("calibrate", "rows.csv", "--looks", "2", "--max-error", "0.03")
    assert third.code == 2
    fewer = afere("calibrate", "rows.csv", "--looks", "1")
    assert fewer.code == 2
    assert bound > one["error_rate"]


@pytest.mark.parametrize("procedure", ["sequence", "no-reserved"])
def test_other_procedures_are_named_in_the_output(afere: Afere, procedure: str) -> None:
    afere.write("rows.csv", rated(2000))
    ended = afere("calibrate", "rows.csv", "--procedure", procedure, "--json")
    threshold = ended.json["threshold"]
    assert threshold["procedure"] == procedure
    assert threshold["certified"] is True
    assert threshold["upper_bound"] <= 0.05
    said = afere("calibrate", "rows.csv", "--procedure", procedure).out
    assert f"Procedure: {procedure}." in said
    if procedure == "no-reserved":
        assert threshold["chosen_on"] is None
        assert threshold["tested_on"]["rows"] == 2000


def test_a_declared_threshold_is_certified_on_all_rows(afere: Afere) -> None:
    afere.write("rows.csv", rated(1000))
    ended = afere("calibrate", "rows.csv", "--threshold", "0.9", "--declared", "--json")
    threshold = ended.json["threshold"]
    assert (threshold["certified"], threshold["declared"]) == (True, True)
    assert threshold["tested_on"]["rows"] == 1000
    other = afere("calibrate", "rows.csv", "--threshold", "0.8", "--declared")
    assert other.code == 2
    assert afere("calibrate", "rows.csv", "--threshold", "0.8").code == 0


def test_fifty_nine_accepted_without_an_error_certify_five_percent(afere: Afere) -> None:
    for rows, certified in ((58, False), (59, True)):
        lines = "correct,confidence\n" + "true,0.95\n" * rows
        afere.write(f"r{rows}.csv", lines)
        found = afere(
            "calibrate", f"r{rows}.csv", "--threshold", "0.9", "--declared", "--json"
        ).json["threshold"]
        assert found["certified"] is certified
        assert found["needed_more"] == (None if certified else 1)


def test_a_group_counts_once(afere: Afere) -> None:
    lines = "correct,confidence,group\n" + "".join(f"true,0.95,g{row // 5}\n" for row in range(59))
    afere.write("rows.csv", lines)
    found = afere("calibrate", "rows.csv", "--threshold", "0.9", "--declared", "--json").json
    threshold = found["threshold"]
    assert found["groups"] == 12
    assert (threshold["unit"], threshold["accepted"], threshold["errors"]) == ("group", 12, 0)
    assert threshold["upper_bound"] == pytest.approx(0.22092219194555585, abs=1e-9)
    assert threshold["certified"] is False
    assert threshold["rows_accepted"] == 59


def test_a_group_stands_on_one_side_and_row_order_has_no_influence(afere: Afere) -> None:
    text = rated(1200, group=lambda number: f"g{number % 400}")
    header, *rows = text.splitlines()
    random.Random(1).shuffle(rows)  # noqa: S311 - no secret
    afere.write("rows.csv", text)
    afere.write("mixed.csv", "\n".join([header, *rows]))
    one = afere("calibrate", "rows.csv", "--json").json["threshold"]
    two = afere("calibrate", "mixed.csv", "--json").json["threshold"]
    assert one["unit"] == "group"
    assert one["chosen_on"]["groups"] + one["tested_on"]["groups"] == 400
    assert one == two


def test_rows_without_ids_are_split_free_of_their_order_too(afere: Afere) -> None:
    header, *rows = rated(1000).splitlines()
    rows = [row.partition(",")[2] for row in rows]
    header = header.partition(",")[2]
    afere.write("rows.csv", "\n".join([header, *rows]))
    afere.write("turned.csv", "\n".join([header, *reversed(rows)]))
    one = afere("calibrate", "rows.csv", "--json").json["threshold"]
    assert one == afere("calibrate", "turned.csv", "--json").json["threshold"]


def test_a_given_split_is_taken_and_one_that_parts_a_group_is_refused(afere: Afere) -> None:
    afere.write("rows.csv", rated(600, split=lambda number: "tune" if number < 200 else "test"))
    threshold = afere("calibrate", "rows.csv", "--json").json["threshold"]
    assert threshold["chosen_on"]["rows"] == 200
    assert threshold["tested_on"]["rows"] == 400
    lines = "correct,confidence,group,split\ntrue,0.9,a,tune\ntrue,0.9,a,test\nfalse,0.1,b,test\n"
    afere.write("bad.csv", lines)
    ended = afere("calibrate", "bad.csv")
    assert ended.code == 2
    assert "group 'a' is on both sides" in ended.err


def test_one_group_alone_cannot_be_split(afere: Afere) -> None:
    afere.write("rows.csv", "correct,confidence,group\n" + "true,0.9,a\n" * 6)
    ended = afere("calibrate", "rows.csv")
    assert ended.code == 2
    assert "all 6 rows are in one group, 'a'" in ended.err


def test_rows_without_a_group_count_as_one_each(afere: Afere) -> None:
    lines = "correct,confidence,group\ntrue,0.9,a\ntrue,0.9,\nfalse,0.9,\ntrue,0.8,a\n"
    afere.write("rows.csv", lines)
    found = afere("calibrate", "rows.csv", "--threshold", "0.5", "--json").json
    assert (found["groups"], found["without_group"]) == (3, 2)


def test_nothing_accepted_is_said(afere: Afere) -> None:
    afere.write("rows.csv", "correct,confidence\ntrue,0.9\nfalse,0.2\n")
    threshold = afere("calibrate", "rows.csv", "--threshold", "1", "--json").json["threshold"]
    assert (threshold["accepted"], threshold["coverage"], threshold["error_rate"]) == (0, 0, None)
    assert threshold["why"] == "nothing is accepted at 1.0"


def test_rows_without_a_confidence_are_out_of_every_measure(afere: Afere) -> None:
    afere.write("rows.csv", "correct,confidence\ntrue,0.9\nfalse,\nfalse,\n")
    found = afere("calibrate", "rows.csv", "--threshold", "0", "--json").json
    assert (found["n"], found["no_confidence"], found["accuracy"]) == (1, 2, 1)
    assert found["threshold"]["accepted"] == 1


@pytest.mark.parametrize(
    ("rows", "ece"),
    [
        ("false,1\n" * 5, 1.0),
        ("false,0\ntrue,0\nfalse,0\ntrue,0\n", 0.5),
        ("true,0.92\nfalse,1.0\n", 0.46),
        ("true,1\n" * 3, 0.0),
    ],
    ids=["all wrong at 1", "zeros", "an edge", "all right"],
)
def test_no_row_falls_out_of_the_bins_br_059(afere: Afere, rows: str, ece: float) -> None:
    afere.write("rows.csv", f"correct,confidence\n{rows}")
    for bins in ((), ("--bins", "10")):
        found = afere("calibrate", "rows.csv", *bins, "--threshold", "0.5", "--json").json
        assert found["ece"] == pytest.approx(ece, abs=1e-9)
        assert sum(each["n"] for each in found["bins"]) == found["n"]
    if ece == 1.0:
        assert found["log_loss"] == "inf"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--threshold", "1.5"), "threshold 1.5 is outside 0 to 1"),
        (("--threshold", "-0.1"), "outside 0 to 1"),
        (("--threshold", "nan"), "outside 0 to 1"),
        (("--max-error", "5"), "max_error is a fraction"),
        (("--max-error", "0"), "max_error is a fraction"),
        (("--confidence", "1"), "confidence is a fraction"),
        (("--edges", "0,0.5"), "end at 1"),
        (("--edges", "0,x,1"), "are no numbers"),
        (("--edges", "0,0.7,0.5,1"), "rise strictly"),
        (("--edges", "0,1", "--bins", "3"), "both say what the bins are"),
        (("--declared",), "--declared needs the threshold"),
        (("--looks", "0"), "looks is a whole number"),
        (("--column", "truth"), "is no pair"),
        (("--column", "gold=x"), "there is no field"),
        (("--column", "truth=x"), "there is no column `x`"),
        (("--confidence-from", "logprob"), "is for runs"),
        (("--made-with", "colour=red"), "--made-with takes"),
        (("--scale", "percent"), "is no percentage"),
        (("--freeze", "t.json"), "nothing to freeze"),
        (("--recalibrate", "platt", "--threshold", "0.5"), "chooses its own threshold"),
        (("--recalibrate", "platt", "--procedure", "no-reserved"), "no-reserved has none"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_what_cannot_be_asked_is_exit_2(
    afere: Afere, arguments: tuple[str, ...], said: str
) -> None:
    afere.write("rows.csv", "prediction,truth,confidence\na,a,0.9\na,b,0.4\n")
    ended = afere("calibrate", "rows.csv", *arguments)
    assert ended.code == 2
    assert said in ended.err
    assert len(ended.err.splitlines()) <= 3


def test_a_refused_cell_names_file_row_field_and_mend(afere: Afere) -> None:
    afere.write("rows.csv", "prediction,truth,confidence\na,a,0.9\na,b,87\n")
    ended = afere("calibrate", "rows.csv")
    assert ended.code == 2
    assert "rows.csv:3: confidence: confidence 87 is outside 0 to 1" in ended.err.replace('"', "")
    assert "--scale percent" in ended.err


@pytest.mark.parametrize("method", ["temperature", "platt", "isotonic", "venn-abers"])
def test_a_map_is_fitted_frozen_and_applied(afere: Afere, method: str) -> None:
    afere.write("rows.csv", rated(1000))
    afere.write("new.csv", "id,confidence\nx,0.99\ny,0.55\nz,\n")
    ended = afere(
        "calibrate", "rows.csv", "--recalibrate", method, "--freeze", "t.json",
        "--made-with", "model=small", "--made-with", "weights=q4", "--json",
    )  # fmt: skip
    found = ended.json
    assert ended.code == 0
    effect = found["recalibration"]
    assert effect["method"] == method
    assert effect["ece_after"] < effect["ece_before"]
    assert found["threshold"]["certified"] is True
    applied = afere("calibrate", "apply", "t.json", "new.csv", "--json").json
    assert applied["certified"] is True
    assert applied["no_confidence"] == 1
    rows = {row["id"]: row for row in applied["answers"]}
    assert rows["x"]["accepted"] is True
    assert rows["y"]["accepted"] is False
    assert rows["z"] == {"id": "z", "confidence": None, "calibrated": None, "accepted": False}
    assert rows["x"]["calibrated"] > rows["y"]["calibrated"]


def test_a_map_is_refused_where_its_provenance_differs(afere: Afere) -> None:
    afere.write("rows.csv", rated(1000))
    afere.write("new.csv", "id,confidence\nx,0.99\ny,0.55\n")
    afere("calibrate", "rows.csv", "--freeze", "t.json", "--made-with", "weights=q8")
    ended = afere("calibrate", "apply", "t.json", "new.csv", "--made-with", "weights=q4")
    assert ended.code == 2
    assert "weights q8, now q4" in ended.err
    assert "--accept-change" in ended.err
    taken = afere(
        "calibrate", "apply", "t.json", "new.csv", "--made-with", "weights=q4",
        "--accept-change", "-o", "out.csv", "--json",
    )  # fmt: skip
    assert taken.code == 0
    assert taken.json["certified"] is False
    assert taken.json["path"] == "out.csv"
    lines = (afere.folder / "out.csv").read_text("utf-8").splitlines()
    assert lines[0] == "id,confidence,calibrated,accepted"
    assert lines[1] == "x,0.99,0.99,true"


def test_a_plan_says_how_many_cases_to_collect(afere: Afere) -> None:
    found = afere("calibrate", "plan", "--true-error", "0.01", "--coverage", "0.5", "--json").json
    assert (found["accepted"], found["cases"], found["power"]) == (124, 248, 0.8)
    assert found["with_tuning"] == 496
    assert found["assumptions"]["true_error"] == 0.01
    for power, cases in (("0.8", 773), ("0.9", 913)):
        planned = afere(
            "calibrate", "plan", "--max-error", "0.01", "--true-error", "0.002", "--power", power,
            "--coverage", "1", "--json",
        )  # fmt: skip
        assert planned.json["accepted"] == cases
    hopeless = afere("calibrate", "plan", "--true-error", "0.06")
    assert hopeless.code == 0
    assert "No number of cases is enough" in hopeless.out
    assert afere("calibrate", "plan", "--coverage", "0").code == 2


def languages() -> Iterator[tuple[str, str]]:
    yield "pt-BR", "Aja sozinho a partir de"
    yield "zh-CN", "从"


@pytest.mark.parametrize(("language", "said"), list(languages()))
def test_the_report_speaks_the_users_language(afere: Afere, language: str, said: str) -> None:
    afere.write("rows.csv", rated(1000, category=lambda number: f"k{number % 3}"))
    ended = afere("calibrate", "rows.csv", "--lang", language)
    assert ended.code == 0
    assert said in ended.out
    assert "Procedure" not in ended.out


def test_plots_are_png_and_svg(afere: Afere) -> None:
    pytest.importorskip("matplotlib")
    afere.write("rows.csv", rated(300))
    ended = afere("calibrate", "rows.csv", "--plots", "plots")
    assert ended.code == 0
    names = sorted(path.name for path in (afere.folder / "plots").iterdir())
    assert names == [
        "rows-reliability.png",
        "rows-reliability.svg",
        "rows-risk-coverage.png",
        "rows-risk-coverage.svg",
    ]
    assert (afere.folder / "plots" / names[0]).read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (afere.folder / "plots" / names[1]).read_bytes()
