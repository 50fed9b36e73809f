"""Finds items that ask the same, or nearly the same."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import ceil

from afere.domain import Item, Sentence, encode
from afere.suites.problem import Problem

__all__ = ["alike", "folded", "is_named"]

_WORDS = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_SAME_KEY = 0.6  # Jaccard likeness from which two items of one key are nearly the same
_OTHER_KEY = 0.8  # and of two keys: numbers changed in one pattern are another question
_EVERYWHERE = 0.2  # words of more than this share of the items are the suite's own phrases
_LONGEST_POSTING = 200  # a word pair of more items than this tells nothing apart


def folded(text: str) -> str:
    """Fold case, width, composition and white space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def is_named(text: str, asked: str) -> bool:
    """Whether a text stands in the question as whole words."""
    needle = re.escape(folded(text))
    return (
        bool(needle) and re.search(rf"(?<![\w.,]){needle}(?!\w|[.,]\d)", folded(asked)) is not None
    )


def alike(items: Sequence[Item]) -> Iterator[Problem]:
    """Give equal items, then nearly equal ones, each with the item before it that it is like."""
    first: dict[str, Item] = {}
    fresh = []
    for item in items:
        same = first.setdefault(_whole(item), item)
        if same is item:
            fresh.append(item)
        else:
            yield _equal(item, same)
    yield from _near(fresh)


def _equal(item: Item, same: Item) -> Problem:
    if _key(item) == _key(same):
        message = Sentence("asks the same as {other}", other=same.id)
        return Problem(severity="warning", item=item.id, code="duplicate", message=message)
    message = Sentence("asks the same as {other}, with another key", other=same.id)
    return Problem(severity="error", item=item.id, code="contradiction", message=message)


def _near(items: Sequence[Item]) -> Iterator[Problem]:
    """Compare only items that share one of their rarest pieces (prefix filtering).

    Two sets of Jaccard likeness at least t share a piece among the |x| - ceil(t |x|) + 1 rarest
    of each.
    """
    pieces = _pieces(items)
    seen: Counter[str] = Counter(piece for each in pieces for piece in each)
    postings: dict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        mine = sorted(pieces[place], key=lambda piece: (seen[piece], piece))
        rare = mine[: len(mine) - ceil(_SAME_KEY * len(mine)) + 1]
        before = {other for piece in rare for other in postings[piece][-_LONGEST_POSTING:]}
        for other in sorted(before):
            same_key = _key(item) == _key(items[other])
            least = _SAME_KEY if same_key else _OTHER_KEY
            if _jaccard(pieces[place], pieces[other]) >= least:
                yield _nearly(item, items[other], same_key=same_key)
                break
        for piece in rare:
            postings[piece].append(place)


def _nearly(item: Item, other: Item, *, same_key: bool) -> Problem:
    template = "asks nearly the same as {other}"
    if not same_key:
        template += ", with another key"
    message = Sentence(template, other=other.id)
    return Problem(severity="warning", item=item.id, code="near_duplicate", message=message)


def _pieces(items: Sequence[Item]) -> list[frozenset[str]]:
    """Give each item's words and pairs of words, without the suite's own phrases."""
    words = [_WORDS.findall(_whole(item)) for item in items]
    counts = Counter(word for each in words for word in set(each))
    many = max(2.0, _EVERYWHERE * len(items))
    return [frozenset(_own(each, counts, many)) for each in words]


def _own(words: Sequence[str], counts: Counter[str], many: float) -> Iterable[str]:
    own = [word for word in words if counts[word] <= many]
    return [*own, *(f"{one} {two}" for one, two in pairwise(own))]


def _jaccard(one: frozenset[str], two: frozenset[str]) -> float:
    union = len(one | two)
    return len(one & two) / union if union else 0.0


def _whole(item: Item) -> str:
    """Everything that the item shows; chat messages by their one JSON form."""
    asked = item.input if isinstance(item.input, str) else encode(item.input)
    return folded("\n".join([asked, *sorted(item.options.values())]))


def _key(item: Item) -> str:
    key = item.expect.key
    if item.expect.kind == "choice" and isinstance(key, str):
        key = folded(item.options.get(key, key))
    return encode((item.expect.kind, key))
