"""Recognises keys and secrets by their shape; what was found is named, never shown."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

__all__ = ["leak_in"]

_SHAPES = {
    "an API key": re.compile(
        r"\b(?:sk-(?:proj-|ant-|or-v1-)?[A-Za-z0-9_-]{20,}|gsk_[A-Za-z0-9]{20,}"
        r"|hf_[A-Za-z0-9]{30,}|AIza[0-9A-Za-z_-]{35})"
    ),
    "an access token": re.compile(
        r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[\w-]{20,}"
        r"|xox[abeprs]-[A-Za-z0-9-]{10,}|npm_[A-Za-z0-9]{36}"
        r"|eyJ[\w-]{10,200}\.eyJ[\w-]{10})"
    ),
    "a cloud key": re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    "a private key": re.compile(r"-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY-----"),
    "a password in an address": re.compile(
        r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{1,99}:[^\s/@]{3,99}@"
    ),
    "a bearer token": re.compile(r"\bBearer [A-Za-z0-9._~+/-]{20,}"),
}


def leak_in(value: object) -> str | None:
    """Say what kind of secret a record or plain data seems to hold, None where it holds none."""
    for text in _texts(value):
        for name, shape in _SHAPES.items():
            if shape.search(text):
                return name
    return None


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from _texts(name)
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif is_dataclass(value):
        for each in fields(value):
            yield from _texts(getattr(value, each.name))
