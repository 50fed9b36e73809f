"""The page of a run with confidences: the numbers of `calibrate`, and no look of its own."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import Seen, seen, started
from command import Afere
from servers import ChatServer
from sure import CHOICES, sure

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Afere:
    """A folder with a run that has confidences, and one that has none."""
    afere = Afere(tmp_path_factory.mktemp("sure"))
    afere.write("suite.yaml", json.dumps(CHOICES))
    with ChatServer(sure) as server:
        for model in ("small", "large"):
            ended = afere("run", "suite.yaml", "-m", model, "--base-url", server.base_url,
                          "--rounds", "1", "--quiet")  # fmt: skip
            assert ended.code == 0, ended
    return afere


@pytest.fixture(scope="module")
def unseen(asked: Afere) -> Path:
    """The page of a run at whose rows nobody has looked."""
    return page(asked, "unseen", "small")


@pytest.fixture(scope="module")
def known(asked: Afere, unseen: Path) -> dict[str, Any]:
    """What `calibrate` says of the run, whose look it takes."""
    assert unseen.exists()
    found: dict[str, Any] = asked("calibrate", "small", "--max-error", "0.06", "--json").json
    return found


@pytest.fixture(scope="module")
def looked(asked: Afere, known: dict[str, Any]) -> Path:
    assert known["threshold"]["certified"] is True
    return page(asked, "looked", "small")


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with started() as found:
        yield found


def page(afere: Afere, name: str, *runs: str) -> Path:
    ended = afere("report", *runs, "-o", f"{name}.html")
    assert ended.code == 0, ended
    return afere.folder / f"{name}.html"


def labels(page: Seen, chart: str) -> list[dict[str, str]]:
    """Read the labels of a wide chart's marks: `confidence: 0.9; right: 1`."""
    found = page.page.eval_on_selector_all(
        f"svg.wide[aria-label*='{chart}'] [aria-roledescription$=mark], "
        f"svg.wide[aria-label*='{chart}'] [aria-roledescription=point]",
        "marks => marks.map(mark => mark.getAttribute('aria-label'))",
    )
    return [dict(part.split(": ", 1) for part in each.split("; ")) for each in found]


def test_a_page_takes_no_look_and_says_who_does(
    browser: "Browser", unseen: Path, known: dict[str, Any]
) -> None:
    assert known["threshold"]["looked_at"] is not None, "the look was still to be taken"
    with seen(browser, unseen) as found:
        told = found.page.inner_text("#confidence")
        assert "No threshold has been looked at." in told
        assert "afere calibrate" in told
        assert not [each for each in labels(found, "error rate among") if "what it is" in each]


def test_the_reliability_diagram_names_bins_counts_and_intervals(
    browser: "Browser", looked: Path, known: dict[str, Any]
) -> None:
    bins = [each for each in known["bins"] if each["n"]]
    with seen(browser, looked) as found:
        marks = labels(found, "bin by bin")
        dots = [each for each in marks if "n" in each]
        intervals = [each for each in marks if "low" in each]
    numbers = [
        [float(each[name]) for name in ("from", "until", "n", "confidence", "right")]
        for each in dots
    ]
    assert numbers == [
        pytest.approx(
            [each["low"], each["high"], each["n"], each["confidence"], each["accuracy"]], abs=1e-9
        )
        for each in bins
    ]
    assert [[float(each["low"]), float(each["high"])] for each in intervals] == [
        pytest.approx(each["interval"], abs=1e-9) for each in bins
    ]


def test_the_curve_names_what_is_accepted_and_the_certified_point(
    browser: "Browser", looked: Path, known: dict[str, Any]
) -> None:
    with seen(browser, looked) as found:
        marks = labels(found, "error rate among accepted against coverage")
        assert "Act alone from" in found.page.inner_text("#confidence")
    dots = [each for each in marks if "accepted" in each]
    numbers = [
        [float(each[name]) for name in ("threshold", "accepted", "errors", "coverage")]
        for each in dots
    ]
    curve = [
        [each["threshold"], each["accepted"], each["errors"], each["coverage"]]
        for each in known["coverage_curve"]
    ]
    assert numbers
    for each in numbers:
        assert any(each == pytest.approx(point, abs=1e-9) for point in curve)
    assert numbers[-1] == pytest.approx(curve[-1], abs=1e-9)
    threshold = known["threshold"]
    (point,) = [each for each in marks if each.get("what it is") == "certified"]
    assert float(point["threshold"]) == pytest.approx(threshold["value"])
    assert float(point["coverage"]) == pytest.approx(threshold["coverage"])
    assert float(point["error rate"]) == pytest.approx(threshold["error_rate"])
    (bound,) = [each for each in marks if "at most" in each]
    assert float(bound["at most"]) == pytest.approx(threshold["upper_bound"])
    (promise,) = [each for each in marks if "promised at most" in each]
    assert float(promise["promised at most"]) == 0.06


def test_the_table_has_the_measures_of_calibrate(
    browser: "Browser", looked: Path, known: dict[str, Any]
) -> None:
    with seen(browser, looked) as found:
        rows = found.page.eval_on_selector_all(
            "#confidence .measures tbody tr",
            "rows => rows.map(row => [row.cells[0].textContent, row.cells[1].dataset.value])",
        )
    measures = {name: float(value) for name, value in rows if value is not None}
    assert measures == {
        "rows": known["n"],
        "right": known["accuracy"],
        "ECE": known["ece"],
        "debiased": known["ece_debiased"],
        "smooth ECE": known["smooth_ece"],
        "largest gap of a bin": known["mce"],
        "Brier": known["brier"],
        "log loss": known["log_loss"],
        "AUROC": known["auroc"],
        "AURC": known["aurc"],
        "E-AURC": known["e_aurc"],
    }


def test_two_models_have_their_confidences_beside_one_another(
    asked: Afere, browser: "Browser"
) -> None:
    with seen(browser, page(asked, "both", "small", "large")) as found:
        assert found.page.locator("#confidence figure").count() == 4
        assert found.page.locator("#confidence .measures thead th").all_inner_texts() == [
            "small",
            "large",
        ]


def test_a_page_with_confidences_has_no_serious_finding_of_accessibility(
    browser: "Browser", looked: Path
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe installed")
    with seen(browser, looked) as found:
        violations = axe.Axe().run(found.page).response["violations"]
        assert [
            each["id"] for each in violations if each["impact"] in {"serious", "critical"}
        ] == []


def test_without_confidences_nothing_is_shown(project: Afere) -> None:
    assert project("run", "suite.yaml", "-m", "good", "--rounds", "3", "--quiet").code == 0
    assert 'id="confidence"' not in page(project, "plain", "good").read_text("utf-8")
