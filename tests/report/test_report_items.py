"""The data of the items table: what is in it, and what is left out of too large a page."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest
from report_records import comparison, row, run, suite

from afere import analysis
from afere.domain import Expect, Failure, FailureKind, Message, Outcome, Response, Row, Run
from afere.report import ItemsTable, comparison_page
from afere.report.items import CODES

READ, FAILURE, REPLY, REASONING, ADAPTED, PROMPT, CHANGES = 4, 14, 17, 18, 19, 20, 21


def two_runs() -> tuple[Run, Run]:
    asked = suite("p01", "p02")
    right = tuple(row(item, number) for item in ("p01", "p02") for number in (1, 2))
    mixed = (
        row("p01", 1),
        row("p01", 2, Outcome.WRONG),
        row("p02", 1, Outcome.TRUNCATED),
        row("p02", 2, Outcome.UNREADABLE),
    )
    return run(asked, right, name="gpt-oss-120b"), run(asked, mixed)


def answers(table: ItemsTable, item: int, side: int) -> Any:
    return table.data()["items"][item][5][side][5]


def test_an_item_has_its_marks_its_counts_and_its_state() -> None:
    data = ItemsTable(two_runs()).data()
    texts = data["texts"]
    shown = [
        [(side[0], side[1], side[2], texts[side[3]]) for side in item[5]] for item in data["items"]
    ]
    assert shown == [
        [(2, 2, 1.0, "rr"), (1, 2, 0.5, "rw")],
        [(2, 2, 1.0, "rr"), (0, 2, 0.0, "tu")],
    ]


def test_a_state_counts_as_the_comparison_counts_pairs() -> None:
    ids = [f"q{n}" for n in range(40)]
    asked = suite(*ids)
    kinds = [*2 * [Outcome.RIGHT], *2 * [Outcome.WRONG], Outcome.TRUNCATED]
    drawn = random.Random(1)  # noqa: S311 - a fixed draw
    sides = [
        run(
            asked,
            tuple(
                row(item, number, drawn.choice(kinds))
                for place, item in enumerate(ids)
                for number in (1, 2, 3)
                if (place + number) % 11
            ),
            rounds=3,
            name=f"model {step}",
        )
        for step in (3, 7)
    ]
    case = analysis.compare(sides[0], sides[1])
    states = {item[0]: [side[2] for side in item[5]] for item in ItemsTable(sides).data()["items"]}
    lost = [item for item, both in states.items() if both == [1, 0]]
    won = [item for item, both in states.items() if both == [0, 1]]
    assert tuple(lost) == case.only_baseline_items
    assert tuple(won) == case.only_candidate_items
    assert lost
    assert won


def test_a_row_never_asked_makes_an_item_lost() -> None:
    asked = suite("p01")
    data = ItemsTable([run(asked, (row("p01", 1),))]).data()
    assert data["items"][0][5][0][2] is None


def test_an_answer_names_its_reply_its_reading_and_its_request() -> None:
    runs = two_runs()
    table = ItemsTable(runs)
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "How much is 0 + 0?"}],
        "temperature": 0.7,
        "seed": 1,
    }
    reply = Response(content="I think\n  it is 4", reasoning="hm", adapted=("max_tokens",))
    table.add(0, runs[0].rows[0], reply, body)
    table.add(0, runs[0].rows[1], reply, {**body, "seed": 2})
    data = table.data()
    first, second = (data["items"][0][5][0][5][place] for place in (0, 1))
    texts = data["texts"]
    assert texts[first[REPLY]] == "I think\n  it is 4"
    assert (texts[first[REASONING]], [texts[each] for each in first[ADAPTED]]) == (
        "hm",
        ["max_tokens"],
    )
    assert texts[first[READ]] == "4"
    assert data["models"][0]["params"] == {"temperature": 0.7, "seed": 1}
    assert second[CHANGES] == {"seed": 2}
    assert len(first) == PROMPT + 1, "nothing differs from the usual parameters"
    ((role, content),) = data["prompts"][first[PROMPT] - 1]
    assert (role, texts[content]) == ("user", "How much is 0 + 0?")
    assert texts[data["items"][0][3]] == "How much is 0 + 0?"


def test_an_image_in_a_request_is_cut_short() -> None:
    runs = two_runs()
    table = ItemsTable(runs)
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 900_000}}
    table.add(0, runs[0].rows[0], None, {"messages": [{"role": "user", "content": [image]}]})
    written = json.dumps(table.data())
    assert "data:image/png;base64,AAAA" in written
    assert len(written) < 10_000


def test_an_empty_reply_is_told_from_one_that_is_not_at_hand() -> None:
    runs = two_runs()
    table = ItemsTable(runs)
    table.add(0, runs[0].rows[0], Response(content=""))
    first, second = answers(table, 0, 0)
    assert first[REPLY] == -1
    assert len(second) <= REPLY


def test_an_error_is_shown_with_the_server_s_words() -> None:
    failure = Failure(kind=FailureKind.SERVER, message="HTTP 503", body="overloaded")
    lost = row("p01", 1, Outcome.ENDPOINT_ERROR, error=failure)
    table = ItemsTable([run(suite("p01"), (lost,))])
    assert "HTTP 503\noverloaded" in table.data()["texts"]


def test_an_executed_answer_says_why_it_failed_and_what_it_printed() -> None:
    plain = row("p01", 1, Outcome.WRONG)
    grade = replace(
        plain.grade,
        failure="assertion",
        message="f(2) is 3",
        sandbox="namespaces",
        integrity="strong",
        output="printed",
    )
    data = ItemsTable([run(suite("p01"), (replace(plain, grade=grade),))]).data()
    shown = data["items"][0][5][0][5][0][FAILURE : FAILURE + 3]
    assert [data["texts"][each] for each in shown] == [
        "assertion: f(2) is 3",
        "namespaces, strong",
        "printed",
    ]


def test_a_question_of_messages_and_options_is_shown_whole() -> None:
    asked = suite("p01")
    parts = ({"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {}})
    item = replace(
        asked.items[0],
        input=(Message(role="system", content="Be brief."), Message(role="user", content=parts)),
        options={"A": "trout", "B": "whale"},
        expect=Expect(kind="choice", key="B"),
    )
    texts = ItemsTable([run(replace(asked, items=(item,)), ())]).data()["texts"]
    assert "system: Be brief.\n\nuser: Look:\n[…]\n\nA) trout\nB) whale" in texts
    assert "B) whale" in texts


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        (["a", 2], "a, 2"),
        ({"all": ["x", "y"]}, "all: x, y"),
        ({"a": 1, "b": [True, {}]}, '{"a":1,"b":[true,{}]}'),
        (True, "True"),
        (None, "null"),
    ],
)
def test_a_key_of_any_shape_is_shown(key: object, shown: str) -> None:
    asked = suite("p01")
    item = replace(asked.items[0], expect=Expect(kind="set", key=key))
    assert shown in ItemsTable([run(replace(asked, items=(item,)), ())]).data()["texts"]


def test_items_that_are_not_the_same_are_set_apart() -> None:
    ours, theirs = two_runs()
    other = replace(theirs.suite.items[1], input="Another question")
    theirs = replace(theirs, suite=replace(theirs.suite, items=(theirs.suite.items[0], other)))
    assert [item[4] for item in ItemsTable([ours, theirs]).data()["items"]] == [0, 1]
    assert [item[4] for item in ItemsTable([ours], apart={"p01"}).data()["items"]] == [1, 0]


def test_long_replies_are_cut_in_their_middle_and_say_so() -> None:
    runs = two_runs()
    table = ItemsTable(runs)
    table.add(0, runs[0].rows[0], Response(content="x" * 90_000 + "END"))
    shown = next(text for text in table.data()["texts"] if text.startswith("xx"))
    assert len(shown) == 6_000 + len("… (+84,003) …")
    assert "… (+84,003) …" in shown
    assert shown.endswith("xEND")


def many(count: int, length: int) -> ItemsTable:
    """A run of many items with long replies, of which the last alone is wrong."""
    ids = [f"q{n}" for n in range(count)]
    rows: list[Row] = [row(item, 1) for item in ids[:-1]]
    rows += [row(ids[-1], 1, Outcome.UNREADABLE)]
    table = ItemsTable([run(suite(*ids), tuple(rows), rounds=1)])
    for number, each in enumerate(rows):
        table.add(0, each, Response(content=f"{number} " + "z" * length))
    return table


def test_replies_beyond_the_budget_are_shortened_first() -> None:
    data = many(2_000, 10_000).data()
    replies = [text for text in data["texts"] if text.endswith("zz")]
    assert len(replies) == 2_000
    assert {len(text) > 2_500 for text in replies} == {True}
    assert sum(map(len, replies)) < 6_200_000
    assert (data["brief"], data["left_out"]) == (0, 0)


def test_then_the_least_telling_items_lose_their_details() -> None:
    data = many(20_000, 10_000).data()
    assert len(data["items"]) == 20_000
    detailed = [item for item in data["items"] if item[5][0][5] != 0]
    assert data["brief"] == 20_000 - len(detailed)
    assert 10_000 < len(detailed) < 16_000
    assert detailed[-1][0] == "q19999", "what is telling stays"
    assert len(json.dumps(data)) < 14_000_000


def test_a_page_of_1000_items_3_models_3_rounds_weighs_under_5_mb() -> None:
    ids = [f"item-{n:04}" for n in range(1_000)]
    asked = suite(*ids)
    runs = [
        run(
            asked,
            tuple(row(item, number) for item in ids for number in (1, 2, 3)),
            rounds=3,
            name=name,
        )
        for name in ("one", "two", "three")
    ]
    table = ItemsTable(runs)
    for side, each in enumerate(runs):
        for place, answer in enumerate(each.rows):
            body = {
                "model": "m",
                "messages": [{"role": "user", "content": f"How much is {answer.item}?"}],
                "seed": answer.round,
            }
            table.add(side, answer, Response(content=f"{side} {place} ".ljust(300, "w")), body)
    assert len(json.dumps(table.data(), separators=(",", ":"))) < 4_600_000


def test_every_outcome_has_a_code_of_its_own() -> None:
    assert len(set(CODES.values())) == len(Outcome)


def test_the_page_of_a_run_without_rows_is_whole() -> None:
    baseline, candidate = two_runs()
    html = comparison_page(comparison(), baseline, replace(candidate, rows=()))
    assert html.rstrip().endswith("</html>")
