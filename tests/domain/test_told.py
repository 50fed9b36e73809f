"""Results at a prompt and in a notebook: readable, and harmless whatever they hold."""

import random
from html import unescape

import afere
from afere.domain import Grade, Outcome, Run, RunPlan, Suite, Told

HOSTILE = "<script>alert(1)</script>\x1b[2J\n\u202eevil"


def scores(share: float, seed: int) -> list[list[float]]:
    draws = random.Random(seed)  # noqa: S311 - no secret
    return [[float(draws.random() < share) for _ in range(3)] for _ in range(100)]


def test_a_comparison_is_printed_with_its_verdict_first() -> None:
    first, second = scores(0.9, 1), scores(0.6, 2)
    comparison = afere.compare_scores(first, second)
    lines = str(comparison).splitlines()
    assert lines[0].startswith("worse: candidate answers ")
    assert "points fewer of these items than baseline (95 % interval" in lines[0]
    assert [line.split()[0] for line in lines[1:]] == [
        "baseline",
        "candidate",
        "difference",
        "items",
        "noise",
    ]
    assert comparison.to_dict()["verdict"] == "worse"


def test_an_undecided_comparison_says_what_would_decide_it() -> None:
    comparison = afere.compare_scores([1] * 4 + [0] * 2 + [1] * 67, [0] * 4 + [1] * 2 + [1] * 67)
    assert "  would decide  about 421 items (an even chance), 858 (80 % power)" in str(comparison)


def test_a_notebook_shows_no_markup_and_nothing_moves_a_cursor() -> None:
    comparison = afere.compare_scores([1, 0], [1, 1], names=(HOSTILE, "b & <b>"))
    page = comparison._repr_html_()
    assert page.startswith("<pre>")
    assert page.count("<") == 2
    assert unescape(page[5:-6]) == str(comparison)
    assert "\x1b" not in str(comparison)
    assert "\u202e" not in str(comparison)
    assert all(line.startswith("  ") for line in str(comparison).splitlines()[1:])


def test_a_run_is_named_and_not_spilt() -> None:
    plan = RunPlan(
        suite_name=HOSTILE,
        suite_hash="0",
        endpoint="e",
        base_url="u",
        name="m",
        model="m",
        params={},
        rounds=1,
        items=("a",),
    )
    run = Run(plan=plan, suite=Suite(name="s", items=()), rows=())
    text = str(run)
    assert text.startswith(f"run {run.id}: m on <script>")
    assert text.endswith("0 of 1 answers")
    assert "\n" not in text
    assert "&lt;script&gt;" in run._repr_html_()


def test_a_grade_has_a_plain_form_and_a_text() -> None:
    grade = Grade(outcome=Outcome.RIGHT, score=1.0, grader="number", grader_version="1")
    assert isinstance(grade, Told)
    assert grade.to_dict()["outcome"] == "right"
    assert "&#x27;number&#x27;" in grade._repr_html_()
