"""`afere grade`: grades answers made elsewhere."""

from pathlib import Path

import click

from afere.app.cli.options import Shared, run_async, shared_options, show, show_json
from afere.app.gate import Exit

__all__ = ["command"]


@click.command(
    "grade",
    short_help="Grade answers made elsewhere.",
    epilog="\b\nExample:\n"
    "  afere grade swap-20 answers.jsonl\n"
    'A line of the file: {"item": "p01", "round": 1, "content": "3882", "finish_reason": "stop"}',
)
@click.argument("suite")
@click.argument("answers", type=click.Path(path_type=Path))
@click.option(
    "--unsafe-no-sandbox",
    is_flag=True,
    help="Execute answers that are code without isolation, and mark the results.",
)
@shared_options
def command(*, suite: str, answers: Path, unsafe_no_sandbox: bool, shared: Shared) -> int:
    """Grade ANSWERS (JSON lines) to the items of SUITE; no call is made.

    Exit code 3 where answers are missing or calls had failed.
    """
    from afere import report
    from afere.app import api, offline

    loaded = api.load_suite(suite)
    graded = run_async(offline.grade_file(loaded, answers, unsafe=unsafe_no_sandbox))
    if shared.as_json:
        show_json(graded.to_dict())
    else:
        show(
            report.graded_report(
                loaded,
                graded.rows,
                score=graded.score,
                missing=graded.missing,
                unknown=graded.unknown,
                duplicates=graded.duplicates,
                words=shared.words,
            ),
        )
    lost = any(not row.grade.outcome.counts for row in graded.rows)
    return Exit.INCOMPLETE if graded.missing or lost or not graded.rows else Exit.DONE
