"""Pictures of a calibration as PNG and SVG: drawn by matplotlib, which the extra `plots` brings."""

import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from io import BytesIO
from typing import Any

from afere.domain import Calibration, UsageError
from afere.report.words import ENGLISH, Words

__all__ = ["calibration_plots"]

_INK, _ACCENT, _BAD = "#1d2733", "#2563a8", "#b3402a"
_SIZE = (7.0, 6.0)
_WIDE = (7.0, 4.5)
_DOTS = 150
_CHINESE = ("Noto Sans CJK SC", "Noto Sans SC", "WenQuanYi Zen Hei", "PingFang SC", "SimHei")


def calibration_plots(calibration: Calibration, *, words: Words = ENGLISH) -> Mapping[str, bytes]:
    """Draw the reliability diagram and the curve of risk and coverage, each as PNG and SVG.

    Gives the files' contents by name. Raises UsageError where matplotlib is not installed.
    """
    try:
        figures = import_module("matplotlib.figure")
        fonts = import_module("matplotlib")
    except ImportError:
        raise UsageError("drawing needs matplotlib.\nType: pip install 'afere[plots]'") from None
    chinese = _chinese_fonts()
    words = words if chinese or words.language != "zh-CN" else ENGLISH
    drawings: Mapping[str, Callable[[Any, Calibration, Words], None]] = {
        "reliability": _reliability,
        "risk-coverage": _risk,
    }
    stem = "".join(each if each.isalnum() or each in "-_" else "-" for each in calibration.name)
    found = {}
    families = {"font.family": ["DejaVu Sans", *chinese], "svg.hashsalt": "afere"}
    with fonts.rc_context(families), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a sign that no font here has is a box
        for name, draw in drawings.items():
            size = _SIZE if name == "reliability" else _WIDE
            figure = figures.Figure(figsize=size, dpi=_DOTS, layout="constrained")
            draw(figure, calibration, words)
            for kind in ("png", "svg"):
                out = BytesIO()
                figure.savefig(out, format=kind, metadata={"Date": None} if kind == "svg" else None)
                found[f"{stem or 'calibration'}-{name}.{kind}"] = out.getvalue()
    return found


def _reliability(figure: Any, calibration: Calibration, words: Words) -> None:  # noqa: ANN401 - matplotlib's figure
    """Draw accuracy over confidence: bars with intervals and counts, nothing where no row is."""
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(4, 1))
    above.plot([0, 1], [0, 1], color=_INK, linestyle="--", linewidth=1)
    for each in calibration.bins:
        low, high = max(0.0, each.low), min(1.0, each.high)
        if each.accuracy is None or each.confidence is None or each.interval is None:
            continue
        width = high - low
        above.bar(low, each.accuracy, width, align="edge", color=_ACCENT, alpha=0.25)
        errors = [[each.accuracy - each.interval[0]], [each.interval[1] - each.accuracy]]
        above.errorbar(
            [each.confidence], [each.accuracy], yerr=errors, fmt="o", color=_ACCENT, capsize=4
        )
        below.bar(low, each.n, width, align="edge", color=_ACCENT, alpha=0.6)
        text = words.say("n = {n}", n=words.count(each.n))
        below.annotate(text, ((low + high) / 2, each.n), ha="center", va="bottom", fontsize=8)
    curve = calibration.curve
    if len(curve) > 1:
        x = [point.confidence for point in curve]
        above.fill_between(
            x,
            [point.low for point in curve],
            [point.high for point in curve],
            color=_INK,
            alpha=0.12,
            linewidth=0,
            label=words.say("where an honest one lies"),
        )
        fitted = [point.fitted for point in curve]
        above.plot(x, fitted, color=_BAD, linewidth=1.2, label=words.say("isotonic fit"))
        above.legend(loc="upper left", frameon=False, fontsize=8)
    above.set(xlim=(0, 1), ylim=(0, 1), ylabel=words.say("share that is right"))
    below.set(xlabel=words.say("confidence"), ylabel=words.say("rows"))
    below.margins(y=0.35)
    _numbered(above, words)
    _numbered(below, words)
    ece = words.number(calibration.ece, 4)
    above.set_title(f"{_plain(calibration.name)} · ECE {ece}", color=_INK)


def _risk(figure: Any, calibration: Calibration, words: Words) -> None:  # noqa: ANN401 - matplotlib's figure
    """Draw the error rate among accepted over coverage, with the tested threshold."""
    axes = figure.subplots()
    points = calibration.coverage_curve
    axes.step(
        [point.coverage for point in points],
        [point.error_rate for point in points],
        where="post",
        color=_ACCENT,
        label=words.say("error rate of all rows"),
    )
    threshold = calibration.threshold
    if threshold is not None:
        axes.axhline(threshold.max_error, color=_INK, linestyle="--", linewidth=1)
        known = (threshold.coverage, threshold.error_rate, threshold.upper_bound)
        coverage, rate, bound = known
        if coverage is not None and rate is not None and bound is not None:
            said = words.say("certified") if threshold.certified else words.say("not certified")
            axes.errorbar(
                [coverage],
                [rate],
                yerr=[[0], [bound - rate]],
                fmt="o",
                color=_ACCENT if threshold.certified else _BAD,
                capsize=5,
                label=f"{words.written(f'{threshold.value:.6g}')}{words.colon}{said}",
            )
    axes.set(
        xlim=(0, 1), xlabel=words.say("coverage"), ylabel=words.say("error rate among accepted")
    )
    axes.set_ylim(bottom=0)
    _numbered(axes, words)
    axes.legend(frameon=False, fontsize=8)
    axes.set_title(f"{_plain(calibration.name)} · AURC {words.number(calibration.aurc, 4)}")


def _chinese_fonts() -> list[str]:
    """Give the fonts of this machine that have Chinese signs."""
    known = {each.name for each in import_module("matplotlib.font_manager").fontManager.ttflist}
    return [name for name in _CHINESE if name in known]


def _numbered(axes: Any, words: Words) -> None:  # noqa: ANN401 - matplotlib's axes
    """Write the numbers of both axes as the language does."""
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: words.written(f"{value:g}"))


def _plain(text: str) -> str:
    """Give a name in which nothing is taken as a formula."""
    return text[:60].replace("$", "＄")
