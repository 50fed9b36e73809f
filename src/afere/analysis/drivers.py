"""What drives a difference: categories, outcomes, items, agreement of errors, letters, places."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log, sqrt

from afere import stats
from afere.analysis.cells import Cells, cells_of
from afere.analysis.letters import letters_of
from afere.analysis.pairing import Matched, match
from afere.analysis.ranking import cost_per_right
from afere.analysis.summary import summarize
from afere.domain import (
    CategoryDifference,
    Drivers,
    ErrorAgreement,
    ErrorPlaces,
    ErrorStretch,
    LetterGap,
    Outcome,
    Policy,
    Row,
    Run,
    Sentence,
)

__all__ = ["drivers", "error_places", "letter_gap"]

_HALF = 0.5
_STRETCHES = (0.05, 0.1, 0.2, 0.3, 0.5)
_FEWEST_IN_STRETCH = 5


def drivers(baseline: Run, candidate: Run, policy: Policy | None = None) -> Drivers:
    """Tell what lies behind the difference of two runs, over the items that they share.

    Intervals of categories are not adjusted for looking at several: they show where to look.
    Raises UsageError where no item is shared.
    """
    policy = policy or Policy()
    sides = _Sides(cells_of(baseline), cells_of(candidate))
    matched = match(sides.baseline, sides.candidate)
    rows = sides.rows(matched.ids)
    right = [(_right(first), _right(second)) for first, second in rows]
    lost_to = _missing(rows, right, side=1)
    return Drivers(
        categories=_categories(matched, policy),
        outcomes=_outcomes(rows),
        lost_to=lost_to,
        won_from=_missing(rows, right, side=0),
        both_wrong_items=tuple(
            item for item, pair in zip(matched.ids, right, strict=True) if pair == (False, False)
        ),
        agreement=_agreement(rows, right),
        flipping=(
            _flipping(matched.ids, [first for first, _ in rows]),
            _flipping(matched.ids, [second for _, second in rows]),
        ),
        letters=(
            letter_gap(letters_of(sides.baseline)),
            letter_gap(letters_of(sides.candidate)),
        ),
        places=(error_places(baseline), error_places(candidate)),
        cost_per_right=(
            cost_per_right(summarize(baseline, level=policy.level)),
            cost_per_right(summarize(candidate, level=policy.level)),
        ),
        remarks=_remarks(lost_to, candidate.plan.name),
    )


def letter_gap(letters: Mapping[str, Mapping[str, int]]) -> LetterGap | None:
    """Give the letter that is chosen too often or too seldom by most, None without choices."""
    chosen = sum(each["chosen"] for each in letters.values())
    keys = sum(each["key"] for each in letters.values())
    if not chosen or not keys:
        return None
    gaps = [
        LetterGap(letter=letter, chosen=each["chosen"] / chosen, key=each["key"] / keys)
        for letter, each in letters.items()
    ]
    return max(gaps, key=lambda gap: (abs(gap.chosen - gap.key), gap.letter))


def error_places(run: Run) -> ErrorPlaces:
    """Tell where the errors of a run lie: by category, by group and by place in the suite.

    The densest stretch is the one whose errors are least likely by chance among stretches of a
    twentieth to half of the items (Kulldorff's scan statistic); found by looking, it proves
    nothing by itself. None where there are too few items, or no errors, or nothing but errors.
    """
    cells = cells_of(run)
    errors: list[tuple[str, float]] = []
    by_category: dict[str, tuple[int, float]] = {}
    by_group: dict[str, tuple[int, float]] = {}
    for item, (item_id, _), error in zip(
        cells.items(), cells.of_items(), _errors(cells), strict=True
    ):
        if error is None:
            continue
        errors.append((item_id, error))
        for table, name in (
            (by_category, item.category if item else None),
            (by_group, item.group if item else None),
        ):
            if name is not None:
                count, total = table.get(name, (0, 0.0))
                table[name] = (count + 1, total + error)
    return ErrorPlaces(categories=by_category, groups=by_group, densest=_densest(errors))


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """The cells of both runs."""

    baseline: Cells
    candidate: Cells

    def rows(self, items: Sequence[str]) -> list[tuple[list[Row | None], list[Row | None]]]:
        """Give the rows of both sides for each item."""
        first, second = dict(self.baseline.of_items()), dict(self.candidate.of_items())
        return [(first[item], second[item]) for item in items]


Pairs = list[tuple[list[Row | None], list[Row | None]]]
Verdicts = list[tuple[bool | None, bool | None]]


def _scores(rows: Sequence[Row | None]) -> list[float] | None:
    """Give the scores of an item's rows, None where one does not count."""
    if any(row is None or not row.grade.outcome.counts for row in rows):
        return None
    return [row.grade.score or 0.0 for row in rows if row is not None]


def _right(rows: Sequence[Row | None]) -> bool | None:
    """Tell whether more than half of the rounds are right; None for a tie and a lost item."""
    scores = _scores(rows)
    if scores is None:
        return None
    mean = sum(scores) / len(scores)
    return None if mean == _HALF else mean > _HALF


def _categories(matched: Matched, policy: Policy) -> Mapping[str, CategoryDifference]:
    found = {}
    for name, pairs in matched.pairs.by_category():
        whole = pairs.at(pairs.complete)
        if not whole.items:
            found[name] = CategoryDifference(items=0, difference=None, interval=None)
            continue
        seen = stats.paired_difference(
            whole,
            macro=False,
            level=policy.level,
            margin=policy.margin,
            seed=policy.seed,
        )
        limits = None if seen.lower is None or seen.upper is None else (seen.lower, seen.upper)
        found[name] = CategoryDifference(
            items=seen.items,
            difference=seen.estimate,
            interval=limits if seen.items > 1 else None,
        )
    return found


def _outcome(row: Row | None) -> Outcome:
    return Outcome.NOT_ASKED if row is None else row.grade.outcome


def _outcomes(rows: Pairs) -> Mapping[str, tuple[int, int]]:
    first = Counter(_outcome(row) for side, _ in rows for row in side)
    second = Counter(_outcome(row) for _, side in rows for row in side)
    return {
        each.value: (first[each], second[each]) for each in Outcome if first[each] or second[each]
    }


def _missing(rows: Pairs, right: Verdicts, *, side: int) -> Mapping[str, int]:
    """Count what one side gave instead of a right answer on items that only the other has right."""
    wanted = (True, False) if side == 1 else (False, True)
    counts = Counter(
        _outcome(row)
        for pair, verdict in zip(rows, right, strict=True)
        if verdict == wanted
        for row in pair[side]
    )
    return {each.value: counts[each] for each in Outcome if counts[each] and each != Outcome.RIGHT}


def _agreement(rows: Pairs, right: Verdicts) -> ErrorAgreement:
    table = Counter(right)
    both, only_first = table[True, True], table[True, False]
    only_second, neither = table[False, True], table[False, False]
    n = both + only_first + only_second + neither
    wrong = only_second + neither, only_first + neither
    product = wrong[0] * wrong[1] * (n - wrong[0]) * (n - wrong[1])
    same = sum(
        _same_answer(pair)
        for pair, verdict in zip(rows, right, strict=True)
        if verdict == (False, False)
    )
    return ErrorAgreement(
        both_wrong=neither,
        expected=wrong[0] * wrong[1] / n if n else 0.0,
        same_answer=same,
        phi=(both * neither - only_first * only_second) / sqrt(product) if product else None,
    )


def _same_answer(pair: tuple[list[Row | None], list[Row | None]]) -> bool:
    """Tell whether both sides' commonest answers that were read are the same."""
    first, second = (_commonest_answer(rows) for rows in pair)
    return first is not None and first == second


def _commonest_answer(rows: Sequence[Row | None]) -> str | None:
    read = Counter(row.grade.read for row in rows if row is not None and row.grade.read)
    return max(read, key=lambda answer: (read[answer], answer), default=None)


def _flipping(items: Sequence[str], rows: Sequence[list[Row | None]]) -> tuple[str, ...]:
    """Name the items whose score is not the same in all counted rounds of a variant."""
    found = []
    for item, each in zip(items, rows, strict=True):
        seen: dict[int, set[float]] = {}
        for row in each:
            if row is not None and row.grade.outcome.counts:
                seen.setdefault(row.variant, set()).add(row.grade.score or 0.0)
        if any(len(scores) > 1 for scores in seen.values()):
            found.append(item)
    return tuple(found)


def _errors(cells: Cells) -> list[float | None]:
    """Give 1 - score of each item over its counted rows, None where none counts."""
    found: list[float | None] = []
    for place in range(len(cells.run.plan.items)):
        scores = cells.scores[place * cells.columns : (place + 1) * cells.columns]
        known = [score for score in scores if score == score]  # noqa: PLR0124 - NaN alone differs
        found.append(1 - sum(known) / len(known) if known else None)
    return found


def _densest(errors: Sequence[tuple[str, float]]) -> ErrorStretch | None:
    n = len(errors)
    sums = [0.0]
    for _, error in errors:
        sums.append(sums[-1] + error)
    total = sums[-1]
    if n < 2 * _FEWEST_IN_STRETCH or not 0 < total < n:
        return None
    best: tuple[float, int, int] | None = None
    for length in sorted({max(_FEWEST_IN_STRETCH, round(n * share)) for share in _STRETCHES}):
        for start in range(n - length + 1):
            inside = sums[start + length] - sums[start]
            found = (_surprise(inside, length, total, n), start, length)
            if best is None or found[0] > best[0]:
                best = found
    if best is None or best[0] <= 0:
        return None
    _, start, length = best
    inside = sums[start + length] - sums[start]
    return ErrorStretch(
        first=errors[start][0],
        last=errors[start + length - 1][0],
        items=length,
        errors=inside,
        share_of_items=length / n,
        share_of_errors=inside / total,
    )


def _surprise(inside: float, length: int, total: float, n: int) -> float:
    """Give the log likelihood ratio of a higher rate of errors inside than outside."""
    outside, rest = total - inside, n - length
    if inside / length <= outside / rest:
        return 0.0
    whole = _log_likelihood(total, n)
    return _log_likelihood(inside, length) + _log_likelihood(outside, rest) - whole


def _log_likelihood(errors: float, n: int) -> float:
    rate = errors / n
    return sum(
        count * log(share) for count, share in ((errors, rate), (n - errors, 1 - rate)) if share > 0
    )


def _remarks(lost_to: Mapping[str, int], candidate: str) -> tuple[Sentence, ...]:
    rows = sum(lost_to.values())
    other = {name: count for name, count in lost_to.items() if name != Outcome.WRONG.value}
    if not rows or 2 * sum(other.values()) < rows:
        return ()
    name = max(other, key=lambda each: other[each])
    return (
        Sentence(
            "of the {rows} answers of {candidate} that are not right where only the baseline is, "
            "{count} are {outcome}: that may be a limit of the settings, not of the model",
            rows=rows,
            candidate=candidate,
            count=other[name],
            outcome=name,
        ),
    )
