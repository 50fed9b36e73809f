"""Mends fonts whose tables say nothing, or something wrong, about the characters they draw.

Two kinds are known. A font of kind Identity-H without a ToUnicode table is read by glyph number;
a Type 1 font whose Differences are named `/g17` names glyphs by the same number, on codes that
mean other letters, so that wrong letters come out that look right. In both, the number is the
glyph's place in the standard order of TrueType fonts for the Macintosh. The mend is a ToUnicode
table for each such font, appended to the file in memory; everything else reads on as usual.
"""

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from afere.exams.page import Glyph
from afere.exams.symbols import MAC_ORDER, is_strange, sign_of

__all__ = ["lies", "mended"]

GLYPH_NAME = re.compile(r"^/g(\d+)$")
MOST_DEPTH = 3
COMMON = frozenset(
    """
    a o e de da do que em um uma os as no na para com se por dos das ao é ou mais não como
    el la los las y del un una con su es lo the of and to in is that for on it
    """.split()  # noqa: SIM905 - a list to read
)
LEAST_WORDS = 60
LEAST_COMMON = 0.15
MOST_STRANGE = 0.01
_WORD = re.compile(r"[^\W\d_]+")


def lies(glyphs: list[Glyph]) -> bool:
    """Tell whether a page's text cannot be what it shows.

    Control and private characters, or hardly any of the commonest Portuguese words, give it away.
    """
    if not glyphs:
        return False
    strange = sum(1 for glyph in glyphs if is_strange(glyph.text))
    if strange > MOST_STRANGE * len(glyphs):
        return True
    words = _WORD.findall("".join(glyph.text for glyph in glyphs).lower())
    if len(words) < LEAST_WORDS:
        return False
    return sum(word in COMMON for word in words) < LEAST_COMMON * len(words)


def mended(data: bytes) -> tuple[bytes, int]:
    """Give the file with a table for each font that lacks one, and how many were added.

    A file that cannot be taken apart comes back as it is: the gates see to its text.
    """
    import pypdf
    from pypdf.errors import PyPdfError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        writer = pypdf.PdfWriter(io.BytesIO(data), incremental=True)
        fonts = {id(font): font for page in writer.pages for font in _fonts(page)}
        added = sum(_mend(writer, font) for font in fonts.values())
        if not added:
            return data, 0
        out = io.BytesIO()
        writer.write(out)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return data, 0
    return out.getvalue(), added


def _fonts(holder: Any, depth: int = 0) -> Iterator[Any]:  # noqa: ANN401 - objects of any PDF
    resources = _opened(holder.get("/Resources"))
    if resources is None or depth > MOST_DEPTH:
        return
    for font in (_opened(resources.get("/Font")) or {}).values():
        yield _opened(font)
    for each in (_opened(resources.get("/XObject")) or {}).values():
        inner = _opened(each)
        if inner is not None and inner.get("/Subtype") == "/Form":
            yield from _fonts(inner, depth + 1)


def _opened(value: Any) -> Any:  # noqa: ANN401 - objects of any PDF
    return None if value is None else value.get_object()


def _mend(writer: Any, font: Any) -> bool:  # noqa: ANN401 - objects of any PDF
    """Add a table to one font where it needs one."""
    from pypdf.generic import NameObject, StreamObject

    table, width = _table(font)
    if not table:
        return False
    stream = StreamObject()
    stream.set_data(_cmap(table, width))
    font[NameObject("/ToUnicode")] = writer._add_object(stream)  # noqa: SLF001 - its only door
    return True


def _table(font: Any) -> tuple[Mapping[int, str], int]:  # noqa: ANN401 - objects of any PDF
    """Give code to character, and how many bytes a code has; empty for a font that is sound."""
    encoding = _opened(font.get("/Encoding"))
    symbol = "Symbol" in str(font.get("/BaseFont", ""))
    if encoding == "/Identity-H":
        if "/ToUnicode" in font:
            return {}, 2
        return {number: sign_of(number, symbol=symbol) for number in range(len(MAC_ORDER))}, 2
    if isinstance(encoding, dict) and "/Differences" in encoding:
        return _differences(encoding["/Differences"], symbol=symbol), 1
    return {}, 1


def _differences(entries: Any, *, symbol: bool) -> dict[int, str]:  # noqa: ANN401 - of any PDF
    code, table = 0, {}
    counts: Counter[str] = Counter()
    for entry in entries:
        if not isinstance(entry, str):
            code = int(entry)
            continue
        numbered = GLYPH_NAME.match(entry)
        counts["numbered" if numbered else "named"] += 1
        if numbered:
            table[code] = sign_of(int(numbered[1]), symbol=symbol)
        code += 1
    return table


def _cmap(table: Mapping[int, str], width: int) -> bytes:
    """Write a ToUnicode table."""
    digits = 2 * width
    lines = [
        f"<{code:0{digits}X}> <{text.encode('utf-16-be').hex().upper()}>"
        for code, text in sorted(table.items())
        if code < 256**width
    ]
    blocks = [lines[start : start + 100] for start in range(0, len(lines), 100)]
    body = "".join(
        f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar\n" for block in blocks
    )
    return (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
        "/CMapName /Mended def\n/CMapType 2 def\n1 begincodespacerange\n"
        f"<{'00' * width}> <{'FF' * width}>\nendcodespacerange\n{body}"
        "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
    ).encode("ascii")
