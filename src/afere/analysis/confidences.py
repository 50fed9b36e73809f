"""How sure a model was of its answers, from the stored replies of a run.

Three sources: the log-probabilities of labels, what the reply states, and how often the rounds
agree. Each gives one row an item: rounds are no cases. A missing confidence stays missing.
"""

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import nan

from afere.analysis.label_confidence import label_confidence
from afere.domain import (
    Item,
    Outcome,
    Provenance,
    RatedTable,
    Response,
    Row,
    Run,
    Sentence,
    UsageError,
    digest,
    to_plain,
)

__all__ = ["SOURCES", "run_confidences", "stated_confidence"]

SOURCES = ("logprob", "stated", "agreement")
Answers = Iterable[tuple[Row, Response | None]]

_NAMES = (
    "confidence",
    "confidence_score",
    "confiança",
    "confianca",
    "confianza",
    "certeza",
    "certainty",
    "置信度",
    "信心",
)
_STATED = re.compile(
    r"(?:confidence|confian[çc]a|confianza|certeza|certainty|置信度|信心)"
    r"[\s\"'*_`:=：(>\-–—]{1,12}(?:is|é|es|de|of|是)?\s*"
    r"(?<![-−])(\d{1,3}(?:[.,]\d{1,17})?)(?![\d.,]*\d)\s*([%％]?)(?!\s*/)",
    re.IGNORECASE,
)
_OBJECT = re.compile(r"\{[^{}]*\}")
_THINKING = re.compile(r"<(/?)think>", re.IGNORECASE)


def stated_confidence(content: str, *, percent: bool = False) -> float | None:
    """Read the confidence that a reply states: a JSON field, or `Confiança: 0,9`; the last counts.

    A number with a percent sign is in percent; one without is from 0 to 1, or from 0 to 100 where
    `percent` says so. None where there is none, or it is outside of that.
    """
    text = _without_thoughts(content)
    for found in reversed(_OBJECT.findall(text)):
        value = _field(found)
        if value is not None:
            return _scaled(value, percent=percent)
    said = _STATED.findall(text)
    if not said:
        return None
    number, sign = said[-1]
    return _scaled(number.replace(",", ".") + sign, percent=percent)


def run_confidences(
    run: Run,
    answers: Answers,
    *,
    percent: bool = False,
) -> Mapping[str, RatedTable]:
    """Give a table for each source; its rows are the run's items, in the plan's order.

    `logprob` and `stated` are those of the first round that was answered, and the answer is that
    one; `agreement` is the share of the answer that most rounds gave, and the answer is that one.
    An item none of whose rows counts is left out.
    """
    replies: dict[str, list[_Reply]] = {}
    for row, response in answers:
        if row.variant == 0 and row.grade.outcome.counts:
            replies.setdefault(row.item, []).append(_Reply(row, response))
    items = [run.suite.item(name) for name in run.plan.items if name in replies]
    if not items:
        raise UsageError(
            f"Run {run.id} has no graded answer.\nType: afere show {run.id}",
        )
    firsts = [min(replies[item.id], key=lambda reply: reply.row.round) for item in items]
    tables = {
        "logprob": _by_labels(items, firsts),
        "stated": _by_statement(items, firsts, percent=percent),
    }
    if run.plan.rounds > 1:
        tables["agreement"] = _by_agreement(items, [replies[item.id] for item in items])
    provenance = _provenance(run, [reply for each in replies.values() for reply in each])
    name = run.plan.name
    return {
        source: replace(table, name=name, provenance=replace(provenance, confidence_from=source))
        for source, table in tables.items()
    }


@dataclass(frozen=True, slots=True)
class _Reply:
    row: Row
    response: Response | None

    @property
    def is_right(self) -> bool:
        return self.row.grade.outcome is Outcome.RIGHT


def _without_thoughts(content: str) -> str:
    """Take out what stands in <think>…</think>, or before an end without a beginning.

    One pass, since a hostile reply may hold any number of beginnings.
    """
    kept: list[str] = []
    begun, place = None, 0
    for tag in _THINKING.finditer(content):
        if not tag[1]:
            begun = tag.start() if begun is None else begun
        elif begun is None:
            kept, place = [], tag.end()
        else:
            kept.append(content[place:begun])
            begun, place = None, tag.end()
    return "".join((*kept, content[place:]))


def _field(text: str) -> str | None:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    for name, value in fields.items():
        if name.casefold() in _NAMES and isinstance(value, int | float | str):
            return None if isinstance(value, bool) else str(value).strip().replace(",", ".")
    return None


def _scaled(written: str, *, percent: bool) -> float | None:
    signed = written[-1:] in {"%", "％"}
    try:
        value = float(written.rstrip("%％ "))
    except ValueError:
        return None
    if signed or percent:
        value /= 100
    return value if 0 <= value <= 1 else None


def _labels_of(item: Item) -> tuple[str, ...]:
    return tuple(item.options) if item.expect.kind == "choice" else item.labels


def _by_labels(items: Sequence[Item], firsts: Sequence[_Reply]) -> RatedTable:
    confidences, masses = array("d"), []
    unlisted = others = 0
    for item, reply in zip(items, firsts, strict=True):
        labels, read = _labels_of(item), reply.row.grade.read
        found = None
        if labels and read in labels and reply.response is not None:
            found = label_confidence(reply.response.body, labels, read, reply.row.grade.rule)
        if found is None:
            confidences.append(nan)
            continue
        confidences.append(found.confidence)
        masses.append(found.mass)
        unlisted += bool(found.unlisted)
        others += found.likeliest != read
    warnings = []
    if unlisted:
        warnings.append(
            Sentence(
                "in {n} of {rows} answers a label was not among those the endpoint listed: it is "
                "taken at the most it can have",
                n=unlisted,
                rows=len(masses),
            )
        )
    if others:
        warnings.append(
            Sentence(
                "in {n} of {rows} answers another label was likelier than the one given",
                n=others,
                rows=len(masses),
            )
        )
    table = _table(items, confidences, [reply.is_right for reply in firsts])
    mass = sum(masses) / len(masses) if masses else None
    return replace(table, label_mass=mass, warnings=tuple(warnings))


def _by_statement(
    items: Sequence[Item],
    firsts: Sequence[_Reply],
    *,
    percent: bool,
) -> RatedTable:
    confidences = array("d")
    for reply in firsts:
        said = None
        if reply.response is not None and reply.row.grade.read is not None:
            said = stated_confidence(reply.response.content, percent=percent)
        confidences.append(nan if said is None else said)
    return _table(items, confidences, [reply.is_right for reply in firsts])


def _by_agreement(items: Sequence[Item], replies: Sequence[Sequence[_Reply]]) -> RatedTable:
    confidences, rights, tied = array("d"), [], 0
    for each in replies:
        ordered = sorted(each, key=lambda reply: reply.row.round)
        counts = Counter(reply.row.grade.read for reply in ordered)
        most = max(counts.values())
        modes = [read for read, count in counts.items() if count == most]
        tied += len(modes) > 1
        mode = modes[0]
        confidences.append(nan if mode is None else most / len(ordered))
        rights.append(next(reply.is_right for reply in ordered if reply.row.grade.read == mode))
    table = _table(items, confidences, rights)
    if not tied:
        return table
    said = Sentence("in {n} items the rounds are tied: the answer given first counts", n=tied)
    return replace(table, warnings=(said,))


def _table(
    items: Sequence[Item], confidences: "array[float]", rights: Sequence[bool]
) -> RatedTable:
    groups, group = _coded([item.group for item in items])
    categories, category = _coded([item.category for item in items])
    return RatedTable(
        confidence=confidences,
        right=array("b", rights),
        ids=tuple(item.id for item in items),
        group=group,
        groups=groups,
        category=category,
        categories=categories,
    )


def _coded(names: Sequence[str | None]) -> "tuple[tuple[str, ...], array[int]]":
    known: dict[str, int] = {}
    codes = array("i")
    for name in names:
        codes.append(-1 if name is None else known.setdefault(name, len(known)))
    return tuple(known), codes


def _provenance(run: Run, replies: Sequence[_Reply]) -> Provenance:
    served = {reply.row.served_model for reply in replies if reply.row.served_model}
    times = [reply.row.answered_at for reply in replies if reply.row.answered_at]
    endpoint = run.plan.endpoint
    return Provenance(
        model=run.plan.model,
        served_model=served.pop() if len(served) == 1 else None,
        weights=endpoint.rpartition(":")[2] if endpoint.startswith("llama:") else None,
        prompt=digest([run.suite.prompt, run.suite.system]),
        params=to_plain(run.plan.params),
        suite=run.plan.suite_hash,
        date=datetime.fromtimestamp(min(times), UTC).isoformat() if times else None,
        language=run.suite.reading.language,
    )
