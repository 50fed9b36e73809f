"""The page's section on confidences: whether they are honest, and from which on to act alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from afere.domain import Calibration
from afere.report.calibrations import bins_table, tendency, threshold_lines
from afere.report.confidence_charts import coverage_chart, reliability_chart
from afere.report.filling import fill, page_words
from afere.report.harmless import one_line
from afere.report.sections import Section
from afere.report.subject import Subject
from afere.report.words import Words, message

__all__ = ["confidence_section"]

_DECIMALS = 4
_DRAWN = 4  # models whose charts are drawn; the table of measures has all
_BAR = 7  # the column of the bins' table that is drawn in characters


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """What is shown of one model."""

    name: str
    role: str
    told: Calibration
    lines: Sequence[str]
    warnings: Sequence[str]
    reliability: str
    coverage: str
    head: tuple[str, ...]
    bins: Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Cell:
    """A measure as a number, and as it is written."""

    value: float | str | None
    text: str


def confidence_section(
    told: Subject,
    calibrations: Sequence[Calibration | None],
    words: Words,
) -> Section | None:
    """Tell the confidences of each model that has some; None where none has.

    calibrations: one a side, in the order of `told.sides`.
    """
    words = page_words(words)
    known = [
        (name, role, side.run, found)
        for name, role, side, found in zip(
            told.names, told.roles, told.summaries, calibrations, strict=True
        )
        if found is not None
    ]
    if not known:
        return None
    return Section(
        id="confidence",
        title=words.say("Confidence: may it act alone?"),
        body=fill(
            "confidence",
            words,
            sides=[
                _side(name, role, run, found, words) for name, role, run, found in known[:_DRAWN]
            ],
            heads=[name for name, _, _, _ in known],
            rows=_measures([found for _, _, _, found in known], words),
            promise=words.say(
                "A promise holds for cases like these, answered by the same model, prompt and "
                "parameters."
            ),
        ),
    )


def _side(name: str, role: str, run: str, found: Calibration, words: Words) -> _Side:
    table = bins_table(found.bins, words)
    return _Side(
        name=name,
        role=role,
        told=found,
        lines=_lines(run, found, words),
        warnings=[words.tell(text) for text in (*found.warnings, *found.notes)],
        reliability=reliability_chart(found, name, words),
        coverage=coverage_chart(found, name, words),
        head=_without_bar(table.head),
        bins=[_without_bar(row) for row in table.rows],
    )


def _lines(run: str, found: Calibration, words: Words) -> list[str]:
    first = words.say(
        "{rows} with a confidence, {missing} without; confidence from {source}.",
        rows=words.many("{n} row", "{n} rows", n=found.n),
        missing=words.count(found.no_confidence),
        source=words.say(found.confidence_from),
    )
    looked = [line.text for line in threshold_lines(found.threshold, words)] or [
        words.say(
            "No threshold has been looked at. This one looks, once: {command}",
            command=f"afere calibrate {one_line(run, 80)}",
        )
    ]
    return [*looked, words.space.join((first, tendency(found, words)))]


def _without_bar(cells: tuple[str, ...]) -> tuple[str, ...]:
    return (*cells[:_BAR], *cells[_BAR + 1 :])


def _measures(known: Sequence[Calibration], words: Words) -> list[tuple[str, list[_Cell]]]:
    """Give the rows of the table of measures: the name, and a cell a model."""
    rows = []
    for name, measure in _MEASURES.items():
        values = [measure(each) for each in known]
        if any(value is not None for value in values):
            rows.append((words.say(name), [_cell(name, value, words) for value in values]))
    limits = [_Cell(None, _between(each.ece_interval, words)) for each in known]
    place = next(at for at, (name, _) in enumerate(rows) if name == words.say("ECE"))
    return [*rows[: place + 1], (words.say("interval"), limits), *rows[place + 1 :]]


def _between(limits: tuple[float, float], words: Words) -> str:
    low, high = (words.number(limit, _DECIMALS) for limit in limits)
    return words.say("{low} to {high}", low=low, high=high)


def _cell(name: str, value: float | str | None, words: Words) -> _Cell:
    if value is None:
        return _Cell(None, "–")
    if isinstance(value, str):
        return _Cell(value, value)
    if isinstance(value, int):
        return _Cell(value, words.count(value))
    return _Cell(value, words.percent(value) if name == "right" else words.number(value, _DECIMALS))


_MEASURES: dict[str, Callable[[Calibration], float | str | None]] = {
    message("rows"): lambda each: each.n,
    message("right"): lambda each: each.accuracy,
    message("ECE"): lambda each: each.ece,
    message("debiased"): lambda each: each.ece_debiased,
    message("smooth ECE"): lambda each: each.smooth_ece,
    message("largest gap of a bin"): lambda each: each.mce,
    message("Brier"): lambda each: each.brier,
    message("log loss"): lambda each: each.log_loss,
    message("AUROC"): lambda each: each.auroc,
    message("AURC"): lambda each: each.aurc,
    message("E-AURC"): lambda each: each.e_aurc,
}
