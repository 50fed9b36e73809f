"""Finds the files that a suite names: only in its own folder or below it."""

from pathlib import Path, PurePath

__all__ = ["file_beside"]


def file_beside(folder: Path | None, name: str) -> Path | None:
    """Give the file, None where there is none; links that lead out of the folder lead nowhere."""
    if folder is None or PurePath(name).is_absolute():
        return None
    try:
        inside = folder.resolve()
        path = (inside / name).resolve()
        return path if path.is_relative_to(inside) and path.is_file() else None
    except (OSError, ValueError):  # too long a name, a NUL in it, a folder that cannot be read
        return None
