"""Code in a reply: fences, code spans, and the quotes and delimiters round an expression."""

import re
from dataclasses import dataclass

from afere.graders.reading.form import unwrapped
from afere.graders.reading.signs import BOX_CLOSES, BOX_OPENS

__all__ = ["Delimited", "bare_expression", "fences", "has_fence", "spans", "without_emphasis"]

_FENCE = re.compile(
    r"^[ \t>]*(?P<mark>`{3,}|~{3,})[ \t]*[\w+#.-]*[ \t]*\n(?P<code>.*?)"
    r"(?:^[ \t>]*(?P=mark)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_INLINE = re.compile(r"```(?:[a-z]+[ \t]+)?([^`\n]+)```")
_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]+)\1(?!`)")
_EMPHASIS = re.compile(r"^[*_]{1,3}\s+|\s+[*_]{1,3}$")
_CALL = re.compile(
    r"(?:\w+\s*=\s*)?re\.\w+\(\s*(?P<quoted>r?(?P<q>['\"]).*(?P=q))\s*(?:,[^()]*)?\)", re.DOTALL
)
_ASSIGNED = re.compile(r"\w+\s*[:=]\s*(?P<quoted>r?(?P<q>['\"]).*(?P=q))\s*;?", re.DOTALL)
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
    blocks = [found["code"] for found in _FENCE.finditer(text)]
    return [block.strip("\n") for block in blocks] or [each[1] for each in _INLINE.finditer(text)]


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
    text = without_emphasis(text)
    call = _CALL.fullmatch(text) or _ASSIGNED.fullmatch(text)
    if call:
        text = call["quoted"]
    if raw := _RAW.fullmatch(text):
        return Delimited(raw["inside"])
    if slashed := _SLASHED.fullmatch(text):
        return Delimited(slashed["inside"], slashed["flags"])
    if len(text) > 1 and text[0] in "'\"“‘`" and (inside := unwrapped(text)) != text:
        quoted = text[0] in "'\""
        doubled = quoted and "\\\\" in inside and not re.search(r"(?<!\\)(?:\\\\)*\\(?!\\)", inside)
        return bare_expression(inside.replace("\\\\", "\\") if doubled else inside)
    if text.startswith("**") and text.endswith("**") and len(text) > len("****"):
        return bare_expression(text[2:-2])
    return Delimited(text)
