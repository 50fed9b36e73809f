"""The models, their categories and their outcomes, each with the places of its marks."""

from collections.abc import Sequence
from dataclasses import dataclass

from afere.domain import Outcome, RunStatus, RunSummary
from afere.report.pictures import Scale, ScoreStrip, score_scale, score_strip
from afere.report.subject import Subject
from afere.report.trouble import missing
from afere.report.words import Words

__all__ = ["Category", "Model", "Share", "categories", "models", "outcomes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One side among the models."""

    role: str
    name: str
    summary: RunSummary
    strip: ScoreStrip
    rounds: str
    lost: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """One category with every model's score in it."""

    name: str
    items: int
    scores: tuple[tuple[float | None, tuple[float, float] | None, ScoreStrip], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One outcome with every model: counts, and where its part of each bar begins and ends."""

    outcome: str
    name: str
    counts: tuple[int, ...]
    bars: tuple[tuple[float, float], ...]


def models(told: Subject, words: Words) -> list[Model]:
    """Give the models on one scale."""
    scale = score_scale(told.summaries)
    return [
        Model(
            role=role,
            name=name,
            summary=side,
            strip=score_strip(scale, side.score, side.interval, side.per_round),
            rounds=words.listing(words.percent(score) for score in side.per_round),
            lost="" if side.status is RunStatus.COMPLETE else missing(side, words),
        )
        for role, name, side in zip(told.roles, told.names, told.summaries, strict=True)
    ]


def categories(sides: Sequence[RunSummary]) -> list[Category]:
    """Give the categories of any side, from 0 to 100 %; none where there is but one."""
    found = dict.fromkeys(name for side in sides for name in side.categories)
    if len(found) <= 1:
        return []
    whole, rows = Scale(-0.02, 1.02), []
    for name in found:
        scores = []
        for side in sides:
            category = side.categories.get(name)
            score, interval = (category.score, category.interval) if category else (None, None)
            scores.append((score, interval, score_strip(whole, score, interval)))
        items = max(side.categories[name].items for side in sides if name in side.categories)
        rows.append(Category(name=name, items=items, scores=tuple(scores)))
    return rows


def outcomes(sides: Sequence[RunSummary], words: Words) -> list[Share]:
    """Give the outcomes that came about, in the order of `Outcome`."""
    shares = []
    totals = [sum(side.outcomes.values()) or 1 for side in sides]
    starts = [0] * len(sides)
    for outcome in Outcome:
        counts = tuple(side.outcomes.get(outcome, 0) for side in sides)
        if not any(counts):
            continue
        bars = tuple(
            (round(100 * start / total, 3), round(100 * count / total, 3))
            for start, count, total in zip(starts, counts, totals, strict=True)
        )
        starts = [start + count for start, count in zip(starts, counts, strict=True)]
        shares.append(
            Share(outcome=outcome.value, name=words.outcome(outcome), counts=counts, bars=bars)
        )
    return shares
