"""What terminal and page both say of two runs side by side."""

from collections.abc import Callable, Sequence

from afere.domain import Comparison, Outcome, PairedCounts, RunStatus, RunSummary
from afere.report.harmless import cut, harmless, one_line, written
from afere.report.verdicts import names
from afere.report.words import Words, message

__all__ = [
    "LOOSEST_RULE",
    "both",
    "cost_facts",
    "cost_rows",
    "differing_rows",
    "left_out",
    "listed",
    "lost_either_way",
    "most_rounds",
    "noise_sentence",
    "only_sentences",
    "paired_sentence",
    "passing_rows",
    "score_rows",
    "warning_texts",
]

LOOSEST_RULE = "last-value"
_NAME = 60
_VALUE = 80
_IDS = 20
_ROUNDS = 10
SideBySide = tuple[str, str, str]


def both(comparison: Comparison) -> tuple[RunSummary, RunSummary]:
    """Give baseline and candidate."""
    return comparison.baseline, comparison.candidate


def most_rounds(comparison: Comparison) -> int:
    """Give the rounds of the side that has more of them."""
    return max(side.rounds for side in both(comparison))


def score_rows(comparison: Comparison, words: Words) -> list[SideBySide]:
    """Give models, scores and outcomes: name, baseline's value, candidate's value."""
    called = names(comparison)
    rows = [(words.say("model"), called.baseline, called.candidate)]
    rows += _side_by_side(_SCORES, comparison, words)
    rows += passing_rows(comparison, words)
    for outcome in Outcome:
        counts = [side.outcomes.get(outcome, 0) for side in both(comparison)]
        if any(counts):
            rows.append((words.outcome(outcome), words.count(counts[0]), words.count(counts[1])))
    return rows


def passing_rows(comparison: Comparison, words: Words) -> list[SideBySide]:
    """Give pass@k and all-of-k of suites of code, by the tries that both sides can tell."""
    rows: list[SideBySide] = []
    for name, template in (
        ("pass_at", message("pass@{k}")),
        ("all_of", message("all of {k} rounds right")),
    ):
        found = [getattr(side, name) for side in both(comparison)]
        for k in sorted(set(found[0]) & set(found[1]), key=int):
            if k != "1":
                values = [words.percent(side[k].score) for side in found]
                rows.append((words.say(template, k=k), values[0], values[1]))
    return rows


def cost_rows(comparison: Comparison, words: Words) -> list[SideBySide]:
    """Give noise, tokens, latency and cost, what neither side knows left out."""
    return _side_by_side(_COSTS, comparison, words)


def cost_facts(sides: Sequence[RunSummary], words: Words) -> list[tuple[str, tuple[str, ...]]]:
    """Give noise, tokens, latency and cost of any number of runs, what none knows left out."""
    rows = []
    for name, value in _COSTS:
        values = [value(side, words) for side in sides]
        if any(values):
            rows.append((words.say(name), tuple(each or "–" for each in values)))
    return rows


def paired_sentence(paired: PairedCounts, *, rounds: int, words: Words) -> str:
    """Say how the items fell, in words."""
    parts = [
        words.say("{n} both right", n=words.count(paired.both_right)),
        words.say("{n} only the baseline", n=words.count(paired.only_baseline)),
        words.say("{n} only the candidate", n=words.count(paired.only_candidate)),
        words.say("{n} both wrong", n=words.count(paired.both_wrong)),
    ]
    if paired.split:
        parts.append(words.say("{n} split", n=words.count(paired.split)))
    said = words.many(
        "Of {n} item: {parts}.",
        "Of {n} items: {parts}.",
        n=paired.items,
        parts=words.listing(parts),
    )
    if rounds > 1:
        said += words.space + words.say("Right means: in more than half of the rounds.")
    return said


def only_sentences(comparison: Comparison, words: Words) -> list[str]:
    """Name the items that one side alone gets right, and how to see the answers to one."""
    ours, theirs = comparison.only_baseline_items, comparison.only_candidate_items
    texts = []
    if ours:
        texts.append(words.say("Only the baseline got right: {ids}", ids=listed(ours, words)))
    if theirs:
        texts.append(words.say("Only the candidate got right: {ids}", ids=listed(theirs, words)))
    run, item = one_line(comparison.candidate.run, _NAME), (*ours, *theirs)[:1]
    if run and item:
        command = f"afere show {run} --item {cut(harmless(item[0]), _NAME)}"
        texts.append(words.say("See the answers to one of them: {command}", command=command))
    return texts


def noise_sentence(comparison: Comparison, words: Words) -> str:
    """Say how far a rerun of the same items may move the difference by chance alone."""
    floor = comparison.noise_floor.difference
    if floor is None:
        return words.say("Noise between rounds: not measured (it takes two rounds on each side).")
    if floor == 0:
        return words.say("Noise between rounds: none was seen, every item came out alike.")
    return words.say(
        "Noise between rounds: a rerun of the same items may move the difference by {points} "
        "points by chance alone.",
        points=words.points(floor),
    )


def differing_rows(comparison: Comparison, *, limit: int = _VALUE) -> list[SideBySide]:
    """Give what is not the same on both sides: name, baseline's value, candidate's value."""
    return [
        (one_line(name, _NAME), one_line(written(ours), limit), one_line(written(theirs), limit))
        for name, (ours, theirs) in comparison.differing.items()
    ]


def left_out(comparison: Comparison, words: Words) -> list[str]:
    """Say which pairs are not in the comparison, and why."""
    texts = []
    if comparison.paired.excluded:
        texts.append(
            words.many(
                "{n} pair is left out: one of its answers was never graded.",
                "{n} pairs are left out: one of their answers was never graded.",
                n=comparison.paired.excluded,
            )
        )
    unmatched = comparison.unmatched
    for ids, why in (
        (unmatched.only_baseline, words.say("only the baseline was asked")),
        (unmatched.only_candidate, words.say("only the candidate was asked")),
        (unmatched.different_key, words.say("another right answer on each side")),
        (unmatched.different_input, words.say("another question on each side")),
    ):
        if ids:
            texts.append(
                words.many(
                    "{n} item is left out ({why}): {ids}",
                    "{n} items are left out ({why}): {ids}",
                    n=len(ids),
                    why=why,
                    ids=listed(ids, words),
                )
            )
    return texts


def lost_either_way(comparison: Comparison, words: Words) -> list[str]:
    """Say what the lost pairs could make of the verdict, and how to get them."""
    texts = []
    if comparison.bounds is not None:
        texts.append(
            words.say(
                "With all lost pairs against the candidate it would be {low}, with all for it "
                "{high}.",
                low=words.verdict(comparison.bounds.lo_verdict),
                high=words.verdict(comparison.bounds.hi_verdict),
            )
        )
    if any(side.status is not RunStatus.COMPLETE for side in both(comparison)):
        texts.append(
            words.say("Run the same commands again: only what is missing is asked. Then compare.")
        )
    return texts


def warning_texts(comparison: Comparison, words: Words) -> list[str]:
    """Give the warnings of the comparison, then those of each side that it does not repeat."""
    texts = [words.tell(text) for text in comparison.warnings]
    for role, side in zip(words.each("baseline", "candidate"), both(comparison), strict=True):
        own = [words.tell(text) for text in side.warnings]
        texts += [f"{role}{words.colon}{text}" for text in own if text not in texts]
    return texts


def listed(ids: Sequence[str], words: Words) -> str:
    """Enumerate ids, cut after twenty."""
    shown = [cut(harmless(each), _NAME) for each in ids[:_IDS]]
    if len(ids) > _IDS:
        shown.append(words.say("… and {n} more", n=words.count(len(ids) - _IDS)))
    return words.listing(shown)


def _side_by_side(
    measures: "tuple[tuple[str, _Measure], ...]",
    comparison: Comparison,
    words: Words,
) -> list[SideBySide]:
    rows = []
    for name, value in measures:
        ours, theirs = (value(side, words) for side in both(comparison))
        if ours or theirs:
            rows.append((words.say(name), ours or "–", theirs or "–"))
    return rows


def _round_scores(side: RunSummary, words: Words) -> str:
    if len(side.per_round) > _ROUNDS:
        low, high = side.round_min, side.round_max
        limits = words.percent_limits(None if low is None or high is None else (low, high))
        return limits + "*" * bool(side.cut_rounds)
    shares = (
        "–"
        if score is None
        else words.percentage(score) + "*" * (len(side.per_round) > 1 and number in side.cut_rounds)
        for number, score in enumerate(side.per_round, start=1)
    )
    return words.say("{n} %", n=" / ".join(shares))


def _token_count(name: str) -> "_Measure":
    def told(side: RunSummary, words: Words) -> str:
        count = side.tokens.get(name)
        return "" if count is None else words.count(count)

    return told


def _loosely_read(side: RunSummary, words: Words) -> str:
    count = side.rules.get(LOOSEST_RULE, 0)
    return words.count(count) if count else ""


def _floor(side: RunSummary, words: Words) -> str:
    if side.noise_floor is None:
        return ""
    return words.say("{n} points", n=words.points(side.noise_floor))


def _seconds(seconds: float | None, words: Words) -> str:
    return "" if seconds is None else words.seconds(seconds)


_Measure = Callable[[RunSummary, Words], str]
_SCORES: tuple[tuple[str, _Measure], ...] = (
    (message("run"), lambda side, _: one_line(side.run, _NAME)),
    (message("score"), lambda side, words: "" if side.score is None else words.percent(side.score)),
    (
        message("interval"),
        lambda side, words: "" if side.interval is None else words.percent_limits(side.interval),
    ),
    (message("score by round"), _round_scores),
)
_COSTS: tuple[tuple[str, _Measure], ...] = (
    (message("noise floor"), _floor),
    (message("tokens in"), _token_count("input")),
    (message("tokens out"), _token_count("output")),
    (message("tokens of reasoning"), _token_count("reasoning")),
    (message("latency, median"), lambda side, words: _seconds(side.latency.p50, words)),
    (message("latency, 95 % within"), lambda side, words: _seconds(side.latency.p95, words)),
    (message("read by the loosest rule"), _loosely_read),
    (message("cost"), lambda side, words: "" if side.cost is None else words.price(side.cost)),
)
