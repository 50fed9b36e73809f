"""`afere compare`: the paired verdict."""

from functools import partial

import click

from afere.app.cli.options import Shared, opened, run_async, shared_options, show, show_json
from afere.app.gate import Gate, comparison_exit
from afere.domain import Comparison, Policy, UsageError

__all__ = ["command"]


@click.command(
    "compare",
    short_help="Did the candidate get better or worse?",
    epilog="\b\nExamples:\n"
    "  afere compare                            the two models of the last suite\n"
    "  afere compare gpt-5 gpt-5-mini           the latest run of each\n"
    "  afere compare 3fa2 91bc --gate not-worse exit code 1 where it got worse\n"
    "  afere compare base.csv cand.csv          results made elsewhere",
)
@click.argument("baseline", required=False)
@click.argument("candidate", required=False)
@click.option("--suite", metavar="S", help="Compare the runs of this suite.")
@click.option("--margin", type=click.FloatRange(0, 1), help="Difference that matters. [0.02]")
@click.option("--level", type=click.FloatRange(0.5, 0.9999), default=0.95, show_default=True)
@click.option("--average", type=click.Choice(["micro", "macro"]), help="[as the suite says]")
@click.option("--gate", type=click.Choice([gate.value for gate in Gate]))
@shared_options
def command(
    *,
    baseline: str | None,
    candidate: str | None,
    suite: str | None,
    margin: float | None,
    level: float,
    average: str | None,
    gate: str | None,
    shared: Shared,
) -> int:
    """Compare CANDIDATE with BASELINE on the same items.

    Each is a result file (CSV, JSON lines, Parquet; FILE::MODEL where it holds several), the id of
    a run, or a model's name.

    Without arguments: the two models of the last suite, the earlier run as baseline.
    Exit codes with --gate: 0 it opens, 1 it fails, 4 undecided, 3 invalid.
    """
    if baseline is not None and candidate is None:
        raise UsageError(
            "A comparison needs two sides.\nType: afere compare BASELINE CANDIDATE  (afere runs)",
        )
    from afere.app import api, result_sides, sides

    policy = Policy(level=level, average=average)
    if margin is not None:
        policy = Policy(level=level, average=average, margin=margin)

    async def main() -> Comparison:
        if files := result_sides.with_files(baseline, candidate):
            stored = result_sides.Stored(lambda: opened(shared), suite)
            return await result_sides.compare(files, policy, stored, tell=partial(_tell, shared))
        async with opened(shared) as store:
            if baseline is None or candidate is None:
                pair = await sides.last_two(store, suite)
            else:
                pair = await sides.find_pair(store, baseline, candidate, suite)
            return api.compare_runs(*pair, policy)

    comparison = run_async(main())
    chosen = Gate(gate) if gate else None
    code = comparison_exit(comparison, chosen)
    if shared.as_json:
        show_json(comparison.to_dict())
    else:
        from afere import report

        show(report.comparison_report(comparison))
        if chosen is not None:
            click.echo(report.gate_line(comparison, chosen, code))
    return code


def _tell(shared: Shared, note: str) -> None:
    if not shared.quiet:
        click.echo(f"note: {note}", err=True)
