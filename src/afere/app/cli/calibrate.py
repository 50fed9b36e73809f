"""`afere calibrate`: may a decision be automated, from which confidence on, with what promise."""

import csv
import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from afere.app.cli.options import Shared, opened, run_async, shared_options, show, show_json
from afere.app.gate import Exit
from afere.domain import Calibration, CalibrationComparison, CalibrationPolicy, UsageError

__all__ = ["command"]

SOURCES = ("logprob", "stated", "agreement", "file", "all")
METHODS = ("temperature", "platt", "isotonic", "venn-abers")
PROCEDURES = ("single", "sequence", "no-reserved")


class _Calibrate(click.Command):
    """Leads `calibrate plan` and `calibrate apply` to commands of their own."""

    @property
    def others(self) -> dict[str, click.Command]:
        """The commands below this one, by name."""
        return _OTHERS

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # noqa: ANN401 - click's settings
    ) -> click.Context:
        other = self.others.get(args[0]) if args else None
        if other is not None:
            return other.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


def _reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options by which files and replies are read."""
    for option in reversed(
        (
            click.option(
                "--column",
                "columns",
                multiple=True,
                metavar="FIELD=NAME",
                help="A column of another name: truth=gold; repeatable.",
            ),
            click.option("--rows", "rows_under", metavar="KEY", help="Key of a JSON file's rows."),
            click.option(
                "--scale",
                type=click.Choice(["fraction", "percent"]),
                default="fraction",
                help="percent: confidences are 0 to 100.",
            ),
            click.option("--lenient", is_flag=True, help="Read numbers in texts: '87%', '0,9'."),
            click.option(
                "--confidence-from",
                type=click.Choice(SOURCES),
                help="Where a run's confidence comes from. [the first that it has]",
            ),
            click.option(
                "--made-with",
                multiple=True,
                metavar="KEY=VALUE",
                help="What made a file: model=…, weights=… (a quantisation), prompt=…; repeatable.",
            ),
        )
    ):
        command = option(command)
    return command


@click.command(
    "calibrate",
    cls=_Calibrate,
    short_help="May I automate? Calibration, a threshold and its certificate.",
    epilog="\b\nExamples:\n"
    "  afere calibrate answers.csv\n"
    "  afere calibrate answers.jsonl --max-error 0.02 --freeze threshold.json\n"
    "  afere calibrate results.json --threshold 0.9          a look at a given one\n"
    "  afere calibrate latest --confidence-from all          a run of yours\n"
    "  afere calibrate plan --max-error 0.05                 how many cases it takes\n"
    "  afere calibrate apply threshold.json new.csv          use what was frozen",
)
@click.argument("sources", nargs=-1, required=True, metavar="FILE|RUN...")
@click.option("--edges", metavar="0,0.5,0.7,0.9,1", help="Edges of the bins. [0,0.5,0.7,0.9,1]")
@click.option("--bins", type=click.IntRange(1, 1000), help="So many bins of equal width instead.")
@click.option("--max-error", type=float, default=0.05, show_default=True, help="To be promised.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the promise.")
@click.option("--threshold", type=float, metavar="T", help="Look at this threshold on all rows.")
@click.option("--declared", is_flag=True, help="It was named before these rows were seen.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the split and the draws.")
@click.option("--share", type=float, default=0.5, show_default=True, help="Of the tuning part.")
@click.option("--procedure", type=click.Choice(PROCEDURES), default="single", show_default=True)
@click.option(
    "--looks", type=int, default=1, show_default=True, help="Looks that share the error budget."
)
@click.option("--recalibrate", type=click.Choice(METHODS), help="Map confidences first.")
@_reading_options
@click.option("--plots", type=click.Path(path_type=Path), metavar="DIR", help="PNG and SVG files.")
@click.option("--freeze", type=click.Path(path_type=Path), metavar="FILE", help="Keep threshold.")
@shared_options
def command(
    *,
    sources: tuple[str, ...],
    edges: str | None,
    bins: int | None,
    plots: Path | None,
    shared: Shared,
    **options: Any,  # noqa: ANN401 - click's parameters
) -> int:
    """Measure confidences, and tell from which one on a decision may be automated.

    A threshold is chosen on one part of the rows, frozen, and looked at once on the other part:
    certified, or why not and how many cases are missing. Several files or runs are measured
    beside one another. Nothing is asked of a model.
    """
    from afere import report
    from afere.app import calibrating

    asked = _asked(options, _edges(edges, bins))
    opener = partial(opened, shared, make=True)  # a look is kept, also of a file alone
    found = run_async(calibrating.calibrate_sources(sources, asked, opener))
    calibrations = found.calibrations if isinstance(found, CalibrationComparison) else (found,)
    _tell(calibrations, shared)
    if plots is not None:
        _draw(calibrations, plots, shared)
    if shared.as_json:
        show_json(found.to_dict())
    elif isinstance(found, Calibration):
        show(report.calibration_report(found, words=shared.words))
    else:
        show(report.calibrations_report(found, words=shared.words))
    return Exit.DONE


@click.command("plan", short_help="How many cases a promise takes.")
@click.option("--max-error", type=float, default=0.05, show_default=True, help="To be promised.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Of the promise.")
@click.option("--true-error", type=float, help="A guess. [two fifths of --max-error]")
@click.option("--power", type=float, default=0.8, show_default=True, help="Chance to certify.")
@click.option(
    "--coverage", type=float, default=0.8, show_default=True, help="Share that is accepted."
)
@click.option("--share", type=float, default=0.5, show_default=True, help="Of the tuning part.")
@shared_options
def plan_command(*, shared: Shared, **options: Any) -> int:  # noqa: ANN401 - click's parameters
    """Tell how many cases to collect, given a guess of the true error above the threshold."""
    from afere import analysis, report

    plan = analysis.plan_certificate(**options)
    if shared.as_json:
        show_json(plan.to_dict())
    else:
        show(report.certificate_plan_report(plan, words=shared.words))
    return Exit.DONE


@click.command("apply", short_help="Use a frozen threshold on new cases.")
@click.argument("frozen", type=click.Path(path_type=Path), metavar="MAP")
@click.argument("source", metavar="FILE|RUN")
@_reading_options
@click.option("--accept-change", is_flag=True, help="Also where model or prompt have changed.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="A .csv or .jsonl file."
)
@shared_options
def apply_command(
    *,
    frozen: Path,
    source: str,
    accept_change: bool,
    output: Path | None,
    shared: Shared,
    **options: Any,  # noqa: ANN401 - click's parameters
) -> int:
    """Map the confidences of new cases by MAP, and tell which are accepted.

    Refused where model, weights, prompt, parameters or source of confidence differ from those that
    MAP was measured for.
    """
    from afere import report
    from afere.app import applying

    asked = _asked(options, CalibrationPolicy().edges)
    applied = run_async(
        applying.apply_frozen(
            frozen, source, asked, partial(opened, shared), accept_change=accept_change
        )
    )
    if output is not None:
        _write(output, applied.answers)
    if shared.as_json:
        show_json(
            {
                "path": None if output is None else str(output),
                "rows": len(applied.ids),
                "accepted": sum(applied.accepted),
                "no_confidence": applied.confidences.count(None),
                "threshold": applied.threshold,
                "certified": applied.certified,
                "method": applied.method,
                "changed": list(applied.changed),
                "answers": applied.answers if output is None else [],
            }
        )
    else:
        show(
            report.applied_report(
                applied.answers,
                threshold=applied.threshold,
                certified=applied.certified,
                changed=applied.changed,
                words=shared.words,
            )
        )
    return Exit.DONE


_OTHERS: dict[str, click.Command] = {"plan": plan_command, "apply": apply_command}


def _asked(options: dict[str, Any], edges: Sequence[float]) -> Any:  # noqa: ANN401 - read when used
    """Take the options that both commands share, and those of a policy that are there."""
    from afere.app.calibrating import Asked
    from afere.exchange import RatingForm

    names = (
        "max_error",
        "confidence",
        "seed",
        "share",
        "procedure",
        "threshold",
        "declared",
        "looks",
        "recalibrate",
    )
    policy = CalibrationPolicy(
        edges=tuple(edges), **{name: options[name] for name in names if name in options}
    )
    if policy.declared and policy.threshold is None:
        raise UsageError("--declared needs the threshold that was declared.\nType: --threshold T")
    if policy.threshold is not None and policy.recalibrate:
        raise UsageError("--recalibrate chooses its own threshold.\nLeave out --threshold")
    return Asked(
        policy=policy,
        form=RatingForm(
            columns=_pairs(options["columns"], "--column FIELD=NAME"),
            percent=options["scale"] == "percent",
            lenient=options["lenient"],
            rows_under=options["rows_under"],
        ),
        confidence_from=options["confidence_from"],
        freeze=options.get("freeze"),
        provenance=_pairs(options["made_with"], "--made-with KEY=VALUE"),
        now=time.time(),
    )


def _pairs(texts: Sequence[str], form: str) -> dict[str, str]:
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value:
            raise UsageError(f"{text!r} is no pair.\nType: {form}")
        found[name.strip()] = value
    return found


def _edges(edges: str | None, bins: int | None) -> tuple[float, ...]:
    if bins is not None:
        if edges is not None:
            raise UsageError("--edges and --bins both say what the bins are.\nType one of them")
        return tuple(place / bins for place in range(bins + 1))
    if edges is None:
        return CalibrationPolicy().edges
    try:
        return tuple(float(edge) for edge in edges.split(","))
    except ValueError:
        raise UsageError(
            f"--edges {edges} are no numbers.\nType: --edges 0,0.5,0.7,0.9,1"
        ) from None


def _tell(calibrations: Sequence[Calibration], shared: Shared) -> None:
    if shared.quiet:
        return
    for calibration in calibrations:
        for note in calibration.notes:
            click.echo(f"note: {calibration.name}: {note}", err=True)


def _draw(calibrations: Sequence[Calibration], folder: Path, shared: Shared) -> None:
    from afere import report

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for calibration in calibrations:
            for name, picture in report.calibration_plots(calibration, words=shared.words).items():
                (folder / name).write_bytes(picture)
                if not shared.quiet:
                    click.echo(f"note: {folder / name}", err=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{folder} cannot be written: {reason}.\nType: --plots DIR") from None


def _write(path: Path, answers: Sequence[dict[str, Any]]) -> None:
    if path.suffix.lower() not in {".csv", ".jsonl"}:
        raise UsageError(f"{path} ends in neither .csv nor .jsonl.\nType: -o answers.csv")
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            if path.suffix.lower() == ".jsonl":
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in answers)
                return
            writer = csv.DictWriter(file, ("id", "confidence", "calibrated", "accepted"))
            writer.writeheader()
            writer.writerows(_csv_row(row) for row in answers)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.\nType: -o FILE") from error


def _csv_row(row: dict[str, Any]) -> dict[str, Any]:
    guarded = str(row["id"])
    if guarded[:1] in "=+-@":
        guarded = f"'{guarded}"
    return row | {"id": guarded, "accepted": str(row["accepted"]).lower()}
