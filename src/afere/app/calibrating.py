"""Calibration from file or run to certificate: what is read, in which order, and what is kept."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from afere.app.looks import Frozen, keep_look, kept_looks, refuse_second, same_look
from afere.domain import (
    Calibration,
    CalibrationComparison,
    CalibrationPolicy,
    FrozenThreshold,
    Look,
    Provenance,
    RatedTable,
    SourceMeasures,
    Store,
    ThresholdPlan,
    UsageError,
)
from afere.exchange import RATING_SUFFIXES, RatingForm

__all__ = ["Asked", "Opened", "calibrate_sources", "calibrate_table", "read_source"]

MADE_WITH = ("model", "served_model", "weights", "prompt", "language")


class Opened(Protocol):
    """Opens the store; `make`: also where there is none yet."""

    def __call__(self, *, make: bool = False) -> AbstractAsyncContextManager[Store]:
        """Give the store for the length of a block."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a calibration is asked for.

    confidence_from: a source of a run's confidence, `all`, or None for the first that a run has.
    freeze: the file of the frozen threshold. provenance: what is declared of files. now: seconds
    since 1970.
    """

    policy: CalibrationPolicy
    form: RatingForm = field(default_factory=RatingForm)
    confidence_from: str | None = None
    freeze: Path | None = None
    provenance: Mapping[str, str] = field(default_factory=dict)
    now: float = 0.0

    @property
    def at(self) -> str:
        """The time of the command, as ISO 8601."""
        return datetime.fromtimestamp(self.now, UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Source:
    table: RatedTable
    sources: Mapping[str, SourceMeasures] = field(default_factory=dict)


async def calibrate_sources(
    sources: Sequence[str],
    asked: Asked,
    opened: Opened,
) -> Calibration | CalibrationComparison:
    """Calibrate one source, with a threshold; or measure several beside one another.

    A source is a file by its ending, else a run of the store. Raises UsageError.
    """
    from afere import analysis

    analysis.check_policy(asked.policy)
    found = [await read_source(source, asked, opened) for source in sources]
    if len(found) == 1:
        calibration = await calibrate_table(found[0].table, asked, opened)
        return replace(calibration, sources=found[0].sources)
    if asked.freeze is not None or asked.policy.declared or asked.policy.recalibrate:
        raise UsageError(
            "--freeze, --declared and --recalibrate take one file or run.\n"
            "Name one; several are measured beside one another"
        )
    measured = []
    for each in found:
        calibration = analysis.measure(each.table, asked.policy)
        if asked.policy.threshold is not None:
            threshold = analysis.prepare(each.table, asked.policy).outcome
            calibration = replace(calibration, threshold=threshold)
        measured.append(calibration)
    return analysis.measure_several([each.table for each in found], asked.policy, measured)


async def calibrate_table(table: RatedTable, asked: Asked, opened: Opened | None) -> Calibration:
    """Measure a table, choose a threshold and take its one look.

    The plan is written down before the reserved rows are read; the look is remembered before its
    result is told. opened: the store in which looks are kept, None where none is to be.
    """
    from afere import analysis

    policy = asked.policy
    calibration = analysis.measure(table, policy)
    prepared = analysis.prepare(table, policy)
    plan = prepared.plan
    if plan is None:
        if asked.freeze is not None and prepared.outcome is not None:
            raise UsageError(
                f"nothing to freeze: {prepared.outcome.why}.\n"
                "Collect more rows, or leave out --freeze"
            )
        return replace(calibration, threshold=prepared.outcome)
    look = Look(
        reserved=prepared.reserved_hash,
        data=prepared.data_hash,
        plan=prepared.plan_hash,
        threshold=plan.thresholds[0] if plan.thresholds else None,
        number=1,
        looks=plan.looks,
        at=asked.at,
        policy=policy,
    )
    kept = await _looked(look, plan, table.provenance, asked, opened)
    threshold = replace(analysis.look(prepared, plan), looked_at=kept.at)
    if asked.freeze is not None:
        Frozen(asked.freeze).finish(threshold)
    effect = None
    if plan.recalibration is not None and prepared.tuning is not None:
        effect = analysis.map_effect(plan.recalibration, prepared.tuning, prepared.tested, policy)
    return replace(calibration, threshold=threshold, recalibration=effect)


async def read_source(source: str, asked: Asked, opened: Opened) -> _Source:
    """Read a file, or the confidences of a run; raises UsageError."""
    if source.lower().endswith(RATING_SUFFIXES):
        return _Source(table=_from_file(Path(source), asked))
    from afere import analysis
    from afere.app import sides

    if asked.confidence_from == "file":
        raise UsageError(f"{source} is no file.\nFiles end in {', '.join(RATING_SUFFIXES)}")
    async with opened() as store:
        run = await sides.find_run(store, source)
        answers = [answer async for answer in store.answers(run.id)]
    tables = analysis.run_confidences(run, answers, percent=asked.form.percent)
    if asked.confidence_from == "all":
        best, measures = analysis.choose_source(tables, asked.policy)
        return _Source(table=tables[best], sources=measures)
    wanted = asked.confidence_from
    if wanted is not None and wanted not in tables:
        raise UsageError(
            f"{wanted} needs several rounds, and run {run.id} has one.\n"
            "Type: afere run … --rounds 5"
        )
    names = list(tables) if wanted is None else [wanted]
    for name in names:
        if any(value == value for value in tables[name].confidence):  # noqa: PLR0124 - NaN
            return _Source(table=tables[name])
    raise UsageError(_no_confidence(run.id, wanted))


def _no_confidence(run: str, wanted: str | None) -> str:
    mends = {
        "logprob": "Ask again with --param logprobs=true --param top_logprobs=20 --fresh",
        "stated": "Let the prompt ask for it: a JSON field `confidence`, or `Confidence: 0.9`",
    }
    mend = mends.get(wanted or "", "Ask for log-probabilities: --param logprobs=true --fresh")
    what = f"a confidence by {wanted}" if wanted else "a confidence"
    return f"no answer of run {run} has {what}.\n{mend}"


def _from_file(path: Path, asked: Asked) -> RatedTable:
    from afere import exchange

    if asked.confidence_from not in {None, "file"}:
        raise UsageError(
            f"--confidence-from {asked.confidence_from} is for runs, and {path} is a file.\n"
            "Leave it out"
        )
    table = exchange.read_ratings(path, asked.form)
    for name in asked.provenance:
        if name not in MADE_WITH:
            raise UsageError(f"--made-with takes {', '.join(MADE_WITH)}, not {name}.")
    declared: dict[str, Any] = dict(asked.provenance)
    return replace(table, provenance=Provenance(confidence_from="file", **declared))


async def _looked(
    look: Look,
    plan: ThresholdPlan,
    provenance: Provenance,
    asked: Asked,
    opened: Opened | None,
) -> Look:
    """Remember a look before it is taken, or give the one that it repeats; raises UsageError."""
    frozen = None
    if asked.freeze is not None:
        file = Frozen(asked.freeze)
        frozen = file.read()
        if frozen is not None:
            return _repeated(file, frozen, look)
    if opened is None:
        return look
    async with opened(make=True) as store:
        looks = await kept_looks(store, look)
        same = same_look(looks, look)
        if same is None:
            refuse_second(looks, look)
            look = replace(look, number=len(looks) + 1)
        if asked.freeze is not None:
            file = Frozen(asked.freeze)
            file.add(file.write(plan, provenance, at=asked.at), same or look)
        if same is None:
            await keep_look(store, look, now=asked.now)
    return same or look


def _repeated(file: Frozen, frozen: FrozenThreshold, look: Look) -> Look:
    same = same_look(frozen.looks, look)
    if same is not None:
        return same
    what = "another threshold" if frozen.plan_hash != look.plan else "other rows"
    raise UsageError(
        f"{file.path}: a second look is refused: it was frozen on {frozen.frozen_at[:10]} and its "
        f"look is taken, and this is {what}.\nName another file for new rows"
    )
