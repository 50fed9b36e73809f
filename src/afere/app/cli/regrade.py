"""`afere regrade`: grades stored answers again."""

import time

import click

from afere.app.cli.options import Shared, opened, run_async, shared_options, show, show_json

__all__ = ["command"]


@click.command(
    "regrade",
    short_help="Grade stored answers again, without a call.",
    epilog="\b\nExamples:\n"
    "  afere regrade latest\n"
    "  afere regrade 3fa2 --suite mended.yaml     with other keys",
)
@click.argument("run")
@click.option("--suite", metavar="S", help="Take the keys of this suite.")
@click.option(
    "--unsafe-no-sandbox",
    is_flag=True,
    help="Execute answers that are code without isolation, and mark the results.",
)
@shared_options
def command(*, run: str, suite: str | None, unsafe_no_sandbox: bool, shared: Shared) -> None:
    """Grade the stored answers of RUN again after a change of graders or keys.

    Both grades stay in the store. No call is made.
    """
    from afere import analysis, report
    from afere.app import api, offline, sides

    keys = api.load_suite(suite) if suite is not None else None

    async def main() -> offline.Regraded:
        async with opened(shared) as store:
            found = await sides.find_run(store, run)
            now = time.time()
            return await offline.regrade(store, found, keys, now, unsafe=unsafe_no_sandbox)

    regraded = run_async(main())
    before = analysis.summarize(regraded.before)
    after = analysis.summarize(regraded.after)
    changed = [
        {
            "item": old.item,
            "round": old.round,
            "from": old.grade.outcome,
            "to": new.grade.outcome,
        }
        for old, new in regraded.changed
    ]
    if shared.as_json:
        show_json(
            {
                "run": regraded.after.id,
                "changed": changed,
                "score_before": before.score,
                "score_after": after.score,
            },
        )
        return
    show(report.regraded_report(before, after, regraded.changed, words=shared.words))
