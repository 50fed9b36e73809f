"""Tests of one character and of a place between characters, as `re` makes them."""

import re
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["CharacterTest", "PlaceTest", "character_test", "place_test"]

CharacterTest = Callable[[str], bool]
PlaceTest = Callable[[str, int], bool]


def character_test(operator: str, operand: Any, flags: int) -> CharacterTest:  # noqa: ANN401 - an operand
    """Give the test of one character."""
    if operator == "ANY":
        return (lambda _: True) if flags & re.DOTALL else (lambda char: char != "\n")
    if operator == "IN":
        return _set_test(operand, flags)
    wanted = frozenset(_variants(chr(operand), flags)) if flags & re.IGNORECASE else {chr(operand)}
    if operator == "LITERAL":
        return wanted.__contains__
    return lambda char: char not in wanted


def _set_test(members: Sequence[Any], flags: int) -> CharacterTest:
    negated = str(members[0][0]) == "NEGATE"
    tests = [_member(str(kind), operand, flags) for kind, operand in members[negated:]]
    folds = bool(flags & re.IGNORECASE)

    def test(char: str) -> bool:
        forms = _variants(char, flags) if folds else (char,)
        return any(each(form) for each in tests for form in forms) is not negated

    return test


def _member(kind: str, operand: Any, flags: int) -> CharacterTest:  # noqa: ANN401 - an operand
    if kind == "LITERAL":
        return chr(operand).__eq__
    if kind == "RANGE":
        low, high = chr(operand[0]), chr(operand[1])
        return lambda char: low <= char <= high
    return _category(str(operand).removeprefix("CATEGORY_"), ascii_only=bool(flags & re.ASCII))


def _category(name: str, *, ascii_only: bool) -> CharacterTest:
    tests: dict[str, CharacterTest] = {
        "DIGIT": str.isdecimal,
        "SPACE": str.isspace,
        "WORD": lambda char: char.isalnum() or char == "_",
    }
    positive = tests[name.removeprefix("NOT_")]
    if ascii_only and name.endswith("SPACE"):
        wanted: CharacterTest = frozenset(" \t\n\r\f\v").__contains__
    elif ascii_only:
        wanted = lambda char: char.isascii() and positive(char)  # noqa: E731 - one of several tests
    else:
        wanted = positive
    return (lambda char: not wanted(char)) if name.startswith("NOT_") else wanted


def _variants(char: str, flags: int) -> tuple[str, ...]:
    """Give the characters that a match without case takes for this one."""
    if flags & re.ASCII and not char.isascii():
        return (char,)
    forms = {char, char.lower(), char.upper(), char.casefold(), char.casefold().upper()}
    kept = {form for form in forms if len(form) == 1}
    return tuple(form for form in kept if form.isascii() or not flags & re.ASCII)


def place_test(name: str, flags: int) -> PlaceTest:
    """Give the test of a place between characters."""
    lines, ascii_only = bool(flags & re.MULTILINE), bool(flags & re.ASCII)
    if name in {"AT_BOUNDARY", "AT_NON_BOUNDARY"}:
        word = _category("WORD", ascii_only=ascii_only)

        def boundary(text: str, at: int) -> bool:
            if not text:
                return False
            before = at > 0 and word(text[at - 1])
            after = at < len(text) and word(text[at])
            return (before is not after) is (name == "AT_BOUNDARY")

        return boundary
    if name == "AT_BEGINNING" and lines:
        return lambda text, at: at == 0 or text[at - 1] == "\n"
    if name in {"AT_BEGINNING", "AT_BEGINNING_STRING"}:
        return lambda _, at: at == 0
    if name == "AT_END" and lines:
        return lambda text, at: at == len(text) or text[at] == "\n"
    if name == "AT_END":
        return lambda text, at: at == len(text) or (at == len(text) - 1 and text[at] == "\n")
    return lambda text, at: at == len(text)
