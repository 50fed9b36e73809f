"""What stands above all sections of a page: the verdict in a sentence, and where to look first."""

from dataclasses import dataclass

from afere.domain import Comparison, Ranking, VerdictKind
from afere.report.pictures import DifferencePicture, difference_picture
from afere.report.rankings import rank_headline, rank_subject
from afere.report.sides import lost_either_way, warning_texts
from afere.report.subject import Subject
from afere.report.trouble import trouble
from afere.report.verdicts import (
    interval_of_difference,
    margin_sentence,
    needed_sentences,
    points_of_difference,
    verdict_sentence,
)
from afere.report.words import Words

__all__ = ["Head", "Lead", "head_of"]

_SYMBOLS = {
    VerdictKind.BETTER: "▲",
    VerdictKind.WORSE: "▼",
    VerdictKind.EQUIVALENT: "=",
    VerdictKind.UNDECIDED: "?",
    VerdictKind.INVALID: "!",
}


@dataclass(frozen=True, slots=True)
class Lead:
    """A link to the items that a reader asks for first: its filter, its look, its text."""

    filter: str
    look: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The head of a page; `picture` and what follows are those of a comparison with an interval."""

    title: str
    kicker: str
    sentence: str
    remarks: list[str]
    warnings: list[str]
    leads: list[Lead]
    tone: str = "plain"
    symbol: str = ""
    picture: DifferencePicture | None = None
    case: Comparison | None = None
    difference: str = ""
    points: str = ""


def head_of(told: Subject, words: Words) -> Head:
    """Give the head of a page of one run, of two compared, or of more ranked."""
    if told.comparison is not None:
        return _of_comparison(told.comparison, told, words)
    if told.ranking is not None:
        return _of_ranking(told.ranking, told, words)
    return _of_run(told, words)


def _of_comparison(case: Comparison, told: Subject, words: Words) -> Head:
    ours, theirs = told.names
    return Head(
        title=words.say(
            "{verdict}: {candidate} against {baseline}",
            verdict=words.verdict(case.verdict),
            candidate=theirs,
            baseline=ours,
        ),
        kicker=words.say(
            "Suite {suite}: {candidate} against {baseline}",
            suite=case.suite,
            candidate=theirs,
            baseline=ours,
        ),
        sentence=verdict_sentence(case, words=words),
        remarks=_remarks(case, words),
        warnings=warning_texts(case, words),
        leads=_leads(case, words),
        tone=case.verdict.value,
        symbol=_SYMBOLS[case.verdict],
        picture=difference_picture(case, words),
        case=case,
        difference=interval_of_difference(case, words=words),
        points=points_of_difference(case, words),
    )


def _of_ranking(ranking: Ranking, told: Subject, words: Words) -> Head:
    remarks = [rank_subject(ranking, words)]
    if ranking.differing:
        names = words.listing(ranking.differing)
        remarks.append(words.say("Not the same for all models: {names}.", names=names))
    return Head(
        title=_title(told, words),
        kicker=words.say("Suite {suite}", suite=ranking.suite),
        sentence=rank_headline(ranking, words),
        remarks=remarks,
        warnings=[words.tell(text) for text in ranking.warnings],
        leads=[Lead("different", "", words.say("the questions that tell them apart"))],
    )


def _of_run(told: Subject, words: Words) -> Head:
    side = told.summaries[0]
    return Head(
        title=_title(told, words),
        kicker=words.say("Suite {suite}", suite=side.suite),
        sentence=_score_sentence(told, words),
        remarks=[line.text for line in trouble(side, words)],
        warnings=[words.tell(text) for text in side.warnings],
        leads=[Lead("wrong", "", words.say("the questions it has wrong"))],
    )


def _title(told: Subject, words: Words) -> str:
    suite, names = told.summaries[0].suite, words.listing(told.names)
    return words.say("{suite}: {names}", suite=suite, names=names)


def _leads(case: Comparison, words: Words) -> list[Lead]:
    lost, won = len(case.only_baseline_items), len(case.only_candidate_items)
    leads = []
    if lost:
        told = words.many("{n} question lost", "{n} questions lost", n=lost)
        leads.append(Lead("to-wrong", "lost", told))
    if won:
        told = words.many("{n} question won", "{n} questions won", n=won)
        leads.append(Lead("to-right", "gained", told))
    return [*leads, Lead("different", "", words.say("all that differ"))]


def _score_sentence(told: Subject, words: Words) -> str:
    side = told.summaries[0]
    if side.score is None:
        return words.say("{model}: nothing was graded", model=told.names[0])
    if side.interval is None:
        return words.say(
            "{model}: {score} right", model=told.names[0], score=words.percent(side.score)
        )
    return words.say(
        "{model}: {score} right ({level} interval {limits})",
        model=told.names[0],
        score=words.percent(side.score),
        level=words.level(side.level),
        limits=words.percent_limits(side.interval),
    )


def _remarks(comparison: Comparison, words: Words) -> list[str]:
    remarks = list(needed_sentences(comparison, words=words))
    if comparison.verdict is VerdictKind.INVALID:
        remarks += lost_either_way(comparison, words)
    elif comparison.difference is not None:
        remarks.append(margin_sentence(comparison, words=words))
    return remarks
