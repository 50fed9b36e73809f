"""Which exam a document is: year, day, booklet and colour, from what is printed on it."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from afere.exams.profile import Profile

__all__ = ["Identity", "cited_year", "identify", "named_year"]

_YEAR = re.compile(r"(?<!\d)(20[0-4]\d)(?!\d)")
_EXAM_YEAR = re.compile(
    r"^(20[0-4]\d)$|ENEM\s*(20[0-4]\d)|gabaritos?\s*(20[0-4]\d)|(20[0-4]\d)(?=ENEM)|"
    r"\d{1,2}/\d{1,2}/(20[0-4]\d)\s*$",
    re.IGNORECASE,
)
_DAY = re.compile(r"(?<!\d)([12])\s*[ºo°ª]?\s*dia\b|\bdia\s*([12])\s*[ºo°ª]", re.IGNORECASE)
_LOOSE_DAY = re.compile(r"(?<!\d)([12])\s*[ºo°ª]?\s*dia", re.IGNORECASE)
_BAR_CODE = re.compile(r"^\*(0[12])\d{4}([A-Z]{2})\d+\*?$", re.IGNORECASE)
_CITED = re.compile(r"cesso em[^.]{0,14}\.?\s?(20[0-4]\d)")
_LEAST_CITED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Year, day, booklet's number and colour, edition; None where a document does not tell."""

    year: int | None = None
    day: int | None = None
    booklet: int | None = None
    colour: str | None = None
    edition: str | None = None


def identify(
    cover: Iterable[str], repeated: Iterable[str], profile: Profile, *, loose: bool = False
) -> Identity:
    """Read a document's identity by majority.

    cover: the lines of the first page. repeated: the lines at the edges of all pages.
    loose: a colour or a day counts wherever it stands, as in a key, which has no other text.
    """
    votes: dict[str, Counter[str]] = {
        name: Counter() for name in ("year", "day", "booklet", "colour", "edition")
    }
    colours = "|".join(profile.colours) or "(?!)"
    booklet = re.compile(
        rf"caderno\s*(\d{{1,2}})(?:\D{{0,6}}\b({colours})\b)?|\b(\d{{1,2}})\s+({colours})$|"
        rf"cor d[oae].{{0,40}}é\s+({colours})\b|^({colours})$|tipo\s*(\d)\D{{0,6}}\b({colours})\b",
        re.IGNORECASE,
    )
    for weight, lines in ((3, cover), (1, repeated)):
        for line in lines:
            _vote(line, weight, booklet, profile, votes)
            if loose:
                _vote_loosely(line, profile, votes)
    return Identity(
        year=_whole(votes["year"]),
        day=_whole(votes["day"]),
        booklet=_whole(votes["booklet"]),
        colour=_first(votes["colour"]),
        edition=_first(votes["edition"]),
    )


def _vote(
    line: str,
    weight: int,
    booklet: re.Pattern[str],
    profile: Profile,
    votes: dict[str, Counter[str]],
) -> None:
    for found in _EXAM_YEAR.finditer(line):
        votes["year"][next(filter(None, found.groups()))] += weight
    for found in _DAY.finditer(line):
        votes["day"][found[1] or found[2]] += weight
    for found in profile.rules.edition.finditer(line):
        votes["edition"][" ".join(found[1].lower().split())] += weight
    coded = _BAR_CODE.match(line)
    if coded:
        votes["day"][coded[1][1]] += weight
        for written, colour in profile.colours.items():
            if written.startswith(coded[2].upper()):
                votes["colour"][colour] += weight
                break
    for found in booklet.finditer(line):
        number = found[1] or found[3] or found[7]
        named = next(filter(None, (found[2], found[4], found[5], found[6], found[8])), None)
        if number:
            votes["booklet"][number] += weight
        if named:
            votes["colour"][profile.colours[_written(named, profile)]] += weight


def _vote_loosely(line: str, profile: Profile, votes: dict[str, Counter[str]]) -> None:
    for found in _LOOSE_DAY.finditer(line):
        votes["day"][found[1]] += 1
    for written, colour in profile.colours.items():
        if written in line.upper():
            votes["colour"][colour] += 1


def _written(colour: str, profile: Profile) -> str:
    return next(each for each in profile.colours if each.casefold() == colour.casefold())


def _first(votes: Counter[str]) -> str | None:
    return votes.most_common(1)[0][0] if votes else None


def _whole(votes: Counter[str]) -> int | None:
    first = _first(votes)
    return None if first is None else int(first)


def named_year(name: str) -> int | None:
    """Give the only year in a file's name or title."""
    years = set(_YEAR.findall(name))
    return int(years.pop()) if len(years) == 1 else None


def cited_year(texts: Iterable[str]) -> int | None:
    """Give the newest year in which a cited page was looked up: the exam's, or the one before."""
    years = Counter(year for text in texts for year in _CITED.findall(text))
    return int(max(years)) if sum(years.values()) >= _LEAST_CITED else None
