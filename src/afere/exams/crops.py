"""Draws questions as they are printed: their boxes cut out of the page, one below the other."""

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from afere.exams.document import opened
from afere.exams.page import Box

__all__ = ["crops", "png"]

DPI = 110
POINTS = 72
MOST_PIXELS = 12_000_000  # of one crop
WHITE = 255
MARGIN = 6  # pixels left round what is printed


def crops(
    data: bytes, places: Iterable[tuple[str, Sequence[tuple[int, Box]]]], *, dpi: int = DPI
) -> Iterator[tuple[str, bytes]]:
    """Give (name, PNG) for each (name, boxes), the boxes as (page number, box)."""
    scale = dpi / POINTS
    with opened(data) as document:
        pages: dict[int, Any] = {}
        for name, boxes in places:
            parts = [
                _drawn(document, pages, number, box, scale)
                for number, box in boxes
                if box.x1 - box.x0 >= 1 and box.y1 - box.y0 >= 1
            ]
            yield name, png(_stacked(parts))


def _drawn(
    document: Any,  # noqa: ANN401 - the library ships no types
    pages: dict[int, Any],
    number: int,
    box: Box,
    scale: float,
) -> tuple[int, list[bytes]]:
    """Draw one box; gives its width in pixels and its rows of RGB bytes."""
    if number not in pages:
        pages.clear()  # one page at a time
        pages[number] = document[number - 1]
    page = pages[number]
    whole = Box(*page.get_cropbox())
    cut = (
        max(box.x0 - whole.x0, 0.0),
        max(box.y0 - whole.y0, 0.0),
        max(whole.x1 - box.x1, 0.0),
        max(whole.y1 - box.y1, 0.0),
    )
    pixels = (box.x1 - box.x0) * (box.y1 - box.y0) * scale * scale
    if pixels > MOST_PIXELS:
        scale *= (MOST_PIXELS / pixels) ** 0.5
    bitmap = page.render(scale=scale, crop=cut, rev_byteorder=True, may_draw_forms=False)
    try:
        width, height, stride = bitmap.width, bitmap.height, bitmap.stride
        buffer, depth = bytes(bitmap.buffer), bitmap.n_channels
        rows = [buffer[row * stride : row * stride + width * depth] for row in range(height)]
        return width, [_rgb(row, depth) for row in rows]
    finally:
        bitmap.close()


def _rgb(row: bytes, depth: int) -> bytes:
    if depth == 3:  # noqa: PLR2004 - red, green, blue
        return row
    if depth == 1:
        return bytes(value for each in row for value in (each, each, each))
    out = bytearray(len(row) // depth * 3)
    for channel in range(3):
        out[channel::3] = row[channel::depth]
    return bytes(out)


def _stacked(parts: Sequence[tuple[int, list[bytes]]]) -> list[bytes]:
    """Put parts one below the other, white where nothing is printed cut off at the edges."""
    width = max((each for each, _ in parts), default=1)
    rows = [row + b"\xff" * (3 * (width - each)) for each, part in parts for row in _cut(part)]
    return _trimmed(rows) if rows else [b"\xff\xff\xff"]


def _cut(rows: list[bytes]) -> list[bytes]:
    """Take white rows off above and below, a margin left."""
    printed = [place for place, row in enumerate(rows) if row.count(WHITE) != len(row)]
    if not printed:
        return []
    return rows[max(printed[0] - MARGIN, 0) : printed[-1] + MARGIN]


def _trimmed(rows: list[bytes]) -> list[bytes]:
    """Take white columns off at the left and right."""
    blank = b"\xff" * len(rows[0])
    left, right = len(blank), 0
    for row in rows:
        if row != blank:
            left = min(left, len(row) - len(row.lstrip(b"\xff")))
            right = max(right, len(row.rstrip(b"\xff")))
    if right <= left:
        return rows
    first = max(left // 3 - MARGIN, 0) * 3
    last = min((right + 2) // 3 + MARGIN, len(blank) // 3) * 3
    return [row[first:last] for row in rows]


def png(rows: Sequence[bytes]) -> bytes:
    """Write rows of RGB bytes as a PNG file."""
    body = b"".join(b"\x00" + row for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(body, 6))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, body: bytes) -> bytes:
    checksum = struct.pack(">I", zlib.crc32(kind + body))
    return struct.pack(">I", len(body)) + kind + body + checksum
