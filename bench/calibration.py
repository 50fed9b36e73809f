"""Does a certified threshold keep its promise? Simulated answers with a known true error.

    python bench/calibration.py                 # every cell, 300 runs, several minutes
    python bench/calibration.py --runs 200 --sizes 100 200 500 1000   # docs/calibration.md
    python bench/calibration.py --speed         # CPU time of a million rows

A run draws tuning and reserved rows, chooses and certifies as `afere calibrate` does, and compares
the true error of what the threshold accepts with the target. `violated` is the share of runs that
certify a threshold whose true error exceeds the target: at most 5 % are promised. `coverage` is
the mean true coverage, 0 where nothing was certified.

Populations, with u uniform on 0..1 (0 is the most confident row):
A  confidence 1 - u²/2, error 0.002 + 0.35 u³: 5 % can be reached at a coverage of 0.82, 1 % at 0.45
B  eight tied confidences: 5 % at 0.92, 1 % at 0.30
C  error flat at 1.2 times the target: nothing may be certified
D  the top 5 % are 10 % wrong, the rest 0.19 u³: overconfident where it is surest
G  groups of five rows of A that share half of their errors, counted as groups
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from afere import stats

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
SIZES = (50, 100, 200, 500, 1000, 2000, 5000)
TARGETS = (0.05, 0.01)
LARGE = 1000
LARGE_RUNS = 300
PROCEDURES = ("single", "sequence", "search of all", "sequence from top", "naive")
TIED = (1, 0.99, 0.98, 0.95, 0.9, 0.8, 0.7, 0.5)
TIED_SHARES = (0.30, 0.20, 0.12, 0.12, 0.10, 0.08, 0.05, 0.03)
TIED_ERRORS = (0.004, 0.022, 0.03, 0.045, 0.08, 0.25, 0.35, 0.45)
GROUP = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Rows with a confidence; groups and ranks where rows are related."""

    confidence: Floats
    right: Floats
    groups: NDArray[np.int64] | None = None
    ranks: NDArray[np.int64] | None = None

    @property
    def units(self) -> int:
        """How many units there are."""
        return stats.units_of(self.groups, len(self.right))


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """How rows are drawn, and what is true of a threshold: error and coverage."""

    draw: Callable[[int, np.random.Generator], Drawn]
    truth: Callable[[float], tuple[float, float]]


def smooth(error: Callable[[Floats], Floats], groups: int = 1) -> Population:
    """Make a population in which confidence falls steadily from 1 to 0.5."""
    u = (np.arange(200_000) + 0.5) / 200_000
    summed = np.concatenate([[0.0], np.cumsum(error(u))]) / 200_000

    def draw(n: int, rng: np.random.Generator) -> Drawn:
        u = rng.random(n)
        chance = rng.random(n)
        if groups == 1:
            return Drawn(confidence=1 - u * u / 2, right=(chance >= error(u)).astype(float))
        names = np.arange(n) // groups
        shared = rng.random(n // groups + 1)[names]
        chance = np.where(rng.random(n) < 0.5, shared, chance)
        u = np.clip(rng.random(n // groups + 1)[names] + rng.normal(0, 0.02, n), 0, 1)
        right = (chance >= error(u)).astype(float)
        return Drawn(confidence=1 - u * u / 2, right=right, groups=names, ranks=rng.permutation(n))

    def truth(threshold: float) -> tuple[float, float]:
        coverage = min(1.0, np.sqrt(max(0.0, 2 * (1 - threshold))))
        return float(np.interp(coverage, np.append(0, u), summed)) / max(coverage, 1e-12), coverage

    return Population(draw=draw, truth=truth)


def tied() -> Population:
    """Make the population of eight confidences."""

    def draw(n: int, rng: np.random.Generator) -> Drawn:
        place = rng.choice(len(TIED), size=n, p=TIED_SHARES)
        right = (rng.random(n) >= np.array(TIED_ERRORS)[place]).astype(float)
        return Drawn(confidence=np.array(TIED, dtype=float)[place], right=right)

    def truth(threshold: float) -> tuple[float, float]:
        taken = np.array(TIED) >= threshold
        share = np.array(TIED_SHARES)[taken]
        return float((share * np.array(TIED_ERRORS)[taken]).sum() / share.sum()), float(share.sum())

    return Population(draw=draw, truth=truth)


def populations(target: float) -> dict[str, Population]:
    """Give the populations of a target."""
    return {
        "A": smooth(lambda u: 0.002 + 0.35 * u**3),
        "B": tied(),
        "C": smooth(lambda u: np.full(u.shape, 1.2 * target)),
        "D": smooth(lambda u: np.where(u < 0.05, 0.1, 0.19 * u**3)),
        "G": smooth(lambda u: 0.002 + 0.35 * u**3, groups=GROUP),
    }


def certified(procedure: str, tune: Drawn, reserved: Drawn, target: float) -> float | None:
    """Give the threshold that a procedure certifies, None where it certifies none."""
    if procedure in {"search of all", "sequence from top", "naive"}:
        return _on_all(procedure, tune, reserved, target)
    thresholds = stats.spread_thresholds(tune.confidence)
    accepted, errors = stats.accepted_at(
        tune.confidence, tune.right, thresholds, tune.groups, tune.ranks
    )
    looked = stats.power_candidates(
        thresholds, accepted, errors, tune.units, reserved.units, target, CONFIDENCE
    )
    pick = stats.power_pick(looked)
    if pick is None:
        return None
    asked = (pick.threshold,) if procedure == "single" else stats.sequence_of(looked)
    accepted, errors = stats.accepted_at(
        reserved.confidence, reserved.right, asked, reserved.groups, reserved.ranks
    )
    looks = list(zip(asked, accepted.tolist(), errors.tolist(), strict=True))
    best = stats.fixed_sequence(looks, target, CONFIDENCE)
    return None if best is None else best.threshold


def _on_all(procedure: str, tune: Drawn, reserved: Drawn, target: float) -> float | None:
    confidence = np.concatenate([tune.confidence, reserved.confidence])
    right = np.concatenate([tune.right, reserved.right])
    if tune.groups is not None and reserved.groups is not None:
        groups = np.concatenate([tune.groups, reserved.groups + tune.groups.max() + 1])
        ranks = np.concatenate([tune.ranks, reserved.ranks])
        places = stats.one_of_each(groups, ranks)
        confidence, right = confidence[places], right[places]
    curve = stats.risk_coverage(confidence, right)
    if procedure == "naive":
        held = np.flatnonzero(curve.errors <= target * curve.accepted)
        return float(curve.thresholds[held[-1]]) if held.size else None
    search = stats.search_all_rows if procedure == "search of all" else stats.sequence_from_top
    best = search(curve, target, CONFIDENCE)
    return None if best is None else best.threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What came of one population, size, target and procedure."""

    population: str
    size: int
    target: float
    procedure: str
    runs: int
    violated: float
    coverage: float

    @property
    def kept(self) -> bool:
        """Whether the promise holds, two standard errors allowed."""
        error = (0.05 * 0.95 / self.runs) ** 0.5
        return self.violated <= 0.05 + 2 * error


def cell(  # noqa: PLR0913, PLR0917 - what names a cell
    name: str,
    size: int,
    target: float,
    procedures: Sequence[str],
    runs: int,
    rng: np.random.Generator,
) -> list[Cell]:
    """Simulate one population and size; every procedure sees the same rows."""
    population = populations(target)[name]
    violated, covered = dict.fromkeys(procedures, 0), dict.fromkeys(procedures, 0.0)
    for _ in range(runs):
        tune, reserved = population.draw(size, rng), population.draw(size, rng)
        for procedure in procedures:
            threshold = certified(procedure, tune, reserved, target)
            if threshold is not None:
                error, coverage = population.truth(threshold)
                violated[procedure] += error > target
                covered[procedure] += coverage
    return [
        Cell(
            population=name,
            size=size,
            target=target,
            procedure=procedure,
            runs=runs,
            violated=violated[procedure] / runs,
            coverage=covered[procedure] / runs,
        )
        for procedure in procedures
    ]


def table(cells: Sequence[Cell]) -> str:
    """Write cells as Markdown: violations and coverage by size."""
    sizes = sorted({each.size for each in cells})
    head = "| target | population | procedure | " + " | ".join(f"{n}+{n}" for n in sizes) + " |"
    lines = [head, "|" + "---|" * (3 + len(sizes))]
    rows: dict[tuple[float, str, str], dict[int, Cell]] = {}
    for each in cells:
        rows.setdefault((each.target, each.population, each.procedure), {})[each.size] = each
    for (target, population, procedure), by_size in rows.items():
        texts = [
            f"{by_size[n].violated:.3f} / {by_size[n].coverage:.2f}" if n in by_size else ""
            for n in sizes
        ]
        lines.append(f"| {target:g} | {population} | {procedure} | " + " | ".join(texts) + " |")
    return "\n".join(lines)


def speed() -> str:
    """Measure a million rows: the error alone, and the whole report."""
    from array import array

    from afere import analysis
    from afere.domain import CalibrationPolicy, RatedTable

    rng = np.random.default_rng(0)
    confidence = rng.random(1_000_000) ** 0.3
    right = (rng.random(1_000_000) < confidence).astype(np.int8)
    rows = RatedTable(
        confidence=array("d", confidence.tobytes()), right=array("b", right.tobytes())
    )
    policy = CalibrationPolicy(max_error=0.2)
    started = time.process_time()
    stats.bins_at(rows.confidence, rows.right, policy.edges)
    binned = time.process_time()
    analysis.measure(rows, policy)
    prepared = analysis.prepare(rows, policy)
    assert prepared.plan is not None  # noqa: S101 - a million rows can certify
    analysis.look(prepared, prepared.plan)
    ended = time.process_time()
    return f"ECE {binned - started:.3f} s, whole report {ended - binned:.2f} s CPU"


def main() -> None:
    """Simulate, and print a Markdown table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--populations", nargs="+", default=["A", "B", "C", "D", "G"])
    parser.add_argument("--procedures", nargs="+", default=PROCEDURES[:4], choices=PROCEDURES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--speed", action="store_true")
    options = parser.parse_args()
    if options.speed:
        print(speed())
        return
    rng = np.random.default_rng(options.seed)
    started = time.process_time()
    cells = [
        each
        for target in TARGETS
        for name in options.populations
        for size in options.sizes
        for each in cell(
            name,
            size,
            target,
            options.procedures,
            options.runs if size <= LARGE else min(options.runs, LARGE_RUNS),
            rng,
        )
    ]
    print("Share of runs that break the promise / mean coverage\n")
    print(table(cells))
    broken = [each for each in cells if not each.kept and each.procedure != "naive"]
    print(f"\ncells that break it: {len(broken)} of {len(cells)}")
    for each in broken:
        print(f"  {each}")
    print(f"seed {options.seed}, {time.process_time() - started:.0f} s of one core")


if __name__ == "__main__":
    main()
