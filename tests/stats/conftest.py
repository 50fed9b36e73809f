"""Lets these tests import the simulation of `bench/`, whose posterior is an oracle."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
