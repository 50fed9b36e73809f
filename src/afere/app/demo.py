"""Asks the demo's question: what does harder quantisation cost a real small model."""

import asyncio
from pathlib import Path

from afere.app import api
from afere.app.models import SHIPPED_WEIGHTS, Engine, Model, local_model
from afere.app.run_options import RunOptions
from afere.app.stack import weights_file
from afere.app.watch import Watch
from afere.domain import Run, Store
from afere.runner import Stop

__all__ = ["DEMO_SUITE", "demo_models", "run_demo"]

DEMO_SUITE = "first-steps"
LEVELS = 8
OPTIONS = RunOptions(
    rounds=3,
    params={"temperature": 0.7, "seed": 1},
    seed_per_item=True,
    concurrency=1,
)


async def demo_models(cache: Path, watch: Watch) -> tuple[Model, Model]:
    """Fetch the weights, write them again with fewer bits, and give both as models.

    Both files stay in the cache: a second start needs neither network nor time.
    Raises UsageError where the weights are not to be had.
    """
    from afere.endpoints import local

    shipped = await asyncio.to_thread(weights_file, Engine(weights=SHIPPED_WEIGHTS), cache, watch)
    name = f"{SHIPPED_WEIGHTS}-{LEVELS}-levels"
    fewer = cache / f"{name}.gguf"
    watch.note((await asyncio.to_thread(local.requantize, shipped, fewer, LEVELS)).said)
    return (local_model(SHIPPED_WEIGHTS), local_model(name, weights=str(fewer)))


async def run_demo(store: Store, cache: Path, watch: Watch, stop: Stop) -> list[Run]:
    """Ask both models the first steps, three rounds at temperature 0.7, one call at a time.

    Gives the runs that were finished, the baseline first.
    """
    models = await demo_models(cache, watch)
    runs = await api.run_all(
        api.load_suite(DEMO_SUITE),
        models,
        OPTIONS,
        store=store,
        cache=cache,
        watch=watch,
        stop=stop,
    )
    return [] if stop.interrupted else [run for run, _ in runs]
