"""Builds a suite from an exam's booklet and its key, with a row for every question."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from afere.domain import Sentence
from afere.exams.audit import Choice, Row, audited
from afere.exams.booklet import Booklet
from afere.exams.confined import Bounds, booklet_of
from afere.exams.errors import ExamError
from afere.exams.folder import Built, write
from afere.exams.identity import Identity, named_year
from afere.exams.key import Section
from afere.exams.profile import Day, Profile, load_profile, profile_names
from afere.exams.reading import key_for, read_pdf, said_of
from afere.exams.reasons import KEEPABLE

__all__ = ["Plan", "Result", "build"]

LEAST_FOUND = 0.2  # of the expected questions; fewer means that this is no such booklet
LEAST_ANSWERED = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to build. Fields of `told` go before what the PDFs say of themselves."""

    booklet: Path
    folder: Path
    key: Path | None = None
    profile: str | None = None
    told: Identity = field(default_factory=Identity)
    choice: Choice = field(default_factory=Choice)
    images: bool = False
    bounds: Bounds = field(default_factory=Bounds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What was built: counts, the rows of the audit, and what a user should know."""

    name: str
    expected: int
    found: int
    rows: tuple[Row, ...]
    items: Path
    audit: Path
    suite: Path | None
    warnings: tuple[Sentence, ...]

    @property
    def kept(self) -> int:
        """How many questions became items."""
        return sum(row.kept for row in self.rows)


def build(plan: Plan) -> Result:
    """Build the folder; raises ExamError before anything is written."""
    choice = _checked(plan)
    data = read_pdf(plan.booklet, "the booklet")
    profiles = _profiles(plan)
    booklet = said_of(plan.booklet, lambda: booklet_of(data, profiles, plan.bounds))
    profile = next(each for each in profiles if each.name == booklet.profile)
    warnings: list[Sentence] = []
    section, order = None, profile.languages
    if plan.key:
        section, order = key_for(
            plan.key, profile, _filled(plan.told, booklet.identity), plan.bounds
        )
    identity = _identity(plan, booklet, section, warnings)
    day = _day(identity, booklet, section, profile)
    _is_exam(booklet, day, profile)
    if section:
        _covers(section, day, plan)
    judged = audited(booklet, section, day, profile, choice, order=order, source=plan.booklet.name)
    rows = [row for row, _ in judged]
    warnings += _warnings(booklet, rows, section, day, choice)
    if plan.images and booklet.answers_marked:
        raise ExamError(
            f"{plan.booklet}: the right answers are marked in this booklet, so its pictures would "
            "give them away\nBuild it without --images, or from an unmarked booklet."
        )
    built = Built(
        profile=profile,
        identity=identity,
        day=day,
        booklet=plan.booklet,
        booklet_sha256=hashlib.sha256(data).hexdigest(),
        key=plan.key,
        judged=judged,
        choice=choice,
        images=plan.images,
        noise=booklet.noise,
        warnings=tuple(warnings),
    )
    written = write(built, plan.folder, data, plan.bounds)
    return Result(
        name=built.name,
        expected=len(rows),
        found=sum(question is not None for _, question in judged),
        rows=tuple(rows),
        items=written.items,
        audit=written.audit,
        suite=written.suite,
        warnings=tuple(warnings),
    )


def _checked(plan: Plan) -> Choice:
    choice = plan.choice
    wrong = sorted(choice.keep - KEEPABLE)
    if wrong:
        raise ExamError(
            f"--keep {', '.join(wrong)}: such questions cannot be kept by a rule\n"
            f"It takes: {', '.join(sorted(KEEPABLE))}; one question: --keep-question N"
        )
    if plan.key is None and not choice.without_key:
        raise ExamError(
            "the answer key is missing\n"
            "Add --key KEY.pdf (or a CSV number,answer), or --without-key for items without one."
        )
    if plan.images:
        needs = frozenset(("needs_image", "needs_drawing", "needs_table"))
        choice = replace(choice, keep=choice.keep | needs)
    return choice


def _profiles(plan: Plan) -> list[Profile]:
    """Give the named profile, or all that recognise their own exam."""
    if plan.profile:
        return [load_profile(plan.profile)]
    return [profile for profile in map(load_profile, profile_names()) if profile.recognise]


def _identity(
    plan: Plan, booklet: Booklet, section: Section | None, warnings: list[Sentence]
) -> Identity:
    """Put together what is told, printed on the booklet, printed on the key, and named."""
    told, printed = plan.told, booklet.identity
    keyed = section.identity if section else Identity()
    year = told.year or printed.year or keyed.year
    if year is None:
        year = named_year(plan.booklet.name) or booklet.titled or booklet.cited
        if year is not None:
            warnings.append(
                Sentence(
                    "neither booklet nor key says the year; {year} is taken from the file's name "
                    "or its newest source (set it with --year)",
                    year=year,
                )
            )
    return replace(_filled(_filled(told, printed), keyed), year=year)


def _filled(one: Identity, other: Identity) -> Identity:
    """Fill what one does not tell from another."""
    return Identity(
        year=one.year or other.year,
        day=one.day or other.day,
        booklet=one.booklet or other.booklet,
        colour=one.colour or other.colour,
        edition=one.edition or other.edition,
    )


def _day(identity: Identity, booklet: Booklet, section: Section | None, profile: Profile) -> Day:
    if profile.variants:
        number = identity.day or (1 if len(profile.variants[-1].days) == 1 else None)
        if number is None:
            raise ExamError("the booklet does not say which day it is\nSay it: --day 1")
        if identity.year is None:
            raise ExamError("the booklet does not say its year\nSay it: --year 2022")
        day = profile.day(identity.year, number)
        if day is None:
            raise ExamError(
                f"the profile {profile.name} knows no day {number} of {identity.year}\n"
                "Copy it and add the year: afere exam profile " + profile.name
            )
        return day
    numbers = {each.number for each in booklet.questions} | set(
        section.by_number() if section else ()
    )
    if not numbers:
        raise ExamError("no questions were found in this PDF\nIs it an exam's booklet?")
    return Day(first=min(numbers), last=max(numbers))


def _is_exam(booklet: Booklet, day: Day, profile: Profile) -> None:
    expected = range(day.first, day.last + 1)
    found = {each.number for each in booklet.questions} & set(expected)
    if len(found) >= LEAST_FOUND * len(expected):
        return
    raise ExamError(
        f"only {len(found)} of {len(expected)} questions of {profile.title} were found\n"
        "Is it that exam's booklet? The profile is chosen with --profile."
    )


def _covers(section: Section, day: Day, plan: Plan) -> None:
    expected = range(day.first, day.last + 1)
    answers = section.by_number()
    answered = sum(number in answers for number in expected)
    if answered < LEAST_ANSWERED * len(expected):
        raise ExamError(
            f"{plan.key}: the key answers {answered} of the {len(expected)} questions "
            f"{day.first} to {day.last}\nIs it the key of this booklet?"
        )


def _warnings(
    booklet: Booklet,
    rows: Sequence[Row],
    section: Section | None,
    day: Day,
    choice: Choice,
) -> list[Sentence]:
    found: list[Sentence] = []
    strange = [
        each.number for each in booklet.questions if not day.first <= each.number <= day.last
    ]
    if strange:
        found.append(
            Sentence(
                "questions with numbers that the exam does not have: {numbers}",
                numbers=", ".join(map(str, strange[:10])),
            )
        )
    if section and _languages_agree(section, day):
        found.append(
            Sentence("the key has the same letters for both foreign languages; is that so?")
        )
    decided = {row.number for row in rows if row.decided == "keep"}
    ignored = sorted(
        number
        for number in choice.keep_questions - decided
        if not any(row.kept for row in rows if row.number == number)
    )
    if ignored:
        found.append(
            Sentence(
                "cannot be kept, without all letters or an answer: {numbers}",
                numbers=", ".join(map(str, ignored)),
            )
        )
    if booklet.answers_marked:
        found.append(
            Sentence(
                "the right answers are marked in this booklet ({n}); its pictures are not for "
                "models that see",
                n=booklet.answers_marked,
            )
        )
    return found


def _languages_agree(section: Section, day: Day) -> bool:
    answers = section.by_number()
    pairs = [answers.get(number, ()) for number in range(day.language_first, day.language_last + 1)]
    return bool(pairs) and all(len(pair) == 2 and pair[0] == pair[1] for pair in pairs)  # noqa: PLR2004 - two languages
