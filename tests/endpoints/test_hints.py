"""How long a server asks to wait, in every form that servers use."""

import pytest
from asking import NOW
from hypothesis import given
from hypothesis import strategies as st

from afere.endpoints.hints import seconds_of, wait_hint


def hint(
    headers: dict[str, str] | None = None, body: object = None, text: str = ""
) -> float | None:
    return wait_hint(headers or {}, body, text, NOW)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        ("1.5", 1.5),
        ("0", 0.0),
        ("-3", 0.0),
        ("soon", None),
        ("", None),
        ("inf", None),
        ("nan", None),
        ("1e9", None),
        ("1_000", None),
        ("2m", 120.0),
        ("Sun, 30 Nov 2025 08:01:00 GMT", 60.0),
        ("Sun, 30 Nov 2025 05:01:00 -0300", 60.0),
        ("Wed, 21 Oct 2020 07:28:00 GMT", 0.0),
        ("Fri, 30 Nov 2029 08:00:00 GMT", 4 * 365.25 * 86400),
        ("Wed, 99 Oct 2026 07:28:00 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str, seconds: float | None) -> None:
    """BR-040: seconds, fractions, the past, nonsense, a date in many years."""
    assert hint({"Retry-After": header}) == seconds


@pytest.mark.parametrize(
    ("headers", "body", "text", "seconds"),
    [
        ({"retry-after-ms": "250"}, None, "", 0.25),
        ({}, {"error": {"details": [{"@type": "x"}, {"retryDelay": "34s"}]}}, "", 34.0),
        ({}, {"error": {"retry_after": 3.5}}, "", 3.5),
        ({}, {"retry_after": 4}, "", 4.0),
        ({}, None, "Please try again in 94ms. Visit us", 0.094),
        ({}, None, "Please try again in 7m12.5s.", 432.5),
        ({}, None, "Please retry after 20 seconds.", 20.0),
        ({}, None, "retry in 5 minutes", 300.0),
        ({}, None, "try again in a moment", None),
        ({"x-ratelimit-reset-requests": "1m30s"}, None, "", 90.0),
        ({"x-ratelimit-reset-tokens": "6ms"}, None, "", 0.006),
        ({"x-ratelimit-reset": f"{NOW + 30:.0f}"}, None, "", 30.0),
        ({"x-ratelimit-reset": f"{(NOW + 30) * 1000:.0f}"}, None, "", 30.0),
        ({"x-ratelimit-reset-requests": "2025-11-30T08:00:09Z"}, None, "", 9.0),
        ({"x-ratelimit-reset-requests": "tomorrow"}, None, "", None),
    ],
)
def test_the_hint_is_found_wherever_it_stands(
    headers: dict[str, str],
    body: object,
    text: str,
    seconds: float | None,
) -> None:
    """BR-041: one parser for every place."""
    assert hint(headers, body, text) == (None if seconds is None else pytest.approx(seconds))


def test_hints_go_before_one_another_in_a_fixed_order() -> None:
    headers = {
        "retry-after-ms": "1000",
        "Retry-After": "2",
        "x-ratelimit-reset-requests": "5s",
        "x-ratelimit-reset-tokens": "6s",
    }
    body: dict[str, object] = {"error": {"details": [{"retryDelay": "3s"}]}}
    text = "try again in 4s"
    assert hint(headers, body, text) == 1.0
    del headers["retry-after-ms"]
    assert hint(headers, body, text) == 2.0
    headers["Retry-After"] = "soon"
    assert hint(headers, body, text) == 3.0
    assert hint(headers, None, text) == 4.0
    assert hint(headers) == 5.0


def test_of_two_resets_that_of_the_used_up_one_counts() -> None:
    headers = {
        "x-ratelimit-reset-requests": "2h",
        "x-ratelimit-remaining-requests": "14370",
        "x-ratelimit-reset-tokens": "7.66s",
        "x-ratelimit-remaining-tokens": "0",
    }
    assert hint(headers) == 7.66
    assert hint(headers | {"x-ratelimit-remaining-tokens": "12"}) is None
    assert wait_hint(headers, None, "", NOW, limits=False) is None


@given(st.text(), st.text())
def test_no_text_breaks_the_parser(header: str, text: str) -> None:
    found = hint(
        {"Retry-After": header, "x-ratelimit-reset": header, "retry-after-ms": header}, text
    )
    assert found is None or found >= 0


@given(st.integers(0, 99), st.integers(0, 59), st.integers(1, 59))
def test_spans_are_the_sum_of_their_parts(hours: int, minutes: int, seconds: int) -> None:
    assert seconds_of(f"{hours}h{minutes}m{seconds}s") == hours * 3600 + minutes * 60 + seconds
