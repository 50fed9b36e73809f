"""What a GGUF file is, whatever it is called."""

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path

from afere.domain import UsageError

__all__ = ["check_gguf", "gguf_digest"]

_MAGIC = b"GGUF"
_DIGITS = 64


def check_gguf(path: Path) -> None:
    """Raise UsageError unless the file is there and begins as a GGUF file does."""
    try:
        with path.open("rb") as file:
            begins_well = file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise UsageError(
            f"{path}: the model file cannot be read: {error.strerror or error}\ncheck `gguf`",
        ) from error
    if not begins_well:
        raise UsageError(f"{path}: this is no GGUF file\ngive a file that ends in .gguf")


def gguf_digest(path: Path) -> str:
    """Give the SHA-256 of a file as 64 hexadecimal digits.

    It is kept beside the file, with size and time of change, and made again when these differ.
    Raises UsageError where the file cannot be read.
    """
    check_gguf(path)
    facts = path.stat()
    mark = {"size": facts.st_size, "mtime_ns": facts.st_mtime_ns}
    beside = path.with_name(path.name + ".sha256.json")
    kept = _kept(beside, mark)
    if kept is not None:
        return kept
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with contextlib.suppress(OSError):  # a folder that cannot be written only costs time
        _keep(beside, json.dumps(mark | {"sha256": digest}))
    return digest


def _kept(beside: Path, mark: dict[str, int]) -> str | None:
    try:
        kept = json.loads(beside.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(kept, dict) or any(kept.get(name) != value for name, value in mark.items()):
        return None
    digest = kept.get("sha256")
    return digest if isinstance(digest, str) and len(digest) == _DIGITS else None


def _keep(beside: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(prefix=beside.name, dir=beside.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(name).replace(beside)
