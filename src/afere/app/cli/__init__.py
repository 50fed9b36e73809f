"""The command line: one file a command, each read only when it is called."""

import gc
import importlib
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

import click

from afere import __version__
from afere.domain import AfereError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["main"]

COMMANDS = {
    "demo": "A real verdict on two real local models; needs no key.",
    "run": "Ask a suite of one or more models, grade and keep the answers.",
    "compare": "Did the candidate get better or worse than the baseline?",
    "rank": "All models of a suite: scores, ties, cost.",
    "plan": "How many items and rounds a question needs, and what they cost.",
    "show": "A run, its categories, one answer and how it was read.",
    "grade": "Grade answers made elsewhere.",
    "regrade": "Grade stored answers again, without a call.",
    "calibrate": "May I automate? Calibration, a threshold and its certificate.",
    "ping": "One call to each endpoint: what works, what it supports.",
    "init": "Write a commented models.yaml and an example suite.",
    "check": "Look a suite over before money is spent.",
    "exam": "An official exam's PDF and key into a suite, every question accounted for.",
    "export": "Write a run's answers and scores as CSV, JSON lines or Parquet.",
    "report": "One HTML page: verdict, models, every item with its replies.",
    "runs": "What the store holds.",
    "view": "The store in the browser: runs, comparisons, progress, live.",
    "watch": "How far the runs are that are under way.",
    "suites": "The suites that come with afere.",
    "sandbox": "The isolation in which answers that are code run.",
}
FIRST_STEPS = """\
First commands:
  afere demo                                          two real local models, no key
  afere run swap-20-en -m MODEL --base-url URL        your own endpoint
  afere compare                                       the verdict on the last two models
"""
USAGE, INTERRUPTED = 2, 130
_SWEEPS = 20_000, 20, 20  # what a run holds is seldom in circles: fewer searches for them


class _Group(click.Group):
    """Knows the commands' names and first lines without reading their files."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"afere.app.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self,
        ctx: click.Context,
        args: list[str],
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1)
            hint = f"Did you mean 'afere {near[0]}'?" if near else "Type: afere --help"
            raise click.UsageError(f"There is no command {name!r}.\n{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        formatter.write_paragraph()
        formatter.write(FIRST_STEPS)


@click.group(
    cls=_Group,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="afere")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Did the model get worse? Asks checkable questions and gives a plain verdict."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command; exit codes are those of the documentation, errors are one to three lines."""
    _survive_any_text()
    gc.set_threshold(*_SWEEPS)
    code = _run(list(arguments) if arguments is not None else None)
    sys.exit(_flushed(code))


def _run(arguments: list[str] | None) -> int:  # noqa: PLR0911 - one return an ending
    try:
        result: Any = cli.main(arguments, prog_name="afere", standalone_mode=False)
    except click.ClickException as error:
        return _tell_click(error)
    except AfereError as error:
        if os.environ.get("AFERE_DEBUG") == "1":
            raise
        return _tell(str(error), USAGE)
    except BrokenPipeError:
        return _reader_left()
    except SystemExit as left:  # the command line library's way of saying that a pipe closed
        return _reader_left() if left.code == 1 else USAGE
    except OSError as error:
        _reader_left()
        return _tell(f"cannot write: {error.strerror or error}.\nFree some space.", USAGE)
    except (KeyboardInterrupt, click.exceptions.Abort):
        return _tell("Interrupted; everything finished is kept.", INTERRUPTED)
    except Exception as fault:  # a user is told in a line, whatever it is
        if os.environ.get("AFERE_DEBUG") == "1":
            raise
        return _tell(
            f"A fault of afere itself: {type(fault).__name__}: {fault}\n"
            "What was answered is kept. For a report: the same command with AFERE_DEBUG=1",
            USAGE,
        )
    return result if isinstance(result, int) else 0


def _flushed(code: int) -> int:
    """Write what is still held back; a reader that has left is no error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _reader_left()
    except OSError as error:
        _reader_left()
        return _tell(f"cannot write: {error.strerror or error}.\nFree some space.", USAGE)
    return code


def _reader_left() -> int:
    """Send what is still to be written nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def _tell_click(error: click.ClickException) -> int:
    lines = [error.format_message()]
    ctx = getattr(error, "ctx", None)
    if ctx is not None:
        lines.append(f"Help: {ctx.command_path} --help")
    return _tell("\n".join(lines), USAGE)


def _tell(text: str, code: int) -> int:
    click.echo(f"afere: {text}", err=True)
    return code


class _Aside(io.FileIO):
    """Standard error: what it does not take is dropped, for a note must never end a run."""

    def write(self, data: "ReadableBuffer") -> int:
        """Write, and where that fails write nothing more."""
        with suppress(OSError):
            if (written := super().write(data)) is not None:
                return written
            return memoryview(data).nbytes  # its reader is slow and it does not wait
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        return memoryview(data).nbytes


def _survive_any_text() -> None:
    """Print what the terminal's encoding cannot show as escapes instead of failing."""
    if sys.stdout is None:  # the caller closed it
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - to the end
    told, own = sys.stderr, sys.stderr is sys.__stderr__
    if told is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - to the end
    elif own and os.name == "posix":
        raw = _Aside(told.fileno(), "w", closefd=False)
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(raw), encoding=told.encoding, line_buffering=True
        )
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
