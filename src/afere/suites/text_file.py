"""Reads text files as UTF-8, bounded in size, and says in plain words what is wrong with one."""

from collections.abc import Iterator
from pathlib import Path

from afere.domain import SuiteError

__all__ = ["read_lines", "read_text"]

_LONGEST_LINE = 8 * 1024 * 1024
_LARGEST = 1024 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = (b"\xff\xfe", b"\xfe\xff")


def read_text(path: Path, most_bytes: int) -> str:
    """Read a whole file without its byte order mark; raises SuiteError."""
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise _unreadable(path, error) from error
    if len(data) > most_bytes:
        mend = "put the items into a folder with suite.yaml and items.jsonl"
        raise SuiteError(f"more than {most_bytes // 1024 // 1024} MiB", mend=mend, file=path)
    return _decoded(data, path, 1)


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Read a file line by line: the number from 1, and the text with its line end."""
    try:
        with path.open("rb") as file:
            number = size = 0
            while data := file.readline(_LONGEST_LINE + 1):
                number += 1
                size += len(data)
                if size > _LARGEST:
                    raise SuiteError("more than 1 GiB", mend="split it", file=path, line=number)
                if len(data) > _LONGEST_LINE:
                    mend = "put images into files, and one item on a line"
                    raise SuiteError("the line is too long", mend=mend, file=path, line=number)
                yield number, _decoded(data, path, number)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> SuiteError:
    problem = f"the file cannot be read: {error.strerror}"
    return SuiteError(problem, mend="look at the path and its permissions", file=path)


def _decoded(data: bytes, path: Path, line: int) -> str:
    mend = "save it as UTF-8 (in Excel: CSV UTF-8)"
    if line == 1 and data.startswith(_OTHER_BOMS):
        raise SuiteError("the file is UTF-16, not UTF-8", mend=mend, file=path, line=1)
    if line == 1:
        data = data.removeprefix(_BOM)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        where = line + data.count(b"\n", 0, error.start)
        problem = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise SuiteError(problem, mend=mend, file=path, line=where) from None
