"""Loads a suite from a built-in name, a file or a folder."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from afere.domain import Grader, Sentence, Suite, SuiteError
from afere.suites.coding import CODING, coding_head, coding_items, coding_name, format_of
from afere.suites.door import SUITE_FIELDS, Loaded, Source, open_suite
from afere.suites.fields import Fields
from afere.suites.messages import Messages
from afere.suites.node import Node, nearest, node_of, quoted
from afere.suites.shipped import names, shipped_text
from afere.suites.table import HUB, Table
from afere.suites.tables import ENDINGS, items_of, table_of_field, table_of_name
from afere.suites.text_file import read_text
from afere.suites.yaml_reader import read_yaml

__all__ = ["load", "load_with_warnings"]

LARGEST_YAML = 64 * 1024 * 1024
_YAML = (".yaml", ".yml")
_CODING_ENDINGS = (".json", ".jsonl", ".ndjson", ".gz")


def load(source: str | Path, graders: Mapping[str, Grader]) -> Suite:
    """Load and check a suite.

    source: the name of a built-in suite, a YAML file, a folder with `suite.yaml` and its items,
    a file of items alone (.jsonl, .csv, .parquet), `humaneval:PATH`, `mbpp:PATH`, or a file of
    tasks with `name`, `prompt` and `test` (.json, .jsonl).
    graders: the kinds of `expect` that may be used, each with the grader that checks its keys.
    Raises SuiteError with file, line, field and mend for the first thing that is wrong.
    """
    return load_with_warnings(source, graders).suite


def load_with_warnings(source: str | Path, graders: Mapping[str, Grader]) -> Loaded:
    """Load and check a suite as `load` does, and give what is odd in its files beside it."""
    if isinstance(source, str) and source in names():
        file = f"{source}.yaml"
        return _opened(read_yaml(shipped_text(source), file), file, None, graders)
    if isinstance(source, str) and source.startswith(HUB):
        table = table_of_name(source)
        place = str(table.place).removeprefix(HUB)
        is_name = place.count("/") == 1 and not place.startswith(("/", "."))
        return _table_alone(place if is_name else Path(place).name, table, graders)
    style, path = _coding_of(source)
    try:
        is_folder, is_file = path.is_dir(), path.is_file()
    except OSError as error:
        problem = f"{quoted(source)} cannot be read: {error.strerror}"
        raise SuiteError(problem, mend="look at the path and its permissions") from error
    if is_folder:
        return _folder(path, graders)
    if not is_file:
        raise _not_there(str(source))
    if style is None and path.suffix.lower() in _CODING_ENDINGS:
        style = format_of(path)
    return _file(path, graders) if style is None else _coding(path, style, graders)


def _file(path: Path, graders: Mapping[str, Grader]) -> Loaded:
    ending = path.suffix.lower()
    if ending in _YAML:
        head = read_yaml(read_text(path, LARGEST_YAML), path)
        return _opened(head, path, path.parent, graders)
    if ending not in ENDINGS:
        mend = f"suites are {', '.join((*_YAML, *ENDINGS))} files, or folders"
        if ending in _CODING_ENDINGS:
            mend = "a .json or .gz file holds tasks of `name`, `prompt`, `test`, or HumanEval's"
        raise SuiteError(f"a file {quoted(ending)} is no suite", mend=mend, file=path)
    return _table_alone(path.stem, Table(path), graders)


def _coding_of(source: str | Path) -> tuple[str | None, Path]:
    """Read `humaneval:PATH` and `mbpp:PATH`."""
    if isinstance(source, str):
        style, colon, place = source.partition(":")
        if colon and style in CODING:
            return style, Path(place)
    return None, Path(source)


def _coding(path: Path, style: str, graders: Mapping[str, Grader]) -> Loaded:
    warnings: list[Sentence] = []
    head = coding_head(coding_name(path), style)
    items = coding_items(path, style, warnings)
    return open_suite(Source(head, path, items, path, warnings), graders, Messages(path.parent))


def _table_alone(name: str, table: Table, graders: Mapping[str, Grader]) -> Loaded:
    """Load items that stand without a suite.yaml: named after their file, defaults elsewhere."""
    loaded = _with_table(node_of({"suite": name}), table.place, table, graders)
    return replace(loaded, warnings=(*loaded.warnings, *_language_unsaid(loaded, table.place)))


def _language_unsaid(loaded: Loaded, place: Path | str) -> tuple[Sentence, ...]:
    """Warn where numbers stand as texts in a file that cannot say how they are written."""
    texts = (item.expect.key for item in loaded.suite.items if item.expect.kind == "number")
    if not any(isinstance(key, str) and set(key) & {",", "."} for key in texts):
        return ()
    return (
        Sentence(
            "{file} says no language: numbers are read as English ones; "
            "a folder with suite.yaml can say `language: pt-BR`",
            file=place.name if isinstance(place, Path) else place,
        ),
    )


def _opened(
    head: Node, file: Path | str, folder: Path | None, graders: Mapping[str, Grader]
) -> Loaded:
    fields = Fields.of(head, file)
    items = fields.node("items")
    if items is None:
        fields.refuse_unknown(SUITE_FIELDS)
        raise fields.fault("the field `items` is missing", "items", "list the questions there")
    if isinstance(items.value, dict):
        table = table_of_field(items, file, folder)
        return _with_table(head, file, table, graders)
    if not isinstance(items.value, tuple):
        raise fields.fault("items are a list", "items", "begin each item with `- id: …`", items)
    return open_suite(Source(head, file, items.value, file), graders, Messages(folder))


def _folder(folder: Path, graders: Mapping[str, Grader]) -> Loaded:
    head_file = next((each for name in _YAML if (each := folder / f"suite{name}").is_file()), None)
    if head_file is None:
        mend = "a folder holds suite.yaml and, beside it, items.jsonl or items.csv"
        raise SuiteError("no suite.yaml in this folder", mend=mend, file=folder)
    found = [each for ending in ENDINGS if (each := folder / f"items{ending}").is_file()]
    head = read_yaml(read_text(head_file, LARGEST_YAML), head_file)
    fields = Fields.of(head, head_file)
    items = fields.node("items")
    if not found or (items is not None and isinstance(items.value, dict)):
        return _opened(head, head_file, folder, graders)
    if len(found) > 1 or items is not None:
        places = ["suite.yaml"] if items is not None else []
        listed = " and ".join([*places, *(each.name for each in found)])
        raise fields.fault(f"items stand in {listed}", "items", "keep one of them")
    return _with_table(head, head_file, Table(found[0]), graders)


def _with_table(
    head: Node, head_file: Path | str, table: Table, graders: Mapping[str, Grader]
) -> Loaded:
    warnings: list[Sentence] = []
    items = items_of(table, warnings)
    source = Source(head, head_file, items, table.place, warnings)
    folder = table.place.parent if isinstance(table.place, Path) else None
    return open_suite(source, graders, Messages(folder))


def _not_there(source: str) -> SuiteError:
    close = nearest(source, tuple(names()))
    listed = f"built-in suites are: {', '.join(names())}"
    mend = f"did you mean `{close}`?" if close else listed
    return SuiteError(f"there is no suite, file or folder {quoted(source)}", mend=mend)
