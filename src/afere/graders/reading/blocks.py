"""The code blocks of a reply: fences of any tag and depth, `<pre>` blocks, bracketed ones.

A fence closes at a mark of its own sign, at least as long, without a tag, indented by less than
four columns more than its opening (so that a fence inside a docstring closes nothing), or at the
end of a line of code. A fence that is never closed reaches to the end of the reply.
"""

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["Block", "code_blocks", "code_spans", "outside", "tidy"]

_FENCE = re.compile(r"(?P<head>.*?)(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^`]*?)[ \t]*")
_MARGIN = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?[ \t>]*")
_ONE_LINE = re.compile(r"(?P<head>.*?)(?<!`)```(?P<code>[^`]+)```(?!`).*")
_LANGUAGES = (  # another first word on one line is a part of the code
    "python python3 py bash sh shell zsh console sql sqlite duckdb postgresql mysql regex text json"
)
_TAGS = frozenset(_LANGUAGES.split())
_SPAN = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]+)\1(?!`)")
_PRE = (
    re.compile(r"<pre\b[^>\n]{0,200}>\s*(?:<code\b[^>\n]{0,200}>)?", re.IGNORECASE),
    re.compile(r"(?:</code>\s*)?</pre>", re.IGNORECASE),
)
_BRACKETED = (
    re.compile(r"^[ \t]*\[(?P<name>PYTHON|SQL|BASH|CODE|BEGIN)\][ \t]*\n", re.MULTILINE),
    re.compile(r"^[ \t]*\[/?(?:PYTHON|SQL|BASH|CODE|DONE|END)\][ \t]*$", re.MULTILINE),
)
_TAG = re.compile(r"[\w+#.-]+")
_CLOSE_INDENT = 4
_MOST_BLOCKS = 200
_MOST_TRIES = 6  # closings of one block that are tried, where the first leaves it incomplete
_DOCUMENTS = frozenset({"", "markdown", "md", "text", "txt", "plaintext"})
_DEEPEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block of code.

    tag: the first word of its info string in small letters, empty without one.
    closed: whether its end was there, so that no cut touched it.
    lines: the numbers of its first line and of the line after it, fences included.
    """

    text: str
    tag: str
    closed: bool
    lines: tuple[int, int]


def tidy(text: str) -> str:
    """Give a reply with one kind of line end, and with `<pre>` and bracketed blocks as fences."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    if "<pre" in text.lower():
        text = _as_fences(text, *_PRE, html.unescape)
    return _as_fences(text, *_BRACKETED, str) if "[" in text else text


def code_blocks(text: str, is_complete: Callable[[str], bool] | None = None) -> list[Block]:
    """Give the code blocks of a tidy text in their order.

    is_complete: tells whether a text is whole code; a fence inside a string then ends no block.
    """
    return _blocks(text.split("\n"), is_complete or (lambda _: True), 0)


def code_spans(text: str) -> list[str]:
    """Give the code between single or double back-ticks."""
    return [found[2].strip() for found in _SPAN.finditer(text)] if "`" in text else []


def outside(text: str, blocks: Sequence[Block]) -> str:
    """Give a tidy text without its blocks."""
    lines, kept, place = text.split("\n"), [], 0
    for block in blocks:
        kept += lines[place : block.lines[0]]
        place = block.lines[1]
    return "\n".join(kept + lines[place:])


def _as_fences(
    text: str,
    opening: re.Pattern[str],
    closing: re.Pattern[str],
    unescaped: Callable[[str], str],
) -> str:
    """Write what stands between an opening and its closing as a fence, in one pass."""
    parts: list[str] = []
    place = 0
    while found := opening.search(text, place):
        end = closing.search(text, found.end())
        if end is None:
            break
        code = unescaped(text[found.end() : end.start()]).strip("\n")
        tag = found.groupdict().get("name", "")
        tag = tag.lower() if tag in {"PYTHON", "SQL", "BASH"} else ""
        parts += [text[place : found.start()], f"\n`````{tag}\n{code}\n`````\n"]
        place = end.end()
    return "".join(parts) + text[place:]


def _blocks(lines: list[str], is_complete: Callable[[str], bool], depth: int) -> list[Block]:
    blocks: list[Block] = []
    place = 0
    while place < len(lines) and len(blocks) < _MOST_BLOCKS:
        line = lines[place]
        if "```" not in line and "~~~" not in line:
            place += 1
            continue
        if one_line := _on_one_line(line, place):
            blocks.append(one_line)
            place += 1
            continue
        opening = _opening(line)
        if opening is None:
            place += 1
            continue
        block = _from(lines, place, opening, is_complete)
        blocks += _inner(block, is_complete, depth)
        place = block.lines[1]
    return blocks


def _inner(block: Block, is_complete: Callable[[str], bool], depth: int) -> list[Block]:
    """Open a block that is a document with fences of its own."""
    holds_fences = any(_opening(line) for line in block.text.split("\n"))
    if block.tag not in _DOCUMENTS or not holds_fences or depth >= _DEEPEST:
        return [block]
    inside = _blocks(block.text.split("\n"), is_complete, depth + 1)
    return [
        Block(text=each.text, tag=each.tag, closed=each.closed or block.closed, lines=block.lines)
        for each in inside
    ] or [block]


def _on_one_line(line: str, place: int) -> Block | None:
    found = _ONE_LINE.fullmatch(line) if line.count("```") > 1 else None
    if found is None:
        return None
    first, _, rest = found["code"].strip().partition(" ")
    tag = first.lower() if rest and first.lower() in _TAGS else ""
    code = rest if tag else found["code"]
    return Block(text=code.strip(), tag=tag, closed=True, lines=(place, place + 1))


def _opening(line: str) -> "re.Match[str] | None":
    """Find an opening fence: alone on its line, or after prose that ends with a tag or a colon."""
    found = _FENCE.fullmatch(line) if "```" in line or "~~~" in line else None
    if found is None or _MARGIN.fullmatch(found["head"]):
        return found
    introduced = found["head"].rstrip().endswith((":", "："))
    return found if introduced and found["mark"].startswith("`") else None


def _from(
    lines: list[str], start: int, opening: "re.Match[str]", is_complete: Callable[[str], bool]
) -> Block:
    """Read the block that opens at a line: to the first closing that leaves it complete."""
    tag = _TAG.match(opening["info"].lstrip("{. "))
    margin = _margin(opening["head"])
    inside: list[str] = []
    first: tuple[int, str] | None = None
    tries = 0
    for place in range(start + 1, len(lines)):
        line = lines[place]
        ending = _ending(line, opening["mark"], margin)
        if ending is not None:
            whole = _text([*inside, ending] if ending else inside, margin)
            first = first or (place + 1, whole)
            tries += 1
            if tries > _MOST_TRIES:
                break
            if is_complete(whole):
                return _block(whole, tag, (start, place + 1), closed=True)
        inside.append(line)
    if first is not None:
        return _block(first[1], tag, (start, first[0]), closed=True)
    return _block(_text(inside, margin), tag, (start, len(lines)), closed=False)


def _block(
    text: str, tag: "re.Match[str] | None", lines: tuple[int, int], *, closed: bool
) -> Block:
    name = tag[0].lower().lstrip(".") if tag else ""
    return Block(text=text, tag=name, closed=closed, lines=lines)


def _ending(line: str, mark: str, margin: str) -> str | None:
    """Give what stands before a closing mark on its line, None where the line closes nothing."""
    if mark[:3] not in line:
        return None
    bare = _without_margin(line, margin)
    found = _FENCE.fullmatch(bare)
    if found is None or found["info"] or not found["mark"].startswith(mark):
        return None
    head = found["head"]
    if head.strip():
        return head if mark[0] == "`" else None
    return "" if len(head.expandtabs(4)) < _CLOSE_INDENT else None


def _margin(head: str) -> str:
    """Give what stands before the lines of a block: the quote marks and indent of its opening."""
    return head if _MARGIN.fullmatch(head) else ""


def _text(lines: list[str], margin: str) -> str:
    return "\n".join(_without_margin(line, margin) for line in lines).strip("\n")


def _without_margin(line: str, margin: str) -> str:
    """Take off quote marks, and as much white space as the opening fence had before it."""
    if ">" in margin:
        line = re.sub(rf"^[ \t]{{0,3}}(?:>[ ]?){{1,{margin.count('>')}}}", "", line)
        margin = margin.rpartition(">")[2][1:]
    width = len(margin.expandtabs(4))
    free = len(line) - len(line.lstrip(" \t"))
    taken = 0
    while taken < free and len(line[: taken + 1].expandtabs(4)) <= width:
        taken += 1
    return line[taken:]
