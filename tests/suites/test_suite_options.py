"""Rotated and shuffled options, and the way back."""

from hypothesis import given, settings
from hypothesis import strategies as st

from afere.domain import Expect, Item
from afere.suites import original_letter, rotate, shuffle

TEXTS = ("p", "q", "r", "s", "t")


def item(texts: tuple[str, ...] = TEXTS, key: str = "C") -> Item:
    letters = "ABCDEFGHIJ"[: len(texts)]
    options = dict(zip(letters, texts, strict=True))
    return Item(id="x", input="?", expect=Expect(kind="choice", key=key), options=options)


def test_a_rotation_moves_texts_under_the_letters_and_the_key_with_its_text() -> None:
    shown = rotate(item(), 1)
    assert shown.options == {"A": "q", "B": "r", "C": "s", "D": "t", "E": "p"}
    assert shown.expect.key == "B"
    assert original_letter(shown, "E") == "A"
    assert original_letter(shown, "Z") is None


def test_over_all_shifts_every_text_stands_once_under_every_letter() -> None:
    for letter in "ABCDE":
        texts = [rotate(item(), shift).options[letter] for shift in range(5)]
        assert sorted(texts) == sorted(TEXTS)
    assert sorted(str(rotate(item(), shift).expect.key) for shift in range(5)) == list("ABCDE")


def test_a_shift_by_nothing_or_by_all_changes_nothing() -> None:
    assert rotate(item(), 0) == item()
    assert rotate(item(), 5) == item()
    assert rotate(rotate(item(), 2), 3) == item()


def test_an_item_without_options_stays_as_it_is() -> None:
    plain = Item(id="x", input="?", expect=Expect(kind="number", key=1))
    assert rotate(plain, 3) == plain
    assert shuffle(plain, 3) == plain


def test_a_shuffle_is_fixed_by_its_seed() -> None:
    assert list(shuffle(item(), 1).options.values()) == ["t", "r", "s", "p", "q"]
    assert shuffle(item(), 1) == shuffle(item(), 1)
    assert shuffle(item(), 1) != shuffle(item(), 2)


def test_a_key_of_another_case_is_still_moved() -> None:
    assert rotate(item(key="c"), 1).expect.key == "B"


def test_only_the_key_of_a_choice_is_a_letter() -> None:
    text = Item(
        id="x", input="?", expect=Expect(kind="text", key="A"), options={"A": "p", "B": "q"}
    )
    assert rotate(text, 1).expect.key == "A"


moves = st.lists(
    st.tuples(st.sampled_from([rotate, shuffle]), st.integers(-50, 50)), min_size=1, max_size=8
)


@settings(deadline=None)
@given(moves, st.lists(st.sampled_from("pqr"), min_size=2, max_size=10), st.data())
def test_any_number_of_shuffles_undone_gives_the_original(
    moved: list[tuple[object, int]], texts: list[str], data: st.DataObject
) -> None:
    """Texts may be equal: the way back goes by letter."""
    key = data.draw(st.sampled_from("ABCDEFGHIJ"[: len(texts)]))
    original = item(tuple(texts), key)
    shown = original
    for move, number in moved:
        shown = move(shown, number)  # type: ignore[operator]
    restored = {original_letter(shown, letter): text for letter, text in shown.options.items()}
    assert restored == original.options
    assert original_letter(shown, str(shown.expect.key)) == key
    assert list(shown.options) == list(original.options)
