"""`afere check`: looks a suite over before money is spent."""

import click

from afere.app.cli.options import FiniteRange, Shared, run_async, shared_options, show, show_json
from afere.app.gate import Exit

__all__ = ["command"]

ROUNDS = (1, 3)


@click.command("check", short_help="Look a suite over before money is spent.")
@click.argument("suite")
@click.option(
    "--rate",
    type=FiniteRange(0, 1),
    default=0.9,
    show_default=True,
    help="The share of right answers that you expect.",
)
@shared_options
def command(*, suite: str, rate: float, shared: Shared) -> int:
    """Audit SUITE: keys, leaks, twins, skew, and the smallest difference that it can show.

    Exit code 2 where an error was found.
    """
    from afere import analysis, report, suites
    from afere.app.executing import graders_for
    from afere.app.plugins import all_graders

    loaded = suites.load_with_warnings(suite, all_graders())

    async def audited() -> tuple[suites.Problem, ...]:
        async with graders_for(loaded.suite.items, optional=True) as graders:
            return await suites.audit(loaded.suite, graders)

    problems = run_async(audited())
    items = len(loaded.suite.items)
    detectable = {
        str(rounds): analysis.smallest_difference(items, rounds=rounds, rate=rate)
        for rounds in ROUNDS
    }
    if shared.as_json:
        show_json(
            {
                "problems": [problem.to_dict() for problem in problems],
                "warnings": list(loaded.warnings),
                "items": items,
                "smallest_detectable_difference": detectable,
            },
        )
    else:
        show(
            report.check_report(
                loaded.suite,
                [(each.severity, each.item, each.message) for each in problems],
                loaded.warnings,
                detectable,
                rate=rate,
                words=shared.words,
            ),
        )
    failed = any(problem.severity == "error" for problem in problems)
    return Exit.USAGE if failed else Exit.DONE
