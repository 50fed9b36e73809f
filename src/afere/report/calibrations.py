"""The report of a calibration for the terminal: the threshold first, then what it rests on."""

from collections.abc import Mapping, Sequence
from typing import Any

from afere.domain import (
    BinState,
    Calibration,
    CalibrationBin,
    CalibrationComparison,
    CalibrationGap,
    CalibrationPlan,
    CategoryAtThreshold,
    CertificateNeeded,
    SourceMeasures,
    Threshold,
)
from afere.report.blocks import Block, Line, Report, Style, Table
from afere.report.harmless import one_line
from afere.report.words import ENGLISH, Words, message

__all__ = [
    "applied_report",
    "bins_table",
    "calibration_report",
    "calibrations_report",
    "certificate_plan_report",
    "tendency",
    "threshold_lines",
    "threshold_sentence",
]

_NAME = 40
_SOURCES = (
    message("file"),
    message("logprob"),
    message("stated"),
    message("agreement"),
)
_BAR = 20
_CATEGORIES = 20
_POINTS = 10
_SHOWN = 20
_DECIMALS = 4


def calibration_report(calibration: Calibration, *, words: Words = ENGLISH) -> Report:
    """Tell a calibration: whether to act alone, how honest the confidences are, and where not."""
    return Report(
        (
            tuple(threshold_lines(calibration.threshold, words)),
            tuple(_measures(calibration, words)),
            (bins_table(calibration.bins, words),),
            tuple(_coverage(calibration, words)),
            tuple(_categories(calibration, words)),
            tuple(_sources(calibration.sources, words)),
            tuple(_recalibration(calibration, words)),
            tuple(_warnings(calibration, words)),
            tuple(_promise(calibration, words)),
        )
    )


def calibrations_report(found: CalibrationComparison, *, words: Words = ENGLISH) -> Report:
    """Tell several calibrations in one table, and whose order is shown."""
    head = words.each("name", "rows", "accuracy", "ECE", "interval", "Brier", "AURC")
    rows = [
        (
            one_line(each.name, _NAME),
            words.count(each.n),
            words.percent(each.accuracy),
            words.number(each.ece, _DECIMALS),
            _between(each.ece_interval, words),
            words.number(each.brier, _DECIMALS),
            words.number(each.aurc, _DECIMALS),
        )
        for each in found.calibrations
    ]
    sections: list[tuple[Block, ...]] = [
        (Table(head=head, rows=rows, align="lrrrrrr"),),
        tuple(Line(_gap(pair, words)) for pair in found.pairs),
    ]
    for each in found.calibrations:
        name = Line(one_line(each.name, _NAME), Style.STRONG)
        sections.append(
            (name, *threshold_lines(each.threshold, words), bins_table(each.bins, words))
        )
    return Report(tuple(sections))


def certificate_plan_report(plan: CalibrationPlan, *, words: Words = ENGLISH) -> Report:
    """Tell how many cases to collect for a promise."""
    asked = plan.assumptions
    promise = words.level(asked["max_error"])
    if plan.cases is None or plan.accepted is None or plan.with_tuning is None:
        head = words.say(
            "No number of cases is enough: with a true error of {true} the promise of {promise} "
            "does not hold.",
            true=words.level(asked["true_error"]),
            promise=promise,
        )
    else:
        head = words.say(
            "Collect {cases} cases with known answers: half to choose the threshold on, as many "
            "reserved for the one look.",
            cases=words.count(plan.with_tuning),
        )
        if asked["share"] != 0.5:  # noqa: PLR2004 - half
            head = words.say(
                "Collect {cases} cases with known answers: {reserved} of them reserved for the one "
                "look.",
                cases=words.count(plan.with_tuning),
                reserved=words.count(plan.cases),
            )
    lines = [Line(head, Style.STRONG)]
    if plan.cases is not None and plan.accepted is not None:
        lines.append(
            Line(
                words.say(
                    "{accepted} accepted cases certify at most {promise} errors with a chance of "
                    "{power}; at a coverage of {coverage} that is {cases} reserved cases.",
                    accepted=words.count(plan.accepted),
                    promise=promise,
                    power=words.level(plan.power),
                    coverage=words.level(asked["coverage"]),
                    cases=words.count(plan.cases),
                )
            )
        )
        lines.append(
            Line(
                words.say(
                    "A threshold declared before the cases are seen needs no tuning part: {cases} "
                    "cases.",
                    cases=words.count(plan.cases),
                )
            )
        )
    assumed = words.say(
        "Assumed: a true error of {true} among accepted cases, a promise with {confidence} "
        "confidence.",
        true=words.level(asked["true_error"]),
        confidence=words.level(asked["confidence"]),
    )
    needed = [] if plan.needed is None else [Line(_needed(plan.needed, asked["max_error"], words))]
    return Report((tuple(lines), (*needed, Line(assumed, Style.FAINT))))


def applied_report(
    answers: Sequence[Mapping[str, Any]],
    *,
    threshold: float | None,
    certified: bool,
    changed: Sequence[str] = (),
    words: Words = ENGLISH,
) -> Report:
    """Tell which cases a frozen threshold accepts."""
    accepted = sum(bool(row["accepted"]) for row in answers)
    head = words.say(
        "{accepted} of {rows} cases are accepted at {threshold}.",
        accepted=words.count(accepted),
        rows=words.count(len(answers)),
        threshold=_value(threshold, words),
    )
    said = (
        words.say("The threshold is certified for answers like those it was measured on.")
        if certified
        else words.say("The threshold is not certified: no error rate is promised.")
    )
    rows = [
        (
            one_line(str(row["id"]), _NAME),
            _value(row["confidence"], words),
            _value(row["calibrated"], words),
            words.say("accepted") if row["accepted"] else words.say("to a person"),
        )
        for row in answers[:_SHOWN]
    ]
    sections: list[tuple[Block, ...]] = [
        (Line(head, Style.STRONG), Line(said)),
        (
            Table(
                head=words.each("case", "confidence", "after the map", "what to do"),
                rows=rows,
                align="lrrl",
            ),
        ),
    ]
    if len(answers) > _SHOWN:
        left = words.count(len(answers) - _SHOWN)
        sections.append((Line(words.say("… and {n} more", n=left), Style.FAINT),))
    sections.append(
        tuple(Line(words.say("Warning: {text}", text=text), Style.CAREFUL) for text in changed)
    )
    return Report(tuple(sections))


def threshold_sentence(threshold: Threshold, *, words: Words = ENGLISH) -> str:
    """Say in a line whether the threshold may be acted on."""
    value = _value(threshold.value, words)
    if threshold.certified:
        return words.say(
            "Act alone from {threshold} on: at most {promise} errors among accepted cases, "
            "certified with {confidence} confidence.",
            threshold=value,
            promise=words.level(threshold.max_error),
            confidence=words.level(threshold.confidence),
        )
    if threshold.value is None:
        return words.say("No threshold to act alone from.")
    return words.say("No certificate at {threshold}.", threshold=value)


def threshold_lines(threshold: Threshold | None, words: Words) -> list[Line]:
    """Tell a threshold: whether to act from it on, what was counted, why, and how it was found."""
    if threshold is None:
        return []
    style = Style.GOOD if threshold.certified else Style.CAREFUL
    lines = [Line(threshold_sentence(threshold, words=words), style)]
    if threshold.accepted is not None and threshold.tested_on is not None:
        lines.append(Line(_counts(threshold, words)))
    why = words.tell(threshold.why)
    lines.append(Line(words.say("{text}.", text=f"{why[:1].upper()}{why[1:]}")))
    lines.append(Line(_how(threshold, words), Style.FAINT))
    return lines


def _counts(threshold: Threshold, words: Words) -> str:
    accepted, errors = threshold.accepted or 0, threshold.errors or 0
    if threshold.unit == "group":
        size = (threshold.tested_on.groups or 0) if threshold.tested_on else 0
        return words.say(
            "{accepted} of {all} groups accepted ({coverage}), {errors} wrong ({rate}); the true "
            "rate is at most {bound}.",
            accepted=words.count(accepted),
            all=words.count(size),
            coverage=words.percent(threshold.coverage),
            errors=words.count(errors),
            rate=words.percent(threshold.error_rate),
            bound=words.percent(threshold.upper_bound),
        )
    size = threshold.tested_on.rows if threshold.tested_on else 0
    return words.say(
        "{accepted} of {all} cases accepted ({coverage}), {errors} wrong ({rate}); the true rate "
        "is at most {bound}.",
        accepted=words.count(accepted),
        all=words.count(size),
        coverage=words.percent(threshold.coverage),
        errors=words.count(errors),
        rate=words.percent(threshold.error_rate),
        bound=words.percent(threshold.upper_bound),
    )


def _how(threshold: Threshold, words: Words) -> str:
    match threshold.procedure:
        case "given":
            return (
                words.say("Procedure: a threshold declared beforehand, one look at all cases.")
                if threshold.declared
                else words.say("Procedure: a given threshold, seen on all cases.")
            )
        case "no-reserved":
            return words.say(
                "Procedure: no-reserved. All cases were searched, and the search is paid for out "
                "of the error budget."
            )
        case "sequence":
            first = words.say(
                "Procedure: sequence. Thresholds fixed on the tuning part were tested in turn on "
                "the reserved part."
            )
        case _:
            first = words.say(
                "Procedure: single. Chosen on the tuning part, looked at once on the reserved part."
            )
    parts = [first]
    if threshold.chosen_on is not None and threshold.tested_on is not None:
        parts.append(
            words.say(
                "{tuning} rows for tuning, {reserved} reserved.",
                tuning=words.count(threshold.chosen_on.rows),
                reserved=words.count(threshold.tested_on.rows),
            )
        )
    if threshold.looked_at is not None:
        parts.append(words.say("The look was taken on {date}.", date=threshold.looked_at[:10]))
    return words.space.join(parts)


def _measures(calibration: Calibration, words: Words) -> list[Block]:
    first = words.say(
        "{name}: {rows} with a confidence, {accuracy} right; confidence from {source}.",
        name=one_line(calibration.name, _NAME),
        rows=words.many("{n} row", "{n} rows", n=calibration.n),
        accuracy=words.percent(calibration.accuracy),
        source=words.say(calibration.confidence_from),
    )
    error = words.say(
        "Calibration error (ECE) {ece}, {level} interval {interval}; largest gap of a bin {mce}.",
        ece=words.number(calibration.ece, _DECIMALS),
        level=words.level(calibration.level),
        interval=_between(calibration.ece_interval, words),
        mce=words.number(calibration.mce, _DECIMALS),
    )
    lines: list[Block] = [Line(first), Line(error), Line(tendency(calibration, words))]
    numbers = [
        ("Brier", calibration.brier),
        (words.say("log loss"), calibration.log_loss),
        (words.say("smooth ECE"), calibration.smooth_ece),
        (words.say("debiased"), calibration.ece_debiased),
        (words.say("equal mass"), calibration.ece_equal_mass),
        ("AUROC", calibration.auroc),
        ("AURC", calibration.aurc),
        ("E-AURC", calibration.e_aurc),
    ]
    listed = words.listing(
        f"{name} {_number(value, words)}" for name, value in numbers if value is not None
    )
    lines.append(Line(listed, Style.FAINT))
    asked, made = calibration.equal_mass_bins
    if made < asked:
        lines.append(
            Line(
                words.say(
                    "Equal mass: {asked} bins asked, {made} made (ties).", asked=asked, made=made
                ),
                Style.FAINT,
            )
        )
    return lines


def tendency(calibration: Calibration, words: Words) -> str:
    """Say whether confidence is too high or too low on the whole."""
    gap = calibration.signed_gap
    points = words.margin(abs(round(gap, 3)))
    if gap > 0:
        return words.say("On the whole confidence is too high, by {points}.", points=points)
    if gap < 0:
        return words.say("On the whole confidence is too low, by {points}.", points=points)
    return words.say("On the whole confidence is neither too high nor too low.")


def bins_table(bins: Sequence[CalibrationBin], words: Words) -> Table:
    """Tell each bin; the last column but one is drawn in characters."""
    head = words.each(
        "confidence from", "n", "said", "right", "interval", "gap", "of the ECE", "what it is"
    )
    return Table(
        head=(*head[:-1], "", head[-1]),
        rows=[_bin(each, words, last=each is bins[-1]) for each in bins],
        align="lrrrrrrll",
    )


def _bin(each: CalibrationBin, words: Words, *, last: bool) -> tuple[str, ...]:
    end = "]" if last else ")"
    name = f"[{_value(each.low, words)}; {_value(each.high, words)}{end}"
    state = {
        BinState.OVERCONFIDENT: words.say("overconfident"),
        BinState.UNDERCONFIDENT: words.say("underconfident"),
        BinState.NOT_DECIDED: words.say("not decided"),
        BinState.EMPTY: words.say("empty"),
    }[each.state]
    if each.accuracy is None or each.confidence is None or each.gap is None:
        return (name, "0", "–", "–", "–", "–", "–", "", state)
    return (
        name,
        words.count(each.n),
        words.percent(each.confidence),
        words.percent(each.accuracy),
        words.percent_limits(each.interval),
        words.points(each.gap, sign=True),
        words.number(each.contribution, _DECIMALS),
        _bar(each.accuracy, each.confidence),
        state,
    )


def _bar(accuracy: float, confidence: float) -> str:
    """Draw accuracy as a bar, with a mark where the confidence stands."""
    filled = round(accuracy * _BAR)
    cells = ["█"] * filled + ["·"] * (_BAR - filled)
    cells[min(_BAR - 1, int(confidence * _BAR))] = "|"
    return "".join(cells)


def _coverage(calibration: Calibration, words: Words) -> list[Block]:
    points = calibration.coverage_curve
    if not points:
        return []
    step = max(1, -(-len(points) // _POINTS))
    shown = [*points[::step]]
    if shown[-1] is not points[-1]:
        shown.append(points[-1])
    rows = [
        (
            _value(point.threshold, words),
            words.count(point.accepted),
            words.percent(point.coverage),
            words.count(point.errors),
            words.percent(point.error_rate),
        )
        for point in shown
    ]
    head = words.each("threshold", "accepted", "coverage", "errors", "error rate")
    return [
        Line(words.say("What each threshold accepts of all rows (no certificate):"), Style.FAINT),
        Table(head=head, rows=rows, align="rrrrr"),
    ]


def _categories(calibration: Calibration, words: Words) -> list[Block]:
    if not calibration.by_category:
        return []
    at = calibration.threshold.by_category if calibration.threshold is not None else {}
    head = words.each("category", "n", "right", "ECE", "accepted", "errors", "at most")
    names = sorted(calibration.by_category, key=lambda name: -calibration.by_category[name].n)
    rows = [
        (
            one_line(name, _NAME),
            words.count(calibration.by_category[name].n),
            words.percent(calibration.by_category[name].accuracy),
            words.number(calibration.by_category[name].ece, _DECIMALS),
            *_at_threshold(at.get(name), words),
        )
        for name in names[:_CATEGORIES]
    ]
    found: list[Block] = [Table(head=(*head, ""), rows=rows, align="lrrrrrrl")]
    if len(names) > _CATEGORIES:
        left = words.count(len(names) - _CATEGORIES)
        found.append(Line(words.say("… and {n} more", n=left), Style.FAINT))
    if at:
        found.append(
            Line(
                words.say("Categories at the threshold are descriptive: none is certified alone."),
                Style.FAINT,
            )
        )
    return found


def _at_threshold(found: CategoryAtThreshold | None, words: Words) -> tuple[str, ...]:
    if found is None:
        return ("–", "–", "–", "")
    return (
        words.count(found.accepted),
        words.count(found.errors),
        words.percent(found.upper_bound),
        words.tell(found.warning) if found.warning is not None else "",
    )


def _sources(sources: Mapping[str, SourceMeasures], words: Words) -> list[Block]:
    if not sources:
        return []
    head = words.each(
        "confidence from", "n", "right", "ECE", "Brier", "AUROC", "AURC", "could be certified"
    )
    rows = [
        (
            words.say(name),
            words.count(each.n),
            words.percent(each.accuracy),
            words.number(each.ece, _DECIMALS),
            words.number(each.brier, _DECIMALS),
            _number(each.auroc, words),
            words.number(each.aurc, _DECIMALS),
            words.percent(each.expected_coverage),
            words.say("chosen") if each.chosen else "",
        )
        for name, each in sources.items()
    ]
    return [
        Line(words.say("Sources of confidence, compared on the tuning part:")),
        Table(head=(*head, ""), rows=rows, align="lrrrrrrrl"),
    ]


def _recalibration(calibration: Calibration, words: Words) -> list[Block]:
    found = calibration.recalibration
    if found is None:
        return []
    return [
        Line(
            words.say(
                "Recalibrated by {method}, fitted on {tuning} rows; on the {reserved} reserved "
                "rows the ECE goes from {before} to {after}, the Brier score from {first} to "
                "{second}.",
                method=found.method,
                tuning=words.count(found.fitted_on.rows),
                reserved=words.count(found.measured_on.rows),
                before=words.number(found.ece_before, _DECIMALS),
                after=words.number(found.ece_after, _DECIMALS),
                first=words.number(found.brier_before, _DECIMALS),
                second=words.number(found.brier_after, _DECIMALS),
            )
        )
    ]


def _warnings(calibration: Calibration, words: Words) -> list[Block]:
    texts = [words.tell(text) for text in calibration.warnings]
    if calibration.threshold is not None:
        texts += [words.tell(text) for text in calibration.threshold.warnings]
    if calibration.no_confidence:
        texts.append(
            words.many(
                "{n} row has no confidence: it is in no measure and never accepted",
                "{n} rows have no confidence: they are in no measure and never accepted",
                n=calibration.no_confidence,
            )
        )
    if calibration.skipped:
        texts.append(
            words.many(
                "{n} row of another kind was passed over",
                "{n} rows of another kind were passed over",
                n=calibration.skipped,
            )
        )
    if calibration.without_group:
        texts.append(
            words.many(
                "{n} row has no group and counts as one by itself",
                "{n} rows have no group and count as one each",
                n=calibration.without_group,
            )
        )
    if calibration.band_blocks is not None:
        texts.append(
            words.say(
                "the band of the reliability curve is drawn on {n} blocks of confidences",
                n=words.count(calibration.band_blocks),
            )
        )
    return [Line(words.say("Warning: {text}", text=text), Style.CAREFUL) for text in texts]


def _promise(calibration: Calibration, words: Words) -> list[Block]:
    max_error = calibration.threshold.max_error if calibration.threshold is not None else None
    lines: list[Block] = []
    if max_error is not None:
        lines.append(Line(_needed(calibration.needed, max_error, words), Style.FAINT))
    lines.append(
        Line(
            words.say(
                "Bins are [low; high), the last one closed; a promise holds for cases like these, "
                "answered by the same model, prompt and parameters."
            ),
            Style.FAINT,
        )
    )
    return lines


def _needed(needed: CertificateNeeded, max_error: float, words: Words) -> str:
    return words.say(
        "To certify {promise}: {n} accepted cases without an error, {more} with 1, 2, 3 errors.",
        promise=words.level(max_error),
        n=words.count(needed.accepted_without_error),
        more=words.listing(words.count(n) for n in needed.with_errors.values()),
    )


def _gap(pair: CalibrationGap, words: Words) -> str:
    names = {"a": one_line(pair.a, _NAME), "b": one_line(pair.b, _NAME)}
    if pair.difference is None:
        return words.say("{a} and {b} have no case in common.", **names)
    said = words.say("order shown") if pair.order_shown else words.say("order not shown")
    return words.say(
        "ECE of {a} minus {b} on {rows} common cases: {difference}, interval {interval}: {said}.",
        rows=words.count(pair.rows),
        difference=words.number(pair.difference, _DECIMALS),
        interval=_between(pair.interval, words),
        said=said,
        **names,
    )


def _between(limits: tuple[float, float] | None, words: Words) -> str:
    if limits is None:
        return "–"
    low, high = (words.number(limit, _DECIMALS) for limit in limits)
    return words.say("{low} to {high}", low=low, high=high)


def _number(value: float | str | None, words: Words) -> str:
    if value is None:
        return "–"
    return words.number(value, _DECIMALS) if isinstance(value, float) else str(value)


def _value(value: float | None, words: Words) -> str:
    return "–" if value is None else words.written(f"{value:.6g}")
