"""What a suite can show before it is run."""

from collections.abc import Mapping
from typing import Any

from afere import stats
from afere.domain import PlanNeeded, Sentence, SuitePlan, UsageError

__all__ = ["plan_suite", "smallest_difference"]

NOISE_SHARE = 0.5


def smallest_difference(
    items: int,
    *,
    rounds: int,
    rate: float,
    level: float = 0.95,
    power: float = 0.8,
) -> float | None:
    """Give the smallest difference that a suite shows with that power, as a fraction.

    rate: the share of right answers that is expected. Models are taken to differ on rate × (1 -
    rate) of the items in one round, half of it by the noise that rounds average away. None where
    no difference can be shown.
    """
    discordance = _averaged(rate * (1 - rate), rounds)
    if items < 2 or discordance == 0:  # noqa: PLR2004 - one item decides nothing
        return None
    return stats.detectable_difference(items, discordance, level, power)


def plan_suite(  # noqa: PLR0913 - the command's options, by name
    items: int,
    *,
    rounds: int = 3,
    rate: float = 0.9,
    detect: float = 0.05,
    margin: float = 0.02,
    discordance: float | None = None,
    level: float = 0.95,
    power: float = 0.8,
    price: Mapping[str, Any] | None = None,
    tokens: tuple[float, float] | None = None,
    tokens_from: str | None = None,
    groups: int | None = None,
) -> SuitePlan:
    """Tell what a suite of so many items can show, and what a question needs.

    discordance: the share of items on which the models differ in one round; rate × (1 - rate)
    unless given. Half of it is taken to be noise, which rounds average away. detect: the
    difference to be shown; margin: within which equivalence is to be shown if nothing differs.
    price: USD per million `input` and `output` tokens; tokens: input and output of one call, and
    the run that they were counted in; the cost is that of one model, None where one of them is not
    known. groups: in how many the items come, None where each stands alone.

    Two models cannot differ by more than the share of items on which they differ: a difference
    above a share that was given is needed by no number of items, and where the share is assumed,
    the difference stands in for it; a warning says so.

    Raises UsageError for what is no fraction, and without items or rounds.
    """
    _check(items, rounds, rate=rate, detect=detect, margin=margin, power=power)
    assumed = rate * (1 - rate) if discordance is None else discordance
    _check(items, rounds, discordance=assumed)
    q = _averaged(assumed, rounds)
    calls = items * rounds
    reach = _smallest_margin(items, rounds, level)
    return SuitePlan(
        items=items,
        rounds=rounds,
        calls=calls,
        cost=_cost(calls, price, tokens),
        detectable=stats.detectable_difference(items, q, level, power) if q and items > 1 else None,
        needed=PlanNeeded(
            difference=None
            if discordance is not None and detect > discordance
            else stats.required_items(detect, max(q, detect), level, power).items,
            equivalence=stats.items_for_margin(q, margin, level, power).items if margin else None,
        ),
        smallest_margin=reach,
        assumptions={
            "rate": rate,
            "discordance": assumed,
            "discordance_from": "rate × (1 - rate)" if discordance is None else "given",
            "noise_share": NOISE_SHARE,
            "detect": detect,
            "margin": margin,
            "level": level,
            "power": power,
            "tokens_per_call": list(tokens) if tokens else None,
            "tokens_from": tokens_from if tokens else None,
        },
        warnings=(
            *_beyond(detect, assumed, given=discordance is not None),
            *_too_small(items, margin, reach),
            *_grouped(groups),
        ),
    )


def _check(items: int, rounds: int, **fractions: float) -> None:
    if items < 1 or rounds < 1:
        raise UsageError("a plan needs at least one item and one round")
    for name, value in fractions.items():
        if not 0 <= value <= 1:
            raise UsageError(
                f"{name} is a fraction between 0 and 1, not {value}; 5 points are 0.05"
            )


def _averaged(discordance: float, rounds: int) -> float:
    return discordance * (1 - NOISE_SHARE + NOISE_SHARE / rounds)


def _cost(
    calls: int,
    price: Mapping[str, Any] | None,
    tokens: tuple[float, float] | None,
) -> float | None:
    if not price or tokens is None or "input" not in price or "output" not in price:
        return None
    one = float(price["input"]) * tokens[0] + float(price["output"]) * tokens[1]
    return calls * one / 1_000_000


def _smallest_margin(items: int, rounds: int, level: float) -> float | None:
    """Give how far the interval reaches when no item differs in any round."""
    if items < 2:  # noqa: PLR2004 - one item decides nothing
        return None
    if rounds == 1:
        return stats.tango(items, 0, 0, 0, level).upper
    ties = stats.dirichlet_mean([0.0] * items, rounds, level, stats.generator(0, "ties"))
    return max(ties.upper, -ties.lower)


def _beyond(detect: float, discordance: float, *, given: bool) -> tuple[Sentence, ...]:
    """Say that a difference asked for is more than the items on which the models differ allow."""
    if detect <= discordance:
        return ()
    return (
        Sentence(
            "models that differ on {share} % of the items cannot be {detect} points apart: "
            "ask for a smaller difference (--detect) or a larger share (--discordance)"
            if given
            else "a difference of {detect} points is more than rate × (1 - rate), {share} %: "
            "models so far apart are taken to differ on {detect} % of the items",
            share=round(100 * discordance, 3),
            detect=round(100 * detect, 3),
        ),
    )


def _grouped(groups: int | None) -> tuple[Sentence, ...]:
    if groups is None:
        return ()
    if groups < stats.FEWEST_GROUPS:
        return (
            Sentence(
                "the items come in {groups} groups: fewer than 8 decide nothing", groups=groups
            ),
        )
    return (
        Sentence(
            "the items come in {groups} groups, and are counted here as if each stood alone: "
            "where answers within a group are alike, more are needed",
            groups=groups,
        ),
    )


def _too_small(items: int, margin: float, reach: float | None) -> tuple[Sentence, ...]:
    """Say that no answers whatever could prove the margin."""
    if reach is not None and margin > reach:
        return ()
    if reach is None:
        return (Sentence("one item decides nothing"),)
    return (
        Sentence(
            "{items} items can never prove a margin of {margin} points: even if no item differed, "
            "the interval would reach {reach} points",
            items=items,
            margin=round(100 * margin, 3),
            reach=round(100 * reach, 1),
        ),
    )
