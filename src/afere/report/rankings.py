"""The report of a ranking for the terminal: who could be the best, who cannot be told apart."""

from collections.abc import Callable, Sequence

from afere.domain import PairLine, RankedModel, Ranking, RunStatus
from afere.report.blocks import Block, Line, Report, Style, Table
from afere.report.executed import reminder
from afere.report.harmless import cut, harmless, one_line, written
from afere.report.sides import listed
from afere.report.words import ENGLISH, Words, decimals_apart, message

__all__ = [
    "pair_cells",
    "rank_headline",
    "rank_places",
    "rank_remarks",
    "rank_report",
    "rank_subject",
    "rank_unproven",
]

_NAME, _PAIRS = 60, 15
_PATTERNS = 12


def rank_report(ranking: Ranking, *, words: Words = ENGLISH) -> Report:
    """Tell a ranking: its first line says who could be the best; what differs heads the table."""
    return Report(
        (
            (Line(rank_headline(ranking, words), Style.STRONG), Line(rank_subject(ranking, words))),
            _differing(ranking, words),
            (_scores(ranking, words),),
            _costs(ranking, words),
            tuple(Line(text) for text in rank_remarks(ranking, words)),
            _questions(ranking, words),
            _families(ranking, words),
            _pairs(ranking, words),
            tuple(
                Line(words.say("Warning: {text}", text=words.tell(text)), Style.CAREFUL)
                for text in ranking.warnings
            ),
            _limits(ranking, words),
        )
    )


def _graded(ranking: Ranking) -> list[RankedModel]:
    """Give the models that have a place: graded, and on the items of the others."""
    return [model for model in ranking.models if model.tied_group is not None]


def rank_headline(ranking: Ranking, words: Words) -> str:
    """Say who could be the best."""
    graded = _graded(ranking)
    if not graded:
        return words.say("No model has a graded answer: there is nothing to rank.")
    if len(graded) == 1:
        only = one_line(graded[0].model, _NAME)
        return words.say("{model} alone has graded answers: it has no rival yet.", model=only)
    best = [model.model for model in graded if model.could_be_best]
    level = words.level(ranking.level)
    if not best:
        return words.say("The models share no item: who is the best cannot be told.")
    template = message(
        "Of {n} models only {names} could be the best on items like these ({level} level)."
    )
    if len(best) == len(graded):
        template = message(
            "Each of {n} models could be the best on items like these ({level} level)."
        )
    elif len(best) > 1:
        template = message(
            "Of {n} models these could be the best on items like these ({level} level): {names}."
        )
    return words.say(template, n=words.count(len(graded)), names=_names(best, words), level=level)


def rank_subject(ranking: Ranking, words: Words) -> str:
    """Name the suite, and how many items all models answered."""
    return words.many(
        "{suite}: {n} item that all of them answered.",
        "{suite}: {n} items that all of them answered.",
        n=ranking.questions.items,
        suite=one_line(ranking.suite, _NAME),
    )


def _names(names: Sequence[str], words: Words) -> str:
    return words.listing(one_line(name, _NAME) for name in names)


def _differing(ranking: Ranking, words: Words) -> tuple[Block, ...]:
    if not ranking.differing:
        return ()
    head = Line(
        words.say("Not the same for all of them (--same-params refuses it):"), Style.CAREFUL
    )
    rows = [
        (
            one_line(model.model, _NAME),
            *(
                one_line(written(values.get(model.model)), _NAME)
                for values in ranking.differing.values()
            ),
        )
        for model in ranking.models
    ]
    names = tuple(one_line(name, _NAME) for name in ranking.differing)
    return (
        head,
        Table(head=(words.say("model"), *names), rows=rows, align="l" * (1 + len(names))),
    )


_Cell = Callable[[RankedModel, Words], str]
_Column = tuple[str, str, _Cell]


def _scores(ranking: Ranking, words: Words) -> Table:
    """Draw places, scores and states."""
    places = dict(
        zip((model.model for model in ranking.models), rank_places(ranking, words), strict=True)
    )
    level = words.level(ranking.level)
    scores: list[_Column] = [
        (_scores_head(ranking, words), "r", lambda model, words: words.percent(_placed(model))),
        (
            words.say("{level} interval", level=level),
            "r",
            lambda model, words: words.percent_limits(_placed_interval(model)),
        ),
    ]
    if _has_two_scores(ranking):
        own = words.say("score of all its items")
        scores.append((own, "r", lambda model, words: words.percent(model.score)))
    columns: list[_Column] = [
        (words.say("place"), "l", lambda model, _: places[model.model]),
        (words.say("model"), "l", lambda model, _: one_line(model.model, _NAME)),
        *scores,
        (words.say("rounds, low to high"), "r", _rounds),
        (words.say("could be best"), "l", _best),
        (words.say("answers lost"), "r", _lost),
        (words.say("state"), "l", _state),
    ]
    return _table(ranking, columns, words)


def _placed(model: RankedModel) -> float | None:
    """Give the score by which a model has its place; a model without one shows none there."""
    if model.tied_group is None:
        return None
    return model.score if model.shared_score is None else model.shared_score


def _placed_interval(model: RankedModel) -> tuple[float, float] | None:
    if model.tied_group is None:
        return None
    return model.interval if model.shared_score is None else model.shared_interval


def _has_two_scores(ranking: Ranking) -> bool:
    """Tell whether some model's own score is not that of the shared items."""
    return any(model.score != _placed(model) for model in ranking.models)


def _scores_head(ranking: Ranking, words: Words) -> str:
    if not _has_two_scores(ranking):
        return words.say("score")
    return words.many(
        "score of the {n} shared item",
        "score of the {n} shared items",
        n=ranking.questions.items,
    )


def _costs(ranking: Ranking, words: Words) -> tuple[Block, ...]:
    """Draw what the answers cost and how long they took; nothing where no model knows any of it."""
    columns: list[_Column] = [
        (words.say("cost"), "r", lambda model, words: words.price(model.cost)),
        (
            words.say("price of a right answer"),
            "r",
            lambda model, words: words.price(model.cost_per_right),
        ),
        (words.say("tokens out"), "r", _tokens_out),
        (words.say("latency, median"), "r", lambda model, words: words.seconds(model.latency.p50)),
    ]
    name: _Column = (words.say("model"), "l", lambda model, _: one_line(model.model, _NAME))
    table = _table(ranking, [name, *columns], words)
    return (table,) if len(table.head) > 1 else ()


def _table(ranking: Ranking, columns: Sequence[_Column], words: Words) -> Table:
    """Draw the models; a column of which no model knows anything is left out."""
    drawn = [
        (head, align, [cell(model, words) for model in ranking.models])
        for head, align, cell in columns
    ]
    shown = [column for column in drawn if any(cell not in {"", "–"} for cell in column[2])]
    return Table(
        head=tuple(head for head, _, _ in shown),
        rows=list(zip(*(cells for _, _, cells in shown), strict=True)),
        align="".join(align for _, align, _ in shown),
    )


def _lost(model: RankedModel, words: Words) -> str:
    return words.count(model.failed) if model.failed else ""


def _tokens_out(model: RankedModel, words: Words) -> str:
    count = model.tokens.get("output")
    return "–" if count is None else words.count(count)


def _rounds(model: RankedModel, words: Words) -> str:
    if model.rounds == 1 or model.round_min is None or model.round_max is None:
        return ""
    return words.percent_limits((model.round_min, model.round_max)) + _mark(model)


def _mark(model: RankedModel) -> str:
    """Mark a model of several rounds of which one lacks answers."""
    return "*" if model.cut_rounds and model.rounds > 1 else ""


def _best(model: RankedModel, words: Words) -> str:
    return words.say("yes") if model.could_be_best else ""


def _state(model: RankedModel, words: Words) -> str:
    return "" if model.status is RunStatus.COMPLETE else words.status(model.status.value)


def rank_places(ranking: Ranking, words: Words) -> list[str]:
    """Give each model its place: a stretch where it cannot be told apart, a dash without score."""
    groups = [model.tied_group for model in ranking.models]
    places = []
    for group in groups:
        if group is None:
            places.append("–")
            continue
        first, size = groups.index(group) + 1, groups.count(group)
        last = first + size - 1
        one = words.count(first)
        places.append(one if size == 1 else f"{one}–{words.count(last)}")
    return places


def rank_remarks(ranking: Ranking, words: Words) -> list[str]:
    """Say how places, costs and latencies are to be read."""
    texts = []
    groups = [model.tied_group for model in _graded(ranking)]
    if len(set(groups)) < len(groups):
        texts.append(
            words.say(
                "Models that share a place cannot be told apart from the first of them at the "
                "{level} level (Holm over all pairs).",
                level=words.level(ranking.level),
            )
        )
    if any(map(_mark, ranking.models)):
        texts.append(
            words.say("* A round of this model lacks answers: its score is of fewer items.")
        )
    front = [model.model for model in ranking.models if model.on_front]
    if front:
        texts.append(
            words.say(
                "On the front of cost against quality, where no other is as cheap and as good: "
                "{names}.",
                names=_names(front, words),
            )
        )
        texts.append(
            words.say(
                "Tokens of different tokenisers do not compare; the price of a right answer does."
            )
        )
    if any(model.latency.p50 is not None for model in ranking.models):
        texts.append(words.say("Latency holds the provider's queue, and is no part of the score."))
    if ranking.average == "macro":
        texts.append(words.say("Scores and difference are means over the categories."))
    return texts


def _questions(ranking: Ranking, words: Words) -> tuple[Block, ...]:
    asked, graded = ranking.questions, _graded(ranking)
    if len(graded) < 2 or not asked.items:  # noqa: PLR2004 - one model separates nothing
        return ()
    told = words.many(
        "Of {n} item: {all_right} right with every model, {none_right} with none, "
        "{separating} with some: only these tell the models apart.",
        "Of {n} items: {all_right} right with every model, {none_right} with none, "
        "{separating} with some: only these tell the models apart.",
        n=asked.items,
        all_right=words.count(asked.all_right),
        none_right=words.count(asked.none_right),
        separating=words.count(asked.separating),
    )
    patterns = [pattern for pattern in asked.patterns if pattern.missed_by]
    rows = [
        (
            words.count(len(pattern.items)),
            words.say("all of them")
            if len(pattern.missed_by) == len(graded)
            else _names(pattern.missed_by, words),
            listed(pattern.items, words),
        )
        for pattern in patterns[:_PATTERNS]
    ]
    head = words.each("items", "missed by just", "which")
    blocks: list[Block] = [Line(told)]
    if rows:
        blocks.append(Table(head=head, rows=rows, align="rll"))
    if len(patterns) > _PATTERNS:
        blocks.append(_more(len(patterns) - _PATTERNS, words))
    return tuple(blocks)


def _families(ranking: Ranking, words: Words) -> tuple[Block, ...]:
    return tuple(
        Line(
            words.say(
                "Missed by the whole family {family} ({names}), and not by all others: {ids}",
                family=one_line(family.family, _NAME),
                names=_names(family.models, words),
                ids=listed(family.items, words),
            )
        )
        for family in ranking.families
        if family.items
    )


def _pairs(ranking: Ranking, words: Words) -> tuple[Block, ...]:
    pairs = ranking.pairs
    if not pairs:
        return ()
    head = words.each("model", "against", "items", "points", "interval", "p (Holm)")
    table = Table(
        head=head, rows=[pair_cells(pair, words) for pair in pairs[:_PAIRS]], align="llrrrr"
    )
    said = Line(
        words.say(
            "Each pair on the items that all of them answered; the intervals hold together at the "
            "{level} level:",
            level=words.level(ranking.level),
        )
    )
    more = (_more(len(pairs) - _PAIRS, words),) if len(pairs) > _PAIRS else ()
    return (said, table, *more)


def pair_cells(pair: PairLine, words: Words) -> tuple[str, ...]:
    """Give a pair: model, against which, items, points, interval, p."""
    limits = pair.interval
    decimals = decimals_apart(limits or (), (0.0,))
    interval = "–"
    if limits is not None:
        low, high = (words.points(limit, decimals=decimals, sign=True) for limit in limits)
        interval = words.say("{low} to {high}", low=low, high=high)
    return (
        cut(harmless(pair.b), _NAME),
        cut(harmless(pair.a), _NAME),
        words.count(pair.items),
        "–"
        if pair.difference is None
        else words.points(pair.difference, decimals=decimals, sign=True),
        interval,
        words.probability(pair.p_holm),
    )


def _more(left: int, words: Words) -> Line:
    return Line(words.say("… and {n} more (--json)", n=words.count(left)), Style.FAINT)


def _limits(ranking: Ranking, words: Words) -> tuple[Block, ...]:
    head = Line(words.say("What this does not prove:"), Style.STRONG)
    return (head, *(Line(f"- {text}") for text in rank_unproven(ranking, words)))


def rank_unproven(ranking: Ranking, words: Words) -> list[str]:
    """Say what the ranking does not prove; never empty."""
    texts = [
        words.say("It speaks of items like these, asked and read in this way: not of other tasks."),
        words.say(
            "A model that could be the best is not shown to be: others are only shown not to."
        ),
    ]
    if any(model.status is RunStatus.INCOMPLETE for model in ranking.models):
        texts.append(
            words.say(
                "The score of an incomplete run also measures the network, not the model alone."
            )
        )
    if any(model.rounds == 1 for model in _graded(ranking)):
        texts.append(
            words.say("One round: how far a rerun of these items would differ was not measured.")
        )
    if ranking.differing:
        texts.append(words.say("More than the model differs: what is ranked is the whole set-up."))
    if ranking.executed:
        texts.append(reminder(words))
    return texts
