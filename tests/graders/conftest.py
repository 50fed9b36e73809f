"""What the tests of the graders are given: one answer graded, and the data of real answers."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from grading_cases import DATA, make_item
from grading_executed import Executing

from afere.domain import Grade, Item, Reading, Response
from afere.graders import grade_offline

Graded = Callable[..., Grade]


@pytest.fixture
def graded() -> Graded:
    """Grade one reply to an item with that `expect`."""

    def grade(
        expect: dict[str, Any],
        reply: str,
        language: str = "en",
        *,
        strict: bool = False,
        finish: str = "stop",
        **fields: Any,
    ) -> Grade:
        extra = {name: fields.pop(name) for name in ("reasoning", "refusal") if name in fields}
        response = Response(content=reply, finish_reason=finish, **extra)
        reading = Reading(language=language, strict=strict)
        return grade_offline(make_item(expect, **fields), response, reading)

    return grade


@pytest.fixture(scope="module")
def executing() -> Iterator[Executing]:
    """Grade by executing; skips where no sandbox works."""
    opened = Executing()
    yield opened
    opened.close()


@pytest.fixture
def make() -> Callable[..., Item]:
    """Make an item out of its `expect` and other fields."""
    return make_item


@pytest.fixture
def data() -> Path:
    if not DATA.is_dir():
        pytest.skip(f"the data of real answers are not at {DATA}: set AFERE_TEST_DATA")
    return DATA
