"""What every store keeps to: the one in a database and the one in memory."""

import asyncio
from dataclasses import fields, replace

from store_samples import (
    URL,
    OpenStore,
    attempt,
    failure,
    plan,
    request,
    response,
    row,
    started,
    suite,
)

from afere.domain import (
    Attempt,
    Calls,
    Failure,
    FailureKind,
    Grade,
    Graded,
    Outcome,
    Response,
    Row,
    Scope,
    Tokens,
)


def test_a_reply_is_given_back_as_it_was_kept(opening: OpenStore) -> None:
    async def story() -> None:
        async with opening() as store:
            await store.keep_attempt(attempt())
            assert await store.response(request().key) == response()
            assert await store.response(request("p02").key) is None

    asyncio.run(story())


def test_a_failure_is_kept_and_never_given_as_a_reply(opening: OpenStore) -> None:
    async def story() -> None:
        failed = Attempt(request=request(), result=failure(wait=1.5, body="busy"))
        async with opening() as store:
            await store.keep_attempt(failed)
            assert await store.response(request().key) is None
            await store.keep_attempt(attempt())
            assert await store.response(request().key) == response()
            assert await store.attempts(request().key) == [failed, attempt()]

    asyncio.run(story())


def test_the_first_reply_is_final_until_asked_again_on_purpose(opening: OpenStore) -> None:
    async def story() -> None:
        key = request().key
        async with opening() as store:
            assert await store.keep_attempt(attempt(content="first", at=1.0)) is None
            first = response("first", 1.0)
            assert await store.keep_attempt(attempt(content="second", at=2.0)) == first
            assert await store.response(key) == first
            third = attempt(content="third", at=3.0)
            assert await store.keep_attempt(third, again=True) is None
            fourth = await store.keep_attempt(attempt(content="fourth", at=4.0))
            assert fourth == response("third", 3.0)
            failed = Attempt(request=request(), result=failure())
            assert await store.keep_attempt(failed) is None
            assert await store.response(key) == response("third", 3.0)

    asyncio.run(story())


def test_each_round_model_and_field_of_the_body_has_an_answer_of_its_own(
    opening: OpenStore,
) -> None:
    """BR-033, BR-035, BR-037: what could change the answer is part of its key."""
    without_temperature = {"model": "m", "messages": [{"role": "user", "content": "p01?"}]}
    asked = [
        request(),
        request(round_=2),
        request(model="other"),
        request(body={"max_tokens": 4000}),
        request(body={"stop": ["\n"]}),
        replace(request(), body=without_temperature),
        request(endpoint="http://127.0.0.1:10/v1"),
        request(variant=1),
        request(series="june"),
    ]

    async def story() -> None:
        async with opening() as store:
            for number, each in enumerate(asked):
                assert await store.response(each.key) is None
                answer = response(f"answer {number}", float(number))
                await store.keep_attempt(Attempt(request=each, result=answer))
            for number, each in enumerate(asked):
                assert await store.response(each.key) == response(f"answer {number}", number)

    asyncio.run(story())


def test_a_run_has_its_latest_rows_in_the_order_of_its_plan(opening: OpenStore) -> None:
    async def story() -> None:
        asked = plan()
        lost = row("p01", 2, Outcome.ENDPOINT_ERROR, error=failure(), answered_at=None)
        async with opening() as store:
            number = await store.begin(asked, suite(), started())
            for each in (row("p02", 2), lost, row("p02"), row("p01"), row("p01", 2, cached=True)):
                await store.keep_row(asked.id, each)
            ended = replace(started(), finished=8.0, calls=Calls(made=5, failed=1))
            await store.end(asked.id, number, ended)
            run = await store.run(asked.id)
        assert run is not None
        assert (run.id, run.plan, run.suite) == (asked.id, asked, suite())
        assert run.rows == (row("p01"), row("p01", 2, cached=True), row("p02"), row("p02", 2))
        assert run.invocations == (ended,)

    asyncio.run(story())


def test_a_run_that_was_killed_still_has_its_beginning(opening: OpenStore) -> None:
    async def story() -> None:
        asked = plan()
        async with opening() as store:
            assert await store.begin(asked, suite(), started(5.0)) == 1
            assert await store.begin(asked, suite(), started(6.0)) == 2
            await store.end(asked.id, 2, replace(started(6.0), finished=7.0))
            run = await store.run(asked.id)
            assert run is not None
            assert [each.finished for each in run.invocations] == [None, 7.0]
            assert await store.run("000000000000") is None

    asyncio.run(story())


def test_what_is_judged_is_read_in_bulk_with_its_grader(opening: OpenStore) -> None:
    async def story() -> None:
        asked = plan()
        async with opening() as store:
            await store.begin(asked, suite(), started())
            await store.keep_row(asked.id, row("p01", outcome=Outcome.WRONG))
            await store.keep_row(asked.id, row("p01"))
            await store.keep_row(asked.id, row("p02", 2, Outcome.BLOCKED, variant=3))
            assert await store.graded(asked.id) == {
                ("p01", 1, 0): Graded("number", "1", Outcome.RIGHT),
                ("p02", 2, 3): Graded("number", "1", Outcome.BLOCKED),
            }
            assert await store.graded("000000000000") == {}

    asyncio.run(story())


def test_an_answer_is_the_very_reply_that_the_row_judges(opening: OpenStore) -> None:
    async def story() -> None:
        asked = plan()
        async with opening() as store:
            await store.begin(asked, suite(), started())
            await store.keep_attempt(attempt(content="a", at=10.0))
            await store.keep_attempt(attempt(content="b", at=11.0))
            await store.keep_attempt(attempt("p02", content="c", at=12.0))
            lost = row("p02", 2, Outcome.ENDPOINT_ERROR, answered_at=None)
            rows = (row("p01", answered_at=11.0), row("p02", answered_at=99.0), lost)
            for each in rows:
                await store.keep_row(asked.id, each)
            found = [answer async for answer in store.answers(asked.id)]
            none = [answer async for answer in store.answers("000000000000")]
        assert found == [
            (rows[0], response("b", 11.0)),
            (rows[1], response("c", 12.0)),
            (rows[2], None),
        ]
        assert none == []

    asyncio.run(story())


def test_runs_are_listed_by_their_latest_start_and_found_by_their_beginning(
    opening: OpenStore,
) -> None:
    async def story() -> None:
        first, second = plan(name="a"), plan(name="b")
        async with opening() as store:
            await store.begin(first, suite(), started(1.0))
            await store.begin(second, suite(), started(2.0))
            await store.begin(first, suite(), started(3.0))
            assert await store.plans() == [(second, started(2.0)), (first, started(3.0))]
            assert await store.find(first.id[:6]) == [first.id]
            assert await store.find("") == sorted([first.id, second.id])
            assert await store.find("%") == await store.find("\ud800\0'") == []

    asyncio.run(story())


def test_a_plan_with_a_new_price_replaces_the_old_one_in_sight(opening: OpenStore) -> None:
    async def story() -> None:
        priced = plan(price={"input": 0.29, "output": 0.59})
        assert priced.id == plan().id
        async with opening() as store:
            await store.begin(plan(), suite(), started(1.0))
            await store.begin(priced, suite(), started(2.0))
            assert [each for each, _ in await store.plans()] == [priced]

    asyncio.run(story())


def test_requests_are_counted_by_model_from_a_moment_on(opening: OpenStore) -> None:
    async def story() -> None:
        other = Attempt(request=request(model="other"), result=failure(failed_at=30.0))
        away = Attempt(request=request(endpoint="http://127.0.0.1:10/v1"), result=response())
        async with opening() as store:
            await store.keep_attempt(attempt(at=10.0))
            await store.keep_attempt(attempt("p02", at=20.0))
            await store.keep_attempt(other)
            await store.keep_attempt(away)
            assert await store.asked(URL, 0.0) == {"m": 2, "other": 1}
            assert await store.asked(URL, 20.0) == {"m": 1, "other": 1}
            assert await store.asked(URL, 31.0) == {}

    asyncio.run(story())


def test_the_requests_behind_a_runs_rows_are_counted(opening: OpenStore) -> None:
    async def story() -> None:
        asked = plan()
        async with opening() as store:
            await store.begin(asked, suite(), started())
            await store.keep_attempt(Attempt(request=request("p01"), result=failure()))
            await store.keep_attempt(attempt("p01"))
            await store.keep_attempt(attempt("p02", 2))
            await store.keep_row(asked.id, row("p01"))
            await store.keep_row(asked.id, row("p01"))
            await store.keep_row(asked.id, row("p02"))
            assert await store.tries(asked.id) == {request("p01").key: 2}
            assert await store.tries("000000000000") == {}

    asyncio.run(story())


def test_no_field_of_a_record_is_forgotten(opening: OpenStore) -> None:
    """A field added to a record later must get its column: here every field is set."""
    given = Response(
        content="3882",
        finish_reason="stop",
        reasoning="47 * 83",
        refusal="no",
        tokens=Tokens(input=1, output=2, reasoning=3),
        latency=0.5,
        answered_at=7.5,
        served_model="m-1",
        fingerprint="fp",
        body="{}",
        adapted=("max_tokens",),
    )
    lost = Failure(
        kind=FailureKind.QUOTA,
        message="quota",
        status=429,
        body="{}",
        transient=True,
        scope=Scope.PROVIDER,
        wait=1.5,
        resume_after=99.5,
        latency=0.25,
        failed_at=8.5,
        adapted=("max_tokens",),
    )
    grade = Grade(
        outcome=Outcome.GRADER_ERROR,
        score=0.5,
        grader="python",
        grader_version="3",
        read="3882",
        rule="marker",
        flags=("run-on", "other-separators"),
        seconds=0.75,
        failure="timeout",
        message="no end within 10 s",
        sandbox="namespaces",
        integrity="weak",
        output="1\n\ud800\0",
    )
    judged = Row(
        item="p01",
        round=2,
        grade=grade,
        variant=3,
        key=request().key,
        finish_reason="stop",
        tokens=Tokens(input=1, output=2, reasoning=3),
        latency=0.5,
        answered_at=7.5,
        served_model="m-1",
        fingerprint="fp",
        error=lost,
        cached=True,
    )
    for record in (given, lost, grade, judged):
        for field in fields(record):
            assert getattr(record, field.name) != field.default, field.name

    async def story() -> None:
        attempts = [Attempt(request=request(), result=result) for result in (lost, given)]
        async with opening() as store:
            await store.begin(plan(), suite(), started())
            for each in attempts:
                await store.keep_attempt(each)
            await store.keep_row(plan().id, judged)
            assert await store.attempts(request().key) == attempts
            assert [answer async for answer in store.answers(plan().id)] == [(judged, given)]
            run = await store.run(plan().id)
            assert run is not None
            assert run.rows == (judged,)

    asyncio.run(story())
