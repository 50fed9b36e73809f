"""Any text, any number: what is kept comes back."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from store_samples import attempt, failure, plan, request, response, row, started, suite

from afere.domain import Attempt, Response, Tokens
from afere.store import open_store
from afere.store.texts import from_column, to_column

ANY_TEXT = st.text(st.characters(exclude_categories=()) | st.sampled_from("\0\ud800\udfff\ufdd0"))


@given(ANY_TEXT)
def test_a_text_of_any_characters_comes_back_from_its_column(text: str) -> None:
    column = to_column(text)
    column.encode()
    assert "\0" not in column
    assert from_column(column) == text


def test_an_ordinary_text_stands_in_its_column_as_it_is() -> None:
    for text in ("", "maçã ✓ 世 😀", "\x01\x7f\ufffd\uffff", "fdd0"):
        assert to_column(text) == text
    assert to_column("a\0b\ud83d\ufdd0") == "a\ufdd00000b\ufdd0d83d\ufdd0fdd0"


@settings(max_examples=20, deadline=None)
@given(st.lists(ANY_TEXT, min_size=10, max_size=10))
def test_every_text_of_an_answer_comes_back_from_the_file(texts: Sequence[str]) -> None:
    a, b, c, d, e, f, g, h, i, j = texts
    asked = request(a, model=b, endpoint=c, series=d, body={"messages": []})
    given = response(e, finish_reason=f, reasoning=g, refusal=h, served_model=i, body=j)
    judged = row(a, finish_reason=b, served_model=c, fingerprint=d, key=asked.key)
    judged = replace(judged, grade=replace(judged.grade, read=e, rule=f, grader=g))

    async def story() -> None:
        with TemporaryDirectory() as folder:
            store = await open_store(str(Path(folder, "afere.db")), clock=lambda: 0.0)
            kept = plan(suite(a))
            await store.begin(kept, suite(a), started())
            await store.keep_attempt(Attempt(request=asked, result=given))
            await store.keep_row(kept.id, judged)
            assert await store.response(asked.key) == given
            assert await store.attempts(asked.key) == [Attempt(request=asked, result=given)]
            run = await store.run(kept.id)
            assert run is not None
            assert run.rows == (judged,)
            assert list(await store.graded(kept.id)) == [(a, 1, 0)]
            await store.close()

    asyncio.run(story())


def test_a_body_is_rebuilt_to_the_same_key(tmp_path: Path) -> None:
    bodies = [
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "\ud800\0ç"}]}]},
        {"messages": None},
        {"messages": [], "temperature": 0.1, "stop": ["\n"], "logit_bias": {"5": -100}},
        {},
    ]

    async def story() -> None:
        store = await open_store(str(tmp_path / "afere.db"), clock=lambda: 0.0)
        for body in bodies:
            asked = replace(request(), body=body)
            await store.keep_attempt(Attempt(request=asked, result=response()))
            (found,) = await store.attempts(asked.key)
            assert found.request == asked
            assert found.request.key == asked.key
        await store.close()

    asyncio.run(story())


def test_numbers_that_no_server_should_send_do_no_harm(tmp_path: Path) -> None:
    absurd = response(tokens=Tokens(input=10**30, output=-(10**30), reasoning=2**63 - 1))
    endless = failure(wait=float("inf"), resume_after=float("nan"), status=10**30)

    async def story() -> None:
        store = await open_store(str(tmp_path / "afere.db"), clock=lambda: 0.0)
        await store.keep_attempt(Attempt(request=request(), result=endless))
        await store.keep_attempt(Attempt(request=request(), result=absurd))
        assert [each.result for each in await store.attempts(request().key)] == [
            replace(endless, wait=None, resume_after=None),
            replace(absurd, tokens=Tokens(reasoning=2**63 - 1)),
        ]
        await store.close()

    asyncio.run(story())


def test_one_record_that_cannot_be_kept_leaves_the_others_of_its_batch(tmp_path: Path) -> None:
    broken = Attempt(request=request("p02"), result=replace(response(), latency=float("nan")))

    async def story() -> list[BaseException | None]:
        store = await open_store(str(tmp_path / "afere.db"), clock=lambda: 0.0)
        outcomes = await asyncio.gather(
            store.keep_attempt(attempt("p01")),
            store.keep_attempt(broken),
            store.keep_attempt(attempt("p03")),
            return_exceptions=True,
        )
        assert isinstance(await store.response(request("p01").key), Response)
        assert await store.response(request("p02").key) is None
        assert isinstance(await store.response(request("p03").key), Response)
        await store.close()
        return outcomes

    first, second, third = asyncio.run(story())
    assert (first, third) == (None, None)
    assert "an answer cannot be kept (" in str(second)
