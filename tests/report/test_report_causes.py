"""What drives a difference, and what a comparison does not prove of its suite."""

# ruff: noqa: E501 - the expected texts stand as they are printed
import pytest
from inline_snapshot import snapshot
from report_records import LETTERS, behind, comparison, drivers, row, run, suite, summary

from afere.domain import CategoryDifference, LetterGap, PositionTest, Sentence
from afere.report import comparison_page, comparison_report, run_report


def told(**changes: object) -> str:
    choices = comparison(
        baseline=summary(model="gpt-oss-120b", letters=LETTERS),
        candidate=summary(letters=LETTERS),
    )
    return str(comparison_report(choices, behind(**changes)))


def test_what_drives_the_difference_is_told_from_cause_to_dates() -> None:
    text = told()
    start, end = text.index("What drives"), text.index("What this does not")
    assert text[start:end] == snapshot("""\
What drives the difference:
Where only the baseline is right, the candidate's answers are: 7 truncated, 1 wrong.
Where only the candidate is right, the baseline's answers are: 2 wrong.
Both miss 2 items (0.5 if their errors had nothing in common; with the same answer: 1): p17, p18
Correlation of their errors: 0.50 (1: the same items; 0: unrelated).
Not the same in every round, baseline: p01
Errors of gpt-oss-120b by group: g1 3.0 of 5.
Errors of gpt-oss-120b lie densest from p02 to p06: 75.0 % of them on 25.0 % of the items (found by looking: exploratory).

category    items  baseline  candidate  points    95 % interval
arithmetic      8    86.7 %     86.7 %   -8.00  -20.00 to -0.02
reading        12         –          –     0.0     -5.0 to +5.0

letter  in the key  baseline chose  candidate chose
A           25.0 %          30.0 %           30.0 %
B           75.0 %          70.0 %           70.0 %
gpt-oss-120b: the largest gap is at A, chosen 30.0 % where the key has 25.0 %.

qwen-27b: 90.0 % right on the 30 items dated up to its cut-off 2025-03-01, 80.0 % on the 40 later ones; difference: +10.0 points (95 % interval -2.0 to +22.0).
qwen-27b: beyond the difference that gpt-oss-120b has on the same items: -5.0 points (95 % interval -10.0 to 0.0).
1 item is left out: its date does not tell.
qwen-27b: 90.0 % right on the 30 items marked public, 80.0 % on the 40 others; difference: not estimable.

""")


@pytest.mark.parametrize(
    ("changes", "remark"),
    [
        ({}, "Options were not rotated"),
        ({}, "No cut-off date is known of gpt-oss-120b"),
        ({}, "30 items are public"),
        ({}, "67 questions of the exam are left out"),
        ({}, "All items are from one source (an exam)"),
    ],
)
def test_what_the_suite_leaves_open_is_said(changes: dict[str, object], remark: str) -> None:
    limits = told(**changes).partition("What this does not prove")[2]
    assert remark in limits
    silent = str(
        comparison_report(
            comparison(),
            behind(no_cutoff=(), public_items=0, left_out=0, source="", exposures=()),
        ),
    )
    assert remark not in silent


def test_a_token_limit_is_told_from_worse_answers() -> None:
    said = Sentence("of the {rows} answers {count} are {outcome}", rows=8, count=7, outcome="empty")
    text = told(drivers=drivers(remarks=(said,)))
    assert "What drives the difference:\nof the 8 answers 7 are empty\n" in text


@pytest.mark.parametrize(
    ("p", "said"),
    [(0.01, "more than chance (Cochran's Q, p 0.010)"), (0.4, "may be chance"), (None, "no item")],
)
def test_positions_are_told_where_options_were_rotated(p: float | None, said: str) -> None:
    test = PositionTest(items=40, accuracy={"A": 1.0, "B": 0.9}, q=4.0, degrees_of_freedom=1, p=p)
    rotated = comparison(
        baseline=summary(model="a", letters=LETTERS, positions=test),
        candidate=summary(letters=LETTERS, positions=test),
    )
    text = str(comparison_report(rotated, behind()))
    assert "a by the place of the right option (40 items): A 100.0 %, B 90.0 %" in text
    assert said in text
    assert "Options were not rotated" not in text


def test_one_category_is_no_table() -> None:
    one = {"arithmetic": CategoryDifference(items=8, difference=-0.1, interval=None)}
    assert "category" not in told(drivers=drivers(categories=one)).partition("What this")[0]


def test_nothing_is_said_of_what_is_not_there() -> None:
    empty = drivers(
        categories={},
        lost_to={},
        won_from={},
        both_wrong_items=(),
        flipping=((), ()),
        places=(drivers().places[1], drivers().places[1]),
        cost_per_right=(None, None),
        letters=(None, None),
    )
    plain = behind(drivers=empty, exposures=(), no_cutoff=(), public_items=0, left_out=0, source="")
    assert str(comparison_report(comparison(), plain)) == str(comparison_report(comparison()))


def test_the_page_tells_the_same_causes() -> None:
    choices = comparison(
        baseline=summary(model="gpt-oss-120b", letters=LETTERS),
        candidate=summary(letters=LETTERS),
    )
    asked = run(suite("p01"), (row("p01", 1),))
    page = comparison_page(choices, asked, asked, behind=behind())
    for said in (
        "7 truncated, 1 wrong",
        "Letters chosen",
        "Trained on the items?",
        "price of a right answer",
        "67 questions of the exam are left out",
    ):
        assert said in page
    without = comparison_page(choices, asked, asked)
    assert "Trained on the items?" not in without


def test_a_run_of_choices_tells_its_letters_and_where_errors_lie() -> None:
    gap = LetterGap(letter="A", chosen=0.3, key=0.25)
    places = drivers().places[0]
    text = str(run_report(summary(letters=LETTERS), gap=gap, places=places))
    assert (
        "letter  in the key  chosen\n"
        "A           25.0 %  30.0 %\n"
        "B           75.0 %  70.0 %\n"
        "qwen-27b: the largest gap is at A, chosen 30.0 % where the key has 25.0 %.\n"
    ) in text
    assert "Errors of qwen-27b lie densest from p02 to p06" in text
    assert "letter" not in str(run_report(summary()))
