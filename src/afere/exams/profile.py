"""What is known of an exam beforehand: profiles are data, one YAML file each."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from afere.exams.errors import ExamError

__all__ = ["Area", "Day", "Profile", "Variant", "load_profile", "profile_names", "profile_text"]

MOST_BYTES = 100_000
_SHIPPED = "profiles"


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """The numbers first to last belong to one area of knowledge."""

    first: int
    last: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """The questions of one day: first to last, and the block that is asked in two languages."""

    number: int = 1
    first: int
    last: int
    areas: tuple[Area, ...] = ()
    language_first: int = 0
    language_last: int = -1

    def has_languages(self, number: int) -> bool:
        """Tell whether that number is asked once in each foreign language."""
        return self.language_first <= number <= self.language_last

    def area(self, number: int) -> str | None:
        """Give the area of a number, None where none is told."""
        return next((each.name for each in self.areas if each.first <= number <= each.last), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The years first to last, and their days."""

    first_year: int
    last_year: int
    days: tuple[Day, ...]


@dataclass(frozen=True, kw_only=True)
class Profile:
    """An exam's layout and counts.

    marker: how a question's heading reads without its spaces; the group is its number.
    begins: how such a line begins, where something else may stand behind the heading.
    inline: how a question begins where its number stands before its text; numbers must follow.
    edition: what tells two editions of one year apart; the group is its name.
    letter_fonts: the fonts whose characters are the letters of the alternatives.
    letter_text: how an alternative begins where its letter is plain text; the group is the letter.
    """

    name: str
    title: str
    language: str
    letters: str
    languages: tuple[str, ...]
    recognise: tuple[str, ...]
    marker: str
    begins: str
    inline: str
    edition: str
    letter_fonts: str
    letter_text: str
    drawn_letters: bool
    columns: int
    noise_fonts: str
    smallest: float
    footers: tuple[str, ...]
    headings: tuple[str, ...]
    endings: tuple[str, ...]
    shared: tuple[str, ...]
    pictures: str
    colours: Mapping[str, str]
    month: int
    dates: Mapping[str, str]
    variants: tuple[Variant, ...]
    instruction: str

    def day(self, year: int | None, day: int) -> Day | None:
        """Give the questions of a day in a year; the newest variant where the year is unknown."""
        variants = [
            each
            for each in self.variants
            if year is None or each.first_year <= year <= each.last_year
        ]
        days = variants[-1].days if variants else ()
        return next((each for each in days if each.number == day), None)

    @cached_property
    def rules(self) -> "Rules":
        """The profile's patterns, ready for use."""
        return Rules(
            marker=re.compile(self.marker, re.IGNORECASE),
            begins=_pattern(self.begins),
            inline=_pattern(self.inline),
            edition=_pattern(self.edition),
            letter_fonts=_pattern(self.letter_fonts),
            letter_text=_pattern(self.letter_text, 0),
            noise_fonts=_pattern(self.noise_fonts),
            footers=_any_of(self.footers),
            headings=_any_of(self.headings),
            endings=_any_of(self.endings),
            shared=_any_of(self.shared),
            pictures=_pattern(self.pictures),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The patterns of a profile; a pattern that was not given matches nothing."""

    marker: re.Pattern[str]
    begins: re.Pattern[str]
    inline: re.Pattern[str]
    edition: re.Pattern[str]
    letter_fonts: re.Pattern[str]
    letter_text: re.Pattern[str]
    noise_fonts: re.Pattern[str]
    footers: re.Pattern[str]
    headings: re.Pattern[str]
    endings: re.Pattern[str]
    shared: re.Pattern[str]
    pictures: re.Pattern[str]


def profile_names() -> tuple[str, ...]:
    """Name the profiles that are shipped."""
    folder = resources.files(__package__) / _SHIPPED
    return tuple(sorted(each.name[:-5] for each in folder.iterdir() if each.name.endswith(".yaml")))


def profile_text(name: str) -> str:
    """Give a shipped profile's YAML; raises ExamError for a name that is not known."""
    if name not in profile_names():
        raise ExamError(
            f"There is no exam profile {name!r}.\nProfiles: {', '.join(profile_names())}, or a file"
        )
    return (resources.files(__package__) / _SHIPPED / f"{name}.yaml").read_text("utf-8")


def load_profile(name: str) -> Profile:
    """Read a shipped profile by its name, or a user's own by its path."""
    path = Path(name)
    if name in profile_names():
        return _read(profile_text(name), name)
    if path.suffix in {".yaml", ".yml"} and path.is_file():
        if path.stat().st_size > MOST_BYTES:
            raise ExamError(f"{path}: a profile has at most {MOST_BYTES} bytes")
        return _read(path.read_text("utf-8"), str(path))
    return _read(profile_text(name), name)


def _pattern(text: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(text or r"(?!)", flags)


def _any_of(texts: Sequence[str]) -> re.Pattern[str]:
    return _pattern("|".join(f"(?:{text})" for text in texts))


def _read(text: str, source: str) -> Profile:
    try:
        data = yaml.safe_load(text)
        profile = _profile(data)
        _ = profile.rules
    except yaml.YAMLError as error:
        raise ExamError(f"{source}: this is no YAML: {error}".replace("\n", " ")) from error
    except re.error as error:
        raise ExamError(f"{source}: a pattern cannot be read: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ExamError(
            f"{source}: this profile cannot be used: {error}\n"
            "Start from a shipped one: afere exam profile generic"
        ) from error
    return profile


def _profile(data: Any) -> Profile:  # noqa: ANN401 - YAML of any shape
    letters = str(data.get("letters", "ABCDE"))
    return Profile(
        name=str(data["name"]),
        title=str(data.get("title", data["name"])),
        language=str(data.get("language", "pt-BR")),
        letters=letters,
        languages=tuple(map(str, data.get("languages") or ())),
        recognise=_texts(data, "recognise"),
        marker=str(data["marker"]),
        begins=str(data.get("begins") or ""),
        inline=str(data.get("inline") or ""),
        edition=str(data.get("edition") or ""),
        letter_fonts=str(data.get("letter_fonts") or ""),
        letter_text=str(data.get("letter_text") or ""),
        drawn_letters=bool(data.get("drawn_letters", False)),
        columns=int(data.get("columns", 1)),
        noise_fonts=str(data.get("noise_fonts") or ""),
        smallest=float(data.get("smallest", 3.2)),
        footers=_texts(data, "footers"),
        headings=_texts(data, "headings"),
        endings=_texts(data, "endings"),
        shared=_texts(data, "shared"),
        pictures=str(data.get("pictures") or ""),
        colours={str(key): str(value) for key, value in (data.get("colours") or {}).items()},
        month=int(data.get("month", 11)),
        dates={str(key): str(value) for key, value in (data.get("dates") or {}).items()},
        variants=tuple(_variant(each) for each in data.get("variants") or ()),
        instruction=str(data["instruction"]),
    )


def _texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(map(str, data.get(name) or ()))


def _variant(data: Mapping[str, Any]) -> Variant:
    first, last = data["years"]
    return Variant(
        first_year=int(first),
        last_year=int(last),
        days=tuple(_day(int(day), each) for day, each in data["days"].items()),
    )


def _day(number: int, data: Mapping[str, Any]) -> Day:
    first, last = map(int, data["numbers"])
    language_first, language_last = map(int, data.get("language_numbers") or (0, -1))
    areas = tuple(
        Area(first=int(each[0]), last=int(each[1]), name=str(name))
        for name, each in (data.get("areas") or {}).items()
    )
    return Day(
        number=number,
        first=first,
        last=last,
        areas=areas,
        language_first=language_first,
        language_last=language_last,
    )
