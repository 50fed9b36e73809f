"""Charts of confidences: how honest they are, and what is accepted at which error rate."""

from collections.abc import Mapping
from typing import Any

from afere.domain import Calibration
from afere.report.charts import Spec, drawn, number_axis
from afere.report.words import Words

__all__ = ["coverage_chart", "reliability_chart"]

_TONE = "var(--cand)"
_MARKED = 25  # points of a curve that name their numbers; the line goes through all of them
Layer = dict[str, Any]


def reliability_chart(calibration: Calibration, name: str, words: Words) -> str:
    """Draw what was right against what was said, bin by bin; empty without the library."""
    x = _share("confidence", words.say("confidence"))
    y = _share("accuracy", words.say("right"))
    y["axis"] |= {"title": words.say("share that is right")}
    counts = [
        {"field": "low", "type": "quantitative", "title": words.say("from")},
        {"field": "high", "type": "quantitative", "title": words.say("until")},
        {"field": "n", "type": "quantitative", "title": "n"},
    ]
    bars: Layer = {
        "mark": {"type": "rect", "opacity": 0.16, "aria": False, "color": _TONE},
        "encoding": {
            "x": {**x, "field": "low"},
            "x2": {"field": "high"},
            "y": y,
            "y2": {"datum": 0},
        },
    }
    intervals: Layer = {
        "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.6, "color": _TONE},
        "encoding": {
            "x": x,
            "y": {**y, "field": "least", "title": words.say("low")},
            "y2": {"field": "most", "title": words.say("high")},
        },
    }
    points: Layer = {
        "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, "color": _TONE},
        "encoding": {"x": x, "y": y, "detail": counts},
    }
    labels: Layer = {
        "mark": {"type": "text", "aria": False, "baseline": "bottom"},
        "encoding": {
            "x": {**x, "field": "middle"},
            "y": {"value": -8},
            "text": {"field": "count"},
        },
    }
    layers = [_diagonal(), *_isotonic(calibration), bars, intervals, points, labels]
    told = words.say("{name}: share that is right against confidence, bin by bin", name=name)
    spec = {"data": {"values": _bins(calibration, words)}, "layer": layers}
    return drawn(spec, told, height=300, words=words)


def coverage_chart(calibration: Calibration, name: str, words: Words) -> str:
    """Draw the error rate among accepted over their share; empty without the library.

    The threshold that was looked at stands there with its upper bound, and the promise as a line.
    """
    x = _share("coverage", words.say("coverage"))
    y = number_axis("error_rate", words.say("error rate"), percent=True, zero=True)
    y["axis"] |= {"title": words.say("error rate among accepted")}
    curve = [each.to_dict() for each in calibration.coverage_curve]
    step = max(1, -(-len(curve) // _MARKED))
    marked = [*curve[::step], *(curve[-1:] if (len(curve) - 1) % step else [])]
    line: Layer = {
        "data": {"values": curve},
        "mark": {"type": "line", "interpolate": "step-after", "aria": False, "color": _TONE},
        "encoding": {"x": x, "y": y, "order": {"field": "accepted"}},
    }
    points: Layer = {
        "data": {"values": marked},
        "mark": {"type": "point", "filled": True, "size": 22, "opacity": 1, "color": _TONE},
        "encoding": {
            "x": x,
            "y": y,
            "detail": [
                _field("threshold", words.say("threshold")),
                _field("accepted", words.say("accepted")),
                _field("errors", words.say("errors")),
            ],
        },
    }
    layers = [line, points, *_looked_at(calibration, x, y, words)]
    told = words.say("{name}: error rate among accepted against coverage", name=name)
    return drawn({"layer": layers}, told, height=240, words=words)


def _looked_at(calibration: Calibration, x: Spec, y: Spec, words: Words) -> list[Layer]:
    """Draw the promise, and the threshold that was looked at with its upper bound."""
    threshold = calibration.threshold
    if threshold is None:
        return []
    layers: list[Layer] = [
        {
            "data": {"values": [{"promised": threshold.max_error}]},
            "mark": {"type": "rule", "strokeDash": [5, 4], "color": "var(--ink)"},
            "encoding": {"y": {**y, "field": "promised", "title": words.say("promised at most")}},
        }
    ]
    if threshold.coverage is None or threshold.error_rate is None or threshold.upper_bound is None:
        return layers
    colour = "var(--better)" if threshold.certified else "var(--worse)"
    said = words.say("certified") if threshold.certified else words.say("not certified")
    data = {
        "values": [
            {
                "coverage": threshold.coverage,
                "error_rate": threshold.error_rate,
                "upper_bound": threshold.upper_bound,
                "threshold": threshold.value,
                "state": said,
            }
        ]
    }
    bound: Layer = {
        "data": data,
        "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.7, "color": colour},
        "encoding": {
            "x": x,
            "y": {**y, "title": words.say("error rate")},
            "y2": {"field": "upper_bound", "title": words.say("at most")},
        },
    }
    point: Layer = {
        "data": data,
        "mark": {
            "type": "point",
            "shape": "diamond",
            "filled": True,
            "size": 150,
            "opacity": 1,
            "color": colour,
        },
        "encoding": {
            "x": x,
            "y": y,
            "detail": [
                _field("threshold", words.say("threshold")),
                {"field": "state", "type": "nominal", "title": words.say("what it is")},
            ],
        },
    }
    label: Layer = {
        "data": data,
        "mark": {"type": "text", "aria": False, "align": "right", "dx": -10, "dy": -10},
        "encoding": {"x": x, "y": y, "text": {"field": "state"}},
    }
    return [*layers, bound, point, label]


def _bins(calibration: Calibration, words: Words) -> list[Mapping[str, object]]:
    found: list[Mapping[str, object]] = []
    for each in calibration.bins:
        if each.accuracy is None or each.confidence is None or each.interval is None:
            continue
        low, high = max(0.0, each.low), min(1.0, each.high)
        found.append(
            {
                "low": low,
                "high": high,
                "middle": (low + high) / 2,
                "n": each.n,
                "count": words.say("n = {n}", n=words.count(each.n)),
                "confidence": each.confidence,
                "accuracy": each.accuracy,
                "least": each.interval[0],
                "most": each.interval[1],
            }
        )
    return found


def _diagonal() -> Layer:
    """Draw where confidence and share that is right are the same."""
    ends = [{"confidence": end, "accuracy": end} for end in (0, 1)]
    return {
        "data": {"values": ends},
        "mark": {"type": "line", "strokeDash": [5, 4], "aria": False, "color": "var(--soft)"},
        "encoding": {"x": _share("confidence", ""), "y": _share("accuracy", "")},
    }


def _isotonic(calibration: Calibration) -> list[Layer]:
    """Draw the isotonic fit and the band in which an honest one lies mostly."""
    if len(calibration.curve) <= 1:
        return []
    x, y = _share("confidence", ""), _share("fitted", "")
    data = {"values": [each.to_dict() for each in calibration.curve]}
    band: Layer = {
        "data": data,
        "mark": {"type": "area", "opacity": 0.5, "aria": False, "color": "var(--band)"},
        "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}},
    }
    fit: Layer = {
        "data": data,
        "mark": {"type": "line", "strokeWidth": 1.5, "aria": False, "color": "var(--worse)"},
        "encoding": {"x": x, "y": y},
    }
    return [band, fit]


def _share(field: str, title: str) -> Spec:
    """Give an axis from 0 to 1, in percent."""
    found = number_axis(field, title, percent=True, zero=True)
    axis = found["axis"] | {"values": [0, 0.25, 0.5, 0.75, 1]}
    return {**found, "scale": {"domain": [0, 1]}, "axis": axis}


def _field(name: str, title: str) -> Spec:
    return {"field": name, "type": "quantitative", "title": title}
