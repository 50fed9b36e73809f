"""`afere report`: one page that opens anywhere."""

from pathlib import Path

import click

from afere.app.cli.options import (
    FiniteRange,
    Shared,
    opened,
    run_async,
    say,
    shared_options,
    show_json,
)
from afere.domain import Policy, UsageError
from afere.report import can_draw

__all__ = ["command"]


@click.command(
    "report",
    short_help="One HTML page: the verdict, the models, every item with its replies.",
    epilog="\b\nExamples:\n"
    "  afere report                          the models of the last suite\n"
    "  afere report gpt-5 gpt-5-mini         two: the verdict, and what differs\n"
    "  afere report latest -o today.html     one run\n"
    "  afere report gpt-5 qwen3 phi-4        three or more: a ranking\n"
    "  afere report base.csv cand.csv        results made elsewhere",
)
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("report.html"),
    show_default=True,
    metavar="FILE",
    help="Where the page is written.",
)
@click.option("--suite", metavar="S", help="Take the runs of this suite.")
@click.option("--margin", type=FiniteRange(0, 1), help="Difference that matters. [0.02]")
@click.option("--level", type=FiniteRange(0.5, 0.9999), default=0.95, show_default=True)
@click.option("--average", type=click.Choice(["micro", "macro"]), help="[as the suite says]")
@shared_options
def command(
    *,
    runs: tuple[str, ...],
    output: Path,
    suite: str | None,
    margin: float | None,
    level: float,
    average: str | None,
    shared: Shared,
) -> None:
    """Write a page of one RUN, of two compared (baseline first), or of more ranked.

    Each is an id, the beginning of one, `latest`, a model's name (its latest run), or a result
    file. The page is one file without any request to the network.
    """
    from afere.app import pages, result_sides

    policy = Policy(level=level, average=average)
    if margin is not None:
        policy = Policy(margin=margin, level=level, average=average)

    async def main() -> pages.Page:
        if runs and all(result_sides.file_of(name) for name in runs):
            files = await pages.find_sides(None, runs, suite)
            return await pages.page_of(pages.told_of(files, policy), None, shared.words)
        async with opened(shared) as store:
            found = await pages.find_sides(store, runs, suite)
            return await pages.page_of(pages.told_of(found, policy), store, shared.words)

    page = run_async(main())
    write_page(output, page.html)
    if shared.as_json:
        show_json({"path": str(output), "rows": page.rows})
    elif not shared.quiet:
        say(shared.words.say("The page: {file}", file=output))
    if not can_draw() and not shared.quiet:
        note = shared.words.say(
            "note: the page has its tables, but no charts: {command}",
            command="pip install 'afere[report]'",
        )
        click.echo(note, err=True)


def write_page(path: Path, html: str) -> None:
    """Write a page; raises UsageError where that fails."""
    try:
        path.write_text(html, "utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.\nType: -o FILE") from error
