"""Confidence from replies: log-probabilities of labels, what is stated, how rounds agree."""

import json
from collections.abc import Mapping, Sequence
from math import exp, isnan, log

import pytest

from afere import analysis
from afere.domain import (
    Expect,
    Grade,
    Item,
    Outcome,
    Response,
    Row,
    Run,
    RunPlan,
    Suite,
    UsageError,
)

Tokens = Sequence[tuple[str, Mapping[str, float]]]


def body(tokens: Tokens) -> str:
    content = [
        {
            "token": text,
            "logprob": log(listed[text]) if listed.get(text) else -9999.0,
            "top_logprobs": [
                {"token": name, "logprob": log(share) if share else -9999.0}
                for name, share in listed.items()
            ],
        }
        for text, listed in tokens
    ]
    return json.dumps({"choices": [{"message": {}, "logprobs": {"content": content}}]})


def test_ways_to_write_a_label_are_summed_and_made_to_sum_to_one() -> None:
    reply = body([(" B", {" B": 0.5, "B": 0.1, "b": 0.1, "A": 0.1, " C": 0.05, "Th": 0.15})])
    found = analysis.label_confidence(reply, "ABC", "B")
    assert found is not None
    assert found.mass == pytest.approx(0.85)
    assert found.confidence == pytest.approx(0.7 / 0.85)
    assert (found.unlisted, found.likeliest) == ((), "B")


def test_a_label_that_is_not_listed_is_bounded_never_zero() -> None:
    reply = body([("A", {"A": 0.6, "B": 0.3})])
    found = analysis.label_confidence(reply, "ABCD", "A")
    assert found is not None
    assert found.unlisted == ("C", "D")
    assert found.bound == pytest.approx(0.1)
    assert found.confidence == pytest.approx(0.6 / (0.9 + 0.1))
    assert found.mass == pytest.approx(0.9)


def test_the_emitted_token_alone_is_no_certainty() -> None:
    reply = json.dumps(
        {"choices": [{"logprobs": {"content": [{"token": "A", "logprob": log(0.4)}]}}]}
    )
    found = analysis.label_confidence(reply, "AB", "A")
    assert found is not None
    assert found.confidence == pytest.approx(0.4 / 0.8)


def test_a_cyrillic_letter_is_another_label() -> None:
    reply = body([("A", {"A": 0.5, "\u0410": 0.3, "B": 0.2})])
    found = analysis.label_confidence(reply, "AB", "A")
    assert found is not None
    assert found.confidence == pytest.approx(0.5 / 0.7)


def test_the_answer_is_found_after_reasoning() -> None:
    sure = {"A": 0.9, "B": 0.1}
    torn = {"B": 0.6, "A": 0.4}
    tokens = [("<think>", {}), ("A", sure), ("</think>", {}), ("\n", {}), ("B", torn)]
    found = analysis.label_confidence(body(tokens), "AB", "B", "whole")
    assert found is not None
    assert found.confidence == pytest.approx(0.6)


@pytest.mark.parametrize(("rule", "expected"), [("first-line", 0.9), ("marker", 0.6)])
def test_the_rule_tells_which_mention_decided(rule: str, expected: float) -> None:
    tokens = [
        ("B", {"B": 0.9, "A": 0.1}),
        (", because", {}),
        (" B", {" B": 0.6, " A": 0.4}),
    ]
    found = analysis.label_confidence(body(tokens), "AB", "B", rule)
    assert found is not None
    assert found.confidence == pytest.approx(expected)


def test_a_label_of_several_tokens_is_judged_by_its_first() -> None:
    first = {" bill": 0.7, " ref": 0.2, " acc": 0.1}
    tokens = [("Answer:", {}), (" bill", first), ("ing", {"ing": 1.0})]
    found = analysis.label_confidence(
        body(tokens), ("billing", "refund", "account"), "billing", "marker"
    )
    assert found is not None
    assert found.confidence == pytest.approx(0.7)
    shared = body([(" ref", {" ref": 0.9, " bill": 0.1}), ("und", {"und": 1.0})])
    assert analysis.label_confidence(shared, ("refund", "refuse", "billing"), "refund") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "{}",
        '{"choices": []}',
        '{"choices": [{"logprobs": null}]}',
        '{"choices": [{"logprobs": {"content": []}}]}',
        '{"choices": [{"logprobs": {"content": [{"token": 3, "logprob": 0}]}}]}',
        '{"choices": [{"logprobs": {"content": [{"token": "A", "logprob": "x"}]}}]}',
        '{"choices": [{"logprobs": {"content": [{"token": "B", "logprob": 0}]}}]}',
        "[" * 100_000,
    ],
    ids=range(11),
)
def test_a_reply_that_does_not_tell_has_no_confidence(text: str) -> None:
    assert analysis.label_confidence(text, "A", "A") is None


def test_events_are_joined() -> None:
    whole = json.loads(body([("A", {"A": 0.8, "B": 0.2})]))
    text = f"data: {json.dumps(whole)}\n\ndata: [DONE]\n"
    found = analysis.label_confidence(text, "AB", "A")
    assert found is not None
    assert found.confidence == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("content", "percent", "expected"),
    [
        ("Resposta: B\nConfiança: 0,9", False, 0.9),
        ("Answer: B\nConfidence: 90%", False, 0.9),
        ("Answer: B\n**Confidence:** 90 %", False, 0.9),
        ("Answer: B\nConfidence: 90", True, 0.9),
        ("Answer: B\nConfidence: 90", False, None),
        ("Confidence: 0.5 at first.\nConfidence: 0.75", False, 0.75),
        ('{"answer": "B", "confidence": 0.8}', False, 0.8),
        ('```json\n{"answer": "B", "confidence": 80}\n```', True, 0.8),
        ('{"answer": "B", "confiança": "0,7"}', False, 0.7),
        ('{"confidence": true}', False, None),
        ("置信度：85%", False, 0.85),
        ("Confidence: 9/10", False, None),
        ("Confidence: 1/10", False, None),
        ("Confidence: 1.5", False, None),
        ("Confidence: -0.5", False, None),
        ("Confidence: high", False, None),
        ("<think>Confidence: 0.1</think>B, confidence is 0.6", False, 0.6),
        ("Confidence: 0.1</think>B, confidence is 0.6", False, 0.6),
        ("Confidence: 0.6\n<think>Confidence: 0.1</think>", False, 0.6),
        ("<think>Confidence: 0.1</think>", False, None),
        pytest.param("<think>" * 200_000 + "Confidence: 0.6", False, 0.6, id="many-thoughts"),
        ("I am confident: 42 apples", False, None),
        ("", False, None),
    ],
)
def test_a_stated_confidence_is_read_or_missing(
    content: str, *, percent: bool, expected: float | None
) -> None:
    assert analysis.stated_confidence(content, percent=percent) == expected


def item(name: str) -> Item:
    return Item(
        id=name,
        input="?",
        expect=Expect(kind="choice", key="A"),
        options={"A": "x", "B": "y"},
        category="k",
    )


def answered(
    answers: Mapping[str, Sequence[str | None]], content: str = ""
) -> tuple[Run, list[tuple[Row, Response]]]:
    suite = Suite(name="s", items=tuple(item(name) for name in answers))
    rounds = max(len(each) for each in answers.values())
    plan = RunPlan(
        suite_name="s",
        suite_hash=suite.hash,
        endpoint="llama:1:abc",
        base_url="llama:small",
        name="small",
        model="small",
        params={"temperature": 0.7},
        rounds=rounds,
        items=tuple(answers),
    )
    pairs = []
    for name, reads in answers.items():
        for number, read in enumerate(reads, 1):
            right = Outcome.RIGHT if read == "A" else Outcome.WRONG
            grade = Grade(
                outcome=Outcome.UNREADABLE if read is None else right,
                score=float(read == "A"),
                grader="choice",
                grader_version="1",
                read=read,
                rule="whole",
            )
            row = Row(item=name, round=number, grade=grade, served_model="small-1")
            share = {"A": 0.8, "B": 0.2} if read == "A" else {"B": 0.7, "A": 0.3}
            text = read or "?"
            reply = Response(content=f"{text}{content}", body=body([(text, share)]))
            pairs.append((row, reply))
    return Run(plan=plan, suite=suite, rows=tuple(row for row, _ in pairs)), pairs


def test_a_run_gives_a_table_a_source_one_row_an_item() -> None:
    run, pairs = answered(
        {"p": ["A", "B", "A"], "q": ["B", "B", "A"], "r": [None, None, "A"]}, "\nConfidence: 0.6"
    )
    tables = analysis.run_confidences(run, pairs)
    assert list(tables) == ["logprob", "stated", "agreement"]
    logprob, stated, agreement = tables.values()
    assert list(logprob.ids) == ["p", "q", "r"]
    assert logprob.confidence[:2].tolist() == pytest.approx([0.8, 0.7])
    assert isnan(logprob.confidence[2])
    assert logprob.label_mass == pytest.approx(1.0)
    assert list(logprob.right) == [1, 0, 0]
    assert stated.confidence[:2].tolist() == [0.6, 0.6]
    assert isnan(stated.confidence[2])
    assert agreement.confidence[:2].tolist() == pytest.approx([2 / 3, 2 / 3])
    assert isnan(agreement.confidence[2])
    assert list(agreement.right) == [1, 0, 0]
    assert logprob.provenance.weights == "abc"
    assert logprob.provenance.served_model == "small-1"
    assert [each.provenance.confidence_from for each in tables.values()] == list(tables)


def test_tied_rounds_take_the_answer_given_first_and_say_so() -> None:
    run, pairs = answered({"p": ["B", "A"], "q": ["A", "A"]})
    agreement = analysis.run_confidences(run, pairs)["agreement"]
    assert agreement.confidence.tolist() == [0.5, 1.0]
    assert list(agreement.right) == [0, 1]
    assert agreement.warnings == ("in 1 items the rounds are tied: the answer given first counts",)


def test_one_round_has_no_agreement_and_a_run_without_answers_is_refused() -> None:
    run, pairs = answered({"p": ["A"], "q": ["B"]})
    assert list(analysis.run_confidences(run, pairs)) == ["logprob", "stated"]
    with pytest.raises(UsageError, match="no graded answer"):
        analysis.run_confidences(run, [])


def test_minus_9999_is_very_unlikely_and_no_fault() -> None:
    assert exp(-9999.0) == 0
    reply = body([("A", {"A": 1.0, "B": 0.0})])
    found = analysis.label_confidence(reply, "AB", "A")
    assert found is not None
    assert found.confidence == pytest.approx(1.0)
    assert found.unlisted == ("B",)
