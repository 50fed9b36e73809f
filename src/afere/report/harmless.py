"""Foreign text (names, ids, bodies, replies) made fit to be shown: it can show, and do nothing."""

import re
import unicodedata
from decimal import Decimal
from functools import lru_cache
from urllib.parse import urlsplit, urlunsplit

from afere.domain import encode

__all__ = ["address", "cut", "harmless", "one_line", "written"]

# Controls (ESC, newline), formats (bidi overrides, zero width), lone surrogates, line and
# paragraph separators, and what no version of Unicode known here has assigned.
_UNFIT = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
_MOSTLY_FIT = re.compile(r"[ -~]*")
_BYTE, _BASIC_PLANE = 0xFF, 0xFFFF


def harmless(text: str, *, keep: str = "") -> str:
    r"""Give `text` with each character that could steer a terminal or a page written as an escape.

    ESC becomes the four characters `\x1b`, a newline `\n`, a bidi override `\u202e`. Characters
    of `keep` stay as they are. Doing it twice changes nothing more.
    """
    if _MOSTLY_FIT.fullmatch(text):
        return text
    return "".join(
        character if character in keep or " " <= character <= "~" else _shown(character)
        for character in text
    )


def one_line(text: str, limit: int) -> str:
    """Give `text` on one line, runs of white space as one space, cut after `limit` characters."""
    return cut(harmless(" ".join(text[: 4 * limit].split())), limit)


def cut(text: str, limit: int) -> str:
    """Shorten `text` to `limit` characters, leaving out its middle, so that names stay apart."""
    if len(text) <= limit:
        return text
    tail = limit // 3
    return f"{text[: limit - tail - 1]}…{text[len(text) - tail :]}"


def address(url: str) -> str:
    """Give a URL without user, password, query and fragment, where a key could stand.

    A path of a file stays as it is.
    """
    if "://" not in url:
        return url
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.partition("?")[0].rpartition("@")[2]
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


def written(value: object) -> str:
    """Give a setting's value as a user would write it; what is not there is a dash."""
    if value is None:
        return "–"
    if isinstance(value, str | Decimal):
        return str(value)
    return encode(value)


@lru_cache(maxsize=4096)
def _shown(character: str) -> str:
    if unicodedata.category(character) not in _UNFIT:
        return character
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    if code <= _BYTE:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _BASIC_PLANE else f"\\U{code:08x}"


_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
