"""Charts with two axes, drawn by Vega-Lite into SVG that stands in the page.

Colours are the page's own variables, so that a chart follows its light and dark dress; each mark's
`aria-label` names its numbers. Each chart is drawn twice, for a wide and a narrow window. The
library (`vl-convert-python`, in the extra `report`) is a large one: where it is absent the tables,
which hold the same numbers, stand alone.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from afere.report.harmless import cut, one_line
from afere.report.subject import Subject
from afere.report.words import Words, message

__all__ = [
    "Spec",
    "can_draw",
    "cost_chart",
    "drawn",
    "latency_chart",
    "letters_chart",
    "number_axis",
]

Spec = dict[str, Any]  # a Vega-Lite chart is plain JSON data by its own schema

_WIDE, _NARROW = 1000, 330
_LABEL = 24  # characters of a name beside its point
_MANY_TIMES = 30  # a scale that spans more is drawn by its logarithm
_SIZE = re.compile(r' width="[\d.]+" height="[\d.]+"')


def can_draw() -> bool:
    """Tell whether the library that draws charts is at hand."""
    try:
        import vl_convert  # noqa: F401 - only whether it is there
    except ImportError:
        return False
    return True


def cost_chart(told: Subject, words: Words) -> str:
    """Draw cost against score, with intervals; empty where fewer than two models have a cost."""
    points: list[dict[str, object]] = [
        {
            "model": name,
            "cost": side.cost,
            "score": side.score,
            "low": side.interval[0] if side.interval else side.score,
            "high": side.interval[1] if side.interval else side.score,
            "role": words.say(role),
        }
        for name, role, side in zip(told.names, told.roles, told.summaries, strict=True)
        if side.cost is not None and side.score is not None
    ]
    if len(points) <= 1:
        return ""
    costs = [
        side.cost for side in told.summaries if side.cost is not None and side.score is not None
    ]
    spread = min(costs) > 0 and max(costs) > _MANY_TIMES * min(costs)
    x = number_axis("cost", words.say("cost in US dollars"), log=spread, zero=not spread)
    y = number_axis("score", words.say("score"), percent=True)
    y["axis"] |= {"title": words.say("score")}
    interval = {
        "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.55},
        "encoding": {
            "x": x,
            "y": {**y, "field": "low", "title": words.say("low")},
            "y2": {"field": "high", "title": words.say("high")},
            "color": _colour(words),
            "detail": {"field": "model", "title": words.say("model")},
        },
    }
    point = {
        "mark": {"type": "point", "filled": True, "size": 110, "opacity": 1},
        "encoding": {
            "x": x,
            "y": y,
            "color": _colour(words),
            "shape": _shape(words),
            "detail": {"field": "model", "title": words.say("model")},
        },
    }
    labels = [
        {
            "transform": [{"filter": f"datum.put === '{put}'"}],
            "mark": {"type": "text", "aria": False, "align": align, "dx": dx, "dy": dy},
            "encoding": {"x": x, "y": y, "text": {"field": "label"}},
        }
        for put, (align, dx, dy) in _PUTS.items()
    ]
    for point_, put in zip(sorted(points, key=_by_cost), _puts(sorted(costs)), strict=True):
        point_ |= {"put": put, "label": cut(str(point_["model"]), _LABEL)}
    return drawn(
        {"data": {"values": points}, "layer": [interval, point, *labels]},
        words.say("Cost against score, one point a model"),
        height=260,
        words=words,
    )


_PUTS = {
    "right": ("left", 10, -8),
    "right-below": ("left", 10, 14),
    "left": ("right", -10, -8),
    "left-below": ("right", -10, 14),
}


def _by_cost(point: Mapping[str, object]) -> float:
    return float(str(point["cost"]))


def _puts(costs: Sequence[float]) -> list[str]:
    """Say on which side of its point each label stands, so that neighbours rarely collide."""
    middle, counts = (costs[0] + costs[-1]) / 2, {"right": 0, "left": 0}
    puts = []
    for cost in costs:
        side = "right" if cost < middle else "left"
        puts.append(side if counts[side] % 2 == 0 else f"{side}-below")
        counts[side] += 1
    return puts


def latency_chart(told: Subject, words: Words) -> str:
    """Draw each model's median latency and where 95 % lie; empty for fewer than two models."""
    points = [
        {"model": name, "median": latency.p50, "most": latency.p95, "role": words.say(role)}
        for name, role, latency in zip(
            told.names, told.roles, (side.latency for side in told.summaries), strict=True
        )
        if latency.p50 is not None and latency.p95 is not None
    ]
    if len(points) <= 1:
        return ""
    across = number_axis("median", words.say("median, seconds"), zero=True)
    across["axis"] |= {"title": words.say("seconds")}
    lanes = {
        "field": "model",
        "type": "nominal",
        "title": words.say("model"),
        "sort": [point["model"] for point in points],
        "axis": None,
    }
    until = {
        "mark": {"type": "rule", "strokeWidth": 4, "strokeCap": "round", "aria": False},
        "encoding": {"x": across, "x2": {"field": "most"}, "y": lanes, "color": _colour(words)},
    }
    middle = {
        "mark": {"type": "point", "filled": True, "size": 110, "opacity": 1},
        "encoding": {"x": across, "y": lanes, "color": _colour(words), "shape": _shape(words)},
    }
    end = {
        "mark": {"type": "tick", "thickness": 3, "size": 14},
        "encoding": {
            "x": {**across, "field": "most", "title": words.say("95 % within, seconds")},
            "y": lanes,
            "color": _colour(words),
        },
    }
    name = {
        "mark": {"type": "text", "align": "left", "dy": -15, "aria": False},
        "encoding": {"x": {"value": 0}, "y": lanes, "text": {"field": "model"}},
    }
    return drawn(
        {"data": {"values": points}, "layer": [until, middle, end, name]},
        words.say("Latency: the dot is the median, the line ends where 95 % of calls lie"),
        height=50 * len(points),
        words=words,
    )


def letters_chart(told: Subject, words: Words) -> str:
    """Draw how often each letter was chosen against how often it is the key; empty without."""
    values: list[Mapping[str, object]] = []
    for name, role, side in zip(told.names, told.roles, told.summaries, strict=True):
        totals = [sum(counts[what] for counts in side.letters.values()) for what in _CHOICES]
        values += [
            {
                "model": name,
                "role": words.say(role),
                "letter": one_line(letter, 12),
                "chosen": counts["chosen"] / totals[0],
                "key": counts["key"] / totals[1],
            }
            for letter, counts in sorted(side.letters.items())
            if all(totals)
        ]
    if not values:
        return ""
    x = {
        "field": "letter",
        "type": "nominal",
        "title": words.say("letter"),
        "axis": {"labelAngle": 0},
    }
    beside = {"field": "model", "title": words.say("model"), "sort": None}
    chosen = number_axis("chosen", words.say("chosen"), percent=True, zero=True)
    chosen["axis"] |= {"title": words.say("chosen")}
    key = {**chosen, "field": "key", "title": words.say("in the key")}
    bars = {
        "mark": {"type": "bar", "opacity": 0.85},
        "encoding": {"x": x, "xOffset": beside, "y": chosen, "color": _colour(words)},
    }
    keys = {
        "mark": {"type": "tick", "thickness": 3, "color": "var(--ink)"},
        "encoding": {"x": x, "xOffset": beside, "y": key},
    }
    return drawn(
        {"data": {"values": values}, "layer": [bars, keys]},
        words.say("Letters chosen (bars) against those of the key (lines)"),
        height=200,
        words=words,
    )


_CHOICES = ("chosen", "key")
_TONES = {
    message("baseline"): "var(--base)",
    message("candidate"): "var(--cand)",
    message("model"): "var(--cand)",
}


def _colour(words: Words) -> Spec:
    return _by_role(words, list(_TONES.values()))


def _shape(words: Words) -> Spec:
    return _by_role(words, ["circle", "square", "circle"])


def _by_role(words: Words, looks: list[str]) -> Spec:
    roles = [words.say(role) for role in _TONES]
    return {
        "field": "role",
        "type": "nominal",
        "title": words.say("role"),
        "legend": None,
        "scale": {"domain": roles, "range": looks},
    }


def number_axis(
    field: str,
    title: str,
    *,
    percent: bool = False,
    log: bool = False,
    zero: bool = False,
) -> Spec:
    """Give the encoding of a field of numbers, with its axis."""
    scale: Spec = {"type": "log"} if log else {"zero": zero, "nice": True}
    axis: Spec = {"tickCount": 5}
    if percent:
        axis["labelExpr"] = "format(datum.value * 100, '~g') + ' %'"
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}


def drawn(spec: Spec, told: str, *, height: int, words: Words) -> str:
    """Draw a chart for a wide and for a narrow window; empty where the library is absent."""
    if not can_draw():
        return ""
    import vl_convert
    from markupsafe import Markup, escape

    drawn = []
    for kind, width in (("wide", _WIDE), ("narrow", _NARROW)):
        whole = {
            "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
            "width": width,
            "height": height,
            "autosize": {"type": "fit-x", "contains": "padding"},
            "config": _DRESS,
            **spec,
        }
        svg = vl_convert.vegalite_to_svg(whole, allowed_base_urls=[], format_locale=_numbers(words))
        head, rest = svg.split(">", 1)
        size = _SIZE.search(head)
        shown = size.group() if size else ""
        drawn.append(
            Markup(
                '<svg class="chart {kind}" xmlns="http://www.w3.org/2000/svg"{size}{box} '
            ).format(kind=kind, size=Markup(shown), box=Markup(_view_box(head)))  # noqa: S704 - digits
            + Markup('role="graphics-document" aria-label="{}">').format(escape(told))
            + Markup(rest)  # noqa: S704 - the library escapes the texts of its data
        )
    return Markup("").join(drawn)


def _numbers(words: Words) -> Spec:
    """Give how numbers are written, as the library's locale."""
    return {
        "decimal": words.decimal,
        "thousands": words.thousands,
        "grouping": [3],
        "currency": ["$", ""],
    }


def _view_box(head: str) -> str:
    found = re.search(r' viewBox="[-\d. ]+"', head)
    return found.group() if found else ""


_DRESS: Spec = {
    "background": None,
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--soft)",
        "titleColor": "var(--soft)",
        "gridColor": "var(--line)",
        "domainColor": "var(--line)",
        "tickColor": "var(--line)",
        "labelFontSize": 12.5,
        "titleFontSize": 12.5,
        "titleFontWeight": "normal",
    },
    "axisY": {"domain": False, "ticks": False, "labelPadding": 8, "titlePadding": 12},
    "axisX": {"grid": False},
    "text": {"color": "var(--ink)", "fontSize": 12.5},
    "bar": {"discreteBandSize": {"band": 0.8}},
}
