"""Where things are kept: the store in the working folder, fetched weights in the user's cache."""

import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["cache_folder", "expanded", "store_url"]

DEFAULT_STORE = ".afere/afere.db"


def store_url(environ: Mapping[str, str]) -> str:
    """Give the store's address: `AFERE_STORE`, or a file in the working folder."""
    return environ.get("AFERE_STORE") or DEFAULT_STORE


def expanded(store: str) -> str:
    """Give a store's path with `~` as the home folder; an address stays as it is."""
    return str(Path(store).expanduser()) if store.startswith("~") else store


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Give the folder for weights that were fetched: `AFERE_CACHE`, or the platform's place."""
    if environ.get("AFERE_CACHE"):
        return Path(environ["AFERE_CACHE"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "afere"
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "afere"
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "afere"
