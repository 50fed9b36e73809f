"""Reads tables of confidences that are text: CSV, JSON lines, JSON with rows under a key."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from afere.domain import RatedTable, SuiteError
from afere.exchange.rated_rows import FIELDS, RatedRows, RatingForm, no_rated_row
from afere.exchange.score_cells import once, shown
from afere.exchange.score_texts import csv_rows_of, text_lines

__all__ = ["read_rated_csv", "read_rated_json", "read_rated_jsonl"]

_ONE_A_LINE = 'write one object a line: {"prediction": "a", "truth": "a", "confidence": 0.9}'
_WYNIKI = {"id": "id", "prediction": "kat", "truth": "gold_kat", "confidence": "conf"}
_KIND, _WANTED = "typ", "zgl"


def read_rated_csv(path: Path, form: RatingForm) -> RatedTable:
    """Read a table whose first row names the columns; raises SuiteError."""
    with csv_rows_of(path) as (header, line, rows):
        places = form.places(header, path, line)
        at = {field: header.index(name) for field, name in places.items()}
        gathered = RatedRows(path, places, form)
        for number, cells in rows:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                raise SuiteError(
                    f"{len(cells)} cells where the header has {len(header)}",
                    mend="a cell that holds the separator or a quote must stand in quotes",
                    file=path,
                    line=number,
                )
            row = {field: cells[place] for field, place in at.items()}
            gathered.add(row, number, texts=True)
    return gathered.table()


def read_rated_jsonl(path: Path, form: RatingForm) -> RatedTable:
    """Read one object a line; raises SuiteError."""
    gathered: RatedRows | None = None
    with text_lines(path) as lines:
        numbered = (
            (number, _object(text, path, number))
            for number, text in enumerate(lines, 1)
            if text.strip()
        )
        first = next(numbered, None)
        if first is None:
            raise no_rated_row(path)
        places = form.places(list(first[1]), path, first[0])
        places |= _sometimes(first[1], form)
        gathered = RatedRows(path, places, form)
        for number, fields in chain([first], numbered):
            gathered.add(_picked(fields, places), number, texts=False)
    return gathered.table()


def read_rated_json(path: Path, form: RatingForm) -> RatedTable:
    """Read a list of objects, alone or under a key; a row's number from 1 is its line.

    A file of the layout `{"wyniki": [{"typ": "zgl", "kat", "gold_kat", "conf"}]}` is recognised;
    its rows of another `typ` are passed over and counted.
    """
    found = _rows_of(_whole(path), path, form)
    names = list(dict.fromkeys(name for row in found.rows[:100] for name in row))
    if found.wyniki:
        form = replace(form, columns={**_wyniki_columns(names), **form.columns})
    places = form.places(names, path)
    gathered = RatedRows(path, places, form)
    for number, row in enumerate(found.rows, 1):
        if found.wyniki and row.get(_KIND, _WANTED) != _WANTED:
            gathered.skipped += 1
            continue
        gathered.add(_picked(row, places), number, texts=False)
    return gathered.table()


@dataclass(frozen=True, slots=True)
class _Found:
    rows: Sequence[Mapping[str, Any]]
    wyniki: bool


def _rows_of(document: object, path: Path, form: RatingForm) -> _Found:
    if isinstance(document, dict):
        lists = [name for name, value in document.items() if _is_table(value)]
        key = form.rows_under
        if key is None:
            key = "wyniki" if "wyniki" in lists else (lists[0] if len(lists) == 1 else None)
        if key is None or key not in document:
            named = ", ".join(shown(name) for name in lists) or "none that is a list of objects"
            problem = f"the rows are not found: it has {named}"
            raise SuiteError(problem, mend="name their key: --rows KEY", file=path)
        rows, wyniki = document[key], key == "wyniki"
    else:
        rows, wyniki = document, False
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise SuiteError("the rows are no list of objects", mend="write [{…}, {…}]", file=path)
    if not rows:
        raise no_rated_row(path)
    first = rows[0]
    return _Found(rows, wyniki and any(_KIND in row for row in rows) and "kat" in first)


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _wyniki_columns(names: Sequence[str]) -> dict[str, str]:
    columns = {field: name for field, name in _WYNIKI.items() if name in names}
    return columns | ({"category": "gold_kat"} if "gold_kat" in names else {})


def _sometimes(first: Mapping[str, Any], form: RatingForm) -> dict[str, str]:
    """Give the fields that only later rows of JSON lines may have."""
    late = ("group", "category")
    return {field: form.columns.get(field, field) for field in late if field not in first}


def _picked(row: Mapping[str, Any], places: Mapping[str, str]) -> dict[str, object]:
    return {field: row.get(places[field]) for field in FIELDS if field in places}


def _whole(path: Path) -> object:
    try:
        text = path.read_text("utf-8-sig")
        return json.loads(text)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SuiteError(f"cannot be read: {reason}", file=path, mend="name a file") from None
    except UnicodeDecodeError:
        raise SuiteError("is no UTF-8 text", mend="save it as UTF-8", file=path) from None
    except (ValueError, RecursionError) as error:
        raise SuiteError(f"is no JSON: {error}", mend="mend the file", file=path) from None


def _object(text: str, path: Path, line: int) -> Mapping[str, Any]:
    try:
        fields = json.loads(text)
        if text.count('"confidence"') > 1 or text.count('"conf"') > 1:
            json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise SuiteError(f"is no JSON: {error}", file=path, line=line, mend=_ONE_A_LINE) from None
    if not isinstance(fields, dict):
        raise SuiteError("is no JSON object", file=path, line=line, mend=_ONE_A_LINE)
    return fields
