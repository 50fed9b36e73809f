"""The runner: bounded, resumable, and no fault ever becomes a score."""

import asyncio
from collections.abc import Iterator

import pytest

from afere.domain import (
    Expect,
    Failure,
    FailureKind,
    Grade,
    Item,
    Outcome,
    Request,
    Response,
    Row,
    Scope,
)
from afere.runner import Asked, Ending, Interrupted, Stop, carry_out


def plan(size: int) -> Iterator[Asked]:
    for number in range(size):
        item = Item(id=f"i{number}", input="?", expect=Expect(kind="text", key="x"))
        yield Asked(
            item=item, request=Request(item=item.id, round=1, endpoint="e", model="m", body={})
        )


class Endpoint:
    """Answers after a turn of the loop; remembers how many were in flight."""

    def __init__(self, replies: dict[str, Response | Failure] | None = None) -> None:
        self.replies = replies or {}
        self.asked: list[str] = []
        self.in_flight = self.most = 0

    async def ask(self, request: Request) -> Response | Failure:
        self.asked.append(request.item)
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        await asyncio.sleep(0.001)
        self.in_flight -= 1
        return self.replies.get(request.item, Response(content="x"))


async def grade(item: Item, response: Response) -> Grade:
    right = response.content == item.expect.key
    return Grade(
        outcome=Outcome.RIGHT if right else Outcome.WRONG,
        score=float(right),
        grader="text",
        grader_version="1",
    )


def carry(endpoint: Endpoint, size: int = 20, *, concurrency: int = 4) -> tuple[list[Row], Ending]:
    rows: list[Row] = []

    async def keep(row: Row) -> None:
        await asyncio.sleep(0)
        rows.append(row)

    async def main() -> Ending:
        return await carry_out(
            plan(size),
            endpoint,
            grade=grade,
            keep=keep,
            concurrency=concurrency,
            stop=Stop(),
        )

    return rows, asyncio.run(main())


def test_every_request_is_asked_once_and_its_row_kept() -> None:
    endpoint = Endpoint()
    rows, ending = carry(endpoint)
    assert sorted(endpoint.asked) == sorted(row.item for row in rows)
    assert len(set(endpoint.asked)) == 20
    assert ending == Ending()


@pytest.mark.parametrize("concurrency", [1, 3, 16])
def test_what_is_in_flight_reaches_the_limit_and_never_passes_it(concurrency: int) -> None:
    endpoint = Endpoint()
    carry(endpoint, concurrency=concurrency)
    assert endpoint.most == concurrency


def test_a_failure_is_no_score() -> None:
    failure = Failure(kind=FailureKind.SERVER, message="503", status=503)
    rows, _ = carry(Endpoint({"i3": failure}))
    (failed,) = [row for row in rows if row.item == "i3"]
    assert failed.grade.outcome is Outcome.ENDPOINT_ERROR
    assert failed.grade.score is None
    assert failed.error == failure
    assert len(rows) == 20


@pytest.mark.parametrize("scope", [Scope.MODEL, Scope.PROVIDER])
def test_a_failure_of_model_or_provider_stops_the_run(scope: Scope) -> None:
    failure = Failure(kind=FailureKind.KEY, message="401", status=401, scope=scope)
    rows, ending = carry(Endpoint({"i0": failure}), concurrency=2)
    assert ending.stopped_by == failure
    assert len(rows) == 2


def test_a_grader_s_fault_is_an_outcome_of_its_own() -> None:
    async def broken(item: Item, response: Response) -> Grade:
        raise ZeroDivisionError("in the grader")

    rows: list[Row] = []

    async def keep(row: Row) -> None:
        rows.append(row)

    async def main() -> None:
        await carry_out(plan(1), Endpoint(), grade=broken, keep=keep, concurrency=1, stop=Stop())

    asyncio.run(main())
    assert rows[0].grade.outcome is Outcome.GRADER_ERROR
    assert rows[0].grade.flags == ("ZeroDivisionError: in the grader",)


def test_an_error_of_the_store_ends_the_run_and_is_told() -> None:
    async def keep(row: Row) -> None:
        raise OSError("disk full")

    async def main() -> None:
        await carry_out(plan(5), Endpoint(), grade=grade, keep=keep, concurrency=2, stop=Stop())

    with pytest.raises(OSError, match="disk full"):
        asyncio.run(main())


def test_an_interrupt_lets_calls_in_flight_finish_and_takes_no_new_one() -> None:
    endpoint, rows = Endpoint(), list[Row]()

    async def main() -> Ending:
        stop = Stop()

        async def keep(row: Row) -> None:
            rows.append(row)
            stop.interrupt()

        return await carry_out(plan(20), endpoint, grade=grade, keep=keep, concurrency=3, stop=stop)

    ending = asyncio.run(main())
    assert ending.interrupted
    assert len(rows) == len(endpoint.asked) == 3


def test_a_wait_ends_as_soon_as_the_run_is_to_stop() -> None:
    async def main() -> None:
        stop = Stop()
        await stop.sleep(0.001)
        waiting = asyncio.ensure_future(stop.sleep(3600))
        await asyncio.sleep(0)
        stop.interrupt()
        with pytest.raises(Interrupted):
            await waiting

    asyncio.run(main())
