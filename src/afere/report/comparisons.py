"""The report of a comparison for the terminal: the verdict, its grounds, its limits."""

from afere.domain import Comparison, RunStatus, VerdictKind
from afere.report.blocks import Block, Line, Report, Style, Table
from afere.report.limits import unproven
from afere.report.sides import (
    both,
    cost_rows,
    differing_rows,
    left_out,
    listed,
    lost_either_way,
    most_rounds,
    noise_sentence,
    paired_sentence,
    score_rows,
    warning_texts,
)
from afere.report.trouble import missing
from afere.report.verdicts import (
    interval_of_difference,
    margin_sentence,
    needed_sentences,
    verdict_sentence,
)
from afere.report.words import ENGLISH, Words

__all__ = ["comparison_report"]

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
                    rows=score_rows(comparison, words) + cost_rows(comparison, words),
                    align="lrr",
                ),
            ),
            _pairs(comparison, words),
            _differing(comparison, words),
            tuple(Line(text) for text in left_out(comparison, words)),
            tuple(
                Line(words.say("Warning: {text}", text=text), Style.CAREFUL)
                for text in warning_texts(comparison, words)
            ),
            _limits(comparison, words),
        )
    )


def _verdict(comparison: Comparison, words: Words) -> tuple[Block, ...]:
    lines = [Line(verdict_sentence(comparison, words=words), _STYLES[comparison.verdict])]
    lines += [Line(text) for text in needed_sentences(comparison, words=words)]
    if comparison.verdict is VerdictKind.INVALID:
        lines += [Line(text) for text in lost_either_way(comparison, words)]
    elif comparison.difference is not None:
        lines.append(Line(margin_sentence(comparison, words=words)))
    for role, side in zip(("baseline", "candidate"), both(comparison), strict=True):
        if side.status is not RunStatus.COMPLETE:
            text = words.say(
                "The {role}'s run is {status}: {lost}.",
                role=words.say(role),
                status=words.say(side.status.value),
                lost=missing(side, words),
            )
            lines.append(Line(text, Style.CAREFUL))
    return tuple(lines)


def _pairs(comparison: Comparison, words: Words) -> tuple[Block, ...]:
    difference = words.say(
        "Difference, candidate minus baseline: {difference}.",
        difference=interval_of_difference(comparison, words=words),
    )
    lines = [Line(difference)] if comparison.difference is not None else []
    rounds = most_rounds(comparison)
    lines.append(Line(paired_sentence(comparison.paired, rounds=rounds, words=words)))
    for template, ids in (
        ("Only the baseline got right: {ids}", comparison.only_baseline_items),
        ("Only the candidate got right: {ids}", comparison.only_candidate_items),
    ):
        if ids:
            lines.append(Line(words.say(template, ids=listed(ids, words))))
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


def _limits(comparison: Comparison, words: Words) -> tuple[Block, ...]:
    head = Line(words.say("What this does not prove:"), Style.STRONG)
    return (head, *(Line(f"- {text}") for text in unproven(comparison, words=words)))
