"""`afere compare`: the paired verdict."""

from functools import partial
from pathlib import Path

import click

from afere.app.cli.options import (
    FiniteRange,
    Shared,
    opened,
    run_async,
    say,
    shared_options,
    show,
    show_json,
)
from afere.app.gate import Exit, Gate, comparison_exit
from afere.domain import Behind, Comparison, Policy, UsageError

__all__ = ["command"]

FORMATS = ("text", "md", "junit")


@click.command(
    "compare",
    short_help="Did the candidate get better or worse?",
    epilog="\b\nExamples:\n"
    "  afere compare                            the two models of the last suite\n"
    "  afere compare gpt-5 gpt-5-mini           the latest run of each\n"
    "  afere compare 3fa2 91bc --gate not-worse exit code 1 where it got worse\n"
    "  afere compare base.csv cand.csv          results made elsewhere\n"
    "  afere compare --format md -o comment.md  for a pull request",
)
@click.argument("baseline", required=False)
@click.argument("candidate", required=False)
@click.option("--suite", metavar="S", help="Compare the runs of this suite.")
@click.option("--margin", type=FiniteRange(0, 1), help="Difference that matters. [0.02]")
@click.option("--level", type=FiniteRange(0.5, 0.9999), default=0.95, show_default=True)
@click.option("--average", type=click.Choice(["micro", "macro"]), help="[as the suite says]")
@click.option("--gate", type=click.Choice([gate.value for gate in Gate]))
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write it to FILE, and the verdict alone here.",
)
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
    form: str,
    output: Path | None,
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
    if shared.as_json and form != "text" and output is None:
        raise UsageError(
            f"--json and --format {form} cannot share standard output.\nType: -o FILE with --format"
        )
    from afere.app import api, behind, result_sides, sides

    policy = Policy(level=level, average=average)
    if margin is not None:
        policy = Policy(level=level, average=average, margin=margin)

    async def main() -> tuple[Comparison, Behind | None]:
        if files := result_sides.with_files(baseline, candidate):
            stored = result_sides.Stored(lambda: opened(shared), suite)
            tell = partial(_tell, shared)
            return await result_sides.compare(files, policy, stored, tell=tell), None
        async with opened(shared) as store:
            if baseline is None or candidate is None:
                pair = await sides.last_two(store, suite)
            else:
                pair = await sides.find_pair(store, baseline, candidate, suite)
            return api.compare_runs(*pair, policy), behind.behind(*pair, policy)

    comparison, causes = run_async(main())
    chosen = Gate(gate) if gate else None
    code = comparison_exit(comparison, chosen)
    told = _Told(comparison, causes, chosen, code, shared)
    if output is not None:
        _write(output, told.text(form))
    if shared.as_json:
        show_json(told.document())
    elif output is not None:
        say(told.line())
    else:
        told.show(form)
    return code


class _Told:
    """A comparison in each of its forms."""

    def __init__(
        self,
        comparison: Comparison,
        behind: Behind | None,
        gate: Gate | None,
        code: Exit,
        shared: Shared,
    ) -> None:
        self.comparison, self.behind, self.gate, self.code = comparison, behind, gate, code
        self.words = shared.words

    def document(self) -> dict[str, object]:
        """Give the JSON output."""
        found: dict[str, object] = self.comparison.to_dict()
        if self.behind is not None:
            known = self.behind.to_dict()
            found |= {"drivers": known.pop("drivers"), "exposures": known.pop("exposures")}
        return found

    def line(self) -> str:
        """Give the verdict of the gate, or of the comparison, in one line."""
        from afere import report

        if self.gate is None:
            return report.verdict_sentence(self.comparison, words=self.words)
        return report.gate_line(self.comparison, self.gate, self.code, words=self.words)

    def text(self, form: str) -> str:
        """Give the whole text of a form."""
        from afere import report

        if form == "md":
            return report.comparison_markdown(
                self.comparison, self.behind, gate=self.gate, exit_code=self.code, words=self.words
            )
        if form == "junit":
            return report.comparison_junit(
                self.comparison, gate=self.gate, exit_code=self.code, words=self.words
            )
        told = str(report.comparison_report(self.comparison, self.behind, words=self.words))
        return f"{told}\n{self.line()}\n" if self.gate is not None else f"{told}\n"

    def show(self, form: str) -> None:
        """Print a form; the text is drawn within the terminal's width."""
        from afere import report

        if form != "text":
            say(self.text(form), nl=False)
            return
        show(report.comparison_report(self.comparison, self.behind, words=self.words))
        if self.gate is not None:
            say(self.line())


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.\nType: -o FILE") from error


def _tell(shared: Shared, note: str) -> None:
    if not shared.quiet:
        click.echo(f"note: {note}", err=True)
