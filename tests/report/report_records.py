"""Runs and comparisons built by hand for the tests of the report."""

from dataclasses import replace
from typing import Any

from afere.domain import (
    Behind,
    Calls,
    CategoryDifference,
    CategoryScore,
    Comparison,
    Drivers,
    ErrorAgreement,
    ErrorPlaces,
    ErrorStretch,
    ErrorSummary,
    Expect,
    Exposure,
    Grade,
    Invocation,
    Item,
    ItemLine,
    Latency,
    LetterGap,
    Needed,
    NoiseFloor,
    Outcome,
    PairedCounts,
    Row,
    Run,
    RunPlan,
    RunStatus,
    RunSummary,
    Suite,
    Tokens,
    Unmatched,
    VerdictKind,
)

ROUNDS = (
    {"right": 17, "wrong": 1, "truncated": 2},
    {"right": 18, "wrong": 2},
    {"right": 17, "wrong": 1, "truncated": 2},
)


def summary(**changes: Any) -> RunSummary:
    """A complete run of 20 items in three rounds."""
    items = tuple(
        ItemLine(item=f"p{n:02}", right=3 if n > 2 else 2 - n % 2, rounds=3, seconds_asking=1.2)
        for n in range(1, 21)
    )
    plain = RunSummary(
        run="1a2b3c4d5e6f",
        suite="swap-20",
        suite_hash="0f" * 32,
        model="qwen-27b",
        base_url="https://api.example.com/v1",
        rounds=3,
        items=20,
        score=0.8667,
        interval=(0.712, 0.951),
        level=0.95,
        per_round=(0.85, 0.9, 0.85),
        round_min=0.85,
        round_max=0.9,
        round_sd=0.0289,
        noise_floor=0.031,
        average="micro",
        categories={"arithmetic": CategoryScore(items=20, score=0.8667, interval=(0.712, 0.951))},
        outcomes={"right": 52, "wrong": 4, "truncated": 4},
        round_outcomes=ROUNDS,
        bounds=(0.8667, 0.8667),
        status=RunStatus.COMPLETE,
        started="2026-11-30T07:45:00+00:00",
        finished="2026-11-30T07:46:10+00:00",
        series="",
        served_model=None,
        fingerprint=None,
        letters={},
        items_table=items,
        calls=Calls(made=60),
        tokens={"input": 12345, "output": 2345, "reasoning": None},
        cost=0.0042,
        latency=Latency(p50=0.85, p95=2.31),
        resume_after=None,
        params={"temperature": 0.7, "max_tokens": 4000, "seed": 1},
    )
    return replace(plain, **changes)


def incomplete(**changes: Any) -> RunSummary:
    """A run that lost three calls to a server that answers 503."""
    lost = {
        "status": RunStatus.INCOMPLETE,
        "outcomes": {"right": 49, "wrong": 4, "truncated": 4, "endpoint_error": 3},
        "bounds": (0.8167, 0.8667),
        "first_error": ErrorSummary(
            item="p07",
            kind="server",
            status=503,
            message="HTTP 503 after 4 tries",
            body='{\n  "error": {"message": "overloaded"}\n}',
        ),
        "calls": Calls(made=72, failed=12, retried=9),
    }
    return summary(**(lost | changes))


def invalid(**changes: Any) -> RunSummary:
    """A run of which no call succeeded."""
    lost = {
        "status": RunStatus.INVALID,
        "score": None,
        "interval": None,
        "bounds": None,
        "per_round": (None, None, None),
        "round_min": None,
        "round_max": None,
        "round_sd": None,
        "noise_floor": None,
        "categories": {"arithmetic": CategoryScore(items=20, score=None, interval=None)},
        "items_table": (),
        "items": 0,
        "outcomes": {"not_asked": 59, "endpoint_error": 1},
        "round_outcomes": ({"not_asked": 19, "endpoint_error": 1}, {"not_asked": 20}),
        "first_error": ErrorSummary(
            item="p01", kind="key", status=401, message="the key was refused", body="no such key"
        ),
        "calls": Calls(made=1, failed=1),
        "tokens": {"input": None, "output": None, "reasoning": None},
        "latency": Latency(),
        "cost": None,
    }
    return summary(**(lost | changes))


def comparison(**changes: Any) -> Comparison:
    """A candidate that is worse by 3.2 points."""
    baseline = summary(
        run="0b0b0b0b0b0b",
        model="gpt-oss-120b",
        score=0.899,
        interval=(0.84, 0.94),
        per_round=(0.9, 0.9, 0.897),
    )
    plain = Comparison(
        suite="mine",
        baseline=baseline,
        candidate=summary(),
        paired=PairedCounts(
            items=250,
            excluded=0,
            both_right=210,
            only_baseline=12,
            only_candidate=4,
            both_wrong=23,
            split=1,
        ),
        difference=-0.032,
        interval=(-0.054, -0.011),
        level=0.95,
        method="dirichlet",
        p_value=0.004,
        p_exact=None,
        margin=0.02,
        verdict=VerdictKind.WORSE,
        within_margin=False,
        why="the interval lies below 0",
        needed=Needed(items_even=None, items_80_power=None, rounds_help=False),
        noise_floor=NoiseFloor(baseline=0.02, candidate=0.031, difference=0.037),
        average="micro",
        unmatched=Unmatched(),
        only_baseline_items=("p03", "p07"),
        only_candidate_items=("p11",),
    )
    return replace(plain, **changes)


def suite(*ids: str, **changes: Any) -> Suite:
    """A suite of sums."""
    items = tuple(
        Item(
            id=each,
            category="arithmetic" if n % 2 else "units",
            input=f"How much is {n} + {n}?",
            expect=Expect(kind="number", key=2 * n),
        )
        for n, each in enumerate(ids)
    )
    return replace(Suite(name="mine", items=items), **changes)


def row(item: str, number: int, outcome: Outcome = Outcome.RIGHT, **changes: Any) -> Row:
    """One answer, right unless said otherwise."""
    grade = Grade(
        outcome=outcome,
        score=float(outcome is Outcome.RIGHT) if outcome.counts else None,
        grader="number",
        grader_version="1",
        read="4" if outcome is Outcome.RIGHT else None,
        rule="whole" if outcome is Outcome.RIGHT else None,
    )
    plain = Row(
        item=item,
        round=number,
        grade=grade,
        key=f"key-{item}-{number}",
        finish_reason="stop",
        tokens=Tokens(input=9, output=2),
        latency=0.4,
    )
    return replace(plain, **changes)


def run(asked: Suite, rows: tuple[Row, ...], **changes: Any) -> Run:
    """A run of a suite with the rows given."""
    plan = RunPlan(
        suite_name=asked.name,
        suite_hash=asked.hash,
        endpoint="https://api.example.com/v1",
        base_url="https://api.example.com/v1",
        name="qwen-27b",
        model="qwen/qwen3.8-27b",
        params={"temperature": 0.7, "max_tokens": 64},
        rounds=2,
        items=tuple(item.id for item in asked.items),
    )
    invocation = Invocation(started=1796024700.0, finished=1796024770.0, version="0.1.0")
    return Run(plan=replace(plan, **changes), suite=asked, rows=rows, invocations=(invocation,))


def drivers(**changes: Any) -> Drivers:
    """A difference that lies in one category and comes of answers cut short."""
    places = ErrorPlaces(
        categories={"arithmetic": (20, 3.0)},
        groups={"g1": (5, 3.0), "g2": (15, 1.0)},
        densest=ErrorStretch(
            first="p02",
            last="p06",
            items=5,
            errors=3.0,
            share_of_items=0.25,
            share_of_errors=0.75,
        ),
    )
    plain = Drivers(
        categories={
            "reading": CategoryDifference(items=12, difference=0.0, interval=(-0.05, 0.05)),
            "arithmetic": CategoryDifference(items=8, difference=-0.08, interval=(-0.2, -0.0002)),
        },
        outcomes={"right": (52, 50), "truncated": (4, 6)},
        lost_to={"truncated": 7, "wrong": 1},
        won_from={"wrong": 2},
        both_wrong_items=("p17", "p18"),
        agreement=ErrorAgreement(both_wrong=2, expected=0.456, same_answer=1, phi=0.5),
        flipping=(("p01",), ()),
        letters=(LetterGap(letter="A", chosen=0.3, key=0.25), None),
        places=(places, ErrorPlaces(categories={}, groups={}, densest=None)),
        cost_per_right=(0.0031, None),
        remarks=(),
    )
    return replace(plain, **changes)


def behind(**changes: Any) -> Behind:
    """What lies behind a difference, with every kind of thing to say."""
    seen = CategoryScore(items=30, score=0.9, interval=(0.8, 0.95))
    unseen = CategoryScore(items=40, score=0.8, interval=(0.7, 0.9))
    plain = Behind(
        drivers=drivers(),
        exposures=(
            Exposure(
                by="cutoff",
                model="qwen-27b",
                cutoff="2025-03-01",
                seen=seen,
                unseen=unseen,
                drop=0.1,
                interval=(-0.02, 0.22),
                undated=1,
                reference="gpt-oss-120b",
                beyond_reference=-0.05,
                beyond_interval=(-0.1, 0.0),
            ),
            Exposure(
                by="public",
                model="qwen-27b",
                cutoff=None,
                seen=seen,
                unseen=unseen,
                drop=None,
                interval=None,
            ),
        ),
        no_cutoff=("gpt-oss-120b",),
        public_items=30,
        left_out=67,
        source="an exam",
    )
    return replace(plain, **changes)


LETTERS = {"A": {"chosen": 30, "key": 25}, "B": {"chosen": 70, "key": 75}}


class Marked(dict[str, str]):
    """A catalogue of a language in which each sentence stands in brackets."""

    def get(self, template: str, default: object = None) -> str:  # noqa: ARG002 - every template is there
        return f"⟦{template}⟧"
