"""Keeps known secret values out of every text that leaves a border."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from urllib.parse import quote

__all__ = ["Secrets"]

_MASK = "[redacted]"
_SHORTEST = 6  # a shorter value would be cut out of ordinary words
_SHORTEST_TOKEN = 3
_SIGN = r"[A-Za-z0-9+/_-]"  # of base64
_IS_SIGN = re.compile(_SIGN).match


class Secrets:
    """The secret values known to a run (keys, header values); replaces them in texts.

    A value is found as it is and in the forms that servers echo: in other case, percent-encoded,
    in base64 (alone or inside of something longer) and in hexadecimal. Values shorter than six
    characters are cut as whole tokens where they hold letters and digits; words and numbers so
    short are placeholders, and stay.

    tokens: values that are cut as whole tokens, whatever they look like.
    """

    def __init__(self, values: Iterable[str] = (), *, tokens: Iterable[str] = ()) -> None:
        known = set(values)
        kept = sorted((each for each in known if len(each) >= _SHORTEST), key=len, reverse=True)
        short = {each for each in known if _looks_like_a_key(each)} | set(tokens)
        found = [pair for value in kept for pair in _forms(value)]
        found += [_token(each) for each in sorted(short) if len(each) >= _SHORTEST_TOKEN]
        cores = dict.fromkeys(core for value in kept for core in _base64_cores(value))
        if cores:
            packed = "|".join(re.escape(core) for core in cores)
            found.append((next(iter(cores)).lower(), f"(?P<packed>{packed}){_SIGN}*=*"))
        self._count = len(kept)
        marks = [mark for mark, _ in found] + [core.lower() for core in cores]
        self._marks = tuple(dict.fromkeys(marks))
        self._pattern = re.compile("|".join(dict.fromkeys(form for _, form in found)))

    def redact(self, text: str) -> str:
        """Give `text` with each known secret replaced by `[redacted]`."""
        if not self._marks:
            return text
        small = text.lower()
        for mark in self._marks:  # much faster than the pattern, which hardly ever finds anything
            if mark in small:
                return self._masked(text)
        return text

    def _masked(self, text: str) -> str:
        """Mask every form; one in base64 takes along what stands before it in the same run."""
        parts, end = [], 0
        for found in self._pattern.finditer(text):
            begin = found.start()
            if found.lastgroup == "packed":  # a pattern that looked back would try each beginning
                while begin > end and _IS_SIGN(text[begin - 1]):
                    begin -= 1
            parts += [text[end:begin], _MASK]
            end = found.end()
        return "".join([*parts, text[end:]])

    def __repr__(self) -> str:
        return f"Secrets({self._count} values)"


def _looks_like_a_key(value: str) -> bool:
    if len(value) >= _SHORTEST:
        return False
    return any(sign.isalpha() for sign in value) and any(sign.isdigit() for sign in value)


def _token(value: str) -> tuple[str, str]:
    return value.lower(), rf"(?<![\w-])(?i:{re.escape(value)})(?![\w-])"


def _forms(value: str) -> Iterator[tuple[str, str]]:
    """Give each form of a value: what the text in small letters holds then, and its pattern."""
    data = value.encode("utf-8", "surrogatepass")
    every_byte = "".join(f"%{byte:02x}" for byte in data)
    for form in (every_byte, quote(data, safe=""), value, data.hex()):
        yield form.lower(), f"(?i:{re.escape(form)})"


def _base64_cores(value: str) -> Iterator[str]:
    """Give what of a value's base64 is the same whatever stands before it and after it."""
    data = value.encode("utf-8", "surrogatepass")
    for before in range(3):
        text = b64encode(b"\0" * before + data).decode()
        core = text[(before * 8 + 5) // 6 : (before + len(data)) * 8 // 6]
        if len(core) >= _SHORTEST:
            yield core
            yield core.replace("+", "-").replace("/", "_")
