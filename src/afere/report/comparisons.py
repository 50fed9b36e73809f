"""The report of a comparison for the terminal: the verdict, its grounds, its limits."""

from collections.abc import Callable

from afere.domain import Comparison, Outcome, PairedCounts, RunStatus, RunSummary, VerdictKind
from afere.report.blocks import Block, Line, Report, Style, Table
from afere.report.harmless import cut, harmless, one_line
from afere.report.limits import unproven
from afere.report.trouble import missing
from afere.report.verdicts import (
    interval_of_difference,
    margin_sentence,
    names,
    needed_sentences,
    verdict_sentence,
)
from afere.report.words import ENGLISH, Words

__all__ = [
    "comparison_report",
    "differing_rows",
    "left_out",
    "noise_sentence",
    "paired_sentence",
    "score_rows",
]

_NAME = 60
_VALUE = 80
_IDS = 20
_ROUNDS = 10
_STYLES = {
    VerdictKind.BETTER: Style.GOOD,
    VerdictKind.WORSE: Style.BAD,
    VerdictKind.EQUIVALENT: Style.STRONG,
    VerdictKind.UNDECIDED: Style.STRONG,
    VerdictKind.INVALID: Style.BAD,
}


def comparison_report(comparison: Comparison, *, words: Words = ENGLISH) -> Report:
    """Tell a comparison: its first line is the verdict in a sentence."""
    return Report(
        (
            _verdict(comparison, words),
            (
                Table(
                    head=("", words.say("baseline"), words.say("candidate")),
                    rows=score_rows(comparison, words),
                    align="lrr",
                ),
            ),
            _pairs(comparison, words),
            _differing(comparison, words),
            tuple(Line(text) for text in left_out(comparison, words)),
            _warnings(comparison, words),
            _limits(comparison, words),
        )
    )


def score_rows(comparison: Comparison, words: Words) -> list[tuple[str, str, str]]:
    """Give the rows of the table of both runs: name, baseline's value, candidate's value."""
    sides = (comparison.baseline, comparison.candidate)
    called = names(comparison)
    rows = [(words.say("model"), called.baseline, called.candidate)]
    for name, value in _MEASURES:
        texts = [value(side, words) for side in sides]
        if any(texts):
            rows.append((words.say(name), texts[0] or "–", texts[1] or "–"))
        if name == "score by round":
            rows += _outcome_rows(sides, words)
    return rows


def paired_sentence(paired: PairedCounts, *, rounds: int, words: Words) -> str:
    """Say how the items fell, in words."""
    parts = [
        words.say("{n} both right", n=words.count(paired.both_right)),
        words.say("{n} only the baseline", n=words.count(paired.only_baseline)),
        words.say("{n} only the candidate", n=words.count(paired.only_candidate)),
        words.say("{n} both wrong", n=words.count(paired.both_wrong)),
    ]
    if paired.split:
        parts.append(words.say("{n} split", n=words.count(paired.split)))
    said = words.many(
        "Of {n} item: {parts}.",
        "Of {n} items: {parts}.",
        n=paired.items,
        parts=words.listing(parts),
    )
    if rounds > 1:
        said += " " + words.say("Right means: in more than half of the rounds.")
    return said


def noise_sentence(comparison: Comparison, words: Words) -> str:
    """Say how far a rerun of the same items may move the difference by chance alone."""
    floor = comparison.noise_floor.difference
    if floor is None:
        return words.say("Noise between rounds: not measured (it takes two rounds on each side).")
    return words.say(
        "Noise between rounds: a rerun of the same items may move the difference by {points} "
        "points by chance alone.",
        points=words.points(floor),
    )


def differing_rows(comparison: Comparison, *, limit: int = _VALUE) -> list[tuple[str, str, str]]:
    """Give what is not the same on both sides: name, baseline's value, candidate's value."""
    return [
        (one_line(name, _NAME), one_line(str(ours), limit), one_line(str(theirs), limit))
        for name, (ours, theirs) in comparison.differing.items()
    ]


def left_out(comparison: Comparison, words: Words) -> list[str]:
    """Say which pairs are not in the comparison, and why."""
    texts = []
    if comparison.paired.excluded:
        texts.append(
            words.many(
                "{n} pair is left out: one of its answers was never graded.",
                "{n} pairs are left out: one of their answers was never graded.",
                n=comparison.paired.excluded,
            )
        )
    unmatched = comparison.unmatched
    for ids, why in (
        (unmatched.only_baseline, "only the baseline was asked"),
        (unmatched.only_candidate, "only the candidate was asked"),
        (unmatched.different_key, "another right answer on each side"),
        (unmatched.different_input, "another question on each side"),
    ):
        if ids:
            texts.append(
                words.many(
                    "{n} item is left out ({why}): {ids}",
                    "{n} items are left out ({why}): {ids}",
                    n=len(ids),
                    why=words.say(why),
                    ids=_ids(ids, words),
                )
            )
    return texts


def _verdict(comparison: Comparison, words: Words) -> tuple[Block, ...]:
    lines = [Line(verdict_sentence(comparison, words=words), _STYLES[comparison.verdict])]
    lines += [Line(text) for text in needed_sentences(comparison, words=words)]
    if comparison.verdict is VerdictKind.INVALID:
        lines += [Line(text) for text in _lost_either_way(comparison, words)]
    elif comparison.difference is not None:
        lines.append(Line(margin_sentence(comparison, words=words)))
    for role, side in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        if side.status is not RunStatus.COMPLETE:
            text = words.say(
                "The {role}'s run is {status}: {lost}.",
                role=words.say(role),
                status=words.say(side.status.value),
                lost=missing(side, words),
            )
            lines.append(Line(text, Style.CAREFUL))
    return tuple(lines)


def _lost_either_way(comparison: Comparison, words: Words) -> list[str]:
    texts = []
    if comparison.bounds is not None:
        texts.append(
            words.say(
                "With all lost pairs against the candidate it would be {low}, with all for it "
                "{high}.",
                low=words.verdict(comparison.bounds.lo_verdict),
                high=words.verdict(comparison.bounds.hi_verdict),
            )
        )
    if any(
        side.status is not RunStatus.COMPLETE
        for side in (comparison.baseline, comparison.candidate)
    ):
        texts.append(
            words.say("Run the same commands again: only what is missing is asked. Then compare.")
        )
    return texts


def _pairs(comparison: Comparison, words: Words) -> tuple[Block, ...]:
    rounds = max(comparison.baseline.rounds, comparison.candidate.rounds)
    difference = words.say(
        "Difference, candidate minus baseline: {difference}.",
        difference=interval_of_difference(comparison, words=words),
    )
    lines = [Line(difference)] if comparison.difference is not None else []
    lines.append(Line(paired_sentence(comparison.paired, rounds=rounds, words=words)))
    for template, ids in (
        ("Only the baseline got right: {ids}", comparison.only_baseline_items),
        ("Only the candidate got right: {ids}", comparison.only_candidate_items),
    ):
        if ids:
            lines.append(Line(words.say(template, ids=_ids(ids, words))))
    lines.append(Line(noise_sentence(comparison, words)))
    if comparison.average == "macro":
        lines.append(Line(words.say("Scores and difference are means over the categories.")))
    return tuple(lines)


def _differing(comparison: Comparison, words: Words) -> tuple[Block, ...]:
    rows = differing_rows(comparison)
    if not rows:
        return ()
    head = (words.say("differs"), words.say("baseline"), words.say("candidate"))
    return (Table(head=head, rows=rows, align="lll"),)


def _warnings(comparison: Comparison, words: Words) -> tuple[Block, ...]:
    texts = [words.tell(text) for text in comparison.warnings]
    for role, side in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        own = [words.tell(text) for text in side.warnings]
        texts += [f"{words.say(role)}: {text}" for text in own if text not in texts]
    return tuple(Line(words.say("Warning: {text}", text=text), Style.CAREFUL) for text in texts)


def _limits(comparison: Comparison, words: Words) -> tuple[Block, ...]:
    head = Line(words.say("What this does not prove:"), Style.STRONG)
    return (head, *(Line(f"- {text}") for text in unproven(comparison, words=words)))


def _ids(ids: tuple[str, ...], words: Words) -> str:
    shown = [cut(harmless(each), _NAME) for each in ids[:_IDS]]
    if len(ids) > _IDS:
        shown.append(words.say("… and {n} more", n=words.count(len(ids) - _IDS)))
    return words.listing(shown)


def _outcome_rows(sides: tuple[RunSummary, RunSummary], words: Words) -> list[tuple[str, str, str]]:
    rows = []
    for outcome in Outcome:
        counts = [side.outcomes.get(outcome, 0) for side in sides]
        if any(counts):
            rows.append((words.outcome(outcome), words.count(counts[0]), words.count(counts[1])))
    return rows


def _round_scores(side: RunSummary, words: Words) -> str:
    if len(side.per_round) > _ROUNDS:
        return words.percent_limits(
            None if side.round_min is None else (side.round_min, side.round_max or 0.0)
        )
    return " / ".join(words.percent(score).removesuffix(" %") for score in side.per_round) + " %"


def _interval(side: RunSummary, words: Words) -> str:
    return "" if side.interval is None else words.percent_limits(side.interval)


def _token_count(name: str) -> Callable[[RunSummary, Words], str]:
    def told(side: RunSummary, words: Words) -> str:
        count = side.tokens.get(name)
        return "" if count is None else words.count(count)

    return told


def _seconds(seconds: float | None, words: Words) -> str:
    return "" if seconds is None else words.seconds(seconds)


_MEASURES: tuple[tuple[str, Callable[[RunSummary, Words], str]], ...] = (
    ("run", lambda side, _: one_line(side.run, _NAME)),
    ("score", lambda side, words: "" if side.score is None else words.percent(side.score)),
    ("interval", _interval),
    ("score by round", _round_scores),
    ("noise floor", lambda side, words: _points(side.noise_floor, words)),
    ("tokens in", _token_count("input")),
    ("tokens out", _token_count("output")),
    ("latency, median", lambda side, words: _seconds(side.latency.p50, words)),
    ("latency, 95 %", lambda side, words: _seconds(side.latency.p95, words)),
    ("cost", lambda side, words: "" if side.cost is None else words.price(side.cost)),
)


def _points(floor: float | None, words: Words) -> str:
    return "" if floor is None else words.say("{n} points", n=words.points(floor))
