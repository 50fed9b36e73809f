"""What a database's errors mean for a user: foreign errors become StoreError at this border."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from afere.domain import StoreError

__all__ = ["records_read", "told_as_store_errors"]

_AGAIN = "What was kept before is safe: run the same command again and it goes on from there."
_ELSEWHERE = "Name another file with --store."
_SAID = 200  # characters of a server's own words
_ROOM = 100_000  # bytes: a disk with less is full, as its journal and index take that much
_TOLD = {
    sqlite3.SQLITE_FULL: ("the disk is full.", f"Make room on it. {_AGAIN}"),
    sqlite3.SQLITE_BUSY: ("another program holds the store locked.", f"Close it. {_AGAIN}"),
    sqlite3.SQLITE_LOCKED: ("another program holds the store locked.", f"Close it. {_AGAIN}"),
    sqlite3.SQLITE_READONLY: (
        "the file or its folder is read-only.",
        f"Allow writing to both, or copy the store. {_ELSEWHERE}",
    ),
    sqlite3.SQLITE_PERM: ("the file or its folder may not be used.", _ELSEWHERE),
    sqlite3.SQLITE_AUTH: ("the file or its folder may not be used.", _ELSEWHERE),
    sqlite3.SQLITE_CANTOPEN: (
        "the file cannot be opened.",
        "Look at the rights of the file and its folder, or name another file with --store.",
    ),
    sqlite3.SQLITE_NOTADB: ("the file is no store of afere, and stays as it is.", _ELSEWHERE),
    sqlite3.SQLITE_CORRUPT: (
        "the file is damaged.",
        "Put back a copy, or save what can be read: sqlite3 FILE .recover | sqlite3 NEW",
    ),
    sqlite3.SQLITE_IOERR: (
        "the disk does not take or give the data (full, over a quota or faulty).",
        f"Look at the disk. {_AGAIN}",
    ),
    sqlite3.SQLITE_TOOBIG: ("a text is too large for the store.", "Ask for shorter answers."),
}


@contextmanager
def told_as_store_errors(place: str) -> Iterator[None]:
    """Turn the errors of the database inside into StoreError: place, what is wrong, the mend."""
    try:
        yield
    except StoreError as error:
        raise StoreError(f"{place}: {error}") from error
    except (sa.exc.SQLAlchemyError, sqlite3.Error) as error:
        raise StoreError(f"{place}: {_text(error, place)}") from error
    except UnicodeDecodeError as error:  # the driver hands on texts whose bytes were damaged
        damaged = "\n".join(_TOLD[sqlite3.SQLITE_CORRUPT])
        raise StoreError(f"{place}: {damaged}") from error


@contextmanager
def records_read(place: str) -> Iterator[None]:
    """As `told_as_store_errors`, and for records inside that this version cannot read."""
    try:
        with told_as_store_errors(place):
            yield
    except (ValueError, TypeError, KeyError) as error:
        raise StoreError(
            f"{place}: holds a record that this version cannot read ({error}).\n"
            "Update afere, or put back a copy of the store.",
        ) from error


def _text(error: Exception, place: str) -> str:
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    code = getattr(cause, "sqlite_errorcode", None)
    if code is not None and code & 0xFF in _TOLD:
        return "\n".join(_TOLD[_true_cause(code & 0xFF, Path(place).parent)])
    if isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError) and code is None:
        reason = " ".join(str(cause).split())[:_SAID]
        return f"the database server cannot be reached ({reason}).\nLook at its address. {_AGAIN}"
    first_line = str(cause).partition("\n")[0]
    return f"the database refuses ({first_line}).\n{_ELSEWHERE}"


def _true_cause(code: int, folder: Path) -> int:
    """Look at the folder where SQLite's own word is vague: full and read-only have other names."""
    try:
        if code == sqlite3.SQLITE_IOERR and shutil.disk_usage(folder).free < _ROOM:
            return sqlite3.SQLITE_FULL
        if code == sqlite3.SQLITE_CANTOPEN and not os.access(folder, os.W_OK):
            return sqlite3.SQLITE_READONLY
    except OSError:
        return code
    return code
