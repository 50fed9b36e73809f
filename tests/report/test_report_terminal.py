"""What a person reads in the terminal after a run and a comparison."""

# ruff: noqa: E501 - the expected texts stand as they are printed
import subprocess
import sys
import unicodedata
from dataclasses import replace
from io import StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from report_records import Marked, comparison, incomplete, invalid, summary
from rich.console import Console

from afere.domain import (
    Calls,
    Comparison,
    ErrorSummary,
    Invocation,
    ItemLine,
    LostBounds,
    Needed,
    NoiseFloor,
    PairedCounts,
    RunPlan,
    RunStatus,
    RunSummary,
    Sentence,
    Unmatched,
    VerdictKind,
    decode,
    encode,
)
from afere.report import (
    Report,
    Words,
    comparison_report,
    gate_line,
    round_line,
    run_report,
    runs_table,
    verdict_sentence,
)

NEXT = "afere compare gpt-oss-120b qwen-27b"


def told(run: RunSummary) -> str:
    return str(run_report(run, store=".afere/afere.db", next_command=NEXT))


def on_terminal(report: Report, width: int, *, colour: bool = True) -> str:
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        _environ={},
    )
    console.print(report)
    return out.getvalue()


def test_a_complete_run_is_told_item_by_item_then_as_a_whole() -> None:
    few = summary(items_table=summary().items_table[:3])
    assert told(few) == snapshot("""\
qwen-27b on swap-20: 3 items, 3 rounds, https://api.example.com/v1

p01  1/3 right  1.2 s
p02  2/3 right  1.2 s
p03  3/3 right  1.2 s

Score 86.7 % (95 % interval 71.2 to 95.1 %); lowest round 85.0 %, highest 90.0 %

round  right  of   score  wrong  truncated
    1     17  20  85.0 %      1          2
    2     18  20  90.0 %      2          0
    3     17  20  85.0 %      1          2

outcomes     52 right, 4 wrong, 4 truncated
calls        60 made
tokens       12,345 in, 2,345 out
latency      median 0.85 s, 95 % of calls within 2.3 s
cost         $0.0042
noise floor  a rerun of these items may lie 3.1 points off by chance

Run 1a2b3c4d5e6f is kept in .afere/afere.db. Next: afere compare gpt-oss-120b qwen-27b\
""")


def test_a_run_that_lost_calls_is_headed_incomplete() -> None:
    head = told(incomplete()).split("\n\n")[0]
    assert head == snapshot("""\
INCOMPLETE: 3 of 60 calls failed.
Until they are repeated, the number also measures the network, not the model alone.
Score if everything missing were wrong: 81.7 %; if it were right: 86.7 %.
First error, item p07: HTTP 503 after 4 tries
Its reply: { "error": {"message": "overloaded"} }
Mend: run the same command again: only what is missing is asked.\
""")


def test_a_run_without_a_graded_row_is_headed_invalid_and_shows_no_score() -> None:
    text = told(invalid())
    assert text.split("\n\n")[0] == snapshot("""\
INVALID: nothing was graded; 1 of 60 calls failed, 59 answers were not asked for.
There is no score: this says nothing about the model.
First error, item p01: HTTP 401: the key was refused
Its reply: no such key
Mend: the key was not accepted; put a valid one into AFERE_API_KEY, or name the variable that holds it with --key-env NAME.\
""")
    assert "Score" not in text


def test_an_interrupted_run_does_not_speak_of_the_network() -> None:
    run = incomplete(outcomes={"right": 40, "wrong": 8, "not_asked": 12}, first_error=None)
    head = told(run).split("\n\n")[0]
    assert head == snapshot("""\
INCOMPLETE: 12 answers were not asked for.
Until they are there, the number speaks of the rest alone.
Score if everything missing were wrong: 81.7 %; if it were right: 86.7 %.\
""")


@pytest.mark.parametrize(
    ("kind", "status", "mend"),
    [
        ("key", 401, "AFERE_API_KEY"),
        ("not_found", 404, "often ends in /v1) and the model's name (qwen-27b)"),
        ("bad_request", 400, "--header 'Name: value'"),
        ("forbidden", 403, "--header 'Name: value'"),
        ("quota", 429, "run the same command after 2026-12-01 00:00 UTC"),
        ("rate_limit", 429, "run the same command after 2026-12-01 00:00 UTC"),
        ("timeout", None, "--concurrency 1"),
        ("server", 504, "--concurrency 1"),
        ("connection", None, "is the server running"),
        ("bad_body", 200, "not as an OpenAI-compatible endpoint does"),
        ("redirect", 302, "--base-url"),
        ("server", 503, "only what is missing is asked"),
        ("unheard-of", None, "only what is missing is asked"),
    ],
)
def test_each_first_error_comes_with_its_mend(kind: str, status: int | None, mend: str) -> None:
    error = ErrorSummary(item="p01", kind=kind, status=status, message="it failed")
    run = incomplete(first_error=error, resume_after="2026-12-01T00:00:00+00:00")
    line = next(line for line in told(run).splitlines() if line.startswith("Mend: "))
    assert mend in line


def test_two_hundred_characters_of_the_reply_are_shown() -> None:
    error = ErrorSummary(item="p01", kind="server", status=500, message="no", body="é" * 5000)
    line = next(
        each for each in told(incomplete(first_error=error)).splitlines() if "Its reply" in each
    )
    assert len(line.removeprefix("Its reply: ")) == 200


def test_a_key_in_the_address_is_not_shown() -> None:
    text = told(summary(base_url="https://user:sk-TEST1@api.example.com/v1?key=sk-TEST2#sk-TEST3"))
    assert "https://api.example.com/v1" in text
    assert "sk-TEST" not in text


def test_more_than_thirty_items_are_not_listed() -> None:
    items = tuple(ItemLine(item=f"q{n}", right=1, rounds=1, seconds_asking=None) for n in range(31))
    assert "q1 " in told(summary(items_table=items[:30]))
    assert "q1 " not in told(summary(items_table=items))


def test_the_last_line_names_run_store_and_next_command() -> None:
    last = told(summary()).splitlines()[-1]
    assert last == f"Run 1a2b3c4d5e6f is kept in .afere/afere.db. Next: {NEXT}"


def test_answers_wholly_from_the_store_are_dated() -> None:
    run = summary(
        calls=Calls(cached=60),
        answered_from="2026-11-29T10:00:00+00:00",
        answered_to="2026-11-29T10:02:00+00:00",
    )
    assert "answers given from 2026-11-29 10:00 UTC to 2026-11-29 10:02 UTC" in told(run)
    assert "0 made, 60 answered from the store" in told(run)


def test_nearly_all_is_not_rounded_to_all() -> None:
    text = told(summary(score=0.9998, interval=(0.9991, 1.0)))
    assert "Score 99.98 % (95 % interval 99.9 to 100.0 %)" in text


def test_a_round_ends_with_right_of_counted_and_the_faults() -> None:
    outcomes = {"right": 17, "wrong": 1, "truncated": 2, "endpoint_error": 1}
    assert round_line(2, 3, outcomes) == "round 2/3: 17/20, 1 failed, 2 truncated"
    assert round_line(1, 1, {"right": 1200}) == "round 1/1: 1,200/1,200"
    assert round_line(1, 1, {}) == "round 1/1: 0/0"


def test_worse_is_said_in_the_first_line() -> None:
    assert str(comparison_report(comparison())).splitlines()[0] == (
        "worse: qwen-27b answers 3.2 points fewer of these items right than gpt-oss-120b "
        "(95 % interval 1.1 to 5.4)"
    )


def test_a_comparison_is_told_from_verdict_to_limits() -> None:
    assert str(comparison_report(comparison())) == snapshot("""\
worse: qwen-27b answers 3.2 points fewer of these items right than gpt-oss-120b (95 % interval 1.1 to 5.4)
A difference below 2 points is taken not to matter (the default; --margin).

                                  baseline             candidate
model                         gpt-oss-120b              qwen-27b
run                           0b0b0b0b0b0b          1a2b3c4d5e6f
score                               89.9 %                86.7 %
interval                    84.0 to 94.0 %        71.2 to 95.1 %
score by round        90.0 / 90.0 / 89.7 %  85.0 / 90.0 / 85.0 %
right                                   52                    52
wrong                                    4                     4
truncated                                4                     4
noise floor                     3.1 points            3.1 points
tokens in                           12,345                12,345
tokens out                           2,345                 2,345
latency, median                     0.85 s                0.85 s
latency, 95 % within                 2.3 s                 2.3 s
cost                               $0.0042               $0.0042

Difference, candidate minus baseline: -3.2 points (95 % interval -5.4 to -1.1).
Of 250 items: 210 both right, 12 only the baseline, 4 only the candidate, 23 both wrong, 1 split. Right means: in more than half of the rounds.
Only the baseline got right: p03, p07
Only the candidate got right: p11
See the answers to one of them: afere show 1a2b3c4d5e6f --item p03
Noise between rounds: a rerun of the same items may move the difference by 3.7 points by chance alone.

What this does not prove:
- It speaks of items like these, asked and read in this way: not of other tasks.
- Latency holds the provider's queue, and is no part of the verdict.\
""")


UNDECIDED = {
    "difference": 0.0274,
    "interval": (-0.0486, 0.1102),
    "verdict": VerdictKind.UNDECIDED,
    "paired": PairedCounts(
        items=73, excluded=0, both_right=64, only_baseline=2, only_candidate=4, both_wrong=3
    ),
    "needed": Needed(items_even=421, items_80_power=857, rounds_help=False),
    "noise_floor": NoiseFloor(baseline=None, candidate=None, difference=None),
    "why": "the interval holds 0 and passes the margin",
}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"verdict": VerdictKind.BETTER, "difference": 0.05, "interval": (0.0002, 0.0998)},
            (
                "better: qwen-27b answers 5.00 points more of these items right than gpt-oss-120b "
                "(95 % interval 0.02 to 9.98)"
            ),
        ),
        (
            {"difference": -0.01, "interval": (-0.019, -0.001), "within_margin": True},
            (
                "worse, but by less than the margin of 2 points: qwen-27b answers 1.0 points fewer of "
                "these items right than gpt-oss-120b (95 % interval 0.1 to 1.9)"
            ),
        ),
        (
            {"verdict": VerdictKind.EQUIVALENT, "difference": 0.001, "interval": (-0.01, 0.01999)},
            (
                "equivalent: qwen-27b and gpt-oss-120b differ by less than the margin of 2 points on "
                "items like these: +0.100 points (95 % interval -1.000 to +1.999)"
            ),
        ),
        (
            UNDECIDED,
            (
                "undecided: qwen-27b answers 2.7 points more of these items right than gpt-oss-120b, "
                "which may be chance (95 % interval -4.9 to +11.0)"
            ),
        ),
        (
            UNDECIDED | {"difference": -0.0274, "interval": (-0.1102, 0.0486)},
            (
                "undecided: qwen-27b answers 2.7 points fewer of these items right than gpt-oss-120b, "
                "which may be chance (95 % interval -11.0 to +4.9)"
            ),
        ),
        (
            UNDECIDED | {"difference": 0.0, "interval": (-0.05, 0.05)},
            (
                "undecided: qwen-27b and gpt-oss-120b answer the same share of these items right, but "
                "that they are equivalent is not shown (95 % interval -5.0 to +5.0 points, margin "
                "2 points)"
            ),
        ),
        (
            UNDECIDED | {"interval": None, "difference": None, "why": "one item decides nothing"},
            "undecided: one item decides nothing",
        ),
        (
            UNDECIDED | {"interval": (0.01, 0.1), "why": "too few groups"},
            "undecided: too few groups",
        ),
        (
            {"verdict": VerdictKind.INVALID, "why": Sentence("{n} lost pairs could turn it", n=3)},
            "invalid: 3 lost pairs could turn it",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_verdict_is_one_plain_sentence(changes: dict[str, object], sentence: str) -> None:
    case = comparison(**changes)
    assert verdict_sentence(case) == sentence
    assert str(comparison_report(case)).splitlines()[0] == sentence


def test_undecided_says_what_would_decide_it_and_never_to_run_until_it_differs() -> None:
    one_round = {"rounds": 1, "per_round": (0.9,), "noise_floor": None}
    case = comparison(
        **UNDECIDED, baseline=summary(model="a", **one_round), candidate=summary(**one_round)
    )
    section = str(comparison_report(case)).split("\n\n")[0].splitlines()[1:3]
    assert section == snapshot(
        [
            "If the difference is what it seems, about 421 items like these would show it with an even chance, about 857 with 80 % power: choose the number before you look again.",
            "Whether more rounds would help cannot be told from one round.",
        ]
    )


@pytest.mark.parametrize(
    ("needed", "sentence"),
    [
        (Needed(items_even=None, items_80_power=None, rounds_help=True), "cannot be told"),
        (Needed(items_even=1421, items_80_power=None, rounds_help=True), "About 1,421 items"),
        (Needed(items_even=None, items_80_power=2857, rounds_help=True), "About 2,857 items"),
    ],
)
def test_what_is_not_known_of_the_needed_items_is_not_said(needed: Needed, sentence: str) -> None:
    text = str(comparison_report(comparison(**(UNDECIDED | {"needed": needed}))))
    assert sentence in text
    assert "None" not in text
    assert "More rounds of the same items could decide it too." in text


def test_an_invalid_comparison_names_both_ways_it_could_go() -> None:
    case = comparison(
        verdict=VerdictKind.INVALID,
        why="3 lost pairs could turn the verdict",
        bounds=LostBounds(lo_verdict=VerdictKind.WORSE, hi_verdict=VerdictKind.UNDECIDED),
        candidate=incomplete(),
    )
    section = str(comparison_report(case)).split("\n\n")[0]
    assert section == snapshot("""\
invalid: 3 lost pairs could turn the verdict
With all lost pairs against the candidate it would be worse, with all for it undecided.
Run the same commands again: only what is missing is asked. Then compare.
The candidate's run is incomplete: 3 of 60 calls failed.\
""")


def test_one_name_on_both_sides_is_told_apart() -> None:
    one = summary(run="0b0b0b0b0b0b")
    by_series = comparison(baseline=one, candidate=summary(series="may"))
    assert "qwen-27b@may answers 3.2 points fewer" in verdict_sentence(by_series)
    by_run = comparison(baseline=one, candidate=summary())
    assert "than qwen-27b (0b0b0b0b0b0b)" in verdict_sentence(by_run)


def test_items_left_out_and_what_differs_are_named() -> None:
    case = comparison(
        paired=replace(comparison().paired, excluded=2),
        unmatched=Unmatched(only_baseline=("a", "b"), different_key=("c",)),
        differing={"params.temperature": (0, 0.7), "prompt": (None, "Answer:\n{{ input }}")},
        only_baseline_items=tuple(f"q{n}" for n in range(25)),
        warnings=("the suite's version differs",),
    )
    text = str(comparison_report(case))
    assert "2 pairs are left out: one of their answers was never graded." in text
    assert "2 items are left out (only the baseline was asked): a, b" in text
    assert "1 item is left out (another right answer on each side): c" in text
    assert "params.temperature  0         0.7" in text
    assert "q19, … and 5 more" in text
    assert "q20" not in text
    assert "Warning: the suite's version differs" in text
    assert "More than the model differs (params.temperature, prompt): " in text


def test_the_limits_are_chosen_from_the_comparison() -> None:
    short = {"rounds": 1, "per_round": (0.9,), "outcomes": {"right": 18, "truncated": 2}}
    case = comparison(
        **UNDECIDED,
        suite="swap-20",
        groups=12,
        baseline=summary(rounds=1, per_round=(0.9,), model="a"),
        candidate=summary(**short),
    )
    assert str(comparison_report(case)).split("\n\n")[-1] == snapshot("""\
What this does not prove:
- It speaks of items like these, asked and read in this way: not of other tasks.
- The interval holds 0: neither a difference nor that there is none is shown.
- One round: how far a rerun of these items would differ was not measured.
- 73 items are few: small differences cannot be seen with them.
- swap-20 is a start and no benchmark: items from your own work say more.
- Items share texts or sources: 12 groups, not the single items, carry the interval.
- The token limit cut 4 answers of the baseline and 2 of the candidate: part of the difference may be the limit (max_tokens), not the answers.
- Latency holds the provider's queue, and is no part of the verdict.\
""")


def test_a_gate_gives_one_line_for_the_log() -> None:
    assert gate_line(comparison(), "not-worse", 1).startswith("gate not-worse failed: worse: qwen")
    assert gate_line(comparison(), "decided", 0).startswith("gate decided passed: worse: ")
    assert gate_line(comparison(), "better", 4).startswith("gate better not decided: ")
    broken = comparison(verdict=VerdictKind.INVALID, why="it\nfailed")
    assert gate_line(broken, "better", 3) == "gate better cannot be judged: invalid: it\\nfailed"


def test_the_runs_of_a_store_are_listed() -> None:
    plan = RunPlan(
        suite_name="swap-20",
        suite_hash="h",
        endpoint="e",
        base_url="u",
        name="qwen",
        model="m",
        params={},
        rounds=3,
        items=("a", "b"),
        series="may",
    )
    text = str(runs_table([(plan, Invocation(started=1796024700.0, interrupted=True))]))
    assert text.splitlines()[1].split() == [
        *(plan.id, "swap-20", "qwen@may", "2", "3"),
        *("2026-11-30", "07:45", "UTC", "interrupted"),
    ]
    assert str(runs_table([])) == "No runs yet. Start with: afere demo"


def test_a_pipe_gets_no_colour_and_no_wrapped_line() -> None:
    text = str(comparison_report(comparison()))
    assert "\x1b" not in text
    assert "\x1b" not in on_terminal(comparison_report(comparison()), 80, colour=False)
    assert "\x1b" in on_terminal(comparison_report(comparison()), 80)


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_a_narrow_terminal_wraps_and_loses_nothing(width: int) -> None:
    shown = on_terminal(comparison_report(comparison()), width, colour=False)
    assert max(map(len, shown.splitlines())) <= width
    letters = "".join(shown.split())
    assert "gpt-oss-120b" in letters
    assert "Latencyholdstheprovider'squeue,andisnopartoftheverdict." in letters


ATTACKS = [
    "[red]alert[/red]",
    "[link=https://evil.example]x[/link]",
    "\x1b]0;owned\x07\x1b[2J\x1b[31m",
    "a\nRun of the enemy\r\x08",
    "\u202eevil\u2066\u200b",
    "lone \ud800 surrogate",
    ":skull: {0.__class__} {x} %s",
    "\x9b31m\u2028\u2029",
    "世界" * 200,
    "",
]
FORBIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
names_ = st.sampled_from(ATTACKS) | st.text(st.characters(exclude_categories=()), max_size=40)


def hostile_run(name: str) -> RunSummary:
    run = incomplete() if len(name) % 2 else summary()
    return replace(
        run,
        model=name,
        suite=name,
        base_url=name,
        series=name,
        run=name,
        resume_after=name,
        items_table=(replace(run.items_table[0], item=name),),
        categories=dict.fromkeys((name, "b"), next(iter(run.categories.values()))),
        warnings=(name,),
        first_error=ErrorSummary(item=name, kind=name, status=404, message=name, body=name),
        status=RunStatus.INCOMPLETE,
    )


def hostile_comparison(name: str) -> Comparison:
    return comparison(
        suite=name,
        baseline=hostile_run(name),
        candidate=hostile_run(name),
        why=name,
        verdict=VerdictKind.INVALID if len(name) % 3 else VerdictKind.WORSE,
        unmatched=Unmatched(only_baseline=(name,), different_key=(name, name)),
        only_baseline_items=(name,),
        differing={name: (name, {name: [name]})},
        warnings=(name,),
    )


@given(names_)
@settings(deadline=None)
def test_no_name_can_steer_the_terminal(name: str) -> None:
    reports = [
        run_report(hostile_run(name), store=name, next_command=name),
        comparison_report(hostile_comparison(name)),
    ]
    for report in reports:
        for shown in (str(report), on_terminal(report, 40, colour=False)):
            kinds = {unicodedata.category(character) for character in shown.replace("\n", "")}
            assert not kinds & FORBIDDEN
    line = gate_line(hostile_comparison(name), name, 1)
    assert not {unicodedata.category(character) for character in line} & FORBIDDEN


def test_markup_in_a_name_is_shown_as_written() -> None:
    text = told(summary(model="[red]alert[/red] :skull: \x1b[31m"))
    assert "[red]alert[/red] :skull: \\x1b[31m on swap-20" in text


def test_rich_and_jinja_are_loaded_only_when_something_is_drawn() -> None:
    code = "import sys, afere.report; print({'rich', 'jinja2'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"


def test_the_plain_form_has_the_fields_that_scripts_rely_on() -> None:
    of_run = incomplete().to_dict()
    assert set(of_run) >= {
        "run",
        "suite",
        "suite_hash",
        "model",
        "base_url",
        "rounds",
        "items",
        "score",
        "interval",
        "level",
        "per_round",
        "categories",
        "outcomes",
        "bounds",
        "status",
        "round_min",
        "round_max",
        "round_sd",
        "started",
        "finished",
        "series",
        "served_model",
        "fingerprint",
        "letters",
        "items_table",
        "calls",
        "tokens",
        "cost",
        "latency",
        "resume_after",
    }
    of_pair = comparison(why=Sentence("{n} items", n=3)).to_dict()
    assert set(of_pair) >= {
        "suite",
        "baseline",
        "candidate",
        "paired",
        "difference",
        "interval",
        "level",
        "method",
        "p_value",
        "p_exact",
        "margin",
        "verdict",
        "within_margin",
        "why",
        "needed",
        "noise_floor",
        "groups",
        "warnings",
        "bounds",
        "unmatched",
    }
    assert set(of_pair["paired"]) >= {
        "items",
        "excluded",
        "both_right",
        "only_baseline",
        "only_candidate",
        "both_wrong",
        "split",
    }
    assert set(of_pair["needed"]) >= {"items_even", "items_80_power", "rounds_help"}
    assert set(of_pair["noise_floor"]) == {"baseline", "candidate", "difference"}
    assert decode(encode(of_pair))["why"] == "3 items"


def test_every_line_can_be_translated() -> None:
    words = Words(language="xx", catalogue=Marked())
    run = incomplete(warnings=(Sentence("{n} rows", n=3),), items_table=())
    reports = [
        run_report(run, store="s", next_command="c", words=words),
        comparison_report(comparison(**UNDECIDED), words=words),
    ]
    lines = [line for report in reports for line in str(report).splitlines() if line]
    numbers = [line for line in lines if line.split()[0].isdigit()]
    assert len(numbers) == 3, "the rounds alone"
    assert not [line for line in lines if "⟦" not in line and line not in numbers]
    assert any("⟦3 rows⟧" in line for line in lines)
