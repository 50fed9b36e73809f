"""Buffers as arrays, and what tells rows apart: for callers that hold rows as columns."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from afere.stats.interval import Floats, Integers, Numbers

__all__ = [
    "by_code",
    "fingerprint",
    "float_column",
    "integer_column",
    "known_rows",
    "occurrences",
    "own_codes",
    "row_bytes",
    "spread_places",
]


def float_column(values: Numbers) -> Floats:
    """Give a buffer as numbers; nothing is copied where it holds doubles."""
    return np.asarray(values, dtype=np.float64)


def integer_column(values: "Sequence[int] | Iterable[int] | memoryview") -> Integers:
    """Give whole numbers as an array of 64 bits."""
    if isinstance(values, memoryview) or hasattr(values, "__len__"):
        return np.asarray(values).astype(np.int64)
    return np.fromiter(values, dtype=np.int64)


def known_rows(confidence: Floats) -> Integers:
    """Give the places of the rows that have a confidence: those that are not NaN."""
    return np.flatnonzero(~np.isnan(confidence))


def own_codes(codes: Integers, names: int) -> Integers:
    """Give each row without a code (below 0) one of its own, from `names` on."""
    without = codes < 0
    found = codes.copy()
    found[without] = names + np.arange(int(without.sum()))
    return found


def by_code(codes: Integers, count: int) -> list[Integers]:
    """Give the places of the rows of each code below `count`, in rising order."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    ends = np.searchsorted(ordered, np.arange(count + 1), side="left")
    return [order[ends[code] : ends[code + 1]] for code in range(count)]


def spread_places(count: int, most: int) -> Integers:
    """Give up to `most` places of `count`, evenly spread, both ends included."""
    if count <= most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, most).round().astype(np.int64))


def occurrences(*columns: Numbers, last: Numbers | None = None) -> Integers:
    """Count rows that are the same in every column: 0 for the first of them, 1 for the next.

    last: a column in whose rising order such rows are counted; without it their order does not
    tell them apart.
    """
    tie = () if last is None else (np.asarray(last),)
    order = np.lexsort([*tie, *(np.asarray(column) for column in reversed(columns))])
    new = np.zeros(len(order), dtype=bool)
    new[:1] = True
    for column in columns:
        ordered = np.asarray(column)[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    number = np.arange(len(order)) - np.repeat(starts, np.diff([*starts, len(order)]))
    found = np.empty(len(order), dtype=np.int64)
    found[order] = number
    return found


def row_bytes(*columns: Numbers) -> Iterator[bytes]:
    """Give each row's numbers as bytes, little-endian doubles."""
    page = 65_536
    arrays = [np.asarray(column) for column in columns]
    width = 8 * len(arrays)
    for start in range(0, len(arrays[0]), page):
        part = np.stack([each[start : start + page].astype("<f8") for each in arrays], axis=1)
        memory = part.tobytes()
        yield from (memory[at : at + width] for at in range(0, len(memory), width))


def fingerprint(*columns: Numbers) -> str:
    """Give the SHA-256 of rows, whatever their order."""
    arrays = [np.asarray(column, dtype=np.float64) for column in columns]
    order = np.lexsort(list(reversed(arrays)))
    found = hashlib.sha256(f"{len(order)} rows\n".encode())
    for each in arrays:
        found.update((each[order] + 0.0).astype("<f8").tobytes())
    return found.hexdigest()
