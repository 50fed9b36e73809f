"""Suites of coding tasks in the formats of others: HumanEval, MBPP, EvalPlus, name-prompt-test.

Each row becomes an item with a `python` key; its id is the row's own. The reference solution comes
along, so that `afere check` can try it. Nothing in a row is executed here.
"""

import gzip
import json
import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

from afere.domain import Sentence, SuiteError
from afere.suites.node import Node, node_of, quoted

__all__ = ["CODING", "coding_head", "coding_items", "coding_name", "format_of"]

CODING = ("humaneval", "mbpp")
"""The names that stand before a path: `humaneval:PATH`, `mbpp:PATH`."""

TASKS = "tasks"

_LARGEST = 1024 * 1024 * 1024
_LONGEST_LINE = 64 * 1024 * 1024
_GZIP = b"\x1f\x8b"
_WHOLE = "Reply with the whole function, imports included, in one code block."
_PROMPTS = {
    "humaneval": f"Complete this Python function. {_WHOLE}\n\n```python\n{{{{ input }}}}\n```",
    "mbpp": f"Write a Python function for this task. {_WHOLE}\n\n{{{{ input }}}}",
    TASKS: None,
}

Row = Mapping[str, Any]


def format_of(path: Path) -> str | None:
    """Tell by its first row which format a file is in; None for none of these."""
    try:
        row = next(_rows(path), (0, {}))[1]
    except SuiteError:
        return None
    if "id" in row or "expect" in row:
        return None
    return next((name for name, fields in _MARKS.items() if fields <= row.keys()), None)


def coding_name(path: Path) -> str:
    """Give the name of a suite after its file."""
    name = path.name.removesuffix(".gz")
    return name.rpartition(".")[0] or name


def coding_head(name: str, style: str) -> Node:
    """Give the fields of the suite itself."""
    head: dict[str, object] = {"suite": name}
    if (prompt := _PROMPTS[style]) is not None:
        head |= {"prompt": prompt, "public": True}
    return node_of(head)


def coding_items(path: Path, style: str, warnings: list[Sentence]) -> Iterator[Node]:
    """Give the fields of each item; raises SuiteError for a row that is not of the format."""
    make = _MAKERS[style]
    dropped = 0
    for line, row in _rows(path):
        try:
            item = make(row)
        except KeyError as missing:
            problem = f"the field {quoted(missing.args[0])} is missing"
            mend = f"a row of this format has: {', '.join(sorted(_MARKS[style]))}"
            raise SuiteError(problem, mend=mend, file=path, line=line) from None
        inputs = item["expect"]["python"].get("inputs")
        if inputs is not None:
            finite = [each for each in inputs if _is_finite(each)]
            dropped += len(inputs) - len(finite)
            item["expect"]["python"]["inputs"] = finite
        try:
            yield node_of(_exact(item), line)
        except (ValueError, TypeError) as error:
            mend = "write plain JSON values"
            problem = f"this row is not taken: {error}"
            raise SuiteError(problem, mend=mend, file=path, line=line) from None
    if dropped:
        warnings.append(
            Sentence("{n} inputs with numbers that are not finite are left out", n=dropped)
        )


def _humaneval(row: Row) -> dict[str, Any]:
    prompt, entry = str(row["prompt"]), row["entry_point"]
    key: dict[str, Any] = {"entry": entry, "prompt": prompt}
    if row.get("canonical_solution") is not None:
        key["solution"] = _solution(prompt, str(row["canonical_solution"]), entry)
    return {
        "id": row["task_id"],
        "input": prompt.rstrip("\n"),
        "expect": {"python": key | _judged(row)},
    }


def _judged(row: Row) -> dict[str, Any]:
    """Take the inputs of EvalPlus where a row has them, which hold more than its tests."""
    inputs = [*(row.get("base_input") or ()), *(row.get("plus_input") or ())]
    if not inputs:
        return {"tests": row["test"]}
    tolerance = row.get("atol") or 0
    return {"inputs": inputs} | ({"tolerance": tolerance} if tolerance else {})


def _solution(prompt: str, solution: str, entry: str) -> str:
    """Give a whole solution: a body stands under its prompt."""
    is_whole = f"def {entry}(" in solution or f"class {entry}" in solution
    return prompt + ("\n" if is_whole else "") + solution


def _mbpp(row: Row) -> dict[str, Any]:
    text = str(row["text"] if "text" in row else row["prompt"])
    if "entry_point" in row and row.get("base_input"):
        key = {"entry": row["entry_point"], "solution": row["canonical_solution"], **_judged(row)}
        return {"id": row["task_id"], "input": text.strip('\n" '), "expect": {"python": key}}
    tests = [str(each) for each in row["test_list"]]
    shown = "\n".join(tests)
    imports = row.get("test_imports") or ()
    setup = "\n".join([*map(str, imports), str(row.get("test_setup_code") or "")]).strip()
    key = {"tests": "\n".join(tests)}
    code = str(row.get("code") or "").replace("\r\n", "\n")
    key |= {"solution": code} if code else {}
    key |= {"prelude": setup} if setup else {}
    return {
        "id": row["task_id"],
        "input": f"{text}\n\nIt has to pass:\n\n```python\n{shown}\n```",
        "expect": {"python": key},
    }


def _task(row: Row) -> dict[str, Any]:
    tests = row["test"]
    key = {"tests": "\n".join(map(str, tests)) if isinstance(tests, list) else tests}
    for name, field in (("entry", "entry_point"), ("entry", "entry"), ("solution", "solution")):
        if row.get(field) is not None:
            key[name] = row[field]
    return {"id": row["name"], "input": row["prompt"], "expect": {"python": key}}


_MARKS = {
    "humaneval": frozenset({"task_id", "prompt", "entry_point"}),
    "mbpp": frozenset({"task_id", "test_list"}),
    TASKS: frozenset({"name", "prompt", "test"}),
}
_MAKERS: Mapping[str, Callable[[Row], dict[str, Any]]] = {
    "humaneval": _humaneval,
    "mbpp": _mbpp,
    TASKS: _task,
}


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    """Give each row with its line: JSON lines, or one list of objects; packed or not."""
    lines = _lines(path)
    first = next(lines, None)
    while first is not None and not first[1].strip():
        first = next(lines, None)
    if first is None:
        return
    if first[1].lstrip().startswith(b"["):
        text = b"".join([first[1], *(line for _, line in lines)])
        rows = _json(text, path, first[0])
        for row in rows if isinstance(rows, list) else ():
            yield first[0], _object(row, path, first[0])
        return
    for number, line in chain([first], lines):
        if line.strip():
            yield number, _object(_json(line, path, number), path, number)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            packed = file.read(len(_GZIP)) == _GZIP
        size = 0
        with gzip.open(path) if packed else path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE + 1), b""), 1):
                size += len(line)
                if len(line) > _LONGEST_LINE or size > _LARGEST:
                    mend = "split it"
                    raise SuiteError("the file is too large", mend=mend, file=path, line=number)
                yield number, line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
    except (OSError, EOFError, zlib.error) as error:
        problem = f"the file cannot be read: {getattr(error, 'strerror', None) or error}"
        raise SuiteError(problem, mend="look at the path and the file", file=path) from error


def _json(text: bytes, path: Path, line: int) -> object:
    try:
        return json.loads(text.decode("utf-8"))
    except json.JSONDecodeError as error:
        problem = f"this is not JSON: {error.msg}, column {error.colno}"
    except UnicodeDecodeError as error:
        problem = f"byte 0x{text[error.start]:02x} is not UTF-8"
    except (ValueError, RecursionError) as error:
        problem = f"this JSON is not taken: {error}"
    mend = "write one object a line, or one list of objects"
    raise SuiteError(problem, mend=mend, file=path, line=line)


def _object(row: object, path: Path, line: int) -> Row:
    if not isinstance(row, dict):
        mend = "write one object a line, or one list of objects"
        raise SuiteError("no JSON object", mend=mend, file=path, line=line)
    return row


def _is_finite(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    return all(map(_is_finite, value)) if isinstance(value, list) else True


def _exact(value: Any) -> Any:  # noqa: ANN401 - plain data of any shape
    """Give numbers as suites keep them: a float by its digits."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, dict):
        return {name: _exact(each) for name, each in value.items()}
    return [_exact(each) for each in value] if isinstance(value, list) else value
