"""Opens the files that a user names, and finds the part of a key that is for a booklet."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from afere.exams.confined import MOST_BYTES, Bounds, key_of
from afere.exams.errors import ExamError
from afere.exams.identity import Identity
from afere.exams.key import Key, Section, read_csv_key
from afere.exams.profile import Profile

__all__ = ["key_for", "read_pdf", "said_of"]

T = TypeVar("T")
CSV = (".csv", ".tsv", ".txt")
COMPARED = ("year", "edition", "day", "colour", "booklet")


def read_pdf(path: Path, what: str) -> bytes:
    """Read a file of a sane size; raises ExamError."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ExamError(f"{path}: {what} has more than {MOST_BYTES // 1024 // 1024} MiB")
        return path.read_bytes()
    except OSError as error:
        raise ExamError(f"{path}: {what} cannot be read: {error.strerror}") from error


def said_of(path: Path, work: Callable[[], T]) -> T:
    """Say which file a fault is in."""
    try:
        return work()
    except ExamError as error:
        raise ExamError(f"{path}: {error}") from error


def key_for(
    path: Path, profile: Profile, booklet: Identity, bounds: Bounds
) -> tuple[Section, tuple[str, ...]]:
    """Give the answers for a booklet and the order of their languages; raises ExamError."""
    data = read_pdf(path, "the key")
    if path.suffix.lower() in CSV and b"%PDF" not in data[:1024]:
        key = said_of(path, lambda: read_csv_key(data, profile))
    else:
        key = said_of(path, lambda: key_of(data, profile, bounds))
    return said_of(path, lambda: _section(booklet, key)), key.languages


def _section(booklet: Identity, key: Key) -> Section:
    clashes = [_clash(booklet, each.identity) for each in key.sections]
    fitting = [each for each, clash in zip(key.sections, clashes, strict=True) if not clash]
    if not fitting:
        raise ExamError(
            f"this key is not for this booklet: {clashes[0]}\nGive the key of the same booklet."
        )
    if len(fitting) > 1:
        names = ", ".join(str(each.identity.colour or each.identity.booklet) for each in fitting)
        raise ExamError(f"this key holds several booklets ({names})\nSay which: --colour COLOUR")
    return fitting[0]


def _clash(booklet: Identity, key: Identity) -> str:
    for what in COMPARED:
        ours, theirs = getattr(booklet, what), getattr(key, what)
        if ours is not None and theirs is not None and ours != theirs:
            return f"{what} {ours} in the booklet, {theirs} in the key"
    return ""
