"""The sections of a page, in order: each looks at what is told and gives its HTML, or nothing.

A new section is a function here and a template beside the others; a section that another room's
records need (calibration, an exam's audit) comes in from outside as a `Section`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from afere.domain import RankedModel, Ranking
from afere.report import charts
from afere.report.causes import (
    category_difference,
    cause_sentences,
    exposure_sentences,
    price_row,
)
from afere.report.evidence import categories, models, outcomes
from afere.report.filling import fill
from afere.report.letters import letter_sentences, run_letter_sentences
from afere.report.limits import unproven, unproven_by_one
from afere.report.pictures import score_scale
from afere.report.places import place_sentences
from afere.report.provenance import how_made, how_reached
from afere.report.rankings import pair_cells, rank_places, rank_remarks, rank_unproven
from afere.report.sides import (
    cost_facts,
    differing_rows,
    left_out,
    most_rounds,
    noise_sentence,
    paired_sentence,
    passing_rows,
)
from afere.report.subject import Subject
from afere.report.words import Words

__all__ = ["Section", "grounds", "sections"]

_DIFFERING = 2_000
_PAIRS, _PATTERNS, _IDS = 60, 12, 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a page: its title as text, its body as `fill` gives it; plain text is escaped.

    half: whether it may stand beside the next one in a wide window.
    """

    id: str
    title: str
    body: str
    half: bool = False


def sections(told: Subject, words: Words) -> list[Section]:
    """Give the sections that come before the items."""
    found = (section(told, words) for section in _BEFORE)
    return [section for section in found if section is not None]


def grounds(told: Subject, words: Words) -> list[Section]:
    """Give the sections that come after the items: what is not proved, how it was made."""
    found = (section(told, words) for section in _AFTER)
    return [section for section in found if section is not None]


def _models(told: Subject, words: Words) -> Section:
    places: list[str] = []
    best: list[bool] = []
    remarks = [""] * len(told.sides)
    if told.ranking is not None:
        places = rank_places(told.ranking, words)
        best = [bool(model.could_be_best) for model in told.ranking.models]
        remarks = [_place_remark(model, told.ranking, words) for model in told.ranking.models]
    title = words.say("The two models") if told.comparison else words.say("The models")
    return Section(
        id="models",
        title=words.say("The model") if len(told.sides) == 1 else title,
        body=fill(
            "models",
            words,
            models=models(told, words),
            places=places,
            best=best,
            remarks=remarks,
            ticks=score_scale(told.summaries).ticks(words.level),
            level=told.summaries[0].level,
            notes=_notes(told, words),
        ),
    )


def _place_remark(model: RankedModel, ranking: Ranking, words: Words) -> str:
    """Say where a model's place is not by the score that is drawn, or why it has none."""
    if model.why_no_place:
        return words.tell(model.why_no_place)
    if model.shared_score is None or model.shared_score == model.score:
        return ""
    return words.many(
        "on the {n} item that all share: {score}",
        "on the {n} items that all share: {score}",
        n=ranking.questions.items,
        score=words.percent(model.shared_score),
    )


def _notes(told: Subject, words: Words) -> list[str]:
    if told.comparison is not None:
        return [noise_sentence(told.comparison, words)]
    if told.ranking is not None:
        return rank_remarks(told.ranking, words)
    floor = told.summaries[0].noise_floor
    if floor is None:
        return [words.say("Noise between rounds: not measured (it takes two rounds).")]
    return [
        words.say(
            "Noise between rounds: a rerun of the same items may move the score by {points} "
            "points by chance alone.",
            points=words.points(floor),
        )
    ]


def _pairs(told: Subject, words: Words) -> Section | None:
    case = told.comparison
    if case is None:
        return None
    turned = (
        ("to-wrong", words.say("Lost: right with the baseline alone"), case.only_baseline_items),
        ("to-right", words.say("Won: right with the candidate alone"), case.only_candidate_items),
    )
    return Section(
        id="pairs",
        title=words.say("Item by item"),
        body=fill(
            "pairs",
            words,
            paired=paired_sentence(case.paired, rounds=most_rounds(case), words=words),
            left_out=left_out(case, words),
            turned=[each for each in turned if each[2]],
            most=_IDS,
        ),
    )


def _questions(told: Subject, words: Words) -> Section | None:
    ranking = told.ranking
    graded = [] if ranking is None else [each for each in ranking.models if each.score is not None]
    if ranking is None or len(graded) <= 1 or not ranking.questions.items:
        return None
    asked = ranking.questions
    sentence = words.many(
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
    return Section(
        id="questions",
        title=words.say("Item by item"),
        body=fill(
            "questions",
            words,
            sentence=sentence,
            patterns=patterns[:_PATTERNS],
            more=len(patterns) - _PATTERNS,
            all_models=len(graded),
            most=_IDS,
        ),
    )


def _ranked_pairs(told: Subject, words: Words) -> Section | None:
    ranking = told.ranking
    if ranking is None or not ranking.pairs:
        return None
    return Section(
        id="against",
        title=words.say("Each against each"),
        body=fill(
            "against",
            words,
            said=words.say(
                "Each pair on the items that all of them answered; the intervals hold together at "
                "the {level} level:",
                level=words.level(ranking.level),
            ),
            head=words.each("model", "against", "items", "points", "interval", "p (Holm)"),
            rows=[pair_cells(pair, words) for pair in ranking.pairs[:_PAIRS]],
            more=len(ranking.pairs) - _PAIRS,
        ),
    )


def _categories(told: Subject, words: Words) -> Section | None:
    found = categories(told.summaries)
    if not found:
        return None
    drivers = None if told.behind is None else told.behind.drivers
    return Section(
        id="categories",
        title=words.say("Categories"),
        body=fill(
            "categories",
            words,
            categories=found,
            names=told.names,
            roles=told.roles,
            heads=_heads(told, words),
            drivers=drivers
            and {name: category_difference(drivers, name, words) for name in drivers.categories},
        ),
    )


def _causes(told: Subject, words: Words) -> Section | None:
    if told.comparison is not None and told.behind is not None:
        title = words.say("What drives the difference")
        texts = cause_sentences(told.comparison, told.behind, words)
    elif told.places is not None:
        title = words.say("Where the errors lie")
        texts = list(place_sentences(told.names[0], told.places, words))
    else:
        return None
    return _said("causes", title, texts, words)


def _letters(told: Subject, words: Words) -> Section | None:
    keys = next((side.letters for side in told.summaries if side.letters), None)
    if not keys:
        return None
    letters = sorted({letter for side in told.summaries for letter in side.letters})
    rows = [
        (
            letter,
            _share(keys, letter, "key", words),
            *(_share(side.letters, letter, "chosen", words) for side in told.summaries),
        )
        for letter in letters
    ]
    if told.comparison is not None:
        texts = [] if told.behind is None else letter_sentences(told.comparison, told.behind, words)
        heads = words.each("baseline chose", "candidate chose")
    else:
        gaps = [told.gap, *[None] * len(told.sides)]
        texts = [
            text
            for name, side, gap in zip(told.names, told.summaries, gaps, strict=False)
            for text in run_letter_sentences(name, side, gap, words)
        ]
        chose = [words.say("{model} chose", model=name) for name in told.names]
        heads = (words.say("chosen"),) if len(told.sides) == 1 else tuple(chose)
    return Section(
        id="letters",
        title=words.say("Letters chosen"),
        body=fill(
            "letters",
            words,
            head=(*words.each("letter", "in the key"), *heads),
            rows=rows,
            texts=texts,
            chart=charts.letters_chart(told, words),
        ),
    )


def _share(
    letters: Mapping[str, Mapping[str, int]],
    letter: str,
    what: str,
    words: Words,
) -> str:
    total = sum(counts[what] for counts in letters.values())
    return words.percent(letters[letter][what] / total) if total and letter in letters else "–"


def _exposure(told: Subject, words: Words) -> Section | None:
    if told.comparison is None or told.behind is None:
        return None
    texts = exposure_sentences(told.comparison, told.behind, words)
    return _said("exposure", words.say("Trained on the items?"), texts, words)


def _outcomes(told: Subject, words: Words) -> Section:
    return Section(
        id="outcomes",
        title=words.say("What became of the answers"),
        half=len(told.sides) <= 2,  # noqa: PLR2004 - a pair has room for a neighbour
        body=fill(
            "outcomes",
            words,
            shares=outcomes(told.summaries, words),
            heads=_heads(told, words),
            roles=told.roles,
        ),
    )


def _facts(told: Subject, words: Words) -> Section:
    facts = cost_facts(told.summaries, words)
    if told.comparison is not None:
        passing = passing_rows(told.comparison, words)
        facts = [(name, (ours, theirs)) for name, ours, theirs in passing] + facts
    if told.behind is not None:
        facts += [(name, (ours, theirs)) for name, ours, theirs in price_row(told.behind, words)]
    elif told.ranking is not None:
        costs = [model.cost_per_right for model in told.ranking.models]
        if any(cost is not None for cost in costs):
            shown = tuple(words.price(cost) for cost in costs)
            facts.append((words.say("price of a right answer"), shown))
    return Section(
        id="facts",
        title=words.say("Noise, tokens, time, cost"),
        half=len(told.sides) <= 2,  # noqa: PLR2004 - a pair has room for a neighbour
        body=fill("facts", words, facts=facts, heads=_heads(told, words)),
    )


def _price(told: Subject, words: Words) -> Section | None:
    cost, latency = charts.cost_chart(told, words), charts.latency_chart(told, words)
    if not cost and not latency:
        return None
    return Section(
        id="price",
        title=words.say("Quality against cost and time"),
        body=fill("price", words, cost=cost, latency=latency),
    )


def _unproven(told: Subject, words: Words) -> Section:
    if told.comparison is not None:
        texts = list(unproven(told.comparison, told.behind, words=words))
    elif told.ranking is not None:
        texts = rank_unproven(told.ranking, words)
    else:
        texts = list(unproven_by_one(told.summaries[0], words))
    return Section(
        id="limits",
        title=words.say("What this does not prove"),
        body=fill("limits", words, texts=texts),
    )


def _made(told: Subject, words: Words) -> Section:
    case = told.comparison
    return Section(
        id="made",
        title=words.say("How this was made"),
        body=fill(
            "made",
            words,
            made=how_made(told, words),
            heads=_heads(told, words),
            differing=[] if case is None else differing_rows(case, limit=_DIFFERING),
            reached=_reached(told, words),
        ),
    )


def _reached(told: Subject, words: Words) -> list[tuple[str, str]]:
    if told.comparison is not None:
        return how_reached(told.comparison, words)
    runs = [side.run for side in told.summaries]
    return [(words.say("again"), f"afere report {' '.join(runs)}")] if all(runs) else []


def _heads(told: Subject, words: Words) -> tuple[str, ...]:
    """Head the columns of the models: by role in a comparison, else by name."""
    return words.each("baseline", "candidate") if told.comparison is not None else told.names


def _said(name: str, title: str, texts: list[str], words: Words) -> Section | None:
    if not texts:
        return None
    return Section(id=name, title=title, body=fill("said", words, texts=texts))


_BEFORE: tuple[Callable[[Subject, Words], Section | None], ...] = (
    _models,
    _pairs,
    _questions,
    _price,
    _categories,
    _causes,
    _ranked_pairs,
    _letters,
    _exposure,
    _outcomes,
    _facts,
)
_AFTER: tuple[Callable[[Subject, Words], Section | None], ...] = (_unproven, _made)
