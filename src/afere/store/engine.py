"""The connections to the database, set up so that what was acknowledged is on disk."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from afere.domain import StoreError
from afere.store.faults import told_as_store_errors
from afere.store.location import Place
from afere.store.migrations import STEPS, apply_steps, missing_steps
from afere.store.reading import Reader
from afere.store.starts import Counts
from afere.store.writing import Writer

__all__ = ["Opened", "open_database"]

_WRITING = "afere_writing"
_PAUSE = 0.02  # seconds between two tries to set the journal, which waits for no lock


class Opened(NamedTuple):
    """An open store: one connection writes, one reads, each in a thread of its own.

    counts: behind the limits, on the connection that writes.
    """

    writer: Writer
    reader: Reader
    counts: Counts
    close: Callable[[], None]


def open_database(place: Place, *, clock: Callable[[], float], lock_wait: float) -> Opened:
    """Connect, bring the store to its present shape, and give its two ends.

    lock_wait: seconds to wait for another process that writes. Raises StoreError.
    """
    with told_as_store_errors(place.name), ExitStack() as closing:
        engine = _server(place.url) if place.file is None else _file(place, place.file, lock_wait)
        closing.callback(engine.dispose)
        reading = closing.enter_context(engine.connect())
        missing = missing_steps(reading, STEPS, shared=place.file is None)
        if place.file is not None and place.writable:
            # Readers and the writer do not wait for each other in WAL, which no share can do.
            _set_journal(reading, "DELETE" if place.share else "WAL", lock_wait)
        writing = closing.enter_context(engine.connect().execution_options(**{_WRITING: True}))
        if place.writable or STEPS[0] in missing:  # what can only be read needs no later step
            apply_steps(writing, missing, now=clock())
        journalled = place.file is not None and place.share is None
        return Opened(
            Writer(writing, name=place.name, clock=clock),
            Reader(reading, name=place.name),
            Counts(writing, name=place.name, clock=clock, journalled=journalled),
            closing.pop_all().close,
        )


def _file(place: Place, file: Path, lock_wait: float) -> sa.Engine:
    engine = sa.create_engine(_writable(file) if place.writable else _readable(file))

    @sa.event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # transactions begin where we say so
        connection.execute(f"PRAGMA busy_timeout = {int(lock_wait * 1000)}")
        connection.execute("PRAGMA synchronous = FULL")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # The write lock is taken first: a reader that turns writer could find its lock gone.
        writing = connection.get_execution_options().get(_WRITING)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _writable(file: Path) -> sa.URL:
    return sa.URL.create("sqlite", database=str(file))


def _readable(file: Path) -> sa.URL:
    """Give the URL of a store that can only be read: one that is not in use needs no journal."""
    in_use = file.with_name(f"{file.name}-wal").exists()
    options = {"mode": "ro", "uri": "true"} | ({} if in_use else {"immutable": "1"})
    return sa.URL.create("sqlite", database=file.absolute().as_uri(), query=options)


def _set_journal(connection: sa.Connection, mode: str, lock_wait: float) -> None:
    """Set the journal's mode, which stays in the file.

    While another process opens or closes the store it is refused without waiting, so it is tried
    again.
    """
    driver = connection.connection.cursor()  # outside of any transaction
    end = time.monotonic() + lock_wait
    while True:
        try:
            driver.execute(f"PRAGMA journal_mode = {mode}")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(_PAUSE)
        else:
            driver.close()
            return


def _server(url: str) -> sa.Engine:
    try:
        return sa.create_engine(url)
    except ModuleNotFoundError as error:
        raise StoreError(
            f"the driver {error.name!r} of this database is not installed.\n"
            'Install it: pip install "afere[postgres]"',
        ) from error
    except sa.exc.ArgumentError as error:
        raise StoreError(
            "this is no path and no URL of a database that afere knows.\n"
            "Name a file: --store afere.db",
        ) from error
