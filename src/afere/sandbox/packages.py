"""Which files of this environment make up a distribution, with what it needs."""

import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from afere.domain import UsageError

__all__ = ["modules_of", "parts_of"]


def parts_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """Give the top-level files and folders of the distributions and all that they require.

    Raises UsageError for a name that is not installed.
    """
    parts: dict[str, None] = {}
    for found in _with_required(names):
        for file in found.files or ():
            top = file.parts[0]
            place = Path(str(found.locate_file(top))).resolve()
            if top not in {"..", "__pycache__"} and not top.endswith(".pth") and place.exists():
                parts[str(place)] = None
    return tuple(parts)


def modules_of(names: tuple[str, ...]) -> tuple[str, ...]:
    """Give the modules that the named distributions are imported as."""
    modules = []
    for name in names:
        found = _distribution(name)
        listed = found.read_text("top_level.txt")
        candidates = listed.split() if listed else [name.replace("-", "_")]
        modules += [each for each in candidates if each.isidentifier()]
    return tuple(modules)


def _with_required(names: tuple[str, ...]) -> list[Distribution]:
    found: dict[str, Distribution] = {}
    waiting = [(name, True) for name in names]
    while waiting:
        name, wanted = waiting.pop()
        if name.lower() in found:
            continue
        try:
            found[name.lower()] = _distribution(name)
        except UsageError:
            if wanted:
                raise
            continue  # an optional requirement that is not here
        for line in found[name.lower()].requires or ():
            if "extra ==" not in line:
                match = re.match(r"[A-Za-z0-9._-]+", line)
                if match:
                    waiting.append((match[0], False))
    return list(found.values())


def _distribution(name: str) -> Distribution:
    try:
        return distribution(name)
    except (PackageNotFoundError, ValueError):
        raise UsageError(
            f"the package {name!r}, which the suite wants for its answers, is not installed.\n"
            f"Type: pip install {name}",
        ) from None
