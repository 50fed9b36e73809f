"""Suites whose answers run: asked, executed, resumed and graded again by the real program."""

import asyncio
import gzip
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from command import Afere
from servers import ChatServer

import afere as library
from afere.app import api
from afere.app.executing import graders_for
from afere.app.models import ModelOptions
from afere.app.run_options import RunOptions
from afere.domain import NoSandboxError, Response, Sandbox
from afere.store import open_store

SUITE = """\
suite: code
params: {seed: 10, temperature: 0.5, max_tokens: 100}
items:
  - id: dedupe
    input: "dedupe?"
    expect:
      python:
        entry: dedupe
        tests: |
          from solution import dedupe
          def test_order():
              words = ["pear", "fig", "plum", "fig", "kiwi", "pear", "lime", "date"]
              assert dedupe(words) == ["pear", "fig", "plum", "kiwi", "lime", "date"]
  - id: double
    input: "double?"
    expect: {python: {entry: double, cases: [[[2], 4], [[-1.5], -3.0]]}}
  - id: count
    input: "count?"
    expect:
      shell:
        files: {log.txt: "ok\\nfailed\\nok\\nfailed\\nfailed\\n"}
        stdout: "3"
  - id: rows
    input: "rows?"
    expect:
      sql:
        setup: "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, 'y'), (2, 'z')"
        query: SELECT b FROM t WHERE a = 2
"""
RIGHT = {
    "dedupe": "```python\ndef dedupe(xs):\n    return list(dict.fromkeys(xs))\n```",
    "double": "def double(x):\n    return 2 * x",
    "count": "`grep -c failed log.txt`",
    "rows": "```sql\nSELECT b FROM t WHERE a > 1;\n```",
}
WRONG = {
    "dedupe": "```python\ndef dedupe(xs):\n    return list(set(xs))\n```",
    "double": "```python\nimport os\nos._exit(0)\n```",
}


def answers(body: Mapping[str, Any]) -> str:
    """Give right answers, but for dedupe in the last of three rounds and double in all."""
    item = body["messages"][-1]["content"].rstrip("?")
    if (item == "dedupe" and body["seed"] == 12) or item == "double":
        return WRONG[item]
    return RIGHT[item]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(answers) as running:
        yield running


@pytest.fixture
def project(afere: Afere, server: ChatServer) -> Afere:
    """A folder with a suite of code and a model whose answers are known."""
    afere.write("code.yaml", SUITE)
    provider = f"providers: {{here: {{base_url: '{server.base_url}'}}}}\n"
    afere.write("models.yaml", f"{provider}models: {{coder: {{provider: here}}}}\n")
    return afere


def test_answers_that_are_code_are_judged_by_what_they_do(project: Afere) -> None:
    ended = project("run", "code.yaml", "-m", "coder", "--json")
    assert ended.code == 0, ended
    (run,) = ended.json["runs"]
    assert run["outcomes"] == {"right": 8, "wrong": 4}
    assert run["score"] == pytest.approx((2 / 3 + 0 + 1 + 1) / 4)
    assert {each["item"]: each["right"] for each in run["items_table"]} == {
        "dedupe": 2,
        "double": 0,
        "count": 3,
        "rows": 3,
    }
    assert all(each["seconds_executing"] > 0 for each in run["items_table"])
    assert run["executed"]["answers"] == 12
    assert run["executed"]["failures"] == {"crash": 3, "assertion": 1}
    assert run["executed"]["weak"] == 0


def test_pass_at_k_and_all_of_k_stand_beside_the_score_with_their_rounds(project: Afere) -> None:
    (run,) = project("run", "code.yaml", "-m", "coder", "--json").json["runs"]
    assert run["pass_at"]["1"]["score"] == run["score"]
    assert run["pass_at"]["1"]["interval"] == run["interval"]
    assert run["pass_at"]["3"]["score"] == 0.75
    assert run["all_of"]["3"]["score"] == 0.5
    told = project("show", "latest").out
    assert "pass@3 of 3 rounds" in told
    assert "all 3 right, of 3 rounds" in told


def test_results_of_executed_answers_end_with_a_reminder_in_each_language(project: Afere) -> None:
    said = {"en": "review such code", "pt-BR": "revise esse código", "zh-CN": "人工审查"}
    for language, part in said.items():
        told = project("run", "code.yaml", "-m", "coder", "--lang", language).out
        assert part in " ".join(told.split("\n")[-4:])


def test_an_answer_is_shown_with_why_it_failed_and_what_it_printed(project: Afere) -> None:
    project("run", "code.yaml", "-m", "coder", "--rounds", "1")
    told = project("show", "latest", "--item", "double").out
    assert "crash" in told
    rows = project("show", "latest", "--json").json["rows"]
    row = next(each for each in rows if each["item"] == "double")
    assert (row["outcome"], row["failure"], row["integrity"]) == ("wrong", "crash", "strong")
    assert row["sandbox"]
    assert row["rule"] == "fence"


def test_a_killed_run_of_code_goes_on_and_comes_to_the_same(
    project: Afere, server: ChatServer
) -> None:
    server.delay = 0.05
    running = project.start("run", "code.yaml", "-m", "coder", "--concurrency", "2")
    while server.count < 5:
        time.sleep(0.005)
    running.kill()
    running.communicate(timeout=60)
    ended = project("run", "code.yaml", "-m", "coder", "--json")
    assert ended.code == 0, ended
    assert ended.json["runs"][0]["outcomes"] == {"right": 8, "wrong": 4}
    assert 12 <= server.count <= 14


def test_regrading_executes_again_and_asks_nothing(project: Afere, server: ChatServer) -> None:
    project("run", "code.yaml", "-m", "coder")
    ended = project("regrade", "latest", "--json")
    assert ended.json["changed"] == []
    stricter = SUITE.replace('stdout: "3"', 'stdout: "4"')
    project.write("stricter.yaml", stricter)
    ended = project("regrade", "latest", "--suite", "stricter.yaml", "--json")
    assert {each["item"] for each in ended.json["changed"]} == {"count"}
    assert ended.json["score_after"] < ended.json["score_before"]
    assert server.count == 12


def test_a_comparison_of_code_tells_pass_at_k_and_what_nobody_judged(project: Afere) -> None:
    project("run", "code.yaml", "-m", "coder", "--series", "a")
    project("run", "code.yaml", "-m", "coder", "--series", "b")
    told = project("compare", "coder@a", "coder@b").out
    assert "pass@3" in told
    assert "review such code" in told
    side = project("compare", "coder@a", "coder@b", "--json").json["candidate"]
    assert side["pass_at"]["3"]["score"] == 0.75


def test_a_declared_number_of_tries_is_kept_or_refused_but_never_replaced(
    project: Afere, server: ChatServer
) -> None:
    """BR-058: fewer rounds on the command line silently replaced the declared reducer."""
    project.write("code.yaml", "pass_at: 2\n" + SUITE)
    run = project("run", "code.yaml", "-m", "coder", "--json").json["runs"][0]
    assert set(run["pass_at"]) == {"1", "2", "3"}
    assert run["pass_at"]["2"]["score"] == pytest.approx((1 + 0 + 1 + 1) / 4)
    assert run["all_of"]["2"]["score"] == pytest.approx((1 / 3 + 0 + 1 + 1) / 4)
    asked = server.count
    project.write("code.yaml", "pass_at: 5\n" + SUITE)
    ended = project("run", "code.yaml", "-m", "coder", "--rounds", "3")
    assert ended.code == 2
    assert "--rounds 5" in ended.err
    assert server.count == asked


def test_answers_made_elsewhere_are_executed(project: Afere) -> None:
    lines = [{"item": item, "content": reply} for item, reply in RIGHT.items()]
    project.write("answers.jsonl", "\n".join(map(json.dumps, lines)))
    ended = project("grade", "code.yaml", "answers.jsonl", "--json")
    assert ended.code == 0, ended
    assert ended.json["score"] == 1.0
    assert all(
        (each["failure"], each["integrity"]) == (None, "strong") for each in ended.json["answers"]
    )
    assert "review such code" in project("grade", "code.yaml", "answers.jsonl").out


def test_a_reference_query_that_fails_stops_the_run_before_any_call(
    project: Afere, server: ChatServer
) -> None:
    project.write("code.yaml", SUITE.replace("SELECT b FROM t", "SELECT c FROM t"))
    ended = project("run", "code.yaml", "-m", "coder")
    assert ended.code == 2
    assert "items.rows.expect.sql.query" in ended.err
    assert server.count == 0
    assert project("check", "code.yaml").code == 2


def test_a_wrong_solution_of_the_suite_is_found_by_check(project: Afere) -> None:
    solution = "solution: 'def double(x): return x'"
    project.write("code.yaml", SUITE.replace("entry: double,", f"entry: double, {solution},"))
    problems = project("check", "code.yaml", "--json").json["problems"]
    assert ("double", "key_rejected") in {(each["item"], each["code"]) for each in problems}


def test_results_without_isolation_are_asked_for_in_full_and_marked(project: Afere) -> None:
    ended = project("run", "code.yaml", "-m", "coder", "--unsafe-no-sandbox", "--json")
    (run,) = ended.json["runs"]
    assert run["executed"]["sandbox"] == {"none": 12}
    assert any("--unsafe-no-sandbox" in each for each in run["warnings"])


def test_files_of_others_stand_where_a_suite_does(project: Afere) -> None:
    task = {
        "task_id": "Own/0",
        "prompt": 'def double(x):\n    """Twice x."""\n',
        "entry_point": "double",
        "canonical_solution": "    return 2 * x\n",
        "test": "def check(candidate):\n    assert candidate(3) == 6\n",
    }
    packed = project.folder / "own.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(task).encode()))
    line = {"item": "Own/0", "content": "    return x + x"}
    project.write("answers.jsonl", json.dumps(line))
    ended = project("grade", f"humaneval:{packed.name}", "answers.jsonl", "--json")
    assert ended.json["answers"][0]["rule"] == "continuation"
    assert ended.json["score"] == 1.0
    assert project("check", f"humaneval:{packed.name}").code == 0


async def none_here(*, unsafe: bool) -> Sandbox:
    raise NoSandboxError("No sandbox works on this machine.\nOn Windows: use WSL2")


def test_without_a_sandbox_nothing_is_asked(project: Afere, server: ChatServer) -> None:
    suite = library.load_suite(project.folder / "code.yaml")
    models = api.find_models(["coder"], ModelOptions(base_url=server.base_url), {})

    async def run() -> None:
        store = await open_store(str(project.folder / "s.db"), clock=time.time)
        options = RunOptions(rounds=1)
        try:
            await api.run_all(
                suite, models, options, store=store, cache=project.folder, opening=none_here
            )
        finally:
            await store.close()

    with pytest.raises(NoSandboxError, match="WSL2"):
        asyncio.run(run())
    assert server.count == 0


def test_without_a_sandbox_an_endless_expression_is_wrong_and_marked(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    key = "{regex: {matches: ['" + "word " * 12 + "!']}}"
    path.write_text(f"suite: s\nitems: [{{id: a, input: '?', expect: {key}}}]", "utf-8")
    suite = library.load_suite(path)

    async def graded() -> Any:
        async with graders_for(suite.items, opening=none_here) as graders:
            reply = Response(content=r"`^(\w+\s?)*\1$`", finish_reason="stop")
            return await graders["regex"].grade(suite.items[0], reply, suite.reading)

    grade = asyncio.run(graded())
    assert (grade.outcome, grade.flags) == ("wrong", ("not-executed",))


def test_the_library_grades_one_answer_that_is_code() -> None:
    item = library.load_suite("code-3").item("dedupe")
    grade = library.grade(item, RIGHT["dedupe"])
    assert (grade.outcome, grade.integrity, grade.failure) == ("right", "strong", None)
    assert library.grade(item, WRONG["dedupe"]).failure == "assertion"
