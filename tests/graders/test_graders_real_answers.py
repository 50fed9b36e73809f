"""Answers of real small models, judged by hand: the graders agree with every judgement."""

import re
from pathlib import Path
from typing import Any

import pytest
from grading_cases import make_item, read_lines

from afere.domain import Outcome, Reading, Response
from afere.graders import builtin, grade_offline


def test_every_answer_with_a_value_key_is_judged_as_by_hand(data: Path) -> None:
    items = {}
    for row in read_lines(data / "answers" / "twenty_questions.jsonl"):
        if isinstance(row["right_answer"], dict) and next(iter(row["right_answer"])) in builtin():
            items[row["item"]] = make_item(
                row["right_answer"], id=row["item"], input=row["question"]
            )
    reading = Reading(language="pt-BR")
    judged, disagreements = 0, []
    for row in read_lines(data / "answers" / "twenty_questions_answers.jsonl"):
        if row["item"] not in items:
            continue
        response = Response(content=row["content"], finish_reason=row["finish_reason"])
        grade = grade_offline(items[row["item"]], response, reading)
        judged += 1
        if (grade.outcome is Outcome.RIGHT) != row["right"]:
            disagreements.append((row["model"], row["item"], row["content"], grade))
    assert judged >= 176
    assert not disagreements


def choice_of(row: dict[str, Any], options: dict[str, str]) -> str | None:
    """Read which option a stored reply chose; a single token was asked for letters."""
    letters = "greedy_text" in row
    item = make_item({"choice": row["gold"]}, options=options, input=row["prompt"])
    response = Response(
        content=row["greedy_text"] if letters else row["text"],
        finish_reason="length" if letters else "stop",
    )
    language = "pt-BR" if row["lang"] == "pt" else row["lang"]
    return grade_offline(item, response, Reading(language=language)).read


@pytest.mark.parametrize("model", ["qwen2.5-coder-0.5b", "smollm2-135m"])
def test_letters_and_texts_of_thirty_choices_are_read(data: Path, model: str) -> None:
    options = {
        row["id"]: dict(re.findall(r"^([A-E])\) (.*)$", row["prompt"], re.MULTILINE))
        for row in read_lines(data / "answers" / f"mc30_{model}.jsonl")
    }
    for row in read_lines(data / "answers" / f"mc30_{model}.jsonl"):
        named = row["greedy_text"] if row["greedy_text"] in options[row["id"]] else None
        assert choice_of(row, options[row["id"]]) == named
    for row in read_lines(data / "answers" / f"mc30text_{model}.jsonl"):
        read = choice_of(row, options[row["id"]])
        assert read == row["text_exact"] or (read in row["text_contains"])
