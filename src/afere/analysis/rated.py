"""Rows with a confidence as columns, and which of them are reserved for the one look.

The side of a group is decided by a hash of seed and group alone: the order of rows has no
influence, and rows that are added later move none.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress

from afere import stats
from afere.domain import PartSize, RatedTable, Sentence, UsageError

__all__ = ["Rows", "Sides", "rated", "split_sides"]

_LARGE_GROUP = 0.9
_ROW = "\0row\0"  # no group's name in a file begins so


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rows:
    """Rows that have a confidence.

    group: a code a row, rows without a group having one of their own; None where there are none.
    names: the names of groups by their code. own: the text that each row is known by.
    category: a code a row, -1 for none; None where there are none. keys: a number a row made of
    what it is, whatever the seed. split: 0 tune, 1 test, None where no side is given.
    """

    confidence: stats.Floats
    right: stats.Floats
    group: stats.Integers | None
    names: tuple[str, ...]
    own: "_Own"
    category: stats.Integers | None
    categories: Sequence[str]
    keys: stats.Integers
    split: stats.Integers | None
    without_group: int = 0

    @property
    def size(self) -> PartSize:
        """How many rows and groups there are."""
        groups = None if self.group is None else stats.units_of(self.group, 0)
        return PartSize(rows=len(self.right), groups=groups)

    @property
    def units(self) -> int:
        """How many units there are: groups, or rows where there are none."""
        return stats.units_of(self.group, len(self.right))

    @property
    def fingerprint(self) -> str:
        """The hash of all rows, whatever their order."""
        return stats.fingerprint(self.keys, self.confidence, self.right)

    def at(self, places: stats.Integers) -> "Rows":
        """Give some of the rows."""
        return Rows(
            confidence=self.confidence[places],
            right=self.right[places],
            group=None if self.group is None else self.group[places],
            names=self.names,
            own=self.own,
            category=None if self.category is None else self.category[places],
            categories=self.categories,
            keys=self.keys[places] if len(self.keys) else self.keys,
            split=None if self.split is None else self.split[places],
            without_group=self.without_group,
        )

    def ranks(self, seed: int) -> stats.Integers | None:
        """Give each row's place within its group: a hash of seed, group and row; None without."""
        if self.group is None:
            return None
        names = self.names
        texts = (
            f"{seed}\0{names[code]}\0{key}"
            for code, key in zip(self.group.tolist(), self.keys.tolist(), strict=True)
        )
        return stats.integer_column(_whole_number(_digest(text)) for text in texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """The tuning part and the reserved part."""

    tuning: Rows
    reserved: Rows
    warnings: tuple[Sentence, ...] = ()


def rated(table: RatedTable, *, keyed: bool = True) -> Rows:
    """Take the rows of a table that have a confidence; raises UsageError where none has.

    keyed: whether rows are to be told apart, for a split; it takes a hash of each.
    """
    confidence = stats.float_column(table.confidence)
    known = stats.known_rows(confidence)
    if not len(known):
        raise UsageError(
            f"{table.name or 'the table'}: no row has a confidence.\n"
            "Nothing stands in for a missing one: ask for it, or name its column",
        )
    whole = len(known) == len(confidence)
    right = stats.float_column(table.right)
    category = stats.integer_column(table.category) if table.categories else None
    split = stats.integer_column(table.split) if len(table.split) else None
    kept = None if whole else confidence == confidence  # noqa: PLR0124 - NaN is not itself
    if not whole:
        confidence, right = confidence[known], right[known]
        category = None if category is None else category[known]
        split = None if split is None else split[known]
    group, groups = None, tuple(table.groups)
    if table.groups:
        given = stats.integer_column(table.group)
        group = stats.own_codes(given if whole else given[known], len(table.groups))
    own = _Own(table.ids, kept, (confidence, right), _alphabetic(category, table.categories))
    names: tuple[str, ...] = ()
    without = 0
    if group is not None:
        without = int((group >= len(groups)).sum())
        names = _names(groups, own, group) if keyed else groups
    return Rows(
        confidence=confidence,
        right=right,
        group=group,
        names=names,
        own=own,
        category=category,
        categories=table.categories,
        keys=own.keys(grouped=group is not None) if keyed else stats.integer_column([]),
        split=split,
        without_group=without,
    )


def split_sides(rows: Rows, *, seed: int, share: float) -> Sides:
    """Put each group on one side; raises UsageError where that cannot be done.

    A group is in the tuning part where SHA-256 of seed, a zero byte and its name, as a fraction of
    2^256, lies below the share. A split that the table gives is taken as it is, unless a group
    stands on both sides of it.
    """
    if not 0 < share < 1:
        raise UsageError(f"share is a fraction between 0 and 1, not {share}\nType: --share 0.5")
    _refuse_one_group(rows)
    limit = int(Fraction(share) * 2**256).to_bytes(32)
    if rows.split is not None:
        side = rows.split
        _refuse_both_sides(rows)
    elif rows.group is None:
        side = stats.integer_column(_below(each, limit) for each in rows.own.digests(str(seed)))
    else:
        names = (_digest(f"{seed}\0{name}") for name in rows.names)
        side = stats.integer_column(_below(each, limit) for each in names)[rows.group]
    parts = stats.by_code(side, 2)
    return Sides(
        tuning=rows.at(parts[0]),
        reserved=rows.at(parts[1]),
        warnings=_warnings(rows),
    )


def _below(digest: bytes, limit: bytes) -> int:
    return 0 if digest < limit else 1


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _whole_number(digest: bytes) -> int:
    """Make a number of 52 bits of a hash: a double holds it whole."""
    return int.from_bytes(digest[:8]) >> 12


def _alphabetic(
    category: stats.Integers | None,
    names: Sequence[str],
) -> stats.Integers | None:
    """Give categories as places in their alphabetic order: free of the order of rows."""
    if category is None:
        return None
    places = {name: place for place, name in enumerate(sorted(names))}
    return stats.integer_column([*(places[name] for name in names), -1])[category]


class _Own:
    """What each row is known by: its id, or what it holds and which of its likes it is.

    Categories only order rows that are alike, so that naming them changes no split.
    """

    def __init__(
        self,
        ids: Sequence[str],
        kept: Iterable[bool] | None,
        columns: tuple[stats.Floats, stats.Floats],
        category: stats.Integers | None,
    ) -> None:
        self._ids, self._kept = ids, kept
        self._columns, self._category = columns, category

    def digests(self, seed: str) -> Iterator[bytes]:
        """Give the SHA-256 of seed, a zero byte and each row."""
        base = hashlib.sha256(f"{seed}\0".encode())
        for piece in self.pieces():
            found = base.copy()
            found.update(piece)
            yield found.digest()

    def keys(self, *, grouped: bool) -> stats.Integers:
        """Give a number a row that, with what the row holds, tells it apart."""
        if not self._ids and not grouped:
            return stats.occurrences(*self._columns, last=self._category)
        return stats.integer_column(_whole_number(each) for each in self.digests("row"))

    def pieces(self) -> Iterator[bytes]:
        """Give each row as bytes."""
        if self._ids:
            known = self._ids if self._kept is None else compress(self._ids, self._kept)
            return (text.encode("utf-8", "surrogatepass") for text in known)
        numbered = stats.occurrences(*self._columns, last=self._category)
        return stats.row_bytes(*self._columns, numbered)


def _names(groups: Sequence[str], own: _Own, group: stats.Integers) -> tuple[str, ...]:
    """Give the names of groups by their code; a row without a group is one by itself."""
    pairs = zip(own.pieces(), group.tolist(), strict=True)
    alone = (piece for piece, code in pairs if code >= len(groups))
    return (*groups, *(f"{_ROW}{piece.hex()}" for piece in alone))


def _refuse_one_group(rows: Rows) -> None:
    if rows.group is not None and rows.units == 1:
        name = rows.names[int(rows.group[0])]
        raise UsageError(
            f"all {len(rows.right)} rows are in one group, {name!r}: it cannot be split.\n"
            "A certificate needs rows of other groups; for the measures alone add --threshold T",
        )


def _refuse_both_sides(rows: Rows) -> None:
    if rows.group is None or rows.split is None:
        return
    sides: dict[int, int] = {}
    for code, side in zip(rows.group.tolist(), rows.split.tolist(), strict=True):
        if sides.setdefault(code, side) != side:
            raise UsageError(
                f"group {rows.names[code]!r} is on both sides of the split.\n"
                "Put all rows of a group in one part, in the column `split`",
            )


def _warnings(rows: Rows) -> tuple[Sentence, ...]:
    if rows.group is None:
        return ()
    places = stats.by_code(rows.group, len(rows.names))
    largest = max((len(each), code) for code, each in enumerate(places))
    if largest[0] < _LARGE_GROUP * len(rows.right):
        return ()
    return (
        Sentence(
            "{n} of {rows} rows are in one group, {group}: it counts once",
            n=largest[0],
            rows=len(rows.right),
            group=rows.names[largest[1]],
        ),
    )
