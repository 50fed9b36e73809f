"""Checks a built exam against another booklet of it: the same questions in another order.

Questions are matched by their words, never by number: a colour shuffles the numbers. What both
booklets print must then agree letter by letter, and so must what both keys call right.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from afere.domain import from_plain
from afere.exams.booklet import Booklet, Found
from afere.exams.confined import Bounds, booklet_of
from afere.exams.errors import ExamError
from afere.exams.folder import read_folder
from afere.exams.identity import Identity
from afere.exams.profile import Profile
from afere.exams.reading import key_for, read_pdf, said_of

__all__ = ["Difference", "Verification", "verify"]

RUN = 4  # words in a row that are compared
LEAST_ALIKE = 0.5  # of the runs: the same question
STATEMENT_ALIKE = 0.9  # of the runs: less is a difference worth a look
LEAST_MATCHED = 0.3  # of the items: fewer means that it is another exam


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where two booklets disagree: `field` is `statement`, a letter, or `answer`."""

    number: int
    other_number: int
    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """How many items were found again, how many are the same, what differs, what is missing."""

    matched: int
    same: int
    different: tuple[Difference, ...]
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Text:
    number: int
    language: str
    statement: str
    options: Mapping[str, str]
    answer: str | None = None


def verify(
    folder: Path, other: Path, key: Path | None = None, bounds: Bounds | None = None
) -> Verification:
    """Compare the items of a built folder with another booklet; raises ExamError."""
    bounds = bounds or Bounds()
    saved = read_folder(folder)
    profile = from_plain(Profile, saved.exam["profile"])
    booklet = said_of(other, lambda: booklet_of(read_pdf(other, "the booklet"), [profile], bounds))
    _same_exam(from_plain(Identity, saved.exam["identity"]), booklet.identity, other)
    answers = _answers(booklet, key, profile, bounds)
    ours = [_from_item(item) for item in saved.items]
    theirs = [_from_found(each, answers, profile) for each in booklet.questions]
    pairs, missing = _matched(ours, theirs)
    if len(pairs) < LEAST_MATCHED * len(ours):
        raise ExamError(
            f"{other}: only {len(pairs)} of {len(ours)} items were found in this booklet\n"
            "Give another colour of the same exam and day."
        )
    different = [each for one, two in pairs for each in _differences(one, two)]
    return Verification(
        matched=len(pairs),
        same=len(pairs) - len({each.number for each in different}),
        different=tuple(different),
        missing=tuple(missing),
    )


def _same_exam(ours: Identity, theirs: Identity, other: Path) -> None:
    for what in ("year", "edition", "day"):
        one, two = getattr(ours, what), getattr(theirs, what)
        if one is not None and two is not None and one != two:
            raise ExamError(f"{other}: {what} {two}, but the exam was built from {what} {one}")


def _answers(
    booklet: Booklet, key: Path | None, profile: Profile, bounds: Bounds
) -> dict[int, tuple[str, ...]]:
    if key is None:
        return {}
    section, _ = key_for(key, profile, booklet.identity, bounds)
    return section.by_number()


def _from_item(item: Mapping[str, Any]) -> _Text:
    metadata = item["metadata"]
    given = item["input"]
    if not isinstance(given, str):
        given = given[0]["content"][0]["text"]
    expect = item.get("expect") or {}
    return _Text(
        metadata["number"], metadata["language"], given, item["options"], expect.get("choice")
    )


def _from_found(found: Found, answers: Mapping[int, tuple[str, ...]], profile: Profile) -> _Text:
    given = answers.get(found.number, ())
    answer = given[min(found.turn, len(given) - 1)] if given else None
    language = profile.languages[found.turn] if found.turn < len(profile.languages) else ""
    return _Text(found.number, language, found.statement, dict(found.alternatives), answer)


def _matched(
    ours: Sequence[_Text], theirs: Sequence[_Text]
) -> tuple[list[tuple[_Text, _Text]], list[int]]:
    """Pair each item with the question that shares most of its words."""
    shown = [_runs([each.statement, *each.options.values()]) for each in theirs]
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, runs in enumerate(shown):
        for run in runs:
            places[run].append(place)
    pairs, missing = [], []
    taken: set[int] = set()
    for item in ours:
        runs = _runs([item.statement, *item.options.values()])
        common = Counter(place for run in runs for place in places[run] if place not in taken)
        best, count = common.most_common(1)[0] if common else (-1, 0)
        if count >= LEAST_ALIKE * max(len(runs), 1):
            taken.add(best)
            pairs.append((item, theirs[best]))
        else:
            missing.append(item.number)
    return pairs, missing


def _differences(one: _Text, two: _Text) -> Iterable[Difference]:
    def differs(field_name: str) -> Difference:
        return Difference(number=one.number, other_number=two.number, field=field_name)

    ours, theirs = _runs([one.statement]), _runs([two.statement])
    shared = len(ours & theirs)
    if shared < STATEMENT_ALIKE * max(len(ours), len(theirs), 1):
        yield differs("statement")
    for letter, text in one.options.items():
        if _folded(text) != _folded(two.options.get(letter, "")):
            yield differs(letter)
    if one.answer is not None and two.answer is not None:
        right, other = one.options.get(one.answer, ""), two.options.get(two.answer, "")
        if _folded(right) != _folded(other):
            yield differs("answer")


def _runs(texts: Iterable[str]) -> set[str]:
    words = [word for text in texts for word in _folded(text).split()]
    if len(words) < RUN:
        return {" ".join(words)} if words else set()
    return {" ".join(words[place : place + RUN]) for place in range(len(words) - RUN + 1)}


def _folded(text: str) -> str:
    """Fold case, white space and the kinds of dashes and quotes; keep signs and accents."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    table = str.maketrans("–—−‐‑“”‘’", "-----\"\"''")
    return " ".join(folded.translate(table).split())
