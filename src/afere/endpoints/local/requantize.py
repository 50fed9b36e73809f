"""Writes the same weights with fewer bits: what harder rounding does to a model."""

import contextlib
import json
import math
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afere.domain import Sentence, UsageError
from afere.endpoints.local.digest import gguf_digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Requantized", "requantize"]

_METHOD = 1  # rises whenever the same source and levels would give other bytes
_BLOCK = 32  # weights that share a scale, in every type below
_FEWEST, _MOST = 2, 16
_MATRIX = 2  # dimensions; vectors (norms, biases) are left as they are


@dataclass(frozen=True, slots=True, kw_only=True)
class Requantized:
    """A file with rounded weights. said: exactly what was done to it, for people."""

    path: Path
    levels: int
    matrices: int
    said: Sentence


def requantize(source: Path, target: Path, levels: int) -> Requantized:
    """Write `source` to `target` with each block of 32 weights rounded to `levels` values.

    In every weight matrix each block of 32 neighbours is rounded to the nearest of `levels` evenly
    spaced values from its smallest to its largest weight. The layout of the file, its metadata,
    tokenizer and vectors stay as they are, so that size and speed are those of the source. The
    same source and levels give the same bytes. The target appears whole or not at all; where it
    was made before from this source in this way, nothing is done.

    levels: 2 to 16; 8 are 3 bits a weight. Matrices of types Q4_1, Q8_0, F16 and F32 can be
    rounded. Raises UsageError for other types, and where a file cannot be read or written.
    """
    if not _FEWEST <= levels <= _MOST:
        raise UsageError(f"levels is {levels}\nset it from {_FEWEST} to {_MOST}")
    made = _Made(target, gguf_digest(source), levels)
    matrices = made.before()
    if matrices is None:
        matrices = _write(source, target, levels)
        made.note(matrices)
    said = Sentence(
        "In {matrices} weight matrices of {source} every block of {block} weights was rounded to "
        "{levels} evenly spaced values from its smallest to its largest ({bits} bits a weight); "
        "vectors, tokenizer and metadata are unchanged.",
        matrices=matrices,
        source=source.name,
        block=_BLOCK,
        levels=levels,
        bits=f"{math.log2(levels):.3g}",
    )
    return Requantized(path=target, levels=levels, matrices=matrices, said=said)


class _Made:
    """The note beside a target that says from what it was made."""

    def __init__(self, target: Path, source_sha256: str, levels: int) -> None:
        self._target = target
        self._note = target.with_name(target.name + ".made.json")
        self._how = {"method": _METHOD, "source_sha256": source_sha256, "levels": levels}

    def before(self) -> int | None:
        """Give the number of matrices where the target is there and was made so."""
        try:
            note = json.loads(self._note.read_text("utf-8"))
            whole = note["sha256"] == gguf_digest(self._target)
            same = all(note[name] == value for name, value in self._how.items())
            return int(note["matrices"]) if whole and same else None
        except (OSError, ValueError, TypeError, LookupError, UsageError):
            return None

    def note(self, matrices: int) -> None:
        """Write the note; a folder that cannot be written only costs time later."""
        facts = self._how | {"matrices": matrices, "sha256": gguf_digest(self._target)}
        with contextlib.suppress(OSError):
            self._note.write_text(json.dumps(facts), "utf-8")


def _write(source: Path, target: Path, levels: int) -> int:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix="requantizing-", dir=target.parent)
        os.close(handle)
        draft = Path(name)
        try:
            shutil.copyfile(source, draft)
            matrices = _round_in_place(draft, levels)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"{target}: the rounded weights cannot be written: {error.strerror or error}\n"
            "free some space or set another cache folder",
        ) from error
    return matrices


def _round_in_place(path: Path, levels: int) -> int:
    try:
        import gguf
    except ImportError as error:
        raise UsageError(
            "rounding weights needs the package gguf\ninstall it with: pip install 'afere[local]'",
        ) from error
    matrices = 0
    try:
        reader = gguf.GGUFReader(path, "r+")
    except (ValueError, LookupError, TypeError) as error:
        raise UsageError(f"{path.name}: the GGUF file is damaged\nfetch it again") from error
    for tensor in reader.tensors:
        if len(tensor.shape) < _MATRIX:
            continue
        rounded = _BY_TYPE.get(tensor.tensor_type.name)
        if rounded is None:
            raise UsageError(
                f"weights of type {tensor.tensor_type.name} cannot be rounded here\n"
                f"take a file of one of the types {', '.join(_BY_TYPE)}",
            )
        rounded(tensor.data, levels)
        matrices += 1
    reader.data.flush()
    return matrices


def _round_q4_1(data: "NDArray[np.uint8]", levels: int) -> None:
    """Blocks of 20 bytes: scale d, least value m, 32 numbers q of 4 bits; a weight is d q + m."""
    import numpy as np

    half = _BLOCK // 2
    blocks = data.reshape(-1, 4 + half)
    scale, least = (blocks[:, at : at + 2].copy().view(np.float16) for at in (0, 2))
    packed = blocks[:, 4:]
    numbers = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32)
    low, step, ranks = _ranks(numbers, levels)
    old_scale, old_least = scale.astype(np.float32), least.astype(np.float32)
    blocks[:, 0:2] = (old_scale * step).astype(np.float16).view(np.uint8)
    blocks[:, 2:4] = (old_least + old_scale * low).astype(np.float16).view(np.uint8)
    small = ranks.astype(np.uint8)
    blocks[:, 4:] = small[:, :half] | (small[:, half:] << 4)


def _round_q8_0(data: "NDArray[np.uint8]", levels: int) -> None:
    """Blocks of 34 bytes: scale d, 32 signed numbers q of 8 bits; a weight is d q."""
    import numpy as np

    blocks = data.reshape(-1, 2 + _BLOCK)
    numbers = blocks[:, 2:].copy().view(np.int8).astype(np.float32)
    low, step, ranks = _ranks(numbers, levels)
    blocks[:, 2:] = np.rint(low + step * ranks).astype(np.int8).view(np.uint8)


def _round_floats(data: "NDArray[Any]", levels: int) -> None:
    import numpy as np

    if data.shape[-1] % _BLOCK:
        return  # a row that no block type could hold
    blocks = data.reshape(-1, _BLOCK)
    low, step, ranks = _ranks(blocks.astype(np.float32), levels)
    blocks[:] = (low + step * ranks).astype(data.dtype)


def _ranks(
    values: "NDArray[np.float32]",
    levels: int,
) -> tuple["NDArray[np.float32]", "NDArray[np.float32]", "NDArray[np.float32]"]:
    """Give of each row its least value, the step between levels, and each value's level."""
    import numpy as np

    low = values.min(axis=1, keepdims=True)
    step = (values.max(axis=1, keepdims=True) - low) / np.float32(levels - 1)
    ranks = np.rint((values - low) / np.where(step > 0, step, np.float32(1)))
    return low, step, ranks


_BY_TYPE: dict[str, Callable[["NDArray[Any]", int], None]] = {
    "Q4_1": _round_q4_1,
    "Q8_0": _round_q8_0,
    "F16": _round_floats,
    "F32": _round_floats,
}
