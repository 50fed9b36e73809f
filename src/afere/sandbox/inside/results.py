"""Reads what a shell left in its folder: never through a link, never more than the bounds."""

import os
import stat

from .programs import FOLDER

__all__ = ["read_folder"]

_MANY, _LARGE, _DEEP = 2000, 12 << 20, 30
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
