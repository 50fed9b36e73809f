"""Units of measure and currency: which names mean the same unit, and which words are units."""

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

__all__ = ["is_unit", "other_unit", "same_unit"]

_RAISED = str.maketrans({"²": "2", "³": "3", "^": None, "·": None, "⋅": None, " ": None})


def is_unit(name: str) -> bool:
    """Tell whether a word is a unit, compound ones such as `km/h` and `R$/kg` included."""
    known = _groups()
    if name in known or name.lower() in known or _bare(name) in known:
        return True
    parts = name.split("/")
    return len(parts) == len("ab") and all(part in known or _bare(part) in known for part in parts)


def same_unit(declared: str, found: str) -> bool:
    """Tell whether two names mean one unit: `kg` and `quilos`, `m²` and `m2`."""
    if _bare(declared) == _bare(found):
        return True
    group = _group(declared)
    return group is not None and group == _group(found)


def other_unit(declared: str, found: str) -> bool:
    """Tell whether `found` is a unit and another one than the one declared."""
    return is_unit(found) and not same_unit(declared, found)


def _group(name: str) -> int | None:
    known = _groups()
    for form in (name, _bare(name), name.lower(), name.lower().rstrip(".")):
        if form in known:
            return known[form]
    return None


def _bare(name: str) -> str:
    return name.translate(_RAISED).rstrip(".")


@cache
def _groups() -> Mapping[str, int]:
    file = resources.files("afere.graders.reading") / "languages" / "units.json"
    groups: list[list[str]] = json.loads(file.read_text("utf-8"))["same"]
    known = {name: place for place, names in enumerate(groups) for name in names}
    bare = {_bare(name): place for place, names in enumerate(groups) for name in names}
    return bare | known
