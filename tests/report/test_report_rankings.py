"""What a person reads of a ranking and of a plan."""

# ruff: noqa: E501 - the expected texts stand as they are printed
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from afere import analysis
from afere.domain import (
    FamilyErrors,
    Latency,
    MissPattern,
    PairLine,
    Questions,
    RankedModel,
    Ranking,
    RunStatus,
)
from afere.report import plan_report, rank_report


def ranked(model: str, score: float | None, **changes: Any) -> RankedModel:
    plain = RankedModel(
        model=model,
        run=model * 4,
        score=score,
        interval=None if score is None else (score - 0.05, score + 0.04),
        rounds=2,
        per_round=(score, score),
        round_min=score,
        round_max=score,
        failed=0,
        status=RunStatus.COMPLETE,
        outcomes={},
        tokens={},
        latency=Latency(p50=0.8),
        cost=None,
        tied_group=1,
        could_be_best=False,
    )
    return replace(plain, **changes)


def ranking(*models: RankedModel, **changes: Any) -> Ranking:
    names = [model.model for model in models if model.score is not None]
    plain = Ranking(
        suite="mine",
        level=0.95,
        average="micro",
        models=models,
        questions=Questions(
            items=40,
            all_right=30,
            none_right=2,
            separating=8,
            patterns=(
                MissPattern(missed_by=(), items=tuple(f"r{n}" for n in range(30))),
                MissPattern(missed_by=("c",), items=("q1", "q2")),
                MissPattern(missed_by=tuple(names), items=("q8", "q9")),
            ),
        ),
        pairs=tuple(
            PairLine(a=a, b=b, items=40, difference=-0.1, interval=(-0.2, -0.0001), p_holm=0.0001)
            for a, b in combinations(names, 2)
        ),
    )
    return replace(plain, **changes)


THREE = (
    ranked("a", 0.9, could_be_best=True, cost=2.0, cost_per_right=0.05, on_front=True),
    ranked("b", 0.88, cost=3.0, cost_per_right=0.08, on_front=False, could_be_best=True),
    ranked("c", 0.6, tied_group=2, failed=3, status=RunStatus.INCOMPLETE),
    ranked("d", None, tied_group=None, could_be_best=None, status=RunStatus.INVALID, failed=40),
)


def test_a_ranking_is_told_from_the_best_to_the_limits() -> None:
    told = ranking(
        *THREE,
        differing={"max_tokens": {"a": 64, "b": 128, "c": None, "d": 64}},
        families=(FamilyErrors(family="f", models=("b", "c"), items=("q1",)),),
        warnings=("d is invalid",),
    )
    assert str(rank_report(told)) == snapshot("""\
Of 3 models these could be the best on items like these (95 % level): a, b.
mine: 40 items that all of them answered.

Not the same for all of them (--same-params refuses it):
model  max_tokens
a      64
b      128
c      –
d      64

place  model   score   95 % interval  rounds, low to high  could be best  answers lost  state
1–2    a      90.0 %  85.0 to 94.0 %       90.0 to 90.0 %  yes
1–2    b      88.0 %  83.0 to 92.0 %       88.0 to 88.0 %  yes
3      c      60.0 %  55.0 to 64.0 %       60.0 to 60.0 %                            3  incomplete
–      d           –               –                                                40  invalid

model   cost  price of a right answer  latency, median
a      $2.00                    $0.05           0.80 s
b      $3.00                    $0.08           0.80 s
c          –                        –           0.80 s
d          –                        –           0.80 s

Models that share a place cannot be told apart from the first of them at the 95 % level (Holm over all pairs).
On the front of cost against quality, where no other is as cheap and as good: a.
Tokens of different tokenisers do not compare; the price of a right answer does.
Latency holds the provider's queue, and is no part of the score.

Of 40 items: 30 right with every model, 2 with none, 8 with some: only these tell the models apart.
items  missed by just  which
    2  c               q1, q2
    2  all of them     q8, q9

Missed by the whole family f (b, c), and not by all others: q1

Each pair on the items that all of them answered; the intervals hold together at the 95 % level:
model  against  items  points         interval  p (Holm)
b      a           40  -10.00  -20.00 to -0.01   < 0.001
c      a           40  -10.00  -20.00 to -0.01   < 0.001
c      b           40  -10.00  -20.00 to -0.01   < 0.001

Warning: d is invalid

What this does not prove:
- It speaks of items like these, asked and read in this way: not of other tasks.
- A model that could be the best is not shown to be: others are only shown not to.
- The score of an incomplete run also measures the network, not the model alone.
- More than the model differs: what is ranked is the whole set-up.\
""")


def test_places_are_shared_where_models_cannot_be_told_apart() -> None:
    lines = str(rank_report(ranking(*THREE))).splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("place"))
    assert [line.split()[:2] for line in lines[start + 1 : start + 5]] == [
        ["1–2", "a"],
        ["1–2", "b"],
        ["3", "c"],
        ["–", "d"],
    ]


@pytest.mark.parametrize(
    ("models", "said"),
    [
        ((THREE[3],), "No model has a graded answer: there is nothing to rank."),
        ((THREE[0], THREE[3]), "a alone has graded answers: it has no rival yet."),
        ((THREE[0], THREE[2]), "Of 2 models only a could be the best"),
        ((THREE[0], THREE[1]), "Each of 2 models could be the best"),
        (
            (ranked("a", 0.9, could_be_best=None), ranked("b", 0.9, could_be_best=None)),
            "The models share no item: who is the best cannot be told.",
        ),
    ],
)
def test_the_first_line_says_who_could_be_the_best(
    models: tuple[RankedModel, ...], said: str
) -> None:
    assert str(rank_report(ranking(*models))).splitlines()[0].startswith(said)


def test_a_score_of_other_items_than_the_shared_ones_is_shown_beside_it_by_name() -> None:
    models = (
        ranked("a", 0.9, shared_score=0.925, shared_interval=(0.85, 0.96)),
        ranked("b", 0.85, shared_score=0.85, shared_interval=(0.8, 0.9)),
        ranked("stray", 0.7, tied_group=None, could_be_best=None),
    )
    lines = str(rank_report(ranking(*models))).splitlines()
    head, first, _, stray = lines[3:7]
    assert "score of the 40 shared items" in head
    assert "score of all its items" in head
    assert first.split()[:9] == ["1–2", "a", "92.5", "%", "85.0", "to", "96.0", "%", "90.0"]
    assert stray.split()[:5] == ["–", "stray", "–", "–", "70.0"]


def test_what_no_model_knows_is_no_column() -> None:
    text = str(rank_report(ranking(THREE[2], ranked("e", 0.5))))
    assert "cost" not in text
    assert "price of a right answer" not in text
    assert "answers lost" in text


def test_long_lists_are_cut_and_counted() -> None:
    many = [ranked(f"m{n}", 0.9 - n / 100, could_be_best=True) for n in range(8)]
    patterns = tuple(MissPattern(missed_by=(f"m{n}",), items=("q",)) for n in range(8)) * 2
    asked = replace(ranking(*many).questions, patterns=patterns)
    text = str(rank_report(ranking(*many, questions=asked)))
    assert "… and 13 more (--json)" in text  # 28 pairs
    assert "… and 4 more (--json)" in text  # 16 patterns


def test_a_limit_near_zero_is_not_rounded_to_zero() -> None:
    text = str(rank_report(ranking(THREE[0], THREE[1])))
    assert "-20.00 to -0.01" in text
    assert "< 0.001" in text


@given(st.text(st.characters(exclude_categories=())))
def test_a_hostile_name_is_shown_as_text(text: str) -> None:
    name = text or "x"
    models = (ranked(name, 0.9, could_be_best=True), ranked("b", 0.5))
    told = ranking(*models, suite=text, differing={text: {name: text, "b": 1}})
    shown = str(rank_report(told))
    shown.encode("utf-8")
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_a_plan_is_told_with_its_assumptions() -> None:
    plan = analysis.plan_suite(400, price={"input": 1.0, "output": 2.0}, tokens=(300, 100))
    assert str(plan_report(plan, suite="mine", model="m")) == snapshot("""\
Smallest difference that this suite shows with 80 % power: 3.4 points.
mine: 400 items × 3 rounds = 1,200 calls to each model
Price of m: about $0.60.

to show                                           items needed  items here
a difference of 5 points                                   186         400
equivalence within 2 points (if nothing differs)         1,577         400

Assumed: 90.0 % right, so that two models differ on 9.0 % of the items in one round (rate × (1 - rate); measured: --discordance).
Half of that is taken to be noise, which rounds average away; the rest takes more items, not more rounds.
Level 95 %, power 80 %: a true difference of that size is shown that often.
A call takes about 300 tokens in and 100 out.\
""")


def test_a_plan_that_cannot_prove_its_margin_says_so() -> None:
    text = str(plan_report(analysis.plan_suite(50, rounds=1), suite="mine"))
    assert "50 items can never prove a margin of 2.0 points" in text
    assert "Price: name a model" in text


def test_a_given_discordance_is_named_as_given() -> None:
    text = str(plan_report(analysis.plan_suite(500, discordance=0.2)))
    assert "Taken as given: the models differ on 20.0 % of the items in one round." in text
    assert "Assumed" not in text
