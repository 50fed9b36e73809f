"""Read by the type checker alone: the library's verbs as a user calls them."""

from pathlib import Path
from typing import assert_type

import afere


def compares(run: afere.Run, result: afere.RunResult) -> None:
    assert_type(afere.compare("base.csv", Path("cand.parquet")), afere.Comparison)
    assert_type(afere.compare(run, "both.csv::model", margin=0.05), afere.Comparison)
    assert_type(afere.compare(result, run, average="macro"), afere.Comparison)
    rows: list[list[float | None]] = [[1.0, None], [True, 0.5]]
    found = afere.compare_scores(rows, rows, categories=["a", None], groups=None, seed=1)
    assert_type(found, afere.Comparison)
    assert_type(found.verdict, afere.VerdictKind)


def counts() -> None:
    assert_type(afere.stats.wilson(9, 10, 0.95).lower, float)
    assert_type(afere.stats.mcnemar(4, 2).mid_p, float)


def calibrates() -> None:
    found = afere.calibrate(predictions=["a"], truths=["a"], confidences=[0.9, None], groups=[1])
    assert_type(found, afere.CalibrationResult)
    assert_type(found.ece, float)
    assert_type(
        afere.apply_calibration("t.json", [0.9], model="small"), list[tuple[float | None, bool]]
    )
