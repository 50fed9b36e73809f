"""Answers of real small models, judged by hand: the graders agree with every judgement."""

from pathlib import Path

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
