"""`afere exam`: an official exam's PDF and key into a suite, every question accounted for."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from afere.app.cli.options import Shared, say, shared_options, show, show_json
from afere.app.gate import Exit

if TYPE_CHECKING:
    from afere.exams import Result, Row

__all__ = ["command"]

FILE = click.Path(path_type=Path)


@click.group("exam", short_help="An official exam's PDF and key into a suite.")
def command() -> None:
    """Build a suite from an exam's PDF and its official key, on your own machine."""


@command.command("build", short_help="A booklet and its key into a suite, with the audit.")
@click.argument("booklet", type=FILE)
@click.option(
    "--key", type=FILE, help="The official key: a PDF, or a CSV number,answer[,language]."
)
@click.option("-o", "--output", "folder", type=FILE, required=True, help="The folder to write.")
@click.option("--profile", metavar="NAME|FILE", help="The exam's profile. [recognised]")
@click.option("--year", type=click.IntRange(1900, 2100), help="The exam's year. [read]")
@click.option("--day", type=click.IntRange(1, 9), help="The exam's day. [read]")
@click.option("--colour", "--color", metavar="NAME", help="The booklet's colour. [read]")
@click.option(
    "--keep",
    metavar="REASONS",
    default="",
    help="Keep questions that would be left out for these reasons, such as needs_table.",
)
@click.option("--keep-question", metavar="N", multiple=True, type=int, help="Keep this question.")
@click.option("--drop-question", metavar="N", multiple=True, type=int, help="Leave this one out.")
@click.option("--without-key", is_flag=True, help="Items without answers: to verify, not to run.")
@click.option("--images", is_flag=True, help="Items with pictures, for models that see.")
@shared_options
def build(
    *,
    booklet: Path,
    key: Path | None,
    folder: Path,
    profile: str | None,
    year: int | None,
    day: int | None,
    colour: str | None,
    keep: str,
    keep_question: tuple[int, ...],
    drop_question: tuple[int, ...],
    without_key: bool,
    images: bool,
    shared: Shared,
) -> int:
    """Build a suite in a folder from BOOKLET and its key.

    Every question of the exam has a row in audit.jsonl: kept, or left out with the reason. By
    default that leaves out what a model that reads only text cannot answer.
    """
    from afere import exams, report

    result = exams.build(
        exams.Plan(
            booklet=booklet,
            folder=folder,
            key=key,
            profile=profile,
            told=exams.Identity(year=year, day=day, colour=colour.lower() if colour else None),
            choice=exams.Choice(
                keep=frozenset(filter(None, (each.strip() for each in keep.split(",")))),
                keep_questions=frozenset(keep_question),
                drop_questions=frozenset(drop_question),
                without_key=without_key,
            ),
            images=images,
        )
    )
    if shared.as_json:
        show_json(_built(result))
    else:
        show(
            report.exam_built_report(
                result.name,
                (result.expected, result.found, result.kept),
                _by_reason(result.rows),
                result.warnings,
                folder=str(folder),
                suite=str(result.suite) if result.suite else None,
                words=shared.words,
            )
        )
    return Exit.DONE


def _built(result: "Result") -> dict[str, object]:
    return {
        "name": result.name,
        "expected": result.expected,
        "found": result.found,
        "kept": result.kept,
        "items": str(result.items),
        "audit": str(result.audit),
        "suite": str(result.suite) if result.suite else None,
        "left_out": [
            {
                "number": row.number,
                "language": row.language,
                "reason": row.reason,
                "reasons": list(row.reasons),
                "page": row.page,
            }
            for row in result.rows
            if not row.kept
        ],
        "warnings": list(result.warnings),
    }


def _by_reason(rows: "Iterable[Row]") -> dict[str, list[str]]:
    """Give the numbers left out for each reason, in the order of reasons."""
    from afere.exams import DROPPED, REASONS

    found: dict[str, list[str]] = {reason: [] for reason in (*REASONS, DROPPED)}
    for row in rows:
        if not row.kept:
            found[str(row.reason)].append(_number(row))
    return {reason: numbers for reason, numbers in found.items() if numbers}


def _number(row: "Row") -> str:
    return f"{row.number}-{row.language}" if row.language != "pt" else str(row.number)


@command.command("verify", short_help="Check a built exam against another booklet.")
@click.argument("folder", type=FILE)
@click.argument("other", type=FILE)
@click.option("--key", type=FILE, help="The other booklet's key.")
@shared_options
def verify(*, folder: Path, other: Path, key: Path | None, shared: Shared) -> int:
    """Compare the items of FOLDER with OTHER, a booklet of another colour.

    Questions are matched by their words. Exit code 1 where an item differs or is missing.
    """
    from afere import exams, report

    found = exams.verify(folder, other, key)
    if shared.as_json:
        show_json(found)
    else:
        show(
            report.exam_verified_report(
                (found.matched, found.same),
                [(each.number, each.other_number, each.field) for each in found.different],
                found.missing,
                words=shared.words,
            )
        )
    return Exit.GATE_FAILED if found.different or found.missing else Exit.DONE


@command.command("audit", short_help="The questions left out, and why.")
@click.argument("folder", type=FILE)
@click.option("--crops", is_flag=True, help="Draw every question left out as PNG into FOLDER.")
@shared_options
def audit(*, folder: Path, crops: bool, shared: Shared) -> int:
    """Show which questions FOLDER leaves out, and why."""
    from afere import exams, report

    found = exams.read_audit(folder)
    drawn = exams.draw_left_out(folder) if crops else None
    if shared.as_json:
        show_json(
            {
                "name": found.name,
                "expected": len(found.rows),
                "kept": sum(row.kept for row in found.rows),
                "rows": list(found.rows),
                "crops": str(drawn) if drawn else None,
            }
        )
    else:
        show(
            report.exam_audit_report(
                found.name,
                [
                    (str(row.number), row.language, row.kept, row.reasons, row.page, row.decided)
                    for row in found.rows
                ],
                crops=str(drawn) if drawn else None,
                words=shared.words,
            )
        )
    return Exit.DONE


@command.command("profile", short_help="The exam profiles, or one to copy.")
@click.argument("name", required=False)
@shared_options
def profile(*, name: str | None, shared: Shared) -> int:
    """List the exam profiles; with NAME print that one, to be copied for another exam."""
    from afere import exams

    if name is not None:
        text = exams.profile_text(name)
        if shared.as_json:
            show_json({"name": name, "text": text})
        else:
            say(text, nl=False)
        return Exit.DONE
    known = {each: exams.load_profile(each).title for each in exams.profile_names()}
    if shared.as_json:
        show_json({"profiles": known})
    else:
        width = max(map(len, known))
        for each, title in known.items():
            say(f"{each:<{width}}  {title}")
    return Exit.DONE
