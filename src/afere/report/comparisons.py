"""The report of a comparison for the terminal: the verdict, its grounds, its limits."""

from afere.domain import Behind, Comparison, RunStatus, VerdictKind
from afere.report.blocks import Block, Line, Report, Style, Table
from afere.report.causes import (
    CATEGORY_ALIGN,
    category_head,
    category_rows,
    cause_sentences,
    exposure_sentences,
    price_row,
)
from afere.report.letters import LETTER_ALIGN, letter_head, letter_rows, letter_sentences
from afere.report.limits import unproven
from afere.report.sides import (
    both,
    cost_rows,
    differing_rows,
    left_out,
    lost_either_way,
    most_rounds,
    noise_sentence,
    only_sentences,
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


def comparison_report(
    comparison: Comparison,
    behind: Behind | None = None,
    *,
    words: Words = ENGLISH,
) -> Report:
    """Tell a comparison: its first line is the verdict in a sentence, what differs heads the table.

    behind: what drives the difference; without it that is left out.
    """
    rows = score_rows(comparison, words) + cost_rows(comparison, words)
    rows += price_row(behind, words) if behind is not None else []
    return Report(
        (
            _verdict(comparison, words),
            _differing(comparison, words),
            (Table(head=("", *words.each("baseline", "candidate")), rows=rows, align="lrr"),),
            _pairs(comparison, words),
            *(_causes(comparison, behind, words) if behind is not None else ()),
            tuple(Line(text) for text in left_out(comparison, words)),
            tuple(
                Line(words.say("Warning: {text}", text=text), Style.CAREFUL)
                for text in warning_texts(comparison, words)
            ),
            _limits(comparison, behind, words),
        )
    )


def _verdict(comparison: Comparison, words: Words) -> tuple[Block, ...]:
    lines = [Line(verdict_sentence(comparison, words=words), _STYLES[comparison.verdict])]
    lines += [Line(text) for text in needed_sentences(comparison, words=words)]
    if comparison.verdict is VerdictKind.INVALID:
        lines += [Line(text) for text in lost_either_way(comparison, words)]
    elif comparison.difference is not None:
        lines.append(Line(margin_sentence(comparison, words=words)))
    for role, side in zip(words.each("baseline", "candidate"), both(comparison), strict=True):
        if side.status is not RunStatus.COMPLETE:
            text = words.say(
                "The {role}'s run is {status}: {lost}.",
                role=role,
                status=words.status(side.status.value),
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
    lines += [Line(text) for text in only_sentences(comparison, words)]
    lines.append(Line(noise_sentence(comparison, words)))
    if comparison.average == "macro":
        lines.append(Line(words.say("Scores and difference are means over the categories.")))
    return tuple(lines)


def _differing(comparison: Comparison, words: Words) -> tuple[Block, ...]:
    rows = differing_rows(comparison)
    if not rows:
        return ()
    return (Table(head=words.each("differs", "baseline", "candidate"), rows=rows, align="lll"),)


def _causes(
    comparison: Comparison,
    behind: Behind,
    words: Words,
) -> tuple[tuple[Block, ...], ...]:
    """Give the sections on what drives the difference; those with nothing to say are empty."""
    sentences = [Line(text) for text in cause_sentences(comparison, behind, words)]
    head = Line(words.say("What drives the difference:"), Style.STRONG)
    categories = category_rows(comparison, behind, words)
    letters = letter_rows(comparison, words)
    return (
        (head, *sentences) if sentences else (),
        (Table(head=category_head(comparison, words), rows=categories, align=CATEGORY_ALIGN),)
        if categories
        else (),
        (
            Table(head=letter_head(words), rows=letters, align=LETTER_ALIGN),
            *(Line(text) for text in letter_sentences(comparison, behind, words)),
        )
        if letters
        else (),
        tuple(Line(text) for text in exposure_sentences(comparison, behind, words)),
    )


def _limits(comparison: Comparison, behind: Behind | None, words: Words) -> tuple[Block, ...]:
    head = Line(words.say("What this does not prove:"), Style.STRONG)
    return (head, *(Line(f"- {text}") for text in unproven(comparison, behind, words=words)))
