"""`afere runs`: what the store holds."""

import click

from afere.app.cli.options import Shared, opened, run_async, shared_options, show, show_json
from afere.domain import Invocation, NoStoreError, RunPlan
from afere.report import run_state

__all__ = ["command"]


@click.command("runs", short_help="What the store holds.")
@shared_options
def command(*, shared: Shared) -> None:
    """List the runs of the store, the latest last."""

    async def main() -> list[tuple[RunPlan, Invocation]]:
        try:
            async with opened(shared) as store:
                return list(await store.plans())
        except NoStoreError as nothing:
            click.echo(f"afere: {nothing}", err=True)
            return []

    listed = run_async(main())
    if shared.as_json:
        show_json({"runs": [_plain(plan, invocation) for plan, invocation in listed]})
        return
    from afere import report

    show(report.runs_table(listed, words=shared.words))


def _plain(plan: RunPlan, invocation: Invocation) -> dict[str, object]:
    return {
        "run": plan.id,
        "suite": plan.suite_name,
        "suite_hash": plan.suite_hash,
        "model": plan.name,
        "base_url": plan.base_url,
        "rounds": plan.rounds,
        "items": len(plan.items),
        "series": plan.series,
        "probe": plan.probe,
        "started": invocation.started,
        "finished": invocation.finished,
        "state": run_state(invocation),
        "missing": invocation.missing,
    }
