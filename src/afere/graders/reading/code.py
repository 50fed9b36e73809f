"""Code in a reply: fences, code spans, and the quotes and delimiters round an expression."""

import re
from dataclasses import dataclass

from afere.graders.reading.form import unwrapped
from afere.graders.reading.signs import BOX_CLOSES, BOX_OPENS

__all__ = ["Delimited", "bare_expression", "fences", "has_fence", "spans", "without_emphasis"]

_FENCE_MARK = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*([\w+#.-]*)[ \t]*")
_INLINE = re.compile(r"```(?:[a-z]+[ \t]+)?([^`\n]+)```")
_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]+)\1(?!`)")
_EMPHASIS = re.compile(r"^[*_]{1,3}\s+|\s+[*_]{1,3}$")
_CALL = re.compile(
    r"(?:\w+\s*=\s*)?re\.\w+\(\s*(?P<quoted>r?(?P<q>['\"]).*(?P=q))\s*(?:,[^()]*)?\)", re.DOTALL
)
_ASSIGNED = re.compile(r"\w+\s*[:=]\s*(?P<quoted>r?(?P<q>['\"]).*(?P=q))\s*;?", re.DOTALL)
_LAYERS = 4  # delimiters round one another that are taken off
_LONGEST = 20_000  # characters: a longer text is no expression that anybody runs
_LONE_BACKSLASH = re.compile(r"(?<!\\)(?:\\\\)*\\(?!\\)")
_RAW = re.compile(r"[rR](?P<q>'''|\"\"\"|['\"])(?P<inside>.*)(?P=q)", re.DOTALL)
_SLASHED = re.compile(
    r"/(?P<inside>(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/(?P<flags>[a-zA-Z]*)"
)


@dataclass(frozen=True, slots=True)
class Delimited:
    """An expression without its delimiters, and the letters of its flags."""

    source: str
    flags: str = ""


def fences(text: str) -> list[str]:
    """Give the contents of the code fences of a text, an unclosed last one included."""
    if "```" not in text and "~~~" not in text:
        return []
    blocks: list[str] = []
    block: list[str] | None = None
    mark = ""
    for line in text.split("\n"):
        fence = _FENCE_MARK.fullmatch(line) if "```" in line or "~~~" in line else None
        if block is None:
            block, mark = ([], fence[1]) if fence else (None, "")
        elif fence and fence[1].startswith(mark) and not fence[2]:
            blocks.append("\n".join(block))
            block = None
        else:
            block.append(line)
    if block is not None:
        blocks.append("\n".join(block))
    return [each.strip("\n") for each in blocks] or [each[1] for each in _INLINE.finditer(text)]


def has_fence(text: str) -> bool:
    """Tell whether a text begins with a code fence."""
    return text.lstrip().startswith(("```", "~~~"))


def spans(text: str) -> list[str]:
    """Give the code spans of a line."""
    return [found[2].strip() for found in _SPAN.finditer(text)] if "`" in text else []


def without_emphasis(text: str) -> str:
    """Take off the half of a bold mark that a marker left behind, and our own signs."""
    text = text.strip().strip(BOX_OPENS + BOX_CLOSES)
    return _EMPHASIS.sub("", text).strip()


def bare_expression(text: str) -> Delimited:
    """Take quotes, slashes and calls off a regular expression; give its flags."""
    for _ in range(_LAYERS if len(text) <= _LONGEST else 0):
        text = without_emphasis(text)
        if call := _CALL.fullmatch(text) or _ASSIGNED.fullmatch(text):
            text = call["quoted"]
        if raw := _RAW.fullmatch(text):
            return Delimited(raw["inside"])
        if slashed := _SLASHED.fullmatch(text):
            return Delimited(slashed["inside"], slashed["flags"])
        inside = _inside(text)
        if inside == text:
            break
        text = inside
    return Delimited(text)


def _inside(text: str) -> str:
    """Take off one pair of quotes or bold marks; in a quoted text back-slashes may be doubled."""
    if text.startswith("**") and text.endswith("**") and len(text) > len("****"):
        return text[2:-2]
    if len(text) < len("''") or text[0] not in "'\"“‘`":
        return text
    inside = unwrapped(text)
    is_quoted = inside != text and text[0] in "'\""
    is_doubled = "\\\\" in inside and not _LONE_BACKSLASH.search(inside)
    return inside.replace("\\\\", "\\") if is_quoted and is_doubled else inside
