"""Letters chosen beside the letters of the key, to see whether a model favours one."""

from collections import Counter
from collections.abc import Mapping

from afere.analysis.cells import Cells

__all__ = ["letters_of"]


def letters_of(cells: Cells) -> Mapping[str, Mapping[str, int]]:
    """Count how often each letter was chosen, and how often it was the key, over counted rows.

    Only items judged as `choice`. With rotated options an item's key stands at every letter
    equally often, so its rows count a share each only where all its variants count.
    """
    chosen: Counter[str] = Counter()
    keys: Counter[str] = Counter()
    for item, (_, rows) in zip(cells.items(), cells.of_items(), strict=True):
        if item is None or item.expect.kind != "choice":
            continue
        for row in rows:
            if row is None or not row.grade.outcome.counts:
                continue
            if row.variant == 0:
                keys[str(item.expect.key)] += 1
            if row.variant == 0 and row.grade.read in item.options:
                chosen[str(row.grade.read)] += 1
    return {
        letter: {"chosen": chosen[letter], "key": keys[letter]}
        for letter in sorted({*chosen, *keys})
    }
