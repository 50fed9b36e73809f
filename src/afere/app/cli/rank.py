"""`afere rank`: all models of a suite."""

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
from afere.app.gate import Exit
from afere.domain import Ranking, Run, UsageError

__all__ = ["command"]


@click.command(
    "rank",
    short_help="All models of a suite: scores, ties, cost.",
    epilog="\b\nExamples:\n"
    "  afere rank                       every model of the last suite\n"
    "  afere rank --suite swap-20 gpt-5 gpt-5-mini qwen3\n"
    "  afere rank --same-params         refused where more than the model differs",
)
@click.argument("models", nargs=-1)
@click.option("--suite", metavar="S", help="Rank the runs of this suite. [the last one]")
@click.option("--level", type=FiniteRange(0.5, 0.9999), default=0.95, show_default=True)
@click.option("--average", type=click.Choice(["micro", "macro"]), help="[as the suite says]")
@click.option("--same-params", is_flag=True, help="Refuse where a parameter differs.")
@shared_options
def command(
    *,
    models: tuple[str, ...],
    suite: str | None,
    level: float,
    average: str | None,
    same_params: bool,
    shared: Shared,
) -> int:
    """Rank the latest run of each MODEL, by default of every model of the suite.

    Models that cannot be told apart share a place. Exit code 3 where no model has a graded answer.
    """
    from afere import analysis
    from afere.app import sides

    async def main() -> list[Run]:
        async with opened(shared) as store:
            return await sides.latest_runs(store, suite, models)

    ranking = analysis.rank(run_async(main()), level=level, average=average)
    if same_params and ranking.differing:
        raise _not_the_same(ranking)
    if shared.as_json:
        show_json(ranking.to_dict())
    else:
        from afere import report

        show(report.rank_report(ranking, words=shared.words))
    graded = any(model.score is not None for model in ranking.models)
    return Exit.DONE if graded else Exit.INCOMPLETE


def _not_the_same(ranking: Ranking) -> UsageError:
    names = ", ".join(ranking.differing)
    return UsageError(
        f"Not the same for all models: {names}.\n"
        "Run them with the same values (--param K=V, --rounds N), or rank without --same-params.",
    )
