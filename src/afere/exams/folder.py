"""Writes the folder of a built exam, whole or not at all, and reads it again."""

import hashlib
import json
import re
import shutil
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from afere.domain import Sentence, decode, from_plain, to_plain
from afere.exams.audit import Choice, Row
from afere.exams.booklet import Found
from afere.exams.confined import Bounds, draw
from afere.exams.errors import ExamError
from afere.exams.identity import Identity
from afere.exams.page import Box
from afere.exams.profile import Day, Profile
from afere.exams.reading import read_pdf
from afere.exams.reasons import DROPPED, REASONS

__all__ = ["Built", "Saved", "Written", "draw_left_out", "read_folder", "write"]

SUITE, ITEMS, AUDIT, EXAM, CROPS = (
    "suite.yaml",
    "items.jsonl",
    "audit.jsonl",
    "exam.json",
    "crops",
)
OURS = frozenset((SUITE, ITEMS, AUDIT, EXAM, CROPS))
LANGUAGE_NAMES = {"en": "inglês", "es": "espanhol"}
LONGEST_NAME = 60
PROMPT = """\
{{ input }}

{% for letter, text in options.items() %}{{ letter }}) {{ text }}
{% endfor %}

"""


@dataclass(frozen=True, kw_only=True)
class Built:
    """All that is written of an exam."""

    profile: Profile
    identity: Identity
    day: Day
    booklet: Path
    booklet_sha256: str
    key: Path | None
    judged: Sequence[tuple[Row, Found | None]]
    choice: Choice
    images: bool
    noise: Mapping[str, int]
    warnings: tuple[Sentence, ...]

    @property
    def name(self) -> str:
        """The suite's name: exam, year, day, colour, as far as they are known."""
        identity = self.identity
        parts = [self.profile.name]
        parts += [str(identity.year)] if identity.year else []
        parts += [_slug(identity.edition)] if identity.edition else []
        several = any(len(each.days) > 1 for each in self.profile.variants)
        parts += [f"d{identity.day}"] if identity.day and several else []
        colour = _slug(identity.colour or "") or (
            f"c{identity.booklet}" if identity.booklet else ""
        )
        parts += [colour] if colour else []
        return "-".join(parts)[:LONGEST_NAME]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The files that were written."""

    items: Path
    audit: Path
    suite: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A folder read again: what exam it is, its items, its audit."""

    exam: Mapping[str, Any]
    items: tuple[Mapping[str, Any], ...]
    rows: tuple[Row, ...]

    @property
    def name(self) -> str:
        """The suite's name."""
        return str(self.exam["name"])


def _slug(text: str) -> str:
    """Give a text as a part of a name: letters and digits without accents, dashes between."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    words = re.findall(r"[a-z0-9]+", "".join(each for each in plain if each.isascii()))
    return "-".join(words)


def item_id(name: str, row: Row, languages: Sequence[str]) -> str:
    """Give an item's id: the suite's name, the number, the language where numbers repeat."""
    suffix = f"-{row.language}" if row.language in languages else ""
    return f"{name}-{row.number:03d}{suffix}"


def write(built: Built, folder: Path, data: bytes, bounds: Bounds) -> Written:
    """Write suite, items, audit and crops beside `folder`, then put them in its place."""
    _refuse_foreign(folder)
    part = folder.parent / f".{folder.name}.part"
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        pictures = _pictures(built, part, data, bounds) if built.images else {}
        items = list(_items(built, pictures))
        _lines(part / ITEMS, items)
        _lines(part / AUDIT, [_plain_row(row) for row, _ in built.judged])
        if not built.choice.without_key and items:
            text = yaml.safe_dump(_suite(built), allow_unicode=True, sort_keys=False, width=100)
            (part / SUITE).write_text(text, "utf-8")
        exam = json.dumps(_exam(built), ensure_ascii=False, indent=1)
        (part / EXAM).write_text(exam + "\n", "utf-8")
        _replaced(part, folder)
    except OSError as error:
        raise ExamError(f"{folder}: cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    suite = folder / SUITE
    return Written(
        items=folder / ITEMS, audit=folder / AUDIT, suite=suite if suite.exists() else None
    )


def _replaced(part: Path, folder: Path) -> None:
    """Put a finished folder in the place of an older one."""
    if folder.exists():
        old = folder.parent / f".{folder.name}.old"
        shutil.rmtree(old, ignore_errors=True)
        folder.rename(old)
        part.rename(folder)
        shutil.rmtree(old, ignore_errors=True)
    else:
        part.rename(folder)


def _refuse_foreign(folder: Path) -> None:
    """Overwrite only what an earlier build wrote."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise ExamError(f"{folder}: this is a file; name a folder with -o")
    names = {each.name for each in folder.iterdir()}
    if names and (EXAM not in names or not names <= OURS):
        raise ExamError(
            f"{folder}: this folder holds other files\nName a new folder, or an earlier exam's."
        )


def _items(built: Built, pictures: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for row, found in built.judged:
        if row.kept and found is not None:
            yield _item(built, row, found, pictures)


def _item(built: Built, row: Row, found: Found, pictures: Mapping[str, str]) -> dict[str, Any]:
    name = item_id(built.name, row, built.profile.languages)
    options = dict(sorted(found.alternatives))
    pictured = name in pictures
    area = built.day.area(row.number) or built.profile.title
    if row.language in LANGUAGE_NAMES:
        area = f"{area}: {LANGUAGE_NAMES[row.language]}"
    item: dict[str, Any] = {"id": name}
    item["input"] = _message(built, found, name) if built.images else found.statement
    if row.answer is not None:
        item["expect"] = {"choice": row.answer}
    item |= {
        "options": options,
        "category": area,
        "date": _date(built),
        "source": f"{built.booklet.name}, p. {row.page}",
        "metadata": {
            "number": row.number,
            "language": row.language,
            "page": row.page,
            "exam": built.profile.name,
            "year": built.identity.year,
            "day": built.identity.day,
            "colour": built.identity.colour,
            "booklet_sha256": built.booklet_sha256,
        },
    }
    if pictured:
        item["metadata"]["crop_sha256"] = pictures[name]
    if found.shared_with is not None:
        item["group"] = f"{built.name}-{found.shared_with[0]:03d}-{found.shared_with[1]:03d}"
    if item["date"] is None:
        del item["date"]
    return item


def _message(built: Built, found: Found, name: str) -> list[dict[str, Any]]:
    """Ask in a text and a picture; the alternatives follow by themselves."""
    text = f"{_asked(found)}\n\n{built.profile.instruction}"
    picture = {"image": f"{CROPS}/{name}.png"}
    return [{"role": "user", "content": [{"type": "text", "text": text}, picture]}]


def _asked(found: Found) -> str:
    """Give the statement, the text that it shares with other questions before it."""
    return f"{found.passage}\n\n{found.statement}" if found.passage else found.statement


def _pictures(built: Built, part: Path, data: bytes, bounds: Bounds) -> dict[str, str]:
    """Draw every kept question; gives each item's picture hash."""
    places = {
        item_id(built.name, row, built.profile.languages): row.boxes
        for row, _ in built.judged
        if row.kept
    }
    (part / CROPS).mkdir()
    return draw(data, places, part / CROPS, bounds)


def _date(built: Built) -> str | None:
    year = built.identity.year
    if year is None:
        return None
    told = built.profile.dates.get(f"{year}-{built.identity.day or 1}")
    return told or f"{year}-{built.profile.month:02d}"


def _suite(built: Built) -> dict[str, Any]:
    suite: dict[str, Any] = {
        "suite": built.name,
        "version": 1,
        "language": built.profile.language,
        "reading": "strict",
        "public": True,
    }
    if not built.images:
        suite["prompt"] = PROMPT + built.profile.instruction
    suite["params"] = {"temperature": 0, "max_tokens": 4000}
    suite["metadata"] = {
        "exam": built.profile.title,
        "booklet": built.booklet.name,
        "booklet_sha256": built.booklet_sha256,
        "audit": _counts(built),
    }
    return suite


def _counts(built: Built) -> dict[str, Any]:
    """Count the audit, so that whoever has the suite alone knows what was left out."""
    rows = [row for row, _ in built.judged]
    left = Counter(str(row.reason) for row in rows if not row.kept)
    return {
        "expected": len(rows),
        "kept": sum(row.kept for row in rows),
        "left_out": {each: left[each] for each in (*REASONS, DROPPED) if left[each]},
    }


def _exam(built: Built) -> dict[str, Any]:
    return {
        "name": built.name,
        "profile": to_plain(built.profile),
        "identity": to_plain(built.identity),
        "booklet": str(built.booklet.resolve()),
        "booklet_sha256": built.booklet_sha256,
        "key": str(built.key.resolve()) if built.key else None,
        "key_sha256": hashlib.sha256(built.key.read_bytes()).hexdigest() if built.key else None,
        "keep": sorted(built.choice.keep),
        "keep_questions": sorted(built.choice.keep_questions),
        "drop_questions": sorted(built.choice.drop_questions),
        "images": built.images,
        "noise": dict(sorted(built.noise.items())),
        "warnings": [str(each) for each in built.warnings],
    }


def _plain_row(row: Row) -> dict[str, Any]:
    plain: dict[str, Any] = to_plain(row)
    plain["boxes"] = [
        {"page": number, "box": [round(v, 1) for v in (box.x0, box.y0, box.x1, box.y1)]}
        for number, box in row.boxes
    ]
    return plain


def _lines(path: Path, values: Sequence[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    path.write_text(text, "utf-8")


def read_folder(folder: Path) -> Saved:
    """Read what `write` wrote; raises ExamError for a folder that is none of its."""
    try:
        exam = decode((folder / EXAM).read_bytes())
        items = [decode(line) for line in (folder / ITEMS).read_text("utf-8").splitlines()]
        rows = [_row(decode(line)) for line in (folder / AUDIT).read_text("utf-8").splitlines()]
    except OSError as error:
        raise ExamError(
            f"{folder}: this is no folder of a built exam\n"
            "Build one: afere exam build BOOKLET.pdf --key KEY.pdf -o DIR"
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ExamError(f"{folder}: its files are damaged\nBuild it again.") from error
    return Saved(exam=exam, items=tuple(items), rows=tuple(rows))


def draw_left_out(folder: Path, bounds: Bounds | None = None) -> Path:
    """Draw every question left out into the folder's own `crops`; gives that folder.

    Raises ExamError where the booklet is gone or is another file by now.
    """
    saved = read_folder(folder)
    booklet = Path(saved.exam["booklet"])
    data = read_pdf(booklet, "the booklet")
    if hashlib.sha256(data).hexdigest() != saved.exam["booklet_sha256"]:
        raise ExamError(f"{booklet}: this is not the file that {folder} was built from")
    profile = from_plain(Profile, saved.exam["profile"])
    places = {
        item_id(saved.exam["name"], row, profile.languages): row.boxes
        for row in saved.rows
        if not row.kept and row.boxes
    }
    try:
        (folder / CROPS).mkdir(exist_ok=True)
        draw(data, places, folder / CROPS, bounds or Bounds())
    except OSError as error:
        raise ExamError(f"{folder}: cannot be written: {error.strerror}") from error
    return folder / CROPS


def _row(plain: Mapping[str, Any]) -> Row:
    boxes = tuple(
        (int(each["page"]), Box(*(float(v) for v in each["box"]))) for each in plain["boxes"]
    )
    row: Row = from_plain(Row, {**plain, "boxes": []})
    return replace(row, boxes=boxes)
