"""The report of a plan for the terminal: what a suite can show before money is spent."""

from collections.abc import Mapping
from typing import Any

from afere.domain import SuitePlan
from afere.report.blocks import Line, Report, Style, Table
from afere.report.harmless import one_line
from afere.report.words import ENGLISH, Words, message

__all__ = ["plan_report"]

_NAME = 60


def plan_report(
    plan: SuitePlan,
    *,
    suite: str = "",
    model: str = "",
    words: Words = ENGLISH,
) -> Report:
    """Tell a plan: what it costs, the smallest difference it shows, what a question needs.

    model: the one whose price is told; empty where none was named.
    """
    return Report(
        (
            (
                Line(_detectable(plan, words), Style.STRONG),
                Line(_size(plan, suite, words)),
                Line(_cost(plan, model, words)),
            ),
            (Table(head=_head(words), rows=_needed(plan, words), align="lrr"),),
            tuple(
                Line(words.say("Warning: {text}", text=words.tell(text)), Style.CAREFUL)
                for text in plan.warnings
            ),
            tuple(Line(text, Style.FAINT) for text in _assumed(plan.assumptions, words)),
        )
    )


def _detectable(plan: SuitePlan, words: Words) -> str:
    if plan.detectable is None:
        if plan.items == 1:
            return words.say("One item decides nothing.")
        return words.say(
            "{n} items are too few to show any difference with {power} power, where the models "
            "differ on {share} of them.",
            n=words.count(plan.items),
            power=words.level(plan.assumptions["power"]),
            share=words.percent(plan.assumptions["discordance"]),
        )
    return words.say(
        "Smallest difference that this suite shows with {power} power: {points}.",
        power=words.level(plan.assumptions["power"]),
        points=words.margin(round(plan.detectable, 3)),
    )


def _size(plan: SuitePlan, suite: str, words: Words) -> str:
    items = words.many("{n} item", "{n} items", n=plan.items)
    rounds = words.many("{n} round", "{n} rounds", n=plan.rounds)
    calls = words.many("{n} call to each model", "{n} calls to each model", n=plan.calls)
    size = words.say("{items} × {rounds} = {calls}", items=items, rounds=rounds, calls=calls)
    return f"{one_line(suite, _NAME)}{words.colon}{size}" if suite else size


def _cost(plan: SuitePlan, model: str, words: Words) -> str:
    if plan.cost is not None:
        return words.say(
            "Price of {model}: about {price}.",
            model=one_line(model, _NAME) or words.say("each model"),
            price=words.price(plan.cost),
        )
    if not model:
        return words.say("Price: name a model of models.yaml that has a price (-m MODEL).")
    return words.say(
        "Price of {model}: not known. It takes its `price` in models.yaml, and a run of this "
        "suite in the store or --tokens IN OUT.",
        model=one_line(model, _NAME),
    )


def _head(words: Words) -> tuple[str, ...]:
    return words.each("to show", "items needed", "items here")


def _needed(plan: SuitePlan, words: Words) -> list[tuple[str, str, str]]:
    asked = plan.assumptions
    rows = [
        (
            words.say("a difference of {points}", points=words.margin(asked["detect"])),
            plan.needed.difference,
        ),
        (
            words.say(
                "equivalence within {points} (if nothing differs)",
                points=words.margin(asked["margin"]),
            ),
            plan.needed.equivalence,
        ),
    ]
    here = words.count(plan.items)
    return [(name, "–" if n is None else words.count(n), here) for name, n in rows]


def _assumed(assumptions: Mapping[str, Any], words: Words) -> list[str]:
    share = words.percent(assumptions["discordance"])
    given = assumptions["discordance_from"] == "given"
    texts = [
        words.say(
            "Taken as given: the models differ on {share} of the items in one round.", share=share
        )
        if given
        else words.say(
            "Assumed: {rate} right, so that two models differ on {share} of the items in one round "
            "(rate × (1 - rate); measured: --discordance).",
            rate=words.percent(assumptions["rate"]),
            share=share,
        ),
        words.say(
            "Half of that is taken to be noise, which rounds average away; the rest takes more "
            "items, not more rounds."
        ),
        words.say(
            "Level {level}, power {power}: a true difference of that size is shown that often.",
            level=words.level(assumptions["level"]),
            power=words.level(assumptions["power"]),
        ),
    ]
    tokens = assumptions.get("tokens_per_call")
    if tokens:
        run = assumptions.get("tokens_from")
        template = message("A call takes about {tokens_in} tokens in and {tokens_out} out.")
        if run:
            template = message(
                "A call takes about {tokens_in} tokens in and {tokens_out} out, as in run {run}."
            )
        texts.append(
            words.say(
                template,
                tokens_in=words.count(round(tokens[0])),
                tokens_out=words.count(round(tokens[1])),
                run=one_line(run or "", _NAME),
            )
        )
    return texts
