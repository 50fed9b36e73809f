"""Runs for the terminal: the report of one, the line at a round's end, the list of many."""

from collections.abc import Mapping, Sequence

from afere.domain import (
    ErrorPlaces,
    Invocation,
    ItemLine,
    LetterGap,
    Outcome,
    RunPlan,
    RunStatus,
    RunSummary,
)
from afere.report.blocks import Block, Line, Report, Style, Table
from afere.report.executed import executed_facts, passing_table, reminder_lines
from afere.report.harmless import address, cut, harmless, one_line
from afere.report.letters import run_letter_head, run_letter_rows, run_letter_sentences
from afere.report.places import place_sentences
from afere.report.sides import LOOSEST_RULE
from afere.report.trouble import trouble
from afere.report.words import ENGLISH, Words, message

__all__ = ["round_line", "run_report", "run_state", "runs_table"]

_ITEM_LINES = 30
_NAME = 60
_SHOWN_OUTCOMES = tuple(outcome for outcome in Outcome if outcome is not Outcome.RIGHT)


def run_report(  # noqa: PLR0913 - the run, and what stands beside it by name
    summary: RunSummary,
    *,
    store: str = "",
    next_command: str = "",
    gap: LetterGap | None = None,
    places: ErrorPlaces | None = None,
    words: Words = ENGLISH,
) -> Report:
    """Tell a run: what is missing, the items, the score, rounds, outcomes, costs, what is next.

    store: where the run is kept, as the user would name it; a URL is shown without its password.
    next_command: what to type next. gap, places: the letter that is furthest from the key's, and
    where errors lie; without them nothing is said of it.
    """
    return Report(
        (
            trouble(summary, words),
            (Line(_subject(summary, words), Style.STRONG),),
            _items(summary.items_table, words),
            _score(summary, words),
            (_rounds(summary, words),),
            passing_table(summary, words),
            _categories(summary, words),
            _letters(summary, gap, words),
            _places(summary, places, words),
            _facts(summary, words),
            tuple(_warning(text, words) for text in summary.warnings),
            reminder_lines(words, executed=summary.executed is not None),
            (Line(_last_line(summary, store, next_command, words)),) if store else (),
        )
    )


def round_line(
    number: int,
    rounds: int,
    outcomes: Mapping[str, int],
    *,
    words: Words = ENGLISH,
) -> str:
    """Tell how a round ended: `round 2/3: 17/20, 1 failed, 2 truncated` (right of counted)."""
    right, of = outcomes.get(Outcome.RIGHT, 0), _counted(outcomes)
    head = words.say(
        "round {number}/{rounds}: {right}/{of}",
        number=number,
        rounds=rounds,
        right=words.count(right),
        of=words.count(of),
    )
    return words.listing([head, *_named(outcomes, _FAULTS, words)])


def runs_table(
    plans: Sequence[tuple[RunPlan, Invocation]],
    *,
    words: Words = ENGLISH,
) -> Report:
    """List the runs of a store, in the order given."""
    if not plans:
        empty = words.say("No runs yet. Start with: afere demo")
        return Report(((Line(empty),),))
    head = words.each("run", "suite", "model", "items", "rounds", "started", "state")
    return Report(
        (
            (
                Table(
                    head=head,
                    rows=[_plan_row(plan, invocation, words) for plan, invocation in plans],
                    align="lllrrll",
                ),
            ),
        )
    )


_FAULTS = (
    Outcome.ENDPOINT_ERROR,
    Outcome.NOT_ASKED,
    Outcome.GRADER_ERROR,
    Outcome.TRUNCATED,
    Outcome.UNREADABLE,
    Outcome.EMPTY,
    Outcome.REFUSED,
    Outcome.BLOCKED,
)


def _counted(outcomes: Mapping[str, int]) -> int:
    return sum(outcomes.get(outcome, 0) for outcome in Outcome if outcome.counts)


def _named(outcomes: Mapping[str, int], which: Sequence[Outcome], words: Words) -> list[str]:
    return [
        words.outcomes(outcome, count) for outcome in which if (count := outcomes.get(outcome, 0))
    ]


def _subject(summary: RunSummary, words: Words) -> str:
    items = len(summary.items_table) or summary.items
    size = [words.many("{n} item", "{n} items", n=items)] if items else []
    size.append(words.many("{n} round", "{n} rounds", n=summary.rounds))
    return words.say(
        "{model} on {suite}: {size}, {url}",
        model=one_line(summary.model, _NAME),
        suite=one_line(summary.suite, _NAME),
        size=words.listing(size),
        url=one_line(address(summary.base_url), _NAME),
    )


def _items(items: tuple[ItemLine, ...], words: Words) -> tuple[Block, ...]:
    if not items or len(items) > _ITEM_LINES:
        return ()
    rows = [
        (
            cut(harmless(line.item), _NAME),
            words.say("{right}/{rounds} right", right=line.right, rounds=line.rounds),
            words.seconds(line.seconds_asking),
            ""
            if line.seconds_executing is None
            else words.say("{time} running", time=words.seconds(line.seconds_executing)),
        )
        for line in items
    ]
    if not any(row[3] for row in rows):
        return (Table(rows=[row[:3] for row in rows], align="lrr"),)
    return (Table(rows=rows, align="lrrr"),)


def _score(summary: RunSummary, words: Words) -> tuple[Block, ...]:
    if summary.score is None:
        return ()
    text = words.say(
        "Score {score} ({level} interval {limits})",
        score=words.percent(summary.score),
        level=words.level(summary.level),
        limits=words.percent_limits(summary.interval),
    )
    if summary.interval is None:
        text = words.say("Score {score}", score=words.percent(summary.score))
    if summary.round_min is not None and summary.round_max is not None and summary.rounds > 1:
        text += words.say(
            "; lowest round {low}, highest {high}",
            low=words.percent(summary.round_min),
            high=words.percent(summary.round_max),
        )
    lines = [Line(text, Style.STRONG)]
    if summary.average == "macro":
        lines.append(Line(words.say("The score is the mean of the categories' scores.")))
    return tuple(lines)


def _rounds(summary: RunSummary, words: Words) -> Table:
    shown = [
        outcome
        for outcome in _SHOWN_OUTCOMES
        if any(round_.get(outcome, 0) for round_ in summary.round_outcomes)
    ]
    head = words.each("round", "right", "of", "score")
    rows, rounds = [], len(summary.round_outcomes)
    for number, outcomes in enumerate(summary.round_outcomes, start=1):
        score = summary.per_round[number - 1] if number <= len(summary.per_round) else None
        rows.append(
            (
                words.count(number),
                words.count(outcomes.get(Outcome.RIGHT, 0)),
                words.count(_counted(outcomes)),
                words.percent(score)
                + "*" * (score is not None and number in summary.cut_rounds and rounds > 1),
                *(words.count(outcomes.get(outcome, 0)) for outcome in shown),
            )
        )
    return Table(
        head=(*head, *(words.outcome(outcome) for outcome in shown)),
        rows=rows,
        align="r" * (len(head) + len(shown)),
    )


def _categories(summary: RunSummary, words: Words) -> tuple[Block, ...]:
    largest = max((category.items for category in summary.categories.values()), default=0)
    if len(summary.categories) <= 1 or largest <= 1:
        return ()
    rows = [
        (
            one_line(name, _NAME),
            words.count(category.items),
            words.percent(category.score),
            words.percent_limits(category.interval),
        )
        for name, category in summary.categories.items()
    ]
    level = words.say("{level} interval", level=words.level(summary.level))
    head = (*words.each("category", "items", "score"), level)
    return (Table(head=head, rows=rows, align="lrrr"),)


def _letters(
    summary: RunSummary,
    gap: LetterGap | None,
    words: Words,
) -> tuple[Block, ...]:
    rows = run_letter_rows(summary, words)
    if not rows:
        return ()
    told = run_letter_sentences(one_line(summary.model, _NAME), summary, gap, words)
    table = Table(head=run_letter_head(words), rows=rows, align="lrr")
    return (table, *(Line(text) for text in told))


def _places(
    summary: RunSummary,
    places: ErrorPlaces | None,
    words: Words,
) -> tuple[Block, ...]:
    if places is None:
        return ()
    name = one_line(summary.model, _NAME)
    return tuple(Line(text) for text in place_sentences(name, places, words))


def _facts(summary: RunSummary, words: Words) -> tuple[Block, ...]:
    facts = [
        (words.say("outcomes"), words.listing(_named(summary.outcomes, tuple(Outcome), words))),
        (words.say("read by"), _rules(summary, words)),
        *executed_facts(summary.executed, words),
        (words.say("calls"), _calls(summary, words)),
        (words.say("tokens"), _tokens(summary, words)),
        (words.say("latency"), _latency(summary, words)),
        (words.say("cost"), "" if summary.cost is None else words.price(summary.cost)),
        (words.say("noise floor"), _noise(summary, words)),
        (words.say("dates"), _dates(summary, words)),
    ]
    return (Table(rows=[fact for fact in facts if fact[1]], align="ll"),)


def _rules(summary: RunSummary, words: Words) -> str:
    told = []
    for rule, count in summary.rules.items():
        loosest = rule == LOOSEST_RULE
        template = message("{rule} {n} (the loosest)") if loosest else message("{rule} {n}")
        told.append(words.say(template, rule=one_line(rule, _NAME), n=words.count(count)))
    return words.listing(told)


def _calls(summary: RunSummary, words: Words) -> str:
    calls = summary.calls
    parts = [words.say("{n} made", n=words.count(calls.made))]
    for count, text in (
        (calls.cached, message("{n} answered from the store")),
        (calls.failed, message("{n} failed")),
        (calls.retried, message("{n} retried")),
    ):
        if count:
            parts.append(words.say(text, n=words.count(count)))
    return words.listing(parts)


def _tokens(summary: RunSummary, words: Words) -> str:
    named = (
        ("input", message("{n} in")),
        ("output", message("{n} out")),
        ("reasoning", message("{n} of them reasoning")),
    )
    return words.listing(
        words.say(text, n=words.count(count))
        for name, text in named
        if (count := summary.tokens.get(name)) is not None
    )


def _latency(summary: RunSummary, words: Words) -> str:
    if summary.latency.p50 is None:
        return ""
    return words.say(
        "median {p50}, 95 % of calls within {p95}",
        p50=words.seconds(summary.latency.p50),
        p95=words.seconds(summary.latency.p95),
    )


def _noise(summary: RunSummary, words: Words) -> str:
    if summary.noise_floor is None:
        return words.say("not measured (it takes two rounds)") if summary.rounds == 1 else ""
    return words.say(
        "a rerun of these items may lie {points} points off by chance",
        points=words.points(summary.noise_floor),
    )


def _dates(summary: RunSummary, words: Words) -> str:
    if summary.calls.made or summary.answered_from is None:
        return ""
    return words.say(
        "answers given from {first} to {last}",
        first=words.time(summary.answered_from),
        last=words.time(summary.answered_to),
    )


def _warning(text: str, words: Words) -> Line:
    return Line(words.say("Warning: {text}", text=words.tell(text)), Style.CAREFUL)


def _last_line(summary: RunSummary, store: str, next_command: str, words: Words) -> str:
    template = message("Run {run} is kept in {store}. Next: {command}")
    if summary.status is not RunStatus.COMPLETE:
        template = message("Run {run} is kept in {store}, with what is done. Next: {command}")
    return words.say(
        template, run=summary.run, store=harmless(address(store)), command=next_command
    )


def run_state(invocation: Invocation) -> str:
    """Give what became of a run when it was last asked; `finished` only where no row is missing."""
    if invocation.interrupted:
        return message("interrupted")
    if invocation.finished is None:
        return message("not finished")
    return message("incomplete") if invocation.missing else message("finished")


def _plan_row(plan: RunPlan, invocation: Invocation, words: Words) -> tuple[str, ...]:
    state = words.say(run_state(invocation))
    model = plan.name if not plan.series else f"{plan.name}@{plan.series}"
    return (
        plan.id,
        one_line(plan.suite_name, _NAME),
        one_line(model, _NAME),
        words.count(len(plan.items)),
        words.count(plan.rounds),
        words.moment(invocation.started),
        words.say("{state}, a probe", state=state) if plan.probe else state,
    )
