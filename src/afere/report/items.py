"""The items of a page as plain data for its script: what was asked, answered, and how it was read.

A page must open at once whatever the run's size. Replies beyond a budget are shortened first; then
the least telling items lose their details, those that differ between models last. How many were
left out is part of the data.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from afere.domain import Outcome, Response, Row, Run, encode
from afere.report.harmless import address
from afere.report.item_texts import question_text, right_answer, short_parts, shortened

__all__ = ["CODES", "PARTLY", "ItemsTable"]

_BUDGET = 6_000_000  # characters of replies on one page
_LIMITS = (6_000, 2_500, 1_000, 400)  # characters of one reply, the roomiest that fits
_ANSWERS = 120_000  # answers with details
_LISTED = 100_000  # items
_TEXT, _BRIEF, _READ = 6_000, 200, 120
CODES = dict(zip(Outcome, "rwuetfbnxg", strict=True))
PARTLY = "p"
_TELLING = frozenset({Outcome.UNREADABLE, Outcome.EMPTY, Outcome.TRUNCATED})


class ItemsTable:
    """Collects the replies of the models and gives the data of a page's items table."""

    def __init__(self, runs: Sequence[Run], *, apart: Collection[str] = ()) -> None:
        """Start from the rows of the runs.

        apart: items that are not the same on both sides of a comparison; where several runs asked
        different questions under one id, those are found here.
        """
        self._runs = runs
        self._rows = [_by_item(run) for run in runs]
        self._known = [{item.id: item for item in run.suite.items} for run in runs]
        ids = dict.fromkeys(item for run in runs for item in run.plan.items)
        ranked = sorted(ids, key=self._rank)  # the sort is stable: the suite's order within a rank
        self._left_out = max(len(ids) - _LISTED, 0)
        chosen = set(ranked[:_LISTED])
        self._ids = [each for each in ids if each in chosen]
        self._apart = frozenset(apart) | {each for each in self._ids if self._is_another(each)}
        self._details = _Details(self._affordable(ranked))

    def add(
        self,
        side: int,
        row: Row,
        response: Response | None,
        body: Mapping[str, Any] | None = None,
    ) -> None:
        """Keep a row's reply and the body of its request, as far as the page can bear it."""
        self._details.add(side, row, response, body)

    @property
    def rows(self) -> int:
        """How many answers the page knows of."""
        return sum(len(rows) for side in self._rows for rows in side.values())

    def data(self) -> dict[str, Any]:
        """Give the data: texts are numbers into `texts`, answers stand by place, not by name."""
        self._details.fit()
        texts = _Texts()
        prompts = _Prompts(texts)
        details = _Writer(self._details, texts, prompts)
        items = [self._item(each, texts, details) for each in self._ids]
        return {
            "items": items,
            "models": details.models(self._runs),
            "prompts": prompts.written,
            "texts": texts.written,
            "left_out": self._left_out,
            "brief": len(self._ids) - sum(each in self._details.chosen for each in self._ids),
        }

    def _item(self, each: str, texts: "_Texts", details: "_Writer") -> list[Any]:
        item = next((known[each] for known in self._known if each in known), None)
        detailed = each in self._details.chosen
        question = shortened(question_text(item), _TEXT if detailed else _BRIEF)
        sides = []
        for side, rows_of in enumerate(self._rows):
            rows = rows_of.get(each, [])
            sides.append(
                [
                    sum(row.grade.outcome is Outcome.RIGHT for row in rows),
                    sum(row.grade.outcome.counts for row in rows),
                    _state(rows, self._runs[side]),
                    texts.place("".join(_code(row) for row in rows)),
                    texts.place(_reads(rows)),
                    [details.answer(side, row) for row in rows] if detailed else 0,
                ]
            )
        return [
            each,
            texts.place((item.category or "") if item else ""),
            texts.place(right_answer(item)),
            texts.place(question),
            int(each in self._apart),
            sides,
        ]

    def _rank(self, each: str) -> int:
        """Rank an item by how telling it is: 0 where models or rounds differ, then faults."""
        sides = [rows.get(each, []) for rows in self._rows]
        codes = [_code(row) for rows in sides for row in rows]
        if len(set(codes)) > 1:
            return 0
        return 1 if any(row.grade.outcome in _TELLING for rows in sides for row in rows) else 2

    def _affordable(self, ranked: list[str]) -> list[str]:
        """Give the items whose answers can be shown, the most telling first."""
        answers, chosen = 0, []
        for each in ranked[:_LISTED]:
            answers += sum(len(rows.get(each, ())) for rows in self._rows)
            if answers > _ANSWERS:
                break
            chosen.append(each)
        return chosen

    def _is_another(self, each: str) -> bool:
        asked = [known[each] for known in self._known if each in known]
        return any(
            (other.input, other.options, other.expect.key)
            != (asked[0].input, asked[0].options, asked[0].expect.key)
            for other in asked[1:]
        )


@dataclass(slots=True)
class _Detail:
    """What is kept of one answer beside its row."""

    content: str
    reasoning: str
    lengths: tuple[int, int]
    adapted: tuple[str, ...]
    prompt: str
    params: Mapping[str, Any] | None


@dataclass(slots=True)
class _Details:
    """The replies kept, within the budget: `ranked` items, the most telling first."""

    ranked: list[str]
    chosen: set[str] = field(default_factory=set)
    kept: dict[str, dict[tuple[int, int, int], _Detail]] = field(default_factory=dict)
    prompts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    total: int = 0
    step: int = 0

    def __post_init__(self) -> None:
        self.chosen = set(self.ranked)

    def add(
        self,
        side: int,
        row: Row,
        response: Response | None,
        body: Mapping[str, Any] | None,
    ) -> None:
        if row.item not in self.chosen:
            return
        limit = _LIMITS[self.step]
        content = response.content if response else ""
        reasoning = (response.reasoning if response else None) or ""
        prompt, params = self._asked(body)
        detail = _Detail(
            content=shortened(content, limit),
            reasoning=shortened(reasoning, limit),
            lengths=(len(content), len(reasoning)),
            adapted=response.adapted if response else (),
            prompt=prompt,
            params=params,
        )
        self.kept.setdefault(row.item, {})[side, row.round, row.variant] = detail
        self.total += len(detail.content) + len(detail.reasoning)
        if self.total > 2 * _BUDGET:
            self.fit()

    def fit(self) -> None:
        """Shorten, then leave out, until the replies fit."""
        while self.total > _BUDGET and self.step + 1 < len(_LIMITS):
            self.step += 1
            self._shorten(_LIMITS[self.step])
        while self.total > _BUDGET and self.ranked:
            least = self.ranked.pop()
            self.chosen.discard(least)
            for detail in self.kept.pop(least, {}).values():
                self.total -= len(detail.content) + len(detail.reasoning)

    def _shorten(self, limit: int) -> None:
        self.total = 0
        for details in self.kept.values():
            for detail in details.values():
                detail.content = shortened(detail.content, limit, detail.lengths[0])
                detail.reasoning = shortened(detail.reasoning, limit, detail.lengths[1])
                self.total += len(detail.content) + len(detail.reasoning)

    def _asked(self, body: Mapping[str, Any] | None) -> tuple[str, Mapping[str, Any] | None]:
        if body is None:
            return "", None
        messages = list(body.get("messages", ()))
        name = encode(messages)
        self.prompts.setdefault(name, messages)
        params = {key: value for key, value in body.items() if key not in {"messages", "model"}}
        return name, params


class _Texts:
    """Texts written once and named by their number; number 0 is the empty text."""

    def __init__(self) -> None:
        self.written = [""]
        self._places = {"": 0}

    def place(self, text: str) -> int:
        found = self._places.get(text)
        if found is None:
            found = self._places[text] = len(self.written)
            self.written.append(text)
        return found


class _Prompts:
    """Lists of messages written once: role and text of each, or its parts where they are more."""

    def __init__(self, texts: _Texts) -> None:
        self.written: list[list[Any]] = []
        self._texts = texts
        self._places: dict[str, int] = {}

    def place(self, name: str, messages: Sequence[Mapping[str, Any]]) -> int:
        found = self._places.get(name)
        if found is None:
            found = self._places[name] = len(self.written)
            self.written.append([self._message(message) for message in messages])
        return found

    def _message(self, message: Mapping[str, Any]) -> list[Any]:
        content = message.get("content")
        if isinstance(content, str):
            return [message.get("role"), self._texts.place(shortened(content, _TEXT))]
        return [message.get("role"), short_parts(content)]


@dataclass(slots=True)
class _Writer:
    """Writes answers by place; an empty end of the list is left off."""

    details: _Details
    texts: _Texts
    prompts: _Prompts
    common: dict[int, Mapping[str, Any]] = field(default_factory=dict)

    def answer(self, side: int, row: Row) -> list[Any]:
        grade, place = row.grade, self.texts.place
        detail = self.details.kept.get(row.item, {}).get((side, row.round, row.variant))
        score = grade.score
        written = [
            row.round,
            row.variant,
            _code(row),
            score if score is not None and 0 < score < 1 else 0,
            place(shortened(grade.read or "", _TEXT)),
            place(grade.rule or ""),
            place(f"{grade.grader} {grade.grader_version}".strip()),
            place(row.finish_reason or ""),
            row.tokens.input,
            row.tokens.output,
            row.tokens.reasoning,
            None if row.latency is None else round(row.latency, 3),
            place("" if row.error is None else _error(row.error.message, row.error.body)),
            [place(flag) for flag in grade.flags] or 0,
            place(
                shortened(f"{grade.failure}: {grade.message or ''}", _TEXT) if grade.failure else ""
            ),
            place(f"{grade.sandbox}, {grade.integrity}" if grade.sandbox else ""),
            place(shortened(grade.output or "", _LIMITS[2])),
        ]
        if detail is not None:
            written += [
                place(detail.content) or -1,
                place(detail.reasoning),
                [place(name) for name in detail.adapted] or 0,
                *self._request(side, detail),
            ]
        while written[-1] in (0, None, ""):
            written.pop()
        return written

    def _request(self, side: int, detail: _Detail) -> list[Any]:
        """Name the messages, counted from 1, and what differs from the model's usual parameters."""
        if detail.params is None:
            return []
        usual = self.common.setdefault(side, detail.params)
        changes = {name: value for name, value in detail.params.items() if usual.get(name) != value}
        prompt = self.prompts.place(detail.prompt, self.details.prompts[detail.prompt])
        return [prompt + 1, changes or 0]

    def models(self, runs: Sequence[Run]) -> list[dict[str, Any]]:
        """Give what the requests of each model share."""
        return [
            {
                "run": run.id,
                "model": run.plan.model,
                "url": address(run.plan.base_url),
                "params": self.common.get(side, {}),
            }
            for side, run in enumerate(runs)
        ]


def _by_item(run: Run) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in sorted(run.rows, key=lambda row: (row.round, row.variant)):
        found.setdefault(row.item, []).append(row)
    return found


def _code(row: Row) -> str:
    score = row.grade.score
    return PARTLY if score is not None and 0 < score < 1 else CODES[row.grade.outcome]


def _state(rows: Sequence[Row], run: Run) -> float | None:
    """Give 1 for right in more than half of the rounds, 0 for less, 0.5 for half.

    None where a row is lost: such an item is in no comparison. As the analysis counts pairs.
    """
    scores = [row.grade.counted for row in rows]
    known = [score for score in scores if score is not None]
    if len(known) < max(len(scores), run.plan.rounds * run.plan.variants):
        return None
    mean = sum(known) / len(known)
    return 0.5 if mean == 0.5 else float(mean > 0.5)  # noqa: PLR2004 - half of the rounds


def _reads(rows: Sequence[Row]) -> str:
    reads = [shortened(row.grade.read or "", _READ) for row in rows]
    return reads[0] if len(set(reads)) == 1 else " · ".join(read or "–" for read in reads)


def _error(message: str, body: str) -> str:
    return shortened(f"{message}\n{body}" if body and body not in message else message, _LIMITS[2])
