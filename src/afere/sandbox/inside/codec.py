"""Values as exact plain data: what a candidate gives crosses as JSON of builtin types only.

The decoder trusts nothing: whatever a hostile process sends becomes builtin values, `Opaque`, or
an error of `FormatError`. An object's own `__eq__`, `__bool__` or class never crosses.
"""

import builtins
import datetime as dt
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import repeat
from typing import Any

__all__ = ["DEPTH", "FormatError", "Opaque", "decode", "encode", "foreign"]

DEPTH = 400  # nested deeper, a value is opaque
_SAFE = 1 << 53
_MOST_ELEMENTS, _MOST_SIZE = 100_000, 8 << 20  # of an iterator, that may have no end
_CUT = ["RuntimeError", "an iterator crosses with its first elements alone"]


class FormatError(ValueError):
    """A message that is not in the form agreed on."""


class Opaque:
    """Stands for a value that is not plain data: equal to nothing, it has only a truth value."""

    def __init__(self, kind: object, truth: object = True) -> None:  # noqa: FBT002 - a value
        self.kind = kind[:80] if isinstance(kind, str) else "object"
        self.truth = truth is True

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return True

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return self.truth

    def __repr__(self) -> str:
        return f"<{self.kind} object>"


def encode(value: Any, depth: int = 0) -> Any:  # noqa: PLR0911 - one return a type
    """Give the JSON form of a value; what has no plain form becomes opaque."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if -_SAFE < value < _SAFE else {"i": hex(value)}
    if kind is float:
        return {"f": value.hex()}
    if depth > DEPTH:
        return {"o": ["value nested too deep", True]}
    encoder = _EXACT.get(kind)
    if encoder is not None:
        return encoder(value, depth + 1)
    for base, plain in _BASES:
        if isinstance(value, base):
            return encode(plain(value), depth + 1)
    if kind.__module__.partition(".")[0] == "numpy" and hasattr(value, "tolist"):
        return encode(value.tolist(), depth + 1)
    if hasattr(kind, "__next__"):
        return _iterated(value, depth + 1)
    return {"o": [kind.__name__, bool(value)]}


def foreign(value: Any, depth: int = 0) -> str | None:
    """Name the type of a value, or of a part of it, that would not arrive as what it is."""
    kind = type(value)
    if value is None or kind in _SCALARS or (kind in _EXACT and kind not in _HOLDERS):
        return None
    if kind not in _HOLDERS or depth > DEPTH:
        arrives = kind in {object, Opaque} or hasattr(kind, "__next__")
        return None if arrives else kind.__name__
    parts = (*value, *value.values()) if isinstance(value, dict) else value
    return next((name for each in parts if (name := foreign(each, depth + 1))), None)


def decode(form: Any) -> Any:
    """Give the value of a JSON form; raises FormatError on any other."""
    try:
        return _decoded(form)
    except FormatError:
        raise
    except (
        ArithmeticError,
        AttributeError,
        InvalidOperation,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise FormatError(f"not a value: {type(error).__name__}") from error


def _decoded(form: Any) -> Any:
    kind = type(form)
    if form is None or kind is bool or kind is int or kind is str:
        return form
    if kind is not dict or len(form) != 1:
        raise FormatError("not a value")
    ((tag, content),) = form.items()
    decoder = _TAGS.get(tag)
    if decoder is None:
        raise FormatError("not a value")
    return decoder(content)


def _sequence(tag: str) -> Callable[[Any, int], Any]:
    return lambda value, depth: {tag: list(map(encode, value, repeat(depth)))}


def _mapping(value: Any, depth: int) -> Any:
    return {"d": [[encode(k, depth), encode(v, depth)] for k, v in value.items()]}


def _iterated(value: Any, depth: int) -> Any:
    """Take what an iterator gives, up to its error if it ends with one."""
    elements: list[Any] = []
    size, raised = 0, None
    try:
        for each in value:
            if len(elements) >= _MOST_ELEMENTS or size > _MOST_SIZE:
                raised = _CUT
                break
            elements.append(encode(each, depth))
            size += sys.getsizeof(each, 64)
    except Exception as error:  # noqa: BLE001 - raised again where it is iterated
        kinds = type.mro(type(error))
        raised = [
            next(each.__name__ for each in kinds if each.__module__ == "builtins"),
            str(error),
        ]
    return {"I": [elements, raised]}


def _text(tag: str) -> Callable[[Any, int], Any]:
    return lambda value, depth: {tag: str(value)}  # noqa: ARG005 - one shape for all


def _iso(tag: str) -> Callable[[Any, int], Any]:
    return lambda value, depth: {tag: value.isoformat()}  # noqa: ARG005 - one shape for all


_EXACT: dict[type, Callable[[Any, int], Any]] = {
    list: _sequence("l"),
    tuple: _sequence("t"),
    dict: _mapping,
    set: _sequence("s"),
    frozenset: _sequence("z"),
    bytes: lambda value, _: {"b": value.hex()},
    bytearray: lambda value, _: {"y": value.hex()},
    complex: lambda value, _: {"c": [value.real.hex(), value.imag.hex()]},
    range: lambda value, _: {"r": [hex(value.start), hex(value.stop), hex(value.step)]},
    Decimal: _text("D"),
    Fraction: lambda value, _: {"F": [hex(value.numerator), hex(value.denominator)]},
    dt.date: _iso("Td"),
    dt.datetime: _iso("Tm"),
    dt.time: _iso("Tt"),
    dt.timedelta: lambda value, _: {
        "Ts": [value.days, value.seconds, value.microseconds],
    },
}
for _make in (dict, OrderedDict):
    _some: dict[int, int] = _make()
    _EXACT[type(_some.keys())] = _sequence("vk")
    _EXACT[type(_some.values())] = _sequence("vv")
    _EXACT[type(_some.items())] = _sequence("vi")
_SCALARS = {bool, int, float, str}
_HOLDERS = {list, tuple, dict, set, frozenset}
_BASES: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (int, lambda value: int.__add__(value, 0)),
    (float, lambda value: float.__add__(value, 0.0)),
    (str, lambda value: str.__getitem__(value, slice(None))),
    (bytes, lambda value: bytes.__getitem__(value, slice(None))),
    (tuple, lambda value: tuple(tuple.__iter__(value))),
    (list, lambda value: list(list.__iter__(value))),
    (deque, lambda value: list(deque.__iter__(value))),
    (dict, lambda value: dict(dict.items(value))),
    (set, lambda value: set(set.__iter__(value))),
    (frozenset, lambda value: frozenset(frozenset.__iter__(value))),
)


def _integer(text: str) -> int:
    return int(text, 16)


def _float(text: str) -> float:
    return float.fromhex(text)


def _elements(content: Any) -> list[Any]:
    if type(content) is not list:
        raise FormatError("not a value")
    return list(map(_decoded, content))


def _iterator(content: Any) -> Iterator[Any]:
    elements, raised = content
    return _again(_elements(elements), None if raised is None else _error(*raised))


def _again(elements: list[Any], error: Exception | None) -> Iterator[Any]:
    yield from elements
    if error is not None:
        raise error


def _error(name: str, text: str) -> Exception:
    kind = getattr(builtins, name, None) if type(name) is type(text) is str else None
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        raise FormatError("not an exception")
    try:
        return kind(text[:300])
    except TypeError:  # some want more than a text
        return RuntimeError(f"{name}: {text[:300]}")


def _decimal(text: Any) -> Decimal:
    if type(text) is not str:
        raise FormatError("not a value")
    return Decimal(text)


_TAGS: dict[Any, Callable[[Any], Any]] = {
    "i": _integer,
    "f": _float,
    "l": _elements,
    "t": lambda content: tuple(_elements(content)),
    "d": lambda content: {_decoded(key): _decoded(value) for key, value in content},
    "s": lambda content: set(_elements(content)),
    "z": lambda content: frozenset(_elements(content)),
    "b": bytes.fromhex,
    "y": bytearray.fromhex,
    "c": lambda content: complex(*map(_float, content)),
    "r": lambda content: range(*map(_integer, content)),
    "D": _decimal,
    "F": lambda content: Fraction(*map(_integer, content)),
    "Td": dt.date.fromisoformat,
    "Tm": dt.datetime.fromisoformat,
    "Tt": dt.time.fromisoformat,
    "Ts": lambda content: dt.timedelta(*content),
    "I": _iterator,
    "vk": lambda content: dict.fromkeys(_elements(content)).keys(),
    "vv": lambda content: dict(enumerate(_elements(content))).values(),
    "vi": lambda content: dict(_elements(content)).items(),
    "o": lambda content: Opaque(*content),
}
