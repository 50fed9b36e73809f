"""The confidences of a stored run for its page: measured, with a look told again, none taken."""

from collections.abc import Iterator
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

from afere.app.looks import kept_looks, same_look
from afere.domain import (
    Calibration,
    CalibrationPolicy,
    Look,
    RatedTable,
    Response,
    Row,
    Run,
    Store,
    UsageError,
)

if TYPE_CHECKING:
    from afere.analysis import Prepared

__all__ = ["FirstAnswers", "calibration_of"]

STATED = ("logprob", "stated")  # what a model says itself; how often rounds agree is no part of it
LEAST = 0.25  # of the items: fewer with a confidence are stray words


class FirstAnswers:
    """Keeps the answer of each item's first round that counts, out of a stream of answers."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Row, Response | None]] = {}

    def add(self, row: Row, response: Response | None) -> None:
        """Look at an answer."""
        if row.variant or not row.grade.outcome.counts:
            return
        known = self._kept.get(row.item)
        if known is None or row.round < known[0].round:
            self._kept[row.item] = (row, response)

    def __iter__(self) -> Iterator[tuple[Row, Response | None]]:
        """Give the answers that were kept."""
        return iter(self._kept.values())


async def calibration_of(run: Run, answers: FirstAnswers, store: Store) -> Calibration | None:
    """Measure the confidences that the model gave; None where it gave none, or too few.

    The threshold is that of the last look that was taken at these rows, else None: a page takes no
    look of its own, since there is one alone.
    """
    from afere import analysis

    try:
        tables = analysis.run_confidences(run, answers)
        table = next((each for name in STATED if _enough(each := tables[name])), None)
        if table is None:
            return None
        policy = CalibrationPolicy()
        prepared = analysis.prepare(table, policy)
        for kept in reversed(await kept_looks(store, _look(prepared))):
            asked = kept.policy or policy
            again = analysis.prepare(table, asked)
            if again.plan is not None and same_look([kept], _look(again)) is not None:
                threshold = replace(analysis.look(again, again.plan), looked_at=kept.at)
                return replace(analysis.measure(table, asked), threshold=threshold)
        return replace(analysis.measure(table, policy), threshold=prepared.outcome)
    except UsageError:  # rows that cannot be measured: the page has its other sections
        return None


def _enough(table: RatedTable) -> bool:
    known = sum(not isnan(value) for value in table.confidence)
    return known > 0 and known >= LEAST * table.rows


def _look(prepared: "Prepared") -> Look:
    return Look(
        reserved=prepared.reserved_hash,
        data=prepared.data_hash,
        plan=prepared.plan_hash,
        threshold=None,
        number=1,
        looks=1,
        at="",
    )
