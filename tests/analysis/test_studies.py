"""Rankings, plans, what drives a difference, and items that a model may have seen."""

from dataclasses import replace
from typing import Any

import pytest
from analysis_builders import run_of, suite_of

from afere.analysis import (
    around_cutoff,
    compare,
    cost_per_right,
    drivers,
    error_places,
    letter_gap,
    plan_suite,
    public_against_private,
    rank,
    smallest_difference,
    summarize,
)
from afere.domain import (
    Drivers,
    Exposure,
    Item,
    Ranking,
    Run,
    Suite,
    SuitePlan,
    UsageError,
    decode,
    encode,
    from_plain,
)

N = 200


def with_right(share: float, name: str, **options: Any) -> Run:
    cells: dict[str, Any] = {f"i{n:03}": [int(n < share * N)] for n in range(N)}
    cells.update(options.pop("cells", {}))
    return run_of(cells, name=name, **options)


def test_models_that_cannot_be_told_apart_share_a_group() -> None:
    seen = rank([with_right(0.5, "low"), with_right(0.9, "high"), with_right(0.895, "near")])
    assert [(each.model, each.tied_group) for each in seen.models] == [
        ("high", 1),
        ("near", 1),
        ("low", 2),
    ]
    assert [each.could_be_best for each in seen.models] == [True, True, False]
    assert (seen.questions.all_right, seen.questions.none_right) == (100, 20)
    assert seen.questions.separating == 80
    assert seen.questions.patterns[-1].missed_by == ("near", "low")
    assert seen.pairs[0].p_holm is not None
    assert from_plain(Ranking, decode(encode(seen.to_dict()))) == seen


def test_a_run_without_a_common_item_has_no_place_and_the_others_are_ranked() -> None:
    other = run_of({"z1": [1], "z2": [1]}, name="stray")
    seen = rank([with_right(0.9, "high"), other, with_right(0.5, "low")])
    assert [(each.model, each.tied_group) for each in seen.models] == [
        ("high", 1),
        ("low", 2),
        ("stray", None),
    ]
    stray = seen.models[2]
    assert (stray.score, stray.shared_score, stray.could_be_best) == (1.0, None, None)
    assert str(stray.why_no_place) == "stray has no place: it shares no item with the others"
    assert stray.why_no_place in seen.warnings
    assert seen.questions.items == N
    with pytest.raises(UsageError, match="no item in common"):
        rank([with_right(0.9, "high"), other])


def test_a_short_run_is_set_aside_where_it_would_leave_the_others_too_little() -> None:
    short = run_of({"i000": [1], "i001": [1]}, name="short")
    seen = rank([with_right(0.9, "high"), short, with_right(0.5, "low")])
    assert (seen.models[-1].model, seen.models[-1].tied_group) == ("short", None)
    assert str(seen.models[-1].why_no_place) == (
        "short has no place: it answered 2 of the 200 items that the others share"
    )
    assert seen.questions.items == N


def test_places_go_by_the_scores_of_the_items_that_all_have() -> None:
    lost = {f"i{n:03}": ["endpoint_error"] for n in range(190, 200)}
    seen = rank([with_right(0.9, "whole"), with_right(0.895, "lossy", cells=lost)])
    assert [each.model for each in seen.models] == ["whole", "lossy"]
    whole, lossy = seen.models
    assert (whole.score, lossy.score) == (pytest.approx(0.9), pytest.approx(179 / 190))
    assert (whole.shared_score, lossy.shared_score) == (
        pytest.approx(180 / 190),
        pytest.approx(179 / 190),
    )
    assert (whole.items, lossy.items, seen.questions.items) == (200, 190, 190)
    assert seen.pairs[0].items == 190
    assert seen.pairs[0].difference == pytest.approx(lossy.shared_score - whole.shared_score)


def test_who_is_not_told_apart_from_the_best_could_be_the_best_in_groups_too() -> None:
    ids = [f"i{n:03}" for n in range(N)]
    few = suite_of(ids, groups={each: f"g{place % 7}" for place, each in enumerate(ids)})
    first = run_of({each: [int(n < 180)] for n, each in enumerate(ids)}, suite=few, name="a")
    second = run_of({each: [int(n < 20)] for n, each in enumerate(ids)}, suite=few, name="b")
    assert compare(first, second).verdict.value == "undecided"
    seen = rank([first, second])
    assert [(each.tied_group, each.could_be_best) for each in seen.models] == [(1, True), (1, True)]


def test_a_place_of_its_own_is_what_compare_says_too() -> None:
    lost = {f"i{n:03}": ["endpoint_error"] for n in range(180, 200)}
    high, low = with_right(0.9, "high"), with_right(0.75, "low", cells=lost)
    assert compare(high, low).verdict.value == "invalid"
    seen = rank([high, low])
    assert seen.pairs[0].p_holm is not None
    assert seen.pairs[0].p_holm < 0.001
    assert [each.tied_group for each in seen.models] == [1, 1]


def test_intervals_of_pairs_hold_together() -> None:
    runs = [with_right(share, name) for share, name in ((0.9, "a"), (0.8, "b"), (0.7, "c"))]
    three, two = rank(runs), rank(runs[:2])
    wide, narrow = three.pairs[0].interval, two.pairs[0].interval
    assert wide is not None
    assert narrow is not None
    assert wide[0] < narrow[0]


def test_few_separating_items_ask_for_harder_items() -> None:
    seen = rank([with_right(0.9, "high"), with_right(0.895, "near")])
    assert str(seen.warnings[0]) == (
        "only 1 of 200 items separate the models: "
        "more and harder items would tell more, not more models"
    )


def test_an_incomplete_run_keeps_its_mark_and_an_invalid_one_has_no_place() -> None:
    broken = {f"i{n:03}": ["endpoint_error"] for n in range(N)}
    seen = rank(
        [
            with_right(0, "down", cells=broken),
            with_right(0.9, "partly", cells={"i000": ["endpoint_error"]}),
            with_right(0.8, "whole"),
        ],
    )
    assert [(each.model, each.status.value) for each in seen.models] == [
        ("partly", "incomplete"),
        ("whole", "complete"),
        ("down", "invalid"),
    ]
    assert seen.models[2].tied_group is None
    assert seen.models[2].failed == N
    assert len(seen.pairs) == 1
    assert seen.questions.items == N - 1


def test_differing_parameters_and_cheap_models_are_named() -> None:
    price = {"input": 1, "output": 1}
    cheap = with_right(0.9, "cheap", plan={"price": price})
    dear = with_right(0.8, "dear", plan={"price": {"input": 9, "output": 9}, "params": {"seed": 3}})
    seen = rank([cheap, dear])
    assert [each.on_front for each in seen.models] == [True, False]
    assert seen.models[0].cost_per_right == pytest.approx(N * 15 / 1e6 / 180)
    assert seen.differing["seed"] == {"cheap": None, "dear": 3}
    assert cost_per_right(summarize(with_right(0.9, "free"))) is None


def test_errors_that_a_family_shares_are_listed() -> None:
    runs = [
        with_right(0.9, "f-small", plan={"family": "f"}, cells={"i000": [0]}),
        with_right(0.95, "f-large", plan={"family": "f"}, cells={"i000": [0]}),
        with_right(0.97, "other"),
    ]
    seen = rank(runs)
    assert seen.families[0].models == ("f-large", "f-small")
    assert "i000" in seen.families[0].items
    assert "i199" not in seen.families[0].items


def test_nothing_and_twins_are_not_ranked() -> None:
    with pytest.raises(UsageError, match="no run to rank"):
        rank([])
    with pytest.raises(UsageError, match="two runs in the ranking"):
        rank([with_right(0.9, "a"), with_right(0.8, "a")])


def test_one_model_alone_is_its_own_group() -> None:
    seen = rank([with_right(0.9, "a")])
    assert (seen.models[0].tied_group, seen.models[0].could_be_best) == (1, True)
    assert seen.pairs == ()


def test_a_plan_says_what_a_suite_can_show() -> None:
    seen = plan_suite(200, rounds=1, discordance=0.2, detect=0.05, margin=0.1)
    assert seen.detectable == pytest.approx(0.08807269345160355, abs=1e-6)
    assert seen.needed.difference == 626
    assert seen.calls == 200
    assert seen.cost is None
    assert seen.warnings == ()
    assert from_plain(SuitePlan, decode(encode(seen.to_dict()))) == seen


def test_a_plan_states_its_assumption_and_its_cost() -> None:
    seen = plan_suite(100, rounds=3, rate=0.9, price={"input": 1, "output": 2}, tokens=(200, 50))
    assert seen.assumptions["discordance"] == pytest.approx(0.09)
    assert seen.assumptions["discordance_from"] == "rate × (1 - rate)"
    assert seen.calls == 300
    assert seen.cost == pytest.approx(300 * 300 / 1e6)
    assert seen.detectable == pytest.approx(smallest_difference(100, rounds=3, rate=0.9))


@pytest.mark.parametrize("rounds", [1, 3])
def test_a_suite_that_can_never_prove_its_margin_says_so(rounds: int) -> None:
    seen = plan_suite(20, rounds=rounds, margin=0.02)
    assert seen.smallest_margin is not None
    assert seen.smallest_margin > 0.02
    assert "20 items can never prove a margin of 2.0 points" in str(seen.warnings[0])
    assert plan_suite(1).detectable is None


def test_the_margin_that_many_items_prove_has_no_warning() -> None:
    assert not plan_suite(189, rounds=1, margin=0.02).warnings
    assert plan_suite(188, rounds=1, margin=0.02).warnings


@pytest.mark.parametrize("wrong", [{"rate": 90}, {"margin": 2}, {"discordance": -1}])
def test_a_plan_takes_fractions(wrong: Any) -> None:
    with pytest.raises(UsageError, match="fraction between 0 and 1"):
        plan_suite(20, **wrong)
    with pytest.raises(UsageError, match="at least one item"):
        plan_suite(0)


def test_what_drives_a_difference() -> None:
    categories = {f"i{n:03}": "even" if n % 2 == 0 else "odd" for n in range(40)}
    first = {f"i{n:03}": [1, 1, 1] for n in range(40)}
    second: dict[str, Any] = dict(first)
    second.update({f"i{n:03}": ["truncated"] * 3 for n in range(0, 20, 2)})
    first["i039"] = second["i039"] = [0, 0, 0]
    second["i037"] = [1, 0, 1]
    suite = suite_of(list(first), categories=categories)
    seen = drivers(run_of(first, suite=suite), run_of(second, suite=suite, name="b"))
    assert seen.categories["even"].difference == pytest.approx(-0.5)
    assert seen.categories["odd"].difference == pytest.approx(-1 / 60)
    assert seen.outcomes["truncated"] == (0, 30)
    assert seen.lost_to == {"truncated": 30}
    assert seen.won_from == {}
    assert seen.both_wrong_items == ("i039",)
    assert seen.flipping == ((), ("i037",))
    assert "30 are truncated" in str(seen.remarks[0])
    assert seen.agreement.both_wrong == 1
    assert seen.agreement.expected == pytest.approx(11 / 40)
    assert from_plain(Drivers, decode(encode(seen.to_dict()))) == seen


def test_equal_wrong_answers_are_counted_as_agreement() -> None:
    run = run_of({f"i{n}": [int(n > 3)] for n in range(10)})
    wrong = ["same", "same", "other", None]
    rows = tuple(
        replace(row, grade=replace(row.grade, read=read))
        for row, read in zip(run.rows, [*wrong, *["7"] * 6], strict=True)
    )
    other = tuple(replace(row, grade=replace(row.grade, read="same")) for row in run.rows)
    seen = drivers(replace(run, rows=rows), replace(run, rows=other))
    assert seen.agreement.both_wrong == 4
    assert seen.agreement.same_answer == 2
    assert seen.agreement.phi == pytest.approx(1.0)


def test_the_densest_stretch_of_errors_is_found_and_has_its_shares() -> None:
    cells = {f"i{n:03}": [int(not 60 <= n < 70)] for n in range(100)}
    found = error_places(run_of(cells)).densest
    assert found is not None
    assert (found.first, found.last, found.items) == ("i060", "i069", 10)
    assert (found.share_of_items, found.share_of_errors) == pytest.approx((0.1, 1.0))
    assert error_places(run_of({f"i{n}": [1] for n in range(50)})).densest is None


def test_errors_are_counted_by_category_and_group() -> None:
    suite = suite_of(["a", "b", "c"], categories={"a": "x", "b": "x"}, groups={"c": "p"})
    seen = error_places(run_of({"a": [1], "b": [0], "c": ["endpoint_error"]}, suite=suite))
    assert seen.categories == {"x": (2, 1.0)}
    assert seen.groups == {}


def test_the_largest_gap_between_letters_chosen_and_letters_of_the_key() -> None:
    gap = letter_gap({"A": {"chosen": 9, "key": 5}, "B": {"chosen": 1, "key": 5}})
    assert gap is not None
    assert (gap.letter, gap.chosen, gap.key) == ("B", 0.1, 0.5)
    assert letter_gap({}) is None


def dated(before: int, after: int, rights: tuple[int, int], **options: Any) -> Run:
    items = [
        Item(id=f"b{n}", input="q", expect=suite_of(["a"]).items[0].expect, date="2024-05-01")
        for n in range(before)
    ]
    items += [replace(items[0], id=f"a{n}", date="2025-06-01") for n in range(after)]
    items += [replace(items[0], id="u1", date=None), replace(items[0], id="u2", date="2025")]
    suite = Suite(name="dated", items=tuple(items))
    cells = {f"b{n}": [int(n < rights[0])] for n in range(before)}
    cells.update({f"a{n}": [int(n < rights[1])] for n in range(after)})
    cells.update({"u1": [1], "u2": [1]})
    plan = {"cutoff": "2025-03-01", **options.pop("plan", {})}
    return run_of(cells, suite=suite, plan=plan, **options)


def test_accuracy_before_and_after_a_cutoff_has_newcombes_interval() -> None:
    seen = around_cutoff(dated(100, 80, (80, 48)))
    assert seen.drop == pytest.approx(0.2)
    assert seen.interval == pytest.approx((0.06595854677944343, 0.32821914548548375), abs=1e-7)
    assert (seen.seen.items, seen.unseen.items, seen.undated) == (100, 80, 2)
    assert "without a reference model" in str(seen.warnings[0])
    assert from_plain(Exposure, decode(encode(seen.to_dict()))) == seen


def test_a_reference_model_tells_a_drop_from_harder_items() -> None:
    seen = around_cutoff(dated(100, 80, (80, 48)), reference=dated(100, 80, (70, 46), name="ref"))
    assert seen.reference == "ref"
    assert seen.beyond_reference == pytest.approx(0.1 - 2 / 80)
    assert seen.beyond_interval is not None
    assert not seen.warnings


def test_too_few_items_around_a_cutoff_are_said() -> None:
    assert "one side has 5 items" in str(around_cutoff(dated(50, 5, (40, 2))).warnings[0])
    with pytest.raises(UsageError, match="none after"):
        around_cutoff(dated(50, 0, (40, 0)))
    with pytest.raises(UsageError, match="no cut-off date is known"):
        around_cutoff(with_right(0.5, "a"))


def test_several_rounds_around_a_cutoff_use_welchs_interval() -> None:
    run = dated(30, 30, (25, 15))
    rows = [replace(row, round=k) for row in run.rows for k in (1, 2)]
    seen = around_cutoff(replace(run, plan=replace(run.plan, rounds=2), rows=tuple(rows)))
    assert seen.drop == pytest.approx(1 / 3)
    assert seen.interval is not None
    assert seen.interval[0] < 1 / 3 < seen.interval[1]


def test_public_items_stand_against_private_ones() -> None:
    run = with_right(0.5, "a")
    items = tuple(replace(item, public=n < 100) for n, item in enumerate(run.suite.items))
    seen = public_against_private(replace(run, suite=replace(run.suite, items=items)))
    assert (seen.seen.score, seen.unseen.score) == (1.0, 0.0)
    with pytest.raises(UsageError, match="nothing to compare"):
        public_against_private(run)


def test_rotated_options_test_whether_a_position_is_favoured() -> None:
    items = tuple(
        Item(
            id=f"q{n}",
            input="which?",
            expect=replace(suite_of(["a"]).items[0].expect, kind="choice", key="A"),
            options={"A": "w", "B": "x", "C": "y"},
        )
        for n in range(12)
    )
    run = run_of({item.id: [1] for item in items}, suite=Suite(name="letters", items=items))
    rows = tuple(
        replace(row, variant=shift, grade=replace(row.grade, score=float(shift == 0), read="A"))
        for row in run.rows
        for shift in range(3)
    )
    seen = summarize(replace(run, plan=replace(run.plan, variants=3), rows=rows))
    assert seen.positions is not None
    assert seen.positions.items == 12
    assert seen.positions.accuracy == {"A": 1.0, "B": 0.0, "C": 0.0}
    assert seen.positions.q == pytest.approx(24)
    assert {letter: each["key"] for letter, each in seen.letters.items()} == {
        "A": 12,
        "B": 12,
        "C": 12,
    }
