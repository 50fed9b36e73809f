"""The other kinds of hostile program, run by the candidate's process once it is locked in."""

import os
import re
import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn
from uuid import UUID

from .codec import decode, encode

__all__ = ["FOLDER", "answer", "shell"]

FOLDER = "work"  # within the task's folder: where a shell's files are
_SHELLS = {"bash": ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"), "sh": ("/bin/sh",)}
_CANNOT_START = 126
_ALLOWED_SQL = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_REFUSED_FUNCTIONS = {"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"}
_OUT_OF_MEMORY = {"MemoryError", "OutOfMemoryException"}
_LONGEST_VALUE = 16 << 20
_MANY_ROWS = 1_000_000
_MATCHES: dict[str, Callable[["re.Pattern[str]", str], object]] = {
    "full": lambda pattern, text: pattern.fullmatch(text),
    "prefix": lambda pattern, text: pattern.match(text),
    "search": lambda pattern, text: pattern.search(text),
}


def answer(kind: str, message: dict[str, Any]) -> dict[str, Any]:
    """Run a SQL query or try a regular expression; gives the values, or what was raised."""
    try:
        if kind == "regex":
            return {"value": encode(_regex(message))}
        run = _duckdb if message["engine"] == "duckdb" else _sqlite
        return {"value": encode([tuple(map(_plain, row)) for row in run(message)])}
    except Exception as error:  # noqa: BLE001 - the query's or the pattern's own fault
        name = type(error).__name__
        kind = "MemoryError" if name in _OUT_OF_MEMORY else "Exception"
        return {"raised": [kind, name, str(error)[:300]]}


def shell(message: dict[str, Any], say_laid: Callable[[], None]) -> NoReturn:
    """Lay the files out, say so, run the command, and end with its exit status."""
    files = decode(message["files"])
    Path(FOLDER).mkdir()
    for name, content in files.items():
        place = Path(FOLDER, name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    Path("input").write_bytes(decode(message["stdin"]))
    standard_input = os.open("input", os.O_RDONLY)
    Path("input").unlink()
    say_laid()
    child = os.fork()
    if child == 0:
        _become_shell(message, standard_input)
    os.close(standard_input)
    while True:
        try:
            ended, status = os.wait()
        except ChildProcessError:
            os._exit(_CANNOT_START)
        if ended == child:
            os._exit(_exit_status(status))


def _become_shell(message: dict[str, Any], standard_input: int) -> NoReturn:
    os.chdir(FOLDER)
    os.dup2(standard_input, 0)
    above = os.environ["HOME"]
    here = f"{above}/{FOLDER}"
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
    environment |= {"HOME": above, "PWD": here, "TMPDIR": above}
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for path in _SHELLS[message["shell"]]:
        try:
            os.execve(path, [message["shell"], "-c", message["command"]], environment)  # noqa: S606 - the task
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:  # too long, or a null character
            os.write(2, f"{message['shell']}: {error}\n".encode("utf-8", "replace"))
            break
    os._exit(_CANNOT_START)


def _exit_status(status: int) -> int:
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)


def _sqlite(message: dict[str, Any]) -> list[tuple[Any, ...]]:
    database = decode(message["database"])
    if database is not None:
        Path("database").write_bytes(database)
    connection = sqlite3.connect("database" if database is not None else ":memory:")
    connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    if message["setup"]:
        connection.executescript(message["setup"])
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.set_authorizer(_authorize)
    return _bounded(connection.execute(message["query"]).fetchmany)


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action not in _ALLOWED_SQL:
        return sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and (second or first or "").lower() in _REFUSED_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _duckdb(message: dict[str, Any]) -> list[tuple[Any, ...]]:
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "threads": 1,
            "memory_limit": "512MB",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "temp_directory": "",
            "python_enable_replacements": False,
        },
    )
    if message["setup"]:
        connection.execute(message["setup"])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    statements = connection.extract_statements(message["query"])
    if len(statements) != 1:
        raise ValueError("one statement is due")
    kind = statements[0].type.name  # a pivot finds its columns by a query of its own
    if kind != "SELECT" and not (kind == "MULTI" and "pivot" in message["query"].lower()):
        raise ValueError("only a query may be asked")
    return _bounded(connection.execute(statements[0]).fetchmany)


def _bounded(fetch: Callable[[int], list[Any]]) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    while part := fetch(1000):
        rows += [tuple(row) for row in part]
        if len(rows) > _MANY_ROWS:
            raise ValueError(f"more than {_MANY_ROWS} rows")
    return rows


def _plain(value: Any) -> Any:
    """Write what has no plain form of its own as its text, in lists and records too."""
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {_plain(name): _plain(each) for name, each in value.items()}
    return value


def _regex(message: dict[str, Any]) -> list[bool]:
    pattern = re.compile(message["pattern"], message["flags"])
    match = _MATCHES[message["how"]]
    return [match(pattern, text) is not None for text in message["texts"]]
