"""Letters chosen beside the letters of the key, and whether a model favours a position."""

from collections import Counter
from collections.abc import Iterator, Mapping

from afere import stats
from afere.analysis.cells import Cells
from afere.domain import Item, PositionTest, Row

__all__ = ["letters_of", "positions_of"]


def letters_of(cells: Cells) -> Mapping[str, Mapping[str, int]]:
    """Count how often each letter was chosen as it was shown, and how often it was the key.

    Over the counted rows of items judged as `choice`; empty where options were shuffled, since a
    letter then means another place in every item.
    """
    chosen: Counter[str] = Counter()
    keys: Counter[str] = Counter()
    for item, row in _choices(cells):
        keys[_shown(item, str(item.expect.key), row.variant)] += 1
        if row.grade.read in item.options:
            chosen[_shown(item, str(row.grade.read), row.variant)] += 1
    return {
        letter: {"chosen": chosen[letter], "key": keys[letter]}
        for letter in sorted({*chosen, *keys})
    }


def positions_of(cells: Cells) -> PositionTest | None:
    """Test whether answers are right equally often wherever the right option stands.

    Cochran's Q over the items whose every shift counts, an item right at a position where it is
    right in more than half of the rounds. None without rotated options.
    """
    variants = cells.run.plan.variants
    letters = next((list(item.options) for item, _ in _choices(cells)), [])
    if variants < 2 or len(letters) != variants:  # noqa: PLR2004 - one position has no rival
        return None
    right: dict[str, Counter[str]] = {}
    asked: dict[str, Counter[str]] = {}
    for item, row in _choices(cells):
        place = _shown(item, str(item.expect.key), row.variant)
        asked.setdefault(item.id, Counter())[place] += 1
        right.setdefault(item.id, Counter())[place] += int(row.grade.score == 1)
    whole = [item for item, counts in asked.items() if len(counts) == variants]
    if not whole:
        return None
    table = [
        [float(2 * right[item][letter] > asked[item][letter]) for letter in letters]
        for item in whole
    ]
    test = stats.cochran_q(table)
    return PositionTest(
        items=len(whole),
        accuracy=dict(zip(letters, test.shares, strict=True)),
        q=test.q,
        degrees_of_freedom=test.degrees_of_freedom,
        p=test.p,
    )


def _choices(cells: Cells) -> Iterator[tuple[Item, Row]]:
    if cells.run.plan.shuffle is not None:
        return
    for item, (_, rows) in zip(cells.items(), cells.of_items(), strict=True):
        if item is None or item.expect.kind != "choice" or item.expect.key not in item.options:
            continue
        for row in rows:
            if row is not None and row.grade.outcome.counts:
                yield item, row


def _shown(item: Item, letter: str, shift: int) -> str:
    """Give the letter under which an option stood when the options were shifted."""
    letters = list(item.options)
    return letters[(letters.index(letter) - shift) % len(letters)]
