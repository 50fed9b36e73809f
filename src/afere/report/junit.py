"""A comparison as JUnit XML: what a CI system lists beside its tests."""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from afere.domain import Comparison, VerdictKind
from afere.report.comparisons import comparison_report
from afere.report.harmless import harmless
from afere.report.verdicts import gate_line, names, verdict_sentence
from afere.report.words import ENGLISH, Words

__all__ = ["comparison_junit"]

_PASSED, _FAILED, _INVALID = 0, 1, 3
_UNDECIDED = 4


def comparison_junit(
    comparison: Comparison,
    *,
    gate: str | None = None,
    exit_code: int = 0,
    words: Words = ENGLISH,
) -> str:
    """Give one test case for the gate, or the verdict, and one for each item that regressed.

    A gate that fails is a failure, an invalid comparison an error, an undecided one is skipped. An
    item that only the baseline gets right passes, with a word on it as its output: one item is no
    verdict.
    """
    outcome = exit_code if gate is not None else _of_verdict(comparison.verdict)
    counts = {
        "tests": str(1 + len(comparison.only_baseline_items)),
        "failures": str(int(outcome == _FAILED)),
        "errors": str(int(outcome == _INVALID)),
        "skipped": str(int(outcome == _UNDECIDED)),
        "time": "0",
    }
    called = names(comparison)
    title = words.say(
        "{candidate} against {baseline}", candidate=called.candidate, baseline=called.baseline
    )
    top = Element("testsuites", {"name": "afere compare", **counts})
    suite = SubElement(top, "testsuite", {"name": _fit(title), **counts})
    properties = SubElement(suite, "properties")
    for name, value in _facts(comparison):
        SubElement(properties, "property", {"name": name, "value": _fit(value)})
    _verdict_case(suite, comparison, gate, outcome, words)
    for item in comparison.only_baseline_items:
        _item_case(suite, comparison, item, words)
    indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(top, encoding="unicode") + "\n"


def _of_verdict(verdict: VerdictKind) -> int:
    return {VerdictKind.INVALID: _INVALID, VerdictKind.UNDECIDED: _UNDECIDED}.get(verdict, _PASSED)


def _fit(text: str) -> str:
    """Give a text without the characters that XML 1.0 cannot hold; line ends stay."""
    return harmless(text, keep="\n")


def _facts(comparison: Comparison) -> list[tuple[str, str]]:
    found = [
        ("suite", comparison.suite),
        ("baseline", comparison.baseline.run),
        ("candidate", comparison.candidate.run),
        ("verdict", comparison.verdict.value),
        ("margin", f"{comparison.margin:g}"),
        ("level", f"{comparison.level:g}"),
    ]
    if comparison.difference is not None:
        found.append(("difference", f"{comparison.difference:.6f}"))
    if comparison.interval is not None:
        found.append(("interval", " ".join(f"{limit:.6f}" for limit in comparison.interval)))
    return found


def _verdict_case(
    suite: Element,
    comparison: Comparison,
    gate: str | None,
    outcome: int,
    words: Words,
) -> None:
    line = verdict_sentence(comparison, words=words)
    if gate is not None:
        line = gate_line(comparison, gate, outcome, words=words)
    case = _case(suite, comparison, f"gate {gate}" if gate is not None else "verdict")
    text = _fit(str(comparison_report(comparison, words=words)))
    if outcome == _FAILED:
        SubElement(case, "failure", {"message": _fit(line), "type": "gate-failed"}).text = text
    elif outcome == _INVALID:
        SubElement(case, "error", {"message": _fit(line), "type": "invalid"}).text = text
    elif outcome == _UNDECIDED:
        SubElement(case, "skipped", {"message": _fit(line)})
    SubElement(case, "system-out").text = _fit(line) if outcome in {_FAILED, _INVALID} else text


def _item_case(suite: Element, comparison: Comparison, item: str, words: Words) -> None:
    called = names(comparison)
    case = _case(suite, comparison, f"item {_fit(item)}")
    said = words.say(
        "Right with {baseline}, and not with {candidate}.",
        baseline=called.baseline,
        candidate=called.candidate,
    )
    if comparison.candidate.run:
        said += f" afere show {_fit(comparison.candidate.run)} --item {_fit(item)}"
    SubElement(case, "system-out").text = said


def _case(suite: Element, comparison: Comparison, name: str) -> Element:
    where = f"afere.{_fit(comparison.suite) or 'compare'}"
    return SubElement(suite, "testcase", {"classname": where, "name": name, "time": "0"})
