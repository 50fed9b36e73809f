"""`afere export`: a run's answers and scores as a table."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import click

from afere.app.cli.options import Shared, opened, run_async, shared_options, show_json
from afere.domain import Run, Store, UsageError

__all__ = ["command"]

FORMATS = ("csv", "jsonl", "parquet")
STDOUT = "-"


@click.command(
    "export",
    short_help="Write a run's answers and scores as CSV, JSON lines or Parquet.",
    epilog="\b\nExamples:\n"
    "  afere export latest                           CSV, named after the run\n"
    "  afere export gpt-5-mini -o mini.parquet       the format by the name\n"
    "  afere export 3fa2 --format jsonl -o - | jq .  to standard output",
)
@click.argument("run")
@click.option("--format", "kind", type=click.Choice(FORMATS), help="[by FILE's name, else csv]")
@click.option("-o", "output", metavar="FILE", help="[RUN.csv in this folder]; - is standard output")
@shared_options
def command(*, run: str, kind: str | None, output: str | None, shared: Shared) -> None:
    """Export RUN: an id, the beginning of one, `latest`, or a model's name.

    One row an answer, those lost or never asked too. The file is a result file: `afere compare`
    takes it in place of the run. In CSV a cell that a spreadsheet would run as a formula has an
    apostrophe before it.
    """
    if output == STDOUT and shared.as_json:
        raise UsageError("-o - and --json both write to standard output.\nLeave one out.")
    chosen = kind or _kind_of(output)

    async def main() -> tuple[str, int, int]:
        from afere.app import sides

        async with opened(shared) as store:
            found = replace(await sides.find_run(store, run), rows=())  # they come as a stream
            path = output or f"{found.id}.{chosen}"
            with _written(path) as file:
                return path, *(await _export(store, found, file, chosen))

    path, rows, escaped = run_async(main())
    if shared.as_json:
        show_json({"path": path, "rows": rows, "escaped": escaped})
    elif not shared.quiet:
        click.echo(f"{path}: {rows} rows", err=path == STDOUT)
    if escaped and not shared.quiet:
        click.echo(
            f"note: {escaped} rows hold half a character (a lone surrogate), "
            "written as \\ud800 and the like: no UTF-8 file can hold it",
            err=True,
        )


def _kind_of(output: str | None) -> str:
    suffix = Path(output or "").suffix.lower().lstrip(".")
    return suffix if suffix in FORMATS else "csv"


async def _export(store: Store, run: Run, file: BinaryIO, kind: str) -> tuple[int, int]:
    """Write a run's rows; give how many, and how many could not be written as they are."""
    from afere import exchange

    export, target = exchange.RunExport(run), exchange.export_file(file, kind)
    rows = 0
    async for row, response in store.answers(run.id):
        for cells in export.cells(row, response):
            target.write(cells)
            rows += 1
    for cells in export.rest():
        target.write(cells)
        rows += 1
    target.finish()
    return rows, target.escaped


@contextmanager
def _written(path: str) -> Iterator[BinaryIO]:
    """Open a file that takes its name when it is whole; what stood there stays until then."""
    if path == STDOUT:
        yield sys.stdout.buffer
        return
    target = Path(path)
    try:
        if target.exists() and not target.is_file():  # a pipe, a device
            with target.open("wb") as device:
                yield device
            return
        with tempfile.NamedTemporaryFile(
            dir=target.parent,
            prefix=f".{target.name}.",
            delete=False,
        ) as file:
            try:
                yield file  # type: ignore[misc] # a wrapper with the methods of a file
                file.flush()
                Path(file.name).chmod(0o666 & ~_umask())
                Path(file.name).replace(target)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None


def _umask() -> int:
    """Give the mask of the files that this process makes."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
