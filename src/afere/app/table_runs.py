"""A result file as a run: its items and scores, without questions and replies."""

from afere.domain import (
    Expect,
    Grade,
    Item,
    Outcome,
    Row,
    Run,
    RunPlan,
    ScoreTable,
    Suite,
    digest,
)

__all__ = ["run_of"]


def run_of(table: ScoreTable) -> Run:
    """Give the run that a table of scores would be of; a lost score is a row never asked for."""
    known = zip(
        table.items,
        table.categories or [None] * len(table.items),
        table.groups or [None] * len(table.items),
        table.keys or [None] * len(table.items),
        table.inputs or [None] * len(table.items),
        strict=True,
    )
    items = tuple(
        Item(
            id=name,
            input="",
            expect=Expect(kind="", key=key or ""),
            category=category,
            group=group,
            source=text,
        )
        for name, category, group, key, text in known
    )
    suite = Suite(name=table.suite, items=items, average=table.average or "micro")
    rounds = max(table.round, default=0)
    plan = RunPlan(
        suite_name=table.suite,
        suite_hash=digest([table.items, table.suite]),
        endpoint="",
        base_url="",
        name=table.model,
        model=table.model,
        params={},
        rounds=-(-rounds // table.variants),
        items=tuple(table.items),
        variants=table.variants,
    )
    return Run(plan=plan, suite=suite, rows=tuple(_rows(table)))


def _rows(table: ScoreTable) -> list[Row]:
    rows = []
    for place, number, score in zip(table.item, table.round, table.score, strict=True):
        known = score == score  # noqa: PLR0124 - not a number: the row is lost
        outcome = Outcome.RIGHT if score == 1 else Outcome.WRONG
        rows.append(
            Row(
                item=table.items[place],
                round=(number - 1) // table.variants + 1,
                variant=(number - 1) % table.variants,
                grade=Grade(
                    outcome=outcome if known else Outcome.NOT_ASKED,
                    score=score if known else None,
                    grader="",
                    grader_version="",
                ),
            )
        )
    return rows
