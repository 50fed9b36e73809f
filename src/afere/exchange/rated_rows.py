"""Gathers rows with a confidence into one table, and refuses what is amiss."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from afere.domain import RatedTable, SuiteError
from afere.exchange import rated_cells as cells
from afere.exchange.rated_cells import Confidences
from afere.exchange.score_cells import WrongCell, shown

__all__ = ["FIELDS", "RatedRows", "RatingForm", "no_rated_column", "no_rated_row", "placed"]

FIELDS = ("id", "prediction", "truth", "confidence", "correct", "group", "category", "split")
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingForm:
    """How a table of confidences is to be read.

    columns: the names of columns by field, where they differ. percent: confidences are 0 to 100.
    lenient: numbers within texts are read. rows_under: the key of a JSON file's rows. judged:
    whether rows have their right answer; without, none of them counts as right.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    percent: bool = False
    lenient: bool = False
    rows_under: str | None = None
    judged: bool = True

    def places(self, names: Sequence[str], path: Path, line: int | None = None) -> dict[str, str]:
        """Find the column of each field among names; raises SuiteError for one that is missing."""
        for name in self.columns:
            if name not in FIELDS:
                raise SuiteError(
                    f"there is no field {shown(name)}",
                    mend=f"--column FIELD=NAME takes {', '.join(FIELDS)}",
                )
        found = {}
        folded = {name.strip().lower(): name for name in reversed(names)}
        for one in FIELDS:
            wanted = self.columns.get(one)
            if wanted is not None:
                if wanted not in names:
                    raise no_rated_column(wanted, one, names, path, line)
                found[one] = wanted
            elif one in folded or (one == "id" and "item" in folded):
                found[one] = folded.get(one, folded.get("item", ""))
        judged = ("correct",) if "correct" in found else ("prediction", "truth")
        for needed in ("confidence", *(judged if self.judged else ())):
            if needed not in found:
                raise no_rated_column(needed, needed, names, path, line)
        return found


def no_rated_column(
    name: str,
    of: str,
    columns: Sequence[str],
    path: Path,
    line: int | None = None,
) -> SuiteError:
    """Make the error of a column that the file has not."""
    there = ", ".join(shown(column) for column in columns[:_MOST_NAMED])
    return SuiteError(
        f"there is no column `{name}` among {there}",
        mend=f"name the one that is meant: --column {of}=NAME",
        file=path,
        line=line,
        field=of,
    )


def no_rated_row(path: Path, skipped: int = 0) -> SuiteError:
    """Make the error of a file without a row of the kind."""
    problem = f"no row is of the kind ({skipped} of others)" if skipped else "there is no row"
    return SuiteError(problem, mend="write one row an answer", file=path)


def placed(fault: WrongCell, path: Path, line: int | None) -> SuiteError:
    """Make the error of a cell, with its place."""
    return SuiteError(fault.problem, mend=fault.mend, file=path, line=line, field=fault.field)


class _Names:
    """Texts that each stand once, and their places."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def place(self, name: str | None) -> int:
        return -1 if name is None else self.known.setdefault(name, len(self.known))


class RatedRows:
    """Takes rows one by one; raises SuiteError for what cannot be a row."""

    def __init__(self, path: Path, places: Mapping[str, str], form: RatingForm) -> None:
        self._path, self._places, self._judged_rows = path, places, form.judged
        self._confidences = Confidences(places["confidence"], form.percent, form.lenient)
        self._confidence, self._right = array("d"), array("b")
        self._ids: dict[str, int] = {}
        self._codes = {name: array("i") for name in ("group", "category") if name in places}
        self._names = {name: _Names() for name in self._codes}
        self._split = array("b")
        self._lines = array("q")
        self.skipped = 0

    def add(self, row: Mapping[str, object], line: int, *, texts: bool) -> None:
        """Take a row by its fields; `texts`: cells of a table, in which a plain number is one."""
        places = self._places
        try:
            given = row.get("confidence")
            if texts:
                confidence = self._confidences.of_text(str(given), line)
            else:
                confidence = self._confidences.of(given, line)
            right = self._judged(row)
            if "id" in places:
                self._know(cells.id_of(row.get("id"), places["id"]), line)
            for name, codes in self._codes.items():
                codes.append(self._names[name].place(cells.answer_of(row.get(name), places[name])))
            if "split" in places:
                self._split.append(cells.split_of(row.get("split"), places["split"]))
        except WrongCell as fault:
            raise placed(fault, self._path, line) from None
        self._confidence.append(confidence)
        self._right.append(right)
        self._lines.append(line)

    def table(self, notes: Sequence[str] = ()) -> RatedTable:
        """Give the table; raises SuiteError where it has no row, or its scales are mixed."""
        if not self._confidence:
            raise no_rated_row(self._path, self.skipped)
        try:
            said = self._confidences.finish()
        except WrongCell as fault:
            raise placed(fault, self._path, self._confidences.fraction_at) from None
        return RatedTable(
            confidence=self._confidence,
            right=self._right,
            ids=tuple(self._ids),
            group=self._codes.get("group", array("i")),
            groups=tuple(self._names["group"].known) if "group" in self._names else (),
            category=self._codes.get("category", array("i")),
            categories=tuple(self._names["category"].known) if "category" in self._names else (),
            split=self._split,
            name=self._path.stem,
            skipped=self.skipped,
            notes=(*notes, *said),
        )

    def _judged(self, row: Mapping[str, object]) -> int:
        if not self._judged_rows:
            return 0
        if "correct" in self._places:
            return cells.right_of(row.get("correct"), self._places["correct"])
        truth = cells.answer_of(row.get("truth"), self._places["truth"])
        if truth is None:
            mend = "a row without its right answer cannot be judged: fill it in or leave it out"
            raise WrongCell(self._places["truth"], "there is no right answer", mend)
        return int(cells.answer_of(row.get("prediction"), self._places["prediction"]) == truth)

    def _know(self, name: str, line: int) -> None:
        before = self._ids.setdefault(name, line)
        if before != line:
            raise WrongCell(
                self._places["id"],
                f"{shown(name)} stands in line {before} already",
                "give each row an id of its own; several answers to one case share a `group`",
            )
