"""Uses a frozen threshold and its map on new cases, and refuses where they were made otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from afere.app.calibrating import Asked, Opened, read_source
from afere.app.looks import Frozen
from afere.domain import FrozenThreshold, Provenance, RatedTable, UsageError
from afere.exchange import RATING_SUFFIXES

__all__ = ["Applied", "apply_frozen", "apply_to", "differing", "read_frozen"]

_COMPARED = ("model", "served_model", "weights", "prompt", "params", "language", "confidence_from")
_UNKNOWN = (None, "file")


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """Confidences after the map of a frozen file, and which cases are accepted.

    calibrated: None for a case without a confidence, which is never accepted. certified: whether
    the threshold's promise was certified, and nothing has changed since. changed: what has.
    """

    ids: tuple[str, ...]
    confidences: tuple[float | None, ...]
    calibrated: tuple[float | None, ...]
    accepted: tuple[bool, ...]
    threshold: float | None
    certified: bool
    method: str | None
    changed: tuple[str, ...] = ()

    @property
    def answers(self) -> list[dict[str, Any]]:
        """Give a row a case."""
        columns = (self.ids, self.confidences, self.calibrated, self.accepted)
        names = ("id", "confidence", "calibrated", "accepted")
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def read_frozen(path: Path) -> FrozenThreshold:
    """Read the file that `--freeze` wrote; raises UsageError."""
    found = Frozen(path).read()
    if found is None:
        raise UsageError(
            f"{path}: there is no such file.\nWrite one: afere calibrate … --freeze FILE"
        )
    return found


async def apply_frozen(
    path: Path,
    source: str,
    asked: Asked,
    opened: Opened,
    *,
    accept_change: bool = False,
) -> Applied:
    """Use a frozen file on the cases of a file or a run; raises UsageError."""
    frozen = read_frozen(path)
    is_file = source.lower().endswith(RATING_SUFFIXES)
    asked = replace(asked, form=replace(asked.form, judged=False))
    if not is_file and asked.confidence_from is None:
        measured = frozen.provenance.confidence_from
        asked = replace(asked, confidence_from=None if measured in _UNKNOWN else measured)
    table = (await read_source(source, asked, opened)).table
    return apply_to(frozen, table, name=str(path), accept_change=accept_change)


def apply_to(
    frozen: FrozenThreshold,
    table: RatedTable,
    *,
    name: str,
    accept_change: bool = False,
) -> Applied:
    """Use a frozen threshold on a table.

    Raises UsageError where the table's provenance differs from that which it was measured for.
    """
    changed = differing(frozen.provenance, table.provenance)
    if changed and not accept_change:
        raise UsageError(
            f"{name} was measured for other answers: {'; '.join(changed)}.\n"
            "Measure again, or add --accept-change: its promise does not hold then"
        )
    given = [None if value != value else value for value in table.confidence]  # noqa: PLR0124 - NaN
    calibrated = _mapped(frozen, given)
    value = _value(frozen)
    return Applied(
        ids=tuple(table.ids) or tuple(str(number) for number in range(1, table.rows + 1)),
        confidences=tuple(given),
        calibrated=tuple(calibrated),
        accepted=tuple(
            value is not None and each is not None and each >= value for each in calibrated
        ),
        threshold=value,
        certified=frozen.result is not None and frozen.result.certified and not changed,
        method=frozen.plan.recalibration.method if frozen.plan.recalibration else None,
        changed=tuple(changed),
    )


def differing(measured: Provenance, now: Provenance) -> list[str]:
    """Name what differs between two provenances, of what both know."""
    found = []
    for name in _COMPARED:
        before, after = getattr(measured, name), getattr(now, name)
        if before not in _UNKNOWN and after not in _UNKNOWN and before != after:
            found.append(f"{name} {_short(before)}, now {_short(after)}")
    return found


def _short(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={each}" for name, each in sorted(value.items()))[:80]
    return str(value)[:60]


def _mapped(frozen: FrozenThreshold, given: Sequence[float | None]) -> list[float | None]:
    if frozen.plan.recalibration is None:
        return list(given)
    from afere import analysis

    known = [value for value in given if value is not None]
    after = iter(analysis.mapped(frozen.plan.recalibration, known))
    return [None if value is None else next(after) for value in given]


def _value(frozen: FrozenThreshold) -> float | None:
    if frozen.result is not None:
        return frozen.result.value
    return frozen.plan.thresholds[0] if frozen.plan.thresholds else None
