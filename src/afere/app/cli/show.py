"""`afere show`: a run again, or its answers and how each was read."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

import click

from afere.app.cli.options import Shared, opened, run_async, shared_options, show, show_json
from afere.domain import Outcome, Response, Row, Run, RunSummary, UsageError, to_plain

__all__ = ["command"]


@click.command(
    "show",
    short_help="A run, its categories, one answer and how it was read.",
    epilog="\b\nExamples:\n"
    "  afere show latest\n"
    "  afere show gpt-5-mini --outcome unreadable\n"
    "  afere show 3fa2 --item p07",
)
@click.argument("run")
@click.option("--item", "items", multiple=True, metavar="ID", help="Answers to this item.")
@click.option(
    "--outcome",
    "outcomes",
    multiple=True,
    type=click.Choice([outcome.value for outcome in Outcome]),
    help="Answers that came to this; repeatable.",
)
@shared_options
def command(*, run: str, items: tuple[str, ...], outcomes: tuple[str, ...], shared: Shared) -> None:
    """Show RUN: an id, the beginning of one, `latest`, or a model's name."""
    from afere import analysis, report
    from afere.app import sides

    async def main() -> tuple[Run, list[tuple[Row, Response | None]], Mapping[str, int]]:
        async with opened(shared) as store:
            found = await sides.find_run(store, run)
            _refuse_strangers(found, items)
            wanted = [
                (row, response)
                async for row, response in store.answers(found.id)
                if _is_wanted(row, items, outcomes)
            ]
            return found, wanted, await store.tries(found.id)

    found, answers, tries = run_async(main())
    summary: RunSummary = analysis.summarize(found)
    if shared.as_json:
        show_json(
            {
                "run": summary.to_dict(),
                "rows": [_plain(*answer, tries) for answer in answers],
                "places": analysis.error_places(found).to_dict(),
            },
        )
        return
    if not (items or outcomes):
        show(
            report.run_report(
                summary,
                store=shared.store,
                next_command=f"afere show {found.id} --outcome wrong",
                gap=analysis.letter_gap(summary.letters),
                places=analysis.error_places(found),
                words=shared.words,
            ),
        )
        return
    show(report.answers_report(found, _shown(answers), words=shared.words))


def _refuse_strangers(run: Run, items: Sequence[str]) -> None:
    known = set(run.plan.items)
    for item in items:
        if item not in known:
            near = get_close_matches(item, known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"All of them: afere show {run.id}"
            raise UsageError(f"Run {run.id} asked no item {item!r}.\n{hint}")


def _is_wanted(row: Row, items: tuple[str, ...], outcomes: tuple[str, ...]) -> bool:
    return (not items or row.item in items) and (not outcomes or row.grade.outcome in outcomes)


def _shown(answers: Sequence[tuple[Row, Response | None]]) -> list[tuple[Row, str]]:
    return [(row, response.content if response else "") for row, response in answers]


def _plain(row: Row, response: Response | None, tries: Mapping[str, int]) -> dict[str, object]:
    from afere.app.offline import executed_fields

    return {
        "item": row.item,
        "round": row.round,
        "variant": row.variant,
        "outcome": row.grade.outcome,
        "score": row.grade.score,
        "read": row.grade.read,
        "rule": row.grade.rule,
        "grader": row.grade.grader,
        "flags": list(row.grade.flags),
        **executed_fields(row.grade),
        "content": response.content if response else None,
        "finish_reason": row.finish_reason,
        "reasoning": response.reasoning if response else None,
        "tokens": to_plain(row.tokens),
        "latency": row.latency,
        "attempts": tries.get(row.key, 0),
        "error": to_plain(row.error),
    }
