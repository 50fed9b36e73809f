"""The one JSON form of records: the same text is stored, hashed and shown.

Plain data is null, booleans, whole numbers, finite floats, decimals, texts (any characters, lone
surrogates included), lists and objects with text keys. A `Decimal` keeps its written digits as
`{"$decimal": "2.50"}`. Not-a-number and infinity are refused.
"""

import dataclasses
import hashlib
import json
import types
import typing
from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Any, TypeVar

__all__ = ["decode", "digest", "encode", "from_plain", "to_plain"]

T = TypeVar("T")
_DECIMAL = "$decimal"


def encode(value: Any) -> str:  # noqa: ANN401 - any record or plain data
    """Write a record or plain data as canonical JSON text: ASCII, sorted keys, no white space.

    Raises ValueError for a number that is not finite and TypeError for what has no JSON form.
    """
    return _ENCODER.encode(value)


def decode(text: str | bytes) -> Any:  # noqa: ANN401 - plain data of any shape
    """Read JSON text; raises ValueError where it is broken or a number is not finite."""
    return json.loads(text, object_hook=_revive, parse_constant=_refuse_constant)


def digest(value: Any, *, without: frozenset[str] = frozenset()) -> str:  # noqa: ANN401 - any record or plain data
    """Give the SHA-256 of the canonical JSON, as 64 hexadecimal digits.

    without: fields of a record that are left out.
    """
    if not hasattr(type(value), "__dataclass_fields__"):
        return hashlib.sha256(encode(value).encode("ascii")).hexdigest()
    hashed = hashlib.sha256()
    for piece in _pieces(value, without):
        hashed.update(piece.encode("ascii"))
    return hashed.hexdigest()


def to_plain(value: Any) -> Any:  # noqa: ANN401, PLR0911 - one return a kind of value
    """Turn records, enums, tuples and mappings into plain JSON data; decimals become tagged."""
    kind: Any = type(value)
    if kind in _AS_IS:
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is not a finite number")
        return {_DECIMAL: str(value)}
    if dataclasses.is_dataclass(value):
        return {name: to_plain(getattr(value, name)) for name in _field_names(kind)}
    if isinstance(value, Mapping):
        return {_text_key(key): to_plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(each) for each in value]
    if isinstance(value, str | int | float):
        return value
    raise TypeError(f"{kind.__name__} has no JSON form")


def from_plain(kind: type[T], plain: Any) -> T:  # noqa: ANN401 - plain data of any shape
    """Build a record of `kind` from plain data; fields that are absent take their defaults.

    Unknown fields are ignored, so that records written by a newer version can be read.
    """
    return typing.cast("T", _build(kind, plain))


def _pieces(record: Any, without: frozenset[str]) -> Iterator[str]:  # noqa: ANN401 - any record
    """Give a record's canonical text in pieces: that of a long suite is never held whole."""
    mark = "{"
    kind: Any = type(record)
    for name in sorted(set(_field_names(kind)) - without):
        yield f'{mark}"{name}":'
        mark = ","
        value = getattr(record, name)
        if type(value) is tuple and value:
            for number, each in enumerate(value):
                yield f"{',' if number else '['}{encode(each)}"
            yield "]"
        else:
            yield encode(value)
    yield "}" if mark == "," else "{}"


def _turned(value: Any) -> Any:  # noqa: ANN401 - any record
    """Turn what the encoder does not know, one level at a time: a whole copy would cost memory."""
    kind: Any = type(value)
    if hasattr(kind, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in _field_names(kind)}
    return to_plain(value)


_AS_IS = frozenset({type(None), bool, int, float, str})
_ENCODER = json.JSONEncoder(
    default=_turned,
    ensure_ascii=True,
    allow_nan=False,
    sort_keys=True,
    separators=(",", ":"),
)


def _text_key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key of a JSON object is a text, not {type(key).__name__}")
    return str(key)


def _revive(plain: dict[str, Any]) -> Any:  # noqa: ANN401 - plain data of any shape
    if len(plain) == 1 and isinstance(plain.get(_DECIMAL), str):
        return Decimal(plain[_DECIMAL])
    return plain


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _build(kind: Any, plain: Any) -> Any:  # noqa: ANN401, PLR0911 - one return a kind of type
    if kind is Any or plain is None:
        return plain
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        return kind(**{name: _build(hints[name], plain[name]) for name in hints if name in plain})
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(plain)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in {types.UnionType, typing.Union}:
        return _build_union(arguments, plain)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:  # noqa: PLR2004 - (X, ...)
        return tuple(_build(arguments[0], each) for each in plain)
    if origin is tuple:
        return tuple(_build(part, each) for part, each in zip(arguments, plain, strict=True))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return {_build(arguments[0], key): _build(arguments[1], plain[key]) for key in plain}
    return plain


def _build_union(choices: tuple[Any, ...], plain: Any) -> Any:  # noqa: ANN401 - plain data
    """Take the first member that fits: texts stay texts, lists tuples, objects records."""
    for choice in choices:
        base = typing.get_origin(choice) or choice
        if base is type(None) or not isinstance(base, type):
            continue
        if isinstance(plain, dict) and (
            dataclasses.is_dataclass(base) or issubclass(base, Mapping)
        ):
            return _build(choice, plain)
        if isinstance(plain, list) and issubclass(base, tuple):
            return _build(choice, plain)
        if isinstance(plain, str) and issubclass(base, Enum):
            return _build(choice, plain)
    return plain
