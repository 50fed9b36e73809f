"""`shell`: the answer is a command, judged by what it prints and by the files it leaves."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any, ClassVar, Literal, cast

from afere.domain import AnswerKeyError, Execution, Item, Limits, Reading, ShellTask
from afere.graders.executed import Answer, ExecutedKind, Tried, limits_of, text_field
from afere.graders.keys import texts
from afere.graders.kind import check_names
from afere.graders.reading.reply import Reply
from afere.graders.reading.statement import SHELL, read_statement

__all__ = ["SCRIPT", "ShellKind"]

SCRIPT = "answer.sh"
"""Where the answer stands when the key has a command of its own."""

_FIELD = "expect.shell"
_SHELLS = ("bash", "sh")
_PROCESSES = 32
_FOLDER = ("files", "stdin", "stdout", "lines", "result", "status")
_KNOWN = (*_FOLDER, "command", "shell", "ordered", "solution", "fixtures", "limits")
_MOST_FIXTURES = 100
_LONGEST_NAME = 255
_MOST_TEXT = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    """A prepared folder and what must come of it; None where nothing is asked.

    lines: what each printed line must name as a whole word, in this order.
    result: what the files hold afterwards; None for a file that must be gone.
    """

    files: Mapping[str, bytes]
    stdin: bytes
    stdout: str | None
    lines: tuple[str, ...] | None
    result: Mapping[str, str | None]
    status: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Key:
    folders: tuple[_Folder, ...]
    command: str
    shell: Literal["bash", "sh"]
    ordered: bool
    limits: Limits


class ShellKind(ExecutedKind[_Key]):
    """Judges a command by what it prints and leaves behind."""

    name = "shell"
    settings: ClassVar[Mapping[str, str]] = {}

    def prepare(self, item: Item, reading: Reading) -> _Key:  # noqa: ARG002 - the same in all
        """Read files and what is due; raises AnswerKeyError with field and mend."""
        key = item.expect.key
        if not isinstance(key, Mapping) or not key:
            mend = 'Write `shell: {files: {a.txt: ".."}, stdout: ".."}`.'
            raise AnswerKeyError("this names nothing to compare", mend=mend, field=_FIELD)
        check_names(key, _KNOWN, _FIELD, "shell")
        return _Key(
            folders=_folders(key),
            command=text_field(key, "command", _FIELD),
            shell=_shell(key),
            ordered=_truth(key, "ordered", default=True),
            limits=limits_of(key, _FIELD, processes=_PROCESSES),
        )

    def read(self, reply: Reply, key: _Key) -> Answer | None:  # noqa: ARG002 - the same for all
        """Find the command; one that a cut touched is no whole one."""
        found = read_statement(reply.text, SHELL)
        if found is None:
            return None
        return Answer(
            source=found.source, rule=found.rule, at_end=found.at_end, is_whole=not found.at_end
        )

    async def execute(self, source: str, key: _Key) -> Tried:
        """Run the command in every prepared folder until something differs."""
        done: list[Execution] = []
        for folder in key.folders:
            task = ShellTask(
                command=key.command or source,
                shell=key.shell,
                files=folder.files,
                stdin=folder.stdin,
                limits=key.limits,
            )
            if key.command:
                script = (source.rstrip("\n") + "\n").encode("utf-8", "replace")
                task = replace(task, files={**folder.files, SCRIPT: script})
            done.append(await self.sandbox.run(task))
            if done[-1].failure not in {None, "exception"}:  # an exit status alone decides nothing
                return Tried.ended(done)
            differs = _difference(done[-1], folder, ordered=key.ordered)
            if differs is not None:
                return Tried(executions=tuple(done), failure="assertion", message=differs)
        return Tried(executions=tuple(done))


def _difference(done: Execution, folder: _Folder, *, ordered: bool) -> str | None:
    """Say in one line how an execution differs from what is due, None where it does not."""
    if folder.status is not None and done.status != folder.status:
        return f"exit status {done.status}, {folder.status} is due"
    got = _lines(done.stdout.decode("utf-8", "replace"))
    if folder.stdout is not None:
        due = _lines(folder.stdout)
        if got != due and (ordered or Counter(got) != Counter(due)):
            return f"printed {_shown(got)}, {_shown(due)} is due"
    if folder.lines is not None and not _names_all(got, folder.lines, ordered=ordered):
        return f"printed {_shown(got)}, {_shown(folder.lines)} is due"
    differing = (_file_difference(done, *each) for each in folder.result.items())
    return next((each for each in differing if each is not None), None)


def _file_difference(done: Execution, path: str, due: str | None) -> str | None:
    found = done.files.get(path)
    if due is None or found is None:
        there, wanted = found is not None, due is not None
        return None if there == wanted else f"{path} is {'still' if there else 'not'} there"
    is_same = _lines(found.decode("utf-8", "replace")) == _lines(due)
    return None if is_same else f"{path} holds something else"


def _lines(text: str) -> list[str]:
    """Give lines without white space at their ends, and without empty ones at the end of all."""
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _names_all(got: list[str], due: tuple[str, ...], *, ordered: bool) -> bool:
    """Tell whether each printed line names its word, and no line is too many."""
    got = [line for line in got if line.strip()]
    if len(got) != len(due):
        return False
    if ordered:
        return all(_names(line, word) for line, word in zip(got, due, strict=True))
    return all(any(_names(line, word) for line in got) for word in due)


def _names(line: str, word: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w.-])", line) is not None


def _shown(lines: Sequence[str]) -> str:
    text = " / ".join(lines[:6])
    return repr(text[:100])


def _folders(key: Mapping[str, Any]) -> tuple[_Folder, ...]:
    fixtures = key.get("fixtures")
    if fixtures is None:
        return (_folder(key, _FIELD),)
    place, mend = f"{_FIELD}.fixtures", "Write `fixtures: [{files: {..}, stdout: ..}]`."
    if not isinstance(fixtures, list | tuple) or not 0 < len(fixtures) <= _MOST_FIXTURES:
        raise AnswerKeyError("these are no fixtures", mend=mend, field=place)
    double = next((name for name in _FOLDER if name in key), None)
    if double is not None:
        problem = f"both `{double}` and `fixtures`"
        raise AnswerKeyError(problem, mend="Put it into each fixture.", field=place)
    folders = []
    for each in fixtures:
        if not isinstance(each, Mapping):
            raise AnswerKeyError("a fixture is no mapping", mend=mend, field=place)
        check_names(each, _FOLDER, place, "a fixture")
        folders.append(_folder(each, place))
    return tuple(folders)


def _folder(key: Mapping[str, Any], place: str) -> _Folder:
    folder = _Folder(
        files={path: _bytes(text or "") for path, text in _files(key, "files", place).items()},
        stdin=_bytes(text_field(key, "stdin", place)),
        stdout=_stdout(key, place),
        lines=_due_lines(key, place),
        result=_files(key, "result", place),
        status=_status(key, place),
    )
    if folder.stdout is None and folder.lines is None and not folder.result:
        mend = "Add `stdout:`, `lines:` or `result:`."
        raise AnswerKeyError("nothing is compared", mend=mend, field=place)
    return folder


def _files(key: Mapping[str, Any], name: str, place: str) -> dict[str, str | None]:
    """Give files by their path, which stays inside the folder."""
    given, field = key.get(name) or {}, f"{place}.{name}"
    if not isinstance(given, Mapping):
        mend = f'Write `{name}: {{a.txt: "text"}}`.'
        raise AnswerKeyError("these are no files", mend=mend, field=field)
    for path in given:
        if not _is_below(path):
            mend = "Name a file below the folder: `a.txt`, `sub/b.txt`."
            raise AnswerKeyError(f"{path!r} is no file there", mend=mend, field=field)
    files = {
        str(PurePosixPath(path)): None
        if text is None and name == "result"
        else text_field(given, path, field)
        for path, text in given.items()
    }
    _check_together(files, field)
    return files


def _is_below(path: object) -> bool:
    """Tell whether this names a file in the folder, as file systems allow it."""
    if not isinstance(path, str) or path.startswith("/") or "\0" in path or path == SCRIPT:
        return False
    if path.encode("utf-8", "ignore").decode("utf-8") != path:  # half a character
        return False
    parts = PurePosixPath(path).parts
    fits = all(len(part.encode("utf-8", "replace")) <= _LONGEST_NAME for part in parts)
    return bool(parts) and ".." not in parts and fits


def _check_together(files: Mapping[str, str | None], field: str) -> None:
    """Find a file that is to be a folder too, and more than a sandbox takes."""
    there = {path for path, text in files.items() if text is not None}
    clash = next((path for path in there if not there.isdisjoint(_above(path))), None)
    if clash is not None:
        problem = f"{clash!r} stands below what is a file itself"
        raise AnswerKeyError(problem, mend="Rename one of them.", field=field)
    if sum(len(text or "") for text in files.values()) > _MOST_TEXT:
        problem = f"more than {_MOST_TEXT >> 20} MiB"
        raise AnswerKeyError(problem, mend="Write smaller files.", field=field)


def _above(path: str) -> list[str]:
    return [str(parent) for parent in PurePosixPath(path).parents]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _stdout(key: Mapping[str, Any], place: str) -> str | None:
    return None if key.get("stdout") is None else text_field(key, "stdout", place)


def _due_lines(key: Mapping[str, Any], place: str) -> tuple[str, ...] | None:
    given = key.get("lines")
    if given is None:
        return None
    try:
        return tuple(texts(given, "lines"))
    except AnswerKeyError as error:
        raise AnswerKeyError(error.problem, mend=error.mend, field=f"{place}.lines") from None


def _status(key: Mapping[str, Any], place: str) -> int | None:
    status = key.get("status")
    if status is None:
        return None
    if isinstance(status, bool) or not isinstance(status, int) or not 0 <= status < 256:  # noqa: PLR2004 - a byte
        mend = "Write `status: 0`."
        raise AnswerKeyError(f"{status!r} is no exit status", mend=mend, field=f"{place}.status")
    return status


def _shell(key: Mapping[str, Any]) -> Literal["bash", "sh"]:
    shell = key.get("shell", _SHELLS[0])
    if shell not in _SHELLS:
        mend = "Write `shell: bash` or `shell: sh`."
        raise AnswerKeyError(f"{shell!r} is no shell", mend=mend, field=f"{_FIELD}.shell")
    return cast("Literal['bash', 'sh']", shell)


def _truth(key: Mapping[str, Any], name: str, *, default: bool) -> bool:
    given = key.get(name, default)
    if not isinstance(given, bool):
        mend = f"Write `{name}: true` or `{name}: false`."
        raise AnswerKeyError("true or false is due", mend=mend, field=f"{_FIELD}.{name}")
    return given
