"""Does the interval keep its promise? Simulated runs with a known truth, judged as `compare` does.

    python bench/coverage.py                            # 90 seconds
    python bench/coverage.py --sets 500                 # a quick look
    python bench/coverage.py --part macro --sets 300    # averages over categories, 3 minutes
    python bench/coverage.py --part groups --sets 1000  # items in groups, 2 minutes

Items are logit-normal: an item is right with probability logistic(mean + 2.5 difficulty), shared
by both models; a candidate that differs truly by d has another mean. Every data set is new items
and new answers, as the interval speaks of other items like these.

For each cell: coverage of the 95 % interval at a difference of 0, false alarms (better or worse)
for identical models, and, at a true difference of minus the margin, coverage and how often the
verdict is wrongly `equivalent`.

One round is judged by `afere.stats.tango`. The limits of several rounds are quantiles of a
Dirichlet posterior, which `afere.stats.dirichlet_mean` draws; here its distribution function is
computed (Gil-Pelaez 1951, for a sum of gammas), which is faster and free of drawing; `--drawn`
draws as the program does.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from afere import stats

Floats = NDArray[np.float64]

DIFFICULTY = 2.5
LEVEL = 0.95
ITEMS = (20, 50, 73, 200, 1000)
ACCURACIES = (0.5, 0.9, 0.97)
ROUNDS = (1, 3)
MARGINS = (0.02, 0.05, 0.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Shares of the data sets of one cell; None where it was not asked."""

    items: int
    accuracy: float
    rounds: int
    coverage: float
    false_alarms: float
    at_margin: tuple[tuple[float, float, float], ...]


def main() -> None:
    """Simulate, and print a Markdown table."""
    options = _options()
    rng = np.random.default_rng(options.seed)
    started = time.process_time()
    if options.part == "items":
        cells = [
            cell(n, p, k, sets=options.sets, rng=rng, drawn=options.drawn)
            for k in ROUNDS
            for n in ITEMS
            for p in ACCURACIES
        ]
        print(table(cells))
    else:
        print(PARTS[options.part](options.sets, rng))
    print(
        f"\n{options.sets} data sets a cell, seed {options.seed}, "
        f"{time.process_time() - started:.0f} s of one core"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--sets", type=int, default=10_000, help="data sets a cell")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", choices=["items", *PARTS], default="items")
    parser.add_argument("--drawn", action="store_true", help="draw the Dirichlet limits")
    return parser.parse_args()


def cell(  # noqa: PLR0913 - a cell's coordinates, and how to simulate it
    items: int,
    accuracy: float,
    rounds: int,
    *,
    sets: int,
    rng: np.random.Generator,
    drawn: bool = False,
) -> Cell:
    """Simulate one cell."""
    inside = judge_drawn if drawn or rounds == 1 else judge_computed
    same = difference_counts(items, accuracy, accuracy, rounds, sets, rng)
    low, high = inside(same, rounds, (0.0,))
    margins = []
    for margin in MARGINS:
        if accuracy - margin <= 0:
            continue
        worse = difference_counts(items, accuracy, accuracy - margin, rounds, sets, rng)
        below, above = inside(worse, rounds, (-margin, margin))
        covered = ~below[:, 0] & ~above[:, 0]
        equivalent = above[:, 0] & below[:, 1]
        margins.append((margin, float(covered.mean()), float(equivalent.mean())))
    alarms = float((low | high).mean())
    return Cell(
        items=items,
        accuracy=accuracy,
        rounds=rounds,
        coverage=1 - alarms,
        false_alarms=alarms,
        at_margin=tuple(margins),
    )


def difference_counts(  # noqa: PLR0913, PLR0917 - what is simulated
    items: int,
    baseline: float,
    candidate: float,
    rounds: int,
    sets: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Give for each data set how many items have each of the 2k+1 differences."""
    first, second = mean_for(baseline), mean_for(candidate)
    counts = np.empty((sets, 2 * rounds + 1), dtype=np.int64)
    step = max(1, 2_000_000 // items)
    for start in range(0, sets, step):
        size = min(step, sets - start)
        difficulty = DIFFICULTY * rng.standard_normal((size, items))
        right = [
            rng.binomial(rounds, 1 / (1 + np.exp(-mean - difficulty))) for mean in (first, second)
        ]
        codes = right[1] - right[0] + rounds
        codes += (2 * rounds + 1) * np.arange(size)[:, None]
        flat = np.bincount(codes.ravel(), minlength=size * (2 * rounds + 1))
        counts[start : start + size] = flat.reshape(size, -1)
    return counts


@lru_cache
def mean_for(accuracy: float, spread: float = DIFFICULTY) -> float:
    """Find the mean of the logits at which the average item is right that often."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    low, high = -30.0, 30.0
    for _ in range(80):
        middle = (low + high) / 2
        share = float(weights @ (1 / (1 + np.exp(-middle - spread * nodes))) / weights.sum())
        low, high = (middle, high) if share < accuracy else (low, middle)
    return (low + high) / 2


def judge_drawn(
    counts: NDArray[np.int64],
    rounds: int,
    values: Sequence[float],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell for each data set whether its interval lies below, and above, each value."""
    kinds, places = np.unique(counts, axis=0, return_inverse=True)
    limits = np.array([_limits(kind, rounds) for kind in kinds])[places.ravel()]
    at = np.asarray(values)
    return limits[:, 1:] < at, limits[:, :1] > at


def _limits(counts: NDArray[np.int64], rounds: int) -> tuple[float, float]:
    if rounds == 1:
        worse, ties, better = (int(count) for count in counts)
        interval = stats.tango(ties, worse, better, 0, LEVEL)
    else:
        data = np.repeat(np.arange(-rounds, rounds + 1) / rounds, counts)
        interval = stats.dirichlet_mean(data, rounds, LEVEL, np.random.default_rng(0))
    return interval.lower, interval.upper


def judge_computed(
    counts: NDArray[np.int64],
    rounds: int,
    values: Sequence[float],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell the same of the Dirichlet interval, from the posterior's tail at each value."""
    kinds, places = np.unique(counts, axis=0, return_inverse=True)
    shapes = kinds + np.float64(2 / (2 * rounds + 1))
    points = np.linspace(-1.0, 1.0, 2 * rounds + 1)
    tails = np.stack([posterior_below(shapes, points, value) for value in values], axis=1)
    tails = tails[places.ravel()]
    return tails > (1 + LEVEL) / 2, tails < (1 - LEVEL) / 2


def posterior_below(shapes: Floats, points: Floats, value: float) -> Floats:
    """Give P(theta · points <= value) for theta Dirichlet with each row of shapes.

    It is P(sum w_j G_j <= 0) for gammas G of those shapes and w = points - value; by Gil-Pelaez
    1/2 - (1/pi) times the integral of Im phi(t)/t, with log phi = -sum a_j log(1 - i w_j t).
    On the scale of log t the integrand is smooth, and equal steps converge very fast.
    """
    away = points - value
    spread = np.sqrt(shapes @ (away * away))
    t = np.exp(np.linspace(np.log(1e-9), np.log(1e6), 2400)) / float(np.median(spread))
    moduli = np.log1p(np.outer(away, t) ** 2) / 2
    angles = np.arctan(np.outer(away, t))
    step = float(np.log(t[1] / t[0]))
    below = np.empty(shapes.shape[0])
    for start in range(0, shapes.shape[0], 2000):
        part = shapes[start : start + 2000]
        size = part @ moduli
        live = size.min(axis=0) < 40
        waves = np.exp(-size[:, live]) * np.sin(part @ angles[:, live])
        below[start : start + 2000] = 0.5 - waves.sum(axis=1) * step / np.pi
    return np.clip(below, 0, 1)


def table(cells: Sequence[Cell]) -> str:
    """Write the cells as a Markdown table, in per cent."""
    head = "| rounds | items | accuracy | coverage | false alarms |"
    head += "".join(f" at -{100 * margin:g}: coverage, equivalent |" for margin in MARGINS)
    lines = [head, "|" + "---|" * (5 + len(MARGINS))]
    for each in cells:
        ends = "".join(
            f" {100 * cover:.1f}, {100 * wrong:.1f} |" for _, cover, wrong in each.at_margin
        )
        lines.append(
            f"| {each.rounds} | {each.items} | {each.accuracy:g} | {100 * each.coverage:.1f} "
            f"| {100 * each.false_alarms:.1f} |{ends}",
        )
    alarms = np.mean([each.false_alarms for each in cells])
    covers = [each.coverage for each in cells]
    covers += [cover for each in cells for _, cover, _ in each.at_margin]
    wrong = max(share for each in cells for _, _, share in each.at_margin)
    lines.append("")
    lines.append(
        f"lowest coverage {100 * min(covers):.1f} %, false alarms {100 * float(alarms):.1f} % on "
        f"average and {100 * max(each.false_alarms for each in cells):.1f} % at most, "
        f"wrongly equivalent {100 * wrong:.1f} % at most",
    )
    return "\n".join(lines)


def macro(sets: int, rng: np.random.Generator) -> str:
    """Measure averages over categories of several sizes."""
    designs = {
        "5 categories of 15": Design(sizes=(15,) * 5, macro=True),
        "40, 10, 10, 5, 5": Design(sizes=(40, 10, 10, 5, 5), macro=True),
        "5 categories of 40": Design(sizes=(40,) * 5, macro=True),
        "3 categories of 100": Design(sizes=(100,) * 3, macro=True),
    }
    return _parts(designs, sets, rng)


def groups(sets: int, rng: np.random.Generator) -> str:
    """Measure items that share a passage: half of the difficulty, and a skill of each model."""
    designs = {
        f"{count} groups of {size}": Design(sizes=(size,) * count, macro=False, skill=1.5)
        for count, size in ((8, 5), (15, 5), (30, 5), (60, 5), (20, 20))
    }
    return _parts(designs, sets, rng)


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Sizes of categories (macro) or of groups, whose items then share half their difficulty.

    skill: standard deviation of what each model has of its own in a group.
    """

    sizes: tuple[int, ...]
    macro: bool
    skill: float = 0.0

    @property
    def owner(self) -> NDArray[np.int64]:
        """Give each item's category or group."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def _parts(designs: dict[str, Design], sets: int, rng: np.random.Generator) -> str:
    head = "".join(f" accuracy {accuracy:g} |" for accuracy in ACCURACIES)
    lines = [f"| at -5: coverage, equivalent | rounds |{head}", "|" + "---|" * 5]
    for name, design in designs.items():
        for rounds in ROUNDS:
            ends = [_judge(design, accuracy, 0.05, rounds, sets, rng) for accuracy in ACCURACIES]
            shown = "".join(f" {100 * cover:.1f}, {100 * wrong:.1f} |" for cover, wrong in ends)
            lines.append(f"| {name} | {rounds} |{shown}")
    return "\n".join(lines)


def _judge(  # noqa: PLR0913, PLR0917 - what is simulated
    design: Design,
    accuracy: float,
    margin: float,
    rounds: int,
    sets: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Give how often the interval holds the true difference, -margin, and says equivalent."""
    names = stats.labels("parts", [f"p{place:03}" for place in design.owner], design.owner.size)
    covered, equivalent = 0, 0
    for _ in range(sets):
        seen = stats.paired_difference(
            stats.Pairs(
                *_answers(design, (accuracy, accuracy - margin), rounds, rng),
                categories=names if design.macro else None,
                groups=None if design.macro else names,
            ),
            macro=design.macro,
            level=LEVEL,
            margin=margin,
            seed=0,
        )
        low, high = seen.lower or 0.0, seen.upper or 0.0
        covered += low <= -margin <= high
        equivalent += -margin < low <= 0 <= high < margin
    return covered / sets, equivalent / sets


def _answers(
    design: Design,
    accuracies: tuple[float, float],
    rounds: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    owner, parts = design.owner, len(design.sizes)
    difficulty = rng.standard_normal(owner.size)
    if not design.macro:
        difficulty = (difficulty + rng.standard_normal(parts)[owner]) / np.sqrt(2)
    spread = float(np.hypot(DIFFICULTY, design.skill))
    tables = []
    for accuracy in accuracies:
        logits = mean_for(accuracy, spread) + DIFFICULTY * difficulty
        logits = logits + design.skill * rng.standard_normal(parts)[owner]
        chance = 1 / (1 + np.exp(-logits))
        tables.append((rng.random((owner.size, rounds)) < chance[:, None]).astype(np.float64))
    return tables[0], tables[1]


PARTS: dict[str, Callable[[int, np.random.Generator], str]] = {"macro": macro, "groups": groups}


if __name__ == "__main__":
    main()
