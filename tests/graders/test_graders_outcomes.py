"""What a reply comes to before it is read, and what is told beside the outcome."""

from typing import Any

import pytest

from afere.domain import EXECUTED_KINDS, Outcome, Reading, Response
from afere.graders import builtin, grade_offline

RIGHT, TRUNCATED = Outcome.RIGHT, Outcome.TRUNCATED
KINDS: list[tuple[dict[str, Any], str]] = [
    ({"number": 4}, "4"),
    ({"text": ["cp"]}, "cp"),
    ({"contains": {"none": ["rm"]}}, "cp"),
    ({"list": [1, 2]}, "1, 2"),
    ({"set": [1, 2]}, "2, 1"),
    ({"match": "[a-z]+"}, "cp"),
    ({"regex": {"matches": ["a"], "rejects": ["b"]}}, "a"),
    ({"choice": "A"}, "A"),
    ({"label": "x"}, "x"),
    ({"json": {"equals": [1]}}, "[1]"),
]
SETS = {"options": {"A": "one", "B": "two"}, "labels": ["x", "y"]}


@pytest.mark.parametrize(("expect", "right"), KINDS, ids=str)
class TestEveryKind:
    def test_a_right_reply_is_right(self, graded: Any, expect: Any, right: str) -> None:
        assert graded(expect, right, **SETS).outcome is RIGHT

    @pytest.mark.parametrize("reply", ["", " \n\t", "\u200b\ufeff", "\u3000"])
    def test_nothing_is_empty(self, graded: Any, expect: Any, right: str, reply: str) -> None:
        assert reply != right
        assert graded(expect, reply, **SETS).outcome is Outcome.EMPTY
        assert graded(expect, reply, finish="length", **SETS).outcome is TRUNCATED

    def test_the_content_filter_blocks_even_a_right_reply(
        self, graded: Any, expect: Any, right: str
    ) -> None:
        for reply in ("", right):
            grade = graded(expect, reply, finish="content_filter", **SETS)
            assert (grade.outcome, grade.read) == (Outcome.BLOCKED, None)

    def test_a_refusal_by_the_api_refuses_even_a_right_reply(
        self, graded: Any, expect: Any, right: str
    ) -> None:
        assert graded(expect, right, refusal="No.", **SETS).outcome is Outcome.REFUSED
        assert graded(expect, right, refusal="", **SETS).outcome is RIGHT

    def test_the_reasoning_field_is_never_read(self, graded: Any, expect: Any, right: str) -> None:
        assert graded(expect, "", reasoning=right, **SETS).flags == ("reasoning-only",)
        assert graded(expect, right, reasoning="Answer: 77", **SETS).outcome is RIGHT

    @pytest.mark.parametrize("tag", ["think", "thinking", "reasoning", "THINK"])
    def test_a_reasoning_block_is_taken_off(
        self, graded: Any, expect: Any, right: str, tag: str
    ) -> None:
        assert graded(expect, f"<{tag}>zzz 77</{tag}>\n{right}", **SETS).outcome is RIGHT
        assert graded(expect, f"zzz 77\n</{tag}>\n{right}", **SETS).outcome is RIGHT
        assert graded(expect, f"<{tag}>{right}", **SETS).outcome is TRUNCATED
        assert graded(expect, f"<{tag}>{right}</{tag}>", **SETS).outcome is Outcome.EMPTY

    @pytest.mark.parametrize(
        "mark", ["</s>", "<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<end_of_turn>", "<|end|>"]
    )
    def test_a_leaked_chat_mark_ends_the_reply(
        self, graded: Any, expect: Any, right: str, mark: str
    ) -> None:
        grade = graded(expect, f"{right}{mark}\nuser\nrm 77", **SETS)
        assert (grade.outcome, grade.flags) == (RIGHT, ("chat-marks",))


@pytest.mark.parametrize(
    "reply",
    [
        "[THINK]8[/THINK]4",
        "◁think▷8◁/think▷4",
        "<|begin_of_thought|>8<|end_of_thought|>4",
        "<|channel|>analysis<|message|>8<|end|><|start|>assistant<|channel|>final<|message|>4<|return|>",
        "<|channel|>final<|message|>4",
        "<think>a <think> in it: 8</think>4",
        "<think>8</think>9</think>4",
    ],
)
def test_other_ways_of_marking_reasoning_are_known(graded: Any, reply: str) -> None:
    assert graded({"number": 4}, reply).outcome is RIGHT


def test_an_answer_before_an_open_block_counts_only_when_marked(graded: Any) -> None:
    assert graded({"number": 4}, "Answer: 4\n<think>or 5").outcome is RIGHT
    assert graded({"number": 4}, "4\n<think>or 5").outcome is TRUNCATED


def test_a_refusal_as_the_finish_reason_is_the_apis_word(graded: Any) -> None:
    assert graded({"number": 4}, "", finish="refusal").outcome is Outcome.REFUSED


def test_a_cut_reply_passes_no_negative_check(graded: Any) -> None:
    none = {"contains": {"none": ["rm"]}}
    assert graded(none, "ls and so", finish="length").outcome is TRUNCATED
    assert graded(none, "rm and so", finish="length").outcome is Outcome.WRONG
    every = {"contains": {"all": ["ls"]}}
    assert graded(every, "ls and so", finish="length").outcome is RIGHT
    assert graded(every, "so ls", finish="length").outcome is TRUNCATED


def test_a_cut_letter_counts_where_one_token_was_asked(graded: Any) -> None:
    assert graded({"choice": "A"}, "A", finish="length", **SETS).outcome is RIGHT
    assert graded({"choice": "A"}, "I pick A", finish="length", **SETS).outcome is TRUNCATED
    labels = ["no", "no spam"]
    assert graded({"label": "no"}, "no", finish="length", labels=labels).outcome is TRUNCATED
    spam = graded({"label": "no spam"}, "no spam", finish="length", labels=labels)
    assert spam.outcome is RIGHT


@pytest.mark.parametrize(
    ("key", "flag"), [(4, "lenient-right"), (5, "lenient-wrong")], ids=["right", "wrong"]
)
def test_a_strict_miss_tells_what_lenient_reading_would_give(
    graded: Any, key: int, flag: str
) -> None:
    grade = graded({"number": key}, "I get 4 in the end.", strict=True)
    assert (grade.outcome, grade.flags) == (Outcome.UNREADABLE, (flag,))
    assert graded({"number": key}, "I get nothing.", strict=True).flags == ()
    assert graded({"number": key}, "I get 4 in the end.").flags == ()


def test_what_was_read_is_kept_in_short(graded: Any) -> None:
    assert len(graded({"text": ["x"]}, "Answer: " + "y" * 5000).read) <= 400
    assert len(graded({"number": 4}, "7" * 1500).read) <= 400


async def _graded(reply: str) -> Any:
    from grading_cases import make_item

    item = make_item({"number": 4})
    return await builtin()["number"].grade(item, Response(content=reply), Reading())


def test_the_port_is_async_and_agrees_with_the_offline_face() -> None:
    import asyncio

    from grading_cases import make_item

    offline = grade_offline(make_item({"number": 4}), Response(content="4"), Reading())
    assert asyncio.run(_graded("4")) == offline


def test_all_kinds_are_there_and_unknown_ones_are_not() -> None:
    read = {next(iter(expect)) for expect, _ in KINDS}
    assert set(builtin()) == read | EXECUTED_KINDS
    assert all(grader.name == name for name, grader in builtin().items())
    with pytest.raises(KeyError):
        builtin()["perl"]


def test_a_reply_of_a_hundred_kilobytes_of_anything_ends(graded: Any) -> None:
    for piece in (
        "(",
        "\\boxed{",
        "**",
        "|  ",
        "-",
        "<s>",
        "<b",
        "Answer: ",
        "A, ",
        "1.2,3 ",
        "\n",
    ):
        for expect, _ in KINDS:
            assert graded(expect, piece * (100_000 // len(piece)), **SETS).score in {0.0, 1.0}
