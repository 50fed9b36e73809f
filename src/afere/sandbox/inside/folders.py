"""Folders in which hostile programs worked: read, measured, emptied; never through a link."""

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from .programs import FOLDER

__all__ = ["empty", "outgrown", "read_folder"]

_MANY, _LARGE, _DEEP = 2000, 12 << 20, 30
_MOST_FILES, _LARGEST_FOLDER = 4096, 64 << 20  # as the file system in memory allows elsewhere
_MOVED = "moved to the top "
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def read_folder(work: str) -> tuple[dict[str, bytes], str]:
    """Give the regular files by relative path, and a problem in words or an empty text.

    Links, pipes and what cannot be opened are left out; names are decoded with surrogates.
    """
    files: dict[str, bytes] = {}
    try:
        folder = os.open(f"{work}/{FOLDER}", _FLAGS | os.O_DIRECTORY)
    except OSError:
        return {}, ""
    try:
        problem = _collect(folder, "", files, 0)
    finally:
        os.close(folder)
    return ({}, problem) if problem else (files, "")


def outgrown(folder: str) -> bool:
    """Tell whether a folder holds more than a task may write; looks no further then."""
    count, size, waiting = 0, 0, [folder]
    while waiting:
        for entry in _entries(waiting.pop()):
            count += 1
            with suppress(OSError):
                size += entry.stat(follow_symlinks=False).st_blocks * 512
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            if count > _MOST_FILES or size > _LARGEST_FOLDER:
                return True
    return False


def empty(folder: str) -> None:
    """Remove all that is in a folder, as deep, as many and as closed as it may be.

    Folders within folders are moved to the top first, so that no path becomes too long.
    """
    moved = 0
    while entries := _entries(folder):
        done = moved
        for entry in entries:
            for inner in _entries(entry.path) if _opened(entry) else ():
                if _opened(inner):
                    moved += _succeeds(Path(inner.path).rename, f"{folder}/{_MOVED}{moved}")
                else:
                    moved += _succeeds(Path(inner.path).unlink)
            is_folder = entry.is_dir(follow_symlinks=False)
            moved += _succeeds(Path(entry.path).rmdir if is_folder else Path(entry.path).unlink)
        if moved == done:
            return  # nothing more can be removed


def _opened(entry: "os.DirEntry[str]") -> bool:
    """Tell whether an entry is a folder, and make it one that we may enter and move."""
    if not entry.is_dir(follow_symlinks=False):
        return False
    _succeeds(Path(entry.path).chmod, 0o700)
    return True


def _succeeds(act: Callable[..., object], *arguments: object) -> bool:
    try:
        act(*arguments)
    except OSError:
        return False
    return True


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _collect(folder: int, prefix: str, files: dict[str, bytes], depth: int) -> str:
    if depth > _DEEP:
        return "folders are nested too deep"
    for name in sorted(os.listdir(folder)):
        try:
            entry = os.open(name, _FLAGS | os.O_NONBLOCK, dir_fd=folder)
        except OSError:
            continue
        try:
            kind = os.fstat(entry)
            if stat.S_ISDIR(kind.st_mode):
                problem = _collect(entry, f"{prefix}{name}/", files, depth + 1)
                if problem:
                    return problem
            elif stat.S_ISREG(kind.st_mode):
                files[prefix + name] = _content(entry)
        finally:
            os.close(entry)
        if len(files) > _MANY or sum(map(len, files.values())) > _LARGE:
            return f"the folder holds more than {_MANY} files or {_LARGE >> 20} MiB"
    return ""


def _content(entry: int) -> bytes:
    parts, size = [], 0
    while size <= _LARGE and (part := os.read(entry, 1 << 20)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)
