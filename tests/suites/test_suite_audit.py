"""The audit: what would spoil the numbers is found before money is spent."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from afere.domain import Expect, Grader, Item, Suite
from afere.suites import Problem, audit, load, names

BANANA = {"A": "yellow", "B": "blue", "C": "red"}


def item(item_id: str = "a", asked: str = "How many?", **fields: Any) -> Item:
    fields.setdefault("expect", Expect(kind="number", key=41))
    return Item(id=item_id, input=asked, **fields)


def choice(number: int, key: str, asked: str = "Which colour, in case {}?") -> Item:
    return item(
        f"c{number}", asked.format(number), options=BANANA, expect=Expect(kind="choice", key=key)
    )


def found(graders: Mapping[str, Grader], *items: Item, **suite: Any) -> list[Problem]:
    return list(asyncio.run(audit(Suite(name="s", items=items, **suite), graders)))


def codes(problems: list[Problem]) -> list[tuple[str | None, str]]:
    return [(each.item, each.code) for each in problems]


def test_a_sound_item_has_no_problem(graders: Mapping[str, Grader]) -> None:
    assert found(graders, item(), choice(1, "A")) == []


@pytest.mark.parametrize(
    ("expect", "extra"),
    [
        (Expect(kind="number", key=Decimal("2.50")), {}),
        (Expect(kind="number", key="12"), {}),
        (Expect(kind="text", key=["x", "y"]), {}),
        (Expect(kind="contains", key={"all": ["x"], "any": ["y", "z"], "none": ["w"]}), {}),
        (Expect(kind="list", key=[1, 2]), {}),
        (Expect(kind="regex", key={"matches": ["a.c"], "rejects": ["abc"]}), {}),
        (Expect(kind="label", key="x"), {"labels": ("x", "y")}),
    ],
)
def test_a_key_that_its_grader_takes_is_no_problem(
    graders: Mapping[str, Grader], expect: Expect, extra: dict[str, Any]
) -> None:
    asked = "Say x or y?" if extra else "How many?"
    assert "key_rejected" not in [
        code for _, code in codes(found(graders, item(asked=asked, expect=expect, **extra)))
    ]


@pytest.mark.parametrize(
    "expect",
    [
        Expect(kind="contains", key={"all": ["x"], "none": ["x"]}),
        Expect(kind="contains", key={"any": ["x", "w"], "none": ["w"]}),
        Expect(kind="regex", key={"matches": ["a"], "rejects": ["a"]}),
        Expect(kind="text", key=["  "]),
        Expect(kind="list", key=["a, b", "c"]),
    ],
)
def test_a_key_that_its_own_grader_rejects_is_an_error(
    graders: Mapping[str, Grader], expect: Expect
) -> None:
    (problem,) = found(graders, item(expect=expect))
    assert (problem.severity, problem.code) == ("error", "key_rejected")
    assert "calls the key itself wrong" in problem.message


def test_a_grader_that_fails_is_an_error_and_ends_nothing(
    graders: Mapping[str, Grader],
) -> None:
    def fails(*_: object) -> bool:
        raise RuntimeError("no disk")

    broken: Any = replace(graders["number"], judge=fails)  # type: ignore[type-var] # a record here
    problems = found({"number": broken}, item("a"), item("b", "What?"))
    assert codes(problems) == [("a", "grader_failed"), ("b", "grader_failed")]
    assert "RuntimeError: no disk" in problems[0].message


def test_an_answer_inside_the_question_is_found(graders: Mapping[str, Grader]) -> None:
    text = Expect(kind="text", key=["Paris"])
    problems = found(
        graders,
        item("a", "Is it 41 or 42?"),
        item("b", "Is it 141 or 4.1 or 41,5 or 410?"),
        item("c", "The capital of France is Paris. What is it?", expect=text),
        item("d", "Say no word of Parisian", expect=text),
        choice(1, "A", "Is a banana yellow?"),
        choice(2, "A", "Which of yellow, blue and red has a ripe fruit?"),
        item("e", "x", expect=Expect(kind="contains", key={"all": ["x"]})),
    )
    assert codes(problems) == [
        ("a", "answer_in_prompt"),
        ("c", "answer_in_prompt"),
        ("c1", "answer_in_prompt"),
        ("e", "echo_passes"),
    ]


def test_options_are_looked_at(graders: Mapping[str, Grader]) -> None:
    key = Expect(kind="choice", key="B")
    problems = found(
        graders,
        item("a", options={"A": "A cell", "B": "x", "C": "a  CELL"}, expect=key),
        item("b", "Why?", options={"A": "x", "B": "All of the above"}, expect=key),
        item("c", "Quem?", options={"A": "x", "B": "nenhuma das anteriores"}, expect=key),
        item("d", "Who?", options={"A": "x", "B": "A and C"}, expect=key),
    )
    assert codes(problems) == [
        ("a", "equal_options"),
        ("b", "option_refers"),
        ("c", "option_refers"),
        ("d", "option_refers"),
    ]
    assert problems[0].severity == "error"


def test_options_and_labels_that_are_never_shown_are_found(graders: Mapping[str, Grader]) -> None:
    label = item("l", "Is it so?", labels=("yes", "no"), expect=Expect(kind="label", key="yes"))
    problems = found(graders, choice(1, "A"), label, prompt="{{ input }}")
    assert codes(problems) == [("c1", "options_not_shown"), ("l", "labels_not_shown")]
    assert problems[0].message == "the model never sees option A, B, C"


def test_duplicates_are_found_with_what_they_repeat(graders: Mapping[str, Grader]) -> None:
    problems = found(
        graders,
        item("a", "How many legs does a spider have?"),
        item("b", "how many  legs does a SPIDER have?"),
        item("c", "How many legs does a spider have?", expect=Expect(kind="number", key=6)),
        item("d", "How many legs does one grown healthy garden spider usually have on its body?"),
        item("e", "How many legs does one grown healthy garden spider usually have on the body?"),
        item("f", "Name the number of moons of Mars, please"),
    )
    assert codes(problems) == [
        ("b", "duplicate"),
        ("c", "contradiction"),
        ("e", "near_duplicate"),
    ]
    assert problems[1].severity == "error"
    assert problems[2].message == "asks nearly the same as d"


def test_one_pattern_with_other_numbers_is_no_duplicate(graders: Mapping[str, Grader]) -> None:
    sums = [
        item(f"s{n}", f"What is {n} + {n + 3}?", expect=Expect(kind="number", key=2 * n + 3))
        for n in range(200, 240)
    ]
    assert found(graders, *sums) == []


def test_keys_that_lean_to_one_place_are_found(graders: Mapping[str, Grader]) -> None:
    leaning = [choice(n, "B" if n else "A") for n in range(20)]
    spread = [choice(n, "ABC"[n % 3]) for n in range(20)]
    assert codes(found(graders, *leaning)) == [(None, "skewed_keys")]
    assert found(graders, *spread) == []
    assert found(graders, *leaning[:11]) == []


def test_labels_that_one_answer_mostly_gets_right_are_found(
    graders: Mapping[str, Grader],
) -> None:
    items = [
        item(
            f"l{n}",
            f"Is {n} so, yes or no?",
            labels=("yes", "no"),
            expect=Expect(kind="label", key="no" if n < 2 else "yes"),
        )
        for n in range(12)
    ]
    (problem,) = [each for each in found(graders, *items) if each.code == "skewed_keys"]
    assert problem.message == "always answering yes would be right 10 times of 12"


def test_small_categories_are_one_problem_of_the_suite(graders: Mapping[str, Grader]) -> None:
    items = [choice(n, "ABC"[n % 3]) for n in range(12)]
    sized = [replace(each, category="small" if n < 2 else "large") for n, each in enumerate(items)]
    (problem,) = found(graders, *sized)
    assert (problem.item, problem.code) == (None, "small_categories")
    assert "1 of 2 categories have fewer than 10 items (small)" in problem.message


def test_form_is_only_complained_of_where_behaviour_could_be_judged(
    graders: Mapping[str, Grader],
) -> None:
    words = Expect(kind="contains", key={"all": ["select"]})
    asked = item("a", "Write the SQL query.", expect=words)
    none_behaves = {name: grader for name, grader in graders.items() if name != "sql"}
    assert found(none_behaves, asked) == []
    problems = found({**graders, "sql": graders["json"]}, asked)
    assert codes(problems) == [("a", "judges_form")]
    regex = item("b", "Escreva a expressão regular.", expect=Expect(kind="text", key="a+"))
    assert codes(found(graders, regex)) == [("b", "judges_form")]


@pytest.mark.parametrize(
    "secret",
    [
        "sk-" + "abcdefghij0123456789ABCD",
        "ghp" + "_0123456789abcdefghijABCDEFGHIJ012345",
        "AKIA" + "ABCDEFGHIJKLMNOP",
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "postgres://user:" + "hunter22@db.example/x",
        "Authorization: Bearer " + "abcdefghijklmnopqrstuvwx",
    ],
)
def test_a_secret_is_named_and_never_shown(graders: Mapping[str, Grader], secret: str) -> None:
    (problem,) = found(graders, item(asked=f"Use {secret} for this"))
    assert problem.code == "secret"
    assert secret not in problem.message
    (problem,) = found(graders, item(), system=f"Your key: {secret}")
    assert (problem.item, problem.code) == (None, "secret")


def test_a_problem_has_a_plain_form(graders: Mapping[str, Grader]) -> None:
    (problem,) = found(graders, item(asked="41?"), item("b", "12"))[:1]
    assert problem.to_dict() == {
        "severity": "warning",
        "item": "a",
        "code": "answer_in_prompt",
        "message": "the right answer stands in the question",
    }


@pytest.mark.parametrize("name", sorted(names()))
def test_the_shipped_suites_have_no_problem_but_small_categories(
    graders: Mapping[str, Grader], name: str
) -> None:
    suite = load(name, graders)
    problems = asyncio.run(audit(suite, graders))
    assert {each.code for each in problems} <= {"small_categories"}
