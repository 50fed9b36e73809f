"""Reads the JSON files of rounds (`rodadas`) that a Portuguese grading script writes.

`{"modelo": .., "base": .., "rodadas": [{"disciplina": {id: ok|errou|sem-resposta|erro}}]}`
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from afere.domain import ScoreTable, Sentence, SuiteError
from afere.exchange import score_cells as cells
from afere.exchange.score_cells import WrongCell, shown
from afere.exchange.score_rows import NO_LABELS, Labels, ScoreRows

__all__ = ["read_rounds"]

_SCORES = {"ok": 1.0, "errou": 0.0, "sem-resposta": 0.0, "erro": cells.LOST}
_NO_NAME = "disciplina"
_MOST_BYTES = 256 * 1024 * 1024
_FORM = '{"modelo": "…", "rodadas": [{"disciplina": {"p01": "ok"}}]}'


def read_rounds(path: Path, models: Collection[str] | None = None) -> tuple[ScoreTable, ...]:
    """Read such a file: `ok` is 1, `errou` and `sem-resposta` are 0, `erro` is a lost row.

    A discipline of another name than `disciplina` is the category of its items.
    Raises SuiteError.
    """
    document = _document(path)
    try:
        name = cells.label_of(document.get("modelo"), "modelo") or ""
    except WrongCell as fault:
        raise _fault(path, fault.field, fault.problem, fault.mend) from None
    rows = ScoreRows(path, models)
    for number, disciplines in enumerate(_rounds(document, path), 1):
        for discipline, items in disciplines.items():
            field = f"rodadas[{number}].{discipline}"
            if not isinstance(items, dict):
                raise _fault(path, field, "is no object of items", f"the form is {_FORM}")
            labels = NO_LABELS if discipline == _NO_NAME else Labels(category=discipline)
            for item, said in items.items():
                score = _score(said, path, f"{field}.{item}")
                rows.add(None, item, (number, 0), score, labels, name)
    return tuple(_with_warning(table, path) for table in rows.tables())


def _document(path: Path) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise SuiteError(f"cannot be read: {reason}", file=path, mend="name a file") from None
    if len(data) > _MOST_BYTES:
        raise SuiteError("more than 256 MiB", mend="write the scores as Parquet", file=path)
    try:
        document = json.loads(data.decode("utf-8-sig"), object_pairs_hook=cells.once)
    except (ValueError, RecursionError) as error:
        raise SuiteError(f"is no JSON: {error}", file=path, mend=f"the form is {_FORM}") from None
    if not isinstance(document, dict) or not isinstance(document.get("rodadas"), list):
        raise SuiteError(
            "is no file of results: it has no list `rodadas`",
            mend="a result file is CSV, JSON lines (.jsonl) or Parquet with the columns item and "
            f"score, or has the form {_FORM}",
            file=path,
        )
    return document


def _rounds(document: Mapping[str, Any], path: Path) -> list[Mapping[str, Any]]:
    rounds: list[Mapping[str, Any]] = document["rodadas"]
    if not rounds:
        raise _fault(path, "rodadas", "holds no round", f"the form is {_FORM}")
    for number, each in enumerate(rounds, 1):
        if not isinstance(each, dict):
            raise _fault(path, f"rodadas[{number}]", "is no object", f"the form is {_FORM}")
    return rounds


def _score(said: object, path: Path, field: str) -> float:
    score = _SCORES.get(said) if isinstance(said, str) else None
    if score is None:
        mend = f"the words are {', '.join(_SCORES)}"
        raise _fault(path, field, f"{shown(said)} is no such result", mend)
    return score


def _with_warning(table: ScoreTable, path: Path) -> ScoreTable:
    said = Sentence(
        "{file}: these answers were graded elsewhere, by looking for the right answer as a "
        "substring of the reply",
        file=path.name,
    )
    return replace(table, warnings=(said, *table.warnings))


def _fault(path: Path, field: str, problem: str, mend: str) -> SuiteError:
    return SuiteError(problem, mend=mend, file=path, field=shown(field)[1:-1])
