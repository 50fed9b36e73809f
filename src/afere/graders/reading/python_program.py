"""The Python program of a reply: which block, which lines, and by which rule.

The rules, the first that finds a definition of the entry point wins:

| rule | what is taken |
|---|---|
| `fence` | the last code block that defines the entry, a stub aside |
| `fences-joined` | that block with the blocks whose names it needs, or all blocks in a row |
| `continuation` | a body without its head, joined to the source that it continues |
| `session` | the lines behind `>>>`, without what was printed |
| `json` | a text in a JSON value: a field with code, the cells of a notebook |
| `whole` | the reply is nothing but code |
| `span` | code between back-ticks in a sentence |
| `indented` | lines that stand indented among prose |
| `lines` | lines of code among lines of prose |

Where no rule finds the entry, code that defines something else is given all the same: it was an
answer. A text without code gives nothing.
"""

import ast
import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from afere.graders.reading.blocks import Block, code_blocks, code_spans, outside, tidy
from afere.graders.reading.python_source import Sources, free_names, names_bound

__all__ = ["Program", "read_program"]

FENCE, JOINED, CONTINUATION, SESSION = "fence", "fences-joined", "continuation", "session"
WHOLE, SPAN, INDENTED, LINES, JSON = "whole", "span", "indented", "lines", "json"

_PYTHON = frozenset({"python", "python3", "py", "py3", "python2", "pycon", "ipython", "pyi"})
_OTHER_TAGS = (
    "bash sh shell zsh console terminal powershell text txt plaintext output json yaml toml "
    "javascript js typescript ts java c cpp c++ csharp go rust ruby php html css xml sql diff "
    "markdown md latex"
)
_OTHERS = frozenset(_OTHER_TAGS.split())
_PROMPT = re.compile(r"[ \t]*(?:>>>|\.\.\.)(?: (?P<code>.*))?|[ \t]*(?:>>>|\.\.\.)")
_NUMBERED = re.compile(r"[ \t]*(?:In \[\d+\]|[ ]*\.{3,}): ?(?P<code>.*)")
_OPENS_CODE = re.compile(
    r"^[ \t]*(?:async[ ]+def|def|class)[ ]+\w+.*[:(]|^[ \t]*(?:from[ ]+[\w.]+[ ]+)?import[ ]+\w",
    re.MULTILINE,
)
_CLOSES = re.compile(r"(?:[)\]}]|(?:else|elif|except|finally)\b)")
_HEADS = ("+++ ", "--- ", "@@", "diff ", "index ")
_LONGEST_JSON = 200_000
_MOST_CUTS = 24
_MOST_MERGED = 12
_MOST_CHUNKS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program as it was read.

    defines: whether it compiles and binds the entry point.
    at_end: whether it reaches to the end of the reply, where a cut would touch it.
    """

    source: str
    rule: str
    defines: bool
    at_end: bool


def read_program(text: str, entries: Sequence[str], start: str = "") -> Program | None:
    """Find the program in a reply's text, None where there is no code.

    entries: the names that are taken from the answer; the first is the entry point.
    start: source that a body without its head continues, empty where the item has none.
    """
    text = tidy(text)
    reader = _Reader(Sources(), tuple(entries), start)
    blocks = [block for block in code_blocks(text, reader.sources.compiles) if block.text.strip()]
    if not blocks:
        return reader.of_text(text)
    found = reader.of_blocks(blocks)
    if found is not None and found.defines:
        return found
    beside = reader.of_text(outside(text, blocks))
    return beside if beside is not None and beside.defines else found or beside


class _Reader:
    """Reads one reply."""

    def __init__(self, sources: Sources, entries: tuple[str, ...], start: str) -> None:
        self.sources, self.entries, self.start = sources, entries, start

    def of_blocks(self, blocks: Sequence[Block]) -> Program | None:
        """Choose among code blocks."""
        python = [block for block in blocks if self._is_python(block)]
        for usable in (python, blocks if not python else ()):
            codes = [self._code(block) for block in usable]
            if found := self._defining(usable, codes):
                return found
            if found := self._within(usable):
                return found
        continued = self._continued_by([block.text for block in reversed(python or blocks)])
        if continued is not None:
            return self._program(continued, CONTINUATION, at_end=not blocks[-1].closed)
        return self._without_entry(python)

    def _within(self, blocks: Sequence[Block]) -> Program | None:
        """Find the entry in a JSON value, in a diff, or above prose in a block left open."""
        for block in reversed(blocks):
            code = self._in_json(block.text)
            if code:
                return self._program(code, JSON, at_end=not block.closed)
            if self._defines(code := _patched(block.text)):
                return self._program(code, FENCE, at_end=not block.closed)
        if not blocks or blocks[-1].closed:
            return None
        last = self.of_text(blocks[-1].text)
        return last if last is not None and last.defines else None

    def _in_json(self, text: str) -> str:
        """Give the last text in a JSON value that defines the entry, empty where there is none."""
        return next((each for each in reversed(_texts_in(text)) if self._defines(each)), "")

    def of_text(self, text: str) -> Program | None:
        """Find code in a text without blocks."""
        mended = self.sources.mended(text)
        if self._defines(mended):
            return self._program(mended, WHOLE if mended == text else INDENTED, at_end=True)
        if continued := self._continued_by([text.strip("\n")]):
            return self._program(continued, CONTINUATION, at_end=True)
        tries = (
            (_without_prompts(text), SESSION),
            (self._in_json(text), JSON),
            (self._spans(text), SPAN),
            (self._indented(text), INDENTED),
            (self._lines(text), LINES),
        )
        for code, rule in tries:
            if code and self._defines(code):
                return self._program(code, rule, at_end=_reaches_end(text, code))
        return self._some_code(text, mended, [(code, rule) for code, rule in tries if code])

    def _some_code(
        self, text: str, mended: str, tries: Sequence[tuple[str, str]]
    ) -> Program | None:
        """Give code that does not define the entry, broken code included."""
        if self.sources.is_code(mended):
            return self._program(mended, WHOLE, at_end=True)
        for code, rule in tries:
            if self.sources.is_code(code):
                return self._program(code, rule, at_end=True)
        opened = _OPENS_CODE.search(text)
        if opened is None:
            return None
        return self._program(textwrap.dedent(text[opened.start() :]), LINES, at_end=True)

    def _is_python(self, block: Block) -> bool:
        if block.tag in _PYTHON:
            return True
        return block.tag not in _OTHERS and self.sources.compiles(self._code(block)[0])

    def _code(self, block: Block) -> tuple[str, str]:
        """Give the code of a block as it compiles, and the rule by which it was read."""
        mended = self.sources.mended(block.text)
        if not self.sources.compiles(mended):
            session = _without_prompts(block.text)
            if session and self.sources.compiles(session):
                return session, SESSION
        return mended, FENCE

    def _defining(
        self, blocks: Sequence[Block], codes: Sequence[tuple[str, str]]
    ) -> Program | None:
        places = [place for place, (code, _) in enumerate(codes) if self._defines(code)]
        if not places:
            joined = "\n\n".join(code for code, _ in codes)
            if len(codes) > 1 and self._defines(joined):
                return self._program(joined, JOINED, at_end=not blocks[-1].closed)
            return None
        whole = [place for place in places if not self._is_stub(codes[place][0])]
        chosen = (whole or places)[-1]
        code, rule = codes[chosen]
        parts = self._needed(chosen, [code for code, _ in codes])
        at_end = not blocks[max(parts)].closed
        if len(parts) > 1:
            joined = "\n\n\n".join(codes[place][0] for place in sorted(parts))
            if self._defines(joined):
                return self._program(joined, JOINED, at_end=at_end)
        return self._program(code, rule, at_end=not blocks[chosen].closed)

    def _needed(self, chosen: int, codes: Sequence[str]) -> set[int]:
        """Give the places of the blocks that the chosen one builds on, itself among them."""
        bound = {
            place: names_bound(tree)
            for place, code in enumerate(codes)
            if (tree := self.sources.tree(code)) is not None
        }
        parts = {chosen}
        wanted = set(free_names(codes[chosen])) | set(self.entries)
        had = set(bound[chosen])
        while missing := wanted - had:
            name = min(missing)
            had.add(name)
            place = _nearest([each for each, names in bound.items() if name in names], chosen)
            if place is not None and place not in parts and self.entries[0] not in bound[place]:
                parts.add(place)
                had |= bound[place]
                wanted |= free_names(codes[place])
        return parts

    def _without_entry(self, blocks: Sequence[Block]) -> Program | None:
        """Give the last block of code where none defines the entry."""
        for block in reversed(blocks):
            code, rule = self._code(block)
            if block.tag in _PYTHON or self.sources.is_code(code):
                return self._program(code, rule, at_end=not block.closed)
        return None

    def _continued_by(self, bodies: Iterable[str]) -> str | None:
        """Join the first body that continues the start; its definition must then have a body."""
        if not self.start.strip():
            return None
        start = self.start if self.start.endswith("\n") else self.start + "\n"
        for body in bodies:
            for form in _body_forms(body):
                for cut in _cuts(form):
                    if self._defines(start + cut) and not self._is_stub(start + cut):
                        return start + cut
        return None

    def _spans(self, text: str) -> str:
        return next((span for span in reversed(code_spans(text)) if self._defines(span)), "")

    def _indented(self, text: str) -> str:
        """Give the last indented passage that defines the entry."""
        for lines in reversed(_passages(text)):
            code = self.sources.mended("\n".join(lines))
            if self._defines(code):
                return code
        return ""

    def _lines(self, text: str) -> str:
        """Give the passages at the margin that are code."""
        chunks = _chunks(text)
        kept, place = [], 0
        while place < len(chunks):
            for size in range(1, min(_MOST_MERGED, len(chunks) - place) + 1):
                passage = "\n".join(chunks[place : place + size])
                if self._is_passage(passage):
                    kept.append(passage)
                    place += size
                    break
                if size == 1 and not _may_go_on(passage):
                    place += 1
                    break
            else:
                place += 1
        return "\n".join(kept)

    def _is_passage(self, text: str) -> bool:
        tree = self.sources.tree(text)
        return tree is not None and not any(
            isinstance(each, ast.Expr) and not isinstance(each.value, ast.Call | ast.Await)
            for each in tree.body
        )

    def _defines(self, code: str) -> bool:
        return self.sources.defines(code, self.entries[:1])

    def _is_stub(self, code: str) -> bool:
        """Tell a definition whose last body is empty: a docstring, `pass`, `...`, a raise."""
        tree = self.sources.tree(code)
        defined = [
            each
            for each in (tree.body if tree else ())
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
            and each.name == self.entries[0]
        ]
        return bool(defined) and all(map(_is_empty, defined[-1].body))

    def _program(self, code: str, rule: str, *, at_end: bool) -> Program:
        return Program(source=code, rule=rule, defines=self._defines(code), at_end=at_end)


def _texts_in(text: str) -> list[str]:
    """Give the texts of a JSON value in their order; a list of lines is one text."""
    if text.strip()[:1] not in {"{", "[", '"'} or len(text) > _LONGEST_JSON:
        return []
    try:
        waiting = [json.loads(text)]
    except (ValueError, RecursionError):
        return []
    texts: list[str] = []
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            texts.insert(0, value)
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            texts.insert(0, "".join(value if value[0].endswith("\n") else "\n".join(value)))
        elif isinstance(value, list):
            waiting += value
    return texts[-_MOST_CHUNKS:]


def _patched(text: str) -> str:
    """Give what a diff leaves, empty where the text is none."""
    lines = [line for line in text.split("\n") if line.strip()]
    marked = [line for line in lines if not line.startswith(_HEADS)]
    if not any(line[0] == "+" for line in marked) or any(line[0] not in "+- " for line in marked):
        return ""
    return "\n".join(line[1:] for line in marked if line[0] != "-")


_OF_A_STUB = NotImplementedError.__name__  # what a placeholder in an answer raises


def _is_empty(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass():
            return True
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name))):
            return name == _OF_A_STUB
        case ast.Expr(value=value):  # a docstring, an ellipsis, a word of prose
            return not isinstance(value, ast.Call | ast.Await | ast.Yield | ast.YieldFrom)
    return False


def _nearest(places: Sequence[int], chosen: int) -> int | None:
    """Give the last place before the chosen one, else the first after it."""
    before = [place for place in places if place < chosen]
    after = [place for place in places if place > chosen]
    return before[-1] if before else after[0] if after else None


def _without_prompts(text: str) -> str:
    """Give the code of an interactive session, empty where there is none."""
    if ">>>" not in text and "In [" not in text:
        return ""
    code = []
    for line in text.split("\n"):
        found = _PROMPT.fullmatch(line) or _NUMBERED.fullmatch(line)
        if found:
            code.append(found["code"] or "")
    return "\n".join(code)


def _body_forms(body: str) -> Iterator[str]:
    """Give the ways in which a body may have lost its indent."""
    first = next((line for line in body.split("\n") if line.strip()), "")
    if first[:1] in {" ", "\t"}:
        yield body
        yield textwrap.indent(textwrap.dedent(body), "    ")
    else:
        yield "    " + body.lstrip("\n")
        yield textwrap.indent(body, "    ")


def _cuts(body: str) -> Iterator[str]:
    """Give a body, then what is left of it before each line at the margin, the longest first."""
    yield body
    lines = body.split("\n")
    margins = [
        place for place, line in enumerate(lines) if place and line.strip() and line[0] not in " \t"
    ]
    tried = margins[:1] if len(margins) > _MOST_CUTS else []
    for place in [*reversed(margins[-_MOST_CUTS:]), *tried]:
        yield "\n".join(lines[:place])


def _passages(text: str) -> list[list[str]]:
    """Give the runs of lines that stand indented, blank lines inside them included."""
    passages: list[list[str]] = []
    is_open = False
    for line in text.split("\n"):
        if line.strip() and line[0] not in " \t":
            is_open = False
        elif line.strip() or is_open:
            if not is_open:
                passages.append([])
            passages[-1].append(line)
            is_open = True
    return passages[-_MOST_CHUNKS:]


def _chunks(text: str) -> list[str]:
    """Split a text before each line at the margin that begins something."""
    chunks: list[list[str]] = []
    for line in text.split("\n"):
        begins = line.strip() and line[0] not in " \t" and not _CLOSES.match(line)
        decorated = chunks and chunks[-1][-1].startswith("@")
        if not chunks or (begins and not decorated and len(chunks) < _MOST_CHUNKS):
            chunks.append([line])
        else:
            chunks[-1].append(line)
    return ["\n".join(lines) for lines in chunks]


def _may_go_on(passage: str) -> bool:
    """Tell code whose string or bracket is still open from a line of prose."""
    return passage.count('"""') % 2 == 1 or passage.count("'''") % 2 == 1


def _reaches_end(text: str, code: str) -> bool:
    last = next((line for line in reversed(text.split("\n")) if line.strip()), "").strip("` ")
    return bool(last) and last in code
