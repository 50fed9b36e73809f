"""Calibration for the library: predictions, truths and confidences that are at hand."""

import asyncio
import html
import time
from array import array
from collections.abc import AsyncIterator, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from math import isfinite, nan
from pathlib import Path
from typing import Any

from afere.app.calibrating import Asked, calibrate_table
from afere.domain import Calibration, CalibrationPolicy, Provenance, RatedTable, UsageError

__all__ = ["CalibrationResult", "apply_calibration", "calibrate"]


@dataclass(frozen=True, kw_only=True)
class CalibrationResult(Calibration):
    """A calibration that shows itself: `ece`, `bins`, `threshold`, `to_dict()` and the rest."""

    def __str__(self) -> str:
        from afere import report

        return str(report.calibration_report(self))

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def calibrate(  # noqa: PLR0913 - the columns and the policy, by name
    *,
    predictions: Iterable[Any],
    truths: Iterable[Any],
    confidences: Iterable[float | None],
    groups: Iterable[Any] | None = None,
    categories: Iterable[Any] | None = None,
    ids: Iterable[Any] | None = None,
    edges: Sequence[float] = (0, 0.5, 0.7, 0.9, 1),
    max_error: float = 0.05,
    confidence: float = 0.95,
    threshold: float | None = None,
    declared: bool = False,
    procedure: str = "single",
    recalibrate: str | None = None,
    seed: int = 0,
    share: float = 0.5,
    freeze: str | Path | None = None,
) -> CalibrationResult:
    """Measure confidences, choose a threshold and look once whether its promise holds.

    A confidence is that of the chosen answer, from 0 to 1; None where there is none. A row is
    right where prediction equals truth. Rows of a group stand on one side of the split and count
    once. Options are those of `afere calibrate`. Looks are remembered in `freeze` alone: without
    it, taking one look is up to the caller.

    Raises UsageError for columns of different length, a confidence outside 0 to 1, and settings
    that are none.
    """
    predicted, true, given = _column(predictions), _column(truths), _column(confidences)
    rows = len(given)
    names = {"predictions": predicted, "truths": true}
    more = {"groups": groups, "categories": categories, "ids": ids}
    named = {name: _column(values) for name, values in more.items() if values is not None}
    for name, values in (names | named).items():
        if len(values) != rows:
            raise UsageError(f"{name} has {len(values)} values and confidences {rows}.")
    if not rows:
        raise UsageError("there is no row to calibrate.")
    group, group_names = _coded(named.get("groups", []))
    category, category_names = _coded(named.get("categories", []))
    table = RatedTable(
        confidence=array("d", (_confidence(value, at) for at, value in enumerate(given))),
        right=array("b", (_same(one, two) for one, two in zip(predicted, true, strict=True))),
        ids=_ids(named.get("ids", [])),
        group=group,
        groups=group_names,
        category=category,
        categories=category_names,
        name="calibration",
        provenance=Provenance(confidence_from="file"),
    )
    policy = CalibrationPolicy(
        edges=tuple(float(edge) for edge in edges),
        max_error=max_error,
        confidence=confidence,
        threshold=threshold,
        declared=declared,
        procedure=procedure,
        recalibrate=recalibrate,
        seed=seed,
        share=share,
    )
    return _calibrated(table, policy, freeze)


def apply_calibration(
    path: str | Path,
    confidences: Iterable[float | None],
    *,
    accept_change: bool = False,
    **provenance: str,
) -> list[tuple[float | None, bool]]:
    """Map confidences by a frozen file, and tell which are accepted.

    provenance: what is known of the new answers (`model`, `served_model`, `weights`, `prompt`,
    `language`). Raises UsageError where that differs from what the file was measured for.
    """
    from afere.app.applying import apply_to, read_frozen

    given = _column(confidences)
    table = RatedTable(
        confidence=array("d", (_confidence(value, at) for at, value in enumerate(given))),
        right=array("b", bytes(len(given))),
        provenance=Provenance(**provenance),  # type: ignore[arg-type] # texts
    )
    applied = apply_to(read_frozen(Path(path)), table, name=str(path), accept_change=accept_change)
    return list(zip(applied.calibrated, applied.accepted, strict=True))


def _calibrated(
    table: RatedTable,
    policy: CalibrationPolicy,
    freeze: str | Path | None,
) -> CalibrationResult:
    from afere.store import MemoryStore

    asked = Asked(policy=policy, freeze=None if freeze is None else Path(freeze), now=time.time())

    @asynccontextmanager
    async def opened(*, make: bool = False) -> AsyncIterator[MemoryStore]:  # noqa: ARG001 - it is always made
        yield MemoryStore()  # forgotten with the call

    found = _run(calibrate_table(table, asked, opened))
    if freeze is None and found.threshold is not None:
        found = replace(found, threshold=replace(found.threshold, looked_at=None))
    return CalibrationResult(**{each.name: getattr(found, each.name) for each in fields(found)})


def _run(coroutine: Coroutine[Any, Any, Calibration]) -> Calibration:
    """Run a coroutine, inside a running loop (a notebook's) too."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def _column(values: Iterable[Any]) -> list[Any]:
    """Give the values of any column as a list of plain ones."""
    plain = getattr(values, "tolist", None) or getattr(values, "to_list", None)
    return list(plain() if plain is not None else values)


def _confidence(value: object, place: int) -> float:
    if value is None:
        return nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"confidences[{place}] is {value!r}: no number from 0 to 1, nor None.")
    if not isfinite(value):
        raise UsageError(f"confidences[{place}] is {value}.\nWrite None where there is none")
    if not 0 <= value <= 1:
        mend = "\nDivide percentages by 100" if 1 < value <= 100 else ""  # noqa: PLR2004 - percent
        raise UsageError(f"confidences[{place}] is {value}: outside 0 to 1.{mend}")
    return value + 0.0


def _same(one: object, two: object) -> int:
    return int(one is not None and bool(one == two))


def _ids(values: Sequence[Any]) -> tuple[str, ...]:
    found = tuple(str(value) for value in values)
    if len(set(found)) < len(found):
        raise UsageError("two rows have one id.\nGive each its own; related rows share a group")
    return found


def _coded(values: Sequence[Any]) -> "tuple[array[int], tuple[str, ...]]":
    """Give codes and names; None and empty texts are without one. Ids compare as text."""
    known: dict[str, int] = {}
    codes = array("i")
    for value in values:
        name = "" if value is None else str(value)
        codes.append(known.setdefault(name, len(known)) if name else -1)
    return codes, tuple(known)
