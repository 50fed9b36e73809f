"""Shows an item's options in another order, and finds the way back to the original letters.

A shown item remembers in its metadata which original letter stands behind each letter, so the
way back holds after any number of rotations and shuffles.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from afere.domain import Item

__all__ = ["RECORD", "original_letter", "rotate", "shuffle"]

RECORD = "original_letters"


def rotate(item: Item, shift: int) -> Item:
    """Move the options' texts `shift` places up under the same letters; the key moves along.

    Letter number i shows the text that was at (i + shift) modulo the number of options: over all
    shifts every text stands once under every letter. An item without options stays as it is.
    """
    count = len(item.options)
    return _arranged(item, [(place + shift) % count for place in range(count)])


def shuffle(item: Item, seed: int) -> Item:
    """Put the options' texts in an order fixed by the seed and the item's id; the key moves along.

    The order is a Fisher-Yates shuffle fed by SHA-256, the same on every machine and version.
    """
    order = list(range(len(item.options)))
    for place in range(len(order) - 1, 0, -1):
        text = f"{seed}\x1f{item.id}\x1f{place}".encode("utf-8", "surrogatepass")
        other = int.from_bytes(hashlib.sha256(text).digest()) % (place + 1)
        order[place], order[other] = order[other], order[place]
    return _arranged(item, order)


def original_letter(shown: Item, letter: str) -> str | None:
    """Give the letter that a letter read from a reply had before any rotation or shuffle.

    None where the item has no such letter.
    """
    if letter not in shown.options:
        return None
    record: Mapping[str, str] = shown.metadata.get(RECORD, {})
    return record.get(letter, letter)


def _arranged(item: Item, order: Sequence[int]) -> Item:
    """Show at each place the text whose present place `order` names."""
    letters = list(item.options)
    if order == list(range(len(letters))):
        return item
    origin = {letter: letters[order[place]] for place, letter in enumerate(letters)}
    now = {before: letter for letter, before in origin.items()}
    record = {letter: original_letter(item, before) for letter, before in origin.items()}
    metadata: dict[str, Any] = {name: item.metadata[name] for name in item.metadata}
    metadata.pop(RECORD, None)
    if any(letter != before for letter, before in record.items()):
        metadata[RECORD] = record
    expect = item.expect
    if expect.kind == "choice":
        expect = replace(expect, key=_moved(expect.key, now))
    options = {letter: item.options[before] for letter, before in origin.items()}
    return replace(item, options=options, expect=expect, metadata=metadata)


def _moved(key: object, now: Mapping[str, str]) -> object:
    """Give the letter under which the key's text stands now; case is kept loose, as in reading."""
    if isinstance(key, list | tuple):
        return [_moved(each, now) for each in key]
    if not isinstance(key, str) or key in now:
        return now.get(key, key) if isinstance(key, str) else key
    folded = {before.casefold(): letter for before, letter in now.items()}
    return folded.get(key.strip().casefold(), key)
