"""`afere sandbox`: which isolation works here, and a file run under it."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import click

from afere.app.cli.options import Shared, run_async, say, shared_options, show_json
from afere.app.gate import Exit
from afere.domain import (
    Execution,
    Limits,
    PythonTask,
    Sandbox,
    ShellTask,
    SqlTask,
    Task,
    UsageError,
    to_plain,
)

__all__ = ["command"]

LARGEST_FILE = 10 << 20
FAILED = 1
CONTROLS = {
    code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"
}


@click.group("sandbox", short_help="The isolation in which answers that are code run.")
def command() -> None:
    """Say which isolation works on this machine, or run a file under it."""


@command.command("doctor", short_help="The level of isolation, and how to raise it.")
@shared_options
def doctor(*, shared: Shared) -> int:
    """Try the levels of isolation; print the one in use, why not a higher one, and the mend.

    Exit code 2 where none works.
    """
    from afere.sandbox import examine

    findings = run_async(examine())
    level = next((each.level for each in findings if each.works), None)
    if shared.as_json:
        show_json({"level": level, "levels": [to_plain(each) for each in findings]})
        return Exit.DONE if level else Exit.USAGE
    say(f"Sandbox level: {level or 'none works here'}")
    for each in findings:
        say(f"  {each.level:<11} {'works' if each.works else f'not here: {each.why}'}")
        if each.level == level:
            break
        if each.mend:
            say(f"  {'':<11} {each.mend}")
    return Exit.DONE if level else Exit.USAGE


@command.command("run", short_help="A file under the sandbox.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--cpu", type=float, metavar="S", help="Processor time, in seconds. [10]")
@click.option("--wall", type=float, metavar="S", help="Time by the clock, in seconds. [30]")
@click.option("--unsafe-no-sandbox", "unsafe", is_flag=True, help="Isolate nothing. Think twice.")
@shared_options
def run(*, file: Path, cpu: float | None, wall: float | None, unsafe: bool, shared: Shared) -> int:
    """Run a .py, .sh or .sql file under the sandbox; print its output and what came of it.

    Exit code 1 where the program failed.
    """
    from afere.sandbox import UNSAFE, open_sandbox

    task = _task(file, cpu, wall)

    async def ran() -> Execution:
        sandbox: Sandbox = await open_sandbox(level=UNSAFE if unsafe else None, workers=1)
        try:
            return await sandbox.run(task)
        finally:
            await sandbox.close()

    came = run_async(ran())
    if shared.as_json:
        show_json(_document(came))
    else:
        _tell(came, quiet=shared.quiet)
    return Exit.DONE if came.failure is None and not came.status else FAILED


def _task(file: Path, cpu: float | None, wall: float | None) -> Task:
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise UsageError(f"{file}: larger than {LARGEST_FILE >> 20} MiB.\nRun a smaller one.")
        text = file.read_bytes().decode("utf-8")
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}.\nName a file to run.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: not UTF-8 text.\nSave it as UTF-8.") from error
    plain = Limits()
    limits = Limits(cpu=cpu or plain.cpu, wall=wall or max(plain.wall, 3 * (cpu or 0)))
    match file.suffix.lower():
        case ".py":
            return PythonTask(answer=text, entries=(), limits=limits)
        case ".sh" | ".bash":
            shell: Literal["sh", "bash"] = "sh" if text.startswith("#!/bin/sh") else "bash"
            usual = ShellTask(command=text, shell=shell)
            many = replace(limits, processes=usual.limits.processes)
            return replace(usual, limits=many)
        case ".sql":
            return SqlTask(query=text, limits=limits)
    raise UsageError(f"{file}: the sandbox runs .py, .sh, .bash and .sql files.\nRename it.")


def _document(came: Execution) -> dict[str, object]:
    rows = came.value if isinstance(came.value, list) else []
    return {
        "failure": came.failure,
        "message": came.message,
        "output": came.output,
        "status": came.status,
        "rows": [[_plain(each) for each in row] for row in rows],
        "files": sorted(came.files),
        "level": came.level,
        "seconds": came.seconds,
    }


def _plain(value: object) -> object:
    return value if value is None or type(value) in {bool, int, float, str} else str(value)


def _tell(came: Execution, *, quiet: bool) -> None:
    """Print the output, its control characters made visible: it is a hostile program's."""
    if came.output:
        say(came.output.translate(CONTROLS), nl=not came.output.endswith("\n"))
    for row in came.value or ():
        say("\t".join(str(each) for each in row).translate(CONTROLS))
    if not quiet:
        outcome = f"{came.failure}: {came.message}" if came.failure else "ran to its end"
        status = f", status {came.status}" if came.status is not None else ""
        line = f"{outcome}{status} (sandbox: {came.level}, {came.seconds:.2f} s)"
        click.echo(line.translate(CONTROLS), err=True)
