"""`afere.calibrate` as a library user calls it."""

import asyncio
import json
from pathlib import Path

import pytest

import afere


def columns(rows: int = 1000) -> tuple[list[str], list[str], list[float]]:
    x, predictions, truths, confidences = 1, [], [], []
    for _ in range(rows):
        draws = []
        for _ in range(2):
            x = (1103515245 * x + 12345) % 2**31
            draws.append((x >> 8) / 2**23)
        u, v = draws
        predictions.append("a")
        truths.append("a" if v >= 0.002 + 0.35 * u**3 else "b")
        confidences.append(1 - u * u / 2)
    return predictions, truths, confidences


def test_columns_give_measures_and_a_certified_threshold() -> None:
    predictions, truths, confidences = columns()
    found = afere.calibrate(
        predictions=predictions,
        truths=truths,
        confidences=confidences,
        categories=["x", "y"] * 500,
        max_error=0.05,
        confidence=0.95,
    )
    assert found.n == 1000
    assert found.threshold is not None
    assert found.threshold.certified
    assert set(found.by_category) == {"x", "y"}
    assert "Act alone from" in str(found)
    assert found._repr_html_().startswith("<pre>")
    assert json.loads(json.dumps(found.to_dict()))["threshold"]["certified"] is True
    again = afere.calibrate(predictions=predictions, truths=truths, confidences=confidences)
    assert again.threshold is not None
    assert again.threshold.value == found.threshold.value


def test_groups_count_once_and_a_missing_confidence_is_missing() -> None:
    found = afere.calibrate(
        predictions=[1, 1, None, 1],
        truths=[1, 2, 1, 1],
        confidences=[0.9, 0.9, 0.9, None],
        groups=[1, "1", None, 2],
        threshold=0.5,
    )
    assert (found.n, found.no_confidence, found.groups) == (3, 1, 2)
    assert found.accuracy == pytest.approx(1 / 3)
    assert found.threshold is not None
    assert (found.threshold.unit, found.threshold.accepted) == ("group", 2)


def test_arrays_and_a_running_loop_are_fine() -> None:
    numpy = pytest.importorskip("numpy")

    async def inside() -> afere.CalibrationResult:
        return afere.calibrate(
            predictions=numpy.array([1, 0]),
            truths=numpy.array([1, 1]),
            confidences=numpy.array([0.95, 1.0]),
            edges=[place / 10 for place in range(11)],
            threshold=0.5,
        )

    assert asyncio.run(inside()).ece == pytest.approx(0.475)


def test_a_frozen_file_serves_the_library(tmp_path: Path) -> None:
    predictions, truths, confidences = columns()
    path = tmp_path / "t.json"
    found = afere.calibrate(
        predictions=predictions,
        truths=truths,
        confidences=confidences,
        recalibrate="platt",
        freeze=path,
    )
    assert found.recalibration is not None
    (high, accepted), (_, other), (none, never) = afere.apply_calibration(
        path, [0.99, 0.5, None], model="any"
    )
    assert high is not None
    assert (accepted, other, none, never) == (True, False, None, False)
    with pytest.raises(afere.UsageError, match="a second look is refused"):
        afere.calibrate(
            predictions=predictions,
            truths=truths,
            confidences=confidences,
            recalibrate="platt",
            max_error=0.1,
            freeze=path,
        )


@pytest.mark.parametrize(
    ("confidences", "said"),
    [
        ([0.5, True], r"confidences\[1\] is True"),
        ([0.5, "high"], r"confidences\[1\] is 'high'"),
        ([0.5, float("nan")], "Write None where there is none"),
        ([0.5, float("inf")], "Write None where there is none"),
        ([0.5, 87], "Divide percentages by 100"),
        ([0.5, 1.0000000000000002], "outside 0 to 1"),
        ([0.5], "predictions has 2 values and confidences 1"),
        ([None, None], "no row has a confidence"),
    ],
)
def test_what_is_no_confidence_is_refused(confidences: list[object], said: str) -> None:
    with pytest.raises(afere.UsageError, match=said):
        afere.calibrate(predictions=[1, 1], truths=[1, 1], confidences=confidences)  # type: ignore[arg-type]


def test_two_rows_of_one_id_and_no_row_are_refused() -> None:
    with pytest.raises(afere.UsageError, match="two rows have one id"):
        afere.calibrate(predictions=[1, 1], truths=[1, 1], confidences=[0.5, 0.6], ids=["a", "a"])
    with pytest.raises(afere.UsageError, match="there is no row"):
        afere.calibrate(predictions=[], truths=[], confidences=[])
