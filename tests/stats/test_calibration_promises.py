"""A short simulation: certified thresholds keep their promise, ties and groups included."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest


def simulation() -> ModuleType:
    name = "bench_calibration"
    if name not in sys.modules:
        path = Path(__file__).resolve().parents[2] / "bench" / "calibration.py"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.mark.parametrize("population", ["A", "B", "C", "D", "G"])
def test_the_promise_holds_in_at_least_95_of_100_runs(population: str) -> None:
    bench = simulation()
    rng = np.random.default_rng(1)
    for size in (200, 1000):
        for cell in bench.cell(population, size, 0.05, bench.PROCEDURES[:3], 100, rng):
            assert cell.kept, cell


def test_a_threshold_chosen_and_read_on_the_same_rows_breaks_it_mostly() -> None:
    bench = simulation()
    (cell,) = bench.cell("C", 500, 0.05, ("naive",), 50, np.random.default_rng(1))
    assert cell.violated > 0.5


def test_coverage_is_that_of_the_notes() -> None:
    bench = simulation()
    rng = np.random.default_rng(2)
    expected = {"single": 0.56, "sequence": 0.66, "search of all": 0.72, "sequence from top": 0.64}
    for cell in bench.cell("A", 1000, 0.05, tuple(expected), 100, rng):
        assert cell.coverage > expected[cell.procedure] - 0.05, cell
