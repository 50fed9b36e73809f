"""Lets these tests import their builders, and the simulation of `bench/coverage.py`."""

import importlib.util
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

NAME = "bench_coverage"  # not `coverage`, which is a library's name

if NAME not in sys.modules:
    path = Path(__file__).resolve().parents[2] / "bench" / "coverage.py"
    spec = importlib.util.spec_from_file_location(NAME, path)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[NAME] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[NAME])
