"""The connections to the database, set up so that what was acknowledged is on disk."""

import sqlite3
import time
from collections.abc import Callable
from typing import NamedTuple

import sqlalchemy as sa

from afere.domain import StoreError
from afere.store.faults import told_as_store_errors
from afere.store.location import Place
from afere.store.migrations import migrate
from afere.store.reading import Reader
from afere.store.writing import Writer

__all__ = ["Opened", "open_database"]

_WRITING = "afere_writing"
_PAUSE = 0.02  # seconds between two tries to set the journal, which waits for no lock


class Opened(NamedTuple):
    """An open store: one connection writes, one reads, each in a thread of its own."""

    writer: Writer
    reader: Reader
    dispose: Callable[[], None]


def open_database(place: Place, *, clock: Callable[[], float], lock_wait: float) -> Opened:
    """Connect, bring the store to its present shape, and give its two ends.

    lock_wait: seconds to wait for another process that writes. Raises StoreError.
    """
    with told_as_store_errors(place.name):
        engine = _engine(place, lock_wait)
        try:
            connection = engine.connect().execution_options(**{_WRITING: True})
            migrate(connection, now=clock(), shared=place.file is None)
            writer = Writer(connection, name=place.name, clock=clock)
            reader = Reader(engine.connect(), name=place.name)
        except BaseException:
            engine.dispose()
            raise
    return Opened(writer, reader, engine.dispose)


def _engine(place: Place, lock_wait: float) -> sa.Engine:
    if place.file is None:
        return _server(place)
    url = sa.URL.create("sqlite", database=str(place.file))
    engine = sa.create_engine(url)

    @sa.event.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # transactions begin where we say so
        connection.execute(f"PRAGMA busy_timeout = {int(lock_wait * 1000)}")
        if place.share is None:
            _set_write_ahead(connection, lock_wait)
        connection.execute("PRAGMA synchronous = FULL")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # The write lock is taken first: a reader that turns writer could find its lock gone.
        writing = connection.get_execution_options().get(_WRITING)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


def _set_write_ahead(connection: sqlite3.Connection, lock_wait: float) -> None:
    """Set the journal in which readers and the writer do not wait for each other.

    The setting stays in the file. While another process opens or closes the store it is refused
    without waiting, so it is tried again.
    """
    end = time.monotonic() + lock_wait
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(_PAUSE)
        else:
            return


def _server(place: Place) -> sa.Engine:
    try:
        return sa.create_engine(place.url)
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
