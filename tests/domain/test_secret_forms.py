"""A known secret is cut out of a text in every form that a server may echo it in."""

from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afere.domain import Secrets

KEY = "sk-Canary/+01=9"


@pytest.mark.parametrize(
    "form",
    [
        KEY,
        KEY.upper(),
        KEY.lower(),
        quote(KEY, safe=""),
        quote(KEY, safe="").lower(),
        "".join(f"%{byte:02X}" for byte in KEY.encode()),
        KEY.encode().hex(),
        KEY.encode().hex().upper(),
        b64encode(KEY.encode()).decode(),
        b64encode(KEY.encode()).decode().rstrip("="),
        urlsafe_b64encode(KEY.encode()).decode(),
        b64encode(f"user:{KEY}".encode()).decode(),
        b64encode(f"me:{KEY}:more".encode()).decode(),
        b64encode(f"Bearer {KEY}".encode()).decode(),
    ],
)
def test_every_form_is_cut(form: str) -> None:
    redacted = Secrets([KEY]).redact(f"before {form} after")
    assert redacted == "before [redacted] after"


@given(before=st.binary(max_size=9), after=st.binary(max_size=9))
def test_base64_of_anything_round_a_key_is_cut(before: bytes, after: bytes) -> None:
    text = b64encode(before + KEY.encode() + after).decode()
    assert Secrets([KEY]).redact(text) == "[redacted]"


def test_a_short_key_is_cut_as_a_whole_token() -> None:
    secrets = Secrets(["a1-z"])
    assert secrets.redact("Bearer a1-z, A1-Z; xa1-z a1-zz a1-z-b") == (
        "Bearer [redacted], [redacted]; xa1-z a1-zz a1-z-b"
    )


def test_a_short_word_or_number_stays_unless_it_is_declared() -> None:
    assert Secrets(["test", "42", "EMPTY"]).redact("test 42 EMPTY") == "test 42 EMPTY"
    assert Secrets(tokens=["test"]).redact("a test, testing") == "a [redacted], testing"
    assert Secrets(tokens=["", "x"]).redact("x and y") == "x and y"


def test_without_secrets_nothing_changes_and_none_is_shown() -> None:
    assert Secrets().redact("text") == "text"
    assert KEY not in repr(Secrets([KEY]))
    assert Secrets(["\ud800lone-surrogate"]).redact("x \ud800lone-surrogate") == "x [redacted]"


@given(st.text())
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert Secrets(["0123456789abcdef-0123456789"]).redact(text) == text


def test_long_base64_beside_a_key_is_read_in_one_go() -> None:
    picture = "Z" * 1_000_000  # each place tried as a beginning would take hours
    assert Secrets([KEY]).redact(f"{picture} {KEY}") == f"{picture} [redacted]"
    packed = b64encode(KEY.encode()).decode()
    assert Secrets([KEY]).redact(f"a {picture}{packed}{picture} b") == "a [redacted] b"


def test_two_forms_in_one_run_are_both_cut() -> None:
    packed = b64encode(KEY.encode()).decode()
    assert Secrets([KEY]).redact(f"{KEY}xx{packed}") == "[redacted][redacted]"
