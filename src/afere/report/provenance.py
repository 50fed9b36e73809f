"""How a comparison was made, so that it can be repeated: what made the runs, and the verdict."""

import shlex

from afere.domain import Comparison, Run, RunSummary
from afere.report.harmless import address, written
from afere.report.sides import both
from afere.report.subject import Subject
from afere.report.words import Words

__all__ = ["Made", "command_again", "how_made", "how_reached", "run_again"]

Made = tuple[str, tuple[str, ...], bool]


def how_made(told: Subject, words: Words) -> list[Made]:
    """Give what made the runs: name, each run's value, and whether that is a change."""
    columns = [_made_by(side.summary, side.run, words) for side in told.sides]
    own = set(words.each("model", "asked for as", "run", "dates", "answers given", "again"))
    rows = []
    for name in dict.fromkeys(name for column in columns for name in column):
        values = tuple(column.get(name, "") for column in columns)
        if any(values):
            shown = tuple(value or "–" for value in values)
            rows.append((name, shown, len(set(values)) > 1 and name not in own))
    return rows


def how_reached(comparison: Comparison, words: Words) -> list[tuple[str, str]]:
    """Give how the verdict was reached: name and value."""
    facts = [
        (words.say("method"), comparison.method),
        (words.say("level"), words.level(comparison.level)),
        (words.say("margin"), words.margin(comparison.margin)),
        (words.say("average"), _average(comparison, words)),
        (words.say("seed"), str(comparison.seed)),
    ]
    facts += [
        (name, words.probability(value))
        for name, value in (
            (words.say("p"), comparison.p_value),
            (words.say("p, exact"), comparison.p_exact),
        )
        if value is not None
    ]
    facts += [
        (words.say("reason"), words.tell(comparison.why)),
        (words.say("again"), command_again(comparison)),
    ]
    return [(name, value) for name, value in facts if value]


def _average(comparison: Comparison, words: Words) -> str:
    if comparison.average == "macro":
        return words.say("macro: every category weighs the same")
    return words.say("micro: every item weighs the same")


def command_again(comparison: Comparison) -> str:
    """Give the command that compares the same two runs again; empty without runs."""
    baseline, candidate = (side.run for side in both(comparison))
    if not baseline or not candidate:
        return ""
    return (
        f"afere compare {baseline} {candidate} "
        f"--margin {comparison.margin:g} --level {comparison.level:g}"
    )


def run_again(run: Run) -> str:
    """Give the command that asks the same again; what is in the store it does not ask twice."""
    plan, suite = run.plan, run.suite
    local = plan.base_url.startswith("llama:")
    parts = ["afere", "run", suite.name, "-m", plan.base_url if local else plan.name]
    if plan.name == plan.model and not local:
        parts += ["--base-url", address(plan.base_url)]
    parts += ["--rounds", str(plan.rounds)]
    usual = {"temperature": 0, "max_tokens": 4000, **suite.params}
    for name, value in plan.params.items():
        if usual.get(name) != value:
            parts += ["--param", f"{name}={written(value)}"]
    parts += ["--series", plan.series] if plan.series else []
    parts += ["--rotate"] if plan.variants > 1 else []
    parts += ["--shuffle", str(plan.shuffle)] if plan.shuffle is not None else []
    parts += ["--seed-per-item"] if plan.seed_per_item else []
    if len(plan.items) < len(suite.items) and not plan.probe:
        parts += ["--limit", str(len(plan.items))]
    return shlex.join(parts)


def _made_by(side: RunSummary, run: Run, words: Words) -> dict[str, str]:
    plan, suite = run.plan, run.suite
    versions = dict.fromkeys(each.version for each in run.invocations if each.version)
    given = (side.answered_from, side.answered_to) if side.answered_from else None
    facts = {
        words.say("model"): plan.name,
        words.say("asked for as"): plan.model,
        words.say("served as"): side.served_model or "",
        words.say("fingerprint"): side.fingerprint or "",
        words.say("base URL"): address(side.base_url),
        words.say("answered by"): "" if plan.endpoint == plan.base_url else address(plan.endpoint),
        words.say("suite"): words.say(
            "{name}, version {version}", name=suite.name, version=suite.version
        ),
        words.say("suite hash"): side.suite_hash,
        words.say("prompt"): suite.prompt or "",
        words.say("system"): suite.system or "",
        words.say("reading"): words.listing(
            (suite.reading.language, words.say("strict" if suite.reading.strict else "lenient"))
        ),
        words.say("items"): words.count(len(plan.items)),
        words.say("rounds"): words.count(plan.rounds),
        words.say("series"): plan.series,
        words.say("run"): side.run,
        words.say("dates"): _stretch((side.started, side.finished), words),
        words.say("answers given"): "" if given is None else _stretch(given, words),
        words.say("afere"): words.listing(versions),
    }
    facts |= {f"params.{name}": written(value) for name, value in plan.params.items()}
    facts[words.say("again")] = run_again(run) if side.run and plan.base_url else ""
    return facts


def _stretch(dates: tuple[str | None, str | None], words: Words) -> str:
    first, last = (words.time(date) for date in dates)
    return first if first == last else f"{first} – {last}"
