"""Splits, plans and looks on tables: what decides a side, and what does not."""

import hashlib
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import nan

import pytest

from afere import analysis
from afere.analysis.rated import rated, split_sides
from afere.domain import CalibrationPolicy, RatedTable, UsageError


def table(
    confidences: Sequence[float],
    rights: Sequence[int],
    groups: Sequence[str | None] = (),
    categories: Sequence[str] = (),
    ids: Sequence[str] = (),
) -> RatedTable:
    def coded(names: Sequence[str | None]) -> "tuple[array[int], tuple[str, ...]]":
        known: dict[str, int] = {}
        codes = array(
            "i", (-1 if name is None else known.setdefault(name, len(known)) for name in names)
        )
        return codes, tuple(known)

    (group, group_names), (category, category_names) = coded(groups), coded(categories)
    return RatedTable(
        confidence=array("d", confidences),
        right=array("b", rights),
        ids=ids,
        group=group,
        groups=group_names,
        category=category,
        categories=category_names,
        name="t",
    )


def side(seed: int, name: str, share: float) -> str:
    digest = hashlib.sha256(f"{seed}\0{name}".encode()).hexdigest()
    return "tune" if Fraction(int(digest, 16), 2**256) < Fraction(share) else "test"


@pytest.mark.parametrize("share", [0.25, 0.5, 0.8])
def test_a_side_is_the_hash_of_seed_and_group(share: float) -> None:
    names = [f"g{number % 50}" for number in range(400)]
    rows = rated(table([number / 400 for number in range(400)], [1] * 400, names))
    sides = split_sides(rows, seed=7, share=share)
    expected = sorted(
        number / 400 for number, name in enumerate(names) if side(7, name, share) == "tune"
    )
    assert sorted(sides.tuning.confidence.tolist()) == expected
    assert len(sides.tuning.right) + len(sides.reserved.right) == 400


def test_a_side_of_a_row_with_an_id_is_the_hash_of_seed_and_id() -> None:
    ids = [f"r{number}" for number in range(300)]
    rows = rated(table([number / 300 for number in range(300)], [1] * 300, ids=ids))
    sides = split_sides(rows, seed=0, share=0.5)
    expected = [number / 300 for number, name in enumerate(ids) if side(0, name, 0.5) == "tune"]
    assert sides.tuning.confidence.tolist() == expected


def test_rows_that_are_added_move_none() -> None:
    ids = [f"r{number}" for number in range(300)]
    some = rated(table([number / 300 for number in range(200)], [1] * 200, ids=ids[:200]))
    more = rated(table([number / 300 for number in range(300)], [1] * 300, ids=ids))
    first = split_sides(some, seed=0, share=0.5).reserved.confidence.tolist()
    second = split_sides(more, seed=0, share=0.5).reserved.confidence.tolist()
    assert [value for value in second if value < 200 / 300] == first


def test_rows_without_a_confidence_leave_the_others_where_they_are() -> None:
    ids = [f"r{number}" for number in range(100)]
    whole = rated(table([number / 100 for number in range(100)], [1] * 100, ids=ids))
    holes = [nan if number % 3 == 0 else number / 100 for number in range(100)]
    part = rated(table(holes, [1] * 100, ids=ids))
    all_sides = split_sides(whole, seed=0, share=0.5).tuning.confidence.tolist()
    some = split_sides(part, seed=0, share=0.5).tuning.confidence.tolist()
    assert some == [value for value in all_sides if round(value * 100) % 3]


def test_a_missing_group_is_one_by_itself_and_takes_no_name_of_another() -> None:
    rows = rated(table([0.9] * 4, [1] * 4, ["a", None, None, "a"]))
    assert (rows.units, rows.without_group) == (3, 2)
    assert rows.size.groups == 3


def test_one_group_of_nearly_all_rows_is_warned_of() -> None:
    names = ["big"] * 95 + [f"g{number}" for number in range(5)]
    rows = rated(table([0.9] * 100, [1] * 100, names))
    (warning,) = split_sides(rows, seed=0, share=0.5).warnings
    assert warning == "95 of 100 rows are in one group, big: it counts once"


def test_naming_categories_changes_no_split_and_no_hash() -> None:
    confidences, rights = [0.9, 0.9, 0.9, 0.5] * 50, [1, 1, 0, 1] * 50
    plain = rated(table(confidences, rights))
    named = rated(table(confidences, rights, categories=["x", "y"] * 100))
    assert plain.fingerprint == named.fingerprint
    sides = [split_sides(rows, seed=0, share=0.5) for rows in (plain, named)]
    assert sides[0].reserved.fingerprint == sides[1].reserved.fingerprint


def test_the_hash_of_rows_is_free_of_their_order_and_knows_every_answer() -> None:
    first = rated(table([0.9, 0.8], [1, 0], ids=["a", "b"])).fingerprint
    assert rated(table([0.8, 0.9], [0, 1], ids=["b", "a"])).fingerprint == first
    for other in (
        table([0.9, 0.8], [1, 1], ids=["a", "b"]),
        table([0.9, 0.81], [1, 0], ids=["a", "b"]),
        table([0.9, 0.8], [1, 0], ids=["a", "c"]),
    ):
        assert rated(other).fingerprint != first


def test_a_plan_knows_nothing_of_the_reserved_answers() -> None:
    confidences = [1 - (number % 100) / 250 for number in range(1000)]
    rights = [int(number % 40 != 0) for number in range(1000)]
    ids = [f"r{number}" for number in range(1000)]
    policy = CalibrationPolicy()
    first = analysis.prepare(table(confidences, rights, ids=ids), policy)
    spoiled = [
        0 if side(0, name, 0.5) == "test" else right
        for name, right in zip(ids, rights, strict=True)
    ]
    second = analysis.prepare(table(confidences, spoiled, ids=ids), policy)
    assert first.plan is not None
    assert first.plan == second.plan
    assert analysis.look(first, first.plan).certified
    assert second.plan is not None
    assert not analysis.look(second, second.plan).certified


def test_looks_that_share_the_budget_promise_with_more_confidence_each() -> None:
    rights = [1] * 59 + [0] * 0
    policy = CalibrationPolicy(threshold=0.5, declared=True)
    one = analysis.prepare(table([0.9] * 59, rights), policy)
    assert one.plan is not None
    assert analysis.look(one, one.plan).certified
    two = analysis.prepare(table([0.9] * 59, rights), replace(policy, looks=2))
    assert two.plan is not None
    seen = analysis.look(two, two.plan)
    assert not seen.certified
    assert seen.needed_more == 72 - 59


def sources(policy: CalibrationPolicy) -> Mapping[str, RatedTable]:
    good = [1 - (number % 100) / 200 for number in range(600)]
    rights = [int(value > 0.6 or number % 3 == 0) for number, value in enumerate(good)]
    ids = [f"r{number}" for number in range(600)]
    return {
        "logprob": table(good, rights, ids=ids),
        "stated": table([0.9] * 600, rights, ids=ids),
        "agreement": table([nan] * 600, rights, ids=ids),
    }


def test_the_source_that_can_certify_most_is_chosen_on_the_tuning_part() -> None:
    policy = CalibrationPolicy()
    best, measures = analysis.choose_source(sources(policy), policy)
    assert best == "logprob"
    assert set(measures) == {"logprob", "stated"}
    assert measures["logprob"].chosen
    assert measures["logprob"].expected_coverage > measures["stated"].expected_coverage
    assert measures["stated"].auroc == 0.5
    with pytest.raises(UsageError, match="no source gives a confidence"):
        analysis.choose_source({"agreement": sources(policy)["agreement"]}, policy)


def test_only_the_largest_of_very_many_categories_are_measured_apart() -> None:
    names = [f"k{number // 2}" for number in range(500)]
    found = analysis.measure(table([0.9] * 500, [1] * 500, categories=names), CalibrationPolicy())
    assert len(found.by_category) == 200
    assert "only the 200 largest of 250 categories are measured apart" in found.warnings
