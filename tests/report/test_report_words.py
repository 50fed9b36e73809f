"""Numbers for people, and foreign text made harmless."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afere.report.harmless import address, cut, harmless, one_line
from afere.report.words import ENGLISH, Words, decimals_apart


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0.867, "86.7 %"),
        (0.0, "0.0 %"),
        (1.0, "100.0 %"),
        (0.9996, "99.96 %"),
        (0.0001, "0.01 %"),
        (None, "–"),
    ],
)
def test_a_percentage_has_one_decimal_unless_it_would_lie(
    fraction: float | None, text: str
) -> None:
    assert ENGLISH.percent(fraction) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0.00 s"), (0.85, "0.85 s"), (1.24, "1.2 s"), (1240.4, "1,240 s"), (None, "–")],
)
def test_seconds_have_their_unit(seconds: float | None, text: str) -> None:
    assert ENGLISH.seconds(seconds) == text


@pytest.mark.parametrize(
    ("dollars", "text"),
    [
        (0.0, "$0.00"),
        (0.00001, "under $0.0001"),
        (0.0042, "$0.0042"),
        (12.3, "$12.30"),
        (4321.0, "$4,321.00"),
    ],
)
def test_prices_are_in_dollars(dollars: float, text: str) -> None:
    assert ENGLISH.price(dollars) == text


@pytest.mark.parametrize(
    ("margin", "text"),
    [(0.02, "2 points"), (0.01, "1 point"), (0.025, "2.5 points"), (0.0, "0 points")],
)
def test_a_margin_is_named_in_points(margin: float, text: str) -> None:
    assert ENGLISH.margin(margin) == text


def test_levels_counts_points_and_times() -> None:
    assert ENGLISH.level(0.95) == "95 %"
    assert ENGLISH.level(0.999) == "99.9 %"
    assert ENGLISH.count(-12345) == "-12,345"
    assert ENGLISH.points(-0.0001) == "0.0"
    assert ENGLISH.points(0.0001, sign=True) == "0.0"
    assert ENGLISH.points(0.032, sign=True) == "+3.2"
    assert Words(minus="−").points(-0.032) == "−3.2"
    assert ENGLISH.time("2026-11-30T07:45:00+02:00") == "2026-11-30 05:45 UTC"
    assert ENGLISH.time("yesterday") == "yesterday"
    assert ENGLISH.time(None) == "–"
    assert ENGLISH.outcome("{new}") == "{new}"


limits = st.floats(-1, 1).map(lambda value: round(value, 5))


@given(limits, limits)
def test_a_written_limit_stands_on_the_same_side_of_zero(low: float, high: float) -> None:
    decimals = decimals_apart((low, high), (0.0,))
    for limit in (low, high):
        written = float(ENGLISH.points(limit, decimals=decimals))
        assert (written > 0) == (limit > 0)
        assert (written < 0) == (limit < 0)


@given(st.text(st.characters(exclude_categories=())))
def test_harmless_text_is_harmless_at_once(text: str) -> None:
    shown = harmless(text)
    assert harmless(shown) == shown
    assert not set(shown) & set("\n\r\x1b\x07\u202e\u2028\ud800\u200b")
    shown.encode("utf-8")


def test_ordinary_text_of_any_script_stays_as_it_is() -> None:
    for text in ("Ação útil", "答案：四", "Ответ", "نعم", "हाँ", "[bold]x[/] <b> & \\"):
        assert harmless(text) == text


def test_a_cut_name_keeps_both_ends() -> None:
    assert cut("abcdefghijklmnop", 10) == "abcdef…nop"
    assert cut("abc", 10) == "abc"
    assert one_line("a\n\n  b\tc", 10) == "a b c"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:pw@host:8000/v1?key=x#y", "https://host:8000/v1"),
        ("postgresql://me:pw@db/afere", "postgresql://db/afere"),
        (".afere/afere.db", ".afere/afere.db"),
        ("C:\\runs\\a#b?.db", "C:\\runs\\a#b?.db"),
        ("llama:1.2:abcd", "llama:1.2:abcd"),
        ("http://[bad?key=x", "http://[bad"),
    ],
)
def test_an_address_is_shown_without_secrets(url: str, shown: str) -> None:
    assert address(url) == shown
