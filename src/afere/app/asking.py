"""The request that a plan makes of one item in one round and variant."""

from collections.abc import Mapping
from typing import Any

from afere.domain import Item, Request, RunPlan, Suite, digest

__all__ = ["request_of"]

LARGEST_SEED = 2**31 - 1000


def request_of(suite: Suite, shown: Item, plan: RunPlan, number: int, variant: int) -> Request:
    """Give the request for an item, as the plan shows it in this variant, in a round from 1."""
    from afere import suites

    return suites.render(
        suite,
        shown,
        endpoint=plan.endpoint,
        model=plan.model,
        params=_params(plan, shown.id),
        round=number,
        variant=variant,
        series=plan.series,
    )


def _params(plan: RunPlan, item_id: str) -> Mapping[str, Any]:
    """Give the parameters for an item; a seed of its own is the declared one, moved by its id.

    One seed for all items of a round makes a sampler draw the same numbers for each of them, so
    that their answers err alike and a round counts for less than its items.
    """
    if not plan.seed_per_item:
        return plan.params
    moved = int(digest(item_id)[:8], 16)
    return {**plan.params, "seed": (int(plan.params["seed"]) + moved) % LARGEST_SEED}
