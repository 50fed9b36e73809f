"""Numbers made elsewhere, and runs that were exported, compared by the real program."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from command import Afere
from servers import ChatServer, by_prompt, faults
from twenty import SUITE, models_yaml

import afere

BOTH = ("run", "suite.yaml", "-m", "good", "-m", "fair")
KINDS = ("csv", "jsonl", "parquet")
COLUMNS = (
    "suite,series,started,base_url,served_model,expect_hash,item,category,group,model,run,round,"
    "variant,outcome,score,read,rule,grader,finish_reason,tokens_input,tokens_output,latency,cost,"
    "content,input_hash,average"
)
VERDICT = (
    "suite",
    "paired",
    "difference",
    "interval",
    "level",
    "method",
    "p_value",
    "p_exact",
    "margin",
    "verdict",
    "within_margin",
    "why",
    "needed",
    "noise_floor",
    "average",
    "unmatched",
    "bounds",
    "groups",
    "only_baseline_items",
    "only_candidate_items",
)
NUMBERS = ("model", "score", "interval", "rounds", "per_round", "round_sd", "status", "bounds")


def verdict(found: dict[str, Any]) -> dict[str, Any]:
    sides = {side: [found[side][name] for name in NUMBERS] for side in ("baseline", "candidate")}
    return {name: found[name] for name in VERDICT} | sides


def exported(project: Afere, kind: str, *names: str) -> list[str]:
    for name in names:
        ended = project("export", name, "-o", f"{name}.{kind}")
        assert ended.code == 0, ended
    return [f"{name}.{kind}" for name in names]


def in_python(project: Afere, files: list[str], average: str | None = None) -> dict[str, Any]:
    first, second = (project.folder / name for name in files)
    return afere.compare(first, second, average=average).to_dict()


def cells(project: Afere, name: str) -> list[dict[str, str]]:
    with (project.folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_two_tables_give_a_verdict_without_a_store(afere: Afere) -> None:
    afere.write("base.csv", "item,score\n" + "".join(f"p{n},1\n" for n in range(20)))
    afere.write("cand.csv", "item,score\n" + "".join(f"p{n},{n % 2}\n" for n in range(20)))
    ended = afere("compare", "base.csv", "cand.csv", "--gate", "not-worse")
    assert ended.code == 1, ended
    assert ended.out.startswith("worse: cand answers 50.0 points fewer")
    assert ended.err.splitlines() == [
        "note: base.csv: cells are separated by comma",
        "note: cand.csv: cells are separated by comma",
    ]
    assert [path.name for path in sorted(afere.folder.iterdir())] == ["base.csv", "cand.csv"]
    found = afere("compare", "base.csv", "cand.csv", "--json", "--quiet")
    assert found.err == ""
    assert found.json["paired"]["only_baseline"] == 10
    assert found.json["difference"] == -0.5


@pytest.mark.parametrize("rounds", ["1", "3"])
def test_an_exported_run_gives_the_verdict_of_the_run(project: Afere, rounds: str) -> None:
    project(*BOTH, "--rounds", rounds)
    stored = verdict(project("compare", "good", "fair", "--json").json)
    assert stored["verdict"] == "worse"
    for kind in KINDS:
        files = exported(project, kind, "good", "fair")
        assert verdict(in_python(project, files)) == stored
    assert verdict(project("compare", *files, "--json").json) == stored
    assert verdict(project("compare", "good", files[1], "--json").json) == stored
    assert verdict(project("compare", files[0], "fair", "--json").json) == stored


def test_lost_rows_stay_lost_in_an_exported_run(project: Afere, server: ChatServer) -> None:
    project.write("models.yaml", models_yaml(server.base_url, retries=0))
    project("run", "suite.yaml", "-m", "good", "--rounds", "2")
    server.plan = by_prompt({str(number): faults.status(503) for number in (14, 15, 16, 19)})
    assert project("run", "suite.yaml", "-m", "fair", "--rounds", "2").code == 3
    stored = project("compare", "good", "fair", "--json")
    assert stored.code == 3
    assert stored.json["paired"]["excluded"] == 4
    for kind in KINDS:
        files = exported(project, kind, "good", "fair")
        assert verdict(in_python(project, files)) == verdict(stored.json)
    assert project("compare", *files).code == 3


def test_rows_never_asked_are_in_an_exported_run(project: Afere, server: ChatServer) -> None:
    project.write("models.yaml", models_yaml(server.base_url, retries=0))
    project("run", "suite.yaml", "-m", "good", "--rounds", "2")
    project("run", "suite.yaml", "-m", "fair", "--rounds", "2", "--max-calls", "13")
    files = exported(project, "csv", "good")
    run = next(run for run in project("runs", "--json").json["runs"] if run["model"] == "fair")[
        "run"
    ]
    ended = project("export", run, "--json")
    assert ended.json == {"path": f"{run}.csv", "rows": 40, "escaped": 0}
    rows = cells(project, f"{run}.csv")
    assert sum(row["outcome"] == "not_asked" for row in rows) == 27
    assert {row["score"] for row in rows if row["outcome"] == "not_asked"} == {""}
    stored = project("compare", "good", run, "--json").json
    assert verdict(project("compare", *files, f"{run}.csv", "--json").json) == verdict(stored)


def test_a_macro_average_over_categories_and_groups_is_that_of_the_run(project: Afere) -> None:
    lines = SUITE.replace("items:", "average: macro\nitems:", 1).splitlines()
    grouped = [
        line.replace("category:", f"group: g{number // 2}, category:")
        for number, line in enumerate(lines)
    ]
    project.write("suite.yaml", "\n".join(grouped))
    project(*BOTH, "--rounds", "2")
    stored = project("compare", "good", "fair", "--json").json
    assert stored["average"] == "macro"
    assert stored["groups"] >= 8
    for kind in KINDS:
        files = exported(project, kind, "good", "fair")
        assert verdict(in_python(project, files)) == verdict(stored)
    micro = project("compare", "good", "fair", "--average", "micro", "--json").json
    assert verdict(in_python(project, files, average="micro")) == verdict(micro)


def test_rotated_options_are_variants_in_an_exported_run(
    project: Afere, server: ChatServer
) -> None:
    items = "\n".join(
        f'  - {{id: c{n}, input: "Item {n} : which?", options: {{A: one, B: two, C: three}}, '
        "expect: {choice: B}}"
        for n in range(12)
    )
    project.write("suite.yaml", f"suite: choices\nparams: {{temperature: 0.5}}\nitems:\n{items}\n")
    asked: dict[tuple[str, str], int] = {}

    def pick(body: dict[str, Any]) -> str:
        number = int(body["messages"][-1]["content"].split()[1])
        seen = asked[key] = asked.get(key := (body["model"], str(number)), 0) + 1
        return "ABC"[(number + seen) % 3] if body["model"] == "fair" else "B"

    server.answers = pick  # type: ignore[assignment]
    ended = project(*BOTH, "--rounds", "2", "--rotate")
    assert ended.code == 0, ended
    files = exported(project, "jsonl", "good", "fair")
    stored = verdict(project("compare", "good", "fair", "--json").json)
    assert stored["noise_floor"]["difference"] is not None
    assert verdict(project("compare", *files, "--json").json) == stored


def test_a_changed_key_is_seen_in_exported_runs(project: Afere) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    text = (project.folder / "suite.yaml").read_text("utf-8")
    text = text.replace("number: 10}", "number: 11}").replace("what is 6 + 6?", "what is 6 plus 6?")
    project.write("suite.yaml", text)
    project("run", "suite.yaml", "-m", "fair", "--rounds", "1")
    files = exported(project, "csv", "good", "fair")
    stored = project("compare", "good", "fair", "--json").json
    assert stored["unmatched"]["different_key"] == ["i5"]
    assert stored["unmatched"]["different_input"] == ["i6"]
    found = project("compare", *files, "--json").json
    for name in ("unmatched", "paired", "difference", "interval", "verdict", "p_value", "why"):
        assert found[name] == stored[name]


def test_the_columns_of_an_exported_run_are_those_of_the_documentation(project: Afere) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    (name,) = exported(project, "csv", "good")
    header = (project.folder / name).read_text("utf-8").splitlines()[0]
    assert header == COLUMNS
    row = cells(project, name)[17]
    assert (row["item"], row["category"], row["round"], row["variant"]) == ("i17", "high", "1", "0")
    assert (row["outcome"], row["score"], row["read"]) == ("wrong", "0.0", "35")
    assert (row["content"], row["model"], row["average"]) == ("35", "good", "micro")
    assert row["started"].endswith("Z")
    exported(project, "jsonl", "good")
    lines = (project.folder / "good.jsonl").read_text("utf-8").splitlines()
    assert list(json.loads(lines[0])) == COLUMNS.split(",")
    assert json.loads(lines[17])["score"] == 0.0


def test_an_export_to_standard_output_is_the_file(project: Afere) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    ended = project("export", "latest", "--format", "jsonl", "-o", "-")
    assert ended.code == 0
    assert [json.loads(line)["item"] for line in ended.out.splitlines()][:2] == ["i0", "i1"]
    assert ended.err.strip() == "-: 20 rows"
    assert project("export", "latest", "-o", "-", "--json").code == 2
    missing = project("export", "latest", "-o", "nowhere/a.csv")
    assert missing.code == 2
    assert "nowhere/a.csv cannot be written" in missing.err


def test_what_a_model_wrote_is_no_formula_and_no_broken_file(
    project: Afere, server: ChatServer
) -> None:
    said = ['=HYPERLINK("http://x","y")', "-5", "-1+1", "@SUM(1)", "\ta", "'=x", "a\ud800b", "a\0b"]
    server.answers = lambda body: said[int(body["messages"][-1]["content"].split()[1]) % 8]
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    ended = project("export", "good", "-o", "good.csv", "--json")
    assert ended.json == {"path": "good.csv", "rows": 20, "escaped": 2}
    assert "lone surrogate" in ended.err
    contents = [row["content"] for row in cells(project, "good.csv")][:8]
    assert contents == [
        '\'=HYPERLINK("http://x","y")',
        "-5",
        "'-1+1",
        "'@SUM(1)",
        "'\ta",
        "''=x",
        "a\\ud800b",
        "a\0b",
    ]
    exported(project, "jsonl", "good")
    lines = (project.folder / "good.jsonl").read_bytes().decode("utf-8").splitlines()
    assert [json.loads(line)["content"] for line in lines][:8] == said


def test_an_id_that_looks_like_a_formula_comes_back_as_it_was(project: Afere) -> None:
    text = (project.folder / "suite.yaml").read_text("utf-8")
    project.write(
        "suite.yaml", text.replace("id: i5,", 'id: "=i5",').replace("id: i6,", 'id: "\'i6",')
    )
    project(*BOTH, "--rounds", "1")
    (name,) = exported(project, "csv", "fair")
    assert {"'=i5", "''i6"} <= {row["item"] for row in cells(project, name)}
    found = project("compare", "good", name, "--json").json
    assert found["paired"]["items"] == 20


def test_a_file_of_several_models_needs_a_name(afere: Afere) -> None:
    rows = "".join(
        f"p{n},{model},{score}\n" for n in range(20) for model, score in (("a", 1), ("b", 0))
    )
    afere.write("both.csv", f"item,model,score\n{rows}")
    ended = afere("compare", "both.csv::a", "both.csv::b", "--json")
    assert ended.json["verdict"] == "worse"
    assert [ended.json[side]["model"] for side in ("baseline", "candidate")] == ["a", "b"]
    for sides, said in (
        (("both.csv", "both.csv::b"), 'holds 2 models: "a", "b"'),
        (("both.csv::a", "both.csv::c"), 'has no model "c"'),
        (("both.csv::a", "both.csv::a"), "Both sides are the same file."),
        (("both.csv::a", "none.csv"), "no file none.csv"),
    ):
        wrong = afere("compare", *sides)
        assert wrong.code == 2, wrong
        assert said in wrong.err
        assert len(wrong.err.splitlines()) <= 3


def test_a_wrong_cell_is_told_with_its_place(afere: Afere) -> None:
    afere.write("a.csv", "item,score\np01,1\n")
    afere.write("b.csv", "item,score\np01,1\np02,nan\n")
    ended = afere("compare", "a.csv", "b.csv")
    assert (ended.code, ended.err.splitlines()) == (
        2,
        [
            'afere: b.csv:3: score: "nan" is no finite number',
            "leave the cell empty where the answer is lost",
        ],
    )


def test_tables_without_a_common_item_are_refused(afere: Afere) -> None:
    afere.write("a.csv", "item,score\np01,1\n")
    afere.write("b.csv", "item,score\nq01,1\n")
    ended = afere("compare", "a.csv", "b.csv")
    assert ended.code == 2
    assert "no id in common" in ended.err


def test_rounds_in_words_are_compared_with_their_warning(afere: Afere) -> None:
    def words(right: int) -> str:
        items = {f"p{n}": "ok" if n < right else "errou" for n in range(20)}
        return json.dumps(
            {"modelo": f"m{right}", "base": "x", "rodadas": [{"disciplina": items}] * 2}
        )

    afere.write("a.json", words(18))
    afere.write("b.json", words(6))
    found = afere("compare", "a.json", "b.json", "--json").json
    assert found["verdict"] == "worse"
    assert found["baseline"]["model"] == "m18"
    assert [warning for warning in found["warnings"] if "substring" in warning]


def test_a_file_goes_before_a_run_of_its_name(project: Afere) -> None:
    project(*BOTH, "--rounds", "1")
    project.write("good.csv", "item,score\n" + "".join(f"i{n},0\n" for n in range(20)))
    found = project("compare", "good.csv", "fair", "--json").json
    assert found["difference"] == pytest.approx(0.7)
    assert found["candidate"]["outcomes"] == {"right": 14, "wrong": 6}


def test_the_library_compares_files_and_arrays(tmp_path: Path) -> None:
    base, cand = tmp_path / "base.csv", tmp_path / "cand.csv"
    base.write_text("item,score\n" + "".join(f"p{n},1\n" for n in range(20)), "utf-8")
    cand.write_text("item,score\n" + "".join(f"p{n},{n % 2}\n" for n in range(20)), "utf-8")
    found = afere.compare(base, cand, margin=0.1)
    assert found.verdict is afere.VerdictKind.WORSE
    assert afere.compare(str(base), str(cand), margin=0.1) == found
    arrays = afere.compare_scores([1.0] * 20, [float(n % 2) for n in range(20)], margin=0.1)
    assert (arrays.difference, arrays.interval) == (found.difference, found.interval)
    assert afere.stats.wilson(9, 10, 0.95).lower == pytest.approx(0.5958, abs=1e-4)


def test_a_packed_file_is_told_from_a_name_that_the_store_lacks(afere: Afere) -> None:
    afere.write("a.csv", "item,score\nq1,1\nq2,0\n")
    afere.write("b.csv.gz", "packed")
    ended = afere("compare", "a.csv", "b.csv.gz")
    assert ended.code == 2
    assert "b.csv.gz is a file, and no result file" in ended.err
    assert "Give it unpacked" in ended.err
