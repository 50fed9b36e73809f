"""`afere run`: asks, grades and keeps; the same command again goes on where it stopped."""

import os
import shlex
from pathlib import Path

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
from afere.app.gate import Exit, runs_exit
from afere.app.models import shown_url
from afere.domain import Outcome, Run, RunStatus, RunSummary, UsageError
from afere.report import Words

__all__ = ["command"]


@click.command(
    "run",
    short_help="Ask a suite of one or more models.",
    epilog="\b\nExamples:\n"
    "  afere run swap-20 -m gpt-5-mini\n"
    "  afere run mine.yaml -m qwen3 -m llama3 --base-url http://127.0.0.1:11434/v1 --rounds 5\n"
    "  afere run first-steps -m llama:smollm2-135m --limit 10",
)
@click.argument("suite")
@click.option("-m", "--model", "models", multiple=True, metavar="MODEL", help="Repeatable.")
@click.option("--base-url", metavar="URL", help="Address of an OpenAI-compatible endpoint.")
@click.option("--key-env", metavar="NAME", help="Variable that holds the key. [AFERE_API_KEY]")
@click.option("--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="Repeatable.")
@click.option("--rounds", type=click.IntRange(1, 1000), default=3, show_default=True)
@click.option("--limit", type=click.IntRange(1), help="Ask the first N items alone.")
@click.option("--item", "items", multiple=True, metavar="ID", help="Ask this item; repeatable.")
@click.option("--category", "categories", multiple=True, metavar="C", help="Repeatable.")
@click.option("--param", "params", multiple=True, metavar="K=V", help="Field of the request body.")
@click.option("--concurrency", type=click.IntRange(1, 10_000), help="Calls at a time. [8]")
@click.option("--pause", type=FiniteRange(0, 86400), default=0.0, help="Seconds between two calls.")
@click.option("--fresh", is_flag=True, help="Reuse no answer that is in the store.")
@click.option("--series", default="", metavar="NAME", help="Share answers within NAME alone.")
@click.option("--rotate", is_flag=True, help="Ask every cyclic shift of an item's options.")
@click.option("--shuffle", type=int, metavar="SEED", help="Put options in another order.")
@click.option("--seed-per-item", is_flag=True, help="Give each item a seed of its own.")
@click.option("--max-calls", type=click.IntRange(1), metavar="N", help="End before more calls.")
@click.option("--max-cost", type=FiniteRange(0), metavar="USD", help="End before it is passed.")
@click.option("--max-time", metavar="T", help="End after 90, 10m or 2h.")
@click.option(
    "--ask-again",
    metavar="OUTCOMES",
    help="Ask such replies again on purpose: blocked,truncated",
)
@click.option(
    "--unsafe-no-sandbox",
    is_flag=True,
    help="Execute answers that are code without isolation, and mark the results.",
)
@click.option("--models", "models_file", type=click.Path(path_type=Path), help="[models.yaml]")
@click.option("--api-key", hidden=True, expose_value=False, callback=lambda *a: _refuse_key(a[2]))
@shared_options
def command(
    *,
    suite: str,
    models: tuple[str, ...],
    base_url: str | None,
    key_env: str | None,
    headers: tuple[str, ...],
    rounds: int,
    limit: int | None,
    items: tuple[str, ...],
    categories: tuple[str, ...],
    params: tuple[str, ...],
    concurrency: int | None,
    pause: float,
    fresh: bool,
    series: str,
    rotate: bool,
    shuffle: int | None,
    seed_per_item: bool,
    max_calls: int | None,
    max_cost: float | None,
    max_time: str | None,
    ask_again: str | None,
    unsafe_no_sandbox: bool,
    models_file: Path | None,
    shared: Shared,
) -> int:
    """Ask SUITE (a built-in name, a file, a folder, humaneval:PATH) of each MODEL, several rounds.

    Every answer is kept the moment it is there. The same command again asks only what is missing.
    """
    from afere.app import api
    from afere.app.budget import parse_seconds
    from afere.app.models import ModelOptions, parse_headers, parse_params
    from afere.app.run_options import RunOptions

    loaded = api.load_suite(suite)
    asked = api.find_models(
        models,
        ModelOptions(
            base_url=base_url,
            key_env=key_env,
            headers=parse_headers(headers),
            models_file=models_file,
        ),
        os.environ,
    )
    options = RunOptions(
        rounds=rounds,
        limit=limit,
        items=items,
        categories=categories,
        params=parse_params(params),
        concurrency=concurrency,
        pause=pause,
        series=series,
        fresh=fresh,
        rotate=rotate,
        shuffle=shuffle,
        seed_per_item=seed_per_item,
        limit_calls=max_calls,
        limit_cost=max_cost,
        limit_seconds=None if max_time is None else parse_seconds(max_time),
        ask_again=_outcomes(ask_again),
        unsafe_no_sandbox=unsafe_no_sandbox,
    )
    from afere.app.cli.progress import Progress
    from afere.app.interrupt import Interrupt

    progress = Progress(quiet=shared.quiet, words=shared.words)
    progress.first_line(loaded, asked, options)
    interrupt = Interrupt(progress)

    async def main() -> list[tuple[Run, RunSummary]]:
        async with opened(shared, make=True) as store:
            return await api.run_all(
                loaded,
                asked,
                options,
                store=store,
                cache=shared.cache,
                watch=progress,
                stop=interrupt.stop(),
            )

    results = run_async(main(), interrupt)
    summaries = [summary for _, summary in results]
    _show(
        results,
        shared,
        _next(results, suite, base_url, shared.words, interrupted=interrupt.happened),
    )
    return Exit.INTERRUPTED if interrupt.happened else runs_exit(summaries)


def _outcomes(text: str | None) -> frozenset[Outcome]:
    names = [name.strip() for name in (text or "").split(",") if name.strip()]
    replies = {outcome.value for outcome in Outcome if outcome.counts}
    strange = [name for name in names if name not in replies]
    if strange:
        raise UsageError(
            f"--ask-again {strange[0]!r} is no outcome of a reply.\n"
            f"Such are: {', '.join(sorted(replies))}",
        )
    return frozenset(Outcome(name) for name in names)


def _refuse_key(value: str | None) -> None:
    if value is not None:
        raise UsageError(
            "A key on the command line is seen in process lists and shell history: not taken.\n"
            "Type: export AFERE_API_KEY=...   (or name another variable: --key-env NAME)",
        )


def _show(results: list[tuple[Run, RunSummary]], shared: Shared, next_command: str) -> None:
    if shared.as_json:
        show_json({"runs": [summary.to_dict() for _, summary in results]})
        return
    from afere import report

    for number, (_, summary) in enumerate(results):
        if number:
            click.echo()
        show(
            report.run_report(
                summary,
                store=shared.store,
                next_command=next_command,
                words=shared.words,
            ),
        )


def _next(
    results: list[tuple[Run, RunSummary]],
    suite: str,
    base_url: str | None,
    words: Words,
    *,
    interrupted: bool,
) -> str:
    """Give what to type next: the same again where something is missing, else a comparison."""
    if interrupted or any(each.status is not RunStatus.COMPLETE for _, each in results):
        return words.say("run the same command again: only what is missing is asked.")
    match results:
        case [(one, _), (other, _)]:
            return f"afere compare {one.id} {other.id}"
        case [(one, _)]:
            place = f" --base-url {shown_url(base_url)}" if base_url else ""
            command = f"afere run {shlex.quote(suite)} -m OTHER{place}"
            return f"{command}, then: afere compare {one.id} OTHER"
        case _:
            return "afere compare BASELINE CANDIDATE"
