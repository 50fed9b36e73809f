"""Lists in a text: elements, whatever separates and numbers them."""

import json
import re
from collections.abc import Callable
from functools import cache

from afere.graders.reading.form import core
from afere.graders.reading.language import Language, every_language
from afere.graders.reading.numerals import find_numbers
from afere.graders.reading.signs import BOX_CLOSES, BOX_OPENS, BULLET, HASHES

__all__ = ["leading_lines", "number_runs", "split_elements", "split_lines", "trailing_lines"]

_NUMBERING = re.compile(r"^\s*(?:\(?[0-9]{1,3}[.)\]:]|\(?[A-Za-z][)]|[0-9]{1,3}\s?[-–—])\s+(?=\S)")
_OUR_SIGNS = str.maketrans(dict.fromkeys(map(ord, BULLET + HASHES + BOX_OPENS + BOX_CLOSES)))
_STRONG = re.compile(r"\s*[;；]\s*")
_ARROWS = re.compile(r"\s*(?:→|->|=>|⇒|➜|<|≤|\|)\s*|\s+>\s+")
_WIDE_COMMA = re.compile(r"\s*[、，]\s*")
_COMMA_SPACE = re.compile(r"\s*,\s+")
_COMMA = re.compile(r"\s*,\s*")
_BETWEEN = re.compile(r"\s*(?:[,;，；、<→|]|->)?\s*")
_SLASH = re.compile(r"(?<=[^\W\d])\s*/\s*(?=[^\W\d])")
_GLUED_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")  # may be a decimal comma
_BARE = ""
_MOST_LINES = 400
_ASSIGNED = re.compile(r"^[A-Za-z]\w*\s*=\s*(?=[\[{(].*[\]})]\s*$)", re.DOTALL)
_HAN_SPACED = re.compile(r"[\u2e80-\u9fff]+(?:\s+[\u2e80-\u9fff]+)+")
_SPACE = re.compile(r"\s+")
_NUMERIC = re.compile(r"[-+−]?[0-9]+(?:[.,][0-9]+)?(?:\s+[-+−]?[0-9]+(?:[.,][0-9]+)?)+")


def split_lines(lines: list[str]) -> list[str]:
    """Give the elements of a list with one element a line, numbering and bullets taken off."""
    return [_element(line) for line in lines]


def split_elements(text: str, language: Language) -> list[list[str]]:
    """Give the readings of one line as a list, the likeliest first."""
    text = _unlisted(text.translate(_OUR_SIGNS))
    if quoted := _as_json(text):
        return [quoted]
    text = text.rstrip(" .。!！;；,，、\n")
    parts = _parts(text)
    joined = [_element(part) for part in parts if part.strip()]
    split = [*joined[:-1], *_joined(joined[-1], language)] if joined else []
    readings = [split, joined] if split != joined else [joined]
    commas = language.decimal == "," and _GLUED_COMMA.search(text)
    if commas and "," not in _GLUED_COMMA.sub("", text):
        decimals = _joined(text.strip(), language)
        readings += [decimals] if len(decimals) > 1 and decimals not in readings else []
    return readings


def trailing_lines(text: str, is_element: Callable[[str], bool]) -> list[str]:
    """Give the lines of one style that end a text: bulleted, numbered, or bare elements."""
    lines = text.rstrip().split("\n")
    style = _style(lines[-1])
    run: list[str] = []
    for line in reversed(lines[-_MOST_LINES:]):
        bare_and_over = style == _BARE and (not line.strip() or not is_element(_element(line)))
        if bare_and_over or (line.strip() and _style(line) != style):
            break
        if line.strip():
            run.append(line)
    return run[::-1]


def leading_lines(text: str) -> list[str]:
    """Give the lines of one style that begin a text, up to an empty line where they are bare."""
    lines = text.strip().split("\n")[:_MOST_LINES]
    style = _style(lines[0])
    run: list[str] = []
    for line in lines:
        if (style == _BARE and not line.strip()) or (line.strip() and _style(line) != style):
            break
        if line.strip():
            run.append(line)
    return run


def number_runs(text: str, language: Language) -> list[list[str]]:
    """Give the runs of numbers of a line that only separators part."""
    runs: list[list[str]] = []
    end = -1
    for number in find_numbers(text, language):
        if number.value is None:
            continue
        gap = text[end : number.start] if runs else "x"
        joined = _BETWEEN.fullmatch(gap) or _joins(gap.strip(" ,"), language)
        written_out = text[number.start : number.end]
        if joined:
            runs[-1].append(written_out)
        else:
            runs.append([written_out])
        end = number.end
    return runs


def _joins(word: str, language: Language) -> bool:
    return word.lower() in (*language.joiners, *every_language()[0].joiners)


def _style(line: str) -> str:
    if line.lstrip().startswith(BULLET):
        return BULLET
    return "1" if _NUMBERING.match(line) else _BARE


def _parts(text: str) -> list[str]:
    for separator in (_STRONG, _WIDE_COMMA, _COMMA_SPACE, _ARROWS, _COMMA, _SLASH):
        if separator.search(text):
            return [part for part in separator.split(text) if part.strip()]
    spaced = _NUMERIC.fullmatch(text) or _HAN_SPACED.fullmatch(text)
    return _SPACE.split(text) if spaced else [text]


def _joined(last: str, language: Language) -> list[str]:
    """Split the last part at "and"; take one that stands before it off."""
    leading = _joiner(language, leading=True).match(last)
    if leading and last[leading.end() :].strip():
        return [_element(last[leading.end() :])]
    return [_element(part) for part in _joiner(language, leading=False).split(last)]


@cache
def _joiner(language: Language, *, leading: bool) -> re.Pattern[str]:
    words = {word for each in (language, every_language()[0]) for word in each.joiners}
    latin = "|".join(re.escape(word) for word in sorted(words) if word < "\u2e80")
    han = "".join(word for word in sorted(words) if word >= "\u2e80" and len(word) == 1)
    signs = f"|&|[{han}]" if han else "|&"
    if leading:
        return re.compile(rf"\s*(?:(?:{latin})\s+)(?=\S)", re.IGNORECASE)
    return re.compile(
        rf"(?<=\S)\s+(?:{latin})\s+(?=\S)|(?<=\S)\s*(?:{signs[1:]})\s*(?=\S)", re.IGNORECASE
    )


def _element(text: str) -> str:
    text = _NUMBERING.sub("", text.translate(_OUR_SIGNS), count=1)
    return core(text.strip().strip(",;，；、"))


def _unlisted(text: str) -> str:
    """Take off the brackets of a list as a whole."""
    text = _ASSIGNED.sub("", text.strip().rstrip(".。;；"))
    return core(text) if text[:1] in "[({<【（\"'$" else text


def _as_json(text: str) -> list[str] | None:
    if '"' not in text or "," not in text:
        return None
    try:
        values = json.loads(f"[{text}]", parse_float=str, parse_int=str)
    except (ValueError, RecursionError):
        return None
    return [str(each) for each in values] if all(isinstance(each, str) for each in values) else None
