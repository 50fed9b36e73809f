"""`afere plan`: what a suite can show, before it is run."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from afere.app.cli.options import (
    FiniteRange,
    Shared,
    opened,
    run_async,
    shared_options,
    show,
    show_json,
)
from afere.domain import NoStoreError, Store, Suite, UsageError

__all__ = ["command"]

FRACTION = FiniteRange(0, 1)


@click.command(
    "plan",
    short_help="How many items and rounds a question needs, and what they cost.",
    epilog="\b\nExamples:\n"
    "  afere plan swap-20                        what can it show?\n"
    "  afere plan mine.yaml --detect 0.03 --rate 0.8 --rounds 5\n"
    "  afere plan mine.yaml -m gpt-5-mini --tokens 400 150",
)
@click.argument("suite")
@click.option("--rounds", type=click.IntRange(1, 1000), default=3, show_default=True)
@click.option(
    "--rate", type=FRACTION, default=0.9, show_default=True, help="Share of right answers."
)
@click.option(
    "--detect", type=FRACTION, default=0.05, show_default=True, help="Difference to be shown."
)
@click.option(
    "--margin", type=FRACTION, default=0.02, show_default=True, help="Difference that matters."
)
@click.option("--discordance", type=FRACTION, help="Share of items on which two models differ.")
@click.option("-m", "--model", metavar="MODEL", help="Tell the price of this model.")
@click.option(
    "--tokens", nargs=2, type=FiniteRange(0), metavar="IN OUT", help="Tokens of one call."
)
@click.option("--models", "models_file", type=click.Path(path_type=Path), help="[models.yaml]")
@shared_options
def command(
    *,
    suite: str,
    rounds: int,
    rate: float,
    detect: float,
    margin: float,
    discordance: float | None,
    model: str | None,
    tokens: tuple[float, float] | None,
    models_file: Path | None,
    shared: Shared,
) -> int:
    """Tell what SUITE can show: the smallest difference, items needed, calls and price.

    Nothing is asked. Tokens of a call are those of the store's latest run of the suite, if any,
    which is named.
    """
    from afere import analysis
    from afere.app import api

    loaded = api.load_suite(suite)
    price = _price(model, models_file) if model is not None else None

    async def main() -> tuple[tuple[float, float] | None, str | None]:
        try:
            async with opened(shared) as store:
                return await _tokens_per_call(store, loaded.name, model)
        except NoStoreError:
            return None, None

    counted_in: str | None = None
    if price and tokens is None:
        tokens, counted_in = run_async(main())
    plan = analysis.plan_suite(
        len(loaded.items),
        rounds=rounds,
        rate=rate,
        detect=detect,
        margin=margin,
        discordance=discordance,
        price=price,
        tokens=tokens,
        tokens_from=counted_in,
        groups=_groups(loaded),
    )
    if shared.as_json:
        show_json({"suite": loaded.name, **plan.to_dict()})
    else:
        from afere import report

        show(
            report.plan_report(plan, suite=loaded.name, model=model or "", words=shared.words),
        )
    return 0


def _price(model: str, models_file: Path | None) -> Mapping[str, Any]:
    from afere.app.models_file import declared_models

    declared = declared_models(models_file, os.environ)
    if model not in declared:
        known = f"It has: {', '.join(declared)}" if declared else "Write one: models.yaml"
        raise UsageError(f"models.yaml has no model {model!r}, and so no price of it.\n{known}")
    return declared[model].price


def _groups(suite: Suite) -> int | None:
    """Count the groups, an item without one as its own; None where no two items share one."""
    named = {item.group for item in suite.items if item.group is not None}
    count = len(named) + sum(item.group is None for item in suite.items)
    return None if count == len(suite.items) else count


async def _tokens_per_call(
    store: Store, suite: str, model: str | None
) -> tuple[tuple[float, float] | None, str | None]:
    """Give the mean tokens of a call in the suite's latest run, one of this model first, and which.

    The run is named by its id and its model.
    """
    listed = [plan for plan, _ in await store.plans() if plan.suite_name == suite]
    listed.reverse()
    for plan in sorted(listed, key=lambda plan: plan.name != model):
        run = await store.run(plan.id)
        told = [
            (row.tokens.input, row.tokens.output)
            for row in (run.rows if run else ())
            if row.tokens.input is not None and row.tokens.output is not None
        ]
        if told:
            counts = (
                sum(first for first, _ in told) / len(told),
                sum(second for _, second in told) / len(told),
            )
            return counts, f"{plan.id} ({plan.name})"
    return None, None
