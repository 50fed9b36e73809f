"""How a comparison was made, so that it can be repeated: what made the runs, and the verdict."""

from afere.domain import Comparison, Run, RunSummary
from afere.report.harmless import address, written
from afere.report.sides import both
from afere.report.words import Words

__all__ = ["Made", "how_made", "how_reached"]

_ITS_OWN = ("model", "asked for as", "run", "dates", "answers given")
Made = tuple[str, str, str, bool]


def how_made(comparison: Comparison, runs: tuple[Run, Run], words: Words) -> list[Made]:
    """Give what made the two runs: name, baseline's, candidate's, and whether that is a change."""
    columns = [_made_by(side, run, words) for side, run in zip(both(comparison), runs, strict=True)]
    own = {words.say(name) for name in _ITS_OWN}
    rows = []
    for name in dict.fromkeys(name for column in columns for name in column):
        ours, theirs = (column.get(name, "") for column in columns)
        if ours or theirs:
            rows.append((name, ours or "–", theirs or "–", ours != theirs and name not in own))
    return rows


def how_reached(comparison: Comparison, words: Words) -> list[tuple[str, str]]:
    """Give how the verdict was reached: name and value."""
    facts = [
        ("method", comparison.method),
        ("level", words.level(comparison.level)),
        ("margin", words.margin(comparison.margin)),
        ("average", comparison.average),
        ("seed", str(comparison.seed)),
    ]
    facts += [
        (name, f"{value:.4g}")
        for name, value in (("p", comparison.p_value), ("p, exact", comparison.p_exact))
        if value is not None
    ]
    facts += [("reason", words.tell(comparison.why)), ("again", _command(comparison))]
    return [(words.say(name), value) for name, value in facts if value]


def _command(comparison: Comparison) -> str:
    baseline, candidate = (side.run for side in both(comparison))
    return (
        f"afere compare {baseline} {candidate} "
        f"--margin {comparison.margin:g} --level {comparison.level:g}"
    )


def _made_by(side: RunSummary, run: Run, words: Words) -> dict[str, str]:
    plan, suite = run.plan, run.suite
    versions = dict.fromkeys(each.version for each in run.invocations if each.version)
    given = (side.answered_from, side.answered_to) if side.answered_from else None
    named = {
        "model": plan.name,
        "asked for as": plan.model,
        "served as": side.served_model or "",
        "fingerprint": side.fingerprint or "",
        "base URL": address(side.base_url),
        "answered by": "" if plan.endpoint == plan.base_url else address(plan.endpoint),
        "suite": words.say("{name}, version {version}", name=suite.name, version=suite.version),
        "suite hash": side.suite_hash,
        "prompt": suite.prompt or "",
        "system": suite.system or "",
        "reading": f"{suite.reading.language}, {'strict' if suite.reading.strict else 'lenient'}",
        "items": words.count(len(plan.items)),
        "rounds": words.count(plan.rounds),
        "series": plan.series,
        "run": side.run,
        "dates": _stretch((side.started, side.finished), words),
        "answers given": "" if given is None else _stretch(given, words),
        "afere": words.listing(versions),
    }
    facts = {words.say(name): value for name, value in named.items()}
    facts |= {f"params.{name}": written(value) for name, value in plan.params.items()}
    return facts


def _stretch(dates: tuple[str | None, str | None], words: Words) -> str:
    first, last = (words.time(date) for date in dates)
    return first if first == last else f"{first} – {last}"
