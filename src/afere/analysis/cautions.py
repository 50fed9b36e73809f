"""What a reader of a run or a comparison has to be told."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from afere import stats
from afere.analysis.cells import Cells
from afere.domain import Row, RunPlan, RunSummary, Sentence

__all__ = ["comparison_warnings", "cut_rounds_warning", "run_warnings"]

RARE = 0.001
UNSAFE = "none"


def run_warnings(cells: Cells, answered: Sequence[Row]) -> tuple[Sentence, ...]:
    """Say what makes a run's numbers less than they seem."""
    said = [
        _changes("model", [row.served_model for row in answered]),
        _changes("fingerprint", [row.fingerprint for row in answered]),
        _rounds_at_zero(cells),
        _rounds_together(cells),
        _unpriced(cells.run.plan, answered),
        _asked_again(answered),
        _strictness(cells, answered),
        _unguarded(answered),
        _weak(answered),
    ]
    return tuple(each for each in said if each is not None)


def cut_rounds_warning(rounds: Sequence[int]) -> tuple[Sentence, ...]:
    """Say which rounds lack an answer; nothing where none does."""
    if not rounds:
        return ()
    return (
        Sentence(
            "rounds marked * lack answers, and their scores are of fewer items: {rounds}",
            rounds=", ".join(map(str, rounds)),
        ),
    )


def _unguarded(answered: Sequence[Row]) -> Sentence | None:
    """Say that answers were executed without isolation, as somebody asked for."""
    bare = sum(row.grade.sandbox == UNSAFE for row in answered)
    if not bare:
        return None
    return Sentence("{n} answers were executed without a sandbox (--unsafe-no-sandbox)", n=bare)


def _weak(answered: Sequence[Row]) -> Sentence | None:
    """Say that answers shared a process with their tests, and could have cheated."""
    weak = sum(row.grade.integrity == "weak" and row.grade.sandbox != UNSAFE for row in answered)
    if not weak:
        return None
    return Sentence(
        "{n} answers shared a process with their tests (integrity: weak): "
        "a hostile one could pass without being right",
        n=weak,
    )


def _strictness(cells: Cells, answered: Sequence[Row]) -> Sentence | None:
    """Say what strict reading left unread that lenient reading would have read."""
    if not cells.run.suite.reading.strict:
        return None
    right = sum("lenient-right" in row.grade.flags for row in answered)
    read = right + sum("lenient-wrong" in row.grade.flags for row in answered)
    if not read:
        return None
    return Sentence(
        "reading is strict: {read} of the unreadable answers would have been read leniently, "
        "{right} of them as right",
        read=read,
        right=right,
    )


def _asked_again(answered: Sequence[Row]) -> Sentence | None:
    """Say that replies were asked again on purpose, which may flatter the score."""
    again = sum("asked-again" in row.grade.flags for row in answered)
    if not again:
        return None
    return Sentence(
        "{n} replies were asked again on purpose: the score may flatter the model",
        n=again,
    )


def comparison_warnings(baseline: RunSummary, candidate: RunSummary) -> list[Sentence]:
    """Say what the two runs have in them that a verdict does not show."""
    said = []
    if baseline.model == candidate.model and baseline.base_url == candidate.base_url:
        for what, first, second in (
            ("model", baseline.served_model, candidate.served_model),
            ("fingerprint", baseline.fingerprint, candidate.fingerprint),
        ):
            if first and second and first != second:
                said.append(
                    Sentence(
                        "the server answered as {what} {first} in the baseline and as {second} "
                        "in the candidate",
                        what=what,
                        first=first,
                        second=second,
                    ),
                )
    if baseline.rounds != candidate.rounds:
        said.append(
            Sentence(
                "the baseline has {first} rounds and the candidate {second}; "
                "the means of their items are compared",
                first=baseline.rounds,
                second=candidate.rounds,
            ),
        )
    return said


def _changes(what: str, values: Sequence[str | None]) -> Sentence | None:
    seen = sorted({value for value in values if value is not None})
    if len(seen) < 2:  # noqa: PLR2004 - one is no change
        return None
    return Sentence(
        "the server's {what} changed during the run: {values}",
        what=what,
        values=", ".join(seen),
    )


def _rounds_at_zero(cells: Cells) -> Sentence | None:
    """Judge rounds at temperature 0: they ought to be equal, and then measure no noise."""
    plan = cells.run.plan
    if plan.rounds < 2 or not _is_zero(plan.params.get("temperature")):  # noqa: PLR2004 - one round
        return None
    places = range(len(plan.items))
    if not any(_twice(cells, place) for place in places):
        return None
    flipping = sum(_flips(cells, place) for place in places)
    if flipping:
        return Sentence(
            "at temperature 0 the server is not deterministic: {items} items changed between "
            "rounds",
            items=flipping,
        )
    return Sentence("at temperature 0 all rounds are equal: they measure no noise")


def _rounds_together(cells: Cells) -> Sentence | None:
    """Say that answers of a round err together: then the noise floor is too small."""
    plan = cells.run.plan
    p = stats.rounds_together(cells.scores, plan.rounds, plan.variants)
    if p is None or p >= RARE:
        return None
    if _one_seed(plan):
        return Sentence(
            "the rounds differ more than chance between single answers explains, since one seed "
            "serves all items of a round: a rerun may lie further off than the noise floor says; "
            "give each item its own with --seed-per-item",
        )
    return Sentence(
        "the rounds differ more than chance between single answers explains: answers of a round "
        "err together, and a rerun may lie further off than the noise floor says",
    )


def _one_seed(plan: RunPlan) -> bool:
    return "seed" in plan.params and not plan.seed_per_item


def _is_zero(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and value == 0


def _twice(cells: Cells, place: int) -> bool:
    """Whether one form of an item was graded in two rounds, which can then be told apart."""
    return any(len(known) > 1 for known in _of_forms(cells, place))


def _flips(cells: Cells, place: int) -> bool:
    return any(len(set(known)) > 1 for known in _of_forms(cells, place))


def _of_forms(cells: Cells, place: int) -> Iterator[list[float]]:
    variants = cells.run.plan.variants
    start = place * cells.columns
    scores = cells.scores[start : start + cells.columns]
    for variant in range(variants):
        yield [score for score in scores[variant::variants] if score == score]  # noqa: PLR0124 - not NaN


def _unpriced(plan: RunPlan, answered: Sequence[Row]) -> Sentence | None:
    """Say that a cost leaves out answers whose tokens the server did not count."""
    silent = sum(row.tokens.input is None and row.tokens.output is None for row in answered)
    if not plan.price or not 0 < silent < len(answered):
        return None
    return Sentence("{rows} answers say no token use: the cost leaves them out", rows=silent)
