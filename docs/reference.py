"""Writes docs/reference/ out of the code: the commands' own help, and the records behind `--json`.

python docs/reference.py            writes the pages
python docs/reference.py --check    ends with 1 where a page is not what it would write
"""

import dataclasses
import inspect
import re
import sys
import types
import typing
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path

import click

from afere import domain
from afere.app import cli

REFERENCE = Path(__file__).parent / "reference"
HEAD = "<!-- Written by docs/reference.py; change the code instead, then `make docs`. -->\n"
WIDTH = 100
RECORDS: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "run": ('`{"runs": [RunSummary, …]}`', (domain.RunSummary,)),
    "compare": (
        "A `Comparison`, and beside its fields `drivers` and `exposures` (null for result files)",
        (domain.Comparison, domain.Drivers, domain.Exposure),
    ),
    "rank": ("A `Ranking`", (domain.Ranking,)),
    "calibrate": (
        "A `Calibration`; of several files or runs a `CalibrationComparison`",
        (domain.Calibration, domain.CalibrationComparison),
    ),
    "calibrate plan": ("A `CalibrationPlan`", (domain.CalibrationPlan,)),
    "demo": ("A `Comparison`", (domain.Comparison,)),
    "plan": ("A `SuitePlan`, and beside its fields `suite`", (domain.SuitePlan,)),
}
FIELDS: Mapping[str, Mapping[str, str]] = {
    "show": {
        "run": "a RunSummary",
        "rows": "item, round, variant, outcome, score, read, rule, grader, flags, content, "
        "finish_reason, reasoning, tokens, latency, attempts, error",
        "places": "an ErrorPlaces",
    },
    "grade": {
        "answers": "item, round, outcome, score, read, rule, grader, flags",
        "outcomes": "count of each",
        "score": "",
        "missing": "count",
        "unknown": "count",
        "duplicates": "count",
        "missing_answers": "item, round",
        "unknown_items": "ids",
    },
    "regrade": {
        "run": "",
        "changed": "item, round, from, to",
        "score_before": "",
        "score_after": "",
    },
    "ping": {"endpoints": "model, ok, latency, supports, error, mend"},
    "check": {
        "problems": "severity, item, code, message",
        "warnings": "",
        "items": "",
        "smallest_detectable_difference": "by number of rounds",
    },
    "calibrate apply": {
        "path": "the file written, or null",
        "rows": "count",
        "accepted": "count",
        "no_confidence": "count",
        "threshold": "",
        "certified": "whether its promise was certified and nothing has changed since",
        "method": "of the map, or null",
        "changed": "what differs from when it was measured",
        "answers": "id, confidence, calibrated, accepted; empty where a file is written",
    },
    "exam build": {
        "name": "of the suite",
        "expected": "count of the exam's questions: kept, and those in left_out",
        "found": "count",
        "kept": "count",
        "items": "path",
        "audit": "path",
        "suite": "path, or null where there is none to run",
        "left_out": "number, language, reason, reasons, page",
        "warnings": "",
    },
    "exam verify": {
        "matched": "count of items found again",
        "same": "count of those that read the same",
        "different": "number, other_number, field",
        "missing": "numbers",
    },
    "exam audit": {
        "name": "of the suite",
        "expected": "count",
        "kept": "count",
        "rows": "number, language, kept, reason, reasons, page, boxes, source, answer, decided, "
        "printed, images, paths, bent, tail",
        "crops": "folder, or null",
    },
    "exam profile": {"profiles": "name and title; with a name `name` and `text` instead"},
    "sandbox doctor": {
        "level": "the one in use, or null",
        "levels": "level, works, why, mend, seconds",
    },
    "sandbox run": {
        "failure": "null or as in the rows of `grade`",
        "message": "",
        "output": "cut",
        "status": "of the process, or null",
        "rows": "of a query",
        "files": "names",
        "level": "the sandbox",
        "seconds": "",
    },
    "export": {"path": "", "rows": "", "escaped": "rows with half a character"},
    "report": {"path": "", "rows": "answers that the page knows of"},
    "view": {"url": "where it is served"},
    "watch": {
        "running": "run, suite, model, done, rows, outcomes, started, silent (seconds since the "
        "last answer), rate (answers a second), left (seconds), waiting (requests of the last "
        "minute without an answer), cost, tokens",
    },
    "runs": {
        "runs": "run, suite, suite_hash, model, base_url, rounds, items, series, probe, started, "
        "finished",
    },
    "suites": {"suites": "name and what it is"},
    "init": {"files": ""},
}
OUTPUTS = """\
# JSON outputs

Every command takes `--json`: one document on standard output, all else on standard error. Where the
input is at fault, standard output stays empty and the exit code is 2. Fields are added, never
renamed. Scores and differences are fractions, times ISO 8601 in UTC, latencies seconds; what cannot
be said is null.

In `show` and `grade`, rows whose answers are code have `failure` (null, `assertion`, `exception`,
`timeout`, `memory`, `output`, `crash`, `syntax`), `message`, `sandbox` (the level of isolation),
`integrity` (`strong` or `weak`), `output` (cut) and `seconds` too.
"""


def pages() -> dict[Path, str]:
    """Give the text of every page."""
    return {REFERENCE / "commands.md": commands(), REFERENCE / "json.md": outputs()}


def commands() -> str:
    """Give the page of the commands: what `--help` prints."""
    parts = [HEAD, "# Commands\n", "`afere COMMAND --help` prints the same.\n"]
    for name, told in helps("afere", cli.cli):
        parts.append(f"## `{name}`\n\n```text\n{told}\n```\n")
    return "\n".join(parts)


def helps(name: str, command: click.Command) -> Iterator[tuple[str, str]]:
    """Give the help of a command, and of those below it."""
    context = click.Context(command, info_name=name, max_content_width=WIDTH)
    context.terminal_width = WIDTH
    yield name, re.sub(r"[ \t]+$", "", command.get_help(context), flags=re.MULTILINE).rstrip()
    for below, found in commands_below(command, context):
        yield from helps(f"{name} {below}", found)


def commands_below(
    command: click.Command, context: click.Context
) -> Iterator[tuple[str, click.Command]]:
    """Give the commands of a group, and those that a command leads to besides its own work."""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None:
                yield name, found
    else:
        yield from getattr(command, "others", {}).items()


def outputs() -> str:
    """Give the page of the JSON outputs."""
    parts = [HEAD, OUTPUTS]
    records: dict[str, type] = {}
    for name, (told, roots) in RECORDS.items():
        parts.append(f"## `afere {name}`\n\n{told}.\n")
        for root in roots:
            gather(root, records)
    parts.append("## The other commands\n")
    parts.append("| command | field | is |\n|---|---|---|")
    for name, fields in FIELDS.items():
        parts += [f"| `afere {name}` | `{each}` | {told} |" for each, told in fields.items()]
    parts.append("\n## Records\n")
    parts += [record(records[name]) for name in sorted(records)]
    return "\n".join(parts)


def gather(kind: type, found: dict[str, type]) -> None:
    """Collect a record and those in its fields."""
    if kind.__name__ in found:
        return
    found[kind.__name__] = kind
    for hint in typing.get_type_hints(kind).values():
        for part in parts_of(hint):
            if dataclasses.is_dataclass(part) and isinstance(part, type):
                gather(part, found)


def parts_of(hint: object) -> Iterator[object]:
    """Give a type and all types in it."""
    yield hint
    for part in typing.get_args(hint):
        yield from parts_of(part)


def record(kind: type) -> str:
    """Give the paragraph of one record: what it is, and its fields."""
    hints = typing.get_type_hints(kind)
    rows = [f"| `{each.name}` | {shown(hints[each.name])} |" for each in dataclasses.fields(kind)]
    told = (inspect.getdoc(kind) or "").replace("None", "null")
    return f"### {kind.__name__}\n\n{told}\n\n| field | is |\n|---|---|\n" + "\n".join(rows) + "\n"


def shown(hint: object) -> str:  # noqa: PLR0911 - one return a shape
    """Write a type as JSON has it."""
    names = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and hint in names:
        return names[hint]
    if origin in {typing.Union, types.UnionType}:
        told = [shown(each) for each in inside if each is not type(None)]
        return " or ".join(told) + (" or null" if type(None) in inside else "")
    if origin is tuple:
        if Ellipsis in inside:
            return f"list of {shown(inside[0])}"
        return "[" + ", ".join(shown(each) for each in inside) + "]"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"object of {shown(inside[1])}"
    if isinstance(hint, type) and issubclass(hint, Enum):
        return ", ".join(f"`{each.value}`" for each in hint)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    return "anything"


def main() -> int:
    """Write the pages, or tell whether they are as they would be written."""
    stale = [path for path, text in pages().items() if not is_current(path, text)]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.name} is not what the code says: make docs")  # noqa: T201 - a program
        return 1 if stale else 0
    REFERENCE.mkdir(exist_ok=True)
    for path, text in pages().items():
        path.write_text(text, "utf-8")
    return 0


def is_current(path: Path, text: str) -> bool:
    """Tell whether a page is there with that text."""
    return path.exists() and path.read_text("utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
