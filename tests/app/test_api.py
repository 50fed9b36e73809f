"""The library: what `import afere` gives, and the verbs on a real server."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from servers import ChatServer
from twenty import SUITE

import afere


def test_the_public_names_are_these_and_all_are_there() -> None:
    assert [name for name in afere.__all__ if not hasattr(afere, name)] == []
    assert set(afere.__all__) >= {"load_suite", "run", "arun", "compare", "grade", "Outcome"}
    assert {"compare_scores", "stats"} <= set(afere.__all__)
    assert {"wilson", "tango", "dirichlet_mean"} <= set(afere.stats.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = afere.nothing  # type: ignore[attr-defined]


def test_importing_it_loads_nothing_heavy() -> None:
    heavy = [
        "aiohttp",
        "sqlalchemy",
        "numpy",
        "scipy",
        "rich",
        "jinja2",
        "yaml",
        "click",
        "pyarrow",
    ]
    script = f"import afere, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_run_and_compare_from_python(tmp_path: Path, server: ChatServer) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(SUITE, "utf-8")
    suite = afere.load_suite(path)
    store = str(tmp_path / "kept.db")
    good = afere.run(suite, model="good", base_url=server.base_url, rounds=2, store=store)

    async def inside() -> afere.RunResult:
        return await afere.arun(
            suite,
            model="fair",
            base_url=server.base_url,
            rounds=2,
            store=store,
        )

    fair = asyncio.run(inside())
    assert (good.score, fair.score) == (0.9, 0.7)
    assert "90.0" in str(good)
    assert good.to_dict()["score"] == 0.9
    verdict = afere.compare(good, fair, margin=0.05)
    assert verdict.verdict is afere.VerdictKind.WORSE
    assert verdict.difference == pytest.approx(-0.2)
    by_name = afere.compare("good", "fair", margin=0.05, store=store)
    assert by_name.interval == verdict.interval


def test_one_answer_is_graded_offline() -> None:
    item = afere.Item(id="a", input="2 + 2?", expect=afere.Expect(kind="number", key=4))
    assert afere.grade(item, "The answer is 4.").outcome is afere.Outcome.RIGHT
    assert afere.grade(item, "The answer is 14.").outcome is afere.Outcome.WRONG
    assert afere.grade(item, "").outcome is afere.Outcome.EMPTY


def test_a_run_shows_itself_at_a_prompt_and_in_a_notebook(
    tmp_path: Path, server: ChatServer
) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(SUITE, "utf-8")
    done = afere.run(
        path,
        model="<b>good</b>",
        base_url=server.base_url,
        rounds=1,
        store=str(tmp_path / "kept.db"),
    )
    assert "<b>good</b>" in str(done)
    assert "&lt;b&gt;good&lt;/b&gt;" in done._repr_html_()
    assert "<b>" not in done._repr_html_()
    assert str(done.summary).splitlines()[0].startswith("<b>good</b>: ")
